// Objects on the device: new and delete, virtual functions, inheritance, destructors.
#include "check.h"

__device__ int destroyed;

struct shape {
    int id;
    __device__ shape(int i) : id(i) {}
    __device__ virtual ~shape() { atomicAdd(&destroyed, 1); }
    __device__ virtual float area() const = 0;
    __device__ virtual int sides() const { return 0; }
};
struct square : shape {
    float a;
    __device__ square(int i, float s) : shape(i), a(s) {}
    __device__ float area() const override { return a * a; }
    __device__ int sides() const override { return 4; }
};
struct rectangle : square {
    float b;
    __device__ rectangle(int i, float x, float y) : square(i, x), b(y) {}
    __device__ float area() const override { return a * b; }
};
struct disc : shape {
    float r;
    __device__ disc(int i, float radius) : shape(i), r(radius) {}
    __device__ ~disc() override { atomicAdd(&destroyed, 100); }
    __device__ float area() const override { return 3 * r * r; }
};

__global__ void make(shape **shapes)
{
    int i = threadIdx.x;
    if (i % 3 == 0)
        shapes[i] = new square(i, (float)i);
    else if (i % 3 == 1)
        shapes[i] = new rectangle(i, (float)i, 2);
    else
        shapes[i] = new disc(i, (float)i);
}
__global__ void measure(shape **shapes, float *out) { out[threadIdx.x] = shapes[threadIdx.x]->area() + shapes[threadIdx.x]->sides() * 1000; }
__global__ void destroy(shape **shapes) { delete shapes[threadIdx.x]; }

int main()
{
    const int n = 60;
    dev<shape *> shapes(n);
    dev<float> out(n);
    make<<<1, n>>>(shapes);
    measure<<<1, n>>>(shapes, out);
    destroy<<<1, n>>>(shapes);
    RAN();
    std::vector<float> want(n);
    for (int i = 0; i < n; i++)
        want[i] = i % 3 == 0 ? i * i + 4000.0f : i % 3 == 1 ? i * 2 + 4000.0f : 3.0f * i * i;
    check_equal("areas", out.get(), want);
    int d;
    CUDA(cudaMemcpyFromSymbol(&d, destroyed, sizeof d));
    CHECK(d == n + 100 * (n / 3));
    return check_result();
}
