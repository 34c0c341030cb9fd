// Loads and stores that name their caching: __ldg, __ldcg, __stcs and so on, volatile accesses, prefetches.
#include "check.h"

__global__ void copies(const int *__restrict__ a, const float4 *__restrict__ b, int *out, float4 *out4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = __ldg(a + i) + __ldcg(a + i) * 10 + __ldca(a + i) * 100 + __ldcs(a + i) * 1000;
    __stcs(out + i, v);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(b + i));
    float4 w = __ldg(b + i);
    __stcg(out4 + i, make_float4(w.w, w.z, w.y, w.x));
    volatile int *p = out + i;
    *p = *p + 1;
    __stwt(out + i, __ldcv(out + i) + 1);
    if (__isGridConstant(out) || !__isGlobal(out))
        out[i] = -1;
    __prof_trigger(1);
}

int main()
{
    const int n = 512;
    std::vector<int> a(n), want(n);
    std::vector<float4> b(n), want4(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        want[i] = i * 1111 + 2;
        b[i] = make_float4(i, 1, 2, 3);
        want4[i] = make_float4(3, 2, 1, i);
    }
    dev<int> da(a), out(n);
    dev<float4> db(b), out4(n);
    copies<<<n / 128, 128>>>(da, db, out, out4);
    RAN();
    check_equal("integers", out.get(), want);
    check_equal("vectors", out4.get(), want4);
    return check_result();
}
