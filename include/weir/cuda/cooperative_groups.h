/*
 * Cooperative groups: the grid, the block, tiles of a warp or of several, the threads that happen to run together; their
 * synchronization, exchange, reductions and scans.
 *
 * Left out: clusters, multi-device groups.
 */
#ifndef WEIR_CUDA_COOPERATIVE_GROUPS_H
#define WEIR_CUDA_COOPERATIVE_GROUPS_H
#pragma GCC system_header

#include "cuda_runtime.h"

#include <stdint.h> /* programs take uintptr_t from here */

#if defined(__CUDA__) && defined(__cplusplus)

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType)) /* as in weir_device.h */
namespace cooperative_groups
{

#define WEIR_CG        static __device__ __inline__ __attribute__((unused))
#define WEIR_CG_MEMBER __device__ __inline__

/* ---- the grid ---- */
class grid_group
{
  public:
    WEIR_CG_MEMBER bool is_valid() const { return barrier() != 0; }
    WEIR_CG_MEMBER unsigned long long num_threads() const
    {
        return num_blocks() * blockDim.x * blockDim.y * blockDim.z;
    }
    WEIR_CG_MEMBER unsigned long long size() const { return num_threads(); }
    WEIR_CG_MEMBER unsigned long long num_blocks() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    WEIR_CG_MEMBER unsigned long long block_rank() const
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    WEIR_CG_MEMBER unsigned long long thread_rank() const
    {
        return block_rank() * (blockDim.x * blockDim.y * blockDim.z) +
               ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
    }
    WEIR_CG_MEMBER dim3 group_dim() const { return gridDim; }
    WEIR_CG_MEMBER dim3 dim_blocks() const { return gridDim; }
    WEIR_CG_MEMBER dim3 block_index() const { return blockIdx; }
    /*
     * Every block adds its share to a counter that the launch provides; the first block's share is such that the sum
     * flips the top bit, and all wait for the flip. No reset is needed: the next barrier flips it back.
     */
    WEIR_CG_MEMBER void sync() const
    {
        unsigned *counter = barrier();
        if (!counter)
            __trap(); /* not a cooperative launch */
        __syncthreads();
        if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
            unsigned share = block_rank() == 0 ? 0x80000000u - (unsigned)(num_blocks() - 1) : 1u;
            __threadfence();
            unsigned before = atomicAdd(counter, share);
            while (((*(volatile unsigned *)counter ^ before) & 0x80000000u) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
    }

  private:
    static WEIR_CG_MEMBER unsigned *barrier()
    {
        unsigned hi, lo;
        asm("mov.u32 %0, %%envreg1;" : "=r"(hi));
        asm("mov.u32 %0, %%envreg2;" : "=r"(lo));
        unsigned long long workspace = (unsigned long long)hi << 32 | lo;
        return workspace ? (unsigned *)workspace + 1 : (unsigned *)0;
    }
};
WEIR_CG grid_group this_grid()
{
    return grid_group();
}

/* ---- groups within a block ---- */

/* Any of the groups below; the kind is known at run time only. */
class thread_group
{
  public:
    WEIR_CG_MEMBER thread_group() : mask_(0), block_(true) {}
    explicit WEIR_CG_MEMBER thread_group(unsigned mask) : mask_(mask), block_(false) {}
    WEIR_CG_MEMBER void sync() const
    {
        if (block_)
            __syncthreads();
        else
            __syncwarp(mask_);
    }
    WEIR_CG_MEMBER unsigned num_threads() const
    {
        return block_ ? blockDim.x * blockDim.y * blockDim.z : (unsigned)__popc(mask_);
    }
    WEIR_CG_MEMBER unsigned size() const { return num_threads(); }
    WEIR_CG_MEMBER unsigned thread_rank() const
    {
        return block_ ? (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x
                      : (unsigned)__popc(mask_ & __lanemask_lt());
    }
    WEIR_CG_MEMBER bool is_valid() const { return true; }
    /* n neighboring lanes of this group. */
    WEIR_CG_MEMBER thread_group weir_tile(unsigned n) const
    {
        unsigned lane = __weir_laneid();
        unsigned mask = n >= 32 ? 0xffffffffu : ((1u << n) - 1) << (lane & ~(n - 1));
        return thread_group(block_ ? mask : mask & mask_);
    }

  protected:
    unsigned mask_;
    bool block_;
};

/*
 * What the warps of a tile share: how many have come to its barriers, ever, and a word of each. Tiles of each size have
 * counters of their own.
 */
struct weir_tile_memory {
    unsigned arrived[32], word[32];
};
template <unsigned weir_N = 1024> struct block_tile_memory {
    static_assert(weir_N <= 1024, "a block has at most 1024 threads");
    weir_tile_memory weir_memory;
};

class thread_block : public thread_group
{
  public:
    weir_tile_memory *weir_memory = nullptr; /* given by the program, or none */

