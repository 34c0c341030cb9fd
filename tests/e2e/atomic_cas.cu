// Operations built from compare-and-swap: float maximum, complex addition, a 16-bit counter, a linked list.
#include "check.h"
#include <algorithm>

__device__ static void atomic_max_float(float *p, float v)
{
    int *ip = (int *)p, old = *ip, seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= v)
            break;
        old = atomicCAS(ip, seen, __float_as_int(v));
    } while (old != seen);
}

__global__ void maximum(const float *in, float *out) { atomic_max_float(out, in[blockIdx.x * blockDim.x + threadIdx.x]); }

// Two floats at once in 64 bits.
__global__ void complex_add(unsigned long long *sum)
{
    unsigned long long old = *sum, seen;
    do {
        seen = old;
        float re = __int_as_float((int)(unsigned)seen) + 1.0f, im = __int_as_float((int)(seen >> 32)) - 0.5f;
        unsigned long long next = (unsigned long long)(unsigned)__float_as_int(im) << 32 | (unsigned)__float_as_int(re);
        old = atomicCAS(sum, seen, next);
    } while (old != seen);
}

__global__ void short_counter(unsigned short *c)
{
    unsigned short *mine = c + threadIdx.x % 2, old = *mine, seen;
    do {
        seen = old;
        old = atomicCAS(mine, seen, (unsigned short)(seen + 3));
    } while (old != seen);
}

struct node {
    int value, next;
};

__global__ void push(node *nodes, int *head)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    nodes[i].value = i * i;
    int old = *(volatile int *)head, seen;
    do {
        seen = old;
        nodes[i].next = seen;
        __threadfence();
        old = atomicCAS(head, seen, i);
    } while (old != seen);
}

int main()
{
    const int n = 640;
    rng r(9);
    std::vector<float> in(n);
    for (auto &v : in)
        v = r.uniform(-100, 100);
    dev<float> din(in), dout(std::vector<float>{-1e30f});
    maximum<<<n / 64, 64>>>(din, dout);
    dev<unsigned long long> sum(1);
    sum.fill(0);
    complex_add<<<4, 96>>>(sum);
    dev<unsigned short> counter(2);
    counter.fill(0);
    short_counter<<<3, 50>>>(counter);
    dev<node> nodes(n);
    dev<int> head(std::vector<int>{-1});
    push<<<n / 32, 32>>>(nodes, head);
    RAN();
    CHECK(dout.get()[0] == *std::max_element(in.begin(), in.end()));
    unsigned long long bits = sum.get()[0];
    float re, im;
    unsigned lo = (unsigned)bits, hi = (unsigned)(bits >> 32);
    memcpy(&re, &lo, 4);
    memcpy(&im, &hi, 4);
    CHECK(re == 384.0f && im == -192.0f);
    check_equal("16 bits", counter.get(), std::vector<unsigned short>{225, 225});
    std::vector<node> list = nodes.get();
    std::vector<bool> seen(n);
    int length = 0;
    for (int at = head.get()[0]; at >= 0 && length <= n; at = list[at].next, length++) {
        CHECK(!seen[at] && list[at].value == at * at);
        seen[at] = true;
    }
    CHECK(length == n);
    return check_result();
}
