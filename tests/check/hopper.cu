// The asynchronous proxy: wgmma and bulk copies read shared memory that threads have written.
#include "cases.h"

static __device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
#define FENCE asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

/* Who fences: the threads that store, the one that copies, a thread that has nothing to do with it, nobody. */
enum who { STORES, COPIES, OTHER, NOBODY };
template <who W> __global__ void copy_out(int *out)
{
    __shared__ __align__(16) int s[128];
    s[threadIdx.x] = (int)threadIdx.x;
    if (W == STORES || (W == OTHER && threadIdx.x == 100 && out == nullptr))
        FENCE;
    __syncthreads();
    if (W == COPIES && threadIdx.x == 0)
        FENCE;
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;\ncp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(out),
                     "r"(at(s))
                     : "memory");
}
CASE(bulk_fence_of_stores, "clean") { copy_out<STORES><<<1, 128>>>(zeros<int>(128)); }
CASE(bulk_fence_of_copy, "clean") { copy_out<COPIES><<<1, 128>>>(zeros<int>(128)); }
CASE(bulk_other_fence, "proxy-fence") { copy_out<OTHER><<<1, 128>>>(zeros<int>(128)); }
CASE(bulk_no_fence, "proxy-fence") { copy_out<NOBODY><<<1, 128>>>(zeros<int>(128)); }

/* A fence of an earlier round does not help. */
template <bool EACH> __global__ void products(float *out)
{
    __shared__ __align__(1024) int tile[1024];
    float d[4] = {0, 0, 0, 0};
    const unsigned long long desc = at(tile) >> 4 | 8ull << 16 | 8ull << 32;
    for (int round = 0; round < 2; round++) {
        for (int i = threadIdx.x; i < 1024; i += 128)
            tile[i] = round;
        if (EACH || !round)
            FENCE;
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;\n"
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;\n"
                     "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(desc)
                     : "memory");
        __syncthreads();
    }
    out[threadIdx.x] = d[0];
}
CASE(product_fences, "clean") { products<true><<<1, 128>>>(zeros<float>(128)); }
CASE(product_fence_once, "proxy-fence") { products<false><<<1, 128>>>(zeros<float>(128)); }

/* What a copy brings is there, and needs no fence. */
__global__ void copy_in(const int *in, int *out)
{
    __shared__ __align__(16) int s[128];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;\n"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 512, [%0];" ::"r"(at(&bar)),
                     "r"(at(s)), "l"(in)
                     : "memory");
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra L;\n}\n" ::"r"(at(&bar))
                 : "memory");
    out[threadIdx.x] = s[threadIdx.x];
}
CASE(copied_in, "clean") { copy_in<<<1, 128>>>(zeros<int>(128), zeros<int>(128)); }

/* ---- bulk copies: who waits for what ---- */

static __device__ void init(unsigned long long *bar, int n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(at(bar)), "r"(n) : "memory");
}
static __device__ void arrive(unsigned long long *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(bar)) : "memory");
}
static __device__ void expect(unsigned long long *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
}
static __device__ void load(int *to, const int *from, int bytes, unsigned long long *bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)),
                 "l"(from), "r"(bytes), "r"(at(bar))
                 : "memory");
}
static __device__ void wait(unsigned long long *bar, int parity)
{
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra L;\n}\n" ::"r"(at(bar)),
                 "r"(parity)
                 : "memory");
}

enum { ALL_WAIT, ONE_WAITS, ONE_WAITS_AND_BARRIER, NONE_WAITS, WRONG_ONE };
template <int W> __global__ void fetch(const int *in, int *out)
{
    __shared__ __align__(16) int s[256];
    __shared__ __align__(8) unsigned long long bar[2];
    if (threadIdx.x == 0) {
        init(&bar[0], 1);
        init(&bar[1], 1);
        for (int k = 0; k < 2; k++) {
            expect(&bar[k], 512);
            load(s + 128 * k, in + 128 * k, 512, &bar[k]);
        }
    }
    __syncthreads();
    if (W == ALL_WAIT || (threadIdx.x == 0 && (W == ONE_WAITS || W == ONE_WAITS_AND_BARRIER))) {
        wait(&bar[0], 0);
        wait(&bar[1], 0);
    } else if (W == WRONG_ONE) {
        wait(&bar[0], 0);
    }
    if (W == ONE_WAITS_AND_BARRIER)
        __syncthreads();
    out[threadIdx.x] = s[128 + threadIdx.x];
    if (W == WRONG_ONE)
        wait(&bar[1], 0);
}
#define FETCH(w) fetch<w><<<1, 128>>>(zeros<int>(256), zeros<int>(128))
CASE(bulk_all_wait, "clean") { FETCH(ALL_WAIT); }
CASE(bulk_one_waits, "race-async-copy") { FETCH(ONE_WAITS); }
CASE(bulk_one_waits_for_all, "clean") { FETCH(ONE_WAITS_AND_BARRIER); }
CASE(bulk_nobody_waits, "race-async-copy unwaited-copy") { FETCH(NONE_WAITS); }
CASE(bulk_wait_for_other, "race-async-copy") { FETCH(WRONG_ONE); }

