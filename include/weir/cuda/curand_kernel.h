/*
 * Random numbers in device code: xorwow, MRG32k3a, Philox4x32-10 and Sobol32, and the distributions.
 *
 * The generators are the published ones: Marsaglia, "Xorshift RNGs" (2003); L'Ecuyer, "Good Parameters and Implementations
 * for Combined Multiple Recursive Random Number Generators" (1999); Salmon et al., "Parallel Random Numbers: As Easy as 1,
 * 2, 3" (2011); Sobol's sequence in Gray-code order. How a seed becomes a state, and how bits become numbers, follows the
 * documentation of cuRAND; docs/programs.md says what could not be compared. Poisson numbers have the right
 * distribution, not NVIDIA's sequence. Left out: MTGP32, 64-bit and scrambled Sobol sequences, discrete distributions.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_
#pragma GCC system_header

#include "curand.h"

#if defined(__CUDACC__) || defined(__CUDA__)
#include "weir_random_jumps.h"

#include <math.h>

#define WEIR_RANDOM __device__ static inline

/* A second normal number, kept for the next call. Padding has names here and in the states, so that a state is written
 * as a whole: copies of it read every byte. */
struct weir_spare {
    int has, has_double;
    float number;
    int unused;
    double number_double;
};

/* ---- xorwow ---- */
struct curandStateXORWOW {
    unsigned int d, v[5];
    weir_spare spare;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

WEIR_RANDOM void weir_xorwow_step(unsigned *v)
{
    const unsigned t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
WEIR_RANDOM unsigned int curand(curandStateXORWOW_t *s)
{
    weir_xorwow_step(s->v);
    s->d += 362437;
    return s->v[4] + s->d;
}
/* Leaps n * 2^first steps of the linear part: for each bit of n the step's polynomial, term by term. */
WEIR_RANDOM void weir_xorwow_leap(unsigned *v, unsigned long long n, int first)
{
    for (int k = first; n; k++, n >>= 1) {
        if (!(n & 1))
            continue;
        unsigned sum[5] = {0, 0, 0, 0, 0};
        for (int word = 0; word < 5; word++)
            for (unsigned bits = weir_xorwow_jump[k][word], i = 0; i < 32; i++, bits >>= 1) {
                const unsigned take = 0 - (bits & 1);
                for (int w = 0; w < 5; w++)
                    sum[w] ^= v[w] & take;
                weir_xorwow_step(v);
            }
        for (int w = 0; w < 5; w++)
            v[w] = sum[w];
    }
}
WEIR_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t *s)
{
    weir_xorwow_leap(s->v, n, 0);
    s->d += 362437 * (unsigned)n;
}
WEIR_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *s) /* of 2^67 numbers each */
{
    weir_xorwow_leap(s->v, n, 67);
}
WEIR_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                             curandStateXORWOW_t *s)
{
    const unsigned low = (unsigned)seed ^ 0xaad26b49u, high = (unsigned)(seed >> 32) ^ 0xf7dcefddu;
    const unsigned t0 = 1099087573u * low, t1 = 2591861531u * high;
    s->d = 6615241u + t1 + t0;
    s->v[0] = 123456789u + t0;
    s->v[1] = 362436069u ^ t0;
    s->v[2] = 521288629u + t1;
    s->v[3] = 88675123u ^ t1;
    s->v[4] = 5783321u + t0;
    s->spare = weir_spare();
    skipahead_sequence(sequence, s);
    skipahead(offset, s);
}

/* ---- MRG32k3a ---- */
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    weir_spare spare;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

