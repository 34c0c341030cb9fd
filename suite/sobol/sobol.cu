/*
 * Sobol sequences in many dimensions.
 *
 * Origin: CUDA SDK, SobolQRNG. Grid: dimensions in y, vectors in x; 64 threads per block; direction vectors of the block's
 * dimension in shared memory; a thread computes its first element from the Gray code of its index and then steps by the
 * grid's (power-of-two) stride with two exclusive ors.
 * Simplified: direction vectors are generated from random odd initial values and fixed small primitive polynomials
 * instead of the published table (the memory behavior does not depend on their values).
 * Original 100,000 vectors of 100 dimensions, which is "paper".
 */
#include "../common/suite.h"

#include <vector>

enum { DIRECTIONS = 32, THREADS = 64 };

__global__ void sobol(unsigned n_vectors, unsigned n_dims, const unsigned *directions, float *out)
{
    __shared__ unsigned v[DIRECTIONS];
    directions += DIRECTIONS * blockIdx.y;
    out += n_vectors * blockIdx.y;
    if (threadIdx.x < DIRECTIONS)
        v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();
    int i0 = threadIdx.x + blockIdx.x * blockDim.x, stride = gridDim.x * blockDim.x;
    unsigned g = (unsigned)(i0 ^ (i0 >> 1)), x = 0;
    for (unsigned k = 0; k < (unsigned)__ffs(stride) - 1; k++) {
        unsigned mask = (unsigned)-(int)(g & 1);
        x ^= mask & v[k];
        g >>= 1;
    }
    if (i0 < (int)n_vectors)
        out[i0] = (float)x * 2.3283064365386963e-10f;
    unsigned v_log2stride_minus1 = v[__ffs(stride) - 2], v_stridemask;
    unsigned step = (unsigned)stride - 1;
    for (int i = i0 + stride; i < (int)n_vectors; i += stride) {
        v_stridemask = v[__ffs((int)~((unsigned)(i - stride) | step)) - 1];
        x ^= v_log2stride_minus1 ^ v_stridemask;
        out[i] = (float)x * 2.3283064365386963e-10f;
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    unsigned vectors = suite_pick(size, 2048u, 32768u, 100000u), dims = suite_pick(size, 8u, 100u, 100u);
    std::vector<unsigned> dir(dims * DIRECTIONS);
    suite_rng r(31);
    for (unsigned d = 0; d < dims; d++) {
        unsigned *v = &dir[d * DIRECTIONS];
        for (int k = 0; k < DIRECTIONS; k++) {
            unsigned odd = d == 0 ? 1 : (unsigned)r.next() | 1;
            v[k] = odd << (31 - k); /* bit 31 - k is the highest-numbered set bit's partner: full rank */
        }
    }
    unsigned *ddir = suite_to_device(dir.data(), dir.size());
    size_t n = (size_t)vectors * dims;
    float *dout = suite_device<float>(n);
    /* As many blocks as keep at least four vectors per thread; a power of two, as the Gray-code step needs. */
    unsigned gx = 1;
    while (gx * 2 * THREADS * 4 <= vectors && gx < 16)
        gx *= 2;
    sobol<<<dim3(gx, dims), THREADS>>>(vectors, dims, ddir, dout);
    SUITE_LAUNCHED();
    std::vector<float> got(n), expect(n);
    suite_to_host(got.data(), dout, n);
    for (unsigned d = 0; d < dims; d++)
        for (unsigned i = 0; i < vectors; i++) {
            unsigned g = i ^ (i >> 1), x = 0;
            for (int k = 0; g; k++, g >>= 1)
                if (g & 1)
                    x ^= dir[d * DIRECTIONS + k];
            expect[(size_t)d * vectors + i] = (float)x * 2.3283064365386963e-10f;
        }
    return suite_done("sobol", argc, argv, suite_diff_exact("x", got.data(), expect.data(), n));
}
