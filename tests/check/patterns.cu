// Kinds of bugs that public suites of racy kernels are made of: guards, worklists, union-find, rounds, flags used again.
#include "cases.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

enum { N = 128 };

template <bool STRONG> __device__ int load(int *p)
{
    if (STRONG)
        return *(volatile int *)p;
    return *p;
}

// A guard in front of an atomic: a plain read of what others change.
template <bool PLAIN> __global__ void guard(int *best)
{
    int mine = (int)(threadIdx.x * 7 % 64 + blockIdx.x);
    if (load<!PLAIN>(best) < mine)
        atomicMax(best, mine);
}
CASE(guard_plain, "race") { guard<true><<<4, 64>>>(zeros<int>(1)); }
CASE(guard_volatile, "clean") { guard<false><<<4, 64>>>(zeros<int>(1)); }

// A worklist: who takes a place must be the only one, and what is in it is for the next launch.
enum { TAIL_ATOMIC, TAIL_PLAIN, TAIL_OF_BLOCK_SCOPE, READ_BACK };
template <int K> __global__ void worklist(int *tail, int *items)
{
    int at = K == TAIL_PLAIN ? (*tail)++ : K == TAIL_OF_BLOCK_SCOPE ? atomicAdd_block(tail, 1) : atomicAdd(tail, 1);
    items[at % 256] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (K == READ_BACK && at)
        items[256 + at] = items[at - 1];
}
#define WORK(k) worklist<k><<<4, 32>>>(zeros<int>(1), zeros<int>(512))
CASE(worklist_atomic, "clean") { WORK(TAIL_ATOMIC); }
CASE(worklist_plain, "race race-same-instruction; notes: race-equal-value") { WORK(TAIL_PLAIN); }
CASE(worklist_block_scope, "race-scope") { WORK(TAIL_OF_BLOCK_SCOPE); }
CASE(worklist_read_back, "race") { WORK(READ_BACK); }

// Union-find: parents are read and shortened while others do the same.
template <bool STRONG> __global__ void find_roots(int *parent, int n)
{
    int v = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    for (;;) {
        int p = load<STRONG>(&parent[v]), q = load<STRONG>(&parent[p]);
        if (p == q)
            break;
        if (STRONG)
            *(volatile int *)&parent[v] = q;
        else
            parent[v] = q;
    }
}
static int *chain_of(int n)
{
    int *p = zeros<int>(n), *h = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        h[i] = i ? i - 1 : 0;
    cudaMemcpy(p, h, n * sizeof(int), cudaMemcpyHostToDevice);
    free(h);
    return p;
}
CASE(path_compression_volatile, "clean; notes: warp-synchronous") { find_roots<true><<<2, 64>>>(chain_of(128), 128); }
CASE(path_compression_plain, "race") { find_roots<false><<<2, 64>>>(chain_of(128), 128); }

// The compiler makes one store of the two, which has no line of its own.
__global__ void hook(const unsigned *from, unsigned *label, int round, unsigned n)
{
    unsigned a = from[threadIdx.x] % n, b = (a + blockIdx.x + 1) % n;
    unsigned hi = a > b ? a : b, lo = a > b ? b : a;
    if (round % 2 == 0)
        label[lo] = hi;
    else
        label[hi] = lo;
    label[n] = 1;
}
CASE(merged_stores, "race; notes: race-equal-value") { hook<<<4, 32>>>(zeros<unsigned>(32), zeros<unsigned>(17), 0, 16); }

// Rounds over one array with a grid-wide barrier each: the second one keeps the next round's writes from this one's reads.
template <int BARRIERS> __global__ void rounds(int *a, int *b)
{
    cg::grid_group g = cg::this_grid();
    int i = (int)g.thread_rank(), n = (int)g.size();
    for (int k = 0; k < 4; k++) {
        int *from = BARRIERS == 3 && k % 2 ? b : a, *to = BARRIERS == 3 && !(k % 2) ? b : a;
        int x = from[(i + 1) % n];
        if (BARRIERS == 2)
            g.sync();
        to[i] = x + 1;
        if (BARRIERS)
            g.sync();
    }
}
template <int B> static void in_rounds()
{
    int *a = zeros<int>(4 * N), *b = zeros<int>(4 * N);
    void *args[] = {&a, &b};
    cudaLaunchCooperativeKernel((void *)rounds<B>, 4, N, args, 0, 0);
}
CASE(rounds_two_barriers, "clean") { in_rounds<2>(); }
CASE(rounds_two_arrays, "clean") { in_rounds<3>(); }
CASE(rounds_one_barrier, "race") { in_rounds<1>(); }

