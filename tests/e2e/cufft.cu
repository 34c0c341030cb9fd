// cuFFT: every kind of plan against sums in long double. Bounds: the largest error of an element, as a part of the largest
// element, stays below 4e-7 in single and 8e-16 in double precision; of two transforms, there and back, twice that.
// only: clang
// flags: -lcufft
#include "check.h"

#include <complex>
#include <cufftXt.h>

#define FFT(call) CHECK((call) == CUFFT_SUCCESS)
typedef std::complex<long double> wide;
typedef std::vector<wide> wides;

static double worst[2]; // single, double

// Along one axis of a dense array, every line by its sum.
static wides along(const wides &x, const std::vector<int> &n, size_t axis, int sign)
{
    size_t inner = 1;
    for (size_t d = axis + 1; d < n.size(); d++)
        inner *= n[d];
    const size_t len = n[axis];
    wides root(len), y(x.size());
    for (size_t k = 0; k < len; k++)
        root[k] = std::polar(1.0L, sign * 2 * acosl(-1) * k / len);
    for (size_t i = 0; i < x.size(); i++) {
        const size_t k = i / inner % len, first = i - k * inner;
        wide sum = 0;
        for (size_t j = 0; j < len; j++)
            sum += x[first + j * inner] * root[j * k % len];
        y[i] = sum;
    }
    return y;
}
static wides transformed(wides x, const std::vector<int> &n, int sign)
{
    for (size_t d = 0; d < n.size(); d++)
        x = along(x, n, d, sign);
    return x;
}

// How the elements of a side are placed: what cufftPlanMany is told, or nothing.
struct place {
    std::vector<int> embed;
    int stride, distance;
};
static size_t at(const std::vector<int> &n, const std::vector<int> &extent, const place &p, size_t problem, size_t i)
{
    size_t offset = 0, scale = p.stride;
    for (size_t d = n.size(); d-- > 0;) {
        offset += i % extent[d] * scale;
        i /= extent[d];
        scale *= p.embed[d];
    }
    return offset + problem * p.distance;
}
static size_t extent_of(const std::vector<int> &n, const place &p, int batch) // elements to the end of the last problem
{
    size_t all = 1;
    for (int x : n)
        all *= x;
    return std::max((size_t)p.distance * batch, at(n, n, p, batch - 1, all - 1) + 1);
}
static size_t product(const std::vector<int> &n)
{
    size_t all = 1;
    for (int x : n)
        all *= x;
    return all;
}

template <typename R> struct names;
template <> struct names<float> {
    typedef cufftComplex complex;
    static constexpr cufftType c2c = CUFFT_C2C, r2c = CUFFT_R2C, c2r = CUFFT_C2R;
    static cufftResult run(cufftHandle h, complex *a, complex *b, int sign) { return cufftExecC2C(h, a, b, sign); }
    static cufftResult run(cufftHandle h, float *a, complex *b) { return cufftExecR2C(h, a, b); }
    static cufftResult run(cufftHandle h, complex *a, float *b) { return cufftExecC2R(h, a, b); }
};
template <> struct names<double> {
    typedef cufftDoubleComplex complex;
    static constexpr cufftType c2c = CUFFT_Z2Z, r2c = CUFFT_D2Z, c2r = CUFFT_Z2D;
    static cufftResult run(cufftHandle h, complex *a, complex *b, int sign) { return cufftExecZ2Z(h, a, b, sign); }
    static cufftResult run(cufftHandle h, double *a, complex *b) { return cufftExecD2Z(h, a, b); }
    static cufftResult run(cufftHandle h, complex *a, double *b) { return cufftExecZ2D(h, a, b); }
};

template <typename R> static void compare(const char *what, const std::vector<int> &n, const wides &got, const wides &want, int transforms = 1)
{
    long double most = 0, off = 0;
    for (size_t i = 0; i < want.size(); i++) {
        most = std::max(most, std::abs(want[i]));
        const long double e = std::abs(got[i] - want[i]);
        off = e <= off ? off : e; // a NaN stays
    }
    double &bound = worst[sizeof(R) == 8], error = (double)(off / most / transforms);
    bound = std::max(bound, error);
    if (!(error < (sizeof(R) == 8 ? 8e-16 : 4e-7))) {
        check_failures++;
        fprintf(stderr, "%s %zu-byte, %d x ... (%zu points): error %g\n", what, sizeof(R), n[0], product(n), error);
    }
}

