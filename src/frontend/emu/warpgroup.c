/*
 * Where the four warps of a warpgroup meet: wgmma.wait_group. Source: PTX ISA 9.1, 9.7.15.7.
 *
 * Each warp computes its rows of a product when it executes it (op_wgmma.c). A GPU's four warps start a product
 * together, and after the wait one of them may overwrite the operands in shared memory. So none continues here before all
 * have executed as many waits, and with them the products before.
 */
#include "emu/state.h"

enum { GROUP_WARPS = 4 };

void emu_wgmma_wait(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    (void)in;
    (void)mask;
    ((struct emu_warp_run *)w)->group_waits++;
}

bool emu_wgmma_met(const struct emu_warp_run *r)
{
    const struct emu_cta *c = r->w.cta;
    const uint32_t first = r->w.index / GROUP_WARPS * GROUP_WARPS;
    for (uint32_t i = first; i < first + GROUP_WARPS && i < c->n_warp; i++)
        if (!c->warp[i].done && c->warp[i].group_waits < r->group_waits)
            return false;
    return true;
}
