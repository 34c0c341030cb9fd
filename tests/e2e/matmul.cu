// Tiled matrix multiplication through shared memory.
#include "check.h"

const int TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < (n + TILE - 1) / TILE; t++) {
        int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = row < n && ka < n ? a[row * n + ka] : 0;
        tb[threadIdx.y][threadIdx.x] = kb < n && col < n ? b[kb * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}

int main()
{
    const int n = 100;
    rng r(2);
    std::vector<float> a(n * n), b(n * n), want(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = r.uniform(-1, 1);
        b[i] = r.uniform(-1, 1);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += (double)a[i * n + k] * b[k * n + j];
            want[i * n + j] = (float)s;
        }
    dev<float> da(a), db(b), dc(n * n);
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    multiply<<<grid, block>>>(da, db, dc, n);
    RAN();
    check_close("product", dc.get(), want, 1e-5);
    return check_result();
}
