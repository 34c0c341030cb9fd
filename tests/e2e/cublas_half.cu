// cuBLAS and cuBLASLt with half and bfloat16 on tensor cores, and the epilogues. Small whole numbers make every sum exact.
// only: clang
// flags: -lcublas -lcublasLt -arch=sm_80
// run: --gpu h200
#include "check.h"

#include <cmath>
#include <cublasLt.h>
#include <cuda_fp8.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>

#define BLAS(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)

static unsigned seed = 1;
static float small()
{
    seed = seed * 1664525 + 1013904223;
    return (float)((int)(seed >> 24) % 5 - 2);
}
static float wide(__half v) { return __half2float(v); }
static float wide(__nv_bfloat16 v) { return __bfloat162float(v); }
static float wide(float v) { return v; }
template <typename T> static std::vector<T> numbers(size_t n)
{
    std::vector<T> v(n);
    for (auto &x : v)
        x = T(small());
    return v;
}
template <typename T> struct type_of;
template <> struct type_of<__half> { static const cudaDataType value = CUDA_R_16F; };
template <> struct type_of<__nv_bfloat16> { static const cudaDataType value = CUDA_R_16BF; };
template <> struct type_of<float> { static const cudaDataType value = CUDA_R_32F; };

// What the sums are, before the epilogue.
template <typename T> static std::vector<float> sums(bool ta, bool tb, int m, int n, int k, const std::vector<T> &a, int lda, const std::vector<T> &b, int ldb)
{
    std::vector<float> c(m * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            for (int p = 0; p < k; p++)
                c[i + j * m] += wide(ta ? a[p + i * lda] : a[i + p * lda]) * wide(tb ? b[j + p * ldb] : b[p + j * ldb]);
    return c;
}

template <typename IN, typename OUT> static void product(cublasHandle_t h, bool ta, bool tb, int m, int n, int k, int pad)
{
    const int lda = (ta ? k : m) + pad, ldb = (tb ? n : k) + pad;
    auto a = numbers<IN>(lda * (ta ? m : k)), b = numbers<IN>(ldb * (tb ? k : n));
    auto c = numbers<OUT>(m * n);
    dev<IN> da(a), db(b);
    dev<OUT> dc(c);
    const float alpha = 2, beta = -1;
    BLAS(cublasGemmEx(h, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, (IN *)da, type_of<IN>::value, lda,
                      (IN *)db, type_of<IN>::value, ldb, &beta, (OUT *)dc, type_of<OUT>::value, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    auto sum = sums(ta, tb, m, n, k, a, lda, b, ldb);
    auto got = dc.get();
    for (int i = 0; i < m * n; i++)
        CHECK(wide(got[i]) == wide(OUT(2 * sum[i] - wide(c[i]))));
}

static float gelu(float x) { return 0.5f * x * (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x))); }
static float gelu_slope(float x)
{
    const float t = std::tanh(0.79788456f * (x + 0.044715f * x * x * x));
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.79788456f * (1 + 0.134145f * x * x);
}

template <typename IN> static void epilogue(cublasLtHandle_t h, cublasLtEpilogue_t which)
{
    const int m = 48, n = 32, k = 32;
    auto a = numbers<IN>(k * m), b = numbers<IN>(k * n), bias = numbers<IN>(m), aux = numbers<IN>(m * n);
    dev<IN> da(a), db(b), dbias(bias), dd(std::vector<IN>(m * n)), daux(aux);
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t la, lb, lc;
    cublasLtMatmulPreference_t pref;
    cublasLtMatmulHeuristicResult_t found;
    cublasOperation_t t = CUBLAS_OP_T;
    const float alpha = 0.25f, beta = 0;
    int n_found;
    const size_t none = 0;
    IN *p = dbias, *q = daux;
    int64_t ld = m;
    BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &which, sizeof which));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p, sizeof p));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &q, sizeof q));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld));
    CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, 1) == CUBLAS_STATUS_INVALID_VALUE);
    BLAS(cublasLtMatrixLayoutCreate(&la, type_of<IN>::value, k, m, k));
    BLAS(cublasLtMatrixLayoutCreate(&lb, type_of<IN>::value, k, n, k));
    BLAS(cublasLtMatrixLayoutCreate(&lc, type_of<IN>::value, m, n, m));
    BLAS(cublasLtMatmulPreferenceCreate(&pref));
    BLAS(cublasLtMatmulPreferenceSetAttribute(pref, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &none, sizeof none));
    BLAS(cublasLtMatmulAlgoGetHeuristic(h, desc, la, lb, lc, lc, pref, 1, &found, &n_found));
    CHECK(n_found == 1 && found.workspaceSize == 0);
    BLAS(cublasLtMatmul(h, desc, &alpha, (IN *)da, la, (IN *)db, lb, &beta, (IN *)dd, lc, (IN *)dd, lc, &found.algo, nullptr, 0, nullptr));
    auto sum = sums(true, false, m, n, k, a, k, b, k);
    auto got = dd.get(), kept = daux.get();
    const bool gives_bias = which & 4, gives_relu = which & 2, gives_gelu = which & 32, slope = which & 64;
    for (int i = 0; i < m * n; i++) {
        float v = 0.25f * sum[i] + (gives_bias ? wide(bias[i % m]) : 0);
        if ((which & 128) && !slope)
            CHECK(wide(kept[i]) == wide(IN(v)));
        v = gives_relu ? std::max(v, 0.0f) : gives_gelu ? gelu(v) : slope ? v * gelu_slope(wide(aux[i])) : v;
        CHECK(std::fabs(wide(got[i]) - v) <= 0.01f * std::fabs(v) + 1e-3f);
    }
    cublasLtMatmulPreferenceDestroy(pref);
    cublasLtMatrixLayoutDestroy(la);
    cublasLtMatrixLayoutDestroy(lb);
    cublasLtMatrixLayoutDestroy(lc);
    cublasLtMatmulDescDestroy(desc);
}