template <typename R> static R number(rng &r) { return (R)(sizeof(R) == 8 ? r.next() / 2147483648.0 - 1 : r.uniform(-1, 1)); }

template <typename R> static cufftHandle plan(const std::vector<int> &n, cufftType type, int batch, const place *in, const place *out)
{
    cufftHandle h = 0;
    int *dims = (int *)n.data();
    if (in)
        FFT(cufftPlanMany(&h, n.size(), dims, (int *)in->embed.data(), in->stride, in->distance, (int *)out->embed.data(), out->stride,
                          out->distance, type, batch));
    else if (n.size() == 1)
        FFT(cufftPlan1d(&h, n[0], type, batch));
    else if (batch > 1)
        FFT(cufftPlanMany(&h, n.size(), dims, NULL, 0, 0, NULL, 0, 0, type, batch));
    else
        FFT(n.size() == 2 ? cufftPlan2d(&h, n[0], n[1], type) : cufftPlan3d(&h, n[0], n[1], n[2], type));
    return h;
}

template <typename R> static void complex_plan(const std::vector<int> &n, int batch, bool in_place, const place *in = NULL, const place *out = NULL)
{
    typedef typename names<R>::complex C;
    const size_t all = product(n);
    const place dense = {n, 1, (int)all}, &from = in ? *in : dense, &to = out ? *out : dense;
    rng r(all + batch);
    std::vector<C> x(extent_of(n, from, batch)), y(extent_of(n, to, batch), C{77, 77});
    for (auto &z : x)
        z.x = number<R>(r), z.y = number<R>(r);
    dev<C> a(x), b(y);
    cufftHandle h = plan<R>(n, names<R>::c2c, batch, in, out);
    for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        a.put(x);
        b.put(y);
        FFT(names<R>::run(h, a, in_place ? (C *)a : (C *)b, sign));
        auto result = in_place ? a.get() : b.get();
        if (!in_place)
            check_equal("input", a.get(), x);
        std::vector<bool> written(result.size());
        for (int p = 0; p < batch; p++) {
            wides line(all), got(all);
            for (size_t i = 0; i < all; i++) {
                const C z = x[at(n, n, from, p, i)], g = result[at(n, n, to, p, i)];
                line[i] = {z.x, z.y}, got[i] = {g.x, g.y};
                written[at(n, n, to, p, i)] = true;
            }
            compare<R>("complex", n, got, transformed(line, n, sign));
        }
        for (size_t i = 0; i < result.size() && !in_place; i++)
            CHECK(written[i] || (result[i].x == 77 && result[i].y == 77));
    }
    FFT(cufftDestroy(h));
}

