// Indirect calls: tables of device functions, pointers passed to kernels, different targets within one warp.
#include "check.h"

typedef float (*operation)(float, float);
__device__ static float add(float a, float b) { return a + b; }
__device__ static float sub(float a, float b) { return a - b; }
__device__ static float mul(float a, float b) { return a * b; }
__device__ static float larger(float a, float b) { return a > b ? a : b; }

__device__ operation table[4] = {add, sub, mul, larger};
__device__ operation chosen = mul;

__global__ void by_table(const float *a, const float *b, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[i % 4](a[i], b[i]);
}
__global__ void by_argument(operation f, const float *a, const float *b, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = f(a[i], b[i]);
}

int main()
{
    const int n = 256;
    rng r(15);
    std::vector<float> a(n), b(n), want(n), product(n);
    for (int i = 0; i < n; i++) {
        a[i] = (float)r.below(100);
        b[i] = (float)r.below(100);
        product[i] = a[i] * b[i];
        want[i] = i % 4 == 0 ? a[i] + b[i] : i % 4 == 1 ? a[i] - b[i] : i % 4 == 2 ? product[i] : fmaxf(a[i], b[i]);
    }
    dev<float> da(a), db(b), out(n);
    by_table<<<2, 128>>>(da, db, out);
    RAN();
    check_equal("table", out.get(), want);
    operation f;
    CUDA(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    by_argument<<<2, 128>>>(f, da, db, out);
    RAN();
    check_equal("argument", out.get(), product);
    return check_result();
}
