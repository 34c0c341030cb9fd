/*
 * A software L1 for streaming kernels on NVIDIA GPUs: each thread keeps, for each data structure that deserves it, one
 * small line of its own in shared memory. After "Resurrecting L1: A Software Cache for GPUs"; the paper's names stand
 * in the comments. Header only, C++17, nvcc or clang; no dependency.
 *
 *     __global__ void count(const char *__restrict__ text, long n, unsigned *__restrict__ counts)
 *     {
 *         swcache::Cache<swcache::ReadOnly> cache;                        // one structure, number 0
 *         ...
 *         for (; i < end && cache.monitoring(); i++)                      // slice 1: measures
 *             step(cache.watch<0>(&text[i]));
 *         cache.select();                                                 // decides
 *         if (cache.active())
 *             for (; i < end; i++)                                        // slice 2: through the cache
 *                 step(cache.load<0>(&text[i]));
 *         else
 *             for (; i < end; i++)                                        // slice 3: as it was
 *                 step(text[i]);
 *         cache.flush();
 *     }
 *     count<<<grid, block, swcache::shared_bytes(count, block, 1)>>>(...);
 *
 * How lines lie in shared memory: each thread's line is contiguous, its words permuted by an exclusive-or with a number
 * of the thread, so that the lanes of a warp that are at the same place of their lines meet different banks, and an
 * address in the pool costs one instruction.
 *
 * What a program may rely on:
 * - A line holds whole bytes of memory that the thread has asked for or the rest of their aligned line. Written bytes
 * are known one by one (a dirty mask), and only they are written back: neighbors that other threads write are never
 * touched.
 * - Like any cache without coherence, a line does not see what other threads write until flush(). A structure that
 * other threads write during the kernel needs flush() before every fence and barrier, flush_line() before every atomic.
 * - Two structures must not overlap where either is written, unless the first template argument is AliasSafe: then
 * every access looks into the lines of all other structures.
 * - Without shared memory at launch (CLN = 0), all accesses go to memory as if there were no cache.
 *
 * Left out: lines shared by threads, more than one line per structure and thread.
 */
#ifndef SWCACHE_CUH
#define SWCACHE_CUH

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <cuda_runtime.h>

/* The line of ReadOnly and ReadWrite, in bytes. The paper's is 16; GPUs since Maxwell fetch sectors of 32. */
#ifndef SWCACHE_LINE_BYTES
#define SWCACHE_LINE_BYTES 32
#endif

/* Accesses that a thread watches before it decides, per structure (the paper's THRESHOLD is 300 in all). */
#ifndef SWCACHE_WATCHED
#define SWCACHE_WATCHED 8
#endif

/* The fewest 128-byte lines that a warp's lanes must ask for at once for a cache to be worth its work. */
#ifndef SWCACHE_SPREAD
#define SWCACHE_SPREAD 12
#endif

/* 1: no monitoring, all structures are cached that have room. For measurements, and for kernels that are known. */
#ifndef SWCACHE_ALWAYS
#define SWCACHE_ALWAYS 0
#endif

/* 1: nothing is cached, and loops run as they would without room. For measurements. */
#ifndef SWCACHE_OFF
#define SWCACHE_OFF 0
#endif

/* 0: Tuner always launches the cached kernel, which then decides by its own monitoring alone. */
#ifndef SWCACHE_TUNE
#define SWCACHE_TUNE 1
#endif

#include "swcache_launch.h"

