/*
 * weir's kernels of cuRAND's host interface. Not NVIDIA's.
 *
 * A pseudo-random generator is 4096 threads, each with a sequence of its own: number n of an array is the next one of
 * sequence n mod 4096, counted over all calls. A quasi-random one gives each dimension a part of the array.
 *
 * STATE: the generator's state in curand_kernel.h.
 */
#include <curand_kernel.h>

enum { SEQUENCES = 4096 };
static_assert(sizeof(STATE) <= 96 || sizeof(STATE) == sizeof(curandStateSobol32), "what the host sets aside for a state");

/* The numbers of one thread, from `done` numbers of earlier calls on. */
#define EACH(i)                                                                                                        \
    for (unsigned long long thread = blockIdx.x * blockDim.x + threadIdx.x,                                            \
                            i = (thread + SEQUENCES - done % SEQUENCES) % SEQUENCES;                                   \
         i < n; i += SEQUENCES)
#define KERNEL(name, type, number)                                                                                     \
    extern "C" __global__ void weir_curand_##name(STATE *states, type *out, unsigned long long n,                      \
                                                  unsigned long long done, double a, double b)                         \
    {                                                                                                                  \
        STATE s = states[blockIdx.x * blockDim.x + threadIdx.x];                                                       \
        EACH(i)                                                                                                        \
            out[i] = number;                                                                                           \
        states[blockIdx.x * blockDim.x + threadIdx.x] = s;                                                             \
    }

#ifndef QUASI
extern "C" __global__ void weir_curand_seed(STATE *states, unsigned long long seed, unsigned long long offset)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    /* Of the first `offset` numbers each thread has had its share. */
    const unsigned long long passed = offset / SEQUENCES + (thread < offset % SEQUENCES);
    curand_init(seed, thread, passed, &states[thread]);
}
#define NUMBERS(K)                                                                                                     \
    K(bits, unsigned, curand(&s))                                                                                  \
    K(uniform, float, curand_uniform(&s))                                                                          \
    K(uniform_double, double, curand_uniform_double(&s))                                                           \
    K(normal, float, (float)a + (float)b * curand_normal(&s))                                                      \
    K(normal_double, double, a + b * curand_normal_double(&s))                                                     \
    K(log_normal, float, curand_log_normal(&s, (float)a, (float)b))                                                \
    K(log_normal_double, double, curand_log_normal_double(&s, a, b))                                               \
    K(poisson, unsigned, curand_poisson(&s, a))
NUMBERS(KERNEL)
#else
/* Sobol: CTA y is dimension y of `gridDim.y`, with n numbers from `done` on. */
#define QUASI_KERNEL(name, type, number)                                                                               \
    extern "C" __global__ void weir_curand_##name(const unsigned *vectors, type *out, unsigned long long n,            \
                                                  unsigned long long done, double a, double b)                         \
    {                                                                                                                  \
        unsigned own[32];                                                                                              \
        STATE s;                                                                                                       \
        for (int k = 0; k < 32; k++)                                                                                   \
            own[k] = vectors[32 * blockIdx.y + k];                                                                     \
        for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {       \
            curand_init(own, (unsigned)(done + i), &s);                                                                \
            out[n * blockIdx.y + i] = number;                                                                          \
        }                                                                                                              \
    }
QUASI_KERNEL(bits, unsigned, curand(&s))
QUASI_KERNEL(uniform, float, curand_uniform(&s))
QUASI_KERNEL(uniform_double, double, curand_uniform_double(&s))
QUASI_KERNEL(normal, float, (float)a + (float)b * curand_normal(&s))
QUASI_KERNEL(normal_double, double, a + b * curand_normal_double(&s))
QUASI_KERNEL(log_normal, float, curand_log_normal(&s, (float)a, (float)b))
QUASI_KERNEL(log_normal_double, double, curand_log_normal_double(&s, a, b))
QUASI_KERNEL(poisson, unsigned, (unsigned)floor(fmax(0.0, a + sqrt(a) * normcdfinv(curand_uniform_double(&s)) + 0.5)))
#endif
