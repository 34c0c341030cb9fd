/*
 * Niederreiter quasirandom points and their transformation to normal deviates.
 *
 * Origin: CUDA SDK, quasirandomGenerator. Points: 128 blocks of 128 x 3 threads, threadIdx.y is the dimension, a thread
 * strides over the indices and XORs the direction numbers (constant memory, one row per dimension) of the index's set
 * bits; a dimension's points are contiguous. Inversion: 128 blocks of 128 threads, Moro's approximation of the inverse
 * normal distribution at evenly spaced arguments, over as many numbers as there are points.
 * The direction numbers are computed here from the irreducible polynomials x, x + 1 and x^2 + x + 1.
 * Original 1 Mi indices per dimension; "paper" is the same.
 */
#include "../common/suite.h"

#include <vector>

enum { DIMENSIONS = 3, BITS = 31, BLOCKS = 128, THREADS = 128 };

__constant__ unsigned direction[DIMENSIONS][BITS];

__global__ void points(float *out, unsigned seed, unsigned n)
{
    const unsigned *row = direction[threadIdx.y];
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned x = 0, index = seed + i;
        for (int bit = 0; bit < BITS; bit++, index >>= 1)
            if (index & 1)
                x ^= row[bit];
        out[threadIdx.y * n + i] = (float)(x + 1) * (1.0f / 2147483649.0f);
    }
}

/* Moro 1995: a rational function in the middle of the bell, a polynomial in log(-log p) in the tails. */
template <class T, class Log> static __host__ __device__ T inverse_normal(unsigned u, Log log_of)
{
    const bool upper = u >= 0x80000000u;
    const T p = (T)(upper ? 0xffffffffu - u : u) * (T)(1.0 / 4294967295.0) + (T)(0.5 / 4294967295.0), y = p - (T)0.5;
    T z;
    if (y > (T)-0.42) {
        const T r = y * y;
        z = y * ((((T)-25.44106049637 * r + (T)41.39119773534) * r + (T)-18.61500062529) * r + (T)2.50662823884) /
            (((((T)3.13082909833 * r + (T)-21.06224101826) * r + (T)23.08336743743) * r + (T)-8.4735109309) * r + (T)1);
    } else {
        const T k = log_of(-log_of(p));
        const T c[] = {(T)3.960315187e-7,    (T)2.888167364e-7,     (T)3.21767881768e-5,
                       (T)3.951896511919e-4, (T)3.8405729373609e-3, (T)0.0276438810333863,
                       (T)0.160797971491821, (T)0.976169019091719,  (T)0.337475482272615};
        z = c[0];
        for (int i = 1; i < 9; i++)
            z = z * k + c[i];
        z = -z;
    }
    return upper ? -z : z;
}

struct fast_log {
    __device__ float operator()(float x) const { return __logf(x); }
};

__global__ void invert(float *out, unsigned n)
{
    const unsigned distance = 0xffffffffu / (n + 1);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] = inverse_normal<float>((i + 1) * distance, fast_log());
}

/* ---- direction numbers (Bratley, Fox and Niederreiter, ACM TOMACS 2, 1992); polynomials over GF(2) as bit masks ----
 */
static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t p = 0;
    for (; b; b >>= 1, a <<= 1)
        p ^= b & 1 ? a : 0;
    return p;
}

static void directions(unsigned polynomial, int degree, unsigned row[BITS])
{
    for (int i = 0; i < BITS; i++)
        row[i] = 0;
    uint64_t power = 1; /* polynomial^q */
    for (int j = 0; j < BITS;) {
        const int kept = j; /* degree of the power so far: those terms of the sequence are zero, the next is one */
        power = product(power, polynomial);
        const int order = kept + degree;
        std::vector<int> v(order + degree + BITS);
        for (int i = kept; i < order; i++)
            v[i] = 1;
        for (size_t i = order; i < v.size(); i++)
            for (int k = 0; k < order; k++)
                v[i] ^= (int)(power >> k & 1) & v[i - order + k];
        for (int u = 0; u < degree && j < BITS; u++, j++)
            for (int r = 0; r < BITS; r++)
                row[r] |= (unsigned)v[u + r] << (BITS - 1 - j);
    }
}

int main(int argc, char **argv)
{
    const unsigned n = suite_pick(suite_parse_size(argc, argv), 1u << 12, 1u << 17, 1u << 20), all = DIMENSIONS * n;
    unsigned row[DIMENSIONS][BITS];
    directions(2, 1, row[0]);
    directions(3, 1, row[1]);
    directions(7, 2, row[2]);
    SUITE_CUDA(cudaMemcpyToSymbol(direction, row, sizeof row));
    float *out = suite_device<float>(all);
    std::vector<float> got(all), expect(all);

    points<<<BLOCKS, dim3(THREADS, DIMENSIONS)>>>(out, 0, n);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), out, all);
    size_t bad = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        std::vector<int> hits(1024); /* the first 1024 points fall one into each 1024th of the interval */
        for (unsigned i = 0; i < n; i++) {
            unsigned x = 0;
            for (int b = 0; b < BITS; b++)
                x ^= i >> b & 1 ? row[d][b] : 0;
            expect[d * n + i] = (float)(x + 1) * (1.0f / 2147483649.0f);
            if (i < 1024)
                bad += hits[x >> (BITS - 10)]++ != 0;
        }
    }
    bad += suite_diff("points", got.data(), expect.data(), all, 1e-6, 0);

    invert<<<BLOCKS, THREADS>>>(out, all);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), out, all);
    for (unsigned i = 0; i < all; i++)
        expect[i] = (float)inverse_normal<double>((i + 1) * (0xffffffffu / (all + 1)), [](double x) { return log(x); });
    bad += suite_diff("normal", got.data(), expect.data(), all, 1e-3, 1e-4);
    return suite_done("quasirandom", argc, argv, bad);
}
