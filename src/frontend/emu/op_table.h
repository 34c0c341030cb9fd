/*
 * The compiled variants of the operations. emu_op_select (warp.h) uses the widest that this machine can run; tests ask
 * for each one, because all of them must give the same bits.
 */
#ifndef WEIR_EMU_OP_TABLE_H
#define WEIR_EMU_OP_TABLE_H

#include "emu/warp.h"

typedef int emu_op_select_fn(const struct ptx_inst *, struct emu_op_sel *, const char **why);
emu_op_select_fn emu_op_select_base, emu_op_select_v3, emu_op_select_v4;

struct emu_op_variant {
    const char *name;
    emu_op_select_fn *select;
};
/* The variants this machine can run, narrowest first; returns how many. */
unsigned emu_op_variants(struct emu_op_variant out[3]);

/* Host floating-point state for the operations: round to nearest, no flush to zero. A CUDA program built with
 * -ffast-math may have changed it, so these two calls bracket the execution of handlers. */
unsigned emu_fp_enter(void);
void emu_fp_leave(unsigned saved);

#endif
