/*
 * cuRAND's host interface: a generator keeps the states of its 4096 sequences in device memory; each call runs one kernel.
 * A host generator does the same into device memory and copies.
 *
 * Left out: Mersenne twisters, scrambled and 64-bit Sobol sequences, more than ten dimensions, other orderings (all are
 * taken for the default).
 */
#include "weir/cuda/curand.h"

#include "base/out_of_memory.h"
#include "base/mem.h"
#include "compile/kernels.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { SEQUENCES = 4096, CTA_THREADS = 256, STATE_BYTES = 96, DIMENSIONS = 10 };

struct curandGenerator_st {
    curandRngType_t type;
    const char *define; /* of generate.cu */
    bool quasi, on_host;
    cudaStream_t stream;
    unsigned long long seed, offset, done;
    unsigned dimensions;
    void *states; /* quasi: direction vectors. NULL: not made yet, or out of date */
};

/* ---- Sobol's direction vectors ---- */

/*
 * The first ten dimensions of Joe and Kuo's set D6 (2008): degree of the primitive polynomial, its inner coefficients,
 * the first numbers m. The first dimension is van der Corput's sequence.
 */
static const struct {
    uint8_t degree, coefficients, m[5];
} joe_kuo[DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
};

static curandDirectionVectors32_t vectors[DIMENSIONS];

static void make_vectors(void)
{
    for (int d = 0; d < DIMENSIONS; d++)
        for (unsigned k = 0; k < 32; k++) {
            const unsigned s = d ? joe_kuo[d - 1].degree : 0;
            if (!d || k < s) {
                vectors[d][k] = (d ? joe_kuo[d - 1].m[k] : 1u) << (31 - k);
                continue;
            }
            unsigned v = vectors[d][k - s] ^ vectors[d][k - s] >> s;
            for (unsigned i = 1; i < s; i++)
                if (joe_kuo[d - 1].coefficients >> (s - 1 - i) & 1)
                    v ^= vectors[d][k - i];
            vectors[d][k] = v;
        }
}

API curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *out[], curandDirectionVectorSet_t set)
{
    if (!out || set != CURAND_DIRECTION_VECTORS_32_JOEKUO6)
        return CURAND_STATUS_OUT_OF_RANGE;
    make_vectors();
    *out = vectors;
    return CURAND_STATUS_SUCCESS;
}

/* ---- generators ---- */
static curandStatus_t status_of(cudaError_t e)
{
    return e == cudaSuccess                 ? CURAND_STATUS_SUCCESS
           : e == cudaErrorMemoryAllocation ? CURAND_STATUS_ALLOCATION_FAILED
                                            : CURAND_STATUS_LAUNCH_FAILURE;
}

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool on_host)
{
    const char *define =
        type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW  ? "-DSTATE=curandStateXORWOW"
        : type == CURAND_RNG_PSEUDO_MRG32K3A                                   ? "-DSTATE=curandStateMRG32k3a"
        : type == CURAND_RNG_PSEUDO_PHILOX4_32_10                              ? "-DSTATE=curandStatePhilox4_32_10"
        : type == CURAND_RNG_QUASI_DEFAULT || type == CURAND_RNG_QUASI_SOBOL32 ? "-DSTATE=curandStateSobol32"
                                                                               : NULL;
    int version;
    if (!out)
        return CURAND_STATUS_INITIALIZATION_FAILED;
    if (!define) {
        fflush(stdout);
        fprintf(stderr, "weir: cuRAND: generator %d is not there; use XORWOW, MRG32k3a, Philox4x32-10 or Sobol32\n",
                (int)type);
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (cudaRuntimeGetVersion(&version) || cudaFree(NULL))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    struct curandGenerator_st *g = xcalloc(1, sizeof *g);
    *g = (struct curandGenerator_st){
        .type = type, .define = define, .quasi = type >= CURAND_RNG_QUASI_DEFAULT, .on_host = on_host, .dimensions = 1};
    *out = g;
    return CURAND_STATUS_SUCCESS;
}

API curandStatus_t curandCreateGenerator(curandGenerator_t *out, curandRngType_t type)
{
    return create(out, type, false);
}

API curandStatus_t curandCreateGeneratorHost(curandGenerator_t *out, curandRngType_t type)
{
    return create(out, type, true);
}

API curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    cudaFree(g->states);
    free(g);
    return CURAND_STATUS_SUCCESS;
}

API curandStatus_t curandGetVersion(int *version)
{
    if (!version)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

API curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = type == MAJOR_VERSION ? CURAND_VER_MAJOR : type == MINOR_VERSION ? CURAND_VER_MINOR : CURAND_VER_PATCH;
    return CURAND_STATUS_SUCCESS;
}

