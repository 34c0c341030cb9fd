/*
 * Inside the analysis: what its passes hand each other. analyze.c runs them in this order:
 *
 *   defuse.c  which registers each instruction writes and reads
 *   cfg.c     basic blocks and edges
 *   dom.c     dominators of any graph; post-dominators and reconvergence points
 *   loops.c   natural loops and their nesting
 *   live.c    live ranges as segments of pcs; the largest number of registers alive
 *   rows.c    registers to rows, so that no two that live at the same pc share one
 *   addr.c    addresses that depend on loaded data
 *   regs.c    loads that a compiler would batch, for the register estimate
 *
 * Scratch memory comes from an arena of the analysis, results go to the module's. All passes are linear or nearly so
 * in the size of their input and output.
 */
#ifndef WEIR_PTX_FLOW_H
#define WEIR_PTX_FLOW_H

#include "ptx/ir.h"

/* Registers of instruction pc: reg[at[pc]..at[pc + 1]), the n_def[pc] written ones first. A guard is the last one. */
struct ptx_defuse {
    uint32_t *at;
    uint16_t *n_def;
    uint32_t *reg;
};
void ptx_defuse_build(const struct ptx_func *, struct arena *, struct ptx_defuse *out);
/* Whether the first operand is written (with opnd[0] of kind VEC, PAIR or LIST: its elements). */
bool ptx_writes_first(const struct ptx_inst *);
/* Width of a register in 32-bit rows; 0 for predicates. */
unsigned ptx_reg_rows(const struct ptx_reg *);

/* Lists of lists: items of k are item[at[k]..at[k + 1]). */
struct ptx_lists {
    uint32_t n;
    uint32_t *at, *item;
};
/* Groups n_pair pairs by key (< n_key), keeping their order. */
struct ptx_pair {
    uint32_t key, item;
};
struct ptx_lists ptx_lists_build(struct arena *, uint32_t n_key, const struct ptx_pair *, size_t n_pair);

void ptx_cfg_build(const struct ptx_module *, struct ptx_func *, struct arena *scratch);
/* How control leaves an instruction. */
struct ptx_exits {
    bool falls;    /* to the next pc */
    bool branches; /* to its label or labels */
    bool returns;  /* ret, exit */
    bool dies;     /* trap, call that does not return */
};
struct ptx_exits ptx_exits_of(const struct ptx_module *, const struct ptx_func *, const struct ptx_inst *);

#define PTX_NOWHERE UINT32_MAX
/*
 * Immediate dominators of the nodes that `root` reaches. order[0..return value) lists those nodes in depth-first
 * preorder; idom[root] = root; idom of unreached nodes = PTX_NOWHERE. Both arrays have room for all nodes.
 */
uint32_t ptx_dominators(struct arena *, const struct ptx_lists *succ, const struct ptx_lists *pred, uint32_t root,
                        uint32_t *idom, uint32_t *order);
void ptx_postdom_build(const struct ptx_module *, struct ptx_func *, struct arena *scratch);
int ptx_loops_build(const struct ptx_module *, struct ptx_func *, struct arena *scratch, struct err *);

/* Live ranges: register r is alive at the pcs of segment[at[r]..at[r + 1]), sorted, disjoint, not adjacent. */
struct ptx_segment {
    uint32_t first, last; /* pcs, inclusive */
};
struct ptx_live {
    uint32_t *at;
    struct ptx_segment *segment;
    uint32_t max_live; /* 32-bit units between two instructions */
};
int ptx_live_build(const struct ptx_module *, const struct ptx_func *, const struct ptx_defuse *, struct arena *scratch,
                   struct ptx_live *out, struct err *);
int ptx_rows_assign(const struct ptx_module *, struct ptx_func *, const struct ptx_live *, struct err *);
void ptx_batch_build(struct ptx_func *);
void ptx_addr_build(const struct ptx_module *, struct ptx_func *, const struct ptx_defuse *, struct arena *scratch);

/*
 * base.c: per register, the parameter or variable (as ptx_opnd.sym) that the address in it begins from; negative = none
 * is known. And an access' address as text: "[#2+64" is 64 bytes behind what parameter 2 points to and the index,
 * "[name+0" a variable; NULL where it is not known.
 */
enum { PTX_BASE_TEXT = 192 };
int32_t *ptx_base_build(const struct ptx_func *, struct arena *scratch);
const char *ptx_base_text(const struct ptx_module *, const struct ptx_func *, const struct ptx_inst *,
                          const int32_t *base, char out[PTX_BASE_TEXT]);

#endif
