// options: --alias-safe
// The same memory through two pointers, one a few bytes into the other.
#include "common.h"

__global__ void shift(const unsigned char *from, unsigned char *to, unsigned *sums, int n)
{
    int t = threadIdx.x;
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        to[t * (n + 8) + i] = from[t * (n + 8) + i] + 1;
        sum += from[t * (n + 8) + i / 2];
        sums[t] = sum;
    }
}

// Reads only: nothing can be aliased in this loop.
__global__ void add(const unsigned char *from, unsigned *sums, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 3 + from[threadIdx.x * n + i];
    sums[threadIdx.x] = sum;
}

int main()
{
    const int threads = 64, n = 90;
    unsigned char *field = filled<unsigned char>(threads * (n + 8), 1);
    unsigned *sums = filled<unsigned>(threads, 2);
    shift<<<1, threads>>>(field, field + 5, sums, n);
    OK(cudaGetLastError());
    print_hash("shifted", field, threads * (n + 8));
    print_hash("sums", sums, threads);
    add<<<1, threads>>>(field, sums, n);
    print_hash("added", sums, threads);
}