namespace swcache
{

/* ---- what a program says about its structures ---- */

/*
 * A structure that the kernel only reads. LineBytes: 4 to 128, a power of two. Lines: 1, the paper's; or 2, a window
 * over two neighboring lines that the lanes of a warp move together: whenever one lane runs out of its window, all
 * that are near the end of theirs fetch a line too. Lanes at different places of their lines then wait for memory
 * together, not in turns.
 */
template <int LineBytes, int Lines = 1> struct ReadOnlyLine {
    static constexpr int line = LineBytes, lines = Lines;
    static constexpr bool writable = false;
    static_assert(LineBytes >= 4 && LineBytes <= 128 && !(LineBytes & (LineBytes - 1)),
                  "4 to 128 bytes, a power of two");
    static_assert(Lines == 1 || (Lines == 2 && LineBytes <= 64), "one line, or a window of two up to 64 bytes");
};

/* A structure that the kernel writes, or reads and writes. LineBytes: 4 to 64. */
template <int LineBytes> struct ReadWriteLine {
    static constexpr int line = LineBytes, lines = 1;
    static constexpr bool writable = true;
    static_assert(LineBytes >= 4 && LineBytes <= 64 && !(LineBytes & (LineBytes - 1)), "4 to 64 bytes, a power of two");
};

using ReadOnly = ReadOnlyLine<SWCACHE_LINE_BYTES>;
using Window = ReadOnlyLine<(SWCACHE_LINE_BYTES > 64 ? 64 : SWCACHE_LINE_BYTES), 2>;
using ReadWrite = ReadWriteLine<(SWCACHE_LINE_BYTES > 64 ? 64 : SWCACHE_LINE_BYTES)>;

/* First argument of Cache: structures may overlap. */
struct AliasSafe {
};

/* First argument of Cache: all structures are cached that have room, without monitoring. For loops too short to be
   watched, where a Tuner decides for the launch as a whole. */
struct Always {
};

/* The number of a structure, where a template argument would be awkward. */
template <int I> struct Id {
};

#if defined(__CUDACC__)

#define SWCACHE_DEVICE __device__ __forceinline__

namespace detail
{

/* All of a block's dynamic shared memory; the kernel's own part comes first. */
extern __shared__ uint4 pool[];

constexpr unsigned no_line = 1; /* lines are aligned, so no line has this address */
constexpr unsigned not_cached = ~0u;

SWCACHE_DEVICE unsigned dynamic_shared_bytes()
{
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

SWCACHE_DEVICE unsigned threads_in_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

SWCACHE_DEVICE unsigned thread_in_block()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

SWCACHE_DEVICE unsigned lane()
{
    unsigned id;
    asm("mov.u32 %0, %%laneid;" : "=r"(id));
    return id;
}

/* Bytes of lines, by offset in the pool. */
SWCACHE_DEVICE char *pool_at(unsigned at)
{
    return (char *)pool + at;
}
SWCACHE_DEVICE unsigned pool_word(unsigned at)
{
    return *(const unsigned *)pool_at(at);
}
SWCACHE_DEVICE unsigned pool_half(unsigned at)
{
    return *(const unsigned short *)pool_at(at);
}
SWCACHE_DEVICE unsigned pool_byte(unsigned at)
{
    return *(const unsigned char *)pool_at(at);
}
SWCACHE_DEVICE void set_pool_word(unsigned at, unsigned v)
{
    *(unsigned *)pool_at(at) = v;
}
SWCACHE_DEVICE void set_pool_half(unsigned at, unsigned v)
{
    *(unsigned short *)pool_at(at) = (unsigned short)v;
}
SWCACHE_DEVICE void set_pool_byte(unsigned at, unsigned v)
{
    *(unsigned char *)pool_at(at) = (unsigned char)v;
}

/* The piece that one load instruction moves. */
template <int Bytes> struct piece_of {
    using type = uint4;
};
template <> struct piece_of<4> {
    using type = unsigned;
};
template <> struct piece_of<8> {
    using type = uint2;
};

/* Bytes on their way, in registers. */
template <int Bytes> struct raw {
    unsigned words[(Bytes + 3) / 4];
};

/* Registers of one structure and thread. */
template <class S, bool Writable = S::writable> struct Slot;

template <class S> struct Slot<S, false> {
    unsigned tag; /* low half of the address of the line, or of the window's first line; structures are below 4 GiB */
    unsigned column;     /* where it lies in the pool; not_cached */
    uintptr_t low, high; /* nothing outside these is read */
    /* While monitoring. In two registers, because the kernel's need of them is that of its hungriest loop. */
    unsigned seen; /* low half of the address of the line of the last access */
    unsigned hits : 12, misses : 12, spread : 8;
};
static_assert(SWCACHE_WATCHED > 0 && SWCACHE_WATCHED < 256, "hits and misses are counted in 12 bits");

template <class S> struct Slot<S, true> : Slot<S, false> {
    using Mask = typename std::conditional<(S::line > 32), unsigned long long, unsigned>::type;
    Mask dirty;  /* one bit per byte */
    bool filled; /* the bytes that are not dirty are memory's; otherwise they are unknown */
};

} /* namespace detail */

} /* namespace swcache */

#include "swcache_scan.cuh"

namespace swcache
{

template <bool Aliases, bool Sure, class... S> class BasicCache
{
  public:
    static constexpr int structures = sizeof...(S);
    /* Shared memory for the lines of the first n structures, in bytes per thread. */
    static constexpr __host__ __device__ int room(int n)
    {
        constexpr int each[] = {S::line * S::lines...};
        int sum = 0;
        for (int k = 0; k < n; k++)
            sum += each[k];
        return sum;
    }

    /* own_bytes: of dynamic shared memory that the kernel uses itself. Every thread of the block may call this, or
     * some. */
    SWCACHE_DEVICE explicit BasicCache(unsigned own_bytes = 0)
    {
        unsigned threads = (detail::threads_in_block() + 31) & ~31u; /* in whole warps */
        own_bytes = (own_bytes + 127) & ~127u;
        unsigned all = detail::dynamic_shared_bytes();
        room_ = (all > own_bytes && !SWCACHE_OFF ? all - own_bytes : 0) / (threads * 4) * 4;
        base_ = own_bytes;
        watched_ = room_ && !always ? 0 : watched_accesses;
        selected_ = false;
        start(std::index_sequence_for<S...>());
    }

    /* Structure I lies in these bytes: nothing else is ever read. A structure whose bounds are not told, or that has 4
       GiB or more, is not cached. While monitoring, structures use lines in the order of their numbers, as far as there
       is room. */
    template <int I> SWCACHE_DEVICE void within(const void *begin, size_t bytes)
    {
        auto &s = slot<I>();
        s.low = (uintptr_t)begin;
        s.high = (uintptr_t)begin + bytes;
        if (!selected_)
            s.column = first_column<I>();
    }

    /* True until enough accesses were watched: the condition of slice 1. The lanes that are here together go on
       together: were each to leave at its own count, they would be at different places of their lines ever after. */
    SWCACHE_DEVICE bool monitoring() const { return __any_sync(__activemask(), watches()); }

    /* simulateCache(): an access in slice 1. A value for a read-only structure, a reference for others. */
    template <int I, class T> SWCACHE_DEVICE auto watch(T *p)
    {
        count<I>((uintptr_t)p);
        if constexpr (slot_type<I>::writable)
            return ref<I>(p);
        else
            return load<I>(p);
    }
    template <int I, class T> SWCACHE_DEVICE auto watch_load(T *p)
    {
        count<I>((uintptr_t)p);
        return load<I>(p);
    }
    template <int I, class T> SWCACHE_DEVICE void watch_store(T *p, typename std::remove_cv<T>::type value)
    {
        count<I>((uintptr_t)p);
        store<I>(p, value);
    }

    /* calculateWhatDataToCache(). Any subset of the threads may call it; those of a warp that arrive together agree. */
    template <bool WholeWarp = false> SWCACHE_DEVICE void select()
    {
        if (!WholeWarp && (selected_ || watches()))
            return;
        if (!always && !selected_)
            choose(WholeWarp ? __ballot_sync(~0u, true) : __activemask(), std::index_sequence_for<S...>());
        selected_ = true;
    }

    /* Forgets what was decided and watches again: for long loops, whose data may behave differently after a while. */
    SWCACHE_DEVICE void reconsider()
    {
        if (always)
            return;
        flush();
        watched_ = room_ ? 0 : watched_accesses;
        selected_ = false;
        watch_all(std::index_sequence_for<S...>());
    }

    /* Whether any structure is cached: if not, slice 3 is faster than slice 2. */
    SWCACHE_DEVICE bool active() const { return any(std::index_sequence_for<S...>()); }
    /* Whether all are. */
    SWCACHE_DEVICE bool complete() const { return all(std::index_sequence_for<S...>()); }
    template <int I> SWCACHE_DEVICE bool caches() const { return slot<I>().column != detail::not_cached; }

    /* accessThroughCache(), as a load. Known: the caller knows that caches<I>(). */
    template <int I, bool Known = false, class T> SWCACHE_DEVICE typename std::remove_cv<T>::type load(T *p)
    {
        using V = typename std::remove_cv<T>::type;
        static_assert(std::is_trivially_copyable<V>::value && sizeof(V) <= 16,
                      "elements are plain data of at most 16 bytes");
        constexpr int unit = unit_bytes<I, V>();
        if constexpr (Aliases)
            leave_to<I>((uintptr_t)p, sizeof(V));
        if constexpr (!Known)
            if (!caches<I>())
                return *p;
        V value;
        char bytes[sizeof(V)];
#pragma unroll
        for (int k = 0; k < (int)sizeof(V); k += unit) {
            detail::raw<unit> piece = load_unit<I, unit>((uintptr_t)p + k);
            memcpy(bytes + k, &piece, unit);
        }
        memcpy(&value, bytes, sizeof(V));
        return value;
    }

    /* accessThroughCache(), as a store. */
    template <int I, bool Known = false, class T>
    SWCACHE_DEVICE void store(T *p, typename std::remove_cv<T>::type value)
    {
        static_assert(slot_type<I>::writable, "this structure was declared read-only");
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 16,
                      "elements are plain data of at most 16 bytes");
        constexpr int unit = unit_bytes<I, T>();
        if constexpr (Aliases)
            leave_to<I>((uintptr_t)p, sizeof(T));
        if constexpr (!Known)
            if (!caches<I>()) {
                *p = value;
                return;
            }
        char bytes[sizeof(T)];
        memcpy(bytes, &value, sizeof(T));
#pragma unroll
        for (int k = 0; k < (int)sizeof(T); k += unit) {
            detail::raw<unit> piece;
            memcpy(&piece, bytes + k, unit);
            store_unit<I, unit>((uintptr_t)p + k, piece);
        }
    }

