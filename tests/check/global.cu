// Races in global memory: between blocks, through flags and fences, and what orders them.
#include "cases.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

enum { N = 128 };

__global__ void add_to_one(float *sum, const float *in) { *sum += in[blockIdx.x * blockDim.x + threadIdx.x]; }
CASE(add_to_one, "race race-same-instruction")
{
    float *in = zeros<float>(4 * N), h[4 * N];
    for (int i = 0; i < 4 * N; i++)
        h[i] = (float)i;
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    add_to_one<<<4, N>>>(zeros<float>(1), in);
}

__global__ void add_atomic(float *sum) { atomicAdd(sum, 1.f); }
CASE(add_atomic, "clean") { add_atomic<<<4, N>>>(zeros<float>(1)); }

// Several warps add to one element per column, as in PolyBench's MVT with the loops exchanged.
__global__ void columns(const float *a, float *x)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    x[i % 32] += a[i] + 1.f;
}
CASE(columns, "race") { columns<<<2, 64>>>(zeros<float>(N), zeros<float>(32)); }

__global__ void stride(int *out, int n, int overlap)
{
    int per = n / (int)gridDim.x;
    for (int i = (int)threadIdx.x; i < per + overlap; i += (int)blockDim.x)
        out[(int)blockIdx.x * per + i] = (int)blockIdx.x + 1;
}
CASE(ranges, "clean") { stride<<<4, N>>>(zeros<int>(4 * N + 1), 4 * N, 0); }
CASE(ranges_overlap, "race") { stride<<<4, N>>>(zeros<int>(4 * N + 1), 4 * N, 1); }

__global__ void grid_stride(int *out, int n, bool block_only)
{
    int step = (int)blockDim.x * (block_only ? 1 : (int)gridDim.x);
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step)
        out[i] = out[i] + 1;
}
CASE(grid_stride, "clean") { grid_stride<<<4, N>>>(zeros<int>(16 * N), 16 * N, false); }
CASE(grid_stride_of_block, "race") { grid_stride<<<4, N>>>(zeros<int>(16 * N), 16 * N, true); }

__global__ void in_place(int *a, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n)
        a[i] = a[i + 1] + i + 1;
}
CASE(stencil_in_place, "race") { in_place<<<4, N>>>(zeros<int>(4 * N), 4 * N); }
CASE(stencil_in_place_one_warp, "clean") { in_place<<<1, 1>>>(zeros<int>(4 * N), 4 * N); }

__global__ void step(const int *a, int *b, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    b[i] = a[(i + 1) % n] + 1;
}
CASE(ping_pong, "clean")
{
    int *a = zeros<int>(4 * N), *b = zeros<int>(4 * N);
    for (int i = 0; i < 4; i++)
        step<<<4, N>>>(i % 2 ? b : a, i % 2 ? a : b, 4 * N);
}

__global__ void global_neighbor(int *a, bool barrier)
{
    a[threadIdx.x] = (int)threadIdx.x;
    if (barrier)
        __syncthreads();
    a[N + threadIdx.x] = a[N - 1 - threadIdx.x];
}
CASE(within_block, "clean") { global_neighbor<<<1, N>>>(zeros<int>(2 * N), true); }
CASE(within_block_no_barrier, "race") { global_neighbor<<<1, N>>>(zeros<int>(2 * N), false); }

