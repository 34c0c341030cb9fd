/*
 * Registers per thread, for occupancy: what NVIDIA's assembler reported where its code came with the PTX, else an
 * estimate of that.
 *
 * The assembler needs fewer registers than PTX keeps alive (it rebuilds addresses, folds constants) and spends some on
 * loads that it issues together to hide their latency. docs/registers.md tells how the rule was found and how far it is
 * off. Not modeled: loops that the assembler unrolls, and spilling.
 */
#include "ptx/flow.h"

enum {
    FLOOR = 8,      /* what a kernel is given at least */
    CEILING = 255,  /* what an instruction can name */
    OVERHEAD = 6,   /* stack pointer, temporaries of 64-bit addresses, divisions ... */
    MAX_BATCH = 16, /* 32-bit results in flight that the assembler makes room for */
};

static uint32_t loaded_rows(const struct ptx_inst *i)
{
    bool loads = (i->op == PTX_LD && i->space != PTX_S_PARAM && i->space != PTX_S_CONST) || i->op == PTX_TEX;
    if (!loads || i->n_type == 0)
        return 0;
    return i->vec * (ptx_type_bytes((enum ptx_type)i->type[0]) > 4 ? 2u : 1u);
}

/* Loads do not move across these. */
static bool ends_batch(const struct ptx_inst *i)
{
    return i->op == PTX_BAR || i->op == PTX_BARRIER || i->op == PTX_ATOM || i->op == PTX_CALL;
}

void ptx_batch_build(struct ptx_func *f)
{
    f->load_batch = 0;
    for (uint32_t b = 0; b < f->n_block; b++) {
        uint32_t batch = 0;
        for (uint32_t pc = f->block[b].first; pc <= f->block[b].last; pc++) {
            batch = ends_batch(&f->inst[pc]) ? 0 : batch + loaded_rows(&f->inst[pc]);
            f->load_batch = batch > f->load_batch ? batch : f->load_batch;
        }
    }
}

uint32_t ptx_regs_per_thread(const struct ptx_module *m, const struct ptx_func *f)
{
    if (f->assembled_regs)
        return f->assembled_regs;
    uint32_t batch = f->load_batch < MAX_BATCH ? f->load_batch : MAX_BATCH;
    uint32_t n = f->max_live * 3 / 4 + batch / 2 + OVERHEAD;
    if (n < FLOOR)
        n = FLOOR;
    if (n > CEILING)
        n = CEILING;
    uint32_t cap = f->maxnreg ? f->maxnreg : m->maxrregcount;
    return cap && n > cap ? cap : n;
}
