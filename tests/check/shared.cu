// Races in shared memory: between warps of a block, and within a warp.
#include "cases.h"

enum { N = 128 };

template <bool BARRIER> __global__ void neighbor(int *out)
{
    __shared__ int s[N];
    s[threadIdx.x] = (int)threadIdx.x;
    if (BARRIER)
        __syncthreads();
    out[blockIdx.x * N + threadIdx.x] = s[(threadIdx.x + 1) % N];
}
CASE(neighbor_exchange, "clean") { neighbor<true><<<2, N>>>(zeros<int>(2 * N)); }
CASE(neighbor_exchange_one_block, "clean") { neighbor<true><<<1, N>>>(zeros<int>(N)); }
CASE(neighbor_without_barrier, "race") { neighbor<false><<<1, N>>>(zeros<int>(N)); }

template <bool LAST> __global__ void reduce(const float *in, float *out)
{
    __shared__ float s[N];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int d = N / 2; d; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        if (LAST || d > 1)
            __syncthreads();
    }
    if (threadIdx.x == N / 2)
        *out = s[0];
}
CASE(reduction, "clean") { reduce<true><<<1, N>>>(zeros<float>(N), zeros<float>(1)); }
CASE(reduction_last_step, "race") { reduce<false><<<1, N>>>(zeros<float>(N), zeros<float>(1)); }

