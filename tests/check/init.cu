// Reads of memory that nobody has written; and barriers, masks and asynchronous copies that are used wrongly.
#include "cases.h"
#include <curand_kernel.h>

enum { N = 128 };
template <class T> static T *fresh(size_t n)
{
    T *p;
    cudaMalloc(&p, n * sizeof(T));
    mine[n_mine++] = p;
    return p;
}

__global__ void copy(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }
__global__ void add(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x] + 1; }
CASE(global_fresh, "uninitialized") { add<<<1, N>>>(fresh<int>(N), zeros<int>(N)); }
CASE(global_set, "clean") { add<<<1, N>>>(zeros<int>(N), fresh<int>(N)); }
CASE(global_copied_in, "clean")
{
    int *a = fresh<int>(N), h[N] = {0};
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    add<<<1, N>>>(a, zeros<int>(N));
}
CASE(global_one_short, "uninitialized")
{
    int *a = fresh<int>(N);
    cudaMemset(a, 0, (N - 1) * sizeof(int));
    add<<<1, N>>>(a, zeros<int>(N));
}
CASE(global_one_byte_short, "uninitialized")
{
    int *a = fresh<int>(N);
    cudaMemset(a, 0, N * sizeof(int) - 1);
    add<<<1, N>>>(a, zeros<int>(N));
}
CASE(passes_through, "clean") { copy<<<1, N>>>(fresh<int>(N), zeros<int>(N)); }
CASE(passes_through_and_is_used, "uninitialized")
{
    int *b = zeros<int>(N);
    copy<<<1, N>>>(fresh<int>(N), b);
    add<<<1, N>>>(b, zeros<int>(N));
}
CASE(kernel_wrote_it, "clean")
{
    int *a = fresh<int>(N);
    add<<<1, N>>>(zeros<int>(N), a);
    add<<<1, N>>>(a, zeros<int>(N));
}
CASE(given_again, "uninitialized")
{
    int *a;
    cudaMalloc(&a, N * sizeof(int));
    cudaMemset(a, 0, N * sizeof(int));
    for (int i = 0; i < 9000; i++) {
        cudaFree(a);
        cudaMalloc(&a, N * sizeof(int));
    }
    mine[n_mine++] = a;
    add<<<1, N>>>(a, zeros<int>(N));
}
CASE(device_to_device, "uninitialized")
{
    int *a = fresh<int>(N), *b = zeros<int>(N);
    cudaMemcpy(b, a, N * sizeof(int), cudaMemcpyDeviceToDevice);
    add<<<1, N>>>(b, zeros<int>(N));
}
CASE(to_the_host, "uninitialized-copy")
{
    int h[N];
    cudaMemcpy(h, fresh<int>(N), sizeof h, cudaMemcpyDeviceToHost);
}
CASE(to_the_host_whole, "clean")
{
    int h[N], *a = fresh<int>(N);
    add<<<1, N>>>(zeros<int>(N), a);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
}
struct Padded {
    char c;
    double d;
};
__global__ void padded(Padded *a, Padded *b)
{
    a[threadIdx.x].c = 1;
    a[threadIdx.x].d = 2;
    b[threadIdx.x] = a[threadIdx.x];
}
CASE(padding, "clean") { padded<<<1, N>>>(fresh<Padded>(N), fresh<Padded>(N)); }
__global__ void counts(unsigned *a) { atomicAdd(a, 1); }
CASE(atomic_on_fresh, "uninitialized") { counts<<<1, N>>>(fresh<unsigned>(1)); }

__global__ void shared_read(int *out, int n)
{
    __shared__ int s[N];
    if ((int)threadIdx.x < n)
        s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + 1;
}
CASE(shared_all, "clean") { shared_read<<<1, N>>>(zeros<int>(N), N); }
CASE(shared_some, "uninitialized") { shared_read<<<1, N>>>(zeros<int>(N), N - 1); }
__global__ void dynamic_read(int *out)
{
    extern __shared__ int d[];
    out[threadIdx.x] = d[threadIdx.x] + 1;
}
CASE(shared_dynamic, "uninitialized") { dynamic_read<<<1, N, N * 4>>>(zeros<int>(N)); }

__global__ void local_read(int *out, int n, int k)
{
    int a[32];
    for (int i = 0; i < n; i++)
        a[(i * 7) % 32] = i;
    out[threadIdx.x] = a[(threadIdx.x + k) % 32] + 1;
}
CASE(local_all, "clean") { local_read<<<1, N>>>(zeros<int>(N), 32, 0); }
CASE(local_some, "uninitialized") { local_read<<<1, N>>>(zeros<int>(N), 20, 0); }
__device__ int variable[4];
__global__ void reads_variable(int *out) { out[threadIdx.x] = variable[threadIdx.x % 4] + 1; }
CASE(variables_are_zero, "clean") { reads_variable<<<1, N>>>(zeros<int>(N)); }

// ---- synchronization ----

