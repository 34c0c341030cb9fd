// Elements whose type is a template's parameter: the library carries them if they are small and plain, which only the
// instance knows.
#include "common.h"

struct large {
    int v[6];
    __device__ large(int x = 0) : v{x, x, x, x, x, x} {}
    __device__ large operator+(const large &o) const { return large(v[0] + o.v[0]); }
    __device__ large &operator+=(const large &o)
    {
        v[5] += o.v[0];
        v[0] += o.v[0];
        return *this;
    }
    __device__ bool operator>(const large &o) const { return v[0] > o.v[0]; }
};

// Small and plain, but with operators of its own.
struct odd {
    int v;
    odd() = default;
    __device__ odd(int x) : v(x * 2) {}
    __device__ odd operator+(const odd &o) const { return odd(v + o.v); }
    __device__ odd &operator+=(const odd &o)
    {
        v -= o.v;
        return *this;
    }
    __device__ bool operator>(const odd &o) const { return v > o.v; }
};

template <class T> __device__ T twice(T x)
{
    return x + x;
}

template <class T, class I> __global__ void walk(const T *__restrict__ in, T *__restrict__ out, I n)
{
    I t = threadIdx.x;
    T s = T(0);
    for (I i = 0; i < n; i++) {
        T v = in[t * n + i];
        s += v + in[t * n + i / 2];
        if (in[t * n + i] > s)
            s = in[t * n + i] + twice(in[t * n + i / 3]);
        out[t * n + i] = s;
        out[t * n + i] += T(1);
    }
    out[t * n] = s;
}

template <class T> __global__ void add(const T *__restrict__ in, T *__restrict__ out, int n)
{
    int t = threadIdx.x;
    T s = 0;
    if (n > 1)
        for (int i = t * n; i < t * n + n; i++) {
            if (i % 5 == 0)
                continue;
            s += in[i];
            if (s > T(1 << 20))
                break;
        }
    out[t] = s;
}

template <class T> static void run(const char *name)
{
    const int threads = 64, n = 41;
    T *in = filled<T>(threads * n, 1), *out = filled<T>(threads * n, 2);
    std::vector<short> small(threads * n * sizeof(T) / 2);
    for (size_t i = 0; i < small.size(); i++)
        small[i] = i % (sizeof(T) / 2) == 0 ? (short)(i % 1009) : 0;
    OK(cudaMemcpy(in, small.data(), small.size() * 2, cudaMemcpyHostToDevice));
    walk<T, int><<<1, threads>>>(in, out, n);
    print_hash(name, out, threads * n);
    walk<T, unsigned><<<1, threads>>>(in, out, n - 1);
    print_hash(name, out, threads * n);
    add<T><<<1, threads>>>(in, out, n);
    print_hash(name, out, threads);
}

int main()
{
    run<int>("int");
    run<unsigned short>("unsigned short");
    run<long long>("long long");
    run<large>("large");
    run<odd>("odd");
    OK(cudaGetLastError());
}
