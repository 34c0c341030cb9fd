// Templates: kernels over types, constants and functors; lambdas; a class shared by host and device; std functions.
// flags: --expt-relaxed-constexpr
#include "check.h"
#include <algorithm>
#include <utility>

template <class T, int N> struct vec {
    T v[N];
    __host__ __device__ T dot(const vec &o) const
    {
        T s = 0;
        for (int i = 0; i < N; i++)
            s += v[i] * o.v[i];
        return s;
    }
};
template <class T, int N> __global__ void dots(const vec<T, N> *a, const vec<T, N> *b, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i].dot(b[i]);
}

struct clamp {
    int lo, hi;
    __host__ __device__ int operator()(int x) const { return std::min(std::max(x, lo), hi); }
};
template <class F> __global__ void apply(int *data, F f) { data[threadIdx.x] = f(data[threadIdx.x]); }

template <unsigned N> struct factorial {
    static constexpr unsigned value = N * factorial<N - 1>::value;
};
template <> struct factorial<0> {
    static constexpr unsigned value = 1;
};
constexpr int twice(int x) { return 2 * x; }
__global__ void compile_time(unsigned *out)
{
    out[0] = factorial<10>::value;
    std::pair<int, float> p(3, 0.5f);
    out[1] = p.first;
    out[2] = (unsigned)(p.second * 10) + twice(20);
    auto square = [](int x) { return x * x; };
    out[3] = square(12);
}

template <class T, int N> static void test()
{
    const int n = 128;
    rng r(16);
    std::vector<vec<T, N>> a(n), b(n);
    std::vector<T> want(n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < N; k++) {
            a[i].v[k] = (T)r.below(10);
            b[i].v[k] = (T)r.below(10);
        }
        want[i] = a[i].dot(b[i]);
    }
    dev<vec<T, N>> da(a), db(b);
    dev<T> out(n);
    dots<T, N><<<2, 64>>>((const vec<T, N> *)da, (const vec<T, N> *)db, (T *)out);
    RAN();
    check_equal("dots", out.get(), want);
}

int main()
{
    test<int, 3>();
    test<float, 8>();
    test<double, 5>();
    test<long long, 1>();
    std::vector<int> data(64), want(64);
    for (int i = 0; i < 64; i++) {
        data[i] = i * 10 - 100;
        want[i] = clamp{-20, 300}(data[i]);
    }
    dev<int> d(data);
    apply<<<1, 64>>>((int *)d, clamp{-20, 300});
    RAN();
    check_equal("functor", d.get(), want);
    dev<unsigned> out(std::vector<unsigned>{0, 0, 0, 0});
    compile_time<<<1, 1>>>(out);
    RAN();
    check_equal("compile time", out.get(), std::vector<unsigned>{3628800, 3, 45, 144});
    return check_result();
}