/* From 1 to m1. */
WEIR_RANDOM unsigned weir_mrg(curandStateMRG32k3a_t *s)
{
    const unsigned long long m1 = 4294967087u, m2 = 4294944443u;
    const unsigned a = (unsigned)((1403580ull * s->s1[1] + (m1 - 810728ull) * s->s1[0]) % m1);
    const unsigned b = (unsigned)((527612ull * s->s2[2] + (m2 - 1370589ull) * s->s2[0]) % m2);
    s->s1[0] = s->s1[1];
    s->s1[1] = s->s1[2];
    s->s1[2] = a;
    s->s2[0] = s->s2[1];
    s->s2[1] = s->s2[2];
    s->s2[2] = b;
    return a > b ? a - b : (unsigned)(a + m1 - b);
}
WEIR_RANDOM unsigned int curand(curandStateMRG32k3a_t *s)
{
    return (unsigned)(weir_mrg(s) * 1.000000048662);
}
/* v = matrix^n v. */
WEIR_RANDOM void weir_mrg_leap(unsigned *v, const unsigned *matrix, unsigned long long n, unsigned long long m)
{
    unsigned a[9], b[9];
    for (int i = 0; i < 9; i++)
        a[i] = matrix[i];
    for (; n; n >>= 1) {
        if (n & 1) {
            for (int i = 0; i < 3; i++) {
                unsigned long long sum = 0;
                for (int k = 0; k < 3; k++)
                    sum = (sum + (unsigned long long)a[3 * i + k] * v[k] % m) % m;
                b[i] = (unsigned)sum;
            }
            for (int i = 0; i < 3; i++)
                v[i] = b[i];
        }
        for (int i = 0; i < 9; i++) {
            unsigned long long sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + (unsigned long long)a[i / 3 * 3 + k] * a[3 * k + i % 3] % m) % m;
            b[i] = (unsigned)sum;
        }
        for (int i = 0; i < 9; i++)
            a[i] = b[i];
    }
}
WEIR_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a_t *s)
{
    weir_mrg_leap(s->s1, weir_mrg_step1, n, 4294967087u);
    weir_mrg_leap(s->s2, weir_mrg_step2, n, 4294944443u);
}
WEIR_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *s) /* of 2^76 numbers each */
{
    weir_mrg_leap(s->s1, weir_mrg_far1, n, 4294967087u);
    weir_mrg_leap(s->s2, weir_mrg_far2, n, 4294944443u);
}
WEIR_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                             curandStateMRG32k3a_t *s)
{
    const unsigned long long x[2] = {(unsigned)seed ^ 0x55555555u, (unsigned)(seed >> 32) ^ 0xaaaaaaaau};
    for (int i = 0; i < 3; i++) {
        s->s1[i] = seed ? (unsigned)(x[i % 2] * 12345 % 4294967087u) : 12345;
        s->s2[i] = seed ? (unsigned)(x[1 - i % 2] * 12345 % 4294944443u) : 12345;
    }
    s->spare = weir_spare();
    skipahead_subsequence(sequence, s);
    skipahead(offset, s);
}

/* ---- Philox4x32-10 ---- */
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; /* which of output comes next */
    unsigned int unused;
    weir_spare spare;
    unsigned long long unused_end;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