/* A ring of two buffers, a producer and a consumer warp. Without the consumer's arrivals a buffer is overwritten early. */
enum { RING_RIGHT, RING_EARLY_ARRIVAL };
template <int K> __global__ void ring(const int *in, int *out)
{
    __shared__ __align__(16) int s[2][32];
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    if (threadIdx.x == 0)
        for (int k = 0; k < 2; k++) {
            init(&full[k], 1);
            init(&empty[k], 32);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < 6; i++) {
            if (i > 1)
                wait(&empty[i % 2], (i / 2 - 1) % 2);
            expect(&full[i % 2], 128);
            load(s[i % 2], in + 32 * i, 128, &full[i % 2]);
        }
    } else if (threadIdx.x >= 32) {
        int sum = 0;
        for (int i = 0; i < 6; i++) {
            wait(&full[i % 2], i / 2 % 2);
            if (K == RING_EARLY_ARRIVAL)
                arrive(&empty[i % 2]);
            sum += s[i % 2][threadIdx.x - 32];
            if (K != RING_EARLY_ARRIVAL)
                arrive(&empty[i % 2]);
        }
        out[threadIdx.x - 32] = sum;
    }
}
#define RING(k) ring<k><<<1, 64>>>(zeros<int>(192), zeros<int>(32))
CASE(bulk_ring, "clean") { RING(RING_RIGHT); }
CASE(bulk_ring_early_arrival, "race") { RING(RING_EARLY_ARRIVAL); }

/* Shared memory that a copy still reads is written again. */
enum { OUT_RIGHT, OUT_NO_WAIT, OUT_WAITS_FOR_OLDER, OUT_NOT_AT_THE_END };
template <int K> __global__ void send(int *out)
{
    __shared__ __align__(16) int s[128];
    for (int i = 0; i < 2; i++) {
        s[threadIdx.x] = i + (int)threadIdx.x;
        FENCE;
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;\ncp.async.bulk.commit_group;" ::"l"(out + 128 * i),
                         "r"(at(s))
                         : "memory");
            if (K == OUT_RIGHT || (K == OUT_NOT_AT_THE_END && !i))
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            else if (K == OUT_WAITS_FOR_OLDER)
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        }
        __syncthreads();
    }
}
#define SEND(k) send<k><<<1, 128>>>(zeros<int>(256))
CASE(bulk_store, "clean") { SEND(OUT_RIGHT); }
CASE(bulk_store_no_wait, "race-async-copy unwaited-copy") { SEND(OUT_NO_WAIT); }
CASE(bulk_store_waits_for_older, "race-async-copy unwaited-copy") { SEND(OUT_WAITS_FOR_OLDER); }
CASE(bulk_store_not_at_the_end, "unwaited-copy") { SEND(OUT_NOT_AT_THE_END); }

/* The copy's result is read from global memory. */
template <bool READ_ONLY> __global__ void send_and_read(int *out, int *sum)
{
    __shared__ __align__(16) int s[4];
    s[threadIdx.x] = 5;
    FENCE;
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;\ncp.async.bulk.commit_group;" ::"l"(out), "r"(at(s)) : "memory");
        if (READ_ONLY)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        else
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        *sum = out[3];
    }
}
CASE(bulk_store_written, "clean") { send_and_read<false><<<1, 4>>>(zeros<int>(4), zeros<int>(1)); }
CASE(bulk_store_only_read, "race-async-copy") { send_and_read<true><<<1, 4>>>(zeros<int>(4), zeros<int>(1)); }

/* Sums of several CTAs, by reductions; and copies of several CTAs to one place. */
template <bool ADD> __global__ void to_one(int *out)
{
    __shared__ __align__(16) int s[32];
    s[threadIdx.x] = (int)blockIdx.x;
    FENCE;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (ADD)
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 128;" ::"l"(out), "r"(at(s)) : "memory");
        else
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out), "r"(at(s)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}
CASE(bulk_reductions, "clean") { to_one<true><<<3, 32>>>(zeros<int>(32)); }
CASE(bulk_stores_to_one, "race-async-copy") { to_one<false><<<3, 32>>>(zeros<int>(32)); }

