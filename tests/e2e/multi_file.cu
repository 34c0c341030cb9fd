// A program of several files: two with kernels, one of C++, one of C.
// files: multi_file/scale.cu multi_file/driver.cpp multi_file/table.c
#include "check.h"
#include "multi_file/parts.h"

__global__ void offset(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += 1;
}

int main()
{
    const int n = 300;
    std::vector<float> in(n), want(n);
    for (int i = 0; i < n; i++) {
        in[i] = (float)i;
        want[i] = (i + 1) * (float)table_entry(3) * 0.5f;
    }
    dev<float> d(in);
    offset<<<3, 128>>>(d, n);
    scale(d, n, (float)table_entry(3));
    CHECK(halve_on_device(d, n) == 0);
    check_equal("scaled", d.get(), want);
    return check_result();
}
