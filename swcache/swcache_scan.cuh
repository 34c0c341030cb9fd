/*
 * The software cache for loops that visit consecutive elements once each, in order: text, packets, signatures. There a
 * line needs neither tag nor shared memory. A thread takes a whole line into registers with loads of 16 bytes and hands
 * out its elements at places that the compiler knows; what is left per element is about one instruction, where a line
 * that must be looked up costs about ten. Included by swcache.cuh.
 *
 *     swcache::scan(&packet[0], &packet[bytes], [&](unsigned char c) { sum = (sum >> 8) ^ steps[(sum ^ c) & 255]; });
 *
 * The lanes of a warp first come to the beginning of a line, each by itself, then take their lines together, then the
 * rest: so they wait for memory together, wherever their data begin and end. Only lines that lie wholly in the range
 * are read as lines, so nothing outside is ever touched; inside, a line may be read although the step ends the scan
 * before its last element.
 *
 * Nobody may write the elements during the kernel. Left out: lines kept between scans, elements that are written.
 */
#ifndef SWCACHE_SCAN_CUH
#define SWCACHE_SCAN_CUH

namespace swcache
{

namespace detail
{

/* 16, 8 or 4 bytes of memory that nobody writes, and the L2 told that a scan wants the neighbors next. */
template <class Piece> SWCACHE_DEVICE Piece read_only(const Piece *p)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(Piece) == 16) {
        uint4 v;
        asm("ld.global.nc.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(p));
        return v;
    }
#endif
    return __ldg(p);
}

/* Consecutive bytes in registers: the elements of a line, and what lies ahead of it. */
template <int Bytes> struct Held {
    unsigned words[Bytes / 4];

    /* Bytes from memory, to place At. */
    template <int At, int Count> SWCACHE_DEVICE void bring(const void *from)
    {
        constexpr int step = Count < 16 ? Count : 16;
        using Piece = typename piece_of<step>::type;
#pragma unroll
        for (int k = 0; k < Count; k += step) {
            Piece piece = read_only((const Piece *)((const char *)from + k));
            memcpy(words + (At + k) / 4, &piece, step);
        }
    }
    /* The first Count bytes are done: what follows takes their place. */
    template <int Count> SWCACHE_DEVICE void move_down()
    {
#pragma unroll
        for (int k = 0; k < (Bytes - Count) / 4; k++)
            words[k] = words[k + Count / 4];
    }
    /* at must be known when compiling, after loops are unrolled: registers have no addresses. */
    template <class T> SWCACHE_DEVICE T element(int at) const
    {
        T value;
        if constexpr (sizeof(T) < 4) {
            unsigned bits = words[at / 4] >> 8 * (at % 4);
            unsigned short half = (unsigned short)bits;
            unsigned char byte = (unsigned char)bits;
            memcpy(&value, sizeof(T) == 1 ? (void *)&byte : (void *)&half, sizeof(T));
        } else {
            memcpy(&value, words + at / 4, sizeof(T));
        }
        return value;
    }
};

/* What a step of slide() sees: element k is the k-th from the scan's position on. */
template <class T, class H> struct View {
    const H &held;
    int at;
    SWCACHE_DEVICE T operator[](int k) const { return held.template element<T>((at + k) * (int)sizeof(T)); }
};

/* step(element) or step(element, pointer to it); what it returns, or true. */
template <class F, class V, class T> SWCACHE_DEVICE bool take(F &step, V value, const T *p)
{
    if constexpr (std::is_invocable<F &, V, const T *>::value) {
        if constexpr (std::is_void<typename std::invoke_result<F &, V, const T *>::type>::value)
            return step(value, p), true;
        else
            return step(value, p);
    } else {
        if constexpr (std::is_void<typename std::invoke_result<F &, V>::type>::value)
            return step(value), true;
        else
            return step(value);
    }
}

/* A position that moves on while step says so. A step sees its element; or, if AheadBytes is not 0, a view of it and of
   as many bytes behind it. */
template <int AheadBytes, class T, class F> struct Visitor {
    const T *p;
    F &step;
    bool more;

    /* One by one from memory, up to limit; without Bounded, for good. */
    template <bool Bounded = true> SWCACHE_DEVICE void elements(const T *limit)
    {
#pragma unroll 1
        for (; more && (!Bounded || p < limit); p++)
            if constexpr (AheadBytes)
                more = take(step, p, p);
            else
                more = take(step, *p, p);
    }

    /* By lines, at the first of which p is, as far as all that they bring lies below limit. */
    template <int Bytes> SWCACHE_DEVICE void lines(uintptr_t limit)
    {
        /* The loop is unrolled over 16 bytes: a whole line of large steps does not fit the instruction cache. */
        constexpr int part = Bytes < 16 ? Bytes : 16, count = part / (int)sizeof(T);
        Held<Bytes + AheadBytes> line;
        if (AheadBytes && more && (uintptr_t)p + Bytes + AheadBytes <= limit)
            line.template bring<0, AheadBytes>(p);
#pragma unroll 1
        while (more && (uintptr_t)p + Bytes + AheadBytes <= limit) {
            line.template bring<AheadBytes, Bytes>((const char *)p + AheadBytes);
#pragma unroll 1
            for (int at = 0; more && at < Bytes; at += part) {
#pragma unroll
                for (int k = 0; k < count; k++)
                    if (more) {
                        if constexpr (AheadBytes)
                            more = take(step, View<T, decltype(line)>{line, k}, p + k);
                        else
                            more = take(step, line.template element<T>(k * (int)sizeof(T)), p + k);
                    }
                line.template move_down<part>();
                p += count;
            }
        }
    }

    /* Where the next line of so many bytes begins, or limit before that. */
    SWCACHE_DEVICE uintptr_t next(int bytes, uintptr_t limit) const
    {
        uintptr_t at = ((uintptr_t)p + bytes - 1) & ~(uintptr_t)(bytes - 1);
        return at < limit ? at : limit;
    }
};

/* Visits p, p + 1 ... while step says so; Bounded: and only up to last. Lines are read only below last. */
template <int LineBytes, int AheadBytes, bool Bounded, class T, class F>
SWCACHE_DEVICE void visit(const T *p, const T *last, F &step)
{
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)),
                  "elements are plain data of 1, 2, 4, 8 or 16 bytes");
    /* From the beginning to the first line, and from the last line to the end, words or 16 bytes at once. */
    constexpr int word = AheadBytes ? 16 : sizeof(T) < 4 ? 4 : 16, bytes = LineBytes < word ? word : LineBytes;
    Visitor<AheadBytes, T, F> visitor{p, step, true};
    uintptr_t end = (uintptr_t)last;
    /* Records whose alignment is less than their size may lie across lines; then there are no lines. */
    if (!SWCACHE_OFF && (uintptr_t)p % sizeof(T) == 0 && (uintptr_t)p < end) {
        visitor.elements((const T *)visitor.next(AheadBytes ? bytes : word, end));
        if constexpr (!AheadBytes && word < bytes)
            visitor.template lines<word>(visitor.next(bytes, end));
        visitor.template lines<bytes>(end);
        if constexpr (!AheadBytes && word < bytes)
            visitor.template lines<word>(end);
    }
    visitor.template elements<Bounded>(last);
}

} /* namespace detail */

