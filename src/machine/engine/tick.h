/* What the tick functions of components share. */
#ifndef WEIR_ENGINE_TICK_H
#define WEIR_ENGINE_TICK_H

#include <stdint.h>

/* A function that is compiled into each caller: constant arguments select a variant, such as one without policies. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The earlier of two cycles. */
static inline uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
