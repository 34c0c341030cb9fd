/*
 * What programs made by `weir swcache transform` include: the software cache, and where the memory of its structures
 * ends. A line is filled as a whole; at the edges of an allocation that is no multiple of a line it must not be. Who
 * writes a kernel by hand knows the sizes and calls Cache::within(); the transformer does not, so the launch asks the
 * driver and hands the answer to the kernel.
 */
#ifndef SWCACHE_AUTO_CUH
#define SWCACHE_AUTO_CUH

#include <swcache.cuh>

namespace swcache
{

/* A cache can carry elements of this type. */
template <class T> constexpr bool fits = std::is_trivially_copyable<T>::value && sizeof(T) <= 16;

/* Where the memory of each structure begins and ends. 0: not known. */
template <int N> struct Extents {
    uintptr_t low[N], high[N];
};

namespace detail
{

/* The allocation that holds p. The driver knows it; it is asked by name, so that nothing more is linked. */
inline bool allocation(const volatile void *p, uintptr_t &low, uintptr_t &high)
{
    using Query = int (*)(unsigned long long *base, size_t *bytes, unsigned long long address);
    static const Query query = [] {
        void *function = nullptr;
#if CUDART_VERSION >= 12050
        cudaDriverEntryPointQueryResult status;
        cudaError_t e =
            cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &function, 12000, cudaEnableDefault, &status);
#else
        cudaError_t e = cudaGetDriverEntryPoint("cuMemGetAddressRange", &function, cudaEnableDefault);
#endif
        return e == cudaSuccess ? (Query)function : (Query) nullptr;
    }();
    unsigned long long base;
    size_t bytes;
    if (!query || query(&base, &bytes, (unsigned long long)(uintptr_t)p) != 0)
        return false;
    low = (uintptr_t)base;
    high = low + bytes;
    return true;
}

} /* namespace detail */

/* The extents of what these pointers, or objects that convert to pointers, point into. One that the driver does not
   know is not cached. */
template <class... P> Extents<(int)sizeof...(P)> extents(const P &...pointers)
{
    Extents<(int)sizeof...(P)> e = {};
    int k = 0;
    ((detail::allocation(pointers, e.low[k], e.high[k]), k++), ...);
    return e;
}

#if defined(__CUDACC__)

/* Structure I of the cache is number k of the extents. */
template <int I, class C, int N> SWCACHE_DEVICE void within(C &cache, const Extents<N> &e, int k)
{
    if (e.high[k])
        cache.template within<I>((const void *)e.low[k], (size_t)(e.high[k] - e.low[k]));
}

/* The end of the memory that structure k of the extents lies in; null: not known. The first argument is any pointer
   into it. */
template <class T, int N> SWCACHE_DEVICE const T *end_of(const T *, const Extents<N> &e, int k)
{
    return (const T *)e.high[k];
}

/* A scan of structure k that its step may end before last, in memory that need not reach as far: nothing beyond the
   structure's end is read ahead, and nothing at all where that is not known. */
template <class T, int N, class F>
SWCACHE_DEVICE void scan(const T *first, const T *last, const Extents<N> &e, int k, F step)
{
    const T *end = end_of(first, e, k);
    if (end) {
        scan(first, end < last ? end : last, step);
        return;
    }
    for (bool more = true; more && first < last; first++)
        more = detail::take(step, *first, first);
}

namespace detail
{

template <class C, int N, size_t... I>
SWCACHE_DEVICE void within_all(C &cache, const Extents<N> &e, std::index_sequence<I...>)
{
    (swcache::within<(int)I>(cache, e, (int)I), ...);
}

} /* namespace detail */

/* The structures of the cache are those of the extents, in their order. */
template <class C, int N> SWCACHE_DEVICE void within(C &cache, const Extents<N> &e)
{
    static_assert(N == C::structures, "one extent per structure");
    detail::within_all(cache, e, std::make_index_sequence<N>());
}

#endif

} /* namespace swcache */

#endif
