// cuBLAS: all levels against loops on the host. Sums that run in one order are compared bit by bit, those of a reduction
// within a bound.
// only: clang
// flags: -lcublas
#include "check.h"

#include <cmath>
#include <complex>
#include <cublas_v2.h>

#define BLAS(call) CHECK((call) == CUBLAS_STATUS_SUCCESS)
typedef std::complex<float> cf;
typedef std::complex<double> cd;

static unsigned seed = 1;
static double random_number()
{
    seed = seed * 1664525 + 1013904223;
    return (int)(seed >> 8) / (double)(1 << 23) - 1;
}
template <typename T> struct make { static T value() { return (T)random_number(); } };
template <typename R> struct make<std::complex<R>> { static std::complex<R> value() { R re = (R)random_number(); return {re, (R)random_number()}; } };
template <typename T> static std::vector<T> numbers(size_t n)
{
    std::vector<T> v(n);
    for (auto &x : v)
        x = make<T>::value();
    return v;
}
static float fused(float a, float b, float c) { return std::fma(a, b, c); }
static double fused(double a, double b, double c) { return std::fma(a, b, c); }
template <typename R> static std::complex<R> fused(std::complex<R> a, std::complex<R> b, std::complex<R> c)
{
    R re = std::fma(a.real(), b.real(), c.real()), im = std::fma(a.real(), b.imag(), c.imag());
    return {std::fma(-a.imag(), b.imag(), re), std::fma(a.imag(), b.real(), im)};
}
template <typename T> static T turned(const std::vector<T> &a, int i, int j, int ld, cublasOperation_t op) { return op ? a[j + (size_t)i * ld] : a[i + (size_t)j * ld]; }
template <typename R> static std::complex<R> turned(const std::vector<std::complex<R>> &a, int i, int j, int ld, cublasOperation_t op)
{
    auto v = op ? a[j + (size_t)i * ld] : a[i + (size_t)j * ld];
    return op == CUBLAS_OP_C ? std::conj(v) : v;
}
// alpha op(A) op(B) + beta C, in the documented order.
template <typename T> static std::vector<T> product(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, T alpha, const std::vector<T> &a, int lda, const std::vector<T> &b, int ldb, T beta, std::vector<T> c, int ldc)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            T sum = T(0);
            for (int p = 0; p < k; p++)
                sum = fused(turned(a, i, p, lda, ta), turned(b, p, j, ldb, tb), sum);
            T &x = c[i + (size_t)j * ldc];
            sum = fused(alpha, sum, T(0));
            x = beta == T(0) ? sum : fused(beta, x, sum);
        }
    return c;
}
static auto gemm_of(float) { return cublasSgemm; }
static auto gemm_of(double) { return cublasDgemm; }
static auto gemm_of(cf) { return [](cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const cf *f, const cf *a, int lda, const cf *b, int ldb, const cf *g, cf *c, int ldc) { return cublasCgemm(h, ta, tb, m, n, k, (cuComplex *)f, (cuComplex *)a, lda, (cuComplex *)b, ldb, (cuComplex *)g, (cuComplex *)c, ldc); }; }
static auto gemm_of(cd) { return [](cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const cd *f, const cd *a, int lda, const cd *b, int ldb, const cd *g, cd *c, int ldc) { return cublasZgemm(h, ta, tb, m, n, k, (cuDoubleComplex *)f, (cuDoubleComplex *)a, lda, (cuDoubleComplex *)b, ldb, (cuDoubleComplex *)g, (cuDoubleComplex *)c, ldc); }; }