__global__ void shuffle(int *out, unsigned mask, int lanes)
{
    if ((int)threadIdx.x < lanes)
        out[threadIdx.x] = __shfl_xor_sync(mask, (int)threadIdx.x, 1);
    __syncthreads(); // lanes that exit need not come, these do not exit
    out[threadIdx.x] += 1;
}
CASE(shuffle_all, "clean") { shuffle<<<1, 32>>>(zeros<int>(32), ~0u, 32); }
CASE(shuffle_half, "clean") { shuffle<<<1, 32>>>(zeros<int>(32), 0xffff, 16); }
CASE(shuffle_mask_too_wide, "wrong-mask") { shuffle<<<1, 32>>>(zeros<int>(32), ~0u, 16); }
CASE(shuffle_mask_too_narrow, "wrong-mask") { shuffle<<<1, 32>>>(zeros<int>(32), 0xff, 16); }
__global__ void votes(int *out, unsigned mask)
{
    if (threadIdx.x % 2)
        out[threadIdx.x] = (int)__ballot_sync(mask, threadIdx.x > 7);
    else
        out[threadIdx.x] = __any_sync(0x55555555, 1);
    __syncthreads();
    out[threadIdx.x] += 1;
}
CASE(votes_of_halves, "clean") { votes<<<1, 32>>>(zeros<int>(32), 0xaaaaaaaa); }
CASE(votes_mask_of_all, "wrong-mask") { votes<<<1, 32>>>(zeros<int>(32), 0xffffffff); }
__global__ void syncs(int *out, unsigned mask)
{
    if (threadIdx.x < 8) {
        __syncwarp(mask);
        out[threadIdx.x] = 1;
    } else if (threadIdx.x < 16) {
        out[threadIdx.x] = __shfl_sync(0xff00, 3, 8);
    }
    __syncthreads();
    out[threadIdx.x] += 1;
}
CASE(syncwarp_mask, "clean") { syncs<<<1, 32>>>(zeros<int>(32), 0xff); }
CASE(syncwarp_mask_of_others, "wrong-mask") { syncs<<<1, 32>>>(zeros<int>(32), 0xffff); }
__global__ void matches(int *out, int k, unsigned mask)
{
    if ((int)threadIdx.x < k)
        out[threadIdx.x] = (int)__match_any_sync(mask, threadIdx.x % 4);
    __syncthreads();
    out[threadIdx.x] += 1;
}
CASE(match_mask, "clean") { matches<<<1, 32>>>(zeros<int>(32), 32, ~0u); }
CASE(match_mask_too_wide, "wrong-mask") { matches<<<1, 32>>>(zeros<int>(32), 20, ~0u); }
CASE(exited_lanes_in_mask, "clean") { matches<<<1, 20>>>(zeros<int>(32), 20, ~0u); }

__global__ void diverged(int *out, int k)
{
    if ((int)threadIdx.x < k) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();
        out[threadIdx.x] += 2;
    }
}
CASE(barriers_of_warps, "clean") { diverged<<<1, 64>>>(zeros<int>(64), 32); }
CASE(barrier_in_branch, "divergent-barrier") { diverged<<<1, 64>>>(zeros<int>(64), 40); }
__global__ void count_wrong(void) { asm volatile("bar.sync 1, 96;"); }
CASE(barrier_never_complete, "barrier") { count_wrong<<<1, 64>>>(); }
__global__ void count_odd(int n) { asm volatile("bar.sync 1, %0;" ::"r"(n)); }
CASE(barrier_count_odd, "barrier") { count_odd<<<1, 64>>>(50); }

// ---- asynchronous copies ----

template <int KIND> __global__ void async(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (KIND == 1)
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    else if (KIND != 2)
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (KIND != 3)
        __syncthreads();
    out[threadIdx.x] = s[N - 1 - threadIdx.x];
}
CASE(async_copy, "clean") { async<0><<<1, N>>>(zeros<int>(N), zeros<int>(N)); }
CASE(async_copy_waits_for_older, "race-async-copy") { async<1><<<1, N>>>(zeros<int>(N), zeros<int>(N)); }
CASE(async_copy_no_wait, "race-async-copy") { async<2><<<1, N>>>(zeros<int>(N), zeros<int>(N)); }
CASE(async_copy_no_barrier, "race") { async<3><<<1, N>>>(zeros<int>(N), zeros<int>(N)); }

template <bool WAITS> __global__ void barrier_object(int *out)
{
    __shared__ int s[64];
    __shared__ unsigned long long b;
    unsigned at = (unsigned)__cvta_generic_to_shared(&b);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(64) : "memory");
    __syncthreads();
    s[threadIdx.x] = (int)threadIdx.x;
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
    for (int done = !WAITS; !done;)
        asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(at), "l"(token)
                     : "memory");
    out[threadIdx.x] = s[63 - threadIdx.x];
}
CASE(mbarrier, "clean") { barrier_object<true><<<1, 64>>>(zeros<int>(64)); }
CASE(mbarrier_no_wait, "race") { barrier_object<false><<<1, 64>>>(zeros<int>(64)); }

// A state of cuRAND is written as a whole, and copies of it read each byte.
template <class T> __global__ void seed(T *s) { curand_init(1, threadIdx.x, 0, &s[threadIdx.x]); }
template <class T> __global__ void draw(T *s, unsigned *out)
{
    T own = s[threadIdx.x];
    for (int i = 0; i < 5; i++)
        out[threadIdx.x] += curand(&own);
    s[threadIdx.x] = own;
}
template <class T> static void random()
{
    T *s = fresh<T>(32);
    seed<<<1, 32>>>(s);
    draw<<<1, 32>>>(s, zeros<unsigned>(32));
}
CASE(random_xorwow, "clean") { random<curandStateXORWOW_t>(); }
CASE(random_philox, "clean") { random<curandStatePhilox4_32_10_t>(); }