    static WEIR_CG_MEMBER void sync() { __syncthreads(); }
    static WEIR_CG_MEMBER unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static WEIR_CG_MEMBER unsigned size() { return num_threads(); }
    static WEIR_CG_MEMBER unsigned thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static WEIR_CG_MEMBER dim3 group_index() { return blockIdx; }
    static WEIR_CG_MEMBER dim3 thread_index() { return threadIdx; }
    static WEIR_CG_MEMBER dim3 group_dim() { return blockDim; }
    static WEIR_CG_MEMBER dim3 dim_threads() { return blockDim; }
};
WEIR_CG thread_block this_thread_block()
{
    return thread_block();
}
template <unsigned weir_N> WEIR_CG thread_block this_thread_block(block_tile_memory<weir_N> &memory)
{
    thread_block block;
    block.weir_memory = &memory.weir_memory;
    return block;
}

/* A value of any plain type, exchanged word by word; `lane` says from where one word comes. */
template <class weir_T, class weir_F> WEIR_CG weir_T exchange(weir_T v, weir_F lane)
{
    unsigned word[(sizeof(weir_T) + 3) / 4] = {};
    __builtin_memcpy(word, &v, sizeof v);
    for (unsigned k = 0; k < sizeof word / sizeof *word; k++)
        word[k] = lane(word[k]);
    __builtin_memcpy(&v, word, sizeof v);
    return v;
}

/* Exchange among the threads of `mask`, ranks counted from its lowest lane; tiles override what is cheaper for them. */
class coalesced_group : public thread_group
{
  public:
    explicit WEIR_CG_MEMBER coalesced_group(unsigned mask, unsigned rank = 0, unsigned groups = 1)
        : thread_group(mask), meta_rank_(rank), meta_size_(groups)
    {
    }
    WEIR_CG_MEMBER void sync() const { __syncwarp(mask_); }
    WEIR_CG_MEMBER unsigned num_threads() const { return (unsigned)__popc(mask_); }
    WEIR_CG_MEMBER unsigned size() const { return num_threads(); }
    WEIR_CG_MEMBER unsigned thread_rank() const { return (unsigned)__popc(mask_ & __lanemask_lt()); }
    WEIR_CG_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
    WEIR_CG_MEMBER unsigned meta_group_size() const { return meta_size_; }
    WEIR_CG_MEMBER unsigned get_mask() const { return mask_; }
    template <class weir_T> WEIR_CG_MEMBER weir_T shfl(weir_T v, int rank) const
    {
        int from = (int)__fns(mask_, 0, rank + 1);
        return exchange(v, [&](unsigned word) { return __shfl_sync(mask_, word, from); });
    }
    template <class weir_T> WEIR_CG_MEMBER weir_T shfl_up(weir_T v, unsigned delta) const
    {
        unsigned rank = thread_rank();
        weir_T other = shfl(v, (int)(rank >= delta ? rank - delta : rank));
        return other;
    }
    template <class weir_T> WEIR_CG_MEMBER weir_T shfl_down(weir_T v, unsigned delta) const
    {
        unsigned rank = thread_rank();
        return shfl(v, (int)(rank + delta < num_threads() ? rank + delta : rank));
    }
    WEIR_CG_MEMBER int any(int p) const { return __ballot_sync(mask_, p) != 0; }
    WEIR_CG_MEMBER int all(int p) const { return __ballot_sync(mask_, p) == mask_; }
    WEIR_CG_MEMBER unsigned ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
    template <class weir_T> WEIR_CG_MEMBER unsigned match_any(weir_T v) const { return pack(__match_any_sync(mask_, v)); }
    template <class weir_T> WEIR_CG_MEMBER unsigned match_all(weir_T v, int &p) const
    {
        return pack(__match_all_sync(mask_, v, &p));
    }