template <bool SECOND> __global__ void tiles(const int *in, int *out)
{
    __shared__ int s[N];
    int sum = 0;
    for (int t = 0; t < 3; t++) {
        s[threadIdx.x] = in[t * N + threadIdx.x] + t;
        __syncthreads();
        for (int k = 0; k < N; k++)
            sum += s[k];
        if (SECOND)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}
CASE(tile_loop, "clean") { tiles<true><<<1, N>>>(zeros<int>(3 * N), zeros<int>(N)); }
CASE(tile_loop_second_barrier, "race") { tiles<false><<<1, N>>>(zeros<int>(3 * N), zeros<int>(N)); }

template <int BUFFERS> __global__ void buffers(const int *in, int *out)
{
    __shared__ int s[BUFFERS][N];
    int sum = 0;
    s[0][threadIdx.x] = in[threadIdx.x];
    for (int t = 0; t < 6; t++) {
        __syncthreads();
        if (t < 5)
            s[(t + 1) % BUFFERS][threadIdx.x] = in[threadIdx.x] + t + 1;
        sum += s[t % BUFFERS][N - 1 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
CASE(double_buffer, "clean") { buffers<2><<<1, N>>>(zeros<int>(N), zeros<int>(N)); }
CASE(double_buffer_off_by_one, "race") { buffers<1><<<1, N>>>(zeros<int>(N), zeros<int>(N)); }

template <bool ATOMIC> __global__ void histogram(const unsigned char *in, unsigned *out)
{
    __shared__ unsigned bin[16];
    if (threadIdx.x < 16)
        bin[threadIdx.x] = 0;
    __syncthreads();
    unsigned b = (in[threadIdx.x] + threadIdx.x) % 16;
    if (ATOMIC)
        atomicAdd(&bin[b], 1);
    else
        bin[b]++;
    __syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = bin[threadIdx.x];
}
CASE(histogram_atomic, "clean") { histogram<true><<<1, N>>>(zeros<unsigned char>(N), zeros<unsigned>(16)); }
CASE(histogram_plain, "race; notes: race-equal-value") { histogram<false><<<1, N>>>(zeros<unsigned char>(N), zeros<unsigned>(16)); }

__global__ void bins_read_early(unsigned *out)
{
    __shared__ unsigned bin[16];
    if (threadIdx.x < 16)
        bin[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bin[threadIdx.x % 16], 1);
    if (threadIdx.x < 16)
        out[threadIdx.x] = bin[threadIdx.x];
}
CASE(histogram_read_early, "race") { bins_read_early<<<1, N>>>(zeros<unsigned>(16)); }

__global__ void bins_cleared_late(unsigned *out)
{
    __shared__ unsigned bin[16];
    if (threadIdx.x < 16)
        bin[threadIdx.x] = 0;
    atomicAdd(&bin[threadIdx.x % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = bin[threadIdx.x];
}
CASE(histogram_cleared_late, "race") { bins_cleared_late<<<1, N>>>(zeros<unsigned>(16)); }

// A flag of the whole block: the next round's reset meets this round's read.
template <bool TWO> __global__ void block_flag(int *out)
{
    __shared__ int again;
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0)
            again = 3 - i;
        __syncthreads();
        int go = again;
        if (TWO)
            __syncthreads();
        if (go == 1)
            break;
    }
    out[threadIdx.x] = 1;
}
CASE(block_flag, "clean") { block_flag<true><<<1, N>>>(zeros<int>(N)); }
CASE(block_flag_one_barrier, "race") { block_flag<false><<<1, N>>>(zeros<int>(N)); }

__global__ void equal_values(int *out)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (threadIdx.x % 3 == 0)
        found = 1;
    __syncthreads();
    out[threadIdx.x] = found;
}
CASE(equal_values, "clean; notes: race-equal-value") { equal_values<<<1, N>>>(zeros<int>(N)); }

__global__ void different_values(int *out)
{
    __shared__ int found;
    if (threadIdx.x % 32 == 0)
        found = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = found;
}
CASE(different_values, "race") { different_values<<<1, N>>>(zeros<int>(N)); }

__global__ void same_instruction(int *out)
{
    __shared__ int winner;
    winner = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = winner;
}
CASE(same_instruction, "race-same-instruction") { same_instruction<<<1, 32>>>(zeros<int>(N)); }

// The last warp of a reduction, as it was written before 2017.
template <int KIND> __global__ void last_warp(int *out)
{
    __shared__ int plain[64];
    plain[threadIdx.x] = (int)threadIdx.x;
    plain[threadIdx.x + 32] = 1;
    __syncthreads();
    volatile int *s = plain;
    for (int d = 32; d; d /= 2) {
        int v = KIND == 0 ? plain[threadIdx.x + d] : s[threadIdx.x + d];
        if (KIND == 1)
            __syncwarp();
        if (threadIdx.x < d) {
            if (KIND == 0)
                plain[threadIdx.x] += v;
            else
                s[threadIdx.x] = s[threadIdx.x] + v;
        }
        if (KIND == 1)
            __syncwarp();
    }
    out[threadIdx.x] = plain[0];
}
CASE(last_warp_plain, "race") { last_warp<0><<<1, 32>>>(zeros<int>(32)); }
CASE(last_warp_syncwarp, "clean") { last_warp<1><<<1, 32>>>(zeros<int>(32)); }

__global__ void last_warp_right(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = (int)threadIdx.x;
    s[threadIdx.x + 32] = 1;
    __syncwarp();
    for (int d = 32; d; d /= 2) {
        int v = threadIdx.x < d ? s[threadIdx.x + d] : 0;
        __syncwarp();
        if (threadIdx.x < d)
            s[threadIdx.x] += v;
        __syncwarp();
    }
    out[threadIdx.x] = s[0];
}
CASE(last_warp_right, "clean") { last_warp_right<<<1, 32>>>(zeros<int>(32)); }

__global__ void last_warp_volatile(int *out)
{
    __shared__ volatile int s[64];
    s[threadIdx.x] = (int)threadIdx.x;
    s[threadIdx.x + 32] = 1;
    for (int d = 32; d; d /= 2)
        s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + d];
    out[threadIdx.x] = s[threadIdx.x];
}
CASE(last_warp_volatile, "clean; notes: warp-synchronous") { last_warp_volatile<<<1, 32>>>(zeros<int>(32)); }

template <bool SYNC> __global__ void warp_pair(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = (int)threadIdx.x;
    if (SYNC)
        __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
CASE(warp_exchange, "clean") { warp_pair<true><<<1, 32>>>(zeros<int>(32)); }
CASE(warp_exchange_without_sync, "race") { warp_pair<false><<<1, 32>>>(zeros<int>(32)); }

// Halves of a warp with a mask each.
template <bool OWN> __global__ void half_warps(int *out)
{
    __shared__ int s[32];
    unsigned mask = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    s[threadIdx.x] = (int)threadIdx.x;
    __syncwarp(mask);
    out[threadIdx.x] = s[OWN ? (threadIdx.x & 16) | ((threadIdx.x + 1) & 15) : threadIdx.x ^ 16];
}
CASE(half_warps, "clean") { half_warps<true><<<1, 32>>>(zeros<int>(32)); }
CASE(half_warps_across, "race") { half_warps<false><<<1, 32>>>(zeros<int>(32)); }

__global__ void after_shuffle(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = (int)threadIdx.x;
    int v = __shfl_xor_sync(~0u, (int)threadIdx.x, 1);
    out[threadIdx.x] = s[threadIdx.x ^ 1] + v;
}
CASE(after_shuffle, "warp-synchronous") { after_shuffle<<<1, 32>>>(zeros<int>(32)); }

__global__ void bytes_apart(char *out)
{
    __shared__ char s[N];
    s[threadIdx.x] = (char)threadIdx.x;
    out[threadIdx.x] = s[threadIdx.x];
}
CASE(bytes_apart, "clean") { bytes_apart<<<1, N>>>(zeros<char>(N)); }

__global__ void bytes_overlap(char *out)
{
    __shared__ alignas(4) char s[N];
    if (threadIdx.x < N / 4)
        *(int *)(s + 4 * threadIdx.x) = 7;
    else
        s[threadIdx.x] = 9;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
CASE(bytes_overlap, "race") { bytes_overlap<<<1, N>>>(zeros<char>(N)); }

__device__ void bar(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ void bar_arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

// One warp produces, one consumes, a third stays away.
template <bool WAITS> __global__ void named(int *out)
{
    __shared__ int s[32];
    int w = (int)threadIdx.x / 32, l = (int)threadIdx.x % 32;
    if (w == 0) {
        s[l] = l;
        bar_arrive(1, 64);
    } else if (w == 1) {
        bar(1, 64);
        out[l] = s[31 - l];
    } else if (!WAITS) {
        out[32 + l] = s[l];
    }
}
CASE(named_barrier, "clean") { named<true><<<1, 96>>>(zeros<int>(64)); }
CASE(named_barrier_bystander, "race") { named<false><<<1, 96>>>(zeros<int>(64)); }

__global__ void group_of_warps(int *out)
{
    __shared__ int s[N];
    int g = (int)threadIdx.x / 64, l = (int)threadIdx.x % 64;
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i + l;
        bar(1 + g, 64);
        out[threadIdx.x] = s[g * 64 + 63 - l];
        bar(1 + g, 64);
    }
}
CASE(groups_of_warps, "clean") { group_of_warps<<<1, N>>>(zeros<int>(N)); }

// A lock in shared memory.
template <bool FENCE> __global__ void lock(int *out)
{
    __shared__ int taken, sum;
    if (threadIdx.x == 0)
        taken = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&taken, 0, 1))
            ;
        if (FENCE)
            __threadfence_block();
        sum += 1;
        if (FENCE)
            __threadfence_block();
        atomicExch(&taken, 0);
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}
CASE(shared_lock, "clean") { lock<true><<<1, N>>>(zeros<int>(N)); }
CASE(shared_lock_no_fence, "race") { lock<false><<<1, N>>>(zeros<int>(N)); }

__global__ void exits_early(int *out, int n)
{
    __shared__ int s[N];
    if ((int)threadIdx.x >= n)
        return;
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
CASE(exits_early, "clean") { exits_early<<<1, N>>>(zeros<int>(N), 70); }

template <bool SAME> __global__ void rows(int *out)
{
    extern __shared__ int d[];
    int *row = d + (SAME ? 0 : threadIdx.x / 32 * 32);
    row[threadIdx.x % 32] = (int)threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = row[31 - threadIdx.x % 32];
}
CASE(rows_of_warps, "clean") { rows<false><<<1, N, N * 4>>>(zeros<int>(N)); }
CASE(rows_overlap, "race") { rows<true><<<1, N, N * 4>>>(zeros<int>(N)); }

// Who writes has read last: the readers before it count all the same.
__global__ void last_reader_writes(int *out)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 1;
    __syncthreads();
    out[threadIdx.x] = s;
    __syncwarp();
    if (threadIdx.x == N - 1)
        s = 2;
}
CASE(last_reader_writes, "race") { last_reader_writes<<<1, N>>>(zeros<int>(N)); }
