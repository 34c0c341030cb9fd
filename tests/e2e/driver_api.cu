// The driver API: contexts, modules from PTX and from files, launches in both forms, memory, streams, linking, textures;
// its handles are the runtime's.
// only: clang
#include "check.h"

#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <unistd.h>

#define DO(call) CHECK((call) == CUDA_SUCCESS)

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 factor = 3;\n"
                          ".visible .entry scale(.param .u64 p, .param .u32 add)\n{\n"
                          "  .reg .b32 %r<7>; .reg .b64 %rd<4>;\n"
                          "  ld.param.u64 %rd1, [p]; ld.param.u32 %r5, [add]; mov.u32 %r1, %tid.x;\n"
                          "  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
                          "  ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [factor];\n"
                          "  mad.lo.u32 %r4, %r2, %r3, %r5; st.global.u32 [%rd3], %r4;\n  ret;\n}\n";
// Two files that need each other.
static const char caller[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".extern .func (.param .b32 out) twice(.param .b32 in);\n"
                             ".visible .entry apply(.param .u64 p)\n{\n"
                             "  .reg .b32 %r<4>; .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [p];\n"
                             "  ld.global.u32 %r1, [%rd1];\n  {\n  .param .b32 a; .param .b32 b;\n"
                             "  st.param.b32 [a], %r1;\n  call (b), twice, (a);\n  ld.param.b32 %r2, [b];\n  }\n"
                             "  st.global.u32 [%rd1], %r2;\n  ret;\n}\n";
static const char callee[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".visible .func (.param .b32 out) twice(.param .b32 in)\n{\n  .reg .b32 %r<3>;\n"
                             "  ld.param.b32 %r1, [in]; add.u32 %r2, %r1, %r1; st.param.b32 [out], %r2;\n  ret;\n}\n";

__global__ void runtimes(int *p)
{
    p[threadIdx.x] += 100;
}

static std::vector<int> read(CUdeviceptr p, size_t n)
{
    std::vector<int> v(n);
    DO(cuMemcpyDtoH(v.data(), p, 4 * n));
    return v;
}

static void contexts()
{
    CUcontext a, b, now;
    CUdevice device;
    unsigned flags;
    int active;
    char name[64];
    const char *text;
    CHECK(cuCtxGetCurrent(&now) == CUDA_ERROR_NOT_INITIALIZED);
    CHECK(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    DO(cuInit(0));
    DO(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
    DO(cuDeviceGetName(name, sizeof name, 0));
    DO(cuCtxGetCurrent(&now));
    CHECK(now == nullptr);
    CHECK(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
    DO(cuCtxCreate(&a, 0, device));
    CUctxCreateParams params = {};
    DO(cuCtxCreate(&b, &params, 0, device));
    DO(cuCtxGetCurrent(&now));
    CHECK(now == b);
    DO(cuCtxPopCurrent(&now));
    CHECK(now == b);
    DO(cuCtxPushCurrent(b));
    DO(cuCtxDestroy(b));
    DO(cuCtxGetCurrent(&now));
    CHECK(now == a);
    CHECK(cuCtxSetCurrent(b) == CUDA_ERROR_INVALID_CONTEXT);
    DO(cuDevicePrimaryCtxGetState(device, &flags, &active));
    CHECK(!active);
    DO(cuDevicePrimaryCtxRetain(&b, device));
    DO(cuCtxSetCurrent(b));
    DO(cuDevicePrimaryCtxGetState(device, &flags, &active));
    CHECK(active);
    DO(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
    CHECK(!strcmp(text, "CUDA_ERROR_INVALID_CONTEXT"));
    DO(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    CHECK(!strcmp(text, "out of memory"));
    CHECK(cuGetErrorName((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE);
}

static void modules()
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr p, factor;
    CUstream stream;
    size_t bytes;
    int value;
    char path[] = "/tmp/weir-module-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(ptx, file);
    fclose(file);
    DO(cuModuleLoad(&m, path));
    unlink(path);
    CHECK(cuModuleLoad(&m, path) == CUDA_ERROR_FILE_NOT_FOUND);
    CHECK(cuModuleGetFunction(&f, m, "nothing") == CUDA_ERROR_NOT_FOUND);
    DO(cuModuleGetFunction(&f, m, "scale"));
    DO(cuModuleGetGlobal(&factor, &bytes, m, "factor"));
    CHECK(bytes == 4);
    DO(cuMemsetD32(factor, 5, 1));
    DO(cuMemAlloc(&p, 32 * 4));
    CHECK(cuMemAlloc(&factor, 0) == CUDA_ERROR_INVALID_VALUE);
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DO(cuMemsetD32Async(p, 7, 32, stream));
    unsigned add = 1;
    void *args[] = {&p, &add};
    DO(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, stream, args, nullptr));
    check_equal("parameters", read(p, 32), std::vector<int>(32, 36));
    struct {
        CUdeviceptr p;
        unsigned add;
    } block = {p, 2};
    bytes = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    DO(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, extra));
    check_equal("a block of parameters", read(p, 32), std::vector<int>(32, 182));
    CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, stream, nullptr, 0};
    DO(cuLaunchKernelEx(&config, f, args, nullptr));
    check_equal("by a configuration", read(p, 32), std::vector<int>(32, 911));
    CHECK(cuLaunchKernel((CUfunction)&value, 1, 1, 1, 32, 1, 1, 0, stream, args, nullptr) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, stream, args, nullptr) == CUDA_ERROR_INVALID_VALUE);
    DO(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    CHECK(value == 1024);
    int grid, threads;
    DO(cuOccupancyMaxPotentialBlockSize(&grid, &threads, f, nullptr, 0, 0));
    CHECK(grid > 0 && threads % 32 == 0 && threads > 0);
    // The runtime takes the driver's memory and stream, and keeps its own last error.
    runtimes<<<1, 32, 0, (cudaStream_t)stream>>>((int *)p);
    check_equal("the runtime's kernel", read(p, 32), std::vector<int>(32, 1011));
    CHECK(cuModuleGetFunction(&f, m, "nothing") == CUDA_ERROR_NOT_FOUND);
    CHECK(cudaGetLastError() == cudaSuccess);
    CUdeviceptr base;
    DO(cuMemGetAddressRange(&base, &bytes, p + 8));
    CHECK(base == p && bytes == 128);
    unsigned type;
    DO(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&type) == CUDA_ERROR_INVALID_VALUE);
    DO(cuMemFree(p));
    CHECK(cuMemFree(p) == CUDA_ERROR_INVALID_VALUE);
    DO(cuStreamDestroy(stream));
    DO(cuModuleUnload(m));
    CHECK(cuModuleUnload(m) == CUDA_ERROR_INVALID_VALUE); // as documented
    // What is wrong with the code goes to the program's buffer.
    char log[200] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CHECK(cuModuleLoadDataEx(&m, ".version 7.0\n.target sm_70\n.address_size 64\nnonsense", 2, options, values) ==
          CUDA_ERROR_INVALID_PTX);
    CHECK(strlen(log) > 10 && (size_t)values[1] == strlen(log));
    CHECK(cuModuleLoadData(&m, "\177ELF\2\1\1") == CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static void libraries()
{
    CUlibrary l;
    CUkernel k;
    CUfunction f;
    CUdeviceptr p;
    unsigned add = 0;
    DO(cuLibraryLoadData(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    DO(cuLibraryGetKernel(&k, l, "scale"));
    DO(cuKernelGetFunction(&f, k));
    DO(cuMemAllocManaged(&p, 128, CU_MEM_ATTACH_GLOBAL));
    for (int i = 0; i < 32; i++)
        ((int *)p)[i] = i;
    void *args[] = {&p, &add};
    DO(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    DO(cuCtxSynchronize());
    CHECK(((int *)p)[31] == 93);
    DO(cuMemPrefetchAsync(p, 128, 0, nullptr));
    DO(cuMemFree(p));
    DO(cuLibraryUnload(l));
}

static void link()
{
    CUlinkState state;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *image;
    size_t bytes;
    DO(cuLinkCreate(0, nullptr, nullptr, &state));
    DO(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller.ptx", 0, nullptr, nullptr));
    DO(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "callee.ptx", 0, nullptr, nullptr));
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, (void *)callee, 10, "x.cubin", 0, nullptr, nullptr) ==
          CUDA_ERROR_NO_BINARY_FOR_GPU);
    DO(cuLinkComplete(state, &image, &bytes));
    DO(cuModuleLoadData(&m, image));
    DO(cuLinkDestroy(state));
    DO(cuModuleGetFunction(&f, m, "apply"));
    DO(cuMemAlloc(&p, 4));
    DO(cuMemsetD32(p, 21, 1));
    void *args[] = {&p};
    DO(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    CHECK(read(p, 1)[0] == 42);
}

static const char fetch[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                            ".visible .entry fetch(.param .u64 p, .param .u64 t)\n{\n"
                            "  .reg .b32 %r<3>; .reg .f32 %f<7>; .reg .b64 %rd<5>;\n"
                            "  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [t]; mov.u32 %r1, %tid.x;\n"
                            "  cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000;\n"
                            "  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd2, {%f1, %f2}];\n"
                            "  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; st.global.f32 [%rd4], %f3;\n  ret;\n}\n";

static void textures()
{
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR d = {16, 4, CU_AD_FORMAT_FLOAT, 1};
    std::vector<float> in(64), out(16), want(16);
    for (int i = 0; i < 64; i++)
        in[i] = 1.5f * i;
    for (int i = 0; i < 16; i++)
        want[i] = in[16 + i];
    DO(cuArrayCreate(&array, &d));
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = in.data();
    c.srcPitch = 64;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = array;
    c.WidthInBytes = 64;
    c.Height = 4;
    DO(cuMemcpy2D(&c));
    CUDA_RESOURCE_DESC res = {};
    CUDA_TEXTURE_DESC tex = {};
    res.resType = CU_RESOURCE_TYPE_ARRAY;
    res.res.array.hArray = array;
    tex.addressMode[0] = tex.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject t;
    DO(cuTexObjectCreate(&t, &res, &tex, nullptr));
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    DO(cuModuleLoadData(&m, fetch));
    DO(cuModuleGetFunction(&f, m, "fetch"));
    DO(cuMemAlloc(&p, 64));
    void *args[] = {&p, &t};
    DO(cuLaunchKernel(f, 1, 1, 1, 16, 1, 1, 0, nullptr, args, nullptr));
    DO(cuMemcpyDtoH(out.data(), p, 64));
    check_equal("fetched", out, want);
    DO(cuTexObjectDestroy(t));
    DO(cuArrayDestroy(array));
}

// Both ways to a function by its name lead to the same one; what does not exist is said to be missing.
static void names()
{
    void *a = nullptr, *b = nullptr;
    CUdriverProcAddressQueryResult status;
    enum cudaDriverEntryPointQueryResult found;
    DO(cuGetProcAddress("cuMemAlloc", &a, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    CHECK(status == CU_GET_PROC_ADDRESS_SUCCESS && a == (void *)cuMemAlloc_v2);
    DO(cuGetProcAddress("cuMemPrefetchAsync", &a, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    CHECK(!a && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    CHECK(cudaGetDriverEntryPointByVersion("cuCtxCreate", &b, 12000, cudaEnableDefault, &found) == cudaSuccess);
    CHECK(found == cudaDriverEntryPointSuccess && b == (void *)(CUresult(*)(CUcontext *, unsigned, CUdevice))cuCtxCreate_v2);
    CHECK(cudaGetDriverEntryPoint("cuNothing", &b, cudaEnableDefault, &found) == cudaSuccess);
    CHECK(!b && found == cudaDriverEntryPointSymbolNotFound);
}

int main()
{
    contexts();
    modules();
    libraries();
    link();
    textures();
    names();
    return check_result();
}