    /* An element of a structure that is written: reads and assigns through the cache, with the values of the built-in
       operators. */
    template <int I, class T> class Ref
    {
      public:
        SWCACHE_DEVICE Ref(BasicCache &cache, T *p) : cache_(cache), p_(p) {}
        SWCACHE_DEVICE operator T() const { return cache_.template load<I>(p_); }
        SWCACHE_DEVICE T operator=(T v)
        {
            cache_.template store<I>(p_, v);
            return v;
        }
        SWCACHE_DEVICE T operator=(const Ref &other) { return *this = (T)other; }
#define SWCACHE_ASSIGN(op)                                                                                             \
    template <class U> SWCACHE_DEVICE T operator op##=(const U &u)                                                     \
    {                                                                                                                  \
        return *this = (T)((T) * this op u);                                                                           \
    }
        SWCACHE_ASSIGN(+)
        SWCACHE_ASSIGN(-)
        SWCACHE_ASSIGN(*)
        SWCACHE_ASSIGN(/)
        SWCACHE_ASSIGN(%)
        SWCACHE_ASSIGN(<<)
        SWCACHE_ASSIGN(>>)
        SWCACHE_ASSIGN(&)
        SWCACHE_ASSIGN(|)
        SWCACHE_ASSIGN(^)
#undef SWCACHE_ASSIGN
        SWCACHE_DEVICE T operator++()
        {
            return *this = (T)((T) * this + 1);
        }
        SWCACHE_DEVICE T operator--()
        {
            return *this = (T)((T) * this - 1);
        }
        SWCACHE_DEVICE T operator++(int)
        {
            T old = *this;
            *this = (T)(old + 1);
            return old;
        }
        SWCACHE_DEVICE T operator--(int)
        {
            T old = *this;
            *this = (T)(old - 1);
            return old;
        }

      private:
        BasicCache &cache_;
        T *p_;
    };
    template <int I, class T> SWCACHE_DEVICE Ref<I, T> ref(T *p)
    {
        return Ref<I, T>(*this, p);
    }

