/*
 * Inside the emulator: a decoded instruction, a warp, and how an operation reads and writes lanes.
 *
 * Registers are rows of 32 lanes, so an operation is a loop over lanes that the compiler turns into vector code. One
 * row is 32 x 4 bytes (8-, 16- and 32-bit registers; narrower values are kept zero-extended in the lane), a 64-bit
 * register is a row of 32 x 8 bytes, a 128-bit one 32 x 16. A predicate is one 32-bit mask.
 *
 * decode.c turns ptx_inst into emu_inst once per kernel; run.c fetches, handles control flow, barriers and guards, and
 * calls emu_inst.fn for everything else with the effective mask (never 0).
 */
#ifndef WEIR_EMU_WARP_H
#define WEIR_EMU_WARP_H

#include "ptx/ir.h"

#include <stdint.h>
#include <string.h>

enum { EMU_LANES = 32, EMU_ROW_BYTES = 128 };

/* Where an operand's lanes are: bank base + off. */
enum emu_bank {
    EMU_BANK_REG,  /* the current frame's registers */
    EMU_BANK_POOL, /* the kernel's constants, each broadcast to a full row */
    EMU_BANK_SREG, /* rows of the special registers that the kernel reads (emu_prog.sreg) */
    EMU_BANK_COUNT
};

enum emu_opnd_class { EMU_LANE_NONE = 0, EMU_LANE_PRED = 1, EMU_LANE_32 = 4, EMU_LANE_64 = 8, EMU_LANE_128 = 16 };

struct emu_opnd {
    uint32_t off; /* bytes from the bank's base; for predicates the index of the mask */
    uint8_t bank; /* enum emu_bank; predicates: REG = w->pred[off], POOL = constant mask `off` (0 or ~0u) */
    uint8_t lane; /* enum emu_opnd_class: bytes between lanes; NONE = absent or `_` */
    uint8_t neg;  /* predicate is complemented */
    uint8_t type; /* enum ptx_type of the register, or of the instruction for constants */
};

struct emu_warp;
struct emu_inst;
/* Executes the instruction for the lanes in mask (!= 0). Must not touch other lanes of the destinations. */
typedef void emu_op_fn(struct emu_warp *, const struct emu_inst *, uint32_t mask);

struct emu_inst {
    emu_op_fn *fn;
    const struct emu_opnd *dst, *src; /* n_dst, n_src of them */
    uint8_t n_dst, n_src;
    uint8_t kind; /* private to run.c/decode.c: what the fetch loop does with it */
    uint8_t guard_neg;
    int16_t guard;   /* index of the guard's mask; -1 = none */
    uint8_t aux[6];  /* private to the operation's own select function (mode, compare operator, ...) */
    uint64_t imm;    /* likewise */
    uint32_t target; /* run.c: branch target, reconvergence, callee ... */
    uint32_t target2;
    const struct ptx_inst *ptx;
};

struct emu_cta;
struct emu;

struct emu_warp {
    char *bank[EMU_BANK_COUNT]; /* bases; REG moves with calls */
    uint32_t *pred;             /* the current frame's predicate masks */
    uint32_t cc;                /* carry flag of each lane (add.cc, addc, ...) */
    uint32_t live;              /* lanes that exist and have not exited */
    uint32_t active;            /* lanes of the current path, before the guard */
    uint32_t pc;
    uint32_t index;          /* in the CTA */
    uint64_t product_cycles; /* of its tensor core, in wgmma.mma_async */
    struct emu_cta *cta;
    struct emu *emu;
    /* run.c's own state (stack, frames, stream encoder, fault) follows in struct emu_warp_run */
};

static inline void *emu_dst(const struct emu_warp *w, const struct emu_opnd *o)
{
    return w->bank[EMU_BANK_REG] + o->off;
}
static inline const void *emu_src(const struct emu_warp *w, const struct emu_opnd *o)
{
    return w->bank[o->bank] + o->off;
}
static inline uint32_t emu_src_pred(const struct emu_warp *w, const struct emu_opnd *o)
{
    uint32_t m = o->bank == EMU_BANK_POOL ? o->off : w->pred[o->off];
    return o->neg ? ~m : m;
}
/* Writes predicate bits of the active lanes only. A sink is allowed. */
static inline void emu_dst_pred(struct emu_warp *w, const struct emu_opnd *o, uint32_t mask, uint32_t value)
{
    if (o->lane == EMU_LANE_PRED)
        w->pred[o->off] = (w->pred[o->off] & ~mask) | (value & mask);
}

/*
 * ---- the operations' side (op_*.c) ----
 *
 * emu_op_select looks at a ptx_inst that is neither control flow nor memory (op_table.c lists which opcodes those
 * are) and fills *sel: the handler and what it needs. decode.c then resolves the operands as `sig` says. Returns 0, or
 * -1 with the reason in *why when weir has no such form.
 *
 * sig: one character per operand in the order of the PTX text, destinations first, '>' between destinations and
 * sources: 'w' 32-bit lane, 'd' 64-bit lane, 'q' 128-bit lane, 'p' predicate, 'r' register as it is declared (its own
 * width; constants take the width of sel->imm_type), 'a' an address [base + offset]: the operand is the base's row
 * (4- or 8-byte lanes), the byte offset goes to emu_inst.target (int32). Vector and pair operands are flattened into
 * their elements. A constant for 'w'/'d' is converted by decode.c according to the type in sel->src_type[k] (float
 * constants to f32 or f64 bits; integers truncated); a register whose lane is not as wide as the signature says is
 * refused.
 */
struct emu_op_sel {
    emu_op_fn *fn;
    char sig[48];
    uint8_t src_type[40]; /* enum ptx_type of each source, for constants */
    uint8_t aux[6];
    uint64_t imm;
};
int emu_op_select(const struct ptx_inst *, struct emu_op_sel *sel, const char **why);

#endif
