/*
 * Separable convolution with 17 taps.
 *
 * Origin: CUDA SDK, convolutionSeparable. Row pass: 16 x 4 threads, eight results each plus one halo step on either side;
 * column pass: 16 x 8 threads, eight results each. Tiles in shared memory, taps in constant memory.
 * Original 3072 x 3072; "paper" is 2048 x 2048.
 */
#include "../common/suite.h"

#include <vector>

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1 };
enum { ROW_X = 16, ROW_Y = 4, ROW_STEPS = 8, ROW_HALO = 1 };
enum { COL_X = 16, COL_Y = 8, COL_STEPS = 8, COL_HALO = 1 };

__constant__ float taps[TAPS];

__global__ void rows(float *dst, const float *src, int w, int h, int pitch)
{
    __shared__ float s[ROW_Y][(ROW_STEPS + 2 * ROW_HALO) * ROW_X];
    const int bx = (blockIdx.x * ROW_STEPS - ROW_HALO) * ROW_X + threadIdx.x, by = blockIdx.y * ROW_Y + threadIdx.y;
    src += by * pitch + bx;
    dst += by * pitch + bx;
#pragma unroll
    for (int i = ROW_HALO; i < ROW_HALO + ROW_STEPS; i++)
        s[threadIdx.y][threadIdx.x + i * ROW_X] = src[i * ROW_X];
#pragma unroll
    for (int i = 0; i < ROW_HALO; i++)
        s[threadIdx.y][threadIdx.x + i * ROW_X] = bx >= -i * ROW_X ? src[i * ROW_X] : 0;
#pragma unroll
    for (int i = ROW_HALO + ROW_STEPS; i < ROW_HALO + ROW_STEPS + ROW_HALO; i++)
        s[threadIdx.y][threadIdx.x + i * ROW_X] = w - bx > i * ROW_X ? src[i * ROW_X] : 0;
    __syncthreads();
#pragma unroll
    for (int i = ROW_HALO; i < ROW_HALO + ROW_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += taps[RADIUS - j] * s[threadIdx.y][threadIdx.x + i * ROW_X + j];
        dst[i * ROW_X] = sum;
    }
}

__global__ void columns(float *dst, const float *src, int w, int h, int pitch)
{
    __shared__ float s[COL_X][(COL_STEPS + 2 * COL_HALO) * COL_Y + 1];
    const int bx = blockIdx.x * COL_X + threadIdx.x, by = (blockIdx.y * COL_STEPS - COL_HALO) * COL_Y + threadIdx.y;
    src += by * pitch + bx;
    dst += by * pitch + bx;
#pragma unroll
    for (int i = COL_HALO; i < COL_HALO + COL_STEPS; i++)
        s[threadIdx.x][threadIdx.y + i * COL_Y] = src[i * COL_Y * pitch];
#pragma unroll
    for (int i = 0; i < COL_HALO; i++)
        s[threadIdx.x][threadIdx.y + i * COL_Y] = by >= -i * COL_Y ? src[i * COL_Y * pitch] : 0;
#pragma unroll
    for (int i = COL_HALO + COL_STEPS; i < COL_HALO + COL_STEPS + COL_HALO; i++)
        s[threadIdx.x][threadIdx.y + i * COL_Y] = h - by > i * COL_Y ? src[i * COL_Y * pitch] : 0;
    __syncthreads();
#pragma unroll
    for (int i = COL_HALO; i < COL_HALO + COL_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += taps[RADIUS - j] * s[threadIdx.x][threadIdx.y + i * COL_Y + j];
        dst[i * COL_Y * pitch] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 128, 896, 2048);
    size_t nn = (size_t)n * n;
    std::vector<float> in(nn), got(nn), mid(nn), expect(nn), k(TAPS);
    suite_rng r(17);
    for (float &x : in)
        x = (float)r.below(16);
    for (float &x : k)
        x = (float)r.below(16);
    SUITE_CUDA(cudaMemcpyToSymbol(taps, k.data(), TAPS * sizeof(float)));
    float *din = suite_to_device(in.data(), nn), *dmid = suite_device<float>(nn), *dout = suite_device<float>(nn);
    rows<<<dim3(n / (ROW_STEPS * ROW_X), n / ROW_Y), dim3(ROW_X, ROW_Y)>>>(dmid, din, n, n, n);
    columns<<<dim3(n / COL_X, n / (COL_STEPS * COL_Y)), dim3(COL_X, COL_Y)>>>(dout, dmid, n, n, n);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dout, nn);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int j = -RADIUS; j <= RADIUS; j++)
                sum += x + j >= 0 && x + j < n ? k[RADIUS - j] * in[(size_t)y * n + x + j] : 0;
            mid[(size_t)y * n + x] = sum;
        }
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int j = -RADIUS; j <= RADIUS; j++)
                sum += y + j >= 0 && y + j < n ? k[RADIUS - j] * mid[(size_t)(y + j) * n + x] : 0;
            expect[(size_t)y * n + x] = sum;
        }
    return suite_done("convsep", argc, argv, suite_diff("out", got.data(), expect.data(), nn, 1e-5, 1e-3));
}
