// OpenMP on the host, around launches of several host threads and beside them.
// flags: -Xcompiler -fopenmp -lgomp
// unless: OpenMP on the host needs clang's library
#include "check.h"
#include <omp.h>

__global__ void scale(const int *in, int *out, int by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * by;
}

int main()
{
    const int n = 1000, parts = 8;
    std::vector<int> a(n);
    long long sum = 0, want = 0;
    int threads = 0, seen[4] = {0};
    omp_set_dynamic(0);
    omp_set_num_threads(4);
#pragma omp parallel reduction(+ : threads)
    {
        threads++;
        seen[omp_get_thread_num()]++;
    }
    CHECK(threads == 4);
    for (int k = 0; k < 4; k++)
        CHECK(seen[k] == 1);
#pragma omp parallel for reduction(+ : want)
    for (int i = 0; i < n; i++) {
        a[i] = i * 3 - 500;
        want += a[i];
    }
    // Each host thread has its own arrays and launches.
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
    for (int k = 0; k < parts; k++) {
        dev<int> in(a), out(n);
        scale<<<(n + 127) / 128, 128>>>(in, out, k, n);
        RAN();
        std::vector<int> got = out.get();
        for (int i = 0; i < n; i++)
            sum += got[i];
    }
    CHECK(sum == want * (parts * (parts - 1) / 2));
    return check_result();
}
