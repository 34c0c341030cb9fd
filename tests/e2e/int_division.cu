// Integer division and remainder, 32 and 64 bits, signed and unsigned, by variables and constants, at the corners.
#include "check.h"

template <class T> __global__ void divide(const T *a, const T *b, T *q, T *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i];
    }
}
template <class T> __host__ __device__ static T by_constants(T x)
{
    return x / 3 + x % 7 + x / 10 * 2 + x % 1000 + x / 64 + x % 32 + x / 641 + (x / (T)-5) + x % 127;
}
template <class T> __global__ void constants(const T *a, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = by_constants(a[i]);
}

template <class T> static void test()
{
    rng r(23);
    const T top = (T)((uint64_t)1 << (sizeof(T) * 8 - 1));
    std::vector<T> a, b;
    const T corner[] = {0, 1, (T)-1, 2, (T)-2, 3, 7, 10, top, (T)(top | 1), (T)~top, 100, (T)-100, (T)65536, (T)65535};
    for (T x : corner)
        for (T y : corner)
            if (y != 0 && !((T)-1 < 0 && x == top && y == (T)-1)) {
                a.push_back(x);
                b.push_back(y);
            }
    for (int i = 0; i < 1000; i++) {
        uint64_t x = (uint64_t)r.next() << 32 | r.next(), y = ((uint64_t)r.next() << 32 | r.next()) >> r.below(60);
        a.push_back((T)x);
        b.push_back((T)y ? (T)y : 1);
    }
    int n = (int)a.size();
    std::vector<T> q(n), m(n), c(n);
    for (int i = 0; i < n; i++) {
        q[i] = a[i] / b[i];
        m[i] = a[i] % b[i];
        c[i] = by_constants(a[i]);
    }
    dev<T> da(a), db(b), dq(n), dm(n);
    divide<T><<<(n + 127) / 128, 128>>>(da, db, dq, dm, n);
    RAN();
    check_equal("quotients", dq.get(), q);
    check_equal("remainders", dm.get(), m);
    constants<T><<<(n + 127) / 128, 128>>>(da, dq, n);
    RAN();
    check_equal("by constants", dq.get(), c);
}

int main()
{
    test<int>();
    test<unsigned>();
    test<long long>();
    test<unsigned long long>();
    test<short>();
    test<unsigned char>();
    return check_result();
}
