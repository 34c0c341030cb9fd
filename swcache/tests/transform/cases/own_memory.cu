// Kernels with dynamic shared memory of their own: lines come behind it; scans need none.
#include "common.h"

extern __shared__ int everyones[];

__global__ void tables(const unsigned char *__restrict__ in, const int *__restrict__ table, unsigned *__restrict__ out,
                       int n)
{
    extern __shared__ unsigned char counts[];
    int t = threadIdx.x;
    for (int k = 0; k < 16; k++)
        counts[t * 16 + k] = 0;
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        counts[t * 16 + (in[t * n + i] & 15)]++;
        sum += in[t * n + i / 2] * counts[t * 16];
        out[t * n + i] = sum;
    }
    out[t * n] = sum + counts[t * 16 + 5];
}

template <class T> __global__ void scans(const short *__restrict__ in, T *__restrict__ out, int n)
{
    int t = threadIdx.x;
    everyones[t] = 0;
    for (int i = t * n; i < (t + 1) * n; i++)
        everyones[t] = everyones[t] * 3 + in[i];
    out[t] = (T)everyones[t];
}

int main()
{
    const int threads = 64, n = 70;
    unsigned char *in = filled<unsigned char>(threads * n + 1, 1, 3);
    short *halves = filled<short>(threads * n, 2, 2);
    unsigned *out = filled<unsigned>(threads * n, 3);
    int *table = filled<int>(16, 4);
    size_t bytes = threads * 16;
    tables<<<1, threads, bytes>>>(in, table, out, n);
    print_hash("tables", out, threads * n);
    tables<<<1, threads, threads * 16 * sizeof(char), 0>>>(in, table, out, n - 1);
    print_hash("tables", out, threads * n);
    scans<<<1, threads, threads * sizeof(int)>>>(halves, out, n);
    OK(cudaGetLastError());
    print_hash("scans", out, threads);
}