    /* flush(): writes back what is dirty and forgets all lines. Before fences and barriers that order writes, and at
     * the end. */
    SWCACHE_DEVICE void flush()
    {
        flush_all(std::index_sequence_for<S...>());
    }

    /* flush(cacheConfig, address, id): the same for the lines that hold *p, if they are held. Before an atomic on *p.
     */
    template <int I, class T> SWCACHE_DEVICE void flush_line(T *p)
    {
        if (holds<I>((uintptr_t)p, sizeof(T)))
            drop<I>();
    }

    /* flush() and __threadfence(). */
    SWCACHE_DEVICE void fence()
    {
        flush();
        __threadfence();
    }

  private:
    template <int I> using slot_type = typename std::tuple_element<I, std::tuple<S...>>::type;

    /* A tuple, of which device code can take elements: std::get is a host function. */
    template <int I, class... R> struct Slots {
    };
    template <int I, class F, class... R> struct Slots<I, F, R...> : Slots<I + 1, R...> {
        detail::Slot<F> slot;
    };
    template <int I, class F, class... R> SWCACHE_DEVICE static detail::Slot<F> &find(Slots<I, F, R...> &s)
    {
        return s.slot;
    }
    template <int I, class F, class... R> SWCACHE_DEVICE static const detail::Slot<F> &find(const Slots<I, F, R...> &s)
    {
        return s.slot;
    }
    template <int I> SWCACHE_DEVICE auto &slot()
    {
        return find<I>(slots_);
    }
    template <int I> SWCACHE_DEVICE const auto &slot() const
    {
        return find<I>(slots_);
    }

    static constexpr int watched_accesses = SWCACHE_WATCHED * structures;
    static constexpr bool always = Sure || SWCACHE_ALWAYS;
    Slots<0, S...> slots_;
    unsigned base_; /* where lines begin in the pool */
    unsigned room_; /* bytes of shared memory per thread */
    int watched_;
    bool selected_;

    SWCACHE_DEVICE bool watches() const
    {
        return watched_ < watched_accesses;
    }

    /* What moves at once: as much of an element as its alignment keeps inside a line. */
    template <int I, class V> SWCACHE_DEVICE static constexpr int unit_bytes()
    {
        constexpr int unit = alignof(V) < sizeof(V) ? (int)alignof(V) : (int)sizeof(V);
        return unit < slot_type<I>::line ? unit : slot_type<I>::line;
    }

    /* ---- monitoring and selection ---- */

    template <size_t... I> SWCACHE_DEVICE void start(std::index_sequence<I...>)
    {
        ((start_slot<(int)I>()), ...);
    }
    template <int I> SWCACHE_DEVICE void start_slot()
    {
        auto &s = slot<I>();
        s.tag = detail::no_line;
        s.low = s.high = 0;
        if constexpr (slot_type<I>::writable) {
            s.dirty = 0;
            s.filled = false;
        }
        watch_slot<I>();
    }
    template <size_t... I> SWCACHE_DEVICE void watch_all(std::index_sequence<I...>)
    {
        ((watch_slot<(int)I>()), ...);
    }
    template <int I> SWCACHE_DEVICE void watch_slot()
    {
        auto &s = slot<I>();
        s.seen = detail::no_line;
        s.hits = s.misses = s.spread = 0;
        s.column = first_column<I>();
    }

    /* Where structure I has its lines while monitoring: in the order of the numbers, as far as there is room. */
    template <int I> SWCACHE_DEVICE unsigned first_column() const
    {
        uintptr_t bytes = slot<I>().high - slot<I>().low;
        bool may = bytes - 1 < 0xfffffeffu && (unsigned)room(I + 1) <= room_;
        return may ? column<I>(room(I)) : detail::not_cached;
    }

