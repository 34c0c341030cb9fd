// The functions of half precision and bfloat16 on the device, and on the host where nvcc has them there, against exact
// arithmetic. Included once per type, with FLOAT, PAIR, TO(from, rounding), FROM(to, rounding), MANTISSA and LOWEST, the
// bits of the fraction and the exponent of the smallest normal number, and ABOUT, a namespace of its own.

namespace ABOUT
{
enum { INF = (0x7fff >> MANTISSA) << MANTISSA, MAX_CASES = 4096, N_SCALAR = 24, N_INT = 26, N_TO = 24 };

static long double value(unsigned short bits)
{
    int e = (bits & 0x7fff) >> MANTISSA, m = bits & ((1 << MANTISSA) - 1);
    long double v = (bits & 0x7fff) > INF ? NAN : (bits & 0x7fff) == INF ? (long double)INFINITY
                    : e ? ldexpl(m + (1 << MANTISSA), e - 1 + LOWEST - MANTISSA) : ldexpl(m, LOWEST - MANTISSA);
    return bits & 0x8000 ? -v : v;
}
// n: nearest even, z: toward zero, d: down, u: up
static unsigned short rounded(long double v, char mode = 'n')
{
    if (v != v)
        return 0x7fff;
    const unsigned short sign = std::signbit(v) ? 0x8000 : 0;
    v = fabsl(v);
    if (v == 0 || std::isinf(v))
        return (unsigned short)(sign | (v == 0 ? 0 : INF));
    const int e = ilogbl(v) < LOWEST ? LOWEST : ilogbl(v);
    const long double q = ldexpl(v, MANTISSA - e), whole = floorl(q), rest = q - whole;
    const bool up = mode == 'n' ? rest > 0.5L || (rest == 0.5L && fmodl(whole, 2) == 1) : rest > 0 && mode == (sign ? 'd' : 'u');
    const long long bits = ((long long)(e - LOWEST + 1) << MANTISSA) + (long long)whole - (1 << MANTISSA) + up;
    if (bits >= INF)
        return (unsigned short)(sign | (mode == 'n' || mode == (sign ? 'd' : 'u') ? INF : INF - 1));
    return (unsigned short)(sign | bits);
}
static long double saturated(long double v) { return v > 0 ? v < 1 ? v : 1 : 0; }

__host__ __device__ static inline FLOAT make(unsigned short bits)
{
    FLOAT f;
    memcpy(&f, &bits, 2);
    return f;
}
__host__ __device__ static inline unsigned short bits_of(FLOAT f)
{
    unsigned short bits;
    memcpy(&bits, &f, 2);
    return bits;
}
__host__ __device__ static inline unsigned bits_of(PAIR v) { return bits_of(v.x) | (unsigned)bits_of(v.y) << 16; }
__host__ __device__ static inline PAIR make_pair(FLOAT a, FLOAT b)
{
    PAIR v;
    v.x = a;
    v.y = b;
    return v;
}

#define COMPARISONS(F) F(eq) F(ne) F(lt) F(le) F(gt) F(ge) F(equ) F(neu) F(ltu) F(leu) F(gtu) F(geu)

// What nvcc computes on the host, too.
__host__ __device__ static int both(const unsigned short *in, unsigned *o)
{
    const FLOAT a = make(in[0]), b = make(in[1]), c = make(in[2]);
    const PAIR p = make_pair(a, b), q = make_pair(b, c);
    int n = 0;
    o[n++] = bits_of(__hadd(a, b)) | bits_of(a + b) << 16;
    o[n++] = bits_of(__hsub_rn(a, b)) | bits_of(a - b) << 16;
    o[n++] = bits_of(__hmul(a, b)) | bits_of(a * b) << 16;
    o[n++] = bits_of(__hdiv(a, b));
    o[n++] = bits_of(__hadd_sat(a, b));
    o[n++] = bits_of(__hsub_sat(a, b));
    o[n++] = bits_of(__hmul_sat(a, b));
    o[n++] = bits_of(__hmax2(p, q));
    o[n++] = bits_of(__hmin2(p, q));
    o[n++] = bits_of(__hmax(a, b)) | bits_of(__hmax_nan(a, b)) << 16;
    o[n++] = bits_of(__hmin(a, b)) | bits_of(__hmin_nan(a, b)) << 16;
    o[n++] = bits_of(__hmax2_nan(p, q)) ^ bits_of(__hmin2_nan(p, q));
    o[n++] = bits_of(__hneg(a)) | bits_of(__habs(a)) << 16;
    o[n++] = bits_of(__hneg2(p)) ^ bits_of(__habs2(q));
    o[n++] = bits_of(__hisnan2(p)) ^ (unsigned)__hisinf(a) ^ (unsigned)__hisnan(b) << 8;
    unsigned scalar = 0, pair = 0, mask = 0, ones = 0;
    int k = 0;
#define TRY(name)                                                                                                      \
    scalar |= (unsigned)__h##name(a, b) << k;                                                                          \
    pair |= (unsigned)__hb##name##2(p, q) << k;                                                                        \
    mask |= (__h##name##2_mask(p, q) & 0x00010001u) << k;                                                              \
    ones |= (bits_of(__h##name##2(p, q)) >> MANTISSA & 0x00010001u) << k;                                              \
    k++;
    COMPARISONS(TRY)
#undef TRY
    o[n++] = scalar;
    o[n++] = pair;
    o[n++] = mask;
    o[n++] = ones;
    FLOAT d = a;
    d++;
    o[n++] = bits_of(++d) | (unsigned)(a < b) << 16 | (unsigned)(p != q) << 17 | (unsigned)(p >= q) << 18;
    return n;
}

static int expect_both(const unsigned short *in, unsigned *o)
{
    const unsigned short *x = in;
    const long double a = value(x[0]), b = value(x[1]), c = value(x[2]);
    int n = 0;
    auto twice = [](unsigned short r) { return r * 0x10001u; };
    auto is_nan = [](unsigned short r) { return (r & 0x7fff) > INF; };
    auto larger = [&](unsigned short r, unsigned short s, bool nan) -> unsigned short {
        if (is_nan(r) || is_nan(s))
            return nan || (is_nan(r) && is_nan(s)) ? 0x7fff : is_nan(r) ? s : r;
        return value(r) > value(s) || (value(r) == value(s) && !(r & 0x8000)) ? r : s;
    };
    auto smaller = [&](unsigned short r, unsigned short s, bool nan) -> unsigned short {
        if (is_nan(r) || is_nan(s))
            return nan || (is_nan(r) && is_nan(s)) ? 0x7fff : is_nan(r) ? s : r;
        return value(r) < value(s) || (value(r) == value(s) && (r & 0x8000)) ? r : s;
    };
    auto negative = [&](unsigned short r) { return (unsigned short)(is_nan(r) ? 0x7fff : r ^ 0x8000); };
    auto positive = [&](unsigned short r) { return (unsigned short)(is_nan(r) ? 0x7fff : r & 0x7fff); };
    o[n++] = twice(rounded(a + b));
    o[n++] = twice(rounded(a - b));
    o[n++] = twice(rounded(a * b));
    o[n++] = rounded(a / b);
    o[n++] = rounded(saturated(a + b));
    o[n++] = rounded(saturated(a - b));
    o[n++] = rounded(saturated(a * b));
    o[n++] = larger(x[0], x[1], false) | (unsigned)larger(x[1], x[2], false) << 16;
    o[n++] = smaller(x[0], x[1], false) | (unsigned)smaller(x[1], x[2], false) << 16;
    o[n++] = larger(x[0], x[1], false) | (unsigned)larger(x[0], x[1], true) << 16;
    o[n++] = smaller(x[0], x[1], false) | (unsigned)smaller(x[0], x[1], true) << 16;
    o[n++] = (larger(x[0], x[1], true) | (unsigned)larger(x[1], x[2], true) << 16) ^ (smaller(x[0], x[1], true) | (unsigned)smaller(x[1], x[2], true) << 16);
    o[n++] = negative(x[0]) | (unsigned)positive(x[0]) << 16;
    o[n++] = (negative(x[0]) | (unsigned)negative(x[1]) << 16) ^ (positive(x[1]) | (unsigned)positive(x[2]) << 16);
    o[n++] = ((a != a ? rounded(1) : 0) | (b != b ? (unsigned)rounded(1) << 16 : 0)) ^ (unsigned)(std::isinf(a) ? a > 0 ? 1 : -1 : 0) ^ (unsigned)(b != b) << 8;
    unsigned scalar = 0, pair = 0, mask = 0;
    for (int k = 0; k < 12; k++) {
        auto is = [k](long double r, long double s) {
            const bool ordered[] = {r == s, r < s || r > s, r < s, r <= s, r > s, r >= s};
            return ordered[k % 6] || (k >= 6 && (r != r || s != s));
        };
        scalar |= (unsigned)is(a, b) << k;
        pair |= (unsigned)(is(a, b) && is(b, c)) << k;
        mask |= ((unsigned)is(a, b) | (unsigned)is(b, c) << 16) << k;
    }
    o[n++] = scalar;
    o[n++] = pair;
    o[n++] = mask;
    o[n++] = mask;
    const bool unequal = !(a == b) && !(b == c);
    o[n++] = rounded(value(rounded(a + 1)) + 1) | (unsigned)(a < b) << 16 | (unsigned)unequal << 17 | (unsigned)(a >= b && b >= c) << 18;
    return n;
}

// What it computes on the device only.
__global__ void device(const unsigned short *in, unsigned *out, unsigned *fused, unsigned long long *ints, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    in += 3 * i;
    both(in, out + i * N_SCALAR);
    const FLOAT a = make(in[0]), b = make(in[1]), c = make(in[2]);
    const PAIR p = make_pair(a, b), q = make_pair(b, c), r = make_pair(c, a);
    fused += 6 * i;
    fused[0] = bits_of(__hfma(a, b, c));
    fused[1] = bits_of(__hfma2(p, q, r));
    fused[2] = bits_of(__hfma_sat(a, b, c));
    fused[3] = bits_of(__hfma2_sat(p, q, r));
    fused[4] = bits_of(__hfma_relu(a, b, c));
    fused[5] = bits_of(__hfma2_relu(p, q, r));
    ints += N_INT * i;
    int k = 0;
#define ALL(name, T)                                                                                                   \
    ints[k++] = (unsigned long long)FROM(name, rn)(a);                                                                 \
    ints[k++] = (unsigned long long)FROM(name, rz)(a);                                                                 \
    ints[k++] = (unsigned long long)FROM(name, rd)(a);                                                                 \
    ints[k++] = (unsigned long long)FROM(name, ru)(a);
    ALL(int, int)
    ALL(uint, unsigned)
    ALL(short, short)
    ALL(ushort, unsigned short)
    ALL(ll, long long)
    ALL(ull, unsigned long long)
#undef ALL
    ints[k++] = (unsigned long long)FROM(char, rz)(a);
    ints[k++] = (unsigned long long)FROM(uchar, rz)(a);
}

template <class T> static unsigned long long integer(long double v, char mode)
{
    typedef std::numeric_limits<T> limits;
    if (v != v)
        return sizeof(T) == 8 ? 1ull << 63 : 0;
    v = mode == 'n' ? nearbyintl(v) : mode == 'z' ? truncl(v) : mode == 'd' ? floorl(v) : ceill(v);
    return v < (long double)limits::min() ? (unsigned long long)limits::min() : v > (long double)limits::max() ? (unsigned long long)limits::max() : (unsigned long long)(T)v;
}

__global__ void from_integers(const unsigned long long *in, unsigned short *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int k = N_TO * i;
#define ALL(name, T)                                                                                                   \
    out[k++] = bits_of(TO(name, rn)((T)in[i]));                                                                        \
    out[k++] = bits_of(TO(name, rz)((T)in[i]));                                                                        \
    out[k++] = bits_of(TO(name, rd)((T)in[i]));                                                                        \
    out[k++] = bits_of(TO(name, ru)((T)in[i]));
    ALL(int, int)
    ALL(uint, unsigned)
    ALL(short, short)
    ALL(ushort, unsigned short)
    ALL(ll, long long)
    ALL(ull, unsigned long long)
#undef ALL
}

// Loads and stores with each cache operator; sums of many threads.
__global__ void memory(FLOAT *x, PAIR *v, FLOAT *sum, PAIR *sums)
{
    const int i = threadIdx.x;
    FLOAT *o = x + 32;
    PAIR *w = v + 32;
    __stwb(o + i, make_pair(__ldg(x + i), x[i]).x), __stwb(w + i, __ldg(v + i));
    __stcg(o + 32 + i, __ldca(x + i)), __stcg(w + 32 + i, __ldca(v + i));
    __stcs(o + 64 + i, __ldcg(x + i)), __stcs(w + 64 + i, __ldcg(v + i));
    __stwt(o + 96 + i, __ldcs(x + i)), __stwt(w + 96 + i, __ldcs(v + i));
    __stwb(o + 128 + i, __ldcv(x + i)), __stwb(w + 128 + i, __ldcv(v + i));
    __stwb(o + 160 + i, __ldlu(x + i)), __stwb(w + 160 + i, __ldlu(v + i));
    o[192 + i] = __shfl_xor_sync(0xffffffff, x[i], 1);
    w[192 + i] = __shfl_down_sync(0xffffffff, v[i], 0);
    atomicAdd(sum, make(rounded_one()));
    atomicAdd(sums, v[i]);
}

static unsigned long long count_bad(const char *what, int i, const unsigned short *in, unsigned long long got, unsigned long long want, int k)
{
    if (got != want && check_failures++ < 10)
        fprintf(stderr, "%s %d of case %d (%04x %04x %04x): got %llx, want %llx\n", what, k, i, in ? in[0] : 0, in ? in[1] : 0, in ? in[2] : 0, got, want);
    return got != want;
}

static void run(void)
{
    const unsigned short special[] = {0, 0x8000, rounded(1), (unsigned short)(rounded(1) | 0x8000), INF, INF | 0x8000, 0x7fff, INF | 0x8001, 1, 0x8003, INF - 1, rounded(2.5L)};
    const int kinds = sizeof special / sizeof *special, n = kinds * kinds * kinds + 2000;
    rng r(MANTISSA);
    std::vector<unsigned short> in(3 * n);
    for (int i = 0; i < n; i++)
        for (int k = 0, of = i; k < 3; k++, of /= kinds)
            in[3 * i + k] = i < kinds * kinds * kinds ? special[of % kinds] : rounded(ldexpl(r.uniform(-1, 1), (int)r.below(k == 1 ? 14 : 20) - (i % 3 ? 1 : 12)));
    dev<unsigned short> din(in);
    dev<unsigned> out(n * N_SCALAR), fused(n * 6);
    dev<unsigned long long> ints(n * N_INT);
    device<<<(n + 127) / 128, 128>>>(din, out, fused, ints, n);
    RAN();
    std::vector<unsigned> o = out.get(), f = fused.get();
    std::vector<unsigned long long> whole = ints.get();
    for (int i = 0; i < n; i++) {
        const unsigned short *x = &in[3 * i];
        unsigned want[N_SCALAR], host[N_SCALAR];
        const int count = expect_both(x, want);
        CHECK(both(x, host) == count);
        // nvcc's host code does not tell the zeros of bfloat16 apart in __hmax_nan and __hmin_nan.
        const bool zeros = !value(x[0]) + !value(x[1]) + !value(x[2]) > 1;
        for (int k = 0; k < count; k++) {
            if (!zeros || k < 9 || k > 11 || MADE_BY_CLANG)
                count_bad("host", i, x, host[k], want[k], k);
            count_bad("device", i, x, o[i * N_SCALAR + k], want[k], k);
        }
        const long double a = value(x[0]), b = value(x[1]), c = value(x[2]);
        const unsigned short low = rounded(a * b + c), high = rounded(b * c + a);
        const unsigned short low_sat = rounded(saturated(a * b + c)), high_sat = rounded(saturated(b * c + a));
        auto relu = [](unsigned short v) { return v == 0x7fff ? v : v & 0x8000 ? (unsigned short)0 : v; };
        const unsigned *g = &f[6 * i];
        count_bad("fma", i, x, g[0], low, 0);
        count_bad("fma", i, x, g[1], low | (unsigned)high << 16, 1);
        count_bad("fma", i, x, g[2], low_sat, 2);
        count_bad("fma", i, x, g[3], low_sat | (unsigned)high_sat << 16, 3);
        count_bad("fma", i, x, g[4], relu(low), 4);
        count_bad("fma", i, x, g[5], relu(low) | (unsigned)relu(high) << 16, 5);
        int k = N_INT * i;
        for (const char *mode = "nzdu"; *mode; mode++, k++) {
            count_bad("int", i, x, whole[k], integer<int>(a, *mode), k - N_INT * i);
            count_bad("uint", i, x, whole[k + 4], integer<unsigned>(a, *mode), k - N_INT * i);
            count_bad("short", i, x, whole[k + 8], integer<short>(a, *mode), k - N_INT * i);
            count_bad("ushort", i, x, whole[k + 12], integer<unsigned short>(a, *mode), k - N_INT * i);
            count_bad("ll", i, x, whole[k + 16], integer<long long>(a, *mode), k - N_INT * i);
            count_bad("ull", i, x, whole[k + 20], integer<unsigned long long>(a, *mode), k - N_INT * i);
        }
        count_bad("char", i, x, whole[k + 20], integer<signed char>(a, 'z'), 0);
        count_bad("uchar", i, x, whole[k + 21], integer<unsigned char>(a, 'z'), 0);
        CHECK(FROM(ll, rz)(make(x[0])) == (long long)integer<long long>(a, 'z') && FROM(uchar, rz)(make(x[0])) == integer<unsigned char>(a, 'z'));
    }

    const int m = 1000;
    std::vector<unsigned long long> numbers(m);
    for (int i = 0; i < m; i++)
        numbers[i] = ((unsigned long long)r.next() << 32 | r.next()) >> r.below(64), numbers[i] = i % 5 ? i % 5 == 1 ? -numbers[i] : numbers[i] : (numbers[i] | 1ull << 63) & (~0ull << 50) | (i % 2);
    dev<unsigned long long> dn(numbers);
    dev<unsigned short> dt(m * N_TO);
    from_integers<<<(m + 127) / 128, 128>>>(dn, dt, m);
    RAN();
    std::vector<unsigned short> t = dt.get();
    for (int i = 0; i < m; i++) {
        const unsigned long long v = numbers[i];
        int k = N_TO * i;
        for (const char *mode = "nzdu"; *mode; mode++, k++) {
            count_bad("from int", i, NULL, t[k], rounded((int)v, *mode), *mode);
            count_bad("from uint", i, NULL, t[k + 4], rounded((unsigned)v, *mode), *mode);
            count_bad("from short", i, NULL, t[k + 8], rounded((short)v, *mode), *mode);
            count_bad("from ushort", i, NULL, t[k + 12], rounded((unsigned short)v, *mode), *mode);
            count_bad("from ll", i, NULL, t[k + 16], rounded((long long)v, *mode), *mode);
            count_bad("from ull", i, NULL, t[k + 20], rounded(v, *mode), *mode);
        }
        count_bad("host from ull", i, NULL, bits_of(TO(ull, rn)(v)), rounded(v), 'n');
        const double d = ldexp((double)(long long)v, -50) + 1e-13;
        count_bad("from double", i, NULL, bits_of(FLOAT(d)), rounded(d), 'n');
    }

    std::vector<FLOAT> x(256);
    std::vector<PAIR> v(256);
    for (int i = 0; i < 32; i++)
        x[i] = make(rounded(i - 7.5L)), v[i] = make_pair(make(rounded(i)), make(rounded(i % 4)));
    std::vector<FLOAT> zero(1, make(0));
    std::vector<PAIR> zeros(1, make_pair(make(0), make(0)));
    dev<FLOAT> dx(x), ds(zero);
    dev<PAIR> dv(v), dp(zeros);
    memory<<<1, 32>>>(dx, dv, ds, dp);
    RAN();
    x = dx.get(), v = dv.get();
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 32; i++) {
            CHECK(bits_of(x[32 * k + i]) == bits_of(x[k == 7 ? i ^ 1 : i]));
            CHECK(bits_of(v[32 * k + i]) == bits_of(v[i]));
        }
    CHECK(bits_of(ds.get()[0]) == rounded(32));
    CHECK(bits_of(dp.get()[0].y) == rounded(48));
    // 0 + 1 + 2 ... + 31 is 496, which bfloat16 has, too; sums on the way may have been rounded.
    CHECK(fabsl(value(bits_of(dp.get()[0].x)) - 496) <= (MANTISSA == 7 ? 32 : 0));
}
} // namespace ABOUT
#undef COMPARISONS