/*
 * Calls step(element) or step(element, pointer to it) for the elements from first up to last. If step returns a bool,
 * false ends the scan. LineBytes: 4 to 128, a power of two.
 */
template <int LineBytes = SWCACHE_LINE_BYTES, class T, class F>
SWCACHE_DEVICE void scan(const T *first, const T *last, F step)
{
    detail::visit<LineBytes, 0, true>(first, last, step);
}

/*
 * The same for loops that only their own condition ends: step must return a bool, and false is the only end. Nothing
 * is read ahead at or above readable_end, where the structure's memory ends; null if that is not known.
 */
template <int LineBytes = SWCACHE_LINE_BYTES, class T, class F>
SWCACHE_DEVICE void scan_while(const T *first, const T *readable_end, F step)
{
    detail::visit<LineBytes, 0, false>(first, readable_end, step);
}

/*
 * A scan whose step looks ahead: filters, patterns, differences of neighbors. Calls step(view) or step(view, pointer)
 * for the positions from first up to last; view[k], with 0 <= k < Ahead, is the element k behind the position. step is
 * a lambda with an `auto` parameter: near the ends, the view is a pointer. Give loops over k a constant bound and
 * `#pragma unroll`, so that k is known when compiling.
 */
template <int Ahead, int LineBytes = SWCACHE_LINE_BYTES, class T, class F>
SWCACHE_DEVICE void slide(const T *first, const T *last, F step)
{
    static_assert(Ahead >= 1 && (Ahead - 1) * sizeof(T) <= 16, "a step sees at most 16 bytes behind its element");
    detail::visit<LineBytes, 16, true>(first, last, step);
}

} /* namespace swcache */

#endif