WEIR_RANDOM uint4 curand_Philox4x32_10(uint4 c, uint2 k)
{
    for (int round = 0; round < 10; round++) {
        const unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
        c = make_uint4((unsigned)(b >> 32) ^ c.y ^ k.x, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ k.y, (unsigned)a);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}
WEIR_RANDOM void weir_philox_add(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    const unsigned long long low = s->ctr.x | (unsigned long long)s->ctr.y << 32, sum = low + n;
    s->ctr.x = (unsigned)sum;
    s->ctr.y = (unsigned)(sum >> 32);
    if (sum < low && !++s->ctr.z)
        s->ctr.w++;
}
WEIR_RANDOM unsigned weir_philox_part(const uint4 &v, unsigned i)
{
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}
WEIR_RANDOM unsigned int curand(curandStatePhilox4_32_10_t *s)
{
    const unsigned r = weir_philox_part(s->output, s->STATE++);
    if (s->STATE == 4) {
        weir_philox_add(s, 1);
        s->output = curand_Philox4x32_10(s->ctr, s->key);
        s->STATE = 0;
    }
    return r;
}
WEIR_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *s)
{
    uint4 r;
    r.x = curand(s);
    r.y = curand(s);
    r.z = curand(s);
    r.w = curand(s);
    return r;
}
WEIR_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    s->STATE += (unsigned)(n & 3);
    weir_philox_add(s, n / 4 + s->STATE / 4);
    s->STATE %= 4;
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
WEIR_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s) /* of 2^66 numbers each */
{
    const unsigned long long sum = (s->ctr.z | (unsigned long long)s->ctr.w << 32) + n;
    s->ctr.z = (unsigned)sum;
    s->ctr.w = (unsigned)(sum >> 32);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
WEIR_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                             curandStatePhilox4_32_10_t *s)
{
    s->ctr = make_uint4(0, 0, 0, 0);
    s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    s->STATE = 0;
    s->unused = 0;
    s->spare = weir_spare();
    s->unused_end = 0;
    skipahead_sequence(sequence, s);
    skipahead(offset, s);
}

/* ---- Sobol32 ---- */
struct curandStateSobol32 {
    unsigned int i, x, c, direction_vectors[32];
};
typedef struct curandStateSobol32 curandStateSobol32_t;

WEIR_RANDOM unsigned int curand(curandStateSobol32_t *s)
{
    const unsigned r = s->x;
    s->x ^= s->direction_vectors[__ffs(~s->i) - 1 & 31];
    s->i++;
    return r;
}
WEIR_RANDOM void skipahead(unsigned int n, curandStateSobol32_t *s)
{
    s->i += n;
    s->x = s->c;
    for (unsigned gray = s->i ^ s->i >> 1, k = 0; gray; k++, gray >>= 1)
        s->x ^= s->direction_vectors[k] & (0 - (gray & 1));
}
WEIR_RANDOM void curand_init(curandDirectionVectors32_t vectors, unsigned int offset, curandStateSobol32_t *s)
{
    for (int k = 0; k < 32; k++)
        s->direction_vectors[k] = vectors[k];
    s->i = s->c = s->x = 0;
    skipahead(offset, s);
}

/* ---- distributions ---- */
#define WEIR_2POW_32 2.3283064e-10f
#define WEIR_2POW_53 1.1102230246251565e-16
#define WEIR_2PI     6.2831855f

WEIR_RANDOM float weir_uniform(unsigned x)
{
    return x * WEIR_2POW_32 + WEIR_2POW_32 / 2;
}
WEIR_RANDOM double weir_uniform(unsigned x, unsigned y)
{
    const unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << 21;
    return z * WEIR_2POW_53 + WEIR_2POW_53 / 2;
}
WEIR_RANDOM float2 weir_box_muller(unsigned x, unsigned y)
{
    const float u = weir_uniform(x), v = y * (WEIR_2POW_32 * WEIR_2PI) + WEIR_2POW_32 * WEIR_2PI / 2;
    const float size = sqrtf(-2.0f * logf(u));
    float2 r;
    sincosf(v, &r.x, &r.y);
    r.x *= size;
    r.y *= size;
    return r;
}
WEIR_RANDOM double2 weir_box_muller(unsigned x0, unsigned x1, unsigned y0, unsigned y1)
{
    const double size = sqrt(-2.0 * log(weir_uniform(x0, x1))), v = weir_uniform(y0, y1) * 2.0;
    double2 r;
    sincospi(v, &r.x, &r.y);
    r.x *= size;
    r.y *= size;
    return r;
}

