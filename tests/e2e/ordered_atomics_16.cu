// Atomics of sixteen bytes: exchanges, comparisons, and loads and stores that are never torn.
// flags: -arch=compute_90
#include "check.h"

struct alignas(16) pair {
    unsigned long long a, b;
};

// Both halves are counted by all threads at once.
__global__ void count(pair *p)
{
    pair was, next;
    __nv_atomic_load(p, &was, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    do
        next = {was.a + 1, was.b + 3};
    while (!__nv_atomic_compare_exchange(p, &was, &next, true, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE));
}

__global__ void pass(pair *p, unsigned long long *sum)
{
    pair mine = {threadIdx.x, ~(unsigned long long)threadIdx.x}, got;
    __nv_atomic_exchange(p, &mine, &got, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
    if (got.b == ~got.a)
        __nv_atomic_fetch_add(sum, got.a, __NV_ATOMIC_RELAXED);
}

__global__ void alone(pair *p, unsigned long long *out)
{
    __shared__ unsigned __int128 s;
    const unsigned __int128 one = 1;
    unsigned __int128 expected = one << 64 | 2;
    __nv_atomic_store_n(&s, one << 64 | 3, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    out[0] = __nv_atomic_compare_exchange_n(&s, &expected, one << 66 | 5, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    out[1] = (unsigned long long)expected;
    out[2] = __nv_atomic_compare_exchange_n(&s, &expected, one << 66 | 5, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    out[3] = (unsigned long long)(__nv_atomic_exchange_n(&s, one << 70, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK) >> 64);
    out[4] = (unsigned long long)(__nv_atomic_load_n(&s, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK) >> 64);
    pair last = {8, 9}, read;
    __nv_atomic_store(p, &last, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_load(p, &read, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
    out[5] = read.b;
}

int main()
{
    dev<pair> p(std::vector<pair>{{0, 0}});
    count<<<4, 64>>>(p);
    RAN();
    pair got = p.get()[0];
    CHECK(got.a == 256 && got.b == 3 * 256);
    got = {1000, ~1000ull};
    CUDA(cudaMemcpy(p, &got, sizeof got, cudaMemcpyHostToDevice));
    dev<unsigned long long> out(std::vector<unsigned long long>(6));
    pass<<<1, 64>>>(p, out);
    RAN();
    CHECK(out.get()[0] + p.get()[0].a == 1000 + 63 * 32);
    alone<<<1, 1>>>(p, out);
    RAN();
    check_equal("alone", out.get(), std::vector<unsigned long long>{0, 3, 1, 4, 64, 9});
    return check_result();
}