template <typename T> static void products(cublasHandle_t h, int m, int n, int k, cublasOperation_t ta, cublasOperation_t tb)
{
    const int lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 1, ldc = m + 2;
    auto a = numbers<T>(lda * (size_t)(ta ? m : k)), b = numbers<T>(ldb * (size_t)(tb ? k : n)), c = numbers<T>(ldc * (size_t)n);
    const T alpha = make<T>::value(), beta = make<T>::value();
    dev<T> da(a), db(b), dc(c);
    BLAS(gemm_of(T())(h, ta, tb, m, n, k, &alpha, (T *)da, lda, (T *)db, ldb, &beta, (T *)dc, ldc));
    auto got = dc.get(), want = product(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    CHECK(!memcmp(got.data(), want.data(), want.size() * sizeof(T)));
}

static void batches(cublasHandle_t h)
{
    const int m = 33, n = 17, k = 20, count = 3;
    auto a = numbers<float>(m * k * count), b = numbers<float>(k * n * count);
    dev<float> da(a), db(b), dc(std::vector<float>(m * n * count, NAN)), dd(std::vector<float>(m * n * count, NAN));
    const float one = 1, zero = 0;
    BLAS(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, da, m, m * k, db, k, k * n, &zero, dc, m, m * n, count));
    std::vector<float *> pa, pb, pd;
    for (int i = 0; i < count; i++) {
        pa.push_back((float *)da + i * m * k);
        pb.push_back((float *)db + i * k * n);
        pd.push_back((float *)dd + i * m * n);
    }
    dev<float *> la(pa), lb(pb), ld(pd);
    BLAS(cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, (const float *const *)(float **)la, m, (const float *const *)(float **)lb, k, &zero, (float **)ld, m, count));
    std::vector<float> want;
    for (int i = 0; i < count; i++) {
        auto w = product(CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, one, std::vector<float>(a.begin() + i * m * k, a.begin() + (i + 1) * m * k), m,
                         std::vector<float>(b.begin() + i * k * n, b.begin() + (i + 1) * k * n), k, zero, std::vector<float>(m * n), m);
        want.insert(want.end(), w.begin(), w.end());
    }
    check_equal("strided", dc.get(), want);
    check_equal("by pointers", dd.get(), want);
}

static void vectors(cublasHandle_t h)
{
    const int n = 5000;
    auto x = numbers<float>(2 * n), y = numbers<float>(n);
    dev<float> dx(x), dy(y);
    float alpha = 0.7f, result, norm;
    std::vector<float> want = y;
    for (int i = 0; i < n; i++)
        want[i] = fused(alpha, x[2 * i], y[i]);
    BLAS(cublasSaxpy(h, n, &alpha, dx, 2, dy, 1));
    check_equal("axpy", dy.get(), want);
    double dot = 0, size = 0, square = 0;
    int most = 0, least = 0, at;
    for (int i = 0; i < n; i++) {
        dot += (double)x[2 * i] * want[i];
        size += std::fabs(want[i]);
        square += (double)want[i] * want[i];
        most = std::fabs(want[i]) > std::fabs(want[most]) ? i : most;
        least = std::fabs(want[i]) < std::fabs(want[least]) ? i : least;
    }
    BLAS(cublasSdot(h, n, dx, 2, dy, 1, &result));
    CHECK(std::fabs(result - dot) < 1e-4 * size);
    BLAS(cublasSnrm2(h, n, dy, 1, &norm));
    CHECK(norm == (float)std::sqrt(square));
    BLAS(cublasSasum(h, n, dy, 1, &norm));
    CHECK(std::fabs(norm - size) < 1e-6 * size);
    BLAS(cublasIsamax(h, n, dy, 1, &at));
    CHECK(at == most + 1);
    BLAS(cublasIsamin(h, n, dy, 1, &at));
    CHECK(at == least + 1);
    // Results and scalars in device memory.
    dev<float> d(std::vector<float>{2.0f, 0.0f});
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(cublasSdot(h, n, dx, 2, dy, 1, (float *)d + 1));
    BLAS(cublasSscal(h, n, d, dy, 1));
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    CHECK(d.get()[1] == result);
    for (auto &v : want)
        v *= 2;
    check_equal("scal", dy.get(), want);
    BLAS(cublasSswap(h, n, dx, 2, dy, -1));
    std::vector<float> backward(n);
    for (int i = 0; i < n; i++)
        backward[i] = x[2 * (n - 1 - i)];
    check_equal("swap", dy.get(), backward);
    CHECK(cublasSaxpy(nullptr, n, &alpha, dx, 2, dy, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
}

static void matrices(cublasHandle_t h)
{
    const int m = 70, n = 45;
    auto a = numbers<double>(m * n), x = numbers<double>(m), y = numbers<double>(m);
    dev<double> da(a), dx(x), dy(y);
    double alpha = 1.25, beta = -0.5;
    auto want = y;
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum = fused(a[i + j * m], x[j], sum);
        want[i] = fused(beta, y[i], alpha * sum);
    }
    BLAS(cublasDgemv(h, CUBLAS_OP_N, m, n, &alpha, da, m, dx, 1, &beta, dy, 1));
    check_equal("gemv", dy.get(), want);
    BLAS(cublasDgemv(h, CUBLAS_OP_T, m, n, &alpha, da, m, dx, 1, &beta, dy, 1));
    auto got = dy.get();
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            sum += a[i + j * m] * x[i];
        CHECK(std::fabs(got[j] - (alpha * sum + beta * want[j])) < 1e-12 * m);
    }
    // What trsm solves, trmm multiplies back; trsv is one column of it.
    for (int side = 0; side < 2; side++)
        for (int upper = 0; upper < 2; upper++)
            for (int op = 0; op < 3; op++)
                for (int unit = 0; unit < 2; unit++) {
                    const int rows = 24, columns = 19, order = side ? columns : rows;
                    auto t = numbers<cd>(order * order);
                    for (int i = 0; i < order; i++)
                        t[i + i * order] += 8.0;
                    for (auto &v : t)
                        v *= 0.3;
                    auto b = numbers<cd>(rows * columns);
                    dev<cd> dt(t), db(b), dc(b);
                    const cuDoubleComplex one = {1, 0}, *pt = (cuDoubleComplex *)(cd *)dt;
                    cuDoubleComplex *pb = (cuDoubleComplex *)(cd *)db, *pc = (cuDoubleComplex *)(cd *)dc;
                    const auto s = (cublasSideMode_t)side;
                    const auto u = (cublasFillMode_t)upper;
                    const auto o = (cublasOperation_t)op;
                    const auto d = (cublasDiagType_t)unit;
                    BLAS(cublasZtrsm(h, s, u, o, d, rows, columns, &one, pt, order, pb, rows));
                    BLAS(cublasZtrmm(h, s, u, o, d, rows, columns, &one, pt, order, pb, rows, pc, rows));
                    auto back = dc.get();
                    double worst = 0;
                    for (size_t i = 0; i < back.size(); i++)
                        worst = std::max(worst, std::abs(back[i] - b[i]));
                    CHECK(worst < 1e-10);
                    if (!side) {
                        dev<cd> dv(std::vector<cd>(b.begin(), b.begin() + rows));
                        BLAS(cublasZtrsv(h, u, o, d, rows, pt, rows, (cuDoubleComplex *)(cd *)dv, 1));
                        CHECK(!memcmp(dv.get().data(), db.get().data(), rows * sizeof(cd)));
                    }
                }
    // One half of A A', and the half with the rest of it as a symmetric matrix.
    auto c = numbers<float>(n * n), f = numbers<float>(n * m);
    dev<float> dc(c), df(f);
    const float one = 1, zero = 0;
    BLAS(cublasSsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, m, &one, df, n, &zero, dc, n));
    auto full = product(CUBLAS_OP_N, CUBLAS_OP_T, n, n, m, one, f, n, f, n, zero, std::vector<float>(n * n), n);
    auto half = dc.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            CHECK(half[i + j * n] == (i <= j ? full[i + j * n] : c[i + j * n]));
    dev<float> de(std::vector<float>(n * m));
    BLAS(cublasSsymm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, n, m, &one, dc, n, df, n, &zero, de, n));
    check_equal("symm", de.get(), product(CUBLAS_OP_N, CUBLAS_OP_N, n, m, n, one, full, n, f, n, zero, std::vector<float>(n * m), n));
    dev<float> dg(std::vector<float>(m * n));
    BLAS(cublasSgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, df, n, &zero, dg, m, dg, m));
    auto turned_f = dg.get();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            CHECK(turned_f[i + j * m] == f[j + i * n]);
}