  private:
    /* From bits by lane to bits by rank. */
    WEIR_CG_MEMBER unsigned pack(unsigned lanes) const
    {
        unsigned packed = 0, rank = 0;
        for (unsigned left = mask_; left; left &= left - 1, rank++)
            packed |= (lanes & (left & -left)) ? 1u << rank : 0;
        return packed;
    }
    unsigned meta_rank_, meta_size_;
};
WEIR_CG coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* N neighboring lanes of a warp, N a power of two. */
template <unsigned weir_N> class weir_lanes : public thread_group
{
  public:
    WEIR_CG_MEMBER weir_lanes(weir_tile_memory *) : thread_group(tile_mask()) {}
    WEIR_CG_MEMBER void sync() const { __syncwarp(mask_); }
    static constexpr __host__ __device__ unsigned num_threads() { return weir_N; }
    static constexpr __host__ __device__ unsigned size() { return weir_N; }
    static WEIR_CG_MEMBER unsigned thread_rank() { return lane() & (weir_N - 1); }
    template <class weir_T> WEIR_CG_MEMBER weir_T shfl(weir_T v, int rank) const
    {
        return exchange(v, [&](unsigned word) { return __shfl_sync(mask_, word, rank, weir_N); });
    }
    template <class weir_T> WEIR_CG_MEMBER weir_T shfl_up(weir_T v, unsigned delta) const
    {
        return exchange(v, [&](unsigned word) { return __shfl_up_sync(mask_, word, delta, weir_N); });
    }
    template <class weir_T> WEIR_CG_MEMBER weir_T shfl_down(weir_T v, unsigned delta) const
    {
        return exchange(v, [&](unsigned word) { return __shfl_down_sync(mask_, word, delta, weir_N); });
    }
    template <class weir_T> WEIR_CG_MEMBER weir_T shfl_xor(weir_T v, unsigned bits) const
    {
        return exchange(v, [&](unsigned word) { return __shfl_xor_sync(mask_, word, (int)bits, weir_N); });
    }
    WEIR_CG_MEMBER int any(int p) const { return (__ballot_sync(mask_, p) & mask_) != 0; }
    WEIR_CG_MEMBER int all(int p) const { return (__ballot_sync(mask_, p) & mask_) == mask_; }
    WEIR_CG_MEMBER unsigned ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
    template <class weir_T> WEIR_CG_MEMBER unsigned match_any(weir_T v) const { return pack(__match_any_sync(mask_, v)); }
    template <class weir_T> WEIR_CG_MEMBER unsigned match_all(weir_T v, int &p) const
    {
        return pack(__match_all_sync(mask_, v, &p));
    }

  private:
    static WEIR_CG_MEMBER unsigned lane() { return __weir_laneid(); }
    static WEIR_CG_MEMBER unsigned tile_mask()
    {
        return weir_N == 32 ? 0xffffffffu : ((1u << (weir_N & 31)) - 1) << (lane() & ~(weir_N - 1));
    }
    WEIR_CG_MEMBER unsigned pack(unsigned lanes) const { return (lanes & mask_) >> (lane() & ~(weir_N - 1)); }
};

/*
 * N / 32 neighboring warps. A barrier of theirs is passed when all have added themselves to its counter; what they
 * exchange goes through a word each, between two barriers.
 */
template <unsigned weir_N> class weir_warps
{
    enum { weir_W = weir_N / 32 };

  public:
    WEIR_CG_MEMBER weir_warps(weir_tile_memory *memory)
    {
        const unsigned tile = thread_block::thread_rank() / weir_N;
        memory_ = memory;
        arrived_ = memory->arrived + 32 - 2048 / weir_N + tile;
        word_ = memory->word + tile * weir_W;
    }
    WEIR_CG_MEMBER weir_tile_memory *weir_memory() const { return memory_; }
    WEIR_CG_MEMBER void sync() const
    {
        __syncwarp();
        if (__weir_laneid() == 0) {
            __threadfence_block();
            const unsigned before = atomicAdd(arrived_, 1), all = before / weir_W * weir_W + weir_W;
            while ((int)(*(volatile unsigned *)arrived_ - all) < 0)
                ;
            __threadfence_block();
        }
        __syncwarp();
    }
    static constexpr __host__ __device__ unsigned num_threads() { return weir_N; }
    static constexpr __host__ __device__ unsigned size() { return weir_N; }
    static WEIR_CG_MEMBER unsigned thread_rank() { return thread_block::thread_rank() % weir_N; }
    WEIR_CG_MEMBER bool is_valid() const { return true; }
    /* A value of each warp, that of the lane which `gives`, to all threads. */
    template <class weir_T> WEIR_CG_MEMBER void weir_gather(const weir_T &v, bool gives, weir_T (&all)[weir_W]) const
    {
        enum { words = (sizeof(weir_T) + 3) / 4 };
        unsigned mine[words] = {}, theirs[weir_W][words];
        __builtin_memcpy(mine, &v, sizeof v);
        for (unsigned k = 0; k < words; k++) {
            if (gives)
                word_[thread_rank() / 32] = mine[k];
            sync();
            for (unsigned i = 0; i < weir_W; i++)
                theirs[i][k] = ((volatile unsigned *)word_)[i];
            sync();
        }
        for (unsigned i = 0; i < weir_W; i++)
            __builtin_memcpy(&all[i], theirs[i], sizeof v);
    }
    template <class weir_T> WEIR_CG_MEMBER weir_T shfl(weir_T v, int rank) const
    {
        const unsigned from = (unsigned)rank % weir_N;
        weir_T all[weir_W];
        v = exchange(v, [&](unsigned word) { return __shfl_sync(0xffffffffu, word, from % 32); });
        weir_gather(v, __weir_laneid() == 0, all);
        for (unsigned i = 0; i < weir_W; i++)
            if (i == from / 32)
                v = all[i];
        return v;
    }
    WEIR_CG_MEMBER int any(int p) const { return votes(__any_sync(0xffffffffu, p)) != 0; }
    WEIR_CG_MEMBER int all(int p) const { return votes(__all_sync(0xffffffffu, p)) == weir_W; }

  private:
    WEIR_CG_MEMBER unsigned votes(int yes) const
    {
        unsigned all[weir_W], sum = 0;
        weir_gather((unsigned)(yes != 0), __weir_laneid() == 0, all);
        for (unsigned i = 0; i < weir_W; i++)
            sum += all[i];
        return sum;
    }
    weir_tile_memory *memory_;
    unsigned *arrived_, *word_;
};

template <unsigned weir_N, bool Warps = (weir_N > 32)> struct weir_tile_kind {
    typedef weir_lanes<weir_N> type;
};
template <unsigned weir_N> struct weir_tile_kind<weir_N, true> {
    typedef weir_warps<weir_N> type;
};
template <unsigned weir_N, class Parent = void> class thread_block_tile : public weir_tile_kind<weir_N>::type
{
    static_assert(weir_N >= 1 && weir_N <= 1024 && (weir_N & (weir_N - 1)) == 0, "a tile has a power of two threads");
    typedef typename weir_tile_kind<weir_N>::type base;

  public:
    /* The tile of the thread that is the rank-th of n in the parent. */
    WEIR_CG_MEMBER thread_block_tile(unsigned rank, unsigned n, weir_tile_memory *memory)
        : base(memory), meta_rank_(rank / weir_N), meta_size_((n + weir_N - 1) / weir_N)
    {
    }
    template <class Other>
    WEIR_CG_MEMBER thread_block_tile(const thread_block_tile<weir_N, Other> &o)
        : base(o), meta_rank_(o.meta_group_rank()), meta_size_(o.meta_group_size())
    {
    }
    WEIR_CG_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
    WEIR_CG_MEMBER unsigned meta_group_size() const { return meta_size_; }

  private:
    unsigned meta_rank_, meta_size_;
};

/* Memory for tiles of several warps, where the program gave none. */
static __device__ inline weir_tile_memory *weir_own_tile_memory()
{
    static __shared__ weir_tile_memory memory;
    return &memory;
}
template <unsigned weir_N, bool Warps = (weir_N > 32)> struct weir_partition {
    template <class Group> static WEIR_CG_MEMBER weir_tile_memory *memory(const Group &) { return nullptr; }
};
template <unsigned weir_N> struct weir_partition<weir_N, true> {
    /* All threads of the block are here: no tile is at work. */
    static WEIR_CG_MEMBER weir_tile_memory *memory(const thread_block &block)
    {
        weir_tile_memory *memory = block.weir_memory ? block.weir_memory : weir_own_tile_memory();
        __syncthreads();
        if (thread_block::thread_rank() < 1024 / weir_N)
            memory->arrived[32 - 2048 / weir_N + thread_block::thread_rank()] = 0;
        __syncthreads();
        return memory;
    }
    /* A larger tile has memory already; its parts have counters that its block's partition has not set to zero. */
    template <unsigned weir_P, class Parent>
    static WEIR_CG_MEMBER weir_tile_memory *memory(const thread_block_tile<weir_P, Parent> &parent)
    {
        weir_tile_memory *memory = parent.weir_memory();
        parent.sync();
        if (parent.thread_rank() < weir_P / weir_N)
            memory->arrived[32 - 2048 / weir_N + thread_block::thread_rank() / weir_P * (weir_P / weir_N) +
                            parent.thread_rank()] = 0;
        parent.sync();
        return memory;
    }
};
template <unsigned weir_N, class Group> WEIR_CG thread_block_tile<weir_N, Group> tiled_partition(const Group &g)
{
    return thread_block_tile<weir_N, Group>(g.thread_rank(), g.num_threads(), weir_partition<weir_N>::memory(g));
}
WEIR_CG thread_group tiled_partition(const thread_group &parent, unsigned n)
{
    return parent.weir_tile(n);
}
/* Those with the same predicate, or the same label. */
template <class Group> WEIR_CG coalesced_group binary_partition(const Group &, bool p)
{
    unsigned active = __activemask(), yes = __ballot_sync(active, p);
    return coalesced_group(p ? yes : active & ~yes, p ? 0 : 1, 2);
}
template <class Group, class weir_T> WEIR_CG coalesced_group labeled_partition(const Group &, weir_T label)
{
    return coalesced_group(__match_any_sync(__activemask(), label));
}

template <class Group> WEIR_CG void sync(const Group &g)
{
    g.sync();
}
template <class Group> WEIR_CG auto thread_rank(const Group &g) -> decltype(g.thread_rank())
{
    return g.thread_rank();
}
template <class Group> WEIR_CG auto group_size(const Group &g) -> decltype(g.size())
{
    return g.size();
}
template <class Group> WEIR_CG bool is_valid(const Group &)
{
    return true;
}

/* ---- operators ---- */
template <class weir_T = void> struct plus {
    WEIR_CG_MEMBER weir_T operator()(weir_T a, weir_T b) const { return a + b; }
};
template <class weir_T = void> struct less {
    WEIR_CG_MEMBER weir_T operator()(weir_T a, weir_T b) const { return b < a ? b : a; }
};
template <class weir_T = void> struct greater {
    WEIR_CG_MEMBER weir_T operator()(weir_T a, weir_T b) const { return a < b ? b : a; }
};
template <class weir_T = void> struct bit_and {
    WEIR_CG_MEMBER weir_T operator()(weir_T a, weir_T b) const { return a & b; }
};
template <class weir_T = void> struct bit_or {
    WEIR_CG_MEMBER weir_T operator()(weir_T a, weir_T b) const { return a | b; }
};
template <class weir_T = void> struct bit_xor {
    WEIR_CG_MEMBER weir_T operator()(weir_T a, weir_T b) const { return a ^ b; }
};

/* ---- reductions and scans, by shuffles ---- */
template <unsigned weir_N, class weir_T, class Op> WEIR_CG weir_T weir_reduce(const weir_lanes<weir_N> &g, weir_T v, Op op)
{
    for (unsigned step = weir_N / 2; step > 0; step /= 2)
        v = op(v, g.shfl_xor(v, step));
    return v;
}
template <unsigned weir_N, class weir_T, class Op> WEIR_CG weir_T weir_reduce(const weir_warps<weir_N> &g, weir_T v, Op op)
{
    weir_T all[weir_N / 32];
    g.weir_gather(weir_reduce(weir_lanes<32>(nullptr), v, op), __weir_laneid() == 0, all);
    for (unsigned i = 1; i < weir_N / 32; i++)
        all[0] = op(all[0], all[i]);
    return all[0];
}
template <unsigned weir_N, class weir_P, class weir_T, class Op>
WEIR_CG weir_T reduce(const thread_block_tile<weir_N, weir_P> &g, weir_T v, Op op)
{
    return weir_reduce(g, v, op);
}
template <class weir_T, class Op> WEIR_CG weir_T reduce(const coalesced_group &g, weir_T v, Op op)
{
    unsigned n = g.num_threads(), rank = g.thread_rank();
    for (unsigned step = 1; step < n; step *= 2) {
        weir_T other = g.shfl_down(v, step);
        if (rank % (2 * step) == 0 && rank + step < n)
            v = op(v, other);
    }
    return g.shfl(v, 0);
}
template <class Group, class weir_T, class Op> WEIR_CG weir_T inclusive_scan(const Group &g, weir_T v, Op op)
{
    unsigned n = g.num_threads(), rank = g.thread_rank();
    for (unsigned step = 1; step < n; step *= 2) {
        weir_T other = g.shfl_up(v, step);
        if (rank >= step)
            v = op(other, v);
    }
    return v;
}
template <class Group, class weir_T> WEIR_CG weir_T inclusive_scan(const Group &g, weir_T v)
{
    return inclusive_scan(g, v, plus<weir_T>());
}
template <class Group, class weir_T, class Op> WEIR_CG weir_T exclusive_scan(const Group &g, weir_T v, Op op)
{
    weir_T before = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() ? before : weir_T();
}
template <class Group, class weir_T> WEIR_CG weir_T exclusive_scan(const Group &g, weir_T v)
{
    return exclusive_scan(g, v, plus<weir_T>());
}
template <class Group, class weir_F> WEIR_CG void invoke_one(const Group &g, weir_F f)
{
    if (g.thread_rank() == 0)
        f();
}

/* ---- copies by a whole group; complete when waited for, and here already before ---- */
template <class Group, class weir_T> WEIR_CG void memcpy_async(const Group &g, weir_T *dst, const weir_T *src, size_t bytes)
{
    for (size_t i = g.thread_rank(); i < bytes / sizeof(weir_T); i += g.size())
        dst[i] = src[i];
}
template <class Group> WEIR_CG void wait(const Group &g)
{
    g.sync();
}
template <unsigned Pending, class Group> WEIR_CG void wait_prior(const Group &g)
{
    g.sync();
}

#undef WEIR_CG
#undef WEIR_CG_MEMBER

} // namespace cooperative_groups
#pragma clang attribute pop

#endif
#endif