template <typename R> static void real_plan(const std::vector<int> &n, int batch, bool in_place, const place *reals = NULL, const place *numbers = NULL)
{
    typedef typename names<R>::complex C;
    std::vector<int> half = n, padded = n;
    half.back() = n.back() / 2 + 1;
    padded.back() = 2 * half.back();
    const std::vector<int> &rows = in_place ? padded : n;
    const size_t all = product(n), kept = product(half);
    const place dense = {rows, 1, (int)product(rows)}, dense_half = {half, 1, (int)kept};
    const place &from = reals ? *reals : dense, &to = numbers ? *numbers : dense_half;
    rng r(all + batch);
    std::vector<R> x(from.distance * batch);
    for (auto &z : x)
        z = number<R>(r);
    const size_t count = std::max((x.size() + 1) / 2, (size_t)to.distance * batch);
    dev<C> a(count), b(count);
    CUDA(cudaMemcpy((C *)a, x.data(), x.size() * sizeof(R), cudaMemcpyHostToDevice));
    C *other = in_place ? (C *)a : (C *)b;
    cufftHandle h = plan<R>(n, names<R>::r2c, batch, reals, numbers);
    FFT(names<R>::run(h, (R *)(C *)a, other));
    FFT(cufftDestroy(h));
    auto result = in_place ? a.get() : b.get();
    std::vector<wides> lines;
    for (int p = 0; p < batch; p++) {
        wides line(all), got(kept), want(kept);
        for (size_t i = 0; i < all; i++)
            line[i] = x[at(n, n, from, p, i)];
        lines.push_back(line);
        line = transformed(line, n, -1);
        for (size_t i = 0; i < kept; i++) {
            const C g = result[at(n, half, to, p, i)];
            got[i] = {g.x, g.y};
            want[i] = line[i / half.back() * n.back() + i % half.back()];
        }
        compare<R>("real", n, got, want);
    }
    // And back: n times the input.
    CUDA(cudaMemset(in_place ? (C *)b : (C *)a, 0, count * sizeof(C)));
    h = plan<R>(n, names<R>::c2r, batch, numbers, reals);
    FFT(names<R>::run(h, other, (R *)(C *)a));
    FFT(cufftDestroy(h));
    if (!in_place)
        check_equal("half of a Hermitian array", b.get(), result);
    std::vector<R> back(x.size());
    CUDA(cudaMemcpy(back.data(), (C *)a, back.size() * sizeof(R), cudaMemcpyDeviceToHost));
    for (int p = 0; p < batch; p++) {
        wides got(all);
        for (size_t i = 0; i < all; i++) {
            got[i] = back[at(n, n, from, p, i)] / (long double)all;
        }
        compare<R>("back to real", n, got, lines[p], 2);
    }
}

template <typename R> static void kinds()
{
    for (int n : {1, 2, 3, 5, 7, 8, 16, 24, 60, 105, 128, 243, 1000, 1024})
        complex_plan<R>({n}, n < 200 ? 5 : 1, n % 2);
    for (int n : {11, 13, 34, 101})
        complex_plan<R>({n}, 3, n == 13); // by convolution
    const int most = sizeof(R) == 8 ? 1500 : 3000;
    complex_plan<R>({4 * (most / 3)}, 2, true); // two launches: smooth,
    complex_plan<R>({sizeof(R) == 8 ? 2 * 509 : 2 * 1009}, 1, false); // and with a large prime factor
    complex_plan<R>({16, 12}, 1, false);
    complex_plan<R>({9, 10}, 3, true);
    complex_plan<R>({6, 4, 10}, 1, true);
    complex_plan<R>({3, 11, 8}, 2, false);
    const place in = {{99, 9, 12}, 2, 1500}, out = {{99, 8, 10}, 3, 1400};
    complex_plan<R>({4, 6, 10}, 2, false, &in, &out);
    const place interleaved = {{20}, 3, 1};
    complex_plan<R>({20}, 3, true, &interleaved, &interleaved);

    for (int n : {1, 2, 9, 11, 30, 64, 100})
        for (bool in_place : {false, true})
            real_plan<R>({n}, 4, in_place);
    for (bool in_place : {false, true}) {
        real_plan<R>({12, 10}, 1, in_place);
        real_plan<R>({7, 9}, 2, in_place);
        real_plan<R>({4, 6, 5}, 1, in_place);
        real_plan<R>({4 * (most / 3)}, 1, in_place);
        real_plan<R>({2, 5 * (most / 4)}, 1, in_place);
    }
    const place reals = {{99, 14}, 1, 130}, numbers = {{99, 8}, 2, 150};
    real_plan<R>({8, 12}, 3, false, &reals, &numbers);
}