int main()
{
    cublasHandle_t h;
    cudaStream_t s, same;
    BLAS(cublasCreate(&h));
    cudaStreamCreate(&s);
    BLAS(cublasSetStream(h, s));
    BLAS(cublasGetStream(h, &same));
    CHECK(same == s);
    const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    for (auto ta : ops)
        for (auto tb : ops)
            if (ta != CUBLAS_OP_C || tb != CUBLAS_OP_T)
                products<float>(h, 37, 41, 29, ta, tb);
    products<float>(h, 1500, 1450, 9, CUBLAS_OP_N, CUBLAS_OP_N); // the largest tile
    products<float>(h, 64, 64, 0, CUBLAS_OP_N, CUBLAS_OP_N);
    products<double>(h, 33, 70, 40, CUBLAS_OP_T, CUBLAS_OP_N);
    products<cf>(h, 20, 35, 18, CUBLAS_OP_C, CUBLAS_OP_N);
    products<cd>(h, 20, 35, 18, CUBLAS_OP_N, CUBLAS_OP_C);
    batches(h);
    vectors(h);
    matrices(h);
    const float one = 1;
    CHECK(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, nullptr, 7, nullptr, 8, &one, nullptr, 8) == CUBLAS_STATUS_INVALID_VALUE);
    BLAS(cublasDestroy(h));
    return check_result();
}
