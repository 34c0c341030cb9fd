// The first program: c = a + b, with a grid that does not divide the length.
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 10007;
    rng r;
    std::vector<float> a(n), b(n), want(n);
    for (int i = 0; i < n; i++) {
        a[i] = r.uniform(-1, 1);
        b[i] = r.uniform(-1, 1);
        want[i] = a[i] + b[i];
    }
    dev<float> da(a), db(b), dc(n);
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    RAN();
    check_equal("sum", dc.get(), want);
    return check_result();
}