// The block that comes last sums what the others have left.
enum { RIGHT, NO_FENCE, NO_ACQUIRE, BLOCK_FENCE, NO_BARRIER, BLOCK_ATOMIC, FENCE_THEN_BARRIER };
template <int KIND> __global__ void last_block(int *part, unsigned *count, int *out)
{
    __shared__ bool last;
    if (KIND == NO_BARRIER || KIND == FENCE_THEN_BARRIER) {
        part[blockIdx.x * blockDim.x + threadIdx.x] = 1;
        __threadfence();
    }
    if (KIND == FENCE_THEN_BARRIER)
        __syncthreads();
    if (threadIdx.x == 0) {
        if (KIND != NO_BARRIER && KIND != FENCE_THEN_BARRIER)
            part[blockIdx.x * blockDim.x] = 1;
        if (KIND == BLOCK_FENCE)
            __threadfence_block();
        else if (KIND != NO_FENCE && KIND != FENCE_THEN_BARRIER)
            __threadfence();
        unsigned n = KIND == BLOCK_ATOMIC ? atomicAdd_block(count, 1) : atomicAdd(count, 1);
        last = n == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        if (KIND != NO_ACQUIRE)
            __threadfence();
        if (KIND == NO_BARRIER || KIND == FENCE_THEN_BARRIER)
            for (int i = (int)threadIdx.x; i < (int)(gridDim.x * blockDim.x); i += (int)blockDim.x)
                out[1 + threadIdx.x] += part[i];
        else if (threadIdx.x < gridDim.x)
            out[1 + threadIdx.x] = part[threadIdx.x * blockDim.x];
    }
}
#define LAST(kind) last_block<kind><<<8, N>>>(zeros<int>(8 * N), zeros<unsigned>(1), zeros<int>(N + 1))
CASE(last_block, "clean") { LAST(RIGHT); }
CASE(last_block_no_fence, "race") { LAST(NO_FENCE); }
CASE(last_block_no_acquire, "race-acquire") { LAST(NO_ACQUIRE); }
CASE(last_block_block_fence, "race") { LAST(BLOCK_FENCE); }
CASE(last_block_no_barrier, "race") { LAST(NO_BARRIER); }
CASE(last_block_block_atomic, "race race-scope") { LAST(BLOCK_ATOMIC); }
CASE(last_block_fence_then_barrier, "clean") { LAST(FENCE_THEN_BARRIER); }