    template <int I> SWCACHE_DEVICE void count(uintptr_t address)
    {
        auto &s = slot<I>();
        unsigned line = (unsigned)address & ~in_line<I>();
        if (!watches())
            return;
        watched_++;
        if (line == s.seen) {
            s.hits++;
            return;
        }
        s.misses++;
        s.seen = line;
        if (!s.spread) {
            s.spread = lines_of_warp(address);
            if (s.spread < SWCACHE_SPREAD) { /* neighbors share lines: the hardware does this best */
                drop<I>();
                s.column = detail::not_cached;
                if (!active())
                    watched_ = watched_accesses;
            }
        }
    }

    /* How many of the hardware's 128-byte lines the lanes that are here now ask for. */
    SWCACHE_DEVICE static unsigned lines_of_warp(uintptr_t address)
    {
        unsigned together = __activemask();
        unsigned peers = __match_any_sync(together, (unsigned)(address / 128));
        bool first = detail::lane() == (unsigned)__ffs(peers) - 1;
        /* Few lanes say little about a whole warp: scale to one. */
        return __popc(__ballot_sync(together, first)) * 32 / __popc(together);
    }

    /* Whether a line would pay for structure I: enough of its accesses find their line, and lanes do not share lines.
     */
    template <int I> SWCACHE_DEVICE bool pays() const
    {
        const auto &s = slot<I>();
        return s.high - s.low - 1 < 0xfffffeffu && s.spread >= SWCACHE_SPREAD && s.hits > s.misses;
    }

    /* The value of a line: a read-write structure is chosen over a read-only one only at twice its hits. */
    template <int I> SWCACHE_DEVICE unsigned value() const
    {
        return slot<I>().hits * (slot_type<I>::writable ? 1 : 2);
    }

    /* Places for the most valuable structures, whatever their numbers. Only where all have lines of one size: lanes
       that come here apart may choose differently, and must not meet in the pool. */
    SWCACHE_DEVICE void take_best(unsigned (&values)[structures], unsigned (&place)[structures]) const
    {
        unsigned used = 0;
#pragma unroll
        for (int k = 0; k < structures; k++)
            place[k] = detail::not_cached;
#pragma unroll
        for (int turn = 0; turn < structures; turn++) {
            int best = -1;
            unsigned most = 0;
#pragma unroll
            for (int k = 0; k < structures; k++)
                if (values[k] > most && used + held_bytes<0>() <= room_) {
                    best = k;
                    most = values[k];
                }
#pragma unroll
            for (int k = 0; k < structures; k++)
                if (k == best) {
                    place[k] = used;
                    values[k] = 0;
                    used += held_bytes<0>();
                }
        }
    }

    template <size_t... I> SWCACHE_DEVICE void choose(unsigned together, std::index_sequence<I...>)
    {
        const bool wanted[] = {(2 * __popc(__ballot_sync(together, pays<(int)I>())) > __popc(together))...};
        if ((unsigned)room(structures) <= room_ && (wanted[I] && ...))
            return; /* the usual case: everything has its place already */
        unsigned place[structures];
#pragma unroll
        for (int k = 0; k < structures; k++)
            place[k] = wanted[k] && (unsigned)room(k + 1) <= room_ ? (unsigned)room(k) : detail::not_cached;
        if constexpr (((S::line * S::lines == held_bytes<0>()) && ...)) {
            unsigned values[] = {(wanted[I] ? __shfl_sync(together, value<(int)I>(), __ffs(together) - 1) : 0)...};
            take_best(values, place);
        }
        const unsigned columns[] = {(place[I] == detail::not_cached ? place[I] : column<(int)I>(place[I]))...};
        /* All lines leave their old places before one takes a new place. */
        ((columns[I] != slot<(int)I>().column ? drop<(int)I>() : void()), ...);
        ((slot<(int)I>().column = columns[I]), ...);
    }

    template <size_t... I> SWCACHE_DEVICE bool any(std::index_sequence<I...>) const
    {
        return (caches<(int)I>() || ...);
    }
    template <size_t... I> SWCACHE_DEVICE bool all(std::index_sequence<I...>) const
    {
        return (caches<(int)I>() && ...);
    }

    /* ---- lines ---- */

    /* Where the thread's line of structure I lies if `before` bytes per thread come first. Each warp has a region of
       its own, so that warps may choose differently. The lanes that share a set of banks permute their words
       differently. */
    template <int I> SWCACHE_DEVICE unsigned column(unsigned before) const
    {
        constexpr unsigned words = held_bytes<I>() / 4;
        unsigned thread = detail::thread_in_block(), lane = thread % 32;
        return base_ + (thread - lane) * room_ + before * 32 + lane * words * 4 + (lane / (32 / words) % words) * 4;
    }

    template <int I> SWCACHE_DEVICE static constexpr unsigned held_bytes()
    {
        return slot_type<I>::line * slot_type<I>::lines;
    }
    template <int I> SWCACHE_DEVICE static constexpr unsigned in_line()
    {
        return slot_type<I>::line - 1;
    }

    /* The whole address of which a tag is the low half. */
    template <int I> SWCACHE_DEVICE uintptr_t whole(unsigned tag) const
    {
        uintptr_t first = slot<I>().low & ~(uintptr_t)127; /* no line begins before this */
        return first + (tag - (unsigned)first);
    }

