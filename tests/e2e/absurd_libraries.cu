// Sizes, pointers and options that the libraries must refuse: a status, no crash, and the library goes on working.
// only: clang
// flags: -lcublas -lcublasLt -lcurand -lnvrtc
#include "check.h"
#include <climits>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <curand.h>
#include <nvrtc.h>
#include <string>

static int bad;
#define IS(call, want)                                                                                                 \
    do {                                                                                                               \
        const int got_ = (int)(call);                                                                                  \
        if (got_ != (int)(want)) {                                                                                     \
            printf("line %d: %s: %d, not %d\n", __LINE__, #call, got_, (int)(want));                                   \
            bad++;                                                                                                     \
        }                                                                                                              \
        cudaGetLastError();                                                                                            \
    } while (0)

static void blas(float *p)
{
    cublasHandle_t h;
    const float one = 1;
    const double done = 1;
    const cuDoubleComplex zone = {1, 0};
    float sum = -1;
    IS(cublasCreate(&h), CUBLAS_STATUS_SUCCESS);
    IS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 4, 4, &one, p, 4, p, 4, &one, p, 4), CUBLAS_STATUS_INVALID_VALUE);
    IS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, p, 3, p, 4, &one, p, 4), CUBLAS_STATUS_INVALID_VALUE);
    IS(cublasSgemm(h, (cublasOperation_t)7, CUBLAS_OP_N, 4, 4, 4, &one, p, 4, p, 4, &one, p, 4), CUBLAS_STATUS_INVALID_VALUE);
    IS(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, INT_MAX, 4, &one, p, 4, p, 4, &one, p, 4), CUBLAS_STATUS_NOT_SUPPORTED);
    IS(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, p, 4, 0, p, 4, 0, &one, p, 4, 0, -1), CUBLAS_STATUS_INVALID_VALUE);
    IS(cublasZsymm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, INT_MAX, 1, &zone, (cuDoubleComplex *)p, INT_MAX, (cuDoubleComplex *)p, INT_MAX, &zone, (cuDoubleComplex *)p, INT_MAX), CUBLAS_STATUS_ALLOC_FAILED);
    IS(cublasDtrmm(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 1, INT_MAX, &done, (double *)p, INT_MAX, (double *)p, 1, (double *)p, 1), CUBLAS_STATUS_ALLOC_FAILED);
    IS(cublasCsscal(h, 1, &one, (cuComplex *)p, INT_MAX), CUBLAS_STATUS_INVALID_VALUE);
    IS(cublasSdot(h, INT_MIN, p, 1, p, 1, &sum), CUBLAS_STATUS_SUCCESS);
    CHECK(sum == 0);
    IS(cublasSger(h, 1, 1 << 17, &one, p, 1, p, 0, p, 1), CUBLAS_STATUS_INVALID_VALUE);
    IS(cublasSetVector(INT_MAX, INT_MAX, p, INT_MAX, p, INT_MAX), CUBLAS_STATUS_MAPPING_ERROR);
    IS(cublasSetMatrix(INT_MAX, INT_MAX, INT_MAX, p, INT_MAX, p, INT_MAX), CUBLAS_STATUS_MAPPING_ERROR);
    IS(cublasGetMatrix(4, 4, 0, p, 4, &sum, 4), CUBLAS_STATUS_INVALID_VALUE);
    /* a rank-1 update with more columns than a grid has rows */
    dev<float> x(std::vector<float>(1, 2)), y(std::vector<float>(1 << 17, 3)), a(std::vector<float>(1 << 17, 1));
    IS(cublasSger(h, 1, 1 << 17, &one, x.p, 1, y.p, 1, a.p, 1), CUBLAS_STATUS_SUCCESS);
    check_equal("a long rank-1 update", a.get(), std::vector<float>(1 << 17, 7));
    IS(cublasDestroy(h), CUBLAS_STATUS_SUCCESS);
    IS(cublasDestroy(nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
}

static void light(float *p)
{
    cublasLtHandle_t h;
    cublasLtMatmulDesc_t d;
    const float one = 1;
    IS(cublasLtCreate(&h), CUBLAS_STATUS_SUCCESS);
    IS(cublasLtMatmulDescCreate(&d, CUBLAS_COMPUTE_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
    const int64_t wrong[] = {0, 3, -4, 1ll << 31, (1ll << 32) + 4, INT64_MIN, INT64_MAX};
    for (int64_t ld : wrong)
        for (int which = 0; which < 4; which++) {
            cublasLtMatrixLayout_t l[4];
            for (int k = 0; k < 4; k++)
                IS(cublasLtMatrixLayoutCreate(&l[k], CUDA_R_32F, 4, 4, k == which ? ld : 4), CUBLAS_STATUS_SUCCESS);
            IS(cublasLtMatmul(h, d, &one, p, l[0], p, l[1], &one, p, l[2], p, l[3], nullptr, nullptr, 0, 0), CUBLAS_STATUS_INVALID_VALUE);
            for (int k = 0; k < 4; k++)
                IS(cublasLtMatrixLayoutDestroy(l[k]), CUBLAS_STATUS_SUCCESS);
        }
    for (int batch : {-1, INT_MIN, 2})
        for (int which = 0; which < 4; which++) {
            cublasLtMatrixLayout_t l[4];
            for (int k = 0; k < 4; k++) {
                IS(cublasLtMatrixLayoutCreate(&l[k], CUDA_R_32F, 4, 4, 4), CUBLAS_STATUS_SUCCESS);
                if (k == which)
                    IS(cublasLtMatrixLayoutSetAttribute(l[k], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch), CUBLAS_STATUS_SUCCESS);
            }
            IS(cublasLtMatmul(h, d, &one, p, l[0], p, l[1], &one, p, l[2], p, l[3], nullptr, nullptr, 0, 0), CUBLAS_STATUS_INVALID_VALUE);
            for (int k = 0; k < 4; k++)
                IS(cublasLtMatrixLayoutDestroy(l[k]), CUBLAS_STATUS_SUCCESS);
        }
    uint64_t rows = UINT64_MAX;
    IS(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_TRANSA, &rows, 1000), CUBLAS_STATUS_INVALID_VALUE);
    IS(cublasLtMatmulDescSetAttribute(d, (cublasLtMatmulDescAttributes_t)9999, &rows, 4), CUBLAS_STATUS_NOT_SUPPORTED);
    cublasLtMatmulDescDestroy(d);
    IS(cublasLtDestroy(h), CUBLAS_STATUS_SUCCESS);
}

static void random_numbers(float *p)
{
    curandGenerator_t g;
    std::vector<float> host(16);
    IS(curandCreateGenerator(&g, (curandRngType_t)12345), CURAND_STATUS_TYPE_ERROR);
    IS(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10), CURAND_STATUS_SUCCESS);
    for (size_t n : {1ull << 62, 1ull << 63, ~0ull, ~0ull - 1})
        IS(curandGenerateUniform(g, host.data(), n), CURAND_STATUS_ALLOCATION_FAILED);
    IS(curandGenerateUniform(g, nullptr, 4), CURAND_STATUS_OUT_OF_RANGE);
    IS(curandGeneratePoisson(g, (unsigned *)host.data(), 4, -1), CURAND_STATUS_OUT_OF_RANGE);
    IS(curandGeneratePoisson(g, (unsigned *)host.data(), 4, 0.0 / 0.0), CURAND_STATUS_OUT_OF_RANGE);
    IS(curandGenerateUniform(g, host.data(), 16), CURAND_STATUS_SUCCESS);
    IS(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
    IS(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_SUCCESS);
    IS(curandSetQuasiRandomGeneratorDimensions(g, 0), CURAND_STATUS_OUT_OF_RANGE);
    IS(curandSetQuasiRandomGeneratorDimensions(g, UINT_MAX), CURAND_STATUS_OUT_OF_RANGE);
    IS(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
}

static nvrtcResult compile(const char *name, int n_header, const char *const *headers, const char *const *names, int n, const char *const *options, const char *source)
{
    nvrtcProgram p;
    nvrtcResult r = nvrtcCreateProgram(&p, source, name, n_header, headers, names);
    if (r)
        return r;
    r = nvrtcCompileProgram(p, n, options);
    size_t bytes = 0;
    CHECK(nvrtcGetProgramLogSize(p, &bytes) == NVRTC_SUCCESS);
    std::string log(bytes, ' ');
    CHECK(nvrtcGetProgramLog(p, &log[0]) == NVRTC_SUCCESS);
    CHECK(!r || r == NVRTC_ERROR_INVALID_INPUT || bytes > 1);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    return r;
}

static void compiler()
{
    const char *const kernel = "__global__ void k(int *p) { *p = 1; }\n";
    const char *missing[] = {nullptr}, *stdin_too[] = {"-"}, *unknown[] = {"--no-such-option"}, *response[] = {"@/dev/zero"}, *odd[] = {"-arch=sm_9999"};
    std::string length(1 << 20, 'x');
    const char *large[] = {length.c_str()};
    IS(compile("a.cu", 0, nullptr, nullptr, 1, missing, kernel), NVRTC_ERROR_INVALID_INPUT);
    IS(compile("a.cu", 0, nullptr, nullptr, -1, missing, kernel), NVRTC_ERROR_INVALID_INPUT);
    IS(compile("a.cu", 0, nullptr, nullptr, INT_MAX, nullptr, kernel), NVRTC_ERROR_INVALID_INPUT);
    IS(compile("a.cu", 0, nullptr, nullptr, 1, unknown, kernel), NVRTC_ERROR_INVALID_OPTION);
    IS(compile("a.cu", 0, nullptr, nullptr, 1, odd, kernel), NVRTC_ERROR_INVALID_OPTION);
    for (const char **o : {stdin_too, response, large})
        CHECK(compile("a.cu", 0, nullptr, nullptr, 1, o, kernel) != NVRTC_SUCCESS);
    /* headers by the names of what weir keeps in its folder, and names that a string of C has to escape */
    const char *texts[] = {"#define A 1\n", "#define B 1\n", "#define C 1\n"}, *names[] = {"log", "source.cu", "out.ptx"};
    IS(compile("a.cu", 3, texts, names, 0, nullptr, "#include \"log\"\n#include \"source.cu\"\n#include <out.ptx>\n__global__ void k(int *p) { *p = A + B + C; }\n"), NVRTC_SUCCESS);
    for (const char *name : {"a\"b.cu", "a\\b.cu", "a\nb.cu", "\"\n#error no\n\"", "\x1b[31m.cu", "%s%n.cu"})
        IS(compile(name, 0, nullptr, nullptr, 0, nullptr, kernel), NVRTC_SUCCESS);
    const char *outside[] = {"/tmp/x.h"}, *above[] = {"../x.h"};
    IS(compile("a.cu", 1, texts, outside, 0, nullptr, kernel), NVRTC_ERROR_INVALID_INPUT);
    IS(compile("a.cu", 1, texts, above, 0, nullptr, kernel), NVRTC_ERROR_INVALID_INPUT);
    IS(compile("a.cu", -1, texts, names, 0, nullptr, kernel), NVRTC_ERROR_INVALID_INPUT);
    IS(compile("a.cu", 0, nullptr, nullptr, 0, nullptr, ""), NVRTC_SUCCESS);
}

int main()
{
    dev<float> p(64);
    blas(p.p);
    light(p.p);
    random_numbers(p.p);
    compiler();
    CHECK(bad == 0);
    return check_result();
}
