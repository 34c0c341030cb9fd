/*
 * Matrix transpose: the naive kernel and the tiled one without bank conflicts.
 *
 * Origin: CUDA SDK, transpose. 16 x 16 tiles, 16 x 16 threads; the naive kernel reads rows and writes columns (16 lines per
 * half warp), the tiled one goes through a 16 x 17 tile in shared memory.
 * Original 1024 x 1024; "paper" is 2048 x 2048 so that the matrix does not fit the L2s of the modelled machines.
 */
#include "../common/suite.h"

#include <vector>

enum { TILE = 16 };

__global__ void transpose_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

__global__ void transpose_tiled(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 128, 1280, 2048);
    size_t nn = (size_t)n * n;
    std::vector<float> in(nn), expect(nn), got(nn);
    for (size_t i = 0; i < nn; i++)
        in[i] = (float)(i % 100003);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            expect[(size_t)x * n + y] = in[(size_t)y * n + x];
    float *din = suite_to_device(in.data(), nn), *dout = suite_device<float>(nn);
    dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    size_t bad = 0;
    for (int tiled = 0; tiled < 2; tiled++) {
        SUITE_CUDA(cudaMemset(dout, 0xff, nn * sizeof(float)));
        if (tiled)
            transpose_tiled<<<grid, block>>>(dout, din, n);
        else
            transpose_naive<<<grid, block>>>(dout, din, n);
        SUITE_LAUNCHED();
        suite_to_host(got.data(), dout, nn);
        bad += suite_diff_exact(tiled ? "tiled" : "naive", got.data(), expect.data(), nn);
    }
    return suite_done("transpose", argc, argv, bad);
}