// Thread 0 says that the whole block's work is there.
template <bool BARRIER> __global__ void one_speaks(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = (int)threadIdx.x + 1;
        if (BARRIER)
            __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (!*flag)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
CASE(flag, "clean") { one_speaks<true><<<2, N>>>(zeros<int>(N), zeros<int>(1), zeros<int>(N)); }
CASE(flag_no_barrier, "race") { one_speaks<false><<<2, N>>>(zeros<int>(N), zeros<int>(1), zeros<int>(N)); }
CASE(flag_no_barrier_one_warp, "race") { one_speaks<false><<<2, 32>>>(zeros<int>(N), zeros<int>(1), zeros<int>(N)); }

template <bool FENCE, bool VOLATILE> __global__ void flag_pair(int *data, int *flag, int *out)
{
    volatile int *f = flag;
    if (blockIdx.x == 0) {
        *data = 42;
        if (FENCE)
            __threadfence();
        if (VOLATILE)
            *f = 1;
        else
            *flag = 1;
    } else {
        if (VOLATILE)
            while (!*f)
                ;
        else if (!*flag)
            return;
        __threadfence();
        *out = *data;
    }
}
CASE(flag_pair, "clean") { flag_pair<true, true><<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }
CASE(flag_pair_no_fence, "race") { flag_pair<false, true><<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }
CASE(flag_pair_plain, "race") { flag_pair<true, false><<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }

// PTX's own releases and acquires.
__device__ void st_release(int *p, int v) { asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ void st_relaxed(int *p, int v) { asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ int ld_acquire(int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ int ld_acquire_cta(int *p)
{
    int v;
    asm volatile("ld.acquire.cta.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ void red_release(int *p) { asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(p) : "memory"); }
__device__ int atom_acq_rel(int *p)
{
    int v;
    asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(v) : "l"(p) : "memory");
    return v;
}

template <int KIND> __global__ void release_acquire(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        if (KIND == 1)
            st_relaxed(flag, 1);
        else if (KIND == 3)
            red_release(flag);
        else if (KIND == 4)
            atom_acq_rel(flag);
        else
            st_release(flag, 1);
    } else {
        if (KIND == 2)
            while (!ld_acquire_cta(flag))
                ;
        else
            while (!ld_acquire(flag))
                ;
        *out = *data;
    }
}
#define RA(kind) release_acquire<kind><<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1))
CASE(release_acquire, "clean") { RA(0); }
CASE(release_missing, "race") { RA(1); }
CASE(acquire_of_block_scope, "race race-scope") { RA(2); }
CASE(red_release, "clean") { RA(3); }
CASE(atom_acq_rel, "clean") { RA(4); }

// Three blocks pass a value on; the chain orders the first and the last.
template <bool ALL> __global__ void chain(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 1;
        st_release(&flag[0], 1);
    } else if (blockIdx.x == 1) {
        while (!(ALL ? ld_acquire(&flag[0]) : *(volatile int *)&flag[0]))
            ;
        st_release(&flag[1], 1);
    } else {
        while (!ld_acquire(&flag[1]))
            ;
        *out = data[0];
    }
}
CASE(chain, "clean") { chain<true><<<3, 1>>>(zeros<int>(1), zeros<int>(2), zeros<int>(1)); }

// The flag goes back to 0 and is set again by a block that has not fenced.
template <bool FENCE> __global__ void aba(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 1;
        st_release(flag, 1);
    } else if (blockIdx.x == 1) {
        while (ld_acquire(flag) != 1)
            ;
        st_relaxed(flag, 0);
        data[1] = 2;
        if (FENCE)
            __threadfence();
        st_relaxed(flag, 2);
    } else {
        while (ld_acquire(flag) != 2)
            ;
        *out = data[1];
    }
}
CASE(aba, "clean") { aba<true><<<3, 1>>>(zeros<int>(2), zeros<int>(1), zeros<int>(1)); }
CASE(aba_no_fence, "race") { aba<false><<<3, 1>>>(zeros<int>(2), zeros<int>(1), zeros<int>(1)); }

__device__ int mutex_word;
template <int KIND> __global__ void spin_lock(int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex_word, 0, 1))
            ;
        if (KIND != 1)
            __threadfence();
        *sum += 1;
        if (KIND != 2)
            __threadfence();
        atomicExch(&mutex_word, 0);
    }
}
CASE(spin_lock, "clean") { spin_lock<0><<<8, N>>>(zeros<int>(1)); }
CASE(spin_lock_no_acquire, "race-acquire") { spin_lock<1><<<8, N>>>(zeros<int>(1)); }
CASE(spin_lock_no_release, "race") { spin_lock<2><<<8, N>>>(zeros<int>(1)); }

template <bool SYNC> __global__ void grid_wide(int *a, int *b)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = (int)(gridDim.x * blockDim.x);
    for (int k = 0; k < 3; k++) {
        a[i] = i + k;
        if (SYNC)
            cg::this_grid().sync();
        b[i] = a[n - 1 - i];
        if (SYNC)
            cg::this_grid().sync();
    }
}
template <bool SYNC> void cooperative()
{
    int *a = zeros<int>(8 * N), *b = zeros<int>(8 * N);
    void *args[] = {&a, &b};
    cudaLaunchCooperativeKernel((void *)grid_wide<SYNC>, 8, N, args, 0, 0);
}
CASE(grid_sync, "clean") { cooperative<true>(); }
CASE(grid_sync_missing, "race") { cooperative<false>(); }