    template <int I> SWCACHE_DEVICE bool holds(uintptr_t address, size_t bytes) const
    {
        unsigned tag = slot<I>().tag;
        if (tag == detail::no_line)
            return false;
        uintptr_t line = whole<I>(tag);
        return address - line < held_bytes<I>() || address + bytes - 1 - line < held_bytes<I>();
    }

    template <int I, int Bytes> SWCACHE_DEVICE detail::raw<Bytes> load_unit(uintptr_t address)
    {
        auto &s = slot<I>();
        unsigned line = (unsigned)address & ~in_line<I>();
        if constexpr (slot_type<I>::lines == 2) {
            bool out = (line - s.tag) & ~(unsigned)slot_type<I>::line;
            if (__any_sync(__activemask(), out))
                move_window<I>(address);
        } else if (line != s.tag) {
            fetch<I>(address);
        } else if constexpr (slot_type<I>::writable) {
            if (!s.filled && !covers(s.dirty, (unsigned)address & in_line<I>(), Bytes))
                complete_line<I>();
        }
        return from_pool<Bytes>(s.column ^ ((unsigned)address & (held_bytes<I>() - 1)));
    }

    template <int I, int Bytes> SWCACHE_DEVICE void store_unit(uintptr_t address, detail::raw<Bytes> piece)
    {
        auto &s = slot<I>();
        unsigned line = (unsigned)address & ~in_line<I>(), offset = (unsigned)address & in_line<I>();
        if (line != s.tag) {
            write_back<I>();
            s.tag = line;
            s.filled = false;
        }
        using Mask = decltype(s.dirty);
        s.dirty |= ones<Mask, Bytes>() << offset;
        to_pool<Bytes>(s.column ^ offset, piece);
    }

    template <class Mask, int Bytes> SWCACHE_DEVICE static constexpr Mask ones()
    {
        return Bytes >= (int)sizeof(Mask) * 8 ? ~(Mask)0 : ((Mask)1 << Bytes) - 1;
    }
    template <class Mask> SWCACHE_DEVICE static bool covers(Mask dirty, unsigned offset, int bytes)
    {
        Mask wanted = (((Mask)1 << bytes) - 1) << offset; /* bytes <= 16 < bits of a mask */
        return (dirty & wanted) == wanted;
    }

    /* Lane by lane: out of the window, the line of the address and the next; or, beyond the middle of its second line,
       one line more. What lies a little behind stays, for programs that step back. */
    template <int I> SWCACHE_DEVICE void move_window(uintptr_t address)
    {
        auto &s = slot<I>();
        constexpr unsigned bytes = slot_type<I>::line;
        unsigned ahead = (unsigned)address - s.tag;
        bool jump = s.tag == detail::no_line || ahead >= 3 * bytes;
        if (!jump && ahead < bytes + bytes / 2)
            return;
        uintptr_t next = (address & ~(uintptr_t)in_line<I>()) + bytes; /* the line to fetch */
        if (jump) {
            s.tag = (unsigned)next - bytes;
            fill<I>(next - bytes);
        } else {
            s.tag += bytes;
            if (ahead >= 2 * bytes)
                next -= bytes;
        }
        fill<I>(next);
    }

    /* loadNewData(): replaces the line. */
    template <int I> SWCACHE_DEVICE void fetch(uintptr_t address)
    {
        auto &s = slot<I>();
        uintptr_t line = address & ~(uintptr_t)in_line<I>();
        if constexpr (slot_type<I>::writable) {
            write_back<I>();
            s.filled = true;
        }
        fill<I>(line);
        s.tag = (unsigned)line;
    }

    /* Brings a line from memory. Of a line that is only partly inside the structure, only that part. */
    template <int I> SWCACHE_DEVICE void fill(uintptr_t line)
    {
        auto &s = slot<I>();
        constexpr int bytes = slot_type<I>::line, step = bytes < 16 ? bytes : 16;
        unsigned first = s.column ^ ((unsigned)line & (held_bytes<I>() - 1));
        if (line >= s.low && line + bytes <= s.high) {
            using Piece = typename detail::piece_of<step>::type;
            Piece pieces[bytes / step];
#pragma unroll
            for (int k = 0; k < bytes / step; k++)
                pieces[k] = read_piece<I>((const Piece *)line + k);
#pragma unroll
            for (int k = 0; k < bytes / step; k++)
                put_piece(first ^ k * step, pieces[k]);
        } else {
#pragma unroll 1
            for (unsigned k = 0; k < bytes; k++)
                if (line + k >= s.low && line + k < s.high)
                    detail::set_pool_byte(first ^ k, *(const unsigned char *)(line + k));
        }
    }

    /* A line written without having been read gets the rest of its bytes. */
    template <int I> SWCACHE_DEVICE void complete_line()
    {
        auto &s = slot<I>();
        uintptr_t line = whole<I>(s.tag);
#pragma unroll 1
        for (unsigned k = 0; k < slot_type<I>::line; k++)
            if (!(s.dirty >> k & 1) && line + k >= s.low && line + k < s.high)
                detail::set_pool_byte(s.column ^ k, *(const unsigned char *)(line + k));
        s.filled = true;
    }