/* Begins anew: the next call makes the states. */
static curandStatus_t restart(curandGenerator_t g)
{
    cudaFree(g->states);
    g->states = NULL;
    return CURAND_STATUS_SUCCESS;
}

API curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

API curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (g->quasi)
        return CURAND_STATUS_TYPE_ERROR;
    g->seed = seed;
    return restart(g);
}

API curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    g->offset = offset;
    return restart(g);
}

API curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    return (order == CURAND_ORDERING_QUASI_DEFAULT) == g->quasi ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}

API curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned n)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!g->quasi)
        return CURAND_STATUS_TYPE_ERROR;
    if (n < 1 || n > DIMENSIONS) {
        fflush(stdout);
        fprintf(stderr, "weir: cuRAND: Sobol sequences have 1 to %d dimensions here, not %u\n", DIMENSIONS, n);
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    g->dimensions = n;
    return restart(g);
}

/* ---- numbers ---- */
static cudaError_t launch(curandGenerator_t g, const char *name, dim3 grid, void **args)
{
    const char *const defines[] = {g->define, g->quasi ? "-DQUASI" : NULL, NULL};
    char kernel[64];
    cudaKernel_t k;
    snprintf(kernel, sizeof kernel, "weir_curand_%s", name);
    const cudaError_t e = kernel_find("curand/generate.cu", defines, kernel, &k);
    return e ? e : cudaLaunchKernel((const void *)k, grid, (dim3){CTA_THREADS, 1, 1}, args, 0, g->stream);
}

static cudaError_t make_states(curandGenerator_t g)
{
    cudaError_t e = cudaMalloc(&g->states, g->quasi ? sizeof vectors : (size_t)SEQUENCES * STATE_BYTES);
    g->done = g->offset;
    if (!e && g->quasi) {
        make_vectors();
        e = cudaMemcpyAsync(g->states, vectors, sizeof vectors, cudaMemcpyHostToDevice, g->stream);
    } else if (!e) {
        e = launch(g, "seed", (dim3){SEQUENCES / CTA_THREADS, 1, 1}, (void *[]){&g->states, &g->seed, &g->offset});
    }
    if (e)
        restart(g);
    return e;
}

static curandStatus_t generate(curandGenerator_t g, const char *name, void *out, size_t n, size_t bytes, double a,
                               double b)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!n)
        return CURAND_STATUS_SUCCESS;
    if (!out)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (g->quasi && n % g->dimensions)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (n > SIZE_MAX / bytes)
        return CURAND_STATUS_ALLOCATION_FAILED;
    cudaError_t e = g->states ? cudaSuccess : make_states(g);
    void *to = out;
    if (!e && g->on_host)
        e = cudaMalloc(&to, n * bytes);
    if (e)
        return status_of(e);
    unsigned long long each = g->quasi ? n / g->dimensions : n;
    const unsigned long long ctas = (each + CTA_THREADS - 1) / CTA_THREADS;
    const dim3 grid = {g->quasi && ctas < SEQUENCES / CTA_THREADS ? (unsigned)ctas : SEQUENCES / CTA_THREADS,
                       g->quasi ? g->dimensions : 1, 1};
    e = launch(g, name, grid, (void *[]){&g->states, &to, &each, &g->done, &a, &b});
    g->done += each;
    if (g->on_host) {
        if (!e)
            e = cudaMemcpy(out, to, n * bytes, cudaMemcpyDeviceToHost);
        cudaFree(to);
    }
    return status_of(e);
}

API curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    return g->states ? CURAND_STATUS_SUCCESS : status_of(make_states(g));
}

API curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out, size_t n)
{
    return generate(g, "bits", out, n, sizeof *out, 0, 0);
}

API curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n)
{
    return generate(g, "uniform", out, n, sizeof *out, 0, 0);
}

API curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n)
{
    return generate(g, "uniform_double", out, n, sizeof *out, 0, 0);
}

/* cuRAND makes normal numbers in pairs and refuses an odd count of a pseudo-random generator. */
#define NORMAL(function, name, T)                                                                                      \
    API curandStatus_t function(curandGenerator_t g, T *out, size_t n, T mean, T deviation)                            \
    {                                                                                                                  \
        if (g && !g->quasi && n % 2)                                                                                   \
            return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                                                  \
        return generate(g, name, out, n, sizeof *out, (double)mean, (double)deviation);                                \
    }
NORMAL(curandGenerateNormal, "normal", float)
NORMAL(curandGenerateNormalDouble, "normal_double", double)
NORMAL(curandGenerateLogNormal, "log_normal", float)
NORMAL(curandGenerateLogNormalDouble, "log_normal_double", double)

API curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *out, size_t n, double lambda)
{
    return lambda > 0 ? generate(g, "poisson", out, n, sizeof *out, lambda, 0) : CURAND_STATUS_OUT_OF_RANGE;
}