/* D = scale_d (alpha scale_a scale_b A^T B + beta scale_c C), and the largest before scale_d. Every number is exact. */
template <typename A, typename B, typename C, typename D>
static void eight_bits(cublasLtHandle_t h, cudaDataType ta, cudaDataType tb, cudaDataType tc, cudaDataType td, int m, int n, int k)
{
    std::vector<A> a(k * m);
    std::vector<B> b(k * n);
    std::vector<C> c(m * n);
    for (int i = 0; i < k * m; i++)
        a[i] = A((float)(i * 7 % 5 - 2));
    for (int i = 0; i < k * n; i++)
        b[i] = B((float)(i * 5 % 3 - 1));
    for (int i = 0; i < m * n; i++)
        c[i] = C((float)(i % 4));
    dev<A> da(a);
    dev<B> db(b);
    dev<C> dc(c);
    dev<D> dd(std::vector<D>(m * n));
    dev<float> scales(std::vector<float>{2, 0.5f, 4, 0.125f}), largest(std::vector<float>{-1});
    const float *at = scales, *scale[4] = {at, at + 1, at + 2, at + 3}, alpha = 2, beta = 0.5f;
    float *max_at = largest;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t la, lb, lc, ld;
    cublasOperation_t t = CUBLAS_OP_T, none = CUBLAS_OP_N;
    BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t));
    for (int i = 0; i < 4; i++)
        BLAS(cublasLtMatmulDescSetAttribute(desc, (cublasLtMatmulDescAttributes_t)(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER + i), &scale[i], sizeof scale[i]));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, &max_at, sizeof max_at));
    BLAS(cublasLtMatrixLayoutCreate(&la, ta, k, m, k));
    BLAS(cublasLtMatrixLayoutCreate(&lb, tb, k, n, k));
    BLAS(cublasLtMatrixLayoutCreate(&lc, tc, m, n, m));
    BLAS(cublasLtMatrixLayoutCreate(&ld, td, m, n, m));
    BLAS(cublasLtMatmul(h, desc, &alpha, (A *)da, la, (B *)db, lb, &beta, (C *)dc, lc, (D *)dd, ld, nullptr, nullptr, 0, nullptr));
    auto got = dd.get();
    float most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = 0;
            for (int x = 0; x < k; x++)
                sum += (float)a[i * k + x] * (float)b[j * k + x];
            const float v = 2 * sum + 2 * (float)c[j * m + i];
            most = std::max(most, std::fabs(v));
            CHECK((float)got[j * m + i] == (float)D(0.125f * v));
        }
    CHECK(largest.get()[0] == most);
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &none, sizeof none));
    CHECK(cublasLtMatmul(h, desc, &alpha, (A *)da, la, (B *)db, lb, &beta, (C *)dc, lc, (D *)dd, ld, nullptr, nullptr, 0, nullptr) == CUBLAS_STATUS_NOT_SUPPORTED);
    for (auto l : {la, lb, lc, ld})
        cublasLtMatrixLayoutDestroy(l);
    cublasLtMatmulDescDestroy(desc);
}

int main()
{
    cublasHandle_t h;
    cublasLtHandle_t light;
    BLAS(cublasCreate(&h));
    BLAS(cublasLtCreate(&light));
    for (int t = 0; t < 4; t++)
        product<__half, __half>(h, t & 1, t & 2, 72, 40, 48, t == 3 ? 1 : 0);
    product<__nv_bfloat16, float>(h, true, false, 65, 33, 50, 0);
    product<__nv_bfloat16, __nv_bfloat16>(h, false, false, 64, 64, 64, 0);
    product<float, float>(h, false, true, 30, 31, 32, 0);
    const __half two = 2.0f, zero = 0.0f;
    auto a = numbers<__half>(16 * 16);
    dev<__half> da(a), dc(std::vector<__half>(16 * 16));
    BLAS(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 16, 16, 16, &two, da, 16, da, 16, &zero, dc, 16));
    auto got = dc.get();
    auto want = sums(false, false, 16, 16, 16, a, 16, a, 16);
    for (int i = 0; i < 256; i++)
        CHECK(wide(got[i]) == 2 * want[i]);
    epilogue<__nv_bfloat16>(light, CUBLASLT_EPILOGUE_BIAS);
    epilogue<__nv_bfloat16>(light, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
    epilogue<__nv_bfloat16>(light, CUBLASLT_EPILOGUE_DGELU);
    epilogue<__half>(light, CUBLASLT_EPILOGUE_RELU_BIAS);
    epilogue<float>(light, CUBLASLT_EPILOGUE_GELU_BIAS);
    eight_bits<__nv_fp8_e4m3, __nv_fp8_e4m3, __nv_bfloat16, __nv_fp8_e4m3>(light, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_8F_E4M3, 64, 48, 64);
    eight_bits<__nv_fp8_e5m2, __nv_fp8_e4m3, float, float>(light, CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, CUDA_R_32F, CUDA_R_32F, 33, 17, 21);
    const float one = 1;
    CHECK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, (__half *)da, CUDA_R_8I, 8, (__half *)da, CUDA_R_8I, 8, &one, (__half *)dc, CUDA_R_32I, 8,
                       CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
    cublasLtDestroy(light);
    cublasDestroy(h);
    return check_result();
}