// Look-back: each block waits for the one before it.
template <bool FENCE> __global__ void look_back(int *aggregate, int *ready, int *out)
{
    __shared__ int before;
    if (threadIdx.x == 0) {
        int sum = 0;
        if (blockIdx.x) {
            while (!*(volatile int *)&ready[blockIdx.x - 1])
                ;
            __threadfence();
            sum = aggregate[blockIdx.x - 1];
        }
        before = sum;
        aggregate[blockIdx.x] = sum + 1;
        if (FENCE)
            __threadfence();
        *(volatile int *)&ready[blockIdx.x] = 1;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = before;
}
CASE(look_back, "clean") { look_back<true><<<200, 64>>>(zeros<int>(200), zeros<int>(200), zeros<int>(200 * 64)); }
CASE(look_back_no_fence, "race") { look_back<false><<<200, 64>>>(zeros<int>(200), zeros<int>(200), zeros<int>(200 * 64)); }

__global__ void reads_bins(unsigned *bin, unsigned *out)
{
    atomicAdd(&bin[threadIdx.x % 8], 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = bin[threadIdx.x % 8];
}
CASE(plain_read_of_counter, "race") { reads_bins<<<2, 64>>>(zeros<unsigned>(8), zeros<unsigned>(N)); }

__global__ void queue(int *tail, int *items)
{
    int at = atomicAdd(tail, 1);
    items[at] = (int)threadIdx.x;
}
CASE(queue_push, "clean") { queue<<<4, 64>>>(zeros<int>(1), zeros<int>(256)); }

__global__ void queue_wraps(int *tail, int *items, int n)
{
    int at = atomicAdd(tail, 1) % n;
    items[at] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
}
CASE(queue_wraps, "race") { queue_wraps<<<4, 64>>>(zeros<int>(1), zeros<int>(100), 100); }

__global__ void visited(int *mark, int *changed)
{
    mark[threadIdx.x % 16] = 1;
    *changed = 1;
}
CASE(visited, "clean; notes: race-equal-value") { visited<<<4, 64>>>(zeros<int>(16), zeros<int>(1)); }

__device__ int table[64];
__global__ void variable(void) { table[threadIdx.x % 64] = (int)blockIdx.x; }
CASE(variable, "race") { variable<<<3, 64>>>(); }

// The flag's second value comes from a block that never fenced: what the first one's says is lost.
template <bool FENCE> __global__ void relay(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 1;
        st_release(flag, 1);
    } else if (blockIdx.x == 1) {
        while (*(volatile int *)flag != 1)
            ;
        if (FENCE)
            __threadfence();
        st_relaxed(flag, 2);
    } else {
        while (ld_acquire(flag) != 2)
            ;
        *out = data[0];
    }
}
CASE(relay, "clean") { relay<true><<<3, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }
CASE(relay_no_fence, "race") { relay<false><<<3, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }

__global__ void narrow_flag(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        asm volatile("st.relaxed.cta.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        while (!ld_acquire(flag))
            ;
        *out = *data;
    }
}
CASE(flag_of_block_scope, "race race-scope") { narrow_flag<<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(1)); }

// Status and value in one word, by loads and stores that bypass the L1, as CUB's look-back does.
__device__ void st_cg(unsigned long long *p, unsigned long long v) { asm volatile("st.cg.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory"); }
__device__ unsigned long long ld_cg(unsigned long long *p)
{
    unsigned long long v;
    asm volatile("ld.cg.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
/* In place: a block's elements move to where an earlier block has read its own. */
enum { BY_WORD, BY_PLAIN_WORD, BEFORE_READING };
template <int KIND> __global__ void move_down(int *a, unsigned long long *state, int by)
{
    __shared__ int kept;
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), v = 0;
    if (KIND != BEFORE_READING)
        v = a[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long before = 1;
        if (blockIdx.x)
            while (!(before = KIND == BY_PLAIN_WORD ? state[blockIdx.x - 1] : ld_cg(&state[blockIdx.x - 1])))
                if (KIND == BY_PLAIN_WORD)
                    __threadfence_block();
        kept = (int)before;
        if (KIND == BY_PLAIN_WORD)
            state[blockIdx.x] = before + 1;
        else
            st_cg(&state[blockIdx.x], before + 1);
    }
    __syncthreads();
    if (KIND == BEFORE_READING)
        v = a[i];
    if (blockIdx.x)
        a[i - by] = v + kept;
}
#define DOWN(kind) move_down<kind><<<6, N>>>(zeros<int>(6 * N), zeros<unsigned long long>(6), 100)
CASE(move_down, "clean") { DOWN(BY_WORD); }
CASE(move_down_plain_word, "race") { DOWN(BY_PLAIN_WORD); }
CASE(move_down_word_before_reading, "race") { DOWN(BEFORE_READING); }