/* Definedness goes with the bytes. */
__global__ void pass(const int *in, int *out, int used)
{
    __shared__ __align__(16) int s[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        expect(&bar, 256);
        load(s, in, 256, &bar);
    }
    __syncthreads();
    wait(&bar, 0);
    if (used)
        out[threadIdx.x] = s[threadIdx.x] + 1;
}
static int *fresh_ints(int n)
{
    int *p;
    cudaMalloc(&p, n * sizeof(int));
    mine[n_mine++] = p;
    return p;
}
CASE(bulk_undefined_unused, "clean") { pass<<<1, 64>>>(fresh_ints(64), zeros<int>(64), 0); }
CASE(bulk_undefined_used, "uninitialized") { pass<<<1, 64>>>(fresh_ints(64), zeros<int>(64), 1); }
__global__ void store_part(int *out)
{
    __shared__ __align__(16) int s[64];
    if (threadIdx.x)
        s[threadIdx.x] = 1;
    FENCE;
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;\ncp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(out),
                     "r"(at(s))
                     : "memory");
}
CASE(bulk_stores_undefined, "uninitialized-copy")
{
    int h[64], *out = zeros<int>(64);
    store_part<<<1, 64>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
}

/* A product's operands are overwritten, with and without a wait for it. */
template <bool WAITS> __global__ void overwrite(float *out)
{
    __shared__ __align__(1024) int tile[1024];
    float d[4] = {0, 0, 0, 0};
    const unsigned long long desc = at(tile) >> 4 | 8ull << 16 | 8ull << 32;
    for (int i = threadIdx.x; i < 1024; i += 128)
        tile[i] = 0;
    FENCE;
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(desc)
                 : "memory");
    if (WAITS)
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 128)
        tile[i] = 1;
    if (!WAITS)
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0];
}
CASE(product_waited, "clean") { overwrite<true><<<1, 128>>>(zeros<float>(128)); }
CASE(product_overwritten, "race-async-copy") { overwrite<false><<<1, 128>>>(zeros<float>(128)); }

/* One thread of the warpgroup announces that the tile is free, after its wait for the product or before; or the other
 * warpgroup's product is not waited for. */
enum { ANNOUNCES_AFTER, ANNOUNCES_BEFORE, ANNOUNCES_FOR_OTHERS };
template <int K> __global__ void announce(float *out)
{
    __shared__ __align__(1024) int tile[1024];
    __shared__ __align__(8) unsigned long long bar;
    float d[4] = {0, 0, 0, 0};
    const unsigned long long desc = at(tile) >> 4 | 8ull << 16 | 8ull << 32;
    if (threadIdx.x == 0)
        init(&bar, 1);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        tile[i] = 0;
    FENCE;
    __syncthreads();
    if (threadIdx.x < (K == ANNOUNCES_FOR_OTHERS ? 256 : 128)) {
        asm volatile("wgmma.fence.sync.aligned;\n"
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;\n"
                     "wgmma.commit_group.sync.aligned;\n"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(desc)
                     : "memory");
        if (threadIdx.x == 5 && K == ANNOUNCES_BEFORE)
            arrive(&bar);
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x == 5 && K != ANNOUNCES_BEFORE)
            arrive(&bar);
        out[threadIdx.x] = d[0];
    } else {
        wait(&bar, 0);
        for (int i = threadIdx.x % 128; i < 1024; i += 128)
            tile[i] = 1;
    }
}
CASE(product_announced, "clean") { announce<ANNOUNCES_AFTER><<<1, 256>>>(zeros<float>(256)); }
CASE(product_announced_early, "race-async-copy") { announce<ANNOUNCES_BEFORE><<<1, 256>>>(zeros<float>(256)); }
CASE(product_announced_for_others, "race-async-copy") { announce<ANNOUNCES_FOR_OTHERS><<<1, 384>>>(zeros<float>(256)); }

/* ---- mbarriers used wrongly ---- */

enum { M_RIGHT, M_AGAIN, M_STORED, M_REUSED, M_NEVER };
template <int K> __global__ void object(int *out)
{
    __shared__ __align__(8) unsigned long long bar;
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0 && (!i || K == M_AGAIN || K == M_REUSED))
            init(&bar, K == M_NEVER ? 33 : 32);
        __syncthreads();
        arrive(&bar);
        wait(&bar, K == M_AGAIN || K == M_REUSED ? 0 : i);
        __syncthreads();
        if (threadIdx.x == 0 && K == M_REUSED)
            asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at(&bar)) : "memory");
        if (threadIdx.x == 0 && K == M_STORED)
            *(volatile unsigned long long *)&bar = *(volatile unsigned long long *)&bar;
        __syncthreads();
    }
    out[threadIdx.x] = 1;
}
#define OBJECT(k) object<k><<<1, 32>>>(zeros<int>(32))
CASE(object_two_phases, "clean") { OBJECT(M_RIGHT); }
CASE(object_initialized_again, "mbarrier") { OBJECT(M_AGAIN); }
CASE(object_stored, "mbarrier") { OBJECT(M_STORED); }
CASE(object_reused, "clean") { OBJECT(M_REUSED); }
CASE(object_never_complete, "barrier") { OBJECT(M_NEVER); }

