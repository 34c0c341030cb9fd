// Two-dimensional textures: point and linear filtering, every address mode, normalized coordinates, pitched memory.
#include "check.h"

__global__ void sample(cudaTextureObject_t t, const float2 *at, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2D<float>(t, at[i].x, at[i].y);
}

static const int W = 16, H = 8;
static std::vector<float> image(W *H);

// What the hardware does, with its 8-bit interpolation weights.
static int wrap(float x, int n, cudaTextureAddressMode mode, bool *outside)
{
    int i = (int)std::floor(x);
    *outside = false;
    switch (mode) {
    case cudaAddressModeWrap: return ((i % n) + n) % n;
    case cudaAddressModeMirror: {
        int k = ((i % (2 * n)) + 2 * n) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }
    case cudaAddressModeClamp: return i < 0 ? 0 : i >= n ? n - 1 : i;
    default: *outside = i < 0 || i >= n; return i;
    }
}
static float texel(int x, int y, cudaTextureAddressMode mode)
{
    bool ox, oy;
    int i = wrap((float)x, W, mode, &ox), j = wrap((float)y, H, mode, &oy);
    return ox || oy ? 0 : image[j * W + i];
}
static float reference(float x, float y, cudaTextureAddressMode mode, bool linear)
{
    if (!linear)
        return texel((int)std::floor(x), (int)std::floor(y), mode);
    float bx = x - 0.5f, by = y - 0.5f;
    int i = (int)std::floor(bx), j = (int)std::floor(by);
    float fx = bx - i, fy = by - j;
    return (1 - fy) * ((1 - fx) * texel(i, j, mode) + fx * texel(i + 1, j, mode)) +
           fy * ((1 - fx) * texel(i, j + 1, mode) + fx * texel(i + 1, j + 1, mode));
}

int main()
{
    rng r(12);
    for (auto &v : image)
        v = r.uniform(0, 10);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CUDA(cudaMallocArray(&array, &desc, W, H));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, image.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    const int n = 600;
    std::vector<float2> at(n);
    dev<float2> dat(n);
    dev<float> out(n);
    for (int linear = 0; linear < 2; linear++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalized = 0; normalized < 2; normalized++) {
                // Wrap and mirror exist for normalized coordinates only.
                if (!normalized && mode != cudaAddressModeClamp && mode != cudaAddressModeBorder)
                    continue;
                cudaResourceDesc rd = {};
                rd.resType = cudaResourceTypeArray;
                rd.res.array.array = array;
                cudaTextureDesc td = {};
                td.addressMode[0] = td.addressMode[1] = (cudaTextureAddressMode)mode;
                td.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                td.normalizedCoords = normalized;
                cudaTextureObject_t t;
                CUDA(cudaCreateTextureObject(&t, &rd, &td, NULL));
                std::vector<float> want(n);
                for (int i = 0; i < n; i++) {
                    // Sixteenths, which the interpolation weights represent exactly, and never on an edge of point sampling.
                    float x = ((int)r.below(16 * 3 * W) - 16 * W) / 16.0f + 1 / 32.0f;
                    float y = ((int)r.below(16 * 3 * H) - 16 * H) / 16.0f + 1 / 32.0f;
                    want[i] = reference(x, y, (cudaTextureAddressMode)mode, linear);
                    at[i] = normalized ? make_float2(x / W, y / H) : make_float2(x, y);
                }
                dat.put(at);
                sample<<<5, 128>>>(t, dat, out, n);
                RAN();
                check_close(linear ? "linear" : "point", out.get(), want, linear ? 1e-2 : 0.0);
                CUDA(cudaDestroyTextureObject(t));
            }
    CUDA(cudaFreeArray(array));

    float *pitched;
    size_t pitch;
    CUDA(cudaMallocPitch(&pitched, &pitch, W * 4, H));
    CUDA(cudaMemcpy2D(pitched, pitch, image.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypePitch2D;
    rd.res.pitch2D.devPtr = pitched;
    rd.res.pitch2D.desc = desc;
    rd.res.pitch2D.width = W;
    rd.res.pitch2D.height = H;
    rd.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc td = {};
    td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &rd, &td, NULL));
    std::vector<float> want(n);
    for (int i = 0; i < n; i++) {
        at[i] = make_float2((int)r.below(W + 4) - 2 + 0.5f, (int)r.below(H + 4) - 2 + 0.5f);
        want[i] = reference(at[i].x, at[i].y, cudaAddressModeClamp, false);
    }
    dat.put(at);
    sample<<<5, 128>>>(t, dat, out, n);
    RAN();
    check_equal("pitched", out.get(), want);
    return check_result();
}
