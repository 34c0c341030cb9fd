/*
 * A row of the tables of error codes (cudart_errors.cu, cudart_errors_graphs.cu), printed for cudart_errors.py: where the
 * expected answer is from, the answer, and the call. After every call the last error is cleared.
 *
 * D: the list of codes in the function's own documentation. E: the definition of the code (enum cudaError), for codes
 * that the function's list leaves out, as it does for handles nearly everywhere. B: what an H200 answered to the same
 * mistake in a function beside it (cudart_semantics.expected).
 */
#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>

static void row(const char *text, const char *source, cudaError_t want, cudaError_t got)
{
    printf("%s\t%s\t%s\t%s\n", source, cudaGetErrorName(want), cudaGetErrorName(got), text);
    cudaGetLastError();
}
#define D(want, ...) row(#__VA_ARGS__, "D", want, __VA_ARGS__)
#define E(want, ...) row(#__VA_ARGS__, "E", want, __VA_ARGS__)
#define B(want, ...) row(#__VA_ARGS__, "B", want, __VA_ARGS__)

/* What most rows expect. */
static const cudaError_t VALUE = cudaErrorInvalidValue, HANDLE = cudaErrorInvalidResourceHandle, OK = cudaSuccess,
                         MEMORY = cudaErrorMemoryAllocation, FUNCTION = cudaErrorInvalidDeviceFunction,
                         DEVICE = cudaErrorInvalidDevice, SYMBOL = cudaErrorInvalidSymbol,
                         DIRECTION = cudaErrorInvalidMemcpyDirection, PITCH = cudaErrorInvalidPitchValue;

static const cudaMemcpyKind H2D = cudaMemcpyHostToDevice, D2H = cudaMemcpyDeviceToHost, D2D = cudaMemcpyDeviceToDevice,
                            NOWHERE = (cudaMemcpyKind)9;

enum { N = 1024 };
static const size_t HUGE_BYTES = (size_t)1 << 50;
static char *dev, host[N];
static int not_a_symbol;
static long long other[64]; /* its address stands for handles that are none */
