/*
 * weir's kernel of cuFFT. Not NVIDIA's.
 *
 * A CTA keeps some lines in shared memory, twice, and transforms them from one copy to the other and back: Stockham's algorithm,
 * radices 2, 3, 4, 5, 7 and 8 (Govindaraju et al., SC 2008, describe it for GPUs). Lengths with other prime factors are
 * convolutions (Bluestein, 1970) in the same memory. An inverse transform is a forward one of numbers with real and imaginary
 * part exchanged. Real input is transformed as complex numbers without an imaginary part.
 *
 * Neighbors in memory are loaded and stored by neighboring threads, be they elements of a line or lines. Not modeled on
 * NVIDIA's kernels: data between stages in registers, padding against bank conflicts.
 *
 * REAL: float or double.
 */
#include "lines.h"

template <typename R> struct pair;
template <> struct pair<float> { typedef float2 type; };
template <> struct pair<double> { typedef double2 type; };
typedef REAL real;
typedef pair<real>::type number;

static __device__ number make(real x, real y)
{
    number z;
    z.x = x, z.y = y;
    return z;
}
static __device__ number operator+(number a, number b) { return make(a.x + b.x, a.y + b.y); }
static __device__ number operator-(number a, number b) { return make(a.x - b.x, a.y - b.y); }
static __device__ number operator*(number a, number b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
static __device__ number operator*(real a, number b) { return make(a * b.x, a * b.y); }
static __device__ number over_i(number a) { return make(a.y, -a.x); }
static __device__ number exchange(number a) { return make(a.y, a.x); }

/* ---- transforms of a few points, in registers ---- */
static __device__ void transform(number (&x)[2])
{
    const number a = x[0];
    x[0] = a + x[1], x[1] = a - x[1];
}
static __device__ void transform(number (&x)[4])
{
    const number a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = over_i(x[1] - x[3]);
    x[0] = a + c, x[1] = b + d, x[2] = a - c, x[3] = b - d;
}
static __device__ void transform(number (&x)[8])
{
    const real h = (real)0.70710678118654752440;
    number even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    transform(even), transform(odd);
    odd[1] = h * (odd[1] + over_i(odd[1]));
    odd[2] = over_i(odd[2]);
    odd[3] = h * (over_i(odd[3]) - odd[3]);
    for (int k = 0; k < 4; k++)
        x[k] = even[k] + odd[k], x[k + 4] = even[k] - odd[k];
}
/* Odd lengths: results k and -k share the sums and the differences of x[j] and x[-j]. */
template <int N> static __device__ void transform(number (&x)[N])
{
    const real cosine[3] = {N == 3 ? (real)-0.5 : N == 5 ? (real)0.30901699437494742410 : (real)0.62348980185873353053,
                            N == 5 ? (real)-0.80901699437494742410 : (real)-0.22252093395631440429,
                            (real)-0.90096886790241912624};
    const real sine[3] = {N == 3   ? (real)0.86602540378443864676
                          : N == 5 ? (real)0.95105651629515357212
                                   : (real)0.78183148246802980871,
                          N == 5 ? (real)0.58778525229247312917 : (real)0.97492791218182360702,
                          (real)0.43388373911755812048};
    number sum[N / 2], difference[N / 2], all = x[0];
#pragma unroll
    for (int j = 1; j <= N / 2; j++) {
        sum[j - 1] = x[j] + x[N - j], difference[j - 1] = x[j] - x[N - j];
        all = all + sum[j - 1];
    }
#pragma unroll
    for (int k = 1; k <= N / 2; k++) {
        number even = x[0], odd = make(0, 0);
#pragma unroll
        for (int j = 1; j <= N / 2; j++) {
            const int m = j * k % N, at = m <= N / 2 ? m : N - m;
            even = even + cosine[at - 1] * sum[j - 1];
            odd = odd + (m <= N / 2 ? sine[at - 1] : -sine[at - 1]) * difference[j - 1];
        }
        x[k] = even + over_i(odd), x[N - k] = even - over_i(odd);
    }
    x[0] = all;
}

/* ---- lines in shared memory ---- */
template <int RADIX>
static __device__ void stage(const lines &p, const number *from, number *to, int done)
{
    const int n = p.padded, quarter = n / RADIX, turn = quarter / done;
    const number *roots = (const number *)p.roots;
    for (int i = threadIdx.x; i < p.per_cta * quarter; i += blockDim.x) {
        const int line = i / quarter * n, j = i % quarter, k = j % done;
        number x[RADIX];
#pragma unroll
        for (int q = 0; q < RADIX; q++) {
            x[q] = from[line + j + q * quarter];
            if (q)
                x[q] = x[q] * roots[q * k * turn];
        }
        transform(x);
#pragma unroll
        for (int q = 0; q < RADIX; q++)
            to[line + (j - k) * RADIX + k + q * done] = x[q];
    }
}

/* Leaves the result in `from`. */
static __device__ void stages(const lines &p, number *&from, number *&to)
{
    for (int s = 0, done = 1; s < p.stages; s++) {
        const int radix = p.radix[s];
        switch (radix) {
        case 2: stage<2>(p, from, to, done); break;
        case 3: stage<3>(p, from, to, done); break;
        case 4: stage<4>(p, from, to, done); break;
        case 5: stage<5>(p, from, to, done); break;
        case 7: stage<7>(p, from, to, done); break;
        default: stage<8>(p, from, to, done);
        }
        done *= radix;
        number *other = from;
        from = to, to = other;
        __syncthreads();
    }
}

static __device__ number load(const lines &p, long long at, int k, int part, long long step)
{
    if (p.from == LINES_REAL)
        return make(((const real *)p.in)[at + k * step], 0);
    const number *in = (const number *)p.in;
    if (p.from == LINES_HALF) { /* element e of the longer line; `at` is that of its element 0 */
        const int e = k * p.in_part_step + part * p.in_part;
        if (e > p.total / 2) {
            const number z = in[at + (p.total - e) * step];
            return make(z.x, -z.y);
        }
        return in[at + e * step];
    }
    return in[at + k * step];
}

static __device__ void store(const lines &p, long long at, int k, int part, long long step, number z)
{
    if (p.to == LINES_REAL)
        ((real *)p.out)[at + k * step] = z.x;
    else if (p.to == LINES_COMPLEX || k * p.out_part_step + part * p.out_part <= p.total / 2)
        ((number *)p.out)[at + k * step] = z;
}

static __device__ void transform_lines(const lines &p)
{
    extern __shared__ double2 memory[];
    __shared__ long long in[LINES_PER_CTA], out[LINES_PER_CTA];
    __shared__ int parts[LINES_PER_CTA];
    const int n = p.n, padded = p.padded;
    number *from = (number *)memory, *to = from + p.per_cta * padded;
    const number *chirp = (const number *)p.chirp;
    unsigned long long lines = 1;
    for (int d = 0; d < LINES_LOOPS; d++)
        lines *= p.count[d];
    const unsigned long long first = (unsigned long long)blockIdx.x * p.per_cta;
    const int here = lines - first < p.per_cta ? (int)(lines - first) : p.per_cta;
    if (threadIdx.x < here) {
        unsigned long long line = first + threadIdx.x;
        long long i = 0, o = 0;
        int part = 0;
        for (int d = 0; d < LINES_LOOPS; d++) {
            const unsigned at = line % p.count[d];
            line /= p.count[d];
            if (d == p.part_loop)
                part = at;
            if (d != p.part_loop || p.from != LINES_HALF)
                i += at * p.in_stride[d];
            o += at * p.out_stride[d];
        }
        in[threadIdx.x] = i, out[threadIdx.x] = o, parts[threadIdx.x] = part;
    }
    __syncthreads();

    for (int i = threadIdx.x; i < p.per_cta * padded; i += blockDim.x) {
        const int line = p.load_across ? i % p.per_cta : i / padded, k = p.load_across ? i / p.per_cta : i % padded;
        number z = make(0, 0);
        if (line < here && k < n) {
            z = load(p, in[line], k, parts[line], p.in_step);
            if (p.inverse)
                z = exchange(z);
            if (chirp)
                z = z * chirp[k];
        }
        from[line * padded + k] = z;
    }
    __syncthreads();
    stages(p, from, to);
    if (chirp) { /* times the chirp's transform, and back */
        for (int i = threadIdx.x; i < p.per_cta * padded; i += blockDim.x)
            from[i] = exchange(from[i] * chirp[n + i % padded]);
        __syncthreads();
        stages(p, from, to);
    }

    for (int i = threadIdx.x; i < p.per_cta * n; i += blockDim.x) {
        const int line = p.store_across ? i % p.per_cta : i / n, k = p.store_across ? i / p.per_cta : i % n;
        if (line >= here)
            continue;
        number z = from[line * padded + k];
        if (chirp)
            z = exchange(z) * chirp[k];
        if (p.other) {
            const int turn = k * parts[line];
            z = z * ((const number *)p.fine)[turn % p.other] * ((const number *)p.coarse)[turn / p.other];
        }
        if (p.inverse)
            z = exchange(z);
        store(p, out[line], k, parts[line], p.out_step, z);
    }
}

#define NAME_(a, b) weir_cufft_##a##_##b
#define NAME(a, b)  NAME_(a, b)
extern "C" __global__ void NAME(complex, TYPE)(lines p) { transform_lines(p); }
extern "C" __global__ void NAME(from_real, TYPE)(lines p) { transform_lines(p); }
extern "C" __global__ void NAME(to_real, TYPE)(lines p) { transform_lines(p); }
