/* Elapsed time of the host, from a clock that never goes back. Usable in signal handlers. */
#ifndef WEIR_BASE_CLOCK_H
#define WEIR_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double clock_seconds_since(uint64_t ns)
{
    return (double)(clock_ns() - ns) * 1e-9;
}

#endif
