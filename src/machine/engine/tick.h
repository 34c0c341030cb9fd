/* What the tick functions of components share. */
#ifndef WEIR_ENGINE_TICK_H
#define WEIR_ENGINE_TICK_H

#include "base/inline.h"

#include <stdint.h>

/* The earlier of two cycles. */
static inline uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
