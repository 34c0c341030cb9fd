// Device variables: initialized scalars, arrays, structs and pointers, static ones, and state kept between launches.
#include "check.h"

struct config {
    int id;
    float scale[3];
    unsigned long long big;
};

__device__ int counter = 5;
__device__ float zeroed[100];
__device__ config settings = {7, {1.5f, 2.5f, 3.5f}, 0x123456789abcdefull};
static __device__ short table[4] = {-1, -2, -3, -4};
__device__ int target[4] = {10, 20, 30, 40};
__device__ int *pointer = target;
__device__ const double fixed = 0.1;

__global__ void step(double *out)
{
    if (threadIdx.x == 0) {
        counter += 3;
        out[0] = counter;
        out[1] = settings.id + settings.scale[1] + (double)(settings.big >> 40);
        out[2] = table[3] + table[0];
        pointer[2] += 1;
        out[3] = target[2];
        out[4] = fixed;
    }
    atomicAdd(&zeroed[threadIdx.x], 1.0f);
}

int main()
{
    dev<double> out(5);
    for (int launch = 1; launch <= 3; launch++) {
        step<<<2, 100>>>(out);
        RAN();
        // Two blocks each run the first part; the counts are those after the last of them.
        std::vector<double> got = out.get();
        CHECK(got[1] == 7 + 2.5 + (double)(0x123456789abcdefull >> 40));
        CHECK(got[2] == -5);
        CHECK(got[4] == 0.1);
        int c;
        CUDA(cudaMemcpyFromSymbol(&c, counter, sizeof c));
        CHECK(c == 5 + 6 * launch);
    }
    std::vector<float> z(100);
    CUDA(cudaMemcpyFromSymbol(z.data(), zeroed, 400));
    check_equal("kept", z, std::vector<float>(100, 6.0f));
    int mid[2];
    CUDA(cudaMemcpyFromSymbol(mid, target, sizeof mid, 2 * sizeof(int)));
    CHECK(mid[0] == 36 && mid[1] == 40);
    config c = {1, {0, 0, 0}, 0};
    CUDA(cudaMemcpyToSymbol(settings, &c, sizeof c));
    step<<<1, 1>>>(out);
    RAN();
    CHECK(out.get()[1] == 1);
    return check_result();
}
