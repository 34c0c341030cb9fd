// Block sizes that leave the last warp partly empty, from 1 to 1024 threads.
#include "check.h"

__global__ void rotate(const int *in, int *out, int n)
{
    extern __shared__ int tile[];
    int base = blockIdx.x * blockDim.x, i = base + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : -1;
    __syncthreads();
    int from = (threadIdx.x + 1) % blockDim.x;
    if (i < n)
        out[i] = tile[from];
}

int main()
{
    const int n = 3000;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 7 + 3;
    dev<int> din(in), dout(n);
    const int sizes[] = {1, 2, 31, 32, 33, 63, 95, 100, 127, 255, 257, 511, 777, 1023, 1024};
    for (int size : sizes) {
        dout.fill(0xff);
        rotate<<<(n + size - 1) / size, size, size * sizeof(int)>>>(din, dout, n);
        RAN();
        std::vector<int> want(n);
        for (int i = 0; i < n; i++) {
            int base = i / size * size, from = base + (i - base + 1) % size;
            want[i] = from < n ? in[from] : -1;
        }
        check_equal("rotated", dout.get(), want);
    }
    return check_result();
}
