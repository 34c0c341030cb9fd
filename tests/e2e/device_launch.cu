// Kernels that launch kernels: parameters of several sizes, streams, templates, chains, memory of the device runtime.
// flags: -rdc=true
#include "check.h"

struct wide {
    double d;
    char c;
};

__global__ void child(int *p, char c, wide w, short n)
{
    if (threadIdx.x < n)
        p[threadIdx.x] = threadIdx.x + c + (int)w.d + w.c;
}

namespace ns
{
template <typename T, int N> __global__ void times(T *p)
{
    p[threadIdx.x] *= N;
}
} // namespace ns

struct member {
    __device__ static void go(int *p)
    {
        ns::times<int, 3>
            <<<1, dim3(32)>>>(p); /* its kernel is on the line before */
    }
};

__global__ void chain(int *p, int depth)
{
    extern __shared__ int s[];
    s[threadIdx.x] = depth;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(p, s[blockDim.x - 1]);
    if (threadIdx.x == 0 && blockIdx.x == 0 && depth > 1)
        chain<<<2, 32, 32 * sizeof(int)>>>(p, depth - 1);
}

__global__ void parent(int *p, int *line)
{
    cudaStream_t s;
    wide w = {5.5, 2};
    if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess)
        return;
    child<<<1, 32, 0, s>>>(p, 7, w, 32);
    cudaStreamDestroy(s);
    member::go(p);
    ns ::times<int, (4 > 3 ? 2 : 1)><<<dim3(1), 16>>>(p);
    *line = __LINE__;
    if (cudaGetLastError() != cudaSuccess || p[0] != -1) /* children run when the parent has ended */
        *line = -1;
}

int main()
{
    dev<int> p(std::vector<int>(32, -1)), line(std::vector<int>(1, 0)), sum(std::vector<int>(1, 0));
    parent<<<1, 1>>>(p, line);
    RAN();
    std::vector<int> expected(32);
    for (int i = 0; i < 32; i++)
        expected[i] = (i + 7 + 5 + 2) * 3 * (i < 16 ? 2 : 1);
    check_equal("children", p.get(), expected);
    CHECK(line.get()[0] == 53);
    chain<<<1, 32, 32 * sizeof(int)>>>(sum, 4);
    RAN();
    CHECK(sum.get()[0] == 4 + 2 * 3 + 2 * 2 + 2 * 1);
    return check_result();
}
