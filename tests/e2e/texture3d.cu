// Three-dimensional, layered and cube-map textures.
#include "check.h"

__global__ void volume(cudaTextureObject_t t, const float4 *at, float *out)
{
    int i = threadIdx.x;
    const float4 step = make_float4(0.5f, 0.25f, 0.125f, 0);
    out[i] = tex3D<float>(t, at[i].x, at[i].y, at[i].z);
    out[blockDim.x + i] = tex3DGrad<float>(t, at[i].x, at[i].y, at[i].z, step, step); // there is one level only
}
__global__ void layers(cudaTextureObject_t t, float *out, int w, int h)
{
    int x = threadIdx.x, y = threadIdx.y, l = blockIdx.x;
    out[(l * h + y) * w + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, l);
}
__global__ void cube(cudaTextureObject_t t, float *out)
{
    const float3 direction[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    float3 d = direction[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(t, d.x, d.y, d.z);
}

static cudaArray_t upload(const float *data, int w, int h, int d, unsigned flags)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaExtent extent = make_cudaExtent(w, h, d);
    CUDA(cudaMalloc3DArray(&array, &desc, extent, flags));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)data, w * sizeof(float), w, h);
    p.dstArray = array;
    p.extent = extent;
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    return array;
}
static cudaTextureObject_t object(cudaArray_t array, cudaTextureFilterMode filter, bool normalized)
{
    cudaResourceDesc rd = {};
    rd.resType = cudaResourceTypeArray;
    rd.res.array.array = array;
    cudaTextureDesc td = {};
    td.addressMode[0] = td.addressMode[1] = td.addressMode[2] = cudaAddressModeClamp;
    td.filterMode = filter;
    td.normalizedCoords = normalized;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &rd, &td, NULL));
    return t;
}

int main()
{
    const int w = 8, h = 6, d = 4, n = 128;
    rng r(13);
    std::vector<float> data(w * h * d);
    for (auto &v : data)
        v = r.uniform();
    auto at = [&](int x, int y, int z) {
        auto clamp = [](int i, int m) { return i < 0 ? 0 : i >= m ? m - 1 : i; };
        return data[(clamp(z, d) * h + clamp(y, h)) * w + clamp(x, w)];
    };
    cudaArray_t a = upload(data.data(), w, h, d, 0);
    for (int linear = 0; linear < 2; linear++) {
        cudaTextureObject_t t = object(a, linear ? cudaFilterModeLinear : cudaFilterModePoint, false);
        std::vector<float4> where(n);
        std::vector<float> want(n);
        for (int i = 0; i < n; i++) {
            float x = ((int)r.below(8 * (w + 4)) - 16) / 8.0f + 1 / 16.0f, y = ((int)r.below(8 * (h + 4)) - 16) / 8.0f + 1 / 16.0f,
                  z = ((int)r.below(8 * (d + 4)) - 16) / 8.0f + 1 / 16.0f;
            where[i] = make_float4(x, y, z, 0);
            if (!linear) {
                want[i] = at((int)std::floor(x), (int)std::floor(y), (int)std::floor(z));
            } else {
                float bx = x - 0.5f, by = y - 0.5f, bz = z - 0.5f, sum = 0;
                int i0 = (int)std::floor(bx), j0 = (int)std::floor(by), k0 = (int)std::floor(bz);
                for (int c = 0; c < 8; c++) {
                    int dx = c & 1, dy = c >> 1 & 1, dz = c >> 2;
                    sum += (dx ? bx - i0 : 1 - bx + i0) * (dy ? by - j0 : 1 - by + j0) * (dz ? bz - k0 : 1 - bz + k0) *
                           at(i0 + dx, j0 + dy, k0 + dz);
                }
                want[i] = sum;
            }
        }
        dev<float4> dw(where);
        dev<float> out(2 * n);
        volume<<<1, n>>>(t, dw, out);
        RAN();
        want.insert(want.end(), want.begin(), want.begin() + n);
        check_close("3-D", out.get(), want, linear ? 1e-2 : 0.0);
        CUDA(cudaDestroyTextureObject(t));
    }
    cudaArray_t stack = upload(data.data(), w, h, d, cudaArrayLayered);
    dev<float> out(w * h * d);
    layers<<<d, dim3(w, h)>>>(object(stack, cudaFilterModePoint, false), out, w, h);
    RAN();
    check_equal("layers", out.get(), data);
    std::vector<float> faces(6 * 4 * 4), six;
    for (int f = 0; f < 6; f++) {
        six.push_back(f + 1.0f);
        for (int i = 0; i < 16; i++)
            faces[f * 16 + i] = f + 1.0f;
    }
    cudaArray_t c = upload(faces.data(), 4, 4, 6, cudaArrayCubemap);
    dev<float> fout(6);
    cube<<<1, 6>>>(object(c, cudaFilterModePoint, true), fout);
    RAN();
    check_equal("faces", fout.get(), six);
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(stack));
    CUDA(cudaFreeArray(c));
    return check_result();
}
