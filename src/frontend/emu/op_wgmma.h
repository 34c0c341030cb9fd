/* Between decode_async.c and op_wgmma.c: how a decoded wgmma.mma_async says what it is. */
#ifndef WEIR_EMU_OP_WGMMA_H
#define WEIR_EMU_OP_WGMMA_H

#include "emu/warp.h"

/*
 * dst: the registers of D, which are read too. src: A (four registers, or a descriptor), B's descriptor, the predicate
 * scale-d, and the metadata of a sparse A. imm: the sparsity selector.
 */
enum {               /* emu_inst.aux */
       WGMMA_AUX_N8, /* n / 8 */
       WGMMA_AUX_K8,
       WGMMA_AUX_A, /* enum ptx_type */
       WGMMA_AUX_B,
       WGMMA_AUX_FLAGS,
};
enum {
    WGMMA_NEG_A = 1,
    WGMMA_NEG_B = 2,
    WGMMA_TRANS_A = 4,
    WGMMA_TRANS_B = 8,
    WGMMA_SAT = 16,
    WGMMA_A_REGS = 32,
    WGMMA_SPARSE = 64,
    WGMMA_D16 = 128,
};

/* The handler for this machine, and those of each instruction set. */
emu_op_fn *emu_wgmma_select(void);
emu_op_fn *emu_wgmma_select_base(void), *emu_wgmma_select_v3(void), *emu_wgmma_select_v4(void);

#endif
