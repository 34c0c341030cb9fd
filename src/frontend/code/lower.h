/*
 * Inside the back end: what its passes hand each other. code.c runs them over each region of a function:
 *
 *   constants.c where parameters and constants are loaded
 *   converge.c  where lanes part and meet again
 *   fold.c      which instructions an assembler does not issue because their users take them in
 *   expand.c    which instructions it issues as a sequence
 *   select.c    the region's operations in program order, from both
 *   unroll.c    what changes from one iteration of an unrolled loop to the next
 *   graph.c     which operation must come before which, and how much earlier
 *   schedule.c  their order
 *   name.c      registers of the scoreboard
 *
 * Registers are those of the PTX function (ptx_func.reg), then the carry flag, then temporaries of a region. pcs are
 * the function's own; code.c adds where the function starts in the kernel.
 */
#ifndef WEIR_CODE_LOWER_H
#define WEIR_CODE_LOWER_H

#include "base/mem.h"
#include "ptx/flow.h"
#include "ptx/kernel_table.h"
#include "trace/code.h"
#include "trace/kernel.h"

#define CODE_NONE UINT32_MAX

/*
 * Cycles that a predicate takes to guard an instruction, beyond those it takes to be an operand: ptxas 13 keeps 13
 * cycles between a comparison and what it guards, 4 between a comparison and a selection (sm_90).
 */
enum { CODE_GUARD = 9 };

/* How an operation is ordered among the memory operations of its region. */
enum code_order {
    CODE_FREE,  /* accesses no memory, or memory that nothing in the kernel writes */
    CODE_READ,  /* may not pass a write that may be to the same place */
    CODE_WRITE, /* may not pass a read or a write that may be of the same place */
    CODE_ALL,   /* passes no other access: fences, volatile accesses, barriers of a warp */
};

/* What is known of an access's address: [reg + offset] or [symbol + offset]. */
struct code_addr {
    uint8_t space; /* enum ptx_space */
    bool known;    /* reg or sym, and offset say where it is */
    uint32_t reg;  /* CODE_NONE: none */
    int32_t sym;   /* -1: none */
    int64_t offset;
    uint32_t bytes;
};

/* An operation: struct trace_op before its registers have numbers. */
struct code_node {
    uint32_t pc;
    uint32_t regs_at; /* in code_region.reg: destinations, then sources */
    uint16_t n_dst, n_src;
    uint8_t cls, flags, width, copy;
    uint8_t order;    /* enum code_order */
    bool keeps_old;   /* lanes that its guard switches off keep the destination's old value */
    bool is_last;     /* leaves the region: stays behind all others */
    uint16_t latency; /* until its result can be read, as the assembler assumes */
    struct code_addr addr;
};

/* What the passes know of a function. */
struct code_func {
    const struct ptx_module *module;
    const struct ptx_func *func;
    struct arena *arena;
    struct ptx_defuse du;
    struct ptx_live live;
    struct ptx_lists defs, uses; /* by register: pcs */
    uint32_t *region_of;         /* by pc */
    uint32_t *predicate;         /* by pc: the predicate of the short branch around it, or CODE_NONE; see code.c */
    uint8_t *folded;             /* by pc: enum code_fold */
    uint8_t *taken;              /* by pc: how many folded instructions it has absorbed */
    uint32_t *renamed;           /* by register: its substitute; itself by default */
    uint32_t *constant;          /* by register: pc of the load of the constant that it holds, or CODE_NONE */
    uint32_t *home;              /* by pc of such a load: the region that loads it for the others */
    bool *keeps;                 /* by pc of such a load: it is done there */
    bool *opens;                 /* by pc: the meeting point of lanes that part is announced before it */
    bool *meets;                 /* by pc: lanes that have parted meet before it */
    uint32_t n_reg;              /* PTX registers and the carry flag; temporaries come behind */
    uint32_t budget;             /* registers of a thread, 32-bit units */
};

enum code_fold {
    CODE_KEPT,
    CODE_COPY,    /* its users read its source */
    CODE_ADDRESS, /* added to the address of its users, which are accesses */
    CODE_FUSED,   /* its users compute it on the way: multiply-add, three-input add and logic */
    CODE_WIDENED, /* its users, additions of 64 bits, take it shifted or extended */
    CODE_GONE,    /* it was a copy between two registers that have become one */
};

/* A constant that the region loads again. */
struct code_reloaded {
    uint32_t load; /* pc */
    uint32_t reg;  /* temporary */
};

struct code_unroll;
struct code_region {
    uint32_t first, last;       /* pcs */
    struct code_unroll *unroll; /* NULL: one execution */
    VEC(struct code_node) node;
    VEC(uint32_t) reg;
    uint32_t n_temp;
    VEC(struct code_reloaded) reloaded;
};

/* NULL while no node of the region has a register. */
static inline uint32_t *code_dst(const struct code_region *r, const struct code_node *n)
{
    return r->reg.p ? r->reg.p + n->regs_at : NULL;
}
static inline uint32_t *code_src(const struct code_region *r, const struct code_node *n)
{
    return r->reg.p ? r->reg.p + n->regs_at + n->n_dst : NULL;
}

/* constants.c */
void code_constants_find(struct code_func *);
/* Whether pc loads or copies a constant that every region that reads it has from elsewhere. */
bool code_constant_gone(const struct code_func *, uint32_t pc);
/* The load of the constant in `reg` when the region of pc, which reads it, does not find it in a register; CODE_NONE. */
uint32_t code_constant_reloaded(const struct code_func *, uint32_t reg, uint32_t pc);

/* converge.c */
void code_converge_find(struct code_func *);

/* fold.c */
void code_fold(struct code_func *, uint32_t first, uint32_t last);

/*
 * code.c: whether the jump at pc leads back to `first`, right behind a branch that leaves the loop: to an assembler,
 * one branch of the opposite condition.
 */
bool code_turns_back(const struct ptx_func *, uint32_t first, uint32_t pc);

/* expand.c: the classes of the sequence as letters, see there; NULL = one operation */
const char *code_expansion(const struct code_func *, uint32_t pc);
struct code_step {
    uint8_t cls;
    bool beside; /* not on the way from the operands to the result */
};
struct code_step code_step_of(const char **text);

/* select.c: the operations of one execution, or of all iterations when the region is unrolled */
void code_select(struct code_func *, struct code_region *);

/* graph.c: edges as lists of successors */
struct code_edge {
    uint32_t to;
    uint16_t latency; /* cycles between the two issues, as the assembler sees them */
};
struct code_graph {
    uint32_t n;
    uint32_t *at; /* n + 1: edges of node i are edge[at[i]..at[i + 1]) */
    struct code_edge *edge;
    uint32_t *n_pred;
};
void code_graph_build(const struct code_func *, const struct code_region *, struct arena *, struct code_graph *out);

/* schedule.c: order[k] is the node issued k-th */
void code_schedule(const struct code_func *, const struct code_region *, const struct code_graph *, struct arena *,
                   uint32_t *order);

#endif
