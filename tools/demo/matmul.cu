// Matrix multiplication, plainly from global memory or through tiles in shared memory: matmul plain|tiled
#include <cstdio>
#include <cstring>
#include <vector>

const int N = 128, TILE = 16;

__global__ void plain(const float *a, const float *b, float *c)
{
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[row * N + k] * b[k * N + col];
    c[row * N + col] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < N; t += TILE) {
        ta[threadIdx.y][threadIdx.x] = a[row * N + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * N + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[row * N + col] = sum;
}

int main(int argc, char **argv)
{
    std::vector<float> a(N * N), b(N * N), c(N * N);
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    float *da, *db, *dc;
    size_t bytes = N * N * sizeof(float);
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    dim3 grid(N / TILE, N / TILE), block(TILE, TILE);
    if (argc > 1 && !strcmp(argv[1], "tiled"))
        tiled<<<grid, block>>>(da, db, dc);
    else
        plain<<<grid, block>>>(da, db, dc);
    if (cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i * N + k] * b[k * N + j];
            if (sum != c[i * N + j]) {
                fprintf(stderr, "wrong at %d, %d\n", i, j);
                return 1;
            }
        }
    return 0;
}
