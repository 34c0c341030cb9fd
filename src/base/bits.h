/* Arithmetic on bits that several folders need. */
#ifndef WEIR_BASE_BITS_H
#define WEIR_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool is_pow2(uint64_t v)
{
    return v && !(v & (v - 1));
}

#endif