/* ---- clusters ---- */

static __device__ unsigned peer(const void *p)
{
    unsigned r, rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at(p)), "r"(rank ^ 1));
    return r;
}
static __device__ int read_peer(const int *p)
{
    int v;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(peer(p)) : "memory");
    return v;
}
#define CLUSTER asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory")
#define CLUSTER_RELAXED asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory")
template <class K, class... A> static void pairs(K kernel, int n, int threads, A... a)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute x;
    x.id = cudaLaunchAttributeClusterDimension;
    x.val.clusterDim.x = 2;
    x.val.clusterDim.y = x.val.clusterDim.z = 1;
    c.gridDim = dim3(n);
    c.blockDim = dim3(threads);
    c.attrs = &x;
    c.numAttrs = 1;
    cudaLaunchKernelEx(&c, kernel, a...);
}

enum { X_RIGHT, X_NO_FIRST, X_CTA_BARRIER, X_NO_LAST, X_RELAXED, X_BETWEEN };
template <int K> __global__ void exchange(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = (int)threadIdx.x;
    if (K == X_BETWEEN) {
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        s[threadIdx.x] = 2;
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    } else if (K == X_CTA_BARRIER) {
        __syncthreads();
    } else if (K == X_RELAXED) {
        CLUSTER_RELAXED;
    } else if (K != X_NO_FIRST) {
        CLUSTER;
    }
    out[blockIdx.x * 64 + threadIdx.x] = read_peer(s + 63 - threadIdx.x);
    if (K != X_NO_LAST)
        CLUSTER;
    s[threadIdx.x] = 1;
    CLUSTER;
}
#define EXCHANGE(k) pairs(exchange<k>, 4, 64, zeros<int>(256))
CASE(cluster_exchange, "clean") { EXCHANGE(X_RIGHT); }
CASE(cluster_no_barrier, "race") { EXCHANGE(X_NO_FIRST); }
CASE(cluster_cta_barrier, "race") { EXCHANGE(X_CTA_BARRIER); }
CASE(cluster_no_last_barrier, "race") { EXCHANGE(X_NO_LAST); }
CASE(cluster_relaxed, "race") { EXCHANGE(X_RELAXED); }
CASE(cluster_write_between, "race") { EXCHANGE(X_BETWEEN); }

/* Own shared memory is ordered by the cluster's barrier, too; generic addresses; atomics of several CTAs. */
__global__ void own(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = (int)threadIdx.x;
    CLUSTER;
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
CASE(cluster_orders_cta, "clean") { pairs(own, 4, 64, zeros<int>(256)); }
template <bool ATOMIC> __global__ void count_at_first(int *out)
{
    __shared__ int n;
    unsigned a;
    if (threadIdx.x == 0)
        n = 0;
    CLUSTER;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(a) : "r"(at(&n)));
    if (ATOMIC)
        asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0], 1;" ::"r"(a) : "memory");
    else
        asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(a), "r"(blockIdx.x) : "memory");
    CLUSTER;
    if (threadIdx.x == 0)
        out[blockIdx.x] = n;
}
CASE(cluster_atomics, "clean") { pairs(count_at_first<true>, 2, 64, zeros<int>(2)); }
CASE(cluster_stores, "race; notes: race-equal-value") { pairs(count_at_first<false>, 2, 64, zeros<int>(2)); }

/* One CTA announces at the other's mbarrier what it has written there. */
template <bool ARRIVES_LATE, bool ASYNC> __global__ void remote(int *out)
{
    __shared__ __align__(16) int s[32];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        init(&bar, ASYNC ? 1 : 32);
    CLUSTER;
    if (ASYNC) {
        if (threadIdx.x == 0)
            expect(&bar, 128);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(peer(s + threadIdx.x)),
                     "r"(threadIdx.x), "r"(peer(&bar))
                     : "memory");
        if (!ARRIVES_LATE)
            wait(&bar, 0);
        out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
        if (ARRIVES_LATE)
            wait(&bar, 0);
    } else {
        if (ARRIVES_LATE)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer(&bar)) : "memory");
        asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(peer(s + threadIdx.x)), "r"(threadIdx.x) : "memory");
        if (!ARRIVES_LATE)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer(&bar)) : "memory");
        asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra L;\n}\n" ::"r"(at(&bar)) : "memory");
        out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
    }
    CLUSTER;
}
#define REMOTE(late, async) pairs(remote<late, async>, 2, 32, zeros<int>(64))
CASE(remote_arrival, "clean") { REMOTE(false, false); }
CASE(remote_arrival_early, "race") { REMOTE(true, false); }
CASE(remote_async_store, "clean") { REMOTE(false, true); }
CASE(remote_async_store_no_wait, "race race-async-copy") { REMOTE(true, true); }