    /* dumpToMemory(): the dirty bytes and no others. */
    template <int I> SWCACHE_DEVICE void write_back()
    {
        auto &s = slot<I>();
        constexpr int bytes = slot_type<I>::line, step = bytes < 16 ? bytes : 16;
        using Mask = decltype(s.dirty);
        if (!s.dirty)
            return;
        uintptr_t line = whole<I>(s.tag);
        if (s.dirty == ones<Mask, bytes>()) {
#pragma unroll
            for (int k = 0; k < bytes / step; k++)
                *((typename detail::piece_of<step>::type *)line + k) = get_piece<step>(s.column ^ k * step);
        } else {
#pragma unroll 1
            for (unsigned offset = 0; offset < bytes; offset += 4) {
                unsigned mask = (unsigned)(s.dirty >> offset) & 15;
                unsigned word = mask ? detail::pool_word(s.column ^ offset) : 0;
                if (mask == 15)
                    *(unsigned *)(line + offset) = word;
                else
                    for (int b = 0; b < 4; b++)
                        if (mask >> b & 1)
                            ((unsigned char *)line)[offset + b] = (unsigned char)(word >> 8 * b);
            }
        }
        s.dirty = 0;
    }

    template <int I> SWCACHE_DEVICE void drop()
    {
        if constexpr (slot_type<I>::writable)
            write_back<I>();
        slot<I>().tag = detail::no_line;
    }

    template <size_t... I> SWCACHE_DEVICE void flush_all(std::index_sequence<I...>)
    {
        ((drop<(int)I>()), ...);
    }

    /* With aliases: before structure I meets these bytes, no other line may hold any of them. */
    template <int I> SWCACHE_DEVICE void leave_to(uintptr_t address, size_t bytes)
    {
        leave_each<I>(address, bytes, std::index_sequence_for<S...>());
    }
    template <int I, size_t... J>
    SWCACHE_DEVICE void leave_each(uintptr_t address, size_t bytes, std::index_sequence<J...>)
    {
        (((int)J != I && holds<(int)J>(address, bytes) ? drop<(int)J>() : void()), ...);
    }

    /* ---- bytes ---- */

    SWCACHE_DEVICE static void put_piece(unsigned at, unsigned v)
    {
        detail::set_pool_word(at, v);
    }
    SWCACHE_DEVICE static void put_piece(unsigned at, uint2 v)
    {
        detail::set_pool_word(at, v.x);
        detail::set_pool_word(at ^ 4, v.y);
    }
    SWCACHE_DEVICE static void put_piece(unsigned at, uint4 v)
    {
        detail::set_pool_word(at, v.x);
        detail::set_pool_word(at ^ 4, v.y);
        detail::set_pool_word(at ^ 8, v.z);
        detail::set_pool_word(at ^ 12, v.w);
    }
    template <int Step> SWCACHE_DEVICE static typename detail::piece_of<Step>::type get_piece(unsigned at)
    {
        if constexpr (Step == 4)
            return detail::pool_word(at);
        else if constexpr (Step == 8)
            return make_uint2(detail::pool_word(at), detail::pool_word(at ^ 4));
        else
            return make_uint4(detail::pool_word(at), detail::pool_word(at ^ 4), detail::pool_word(at ^ 8),
                              detail::pool_word(at ^ 12));
    }

    /* A read-only structure that nothing aliases may use the read-only path. */
    template <int I, class Piece> SWCACHE_DEVICE static Piece read_piece(const Piece *p)
    {
        if constexpr (slot_type<I>::writable || Aliases)
            return *p;
        else
            return detail::read_only(p);
    }