template <typename STATE> WEIR_RANDOM float curand_uniform(STATE *s)
{
    return weir_uniform(curand(s));
}
WEIR_RANDOM float curand_uniform(curandStateMRG32k3a_t *s)
{
    return (float)(weir_mrg(s) * 2.328306549295727688e-10);
}
template <typename STATE> WEIR_RANDOM double curand_uniform_double(STATE *s)
{
    const unsigned x = curand(s);
    return weir_uniform(x, curand(s));
}
WEIR_RANDOM double curand_uniform_double(curandStateMRG32k3a_t *s)
{
    return weir_mrg(s) * 2.328306549295727688e-10;
}
WEIR_RANDOM double curand_uniform_double(curandStateSobol32_t *s)
{
    return curand(s) * 2.3283064365386963e-10 + 1.1641532182693481e-10;
}
template <typename STATE> WEIR_RANDOM float2 curand_normal2(STATE *s)
{
    const unsigned x = curand(s);
    return weir_box_muller(x, curand(s));
}
template <typename STATE> WEIR_RANDOM double2 curand_normal2_double(STATE *s)
{
    const unsigned x0 = curand(s), x1 = curand(s), y0 = curand(s);
    return weir_box_muller(x0, x1, y0, curand(s));
}
/* Every second call gives the other half of a pair. */
template <typename STATE> WEIR_RANDOM float curand_normal(STATE *s)
{
    s->spare.has ^= 1;
    if (!s->spare.has)
        return s->spare.number;
    const float2 v = curand_normal2(s);
    s->spare.number = v.y;
    return v.x;
}
template <typename STATE> WEIR_RANDOM double curand_normal_double(STATE *s)
{
    s->spare.has_double ^= 1;
    if (!s->spare.has_double)
        return s->spare.number_double;
    const double2 v = curand_normal2_double(s);
    s->spare.number_double = v.y;
    return v.x;
}
/* A quasi-random point must not be mixed with the next one. */
WEIR_RANDOM float curand_normal(curandStateSobol32_t *s)
{
    return normcdfinvf(weir_uniform(curand(s)));
}
WEIR_RANDOM double curand_normal_double(curandStateSobol32_t *s)
{
    return normcdfinv(curand_uniform_double(s));
}
template <typename STATE> WEIR_RANDOM float curand_log_normal(STATE *s, float mean, float stddev)
{
    return expf(mean + stddev * curand_normal(s));
}
template <typename STATE> WEIR_RANDOM double curand_log_normal_double(STATE *s, double mean, double stddev)
{
    return exp(mean + stddev * curand_normal_double(s));
}
template <typename STATE> WEIR_RANDOM float2 curand_log_normal2(STATE *s, float mean, float stddev)
{
    const float2 v = curand_normal2(s);
    return make_float2(expf(mean + stddev * v.x), expf(mean + stddev * v.y));
}

WEIR_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *s)
{
    const uint4 v = curand4(s);
    return make_float4(weir_uniform(v.x), weir_uniform(v.y), weir_uniform(v.z), weir_uniform(v.w));
}
WEIR_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
    const uint4 v = curand4(s);
    return make_double2(weir_uniform(v.x, v.y), weir_uniform(v.z, v.w));
}
WEIR_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *s)
{
    const uint4 v = curand4(s);
    const float2 a = weir_box_muller(v.x, v.y), b = weir_box_muller(v.z, v.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
WEIR_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float stddev)
{
    const float4 v = curand_normal4(s);
    return make_float4(expf(mean + stddev * v.x), expf(mean + stddev * v.y), expf(mean + stddev * v.z),
                       expf(mean + stddev * v.w));
}

/* Knuth's product of uniform numbers for small means, a rounded normal number for large ones. */
template <typename STATE> WEIR_RANDOM unsigned int curand_poisson(STATE *s, double lambda)
{
    if (lambda > 64) {
        const double v = floor(lambda + sqrt(lambda) * normcdfinv(curand_uniform_double(s)) + 0.5);
        return v < 0 ? 0 : (unsigned)v;
    }
    unsigned n = 0;
    for (double product = curand_uniform_double(s), end = exp(-lambda); product > end; n++)
        product *= curand_uniform_double(s);
    return n;
}
#undef WEIR_RANDOM
#endif

#endif
