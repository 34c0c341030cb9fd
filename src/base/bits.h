/* Arithmetic on bits that several folders need. */
#ifndef WEIR_BASE_BITS_H
#define WEIR_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool is_pow2(uint64_t v)
{
    return v && !(v & (v - 1));
}

/* Sums and products that stop at the largest value, which no range holds, instead of becoming small ones. */
static inline uint64_t sat_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}
static inline uint64_t sat_mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
