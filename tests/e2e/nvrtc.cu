// CUDA C++ compiled at run time: headers, options, name expressions, the log; what comes out is loaded and launched.
// only: clang
// flags: -lnvrtc
#include "check.h"

#include <cstring>
#include <cuda.h>
#include <nvrtc.h>
#include <string>

static const char source[] = "#include \"step/by.h\"\n"
                             "__constant__ int offset = 1;\n"
                             "template <typename T, int N> __global__ void add(T *p) { p[threadIdx.x] += N * BY + offset; }\n"
                             "namespace own { __device__ float value = 2.5f; }\n"
                             "extern \"C\" __global__ void plain(int *p) { assert(p); p[threadIdx.x] = (int)(own::value * 2); }\n";

static std::string log_of(nvrtcProgram p)
{
    size_t n;
    CHECK(nvrtcGetProgramLogSize(p, &n) == NVRTC_SUCCESS);
    std::string log(n, ' ');
    CHECK(nvrtcGetProgramLog(p, &log[0]) == NVRTC_SUCCESS);
    return log;
}

int main()
{
    nvrtcProgram p;
    const char *headers[] = {"#define BY FACTOR\n"}, *names[] = {"step/by.h"};
    const char *options[] = {"--gpu-architecture=compute_75", "-DFACTOR=10", "--std=c++17", "-default-device", "--minimal"};
    const char *adder;
    size_t n = 0;
    CHECK(nvrtcCreateProgram(&p, source, "folder/adder.cu", 1, headers, names) == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "add<int, 3>") == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "&offset") == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "&own::value") == NVRTC_SUCCESS);
    CHECK(nvrtcGetLoweredName(p, "add<int, 3>", &adder) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    CHECK(nvrtcCompileProgram(p, 5, options) == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "plain") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CHECK(nvrtcGetPTXSize(p, &n) == NVRTC_SUCCESS);
    std::string ptx(n, ' ');
    CHECK(nvrtcGetPTX(p, &ptx[0]) == NVRTC_SUCCESS);
    CHECK(ptx.find("weir_nvrtc") == std::string::npos);
    CHECK(nvrtcGetLoweredName(p, "add<int, 3>", &adder) == NVRTC_SUCCESS);

    cudaFree(0);
    CUmodule m;
    CUfunction f;
    CUdeviceptr at;
    const char *offset;
    int two = 2;
    CHECK(cuModuleLoadData(&m, ptx.c_str()) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&f, m, adder) == CUDA_SUCCESS);
    CHECK(nvrtcGetLoweredName(p, "&offset", &offset) == NVRTC_SUCCESS);
    CHECK(cuModuleGetGlobal(&at, nullptr, m, offset) == CUDA_SUCCESS);
    CHECK(cuMemcpyHtoD(at, &two, 4) == CUDA_SUCCESS);
    dev<int> d(std::vector<int>(32, 7));
    int *q = d;
    void *args[] = {&q};
    CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr) == CUDA_SUCCESS);
    check_equal("a template's instance", d.get(), std::vector<int>(32, 39));
    CHECK(cuModuleGetFunction(&f, m, "plain") == CUDA_SUCCESS);
    CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr) == CUDA_SUCCESS);
    check_equal("a plain kernel", d.get(), std::vector<int>(32, 5));
    CHECK(nvrtcGetCUBINSize(p, &n) == NVRTC_SUCCESS && n == 0); /* an architecture that is virtual */
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS && !p);

    const char *real[] = {"--gpu-architecture=sm_90"};
    CHECK(nvrtcCreateProgram(&p, "extern \"C\" __global__ void k(int *p) { *p = 7; }", nullptr, 0, nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 1, real) == NVRTC_SUCCESS);
    CHECK(nvrtcGetCUBINSize(p, &n) == NVRTC_SUCCESS && n > 0);
    std::string code(n, ' ');
    CHECK(nvrtcGetCUBIN(p, &code[0]) == NVRTC_SUCCESS);
    CHECK(cuModuleLoadData(&m, code.data()) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&f, m, "k") == CUDA_SUCCESS);
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr) == CUDA_SUCCESS);
    CHECK(d.get()[0] == 7);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);

    CHECK(nvrtcCreateProgram(&p, "__global__ void k(int *p) { *p = nothing; }", "wrong.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_ERROR_COMPILATION);
    CHECK(log_of(p).find("wrong.cu:1:34: error: use of undeclared identifier 'nothing'") != std::string::npos);
    CHECK(nvrtcGetPTXSize(p, &n) == NVRTC_ERROR_INVALID_PROGRAM);
    const char *bad[] = {"--no-such-option"};
    CHECK(nvrtcCompileProgram(p, 1, bad) == NVRTC_ERROR_INVALID_OPTION);
    nvrtcDestroyProgram(&p);
    CHECK(!strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"));
    return check_result();
}