static void handles()
{
    cufftHandle h, other;
    size_t bytes = 1, told = 0;
    int version, n[] = {64, 4000}, prime[] = {104729};
    FFT(cufftGetVersion(&version));
    CHECK(version == CUFFT_VERSION);
    CHECK(cufftExecC2C(0, NULL, NULL, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    CHECK(cufftPlan1d(&h, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&h, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&h, 8, (cufftType)3, 1) == CUFFT_INVALID_TYPE);
    CHECK(cufftPlanMany(&h, 4, n, NULL, 0, 0, NULL, 0, 0, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
    CHECK(cufftPlanMany(&h, 1, prime, NULL, 0, 0, NULL, 0, 0, CUFFT_C2C, 1) == CUFFT_NOT_SUPPORTED);

    FFT(cufftCreate(&h));
    CHECK(cufftExecC2C(h, (cufftComplex *)&h, (cufftComplex *)&h, CUFFT_FORWARD) == CUFFT_INVALID_PLAN); // not made
    FFT(cufftSetAutoAllocation(h, 0));
    FFT(cufftMakePlanMany(h, 2, n, NULL, 0, 0, NULL, 0, 0, CUFFT_Z2D, 1, &bytes));
    FFT(cufftGetSize(h, &told));
    CHECK(bytes == told && bytes >= 64 * 2001 * 16);
    FFT(cufftEstimate2d(n[0], n[1], CUFFT_Z2D, &told));
    CHECK(bytes == told);
    CHECK(cufftMakePlan1d(h, 8, CUFFT_C2C, 1, &bytes) == CUFFT_INVALID_PLAN); // made already
    dev<double> data(2);
    CHECK(cufftExecC2C(h, (cufftComplex *)(double *)data, (cufftComplex *)(double *)data, CUFFT_FORWARD) == CUFFT_INVALID_TYPE);
    CHECK(cufftExecZ2D(h, (cufftDoubleComplex *)(double *)data, data) == CUFFT_NO_WORKSPACE);
    FFT(cufftDestroy(h));
    CHECK(cufftDestroy(h) == CUFFT_INVALID_PLAN);

    // The other interface.
    long long size = 8;
    std::vector<double> ones(8, 1.0);
    dev<double> real(ones);
    dev<cufftDoubleComplex> half(5);
    FFT(cufftCreate(&h));
    CHECK(cufftXtMakePlanMany(h, 1, &size, NULL, 1, 1, CUDA_C_16F, NULL, 1, 1, CUDA_C_16F, 1, &bytes, CUDA_C_16F) == CUFFT_NOT_SUPPORTED);
    FFT(cufftXtMakePlanMany(h, 1, &size, NULL, 1, 1, CUDA_R_64F, NULL, 1, 1, CUDA_C_64F, 1, &bytes, CUDA_C_64F));
    FFT(cufftXtExec(h, real, half, CUFFT_FORWARD));
    auto sums = half.get();
    for (int i = 0; i < 5; i++)
        CHECK(sums[i].x == (i ? 0 : 8) && sums[i].y == 0);
    FFT(cufftDestroy(h));

    // Two plans, one in a stream, one in a graph.
    std::vector<cufftComplex> x(64, cufftComplex{1, 0});
    dev<cufftComplex> a(x), b(x);
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    FFT(cufftPlan1d(&h, 64, CUFFT_C2C, 1));
    FFT(cufftPlan1d(&other, 32, CUFFT_C2C, 2));
    FFT(cufftSetStream(h, s));
    FFT(cufftSetStream(other, s));
    FFT(cufftExecC2C(h, a, a, CUFFT_FORWARD));
    CHECK(cufftExecC2C(h, a, a, 0) == CUFFT_INVALID_VALUE);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FFT(cufftExecC2C(other, b, b, CUFFT_FORWARD));
    CUDA(cudaStreamEndCapture(s, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    auto one = a.get(), two = b.get();
    for (int i = 0; i < 64; i++) {
        CHECK(one[i].x == (i ? 0 : 64) && one[i].y == 0);
        CHECK(two[i].x == (i % 32 ? 0 : 32) && two[i].y == 0);
    }
    FFT(cufftDestroy(h));
    FFT(cufftDestroy(other));
}

int main()
{
    kinds<float>();
    kinds<double>();
    handles();
    fprintf(stderr, "largest error: %.2g single, %.2g double\n", worst[0], worst[1]);
    return check_result();
}
