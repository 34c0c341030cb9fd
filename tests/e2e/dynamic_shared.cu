// Dynamic shared memory: one block of bytes cut into arrays of several types, sizes chosen at launch.
#include "check.h"

__global__ void carve(const double *in, double *out, int n)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    double *d = (double *)bytes;
    int *i = (int *)(d + n);
    short *s = (short *)(i + n);
    __shared__ float fixed[32];
    int t = threadIdx.x;
    if (t < 32)
        fixed[t] = t * 0.5f;
    for (int k = t; k < n; k += blockDim.x) {
        d[k] = in[k];
        i[k] = k * 2;
        s[k] = (short)(n - k);
    }
    __syncthreads();
    for (int k = t; k < n; k += blockDim.x)
        out[k] = d[n - 1 - k] + i[(k * 3) % n] + s[k] + fixed[k % 32];
}

// Another kernel names the same extern array with another type.
__global__ void words(int *out)
{
    extern __shared__ int w[];
    w[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = w[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    for (int n : {1, 50, 333, 1500}) {
        std::vector<double> in(n), want(n);
        for (int i = 0; i < n; i++)
            in[i] = i * 0.25;
        for (int k = 0; k < n; k++)
            want[k] = in[n - 1 - k] + (k * 3) % n * 2 + (short)(n - k) + (k % 32) * 0.5f;
        dev<double> din(in), out(n);
        size_t bytes = n * (sizeof(double) + sizeof(int) + sizeof(short));
        carve<<<1, 96, bytes>>>(din, out, n);
        RAN();
        check_equal("carved", out.get(), want);
    }
    dev<int> out(200);
    words<<<1, 200, 800>>>(out);
    RAN();
    std::vector<int> want;
    for (int i = 0; i < 200; i++)
        want.push_back(199 - i);
    check_equal("words", out.get(), want);
    return check_result();
}
