// What the standard leaves undefined, old programs do, and nvcc's host compiler, which does not optimize unless asked, lets pass: integers
// that wrap, a function without its return, and memory read as another type.
// flags: -O3
// only: clang
#include "check.h"

static int shout(const char *word)
{
    if (word)
        printf("%s\n", word);
}

__device__ int leave(int *p, int v)
{
    if (v > 1000)
        return 1;
    *p = v;
}

__global__ void square(int *a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        leave(&a[i], (int)((unsigned)a[i] * (unsigned)a[i]) % 1000);
}

__attribute__((noinline)) static float bits_of(int *as_int, float *as_float)
{
    *as_float = 1;
    *as_int = 0x40000000;
    return *as_float;
}

int main()
{
    const int n = 100000;
    std::vector<int> a(n);
    for (int i = 0; i < n; i++)
        a[i] = i;
    dev<int> d(a);
    square<<<(n + 255) / 256, 256>>>(d, n);
    RAN();
    a = d.get();
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += a[i] != i * i % 1000;
    CHECK(wrong == 0);
    shout("said");
    float f;
    CHECK(bits_of((int *)&f, &f) == 2);
    return check_result();
}