    template <int Bytes> SWCACHE_DEVICE static detail::raw<Bytes> from_pool(unsigned at)
    {
        detail::raw<Bytes> r;
        if constexpr (Bytes == 1)
            r.words[0] = detail::pool_byte(at);
        else if constexpr (Bytes == 2)
            r.words[0] = detail::pool_half(at);
        else
#pragma unroll
            for (int k = 0; k < Bytes / 4; k++)
                r.words[k] = detail::pool_word(at ^ 4 * k);
        return r;
    }
    template <int Bytes> SWCACHE_DEVICE static void to_pool(unsigned at, detail::raw<Bytes> r)
    {
        if constexpr (Bytes == 1)
            detail::set_pool_byte(at, r.words[0]);
        else if constexpr (Bytes == 2)
            detail::set_pool_half(at, r.words[0]);
        else
#pragma unroll
            for (int k = 0; k < Bytes / 4; k++)
                detail::set_pool_word(at ^ 4 * k, r.words[k]);
    }
};

/* cacheConfig_t: Cache<ReadOnly, ReadWrite, ...>, Cache<AliasSafe, ...>, Cache<Always, ...>. One object per thread, in
   registers. */
template <class First, class... S> struct CacheOf {
    using type = BasicCache<false, false, First, S...>;
};
template <class... S> struct CacheOf<AliasSafe, S...> {
    using type = BasicCache<true, false, S...>;
};
template <class... S> struct CacheOf<Always, S...> {
    using type = BasicCache<false, true, S...>;
};
template <class... S> using Cache = typename CacheOf<S...>::type;

/* The ways to memory that run() hands to a step: load(id, p), and store(id, p, value) for structures that are written.
 */
template <class C> struct Watching {
    C &cache;
    template <int I, class T> SWCACHE_DEVICE auto load(Id<I>, T *p) { return cache.template watch_load<I>(p); }
    template <int I, class T, class V> SWCACHE_DEVICE void store(Id<I>, T *p, V v)
    {
        cache.template watch_store<I>(p, v);
    }
    template <int I, class T> SWCACHE_DEVICE auto ref(Id<I>, T *p) { return cache.template watch<I>(p); }
    template <int I, class T> SWCACHE_DEVICE void flush_line(Id<I>, T *p) { cache.template flush_line<I>(p); }
    SWCACHE_DEVICE void flush() { cache.flush(); }
};
template <class C, bool Known> struct Caching {
    C &cache;
    template <int I, class T> SWCACHE_DEVICE auto load(Id<I>, T *p) { return cache.template load<I, Known>(p); }
    template <int I, class T, class V> SWCACHE_DEVICE void store(Id<I>, T *p, V v)
    {
        cache.template store<I, Known>(p, v);
    }
    template <int I, class T> SWCACHE_DEVICE auto ref(Id<I>, T *p) { return cache.template ref<I>(p); }
    template <int I, class T> SWCACHE_DEVICE void flush_line(Id<I>, T *p) { cache.template flush_line<I>(p); }
    SWCACHE_DEVICE void flush() { cache.flush(); }
};
struct Direct {
    template <int I, class T> SWCACHE_DEVICE T load(Id<I>, T *p) { return *p; }
    template <int I, class T, class V> SWCACHE_DEVICE void store(Id<I>, T *p, V v) { *p = v; }
    template <int I, class T> SWCACHE_DEVICE T &ref(Id<I>, T *p) { return *p; }
    template <int I, class T> SWCACHE_DEVICE void flush_line(Id<I>, T *) {}
    SWCACHE_DEVICE void flush() {}
};

/* Repeats step while it returns true and going_on() holds. In a whole warp (all lanes that have not ended are here),
   the lanes that go on meet again after every step; otherwise they meet where the compiler lets them. */
template <bool WholeWarp, class F, class M> SWCACHE_DEVICE bool repeat(bool more, F step, M going_on)
{
    if constexpr (WholeWarp) {
        while (__any_sync(~0u, more && going_on()))
            if (more)
                more = step();
    } else {
        while (more && going_on())
            more = step();
    }
    return more;
}

/* The steps after which a loop watches again; 0: it never does. */
template <unsigned Every> class Budget
{
  public:
    SWCACHE_DEVICE bool operator()() { return left_-- > 0; }

  private:
    int left_ = Every;
};
template <> class Budget<0>
{
  public:
    SWCACHE_DEVICE bool operator()() { return true; }
};

template <bool WholeWarp, unsigned Every, class C, class F> SWCACHE_DEVICE void slices(C &cache, bool more, F step)
{
    Watching<C> watching{cache};
    for (;;) {
        more = repeat<WholeWarp>(
            more, [&] { return step(watching); }, [&] { return cache.monitoring(); });
        cache.template select<WholeWarp>();
        Budget<Every> budget;
        if (cache.complete()) {
            Caching<C, true> caching{cache};
            more = repeat<WholeWarp>(
                more, [&] { return step(caching); }, budget);
        } else if (cache.active()) {
            if constexpr (C::structures > 1) {
                Caching<C, false> caching{cache};
                more = repeat<WholeWarp>(
                    more, [&] { return step(caching); }, budget);
            }
        } else {
            Direct direct;
            more = repeat<WholeWarp>(
                more, [&] { return step(direct); }, budget);
        }
        if (!Every || !(WholeWarp ? __any_sync(~0u, more) : more))
            break;
        cache.reconsider();
    }
    cache.flush();
}

/*
 * A loop in its slices. step(memory) does one iteration, with all accesses through `memory`, and returns whether there
 * are more; it is a lambda with an `auto &` parameter. more: whether there is a first iteration.
 */
template <class C, class F> SWCACHE_DEVICE void run(C &cache, bool more, F step)
{
    slices<false, 0>(cache, more, step);
}

/*
 * The same where lanes need different numbers of inner iterations per step: they meet again after each step, so that
 * they use the same instructions and wait for memory together. All threads of the warp that have not ended must call
 * it.
 */
template <class C, class F> SWCACHE_DEVICE void run_together(C &cache, bool more, F step)
{
    slices<true, 0>(cache, more, step);
}

/* The same for long loops over data that change their behavior: watches and decides again after Every steps. */
template <unsigned Every, class C, class F> SWCACHE_DEVICE void run_watchful(C &cache, bool more, F step)
{
    static_assert(Every > 0 && Every <= 0x7fffffff, "how many steps between two decisions");
    slices<false, Every>(cache, more, step);
}

#endif /* __CUDACC__ */

} /* namespace swcache */

#endif
