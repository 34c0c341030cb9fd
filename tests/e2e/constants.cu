// Constant memory: initialized, written by the host, indexed by the thread, and found by its address.
#include "check.h"

struct pair {
    short a;
    double b;
};

__constant__ int table[16] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
__constant__ float weights[64];
__constant__ pair pairs[3] = {{1, 1.5}, {2, 2.5}, {3, 3.5}};
static __constant__ char text[] = "constant";

__global__ void use(double *out)
{
    int i = threadIdx.x;
    double sum = table[i % 16] + weights[(i * 5) % 64];
    sum += pairs[i % 3].a * pairs[i % 3].b;
    for (const char *c = text; *c; c++)
        sum += *c;
    out[i] = sum;
}

__global__ void by_pointer(const float *p, float *out) { out[threadIdx.x] = p[threadIdx.x] * 2; }

int main()
{
    std::vector<float> w(64);
    for (int i = 0; i < 64; i++)
        w[i] = i * 0.25f;
    CUDA(cudaMemcpyToSymbol(weights, w.data(), sizeof(float) * 64));
    int tail[4] = {7, 8, 9, 10};
    CUDA(cudaMemcpyToSymbol(table, tail, sizeof tail, 12 * sizeof(int)));
    dev<double> out(128);
    use<<<1, 128>>>(out);
    RAN();
    int t[16] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 7, 8, 9, 10};
    std::vector<double> want(128);
    for (int i = 0; i < 128; i++) {
        want[i] = t[i % 16] + w[(i * 5) % 64] + (i % 3 + 1) * (i % 3 + 1.5);
        for (const char *c = "constant"; *c; c++)
            want[i] += *c;
    }
    check_equal("sums", out.get(), want);
    int back[16];
    CUDA(cudaMemcpyFromSymbol(back, table, sizeof back));
    CHECK(memcmp(back, t, sizeof t) == 0);
    size_t bytes;
    void *address;
    CUDA(cudaGetSymbolSize(&bytes, weights));
    CUDA(cudaGetSymbolAddress(&address, weights));
    CHECK(bytes == sizeof(float) * 64);
    dev<float> twice(64);
    by_pointer<<<1, 64>>>((const float *)address, twice);
    RAN();
    for (float &v : w)
        v *= 2;
    check_equal("by pointer", twice.get(), w);
    return check_result();
}
