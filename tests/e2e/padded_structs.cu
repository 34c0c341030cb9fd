// Structures with holes between or after their fields, passed to and returned from functions that are not inlined, and a
// sort of keys and flags by shuffles that carries such a structure through every step.
#include <cstdio>

#include <cuda_runtime.h>

struct int_bool { int a; bool b; };
struct float_short { float a; short b; };
struct char_double { char a; double b; };
struct short_long { short a; long long b; };
struct char_float_short { unsigned char a; float b; unsigned short c; };
struct three_chars { signed char a; unsigned char b; bool c; };
struct nested { int_bool x; float_short y; char z; };

#define MAKE2(S, A, B)                                                                                                 \
    static __device__ __noinline__ S make_##S(int n) { return S{(A)(n * 3 - 100), (B)(n & 1 ? n : 0)}; }               \
    static __device__ __noinline__ S pass_##S(S s, bool swap) { return swap ? S{(A)s.b, (B)s.a} : s; }
MAKE2(int_bool, int, bool)
MAKE2(float_short, float, short)
MAKE2(char_double, char, double)
MAKE2(short_long, short, long long)

static __device__ __noinline__ char_float_short make_cfs(int n)
{
    return char_float_short{(unsigned char)n, n * 0.5f, (unsigned short)(n * 7)};
}
static __device__ __noinline__ three_chars make_chars(int n)
{
    return three_chars{(signed char)-n, (unsigned char)(n + 200), n % 3 == 0};
}
static __device__ __noinline__ nested make_nested(int n)
{
    return nested{make_int_bool(n), make_float_short(n), (char)(n & 63)};
}
static __device__ __noinline__ int_bool smaller(int_bool x, int_bool y, bool up)
{
    const bool take = x.a < y.a || (x.a == y.a && x.b < y.b);
    return take == up ? x : y;
}

__global__ void structs(long long *out)
{
    const int n = threadIdx.x;
    const int_bool p = pass_int_bool(make_int_bool(n), n & 2);
    const float_short q = pass_float_short(make_float_short(n), n & 2);
    const char_double r = pass_char_double(make_char_double(n), n & 2);
    const short_long s = pass_short_long(make_short_long(n), n & 2);
    const char_float_short t = make_cfs(n);
    const three_chars u = make_chars(n);
    const nested v = make_nested(n);
    out += n * 16;
    out[0] = p.a, out[1] = p.b, out[2] = (long long)q.a, out[3] = q.b, out[4] = r.a, out[5] = (long long)r.b;
    out[6] = s.a, out[7] = s.b, out[8] = t.a, out[9] = (long long)(t.b * 2), out[10] = t.c;
    out[11] = u.a, out[12] = u.b, out[13] = u.c, out[14] = v.x.a + v.x.b, out[15] = (long long)v.y.a + v.y.b + v.z;
}

__global__ void sort(int *keys, bool *flags)
{
    const int lane = threadIdx.x;
    int_bool mine = {keys[lane], flags[lane]};
    for (int size = 2; size <= 32; size <<= 1)
        for (int step = size >> 1; step > 0; step >>= 1) {
            const int_bool other = {__shfl_xor_sync(~0u, mine.a, step), (bool)__shfl_xor_sync(~0u, (int)mine.b, step)};
            mine = smaller(mine, other, ((lane & step) == 0) == ((lane & size) == 0));
        }
    keys[lane] = mine.a;
    flags[lane] = mine.b;
}

int main()
{
    enum { N = 64 };
    long long *out;
    int *keys, bad = 0;
    bool *flags;
    cudaMallocManaged(&out, N * 16 * sizeof *out);
    cudaMallocManaged(&keys, 32 * sizeof *keys);
    cudaMallocManaged(&flags, 32 * sizeof *flags);
    for (int i = 0; i < 32; i++) {
        keys[i] = i * 7 % 13;
        flags[i] = i & 1;
    }
    structs<<<1, N>>>(out);
    sort<<<1, 32>>>(keys, flags);
    cudaDeviceSynchronize();
    for (int n = 0; n < N; n++) {
        const int a = n * 3 - 100, b = n & 1 ? n : 0;
        const bool swap = n & 2;
        const long long want[16] = {swap ? b != 0 : a,
                                    swap ? a != 0 : b != 0,
                                    swap ? b : a,
                                    swap ? a : b,
                                    swap ? (char)b : (char)a,
                                    swap ? (char)a : b,
                                    swap ? b : a,
                                    swap ? a : b,
                                    n,
                                    n,
                                    n * 7,
                                    -n,
                                    (unsigned char)(n + 200),
                                    n % 3 == 0,
                                    a + (b != 0),
                                    a + b + (n & 63)};
        for (int k = 0; k < 16; k++)
            if (out[n * 16 + k] != want[k] && bad++ < 5)
                printf("thread %d value %d: %lld, not %lld\n", n, k, out[n * 16 + k], want[k]);
    }
    int flagged = 0;
    for (int i = 0; i < 32; i++) {
        flagged += flags[i];
        if (i && (keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && flags[i - 1] > flags[i])))
            bad++, printf("out of order at %d\n", i);
    }
    bad += flagged != 16;
    printf("%s\n", bad ? "FAILED" : "ok");
    return bad != 0;
}
