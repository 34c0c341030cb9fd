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
 * are read as lines, so nothing outside is ever touched.
 *
 * Nobody may write the elements during the kernel. Left out: lines kept between scans, elements that are written.
 */
#ifndef SWCACHE_SCAN_CUH
#define SWCACHE_SCAN_CUH

namespace swcache
{

namespace detail
{

/* 16, 8 or 4 bytes of memory that nobody writes, and the L2 told that a scan wants the neighbours next. */
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

/* A line in registers. */
template <int Bytes> struct Held {
    static constexpr int step = Bytes < 16 ? Bytes : 16;
    using Piece = typename piece_of<step>::type;
    unsigned words[Bytes / 4];

    SWCACHE_DEVICE explicit Held(const void *line)
    {
#pragma unroll
        for (int k = 0; k < Bytes / step; k++) {
            Piece piece = read_only((const Piece *)line + k);
            memcpy(words + k * step / 4, &piece, step);
        }
    }
    /* The first Part bytes are done: what follows takes their place. */
    template <int Part> SWCACHE_DEVICE void move_down()
    {
#pragma unroll
        for (int k = 0; k < (Bytes - Part) / 4; k++)
            words[k] = words[k + Part / 4];
    }
    /* at is known when compiling: the caller's loop is unrolled. */
    template <class T> SWCACHE_DEVICE T element(int at) const
    {
        if constexpr (sizeof(T) < 4) {
            unsigned bits = words[at / 4] >> 8 * (at % 4);
            if constexpr (sizeof(T) == 1) {
                unsigned char byte = (unsigned char)bits;
                T value;
                memcpy(&value, &byte, 1);
                return value;
            } else {
                unsigned short half = (unsigned short)bits;
                T value;
                memcpy(&value, &half, 2);
                return value;
            }
        } else {
            T value;
            memcpy(&value, words + at / 4, sizeof(T));
            return value;
        }
    }
};

/* step(value) or step(value, pointer); what it returns, or true. */
template <class T, class F> SWCACHE_DEVICE bool take(F &step, T value, const T *p)
{
    if constexpr (std::is_invocable<F &, T, const T *>::value) {
        if constexpr (std::is_void<typename std::invoke_result<F &, T, const T *>::type>::value)
            return step(value, p), true;
        else
            return step(value, p);
    } else {
        if constexpr (std::is_void<typename std::invoke_result<F &, T>::type>::value)
            return step(value), true;
        else
            return step(value);
    }
}

/* Visits p, p + 1 ... while step says so; Bounded: and only up to last. Lines are read only below last. */
template <int LineBytes, bool Bounded, class T, class F> SWCACHE_DEVICE void visit(const T *p, const T *last, F &step)
{
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)),
                  "elements are plain data of 1, 2, 4, 8 or 16 bytes");
    constexpr int bytes = LineBytes < (int)sizeof(T) ? (int)sizeof(T) : LineBytes < 4 ? 4 : LineBytes;
    /* The loop is unrolled over 16 bytes: a whole line of large steps does not fit the instruction cache. */
    constexpr int part = bytes < 16 ? bytes : 16, elements = part / (int)sizeof(T);
    /* Records whose alignment is less than their size may lie across lines; then there are no lines. */
    bool lines = !SWCACHE_OFF && (uintptr_t)p % sizeof(T) == 0, more = true;
    uintptr_t begin = ((uintptr_t)p + bytes - 1) & ~(uintptr_t)(bytes - 1), end = (uintptr_t)last;
    const T *whole = lines && begin < end ? (const T *)begin : Bounded ? last : p;
#pragma unroll 1
    for (; more && p < whole; p++)
        more = take(step, *p, p);
    if (lines) {
#pragma unroll 1
        while (more && (uintptr_t)p + bytes <= end) {
            Held<bytes> line(p);
#pragma unroll 1
            for (int at = 0; more && at < bytes; at += part) {
#pragma unroll
                for (int k = 0; k < elements; k++)
                    if (more)
                        more = take(step, line.template element<T>(k * (int)sizeof(T)), p + k);
                line.template move_down<part>();
                p += elements;
            }
        }
    }
#pragma unroll 1
    for (; more && (!Bounded || p < last); p++)
        more = take(step, *p, p);
}

} /* namespace detail */

/*
 * Calls step(element) or step(element, pointer to it) for the elements from first up to last. If step returns a bool,
 * false ends the scan. LineBytes: 4 to 128, a power of two.
 */
template <int LineBytes = SWCACHE_LINE_BYTES, class T, class F>
SWCACHE_DEVICE void scan(const T *first, const T *last, F step)
{
    detail::visit<LineBytes, true>(first, last, step);
}

/*
 * The same for loops that only their own condition ends: step must return a bool, and false is the only end. Nothing
 * is read ahead at or above readable_end, where the structure's memory ends; null if that is not known.
 */
template <int LineBytes = SWCACHE_LINE_BYTES, class T, class F>
SWCACHE_DEVICE void scan_while(const T *first, const T *readable_end, F step)
{
    detail::visit<LineBytes, false>(first, readable_end, step);
}

} /* namespace swcache */

#endif
