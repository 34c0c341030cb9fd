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
 * How lines lie in shared memory: the words of a line are as many words apart as the block has threads (rounded up to
 * whole warps), so a thread always meets the same bank, and a warp whose lanes are at different places of their lines
 * still reads without conflicts.
 *
 * What a program may rely on:
 * - A line holds whole bytes of memory that the thread has asked for or the rest of their aligned line. Written bytes
 * are known one by one (a dirty mask), and only they are written back: neighbours that other threads write are never
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

/* The line of ReadOnly and ReadWrite, in bytes. The widest load of a GPU fills 16 bytes at once. */
#ifndef SWCACHE_LINE_BYTES
#define SWCACHE_LINE_BYTES 16
#endif

/* Accesses a thread watches before it decides (the paper's THRESHOLD is 300). */
#ifndef SWCACHE_WATCHED
#define SWCACHE_WATCHED 48
#endif

namespace swcache
{

/* ---- what a program says about its structures ---- */

/* A structure that the kernel only reads. LineBytes: 4 to 128, a power of two. */
template <int LineBytes> struct ReadOnlyLine {
    static constexpr int line = LineBytes;
    static constexpr bool writable = false;
    static_assert(LineBytes >= 4 && LineBytes <= 128 && !(LineBytes & (LineBytes - 1)),
                  "4 to 128 bytes, a power of two");
};

/* A structure that the kernel writes, or reads and writes. LineBytes: 4 to 64. */
template <int LineBytes> struct ReadWriteLine {
    static constexpr int line = LineBytes;
    static constexpr bool writable = true;
    static_assert(LineBytes >= 4 && LineBytes <= 64 && !(LineBytes & (LineBytes - 1)), "4 to 64 bytes, a power of two");
};

using ReadOnly = ReadOnlyLine<SWCACHE_LINE_BYTES>;
using ReadWrite = ReadWriteLine<SWCACHE_LINE_BYTES>;

/* First argument of Cache: structures may overlap. */
struct AliasSafe {
};

/* ---- inside ---- */

namespace detail
{

#if defined(__CUDACC__)

#define SWCACHE_DEVICE __device__ __forceinline__

/* All of a block's dynamic shared memory; the kernel's own part comes first. */
extern __shared__ uint4 pool[];

constexpr uintptr_t no_line = ~(uintptr_t)0; /* lines are aligned, so no line has this address */
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

/* The unit in which an element is moved: its alignment, at most 16 bytes; it never crosses a line of 16 bytes or more.
 */
template <class T> struct units {
    static constexpr int bytes = alignof(T) >= sizeof(T) ? (int)sizeof(T) : (int)alignof(T);
    static constexpr int count = (int)sizeof(T) / bytes;
};

template <int Bytes> struct raw {
    unsigned words[(Bytes + 3) / 4];
};

/* Registers of one structure and thread. */
template <class S, bool Writable = S::writable> struct Slot;

template <class S> struct Slot<S, false> {
    uintptr_t tag;       /* address of the line that is held */
    unsigned column;     /* byte offset of its first word in the pool; not_cached */
    uintptr_t low, high; /* no line beyond these may be read; constants unless within() was called */
    uintptr_t seen;      /* while monitoring: the line of the last access, */
    unsigned hits, misses, wavefronts, samples;
};

template <class S> struct Slot<S, true> : Slot<S, false> {
    using Mask = typename std::conditional<(S::line > 32), unsigned long long, unsigned>::type;
    Mask dirty;  /* one bit per byte */
    bool filled; /* the bytes that are not dirty are memory's; otherwise they are unknown */
};

#endif

} /* namespace detail */

#if defined(__CUDACC__)

template <bool Aliases, class... S> class BasicCache
{
  public:
    static constexpr int structures = sizeof...(S);

    /* own_bytes: of dynamic shared memory that the kernel uses itself. Every thread of the block may call this, or
     * some. */
    SWCACHE_DEVICE explicit BasicCache(unsigned own_bytes = 0)
    {
        row_ = ((detail::threads_in_block() + 31) & ~31u) * 4;
        own_bytes = (own_bytes + 15) & ~15u;
        unsigned all = detail::dynamic_shared_bytes();
        room_ = (all > own_bytes ? all - own_bytes : 0) / row_ * 4;
        base_ = own_bytes + detail::thread_in_block() * 4;
        watched_ = room_ ? 0 : SWCACHE_WATCHED;
        selected_ = false;
        start(std::index_sequence_for<S...>());
    }

    /* Lines of structure I stay inside these bytes: nothing else is ever read. Without this call a line may reach
       beyond the last element of an allocation by less than a line (never into another page). */
    template <int I> SWCACHE_DEVICE void within(const void *begin, size_t bytes)
    {
        slot<I>().low = (uintptr_t)begin;
        slot<I>().high = (uintptr_t)begin + bytes;
    }

    /* True until enough accesses were watched: the condition of slice 1. */
    SWCACHE_DEVICE bool monitoring() const { return watched_ < SWCACHE_WATCHED && !selected_; }

    /* simulateCache(): an access in slice 1. A value for a read-only structure, a reference for others. */
    template <int I, class T> SWCACHE_DEVICE auto watch(T *p)
    {
        count<I>((uintptr_t)p);
        return access<I>(p);
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
    SWCACHE_DEVICE void select()
    {
        if (selected_)
            return;
        selected_ = true;
        choose(std::index_sequence_for<S...>());
    }

    /* Whether any structure is cached: if not, slice 3 is faster than slice 2. */
    SWCACHE_DEVICE bool active() const { return any(std::index_sequence_for<S...>()); }
    template <int I> SWCACHE_DEVICE bool caches() const { return slot<I>().column != detail::not_cached; }

    /* accessThroughCache(), as a load. */
    template <int I, class T> SWCACHE_DEVICE typename std::remove_cv<T>::type load(T *p)
    {
        using V = typename std::remove_cv<T>::type;
        static_assert(std::is_trivially_copyable<V>::value && sizeof(V) <= 16,
                      "elements are plain data of at most 16 bytes");
        constexpr int unit = unit_bytes<I, V>();
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
    template <int I, class T> SWCACHE_DEVICE void store(T *p, typename std::remove_cv<T>::type value)
    {
        static_assert(slot_type<I>::writable, "this structure was declared read-only");
        static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 16,
                      "elements are plain data of at most 16 bytes");
        constexpr int unit = unit_bytes<I, T>();
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

    /* flush(cacheConfig, address, id): the same for the line that holds *p, if it is held. Before an atomic on *p. */
    template <int I, class T> SWCACHE_DEVICE void flush_line(T *p)
    {
        constexpr uintptr_t mask = ~(uintptr_t)(slot_type<I>::line - 1);
        if (slot<I>().tag == ((uintptr_t)p & mask) || slot<I>().tag == (((uintptr_t)p + sizeof(T) - 1) & mask))
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

    Slots<0, S...> slots_;
    unsigned row_;  /* bytes from a word of a line to its next */
    unsigned base_; /* the thread's first byte in the pool */
    unsigned room_; /* bytes of shared memory per thread */
    int watched_;
    bool selected_;

    /* What moves at once: the element's alignment, or less where the line is shorter. */
    template <int I, class V> SWCACHE_DEVICE static constexpr int unit_bytes()
    {
        return detail::units<V>::bytes < slot_type<I>::line ? detail::units<V>::bytes : slot_type<I>::line;
    }

    template <int I, class T> SWCACHE_DEVICE auto access(T *p)
    {
        if constexpr (slot_type<I>::writable)
            return ref<I>(p);
        else
            return load<I>(p);
    }

    /* ---- monitoring and selection ---- */

    /* While monitoring, structures use lines in the order of their numbers, as far as there is room. */
    template <size_t... I> SWCACHE_DEVICE void start(std::index_sequence<I...>)
    {
        unsigned used = 0;
        ((start_slot<(int)I>(used)), ...);
    }
    template <int I> SWCACHE_DEVICE void start_slot(unsigned &used)
    {
        auto &s = slot<I>();
        s.tag = s.seen = detail::no_line;
        s.low = 0;
        s.high = detail::no_line;
        s.hits = s.misses = s.wavefronts = s.samples = 0;
        if constexpr (slot_type<I>::writable) {
            s.dirty = 0;
            s.filled = false;
        }
        constexpr unsigned line = slot_type<I>::line;
        s.column = used + line <= room_ ? base_ + used / 4 * row_ : detail::not_cached;
        used += line;
    }

    template <int I> SWCACHE_DEVICE void count(uintptr_t address)
    {
        auto &s = slot<I>();
        uintptr_t line = address & ~(uintptr_t)(slot_type<I>::line - 1);
        watched_++;
        if (line == s.seen) {
            s.hits++;
            return;
        }
        s.misses++;
        s.seen = line;
        if (s.samples < 2) {
            s.samples++;
            s.wavefronts += wavefronts(address);
        }
    }

    /* How many passes the hardware's L1 needs for what the warp asks now: one per line or per conflict of banks. */
    SWCACHE_DEVICE static unsigned wavefronts(uintptr_t address)
    {
        unsigned together = __activemask();
        unsigned lines = __match_any_sync(together, (unsigned long long)(address / 128));
        unsigned first = (lines & -lines) >> detail::lane() & 1;
        return __popc(__ballot_sync(together, first));
    }

    /* Whether a line would pay for structure I: what plain accesses cost in the L1 against a line's own work. Costs are
       in passes through the L1; measured on an H200. */
    template <int I> SWCACHE_DEVICE bool pays() const
    {
        const auto &s = slot<I>();
        unsigned accesses = s.hits + s.misses, spread = s.samples ? s.wavefronts / s.samples : 0;
        unsigned plain = accesses * spread, cached = accesses * 4 + s.misses * (spread + 4);
        return s.hits && cached < plain;
    }

    /* The value of a line: a read-write structure is chosen over a read-only one only at twice its hits. */
    template <int I> SWCACHE_DEVICE unsigned value() const
    {
        return slot<I>().hits * (slot_type<I>::writable ? 1 : 2);
    }

    template <size_t... I> SWCACHE_DEVICE void choose(std::index_sequence<I...>)
    {
        unsigned together = __activemask(), leader = __ffs(together) - 1;
        unsigned values[] = {(2 * __popc(__ballot_sync(together, pays<(int)I>())) > __popc(together)
                                  ? __shfl_sync(together, value<(int)I>(), leader)
                                  : 0)...};
        constexpr unsigned lines[] = {(unsigned)S::line...};
        unsigned used = 0;
        unsigned place[structures];
#pragma unroll
        for (int k = 0; k < structures; k++)
            place[k] = detail::not_cached;
#pragma unroll
        for (int turn = 0; turn < structures; turn++) {
            int best = -1;
            unsigned most = 0, best_line = 0;
#pragma unroll
            for (int k = 0; k < structures; k++)
                if (values[k] > most && used + lines[k] <= room_) {
                    best = k;
                    most = values[k];
                    best_line = lines[k];
                }
#pragma unroll
            for (int k = 0; k < structures; k++)
                if (k == best) {
                    place[k] = base_ + used / 4 * row_;
                    values[k] = 0;
                }
            used += best_line;
        }
        /* All lines leave their old places before one takes a new place. */
        ((place[I] != slot<(int)I>().column ? drop<(int)I>() : void()), ...);
        ((slot<(int)I>().column = place[I]), ...);
    }

    template <size_t... I> SWCACHE_DEVICE bool any(std::index_sequence<I...>) const
    {
        return (caches<(int)I>() || ...);
    }

    /* ---- lines ---- */

    template <int I, int Bytes> SWCACHE_DEVICE detail::raw<Bytes> load_unit(uintptr_t address)
    {
        auto &s = slot<I>();
        constexpr uintptr_t inside = slot_type<I>::line - 1;
        if constexpr (Aliases)
            leave_to<I>(address);
        if ((address & ~inside) != s.tag) {
            if (s.column == detail::not_cached || !fetch<I>(address & ~inside))
                return from_memory<Bytes>(address);
        } else if constexpr (slot_type<I>::writable) {
            if (!s.filled && !covers(s.dirty, (unsigned)(address & inside), Bytes))
                complete<I>();
        }
        return from_pool<Bytes>(s.column, (unsigned)(address & inside));
    }

    template <int I, int Bytes> SWCACHE_DEVICE void store_unit(uintptr_t address, detail::raw<Bytes> piece)
    {
        auto &s = slot<I>();
        constexpr uintptr_t inside = slot_type<I>::line - 1;
        if constexpr (Aliases)
            leave_to<I>(address);
        if ((address & ~inside) != s.tag) {
            if (s.column == detail::not_cached || !whole<I>(address & ~inside)) {
                to_memory<Bytes>(address, piece);
                return;
            }
            write_back<I>();
            s.tag = address & ~inside;
            s.filled = false;
        }
        using Mask = decltype(s.dirty);
        unsigned offset = (unsigned)(address & inside);
        s.dirty |= ones<Mask, Bytes>() << offset;
        to_pool<Bytes>(s.column, offset, piece);
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

    /* Whether the line lies inside the structure. */
    template <int I> SWCACHE_DEVICE bool whole(uintptr_t line) const
    {
        return line >= slot<I>().low && line + slot_type<I>::line <= slot<I>().high;
    }

    /* loadNewData(): replaces the line. False if it must not be read as a whole. */
    template <int I> SWCACHE_DEVICE bool fetch(uintptr_t line)
    {
        auto &s = slot<I>();
        if (!whole<I>(line))
            return false;
        constexpr int bytes = slot_type<I>::line, step = bytes < 16 ? bytes : 16;
        using Piece = typename detail::piece_of<step>::type;
        Piece pieces[bytes / step];
#pragma unroll
        for (int k = 0; k < bytes / step; k++)
            pieces[k] = read_piece<I>((const Piece *)line + k);
        if constexpr (slot_type<I>::writable) {
            write_back<I>();
            s.filled = true;
        }
#pragma unroll
        for (int k = 0; k < bytes / step; k++)
            put_piece(s.column + k * (step / 4) * row_, pieces[k]);
        s.tag = line;
        return true;
    }

    /* A line written without having been read gets the rest of its bytes. */
    template <int I> SWCACHE_DEVICE void complete()
    {
        auto &s = slot<I>();
#pragma unroll 1
        for (int offset = 0; offset < slot_type<I>::line; offset += 4) {
            unsigned mask = (unsigned)(s.dirty >> offset) & 15;
            /* 0b0101 to 0x00ff00ff: each bit of the mask becomes a byte. */
            unsigned keep = (mask & 1) * 0xffu | (mask >> 1 & 1) * 0xff00u | (mask >> 2 & 1) * 0xff0000u |
                            (mask >> 3) * 0xff000000u;
            unsigned *word = word_at(s.column + offset / 4 * row_);
            *word = (*word & keep) | (*(const unsigned *)(s.tag + offset) & ~keep);
        }
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
        if (s.dirty == ones<Mask, bytes>()) {
#pragma unroll
            for (int k = 0; k < bytes / step; k++)
                *((typename detail::piece_of<step>::type *)s.tag + k) =
                    get_piece<step>(s.column + k * (step / 4) * row_);
        } else {
#pragma unroll 1
            for (int offset = 0; offset < bytes; offset += 4) {
                unsigned mask = (unsigned)(s.dirty >> offset) & 15;
                unsigned word = *word_at(s.column + offset / 4 * row_);
                if (mask == 15)
                    *(unsigned *)(s.tag + offset) = word;
                else
                    for (int b = 0; b < 4; b++)
                        if (mask >> b & 1)
                            ((unsigned char *)s.tag)[offset + b] = (unsigned char)(word >> 8 * b);
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

    /* With aliases: before structure I meets this address, no other line may hold it. */
    template <int I> SWCACHE_DEVICE void leave_to(uintptr_t address)
    {
        leave_each<I>(address, std::index_sequence_for<S...>());
    }
    template <int I, size_t... J> SWCACHE_DEVICE void leave_each(uintptr_t address, std::index_sequence<J...>)
    {
        (((int)J != I && slot<(int)J>().tag == (address & ~(uintptr_t)(slot_type<(int)J>::line - 1)) ? drop<(int)J>()
                                                                                                     : void()),
         ...);
    }

    /* ---- bytes ---- */

    SWCACHE_DEVICE static unsigned *word_at(unsigned offset)
    {
        return (unsigned *)((char *)detail::pool + offset);
    }

    SWCACHE_DEVICE void put_piece(unsigned at, unsigned v) const
    {
        *word_at(at) = v;
    }
    SWCACHE_DEVICE void put_piece(unsigned at, uint2 v) const
    {
        *word_at(at) = v.x;
        *word_at(at + row_) = v.y;
    }
    SWCACHE_DEVICE void put_piece(unsigned at, uint4 v) const
    {
        *word_at(at) = v.x;
        *word_at(at + row_) = v.y;
        *word_at(at + 2 * row_) = v.z;
        *word_at(at + 3 * row_) = v.w;
    }
    template <int Step> SWCACHE_DEVICE typename detail::piece_of<Step>::type get_piece(unsigned at) const
    {
        if constexpr (Step == 4)
            return *word_at(at);
        else if constexpr (Step == 8)
            return make_uint2(*word_at(at), *word_at(at + row_));
        else
            return make_uint4(*word_at(at), *word_at(at + row_), *word_at(at + 2 * row_), *word_at(at + 3 * row_));
    }

    /* A read-only structure that nothing aliases may use the read-only path. */
    template <int I, class Piece> SWCACHE_DEVICE static Piece read_piece(const Piece *p)
    {
        if constexpr (slot_type<I>::writable || Aliases)
            return *p;
        else
            return __ldg(p);
    }

    SWCACHE_DEVICE unsigned byte_offset(unsigned column, unsigned offset) const
    {
        return column + (offset >> 2) * row_ + (offset & 3);
    }
    template <int Bytes> SWCACHE_DEVICE detail::raw<Bytes> from_pool(unsigned column, unsigned offset) const
    {
        detail::raw<Bytes> r;
        if constexpr (Bytes == 1)
            r.words[0] = *((const unsigned char *)detail::pool + byte_offset(column, offset));
        else if constexpr (Bytes == 2)
            r.words[0] = *(const unsigned short *)((const char *)detail::pool + byte_offset(column, offset));
        else {
            unsigned at = column + (offset >> 2) * row_;
#pragma unroll
            for (int k = 0; k < Bytes / 4; k++)
                r.words[k] = *word_at(at + k * row_);
        }
        return r;
    }
    template <int Bytes> SWCACHE_DEVICE void to_pool(unsigned column, unsigned offset, detail::raw<Bytes> r) const
    {
        if constexpr (Bytes == 1)
            *((unsigned char *)detail::pool + byte_offset(column, offset)) = (unsigned char)r.words[0];
        else if constexpr (Bytes == 2)
            *(unsigned short *)((char *)detail::pool + byte_offset(column, offset)) = (unsigned short)r.words[0];
        else {
            unsigned at = column + (offset >> 2) * row_;
#pragma unroll
            for (int k = 0; k < Bytes / 4; k++)
                *word_at(at + k * row_) = r.words[k];
        }
    }
    template <int Bytes> SWCACHE_DEVICE static detail::raw<Bytes> from_memory(uintptr_t address)
    {
        detail::raw<Bytes> r;
        if constexpr (Bytes == 1)
            r.words[0] = *(const unsigned char *)address;
        else if constexpr (Bytes == 2)
            r.words[0] = *(const unsigned short *)address;
        else {
            auto v = *(const typename detail::piece_of<Bytes>::type *)address;
            memcpy(&r, &v, sizeof v);
        }
        return r;
    }
    template <int Bytes> SWCACHE_DEVICE static void to_memory(uintptr_t address, detail::raw<Bytes> r)
    {
        if constexpr (Bytes == 1)
            *(unsigned char *)address = (unsigned char)r.words[0];
        else if constexpr (Bytes == 2)
            *(unsigned short *)address = (unsigned short)r.words[0];
        else {
            typename detail::piece_of<Bytes>::type v;
            memcpy(&v, &r, sizeof v);
            *(typename detail::piece_of<Bytes>::type *)address = v;
        }
    }
};

/* cacheConfig_t: Cache<ReadOnly, ReadWrite, ...>, or Cache<AliasSafe, ...>. One object per thread, in registers. */
template <class First, class... S> struct CacheOf {
    using type = BasicCache<false, First, S...>;
};
template <class... S> struct CacheOf<AliasSafe, S...> {
    using type = BasicCache<true, S...>;
};
template <class... S> using Cache = typename CacheOf<S...>::type;

/* The number of a structure, for code that is written once and runs in all three slices. */
template <int I> struct Id {
};

/* The three ways to memory that run() hands to a step: load(id, p), and store(id, p, value) for structures that are
 * written. */
template <class C> struct Watching {
    C &cache;
    template <int I, class T> SWCACHE_DEVICE auto load(Id<I>, T *p) { return cache.template watch_load<I>(p); }
    template <int I, class T, class V> SWCACHE_DEVICE void store(Id<I>, T *p, V v)
    {
        cache.template watch_store<I>(p, v);
    }
};
template <class C> struct Caching {
    C &cache;
    template <int I, class T> SWCACHE_DEVICE auto load(Id<I>, T *p) { return cache.template load<I>(p); }
    template <int I, class T, class V> SWCACHE_DEVICE void store(Id<I>, T *p, V v) { cache.template store<I>(p, v); }
};
struct Direct {
    template <int I, class T> SWCACHE_DEVICE T load(Id<I>, T *p) { return *p; }
    template <int I, class T, class V> SWCACHE_DEVICE void store(Id<I>, T *p, V v) { *p = v; }
};

/*
 * A loop in its three slices. step(memory) does one iteration, with all accesses through `memory`, and returns whether
 * there are more; it is a lambda with an `auto &` parameter. The first iteration must be allowed (test before calling
 * run).
 */
template <class C, class F> SWCACHE_DEVICE void run(C &cache, F step)
{
    bool more = true;
    Watching<C> watching{cache};
    while (more && cache.monitoring())
        more = step(watching);
    cache.select();
    if (cache.active()) {
        Caching<C> caching{cache};
        while (more)
            more = step(caching);
        cache.flush();
    } else {
        Direct direct;
        while (more)
            more = step(direct);
    }
}

#endif /* __CUDACC__ */

/* ---- at launch ---- */

/*
 * The dynamic shared memory to launch with: the kernel's own, plus lines for as many of its structures as fit without
 * fewer blocks per multiprocessor than the kernel has without lines (the paper's CLN = free shared memory / threads /
 * line). The answer for a kernel, block and device is remembered. 0 lines where there is no room: the cache is then
 * off.
 */
inline size_t shared_bytes(const void *kernel, int threads, int structures, size_t own_bytes = 0,
                           int line_bytes = SWCACHE_LINE_BYTES)
{
    struct Answer {
        const void *kernel;
        int threads, structures, line_bytes, device;
        size_t own_bytes, bytes;
    };
    constexpr int kept = 16;
    static thread_local Answer answers[kept];
    static thread_local int next;
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess)
        return own_bytes;
    for (const Answer &a : answers)
        if (a.kernel == kernel && a.threads == threads && a.structures == structures && a.line_bytes == line_bytes &&
            a.device == device && a.own_bytes == own_bytes)
            return a.bytes;

    size_t line = (size_t)line_bytes * (size_t)((threads + 31) / 32 * 32), first = (own_bytes + 15) / 16 * 16,
           bytes = own_bytes;
    cudaFuncAttributes attributes;
    int most = 0, blocks = 0, blocks_without = 0;
    bool known =
        cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess &&
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_without, kernel, threads, own_bytes) == cudaSuccess;
    for (int lines = known ? structures : 0; lines > 0; lines--) {
        size_t want = first + lines * line;
        if (want + attributes.sharedSizeBytes > (size_t)most)
            continue;
        if (want > 48 * 1024 - attributes.sharedSizeBytes &&
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)want) != cudaSuccess)
            continue;
        if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, want) == cudaSuccess &&
            blocks >= blocks_without && blocks > 0) {
            bytes = want;
            break;
        }
    }
    cudaGetLastError(); /* a refused question is an answer, not an error of the program */
    answers[next] = {kernel, threads, structures, line_bytes, device, own_bytes, bytes};
    next = (next + 1) % kept;
    return bytes;
}

template <class... A>
inline size_t shared_bytes(void (*kernel)(A...), dim3 block, int structures, size_t own_bytes = 0,
                           int line_bytes = SWCACHE_LINE_BYTES)
{
    return shared_bytes((const void *)kernel, (int)(block.x * block.y * block.z), structures, own_bytes, line_bytes);
}

} /* namespace swcache */

#endif
