// Matrix transposition through a padded shared tile, for a shape that is no multiple of the tile.
#include "check.h"

template <class T> __global__ void transpose(const T *in, T *out, int rows, int cols)
{
    __shared__ T tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < cols && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * cols + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < rows && y + k < cols)
            out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}

template <class T> static void test(int rows, int cols)
{
    rng r(rows);
    std::vector<T> in(rows * cols), want(rows * cols);
    for (auto &v : in)
        v = (T)r.next();
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            want[j * rows + i] = in[i * cols + j];
    dev<T> din(in), dout(rows * cols);
    transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>((const T *)din, (T *)dout, rows, cols);
    RAN();
    check_equal("transposed", dout.get(), want);
}

int main()
{
    test<float>(100, 70);
    test<double>(33, 65);
    test<unsigned char>(128, 128);
    test<short>(1, 200);
    return check_result();
}
