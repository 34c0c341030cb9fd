// Loads of one line that touch memory in different ways: a profile must not speak of their mean.
#include <cuda_runtime.h>

__global__ void spread(int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    index[i] = i * 17 % n; // doubles 136 bytes apart: each lane its own line
}

__global__ void gather(double *out, const double *in, const int *index)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}

__global__ void sum(float *out, const float *a, const float *b, const float *c, const float *d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i] + c[i] + d[i * 4 % n];
}

int main()
{
    const int n = 1 << 15;
    double *in, *out;
    int *index;
    float *f[5];
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMalloc(&index, n * sizeof *index);
    cudaMemset(in, 0, n * sizeof *in);
    for (float *&p : f) {
        cudaMalloc(&p, n * sizeof *p);
        cudaMemset(p, 0, n * sizeof *p);
    }
    spread<<<n / 256, 256>>>(index, n);
    gather<<<n / 256, 256>>>(out, in, index);
    sum<<<n / 256, 256>>>(f[0], f[1], f[2], f[3], f[4], n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
