/* A set of numbers that only grows: the blocks of memory that kernels have touched. */
#include "vm/vm_priv.h"

#include <stdlib.h>

static uint64_t *place_of(const struct touched *t, uint64_t block)
{
    uint64_t i = block * 0x9e3779b97f4a7c15ull >> 20 & t->mask;
    while (t->slot[i] && t->slot[i] != block + 1)
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

bool touched_add(struct touched *t, uint64_t block)
{
    if (!t->slot || t->n * 2 > t->mask) { /* rare: it doubles */
        const struct touched old = *t;
        t->mask = old.slot ? old.mask * 2 + 1 : 1023;
        t->slot = xcalloc(t->mask + 1, sizeof *t->slot);
        for (uint64_t i = 0; old.slot && i <= old.mask; i++)
            if (old.slot[i])
                *place_of(t, old.slot[i] - 1) = old.slot[i];
        free(old.slot);
    }
    uint64_t *at = place_of(t, block);
    if (*at)
        return false;
    *at = block + 1;
    t->n++;
    return true;
}
