// The example of the paper, section 1.1.
#include "common.h"

__device__ int doComputation(char a, int b)
{
    return a * 3 + b;
}

// Comments and layout stay.
__global__ void compute(const char *__restrict__ charInput, const int *__restrict__ intInput,
                        int *__restrict__ intOutput, int per_thread, int count)
{
    // Some initialization
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
    int end = min(start + per_thread, count);
    for (int i = start; i < end; i++) {
        char a = charInput[i]; /* a byte */
        int b = intInput[i];

        int e = doComputation(a, b);
        intOutput[i] = e;
    }
    // Some final computation
}

int main()
{
    const int count = 10007, per_thread = 77;
    char *chars = filled<char>(count, 1);
    int *ints = filled<int>(count, 2), *out = filled<int>(count, 3);
    compute<<<2, 128>>>(chars, ints, out, per_thread, count);
    OK(cudaGetLastError());
    print_hash("out", out, count);
}
