/*
 * Separable convolution with 17 taps.
 *
 * Origin: CUDA SDK, convolutionSeparable. Row pass: 16 x 4 threads, eight results each plus one halo step on either side;
 * column pass: 16 x 8 threads, eight results each. Tiles in shared memory, taps in constant memory.
 * Original 3072 x 3072; "paper" is its first 1344 rows, "small" its first 256.
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
    suite_size size = suite_parse_size(argc, argv);
    int w = suite_pick(size, 128, 3072, 3072), h = suite_pick(size, 128, 256, 1344);
    size_t nn = (size_t)w * h;
    std::vector<float> in(nn), got(nn), mid(nn), expect(nn), k(TAPS);
    suite_rng r(17);
    for (float &x : in)
        x = (float)r.below(16);
    for (float &x : k)
        x = (float)r.below(16);
    SUITE_CUDA(cudaMemcpyToSymbol(taps, k.data(), TAPS * sizeof(float)));
    float *din = suite_to_device(in.data(), nn), *dmid = suite_device<float>(nn), *dout = suite_device<float>(nn);
    rows<<<dim3(w / (ROW_STEPS * ROW_X), h / ROW_Y), dim3(ROW_X, ROW_Y)>>>(dmid, din, w, h, w);
    columns<<<dim3(w / COL_X, h / (COL_STEPS * COL_Y)), dim3(COL_X, COL_Y)>>>(dout, dmid, w, h, w);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dout, nn);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int j = -RADIUS; j <= RADIUS; j++)
                sum += x + j >= 0 && x + j < w ? k[RADIUS - j] * in[(size_t)y * w + x + j] : 0;
            mid[(size_t)y * w + x] = sum;
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int j = -RADIUS; j <= RADIUS; j++)
                sum += y + j >= 0 && y + j < h ? k[RADIUS - j] * mid[(size_t)(y + j) * w + x] : 0;
            expect[(size_t)y * w + x] = sum;
        }
    return suite_done("convsep", argc, argv, suite_diff("out", got.data(), expect.data(), nn, 1e-5, 1e-3));
}
