// Separate compilation: a kernel calls a device function, and uses a device variable, that another file defines.
// files: separate/library.cu separate/functions.cu
// flags: -rdc=true
#include "check.h"
#include "separate/library.h"

__global__ void use(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = library_mix(i, library_bias) + library_twice(library_table[i % 4]);
    atomicAdd(&library_calls, 1);
}

int main()
{
    const int n = 256;
    dev<int> out(n);
    use<<<2, 128>>>(out);
    RAN();
    std::vector<int> want(n);
    int table[4] = {5, 6, 7, 8};
    for (int i = 0; i < n; i++)
        want[i] = (i * 31 ^ 100) + 2 * table[i % 4];
    check_equal("mixed", out.get(), want);
    CHECK(library_count() == n);
    return check_result();
}
