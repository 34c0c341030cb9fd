// DPX: every function on host and device against sums and comparisons in 64 bits; extremes and random numbers.
#include "check.h"

#define EACH_3(F) F(__vimax3) F(__vimin3) F(__viaddmax) F(__viaddmin)
enum { N_OUT = 40 };

__host__ __device__ int all(unsigned a, unsigned b, unsigned c, unsigned *o)
{
    int n = 0;
    bool p, q;
#define PUT(f)                                                                                                         \
    o[n++] = (unsigned)f##_s32((int)a, (int)b, (int)c);                                                                \
    o[n++] = f##_u32(a, b, c);                                                                                         \
    o[n++] = f##_s16x2(a, b, c);                                                                                       \
    o[n++] = f##_u16x2(a, b, c);                                                                                       \
    o[n++] = (unsigned)f##_s32_relu((int)a, (int)b, (int)c);                                                           \
    o[n++] = f##_s16x2_relu(a, b, c);
    EACH_3(PUT)
    o[n++] = (unsigned)__vimax_s32_relu((int)a, (int)b);
    o[n++] = (unsigned)__vimin_s32_relu((int)a, (int)b);
    o[n++] = __vimax_s16x2_relu(a, b);
    o[n++] = __vimin_s16x2_relu(a, b);
    o[n] = (unsigned)__vibmax_s32((int)a, (int)b, &p), o[n++] ^= p;
    o[n] = (unsigned)__vibmin_s32((int)a, (int)b, &p), o[n++] ^= p;
    o[n] = __vibmax_u32(a, b, &p), o[n++] ^= p;
    o[n] = __vibmin_u32(a, b, &p), o[n++] ^= p;
    o[n] = __vibmax_s16x2(a, b, &p, &q), o[n++] ^= (p ? 0x10000u : 0) | (q ? 1u : 0);
    o[n] = __vibmin_s16x2(a, b, &p, &q), o[n++] ^= (p ? 0x10000u : 0) | (q ? 1u : 0);
    o[n] = __vibmax_u16x2(a, b, &p, &q), o[n++] ^= (p ? 0x10000u : 0) | (q ? 1u : 0);
    o[n] = __vibmin_u16x2(a, b, &p, &q), o[n++] ^= (p ? 0x10000u : 0) | (q ? 1u : 0);
    return n;
}

// The same from numbers: a field of so many bits, signed or not.
struct field {
    int bits;
    bool is_signed;
    long long read(unsigned word, int shift) const
    {
        unsigned long long v = word >> shift & ((1ull << bits) - 1);
        return is_signed && v >> (bits - 1) ? (long long)v - (1ll << bits) : (long long)v;
    }
    unsigned write(long long v, int shift) const { return (unsigned)(((unsigned long long)v & ((1ull << bits) - 1)) << shift); }
    long long wrap(long long v) const { return read(write(v, 0), 0); }
};
static long long larger(long long a, long long b) { return a > b ? a : b; }
static long long smaller(long long a, long long b) { return a < b ? a : b; }

// op: 0 max3, 1 min3, 2 addmax, 3 addmin, 4 max, 5 min; with the words that tell whether a was taken in the lowest bits
static unsigned expected(int op, field f, bool relu, bool tells, unsigned a, unsigned b, unsigned c)
{
    unsigned out = 0;
    for (int s = 0; s < 32; s += f.bits) {
        long long x = f.read(a, s), y = f.read(b, s), z = f.read(c, s), v = 0;
        switch (op) {
        case 0: v = larger(larger(x, y), z); break;
        case 1: v = smaller(smaller(x, y), z); break;
        case 2: v = larger(f.wrap(x + y), z); break;
        case 3: v = smaller(f.wrap(x + y), z); break;
        case 4: v = larger(x, y); break;
        case 5: v = smaller(x, y); break;
        }
        out |= f.write(relu && v < 0 ? 0 : v, s);
        if (tells && (op == 4 ? x >= y : x <= y))
            out ^= 1u << s;
    }
    return out;
}

static int expect_all(unsigned a, unsigned b, unsigned c, unsigned *o)
{
    const field s32 = {32, true}, u32 = {32, false}, s16 = {16, true}, u16 = {16, false};
    int n = 0;
    for (int op = 0; op < 4; op++) {
        o[n++] = expected(op, s32, false, false, a, b, c);
        o[n++] = expected(op, u32, false, false, a, b, c);
        o[n++] = expected(op, s16, false, false, a, b, c);
        o[n++] = expected(op, u16, false, false, a, b, c);
        o[n++] = expected(op, s32, true, false, a, b, c);
        o[n++] = expected(op, s16, true, false, a, b, c);
    }
    o[n++] = expected(4, s32, true, false, a, b, c);
    o[n++] = expected(5, s32, true, false, a, b, c);
    o[n++] = expected(4, s16, true, false, a, b, c);
    o[n++] = expected(5, s16, true, false, a, b, c);
    const field each[] = {s32, u32, s16, u16};
    for (int k = 0; k < 4; k++) {
        o[n++] = expected(4, each[k], false, true, a, b, c);
        o[n++] = expected(5, each[k], false, true, a, b, c);
    }
    return n;
}

__global__ void run(const unsigned *a, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        all(a[3 * i], a[3 * i + 1], a[3 * i + 2], out + (size_t)i * N_OUT);
}

int main()
{
    static const unsigned extreme[] = {0, 1, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x7fff8000u, 0x8000ffffu, 0x00018001u};
    const int n = 2048;
    unsigned *a, *out;
    rng r;
    CUDA(cudaMallocManaged(&a, 3 * n * sizeof *a));
    CUDA(cudaMallocManaged(&out, (size_t)n * N_OUT * sizeof *out));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            a[3 * i + k] = i < 512 ? extreme[i >> 3 * k & 7] : r.next();
    run<<<(n + 127) / 128, 128>>>(a, out, n);
    RAN();
    for (int i = 0; i < n; i++) {
        unsigned want[N_OUT], host[N_OUT];
        const unsigned *x = a + 3 * i;
        const int count = expect_all(x[0], x[1], x[2], want);
        CHECK(all(x[0], x[1], x[2], host) == count);
        CHECK(!memcmp(host, want, count * sizeof *want));
        CHECK(!memcmp(out + (size_t)i * N_OUT, want, count * sizeof *want));
    }
    return check_result();
}
