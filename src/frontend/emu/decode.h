/*
 * Between the files that decode: the state of one kernel's decoding and how operands become rows.
 */
#ifndef WEIR_EMU_DECODE_H
#define WEIR_EMU_DECODE_H

#include "emu/state.h"

struct emu_pool_slot {
    uint64_t lo, hi;
    uint32_t off; /* + 1; 0 = empty */
    uint8_t lane;
};

struct emu_decoder {
    struct emu *emu;
    struct emu_module *unit;
    struct emu_prog *p;
    struct emu_func *f;          /* the function being decoded */
    const struct ptx_inst *inst; /* and its instruction */
    const char *why;             /* reason for refusing the instruction */
    char why_buf[160];
    VEC(char) pool;
    struct emu_pool_slot *slot;
    uint32_t n_slot, cap_slot;
    VEC(struct emu_sreg_use) sreg;
    VEC(struct emu_call) call;
    VEC(uint32_t *) table;
    uint32_t n_cache;
    bool clock; /* the current instruction reads a clock */
};

/* Refuses the current instruction; returns -1. */
int emu_unsupported(struct emu_decoder *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A constant as a row of 32 lanes of `lane` bytes; returns its offset in the pool. */
uint32_t emu_pool(struct emu_decoder *, uint8_t lane, uint64_t lo, uint64_t hi);

/* Operand -> row. sig as in struct emu_op_sel ('w', 'd', 'q', 'p', 'r'); `type` says how to read a constant. */
int emu_decode_src(struct emu_decoder *, const struct ptx_opnd *, char sig, enum ptx_type type, struct emu_opnd *);
int emu_decode_dst(struct emu_decoder *, const struct ptx_opnd *, char sig, struct emu_opnd *);

/*
 * Address of a symbol in its own space. *frame is set when it is an offset in the current frame (local variables and
 * parameters of functions): then the frame's base must be added when it runs.
 */
int emu_decode_sym(struct emu_decoder *, int32_t sym, uint64_t *addr, bool *frame, enum ptx_space *space,
                   uint64_t *bytes);

/* Refuses the use of a name that no module defines: `what` is "variable" or "function". Returns -1. */
int emu_refuse_undefined(struct emu_decoder *, const char *what, const char *name);
/* Whether the special register counts time. */
bool emu_is_clock(uint8_t sreg);

/* The row of a special register (enum ptx_sreg, or one of weir's own). */
uint32_t emu_sreg_row(struct emu_decoder *, uint16_t sreg);

/* Bits of a constant operand of the given type. */
void emu_const_bits(const struct ptx_opnd *, enum ptx_type, uint64_t *lo, uint64_t *hi);

/* Lane width for a register of this type. */
uint8_t emu_lane_of(enum ptx_type);

/* The operands of an instruction, n_dst + n_src of them, destinations first. */
struct emu_opnd *emu_operands(struct emu_decoder *, struct emu_inst *, unsigned n_dst, unsigned n_src);
/*
 * [base + offset] as src[0] and imm. A symbol without register becomes a constant row, or, when it is stored in the frame,
 * an offset with EMU_AUXF_FRAME. *space is set from the symbol when the instruction names none.
 */
int emu_decode_addr(struct emu_decoder *, struct emu_inst *, const struct ptx_opnd *, struct emu_opnd *out,
                    enum ptx_space *space, uint64_t *sym_bytes);

/* enum emu_atom_op of atom, red and their asynchronous forms; -1 = it names none. */
int emu_atom_op_of(const struct ptx_inst *);

/* decode_async.c: mbarriers, clusters, bulk copies, warpgroup products. 1 = not one of its instructions. */
int emu_decode_async(struct emu_decoder *, struct emu_inst *);

/* decode_mem.c: loads, stores, atomics and everything about addresses. 1 = not one of its opcodes. */
int emu_decode_mem(struct emu_decoder *, struct emu_inst *);

#endif
