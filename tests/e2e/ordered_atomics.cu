// Atomics with memory order and scope: loads, stores, exchanges and arithmetic of each type, and a message through a flag.
#include "check.h"

struct alignas(8) point {
    int x;
    float y;
};
struct cells {
    int i, flag, message;
    unsigned u;
    unsigned long long ul;
    float f;
    double d;
    char c;
    short s;
    point p;
    int lowest, highest;
    unsigned lowest_u, highest_u;
    long long lowest_l;
    unsigned long long bits;
};

__global__ void many(cells *a)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_atomic_fetch_add(&a->i, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_sub(&a->u, 2u, __NV_ATOMIC_ACQ_REL);
    __nv_atomic_sub(&a->ul, 1ull, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_add(&a->f, 0.5f, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_sub(&a->d, 0.25, __NV_ATOMIC_RELAXED);
    __nv_atomic_min(&a->lowest, -t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_max(&a->highest, t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_min(&a->lowest_u, 1000u - t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_max(&a->highest_u, 0u - (t == 5), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_min(&a->lowest_l, (long long)-t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_or(&a->bits, 1ull << (t % 64), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    point expected, next;
    __nv_atomic_load(&a->p, &expected, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    do {
        next = expected;
        next.x++;
        next.y += 2;
    } while (!__nv_atomic_compare_exchange(&a->p, &expected, &next, true, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE));
}

__global__ void alone(cells *a, int *out)
{
    int n = 0;
    __nv_atomic_store_n(&a->c, (char)-5, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    out[n++] = __nv_atomic_load_n(&a->c, __NV_ATOMIC_SEQ_CST);
    short was = 7;
    out[n++] = __nv_atomic_compare_exchange_n(&a->s, &was, (short)9, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
    out[n++] = was;
    out[n++] = __nv_atomic_compare_exchange_n(&a->s, &was, (short)9, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    out[n++] = __nv_atomic_load_n(&a->s, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_THREAD);
    out[n++] = __nv_atomic_exchange_n(&a->i, 4, __NV_ATOMIC_RELAXED);
    float f = 1.5f, g;
    __nv_atomic_exchange(&a->f, &f, &g, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
    out[n++] = (int)g;
    out[n++] = __nv_atomic_fetch_and(&a->i, 6, __NV_ATOMIC_RELAXED);
    out[n++] = __nv_atomic_fetch_xor(&a->i, 5, __NV_ATOMIC_RELAXED);
    int v = 11;
    __nv_atomic_store(&a->i, &v, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    out[n++] = a->i;
}

// Block 0 tells the others.
__global__ void message(cells *a, int *out)
{
    if (blockIdx.x == 0) {
        a->message = 42;
        __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_store_n(&a->flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    } else {
        while (!__nv_atomic_load_n(&a->flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE))
            ;
        out[blockIdx.x] = a->message;
    }
}

int main()
{
    const int n = 256;
    cells *a;
    int *out;
    CUDA(cudaMallocManaged(&a, sizeof *a));
    CUDA(cudaMallocManaged(&out, 64 * sizeof *out));
    memset(a, 0, sizeof *a);
    a->lowest_u = ~0u;
    many<<<4, n / 4>>>(a);
    RAN();
    CHECK(a->i == n && a->u == 0u - 2 * n && a->ul == 0ull - n);
    CHECK(a->f == n / 2 && a->d == -n / 4);
    CHECK(a->lowest == 1 - n && a->highest == n - 1 && a->lowest_u == 1000u - (n - 1) && a->highest_u == ~0u && a->lowest_l == 1 - n);
    CHECK(a->bits == ~0ull && a->p.x == n && a->p.y == 2 * n);
    a->s = 3;
    alone<<<1, 1>>>(a, out);
    RAN();
    const int want[] = {-5, 0, 3, 1, 9, n, n / 2, 4, 4, 11};
    for (int i = 0; i < 10; i++)
        CHECK(out[i] == want[i]);
    message<<<8, 1>>>(a, out);
    RAN();
    for (int i = 1; i < 8; i++)
        CHECK(out[i] == 42);
    return check_result();
}
