// Recursive device functions: numbers, a tree, sorting on the device's own stack.
#include "check.h"
#include <algorithm>

__host__ __device__ static unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__host__ __device__ static unsigned ackermann(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ static bool is_odd(int n);
__host__ __device__ static bool is_even(int n) { return n == 0 ? true : is_odd(n - 1); }
__host__ __device__ static bool is_odd(int n) { return n == 0 ? false : is_even(n - 1); }

__device__ static void quicksort(int *a, int lo, int hi)
{
    if (lo >= hi)
        return;
    int pivot = a[(lo + hi) / 2], i = lo, j = hi;
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    quicksort(a, lo, j);
    quicksort(a, i, hi);
}

__global__ void numbers(unsigned *out)
{
    int i = threadIdx.x;
    out[i] = fibonacci(i % 12) * 1000 + ackermann(i % 3, i % 5) * 2 + is_even(i);
}
__global__ void sort(int *data, int each) { quicksort(data + threadIdx.x * each, 0, each - 1); }

int main()
{
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    dev<unsigned> out(48);
    numbers<<<1, 48>>>(out);
    RAN();
    std::vector<unsigned> want(48);
    for (int i = 0; i < 48; i++)
        want[i] = fibonacci(i % 12) * 1000 + ackermann(i % 3, i % 5) * 2 + is_even(i);
    check_equal("numbers", out.get(), want);
    rng r(14);
    std::vector<int> data(32 * 20), sorted;
    for (auto &v : data)
        v = (int)r.below(1000);
    sorted = data;
    for (int t = 0; t < 32; t++)
        std::sort(sorted.begin() + t * 20, sorted.begin() + (t + 1) * 20);
    dev<int> d(data);
    sort<<<1, 32>>>(d, 20);
    RAN();
    check_equal("sorted", d.get(), sorted);
    return check_result();
}