// A barrier of too few: of the tile or warp instead of the block, of the block instead of the grid.
enum { OF_BLOCK, OF_TILE, OF_WARP };
template <int K> __global__ void narrow_barrier(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = (int)threadIdx.x;
    if (K == OF_BLOCK)
        cg::this_thread_block().sync();
    else if (K == OF_TILE)
        cg::tiled_partition<32>(cg::this_thread_block()).sync();
    else
        __syncwarp();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
CASE(barrier_of_block, "clean") { narrow_barrier<OF_BLOCK><<<1, 64>>>(zeros<int>(64)); }
CASE(barrier_of_tile, "race") { narrow_barrier<OF_TILE><<<1, 64>>>(zeros<int>(64)); }
CASE(barrier_of_warp, "race") { narrow_barrier<OF_WARP><<<1, 64>>>(zeros<int>(64)); }
__global__ void barrier_for_grid(int *a, int *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = (int)(gridDim.x * blockDim.x);
    a[i] = i;
    __threadfence();
    __syncthreads();
    out[i] = a[n - 1 - i];
}
CASE(barrier_of_block_for_grid, "race") { barrier_for_grid<<<2, 64>>>(zeros<int>(128), zeros<int>(128)); }

// A flag that is used again with the same value: the reader's second wait ends at the first announcement.
template <bool SAME> __global__ void flag_again(int *data, int *flag, int *answer, int *out)
{
    volatile int *f = flag, *a = answer;
    for (int round = 1; round <= 2; round++) {
        int value = SAME ? 1 : round;
        if (blockIdx.x == 0) {
            *data = round;
            __threadfence();
            *f = value;
            while (!a[round])
                ;
            __threadfence();
        } else {
            while (*f < value)
                ;
            __threadfence();
            out[round] = *data;
            __threadfence();
            a[round] = 1;
        }
    }
}
#define AGAIN(same) flag_again<same><<<2, 1>>>(zeros<int>(1), zeros<int>(1), zeros<int>(3), zeros<int>(3))
CASE(flag_counts, "clean") { AGAIN(false); }
CASE(flag_same_value, "race") { AGAIN(true); }

// The same between two warps in shared memory.
template <bool FENCE> __global__ void ping_pong(int *out)
{
    __shared__ int data;
    __shared__ volatile int turn;
    if (threadIdx.x == 0)
        data = turn = 0;
    __syncthreads();
    int w = (int)threadIdx.x / 32;
    for (int round = 0; round < 4 && threadIdx.x % 32 == 0; round++) {
        while (turn % 2 != w)
            ;
        if (FENCE)
            __threadfence_block();
        data++;
        if (FENCE)
            __threadfence_block();
        turn = turn + 1;
    }
    __syncthreads();
    out[threadIdx.x] = data;
}
CASE(turns, "clean") { ping_pong<true><<<1, 64>>>(zeros<int>(64)); }
CASE(turns_no_fence, "race; notes: race-equal-value") { ping_pong<false><<<1, 64>>>(zeros<int>(64)); }

// A warp fills a buffer for another, round after round: a named barrier says it is full, another that it is empty.
__device__ void bar_sync(int id) { asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory"); }
__device__ void bar_arrive(int id) { asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory"); }
enum { BOTH_BARRIERS, NO_FULL, EMPTY_EARLY };
template <int K> __global__ void pipeline(int *out)
{
    __shared__ int s[32];
    int l = (int)threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int round = 0; round < 3; round++) {
            if (round)
                bar_sync(2);
            s[l] = round;
            if (K != NO_FULL)
                bar_arrive(1);
        }
    } else {
        for (int round = 0; round < 3; round++) {
            if (K != NO_FULL)
                bar_sync(1);
            if (K == EMPTY_EARLY && round < 2)
                bar_arrive(2);
            out[l] = s[31 - l];
            if (K != EMPTY_EARLY && round < 2)
                bar_arrive(2);
        }
    }
}
CASE(named_pipeline, "clean") { pipeline<BOTH_BARRIERS><<<1, 64>>>(zeros<int>(32)); }
CASE(named_pipeline_no_full, "race") { pipeline<NO_FULL><<<1, 64>>>(zeros<int>(32)); }
CASE(named_pipeline_empty_early, "race") { pipeline<EMPTY_EARLY><<<1, 64>>>(zeros<int>(32)); }

// Scopes: what block scope is enough for, and where it is not.
template <bool SHARED> __global__ void block_scope(int *count)
{
    __shared__ int own;
    if (threadIdx.x == 0)
        own = 0;
    __syncthreads();
    atomicAdd_block(SHARED ? &own : count, 1);
    __syncthreads();
    if (threadIdx.x == 0 && SHARED)
        atomicAdd(count, own);
}
CASE(block_scope_shared, "clean") { block_scope<true><<<4, 64>>>(zeros<int>(1)); }
CASE(block_scope_global, "race-scope") { block_scope<false><<<4, 64>>>(zeros<int>(1)); }
CASE(block_scope_one_block, "clean") { block_scope<false><<<1, 64>>>(zeros<int>(1)); }

// A block's sum for each of several items: shared memory is used again for the next one.
template <bool BARRIER> __global__ void sums(const int *in, int *out)
{
    __shared__ int s[N];
    for (int item = 0; item < 3; item++) {
        s[N - 1 - threadIdx.x] = in[item * N + threadIdx.x];
        for (int d = N / 2; d; d /= 2) {
            __syncthreads();
            if ((int)threadIdx.x < d)
                s[threadIdx.x] += s[threadIdx.x + d];
        }
        if (threadIdx.x == 0)
            out[item] = s[0];
        if (BARRIER)
            __syncthreads();
    }
}
CASE(sums, "clean") { sums<true><<<1, N>>>(zeros<int>(3 * N), zeros<int>(3)); }
CASE(sums_no_last_barrier, "race; notes: race-equal-value") { sums<false><<<1, N>>>(zeros<int>(3 * N), zeros<int>(3)); }

// Blocks write their rows and the first of the next one.
template <bool HALO> __global__ void rows(int *a, int width)
{
    for (int i = (int)threadIdx.x; i < width + HALO; i += (int)blockDim.x)
        a[blockIdx.x * width + i] = (int)blockIdx.x;
}
CASE(rows_apart, "clean") { rows<false><<<4, 32>>>(zeros<int>(4 * 64 + 1), 64); }
CASE(rows_overlap, "race") { rows<true><<<4, 32>>>(zeros<int>(4 * 64 + 1), 64); }

// Three streams: two branches that meet in a third.
__global__ void fill(int *a, int v) { a[threadIdx.x] = v; }
__global__ void add(const int *a, const int *b, int *c) { c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
template <bool BOTH> static void join()
{
    int *x = zeros<int>(64), *y = zeros<int>(64), *z = zeros<int>(64);
    cudaStream_t s[3];
    cudaEvent_t e[2];
    for (cudaStream_t &i : s)
        cudaStreamCreateWithFlags(&i, cudaStreamNonBlocking);
    for (cudaEvent_t &i : e)
        cudaEventCreate(&i);
    cudaDeviceSynchronize();
    fill<<<1, 64, 0, s[0]>>>(x, 1);
    cudaEventRecord(e[0], s[0]);
    fill<<<1, 64, 0, s[1]>>>(y, 2);
    cudaEventRecord(e[1], s[1]);
    cudaStreamWaitEvent(s[2], e[0], 0);
    if (BOTH)
        cudaStreamWaitEvent(s[2], e[1], 0);
    add<<<1, 64, 0, s[2]>>>(x, y, z);
    for (cudaStream_t i : s)
        cudaStreamDestroy(i);
    for (cudaEvent_t i : e)
        cudaEventDestroy(i);
}
CASE(streams_join, "clean") { join<true>(); }
CASE(streams_join_one_missing, "race-streams") { join<false>(); }
