// Sizes that overflow, in the driver API, arrays and launches of clusters: an error code, and nothing is written.
// only: clang
// flags: -lcuda -gencode=arch=compute_90a,code=compute_90a
#include "check.h"
#include <cuda.h>
#include <vector>

#define ERR(call, want) do { auto e_ = (call); if ((int)e_ != (int)(want)) { printf("line %d: %d, not %d\n", __LINE__, (int)e_, (int)(want)); bad++; } cudaGetLastError(); } while (0)
static int bad;
static const size_t HUGE_SIZES[] = {1ull << 31, 1ull << 32, 1ull << 61, 1ull << 62, 1ull << 63, ~0ull - 7, ~0ull};
__global__ void nothing(int *p) { if (p) *p = 1; }
/* A launch counts its clusters of two CTAs. */
static const char counted[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry counted(.param .u64 p) .reqntid 32, 1, 1 .reqnctapercluster 2, 1, 1 .blocksareclusters
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    red.global.add.u32 [%rd1], 1;
    ret;
}
)";

int main()
{
    cudaFree(0);
    CUdeviceptr d;
    CHECK(cuMemAlloc(&d, 4096) == CUDA_SUCCESS);
    std::vector<char> h(4096);
    CUarray a;
    CUDA_ARRAY_DESCRIPTOR ad = {64, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CHECK(cuArrayCreate(&a, &ad) == CUDA_SUCCESS);
    for (unsigned n : {0u, 3u, 5u, 255u, ~0u}) {
        CUDA_ARRAY_DESCRIPTOR x = {64, 4, CU_AD_FORMAT_UNSIGNED_INT8, n};
        CUarray b;
        ERR(cuArrayCreate(&b, &x), CUDA_ERROR_INVALID_VALUE);
    }
    for (size_t n : HUGE_SIZES) {
        CUDA_ARRAY3D_DESCRIPTOR x = {16384, 16384, n / 6 * 6, CU_AD_FORMAT_UNSIGNED_INT32, 4, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP};
        CUarray b;
        ERR(cuArray3DCreate(&b, &x), CUDA_ERROR_INVALID_VALUE);
        CUDA_ARRAY3D_DESCRIPTOR y = {1, 1, n / 6 * 6, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP};
        ERR(cuArray3DCreate(&b, &y), CUDA_ERROR_INVALID_VALUE);
        for (int dim = 0; dim < 3; dim++) {
            CUDA_ARRAY3D_DESCRIPTOR z = {16, 16, 16, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0};
            (dim == 0 ? z.Width : dim == 1 ? z.Height : z.Depth) = n;
            ERR(cuArray3DCreate(&b, &z), CUDA_ERROR_INVALID_VALUE);
        }
        size_t pitch;
        CUdeviceptr p;
        ERR(cuMemAllocPitch(&p, &pitch, n, 1 << 20, 4), CUDA_ERROR_OUT_OF_MEMORY);
        ERR(cuMemAllocPitch(&p, &pitch, 1 << 20, n, 4), CUDA_ERROR_OUT_OF_MEMORY);
        if (n > 1ull << 40) ERR(cuMemAlloc(&p, n), CUDA_ERROR_OUT_OF_MEMORY);
        if (n > 1ull << 40) ERR(cuMemAllocManaged(&p, n, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_OUT_OF_MEMORY);
        void *hp;
        if (n > 1ull << 40) ERR(cuMemHostAlloc(&hp, n, 0), CUDA_ERROR_OUT_OF_MEMORY);
        ERR(cuMemHostRegister(h.data(), n, 0), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemsetD8(d, 1, n), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemsetD16(d, 1, n), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemsetD32(d, 1, n), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemsetD2D8(d, n, 1, 16, 4), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemsetD2D16(d, n & ~1ull, 1, 16, 4), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemsetD2D32(d, n & ~3ull, 1, 16, 4), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemsetD2D32(d, 64, 1, n, 4), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemsetD2D32(d, 64, 1, 16, n), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemcpyHtoD(d, h.data(), n), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemcpyDtoH(h.data(), d, n), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemcpyDtoD(d, d, n), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemcpyHtoA(a, n, h.data(), 16), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemcpyHtoA(a, 0, h.data(), n), CUDA_ERROR_INVALID_VALUE);
        ERR(cuMemcpyAtoH(h.data(), a, n, 16), CUDA_ERROR_INVALID_VALUE);
        for (int f = 0; f < 14; f++) {
            CUDA_MEMCPY3D c = {};
            c.srcMemoryType = CU_MEMORYTYPE_HOST; c.srcHost = h.data(); c.srcPitch = 16; c.srcHeight = 4;
            c.dstMemoryType = CU_MEMORYTYPE_DEVICE; c.dstDevice = d; c.dstPitch = 16; c.dstHeight = 4;
            c.WidthInBytes = 8; c.Height = 4; c.Depth = 4;
            size_t *fields[] = {&c.dstXInBytes, &c.srcY, &c.srcZ, &c.srcLOD, &c.srcPitch, &c.srcHeight, &c.WidthInBytes, &c.dstY, &c.dstZ, &c.dstLOD, &c.dstPitch, &c.dstHeight, &c.Depth, &c.Height};
            *fields[f] = n;
            CUresult r = cuMemcpy3D(&c);
            if (!r) { printf("field %d size %zx succeeds\n", f, n); bad++; }
            cudaGetLastError();
            CUDA_MEMCPY2D e = {};
            e.srcMemoryType = CU_MEMORYTYPE_DEVICE; e.srcDevice = d; e.srcPitch = 16;
            e.dstMemoryType = CU_MEMORYTYPE_ARRAY; e.dstArray = a;
            e.WidthInBytes = 8; e.Height = 4;
            size_t *fields2[] = {&e.WidthInBytes, &e.srcY, &e.srcPitch, &e.dstXInBytes, &e.dstY, &e.srcPitch, &e.Height};
            if (f < 7) {
                *fields2[f] = n;
                r = cuMemcpy2D(&e);
                if (!r) { printf("2D field %d size %zx succeeds\n", f, n); bad++; }
            }
        }
        CUDA_RESOURCE_DESC res = {};
        CUDA_TEXTURE_DESC tex = {};
        CUtexObject t;
        res.resType = CU_RESOURCE_TYPE_PITCH2D; res.res.pitch2D.devPtr = d; res.res.pitch2D.format = CU_AD_FORMAT_FLOAT; res.res.pitch2D.numChannels = 1;
        res.res.pitch2D.width = 16; res.res.pitch2D.height = 16; res.res.pitch2D.pitchInBytes = n;
        ERR(cuTexObjectCreate(&t, &res, &tex, nullptr), CUDA_ERROR_INVALID_VALUE);
        res.res.pitch2D.pitchInBytes = 64; res.res.pitch2D.height = n;
        ERR(cuTexObjectCreate(&t, &res, &tex, nullptr), CUDA_ERROR_INVALID_VALUE);
        res.res.pitch2D.width = n; res.res.pitch2D.height = 1;
        ERR(cuTexObjectCreate(&t, &res, &tex, nullptr), CUDA_ERROR_INVALID_VALUE);
        cudaMipmappedArray_t mip;
        cudaChannelFormatDesc f4 = cudaCreateChannelDesc<float4>();
        ERR(cudaMallocMipmappedArray(&mip, &f4, make_cudaExtent(n, n, n), 99, 0), cudaErrorInvalidValue);
        ERR(cudaMallocMipmappedArray(&mip, &f4, make_cudaExtent(64, 64, n / 6 * 6), 99, cudaArrayLayered | cudaArrayCubemap), cudaErrorInvalidValue);
        void *q;
        ERR(cudaMallocAsync(&q, n > 1ull << 40 ? n : n << 20, 0), cudaErrorMemoryAllocation);
    }
    /* memory that was freed, or never allocated, is no host memory */
    CUdeviceptr freed;
    CHECK(cuMemAlloc(&freed, 4096) == CUDA_SUCCESS);
    CHECK(cuMemFree(freed) == CUDA_SUCCESS);
    for (CUdeviceptr p : {freed, d + (1ull << 30)}) {
        ERR(cudaMemcpy((void *)p, h.data(), 16, cudaMemcpyDefault), cudaErrorInvalidValue);
        ERR(cudaMemcpy(h.data(), (void *)p, 16, cudaMemcpyDefault), cudaErrorInvalidValue);
        ERR(cudaMemcpy((void *)d, (void *)p, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        ERR(cuMemcpy(p, d, 16), CUDA_ERROR_INVALID_VALUE);
    }
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
    void *values[] = {nullptr};
    ERR(cuPointerGetAttributes(1, which, values, d), CUDA_ERROR_INVALID_VALUE);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, nullptr, CU_LAUNCH_PARAM_END};
    cudaFunction_t fn;
    CUDA(cudaGetFuncBySymbol(&fn, (void *)nothing));
    ERR(cuLaunchKernel((CUfunction)fn, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
    // launches
    cudaLaunchConfig_t cfg = {};
    cudaLaunchAttribute at[1];
    cfg.attrs = at; cfg.numAttrs = 1;
    unsigned odd[] = {0u, 3u, 17u, 65536u, 1u << 31, ~0u};
    for (unsigned x : odd)
        for (unsigned y : odd)
            for (int which = 0; which < 3; which++) {
                cfg.gridDim = dim3(8, 8, 8); cfg.blockDim = dim3(32);
                at[0].id = cudaLaunchAttributeClusterDimension;
                unsigned c[3] = {1, 1, 1};
                c[which] = x; c[(which + 1) % 3] = y;
                at[0].val.clusterDim.x = c[0]; at[0].val.clusterDim.y = c[1]; at[0].val.clusterDim.z = c[2];
                cudaError_t e = cudaLaunchKernelEx(&cfg, nothing, (int *)nullptr);
                if (!e) { printf("cluster %u %u %u runs\n", c[0], c[1], c[2]); bad++; }
                int n = -1;
                e = cudaOccupancyMaxActiveClusters(&n, nothing, &cfg);
                if (!e && n > 0) { printf("cluster %u %u %u occupancy %d\n", c[0], c[1], c[2], n); bad++; }
                cudaGetLastError();
            }
    CUmodule m;
    CUfunction count;
    void *args[] = {&d};
    int n = 0;
    CHECK(cuModuleLoadData(&m, counted) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&count, m, "counted") == CUDA_SUCCESS);
    CHECK(cuMemsetD8(d, 0, 4) == CUDA_SUCCESS);
    ERR(cuLaunchKernel(count, (1u << 31) + 1, 1, 1, 1, 1, 1, 0, 0, args, nullptr), CUDA_ERROR_INVALID_VALUE);
    ERR(cuLaunchKernel(count, 1u << 31, 1, 1, 1, 1, 1, 0, 0, args, nullptr), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuLaunchKernel(count, 2, 1, 1, 1, 1, 1, 0, 0, args, nullptr) == CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH(&n, d, 4) == CUDA_SUCCESS && n == 128);
    struct { char mark[8]; unsigned long long bytes; char text[16]; } linked = {{'W','E','I','R','L','I','N','K'}, 1ull << 40, "x"};
    ERR(cuModuleLoadData(&m, &linked), CUDA_ERROR_INVALID_IMAGE);
    FILE *f = fopen("linked.bin", "wb");
    fwrite(&linked, 1, sizeof linked, f);
    fclose(f);
    ERR(cuModuleLoad(&m, "linked.bin"), CUDA_ERROR_INVALID_IMAGE);
    remove("linked.bin");
    struct { unsigned magic; unsigned short version, header; unsigned long long bytes; } fat = {0xba55ed50, 1, 16, 1ull << 60};
    ERR(cuModuleLoadData(&m, &fat), CUDA_ERROR_INVALID_IMAGE);
    fat.bytes = ~0ull - 8;
    ERR(cuModuleLoadData(&m, &fat), CUDA_ERROR_INVALID_IMAGE);
    printf("%d bad\n", bad);
    return bad != 0;
}
