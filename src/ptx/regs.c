/* Registers per thread, for occupancy. docs/registers.md tells how the rule was found and how far it is off. */
#include "ptx/ir.h"

enum {
    FLOOR = 8,    /* ptxas never reports fewer */
    CEILING = 255 /* what an instruction can name */
};

uint32_t ptx_regs_per_thread(const struct ptx_module *m, const struct ptx_func *f)
{
    uint32_t n = f->max_live + 2;
    if (n < FLOOR)
        n = FLOOR;
    if (n > CEILING)
        n = CEILING;
    uint32_t cap = f->maxnreg ? f->maxnreg : m->maxrregcount;
    return cap && n > cap ? cap : n;
}
