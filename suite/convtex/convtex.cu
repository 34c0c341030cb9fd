/*
 * Separable convolution with 17 taps through textures.
 *
 * Origin: CUDA SDK, convolutionTexture. One thread per pixel, 16 x 12 threads per block, point-sampled 2-D texture with
 * clamped addresses, taps in constant memory; the row pass's result is copied into the array for the column pass.
 * Original 3072 x 1536; "paper" is its first 384 rows, "small" its first 132.
 */
#include "../common/suite_texture.h"

#include <vector>

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1 };

__constant__ float taps[TAPS];

__global__ void rows(float *dst, int w, int h, cudaTextureObject_t src)
{
    const int ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= w || iy >= h)
        return;
    const float x = (float)ix + 0.5f, y = (float)iy + 0.5f;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tex2D<float>(src, x + (float)k, y) * taps[RADIUS - k];
    dst[iy * w + ix] = sum;
}

__global__ void columns(float *dst, int w, int h, cudaTextureObject_t src)
{
    const int ix = blockIdx.x * blockDim.x + threadIdx.x, iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= w || iy >= h)
        return;
    const float x = (float)ix + 0.5f, y = (float)iy + 0.5f;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tex2D<float>(src, x, y + (float)k) * taps[RADIUS - k];
    dst[iy * w + ix] = sum;
}

static int clamp(int x, int n)
{
    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int w = suite_pick(size, 96, 3072, 3072), h = suite_pick(size, 48, 132, 384);
    size_t n = (size_t)w * h;
    std::vector<float> in(n), mid(n), expect(n), got(n), k(TAPS);
    suite_rng r(19);
    for (float &x : in)
        x = (float)r.below(16);
    for (float &x : k)
        x = (float)r.below(16);
    SUITE_CUDA(cudaMemcpyToSymbol(taps, k.data(), TAPS * sizeof(float)));
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    SUITE_CUDA(cudaMallocArray(&array, &format, w, h));
    SUITE_CUDA(cudaMemcpy2DToArray(array, 0, 0, in.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    const cudaTextureObject_t tex = suite_texture(resource);
    float *dout = suite_device<float>(n);
    dim3 block(16, 12), grid((w + 15) / 16, (h + 11) / 12);
    rows<<<grid, block>>>(dout, w, h, tex);
    SUITE_LAUNCHED();
    SUITE_CUDA(cudaMemcpy2DToArray(array, 0, 0, dout, w * sizeof(float), w * sizeof(float), h, cudaMemcpyDeviceToDevice));
    columns<<<grid, block>>>(dout, w, h, tex);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dout, n);
    for (int pass = 0; pass < 2; pass++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                float sum = 0;
                for (int j = -RADIUS; j <= RADIUS; j++)
                    sum += (pass ? mid[(size_t)clamp(y + j, h) * w + x] : in[(size_t)y * w + clamp(x + j, w)]) * k[RADIUS - j];
                (pass ? expect : mid)[(size_t)y * w + x] = sum;
            }
    return suite_done("convtex", argc, argv, suite_diff("out", got.data(), expect.data(), n, 1e-5, 1e-3));
}
