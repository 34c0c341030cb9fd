/*
 * Runs the matrix and texture cases of silicon/exact/units.h on a real GPU and writes their results.
 *
 *   units RESULTS.bin
 *
 * RESULTS.bin: for each case a byte (1 = it ran, 0 = the GPU or its compiler refuses it) and, when it ran, its output.
 * Kept as silicon/exact/units.bin.zst; silicon/exact/README.md tells how.
 */
#include "units.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const int rc_ = (int)(call);                                                                                   \
        if (rc_) {                                                                                                     \
            fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, rc_);                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void fill(std::vector<uint8_t> &bytes, const unit_tex &t, uint32_t c, unsigned level, uint64_t texels)
{
    bytes.resize(texels * t.n_channel * t.bits / 8);
    for (uint64_t i = 0; i < texels; i++)
        for (unsigned ch = 0; ch < t.n_channel; ch++) {
            const uint32_t v = unit_texel(&t, c, level, i, ch);
            memcpy(&bytes[(i * t.n_channel + ch) * t.bits / 8], &v, t.bits / 8);
        }
}

static void copy_level(cudaArray_t array, const unit_tex &t, uint32_t c, unsigned level)
{
    std::vector<uint8_t> bytes;
    const size_t w = unit_level_size(t.w, level), h = t.h ? unit_level_size(t.h, level) : 1, d = t.d ? t.d : 1;
    fill(bytes, t, c, level, (uint64_t)w * h * d);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(bytes.data(), w * t.n_channel * t.bits / 8, w, h);
    p.dstArray = array;
    p.extent = make_cudaExtent(w, h, d);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
}

static uint64_t make_object(const unit_tex &t, uint32_t c)
{
    cudaChannelFormatDesc f = {};
    f.f = t.kind == 0   ? cudaChannelFormatKindSigned
          : t.kind == 1 ? cudaChannelFormatKindUnsigned
                        : cudaChannelFormatKindFloat;
    int *const part[4] = {&f.x, &f.y, &f.z, &f.w};
    for (unsigned ch = 0; ch < t.n_channel; ch++)
        *part[ch] = t.bits;
    cudaResourceDesc r = {};
    const cudaExtent extent = make_cudaExtent(t.w, t.h, t.d);
    unsigned flags = t.op >= UT_SULD_ZERO ? cudaArraySurfaceLoadStore : t.op == UT_GATHER ? cudaArrayTextureGather : 0;
    if (t.shape == UT_1D_LAYERED || t.shape == UT_2D_LAYERED || t.shape == UT_CUBE_LAYERED)
        flags |= cudaArrayLayered;
    if (t.shape == UT_CUBE || t.shape == UT_CUBE_LAYERED)
        flags |= cudaArrayCubemap;
    if (t.shape == UT_LINEAR_MEM) {
        std::vector<uint8_t> bytes;
        fill(bytes, t, c, 0, t.w);
        r.resType = cudaResourceTypeLinear;
        CHECK(cudaMalloc(&r.res.linear.devPtr, bytes.size()));
        CHECK(cudaMemcpy(r.res.linear.devPtr, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
        r.res.linear.desc = f;
        r.res.linear.sizeInBytes = bytes.size();
    } else if (t.levels > 1) {
        r.resType = cudaResourceTypeMipmappedArray;
        CHECK(cudaMallocMipmappedArray(&r.res.mipmap.mipmap, &f, extent, t.levels, flags));
        for (unsigned level = 0; level < t.levels; level++) {
            cudaArray_t a;
            CHECK(cudaGetMipmappedArrayLevel(&a, r.res.mipmap.mipmap, level));
            copy_level(a, t, c, level);
        }
    } else {
        r.resType = cudaResourceTypeArray;
        CHECK(cudaMalloc3DArray(&r.res.array.array, &f, extent, flags));
        copy_level(r.res.array.array, t, c, 0);
    }
    if (t.op >= UT_SULD_ZERO) {
        cudaSurfaceObject_t s;
        CHECK(cudaCreateSurfaceObject(&s, &r));
        return s;
    }
    cudaTextureDesc d = {};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = (cudaTextureAddressMode)t.address;
    d.filterMode = (cudaTextureFilterMode)t.filter;
    d.mipmapFilterMode = (cudaTextureFilterMode)t.mip_filter;
    d.readMode = t.read_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords = t.normalized;
    d.sRGB = t.srgb;
    d.maxMipmapLevelClamp = (float)(t.levels - 1);
    for (int k = 0; k < 4; k++)
        d.borderColor[k] = 0.25f * (float)(k + 1);
    cudaTextureObject_t o;
    CHECK(cudaCreateTextureObject(&o, &r, &d, NULL));
    return o;
}

static bool run(const unit_case &u, uint32_t c, std::vector<uint8_t> &out)
{
    unit_text text = {};
    unit_say(&text, ".version 8.4\n.target sm_90\n.address_size 64\n");
    unit_emit(&text, &u, c);
    CUmodule module;
    static char log[4096];
    CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *value[] = {log, (void *)(uintptr_t)sizeof log};
    const CUresult rc = cuModuleLoadDataEx(&module, text.p, 2, option, value);
    free(text.p);
    if (rc) {
        fprintf(stderr, "case %u %s: %d %s\n", c, u.name, (int)rc, log);
        return false;
    }
    CUfunction fn;
    char name[16];
    snprintf(name, sizeof name, "u%u", c);
    CHECK(cuModuleGetFunction(&fn, module, name));
    std::vector<uint8_t> in(unit_in_bytes(&u));
    out.assign(unit_out_bytes(&u), 0xee);
    unit_inputs(&u, c, in.data());
    uint8_t *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, in.size()));
    CHECK(cudaMalloc(&d_out, out.size()));
    CHECK(cudaMemcpy(d_in, in.data(), in.size(), cudaMemcpyHostToDevice));
    uint64_t handle = u.kind == UNIT_TEX ? make_object(u.tex, c) : 0;
    void *arg[] = {&handle, &d_in, &d_out};
    CHECK(cuLaunchKernel(fn, unit_blocks(&u), 1, 1, unit_threads(&u), 1, 1, 0, 0, arg, NULL));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), d_out, out.size(), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cuModuleUnload(module));
    return true;
}

int main(int argc, char **argv)
{
    static unit_case list[UNIT_MAX_CASES];
    const unsigned n = unit_cases(list);
    FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!f) {
        fprintf(stderr, "usage: units RESULTS.bin\n");
        return 2;
    }
    CHECK(cudaFree(0));
    for (unsigned c = 0; c < n; c++) {
        std::vector<uint8_t> out;
        const bool ran = run(list[c], c, out);
        fputc(ran, f);
        if (ran)
            fwrite(out.data(), 1, out.size(), f);
    }
    fclose(f);
    printf("%u cases\n", n);
    return 0;
}
