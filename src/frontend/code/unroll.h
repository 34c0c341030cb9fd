/* Unrolled loops; see unroll.c. */
#ifndef WEIR_CODE_UNROLL_H
#define WEIR_CODE_UNROLL_H

#include "code/lower.h"

enum { CODE_COPIES = 4 }; /* iterations that ptxas puts together */

struct code_unroll {
    unsigned copies, copy; /* copy: the iteration that is being selected */
    uint32_t test_pc;      /* the comparison that ends the loop, done once */
    uint8_t *is_steady;    /* by register: grows by `step` from one iteration to the next */
    int64_t *step;
    uint32_t *counted; /* by register: pc of the addition that makes it the next iteration's, + 1; 0 = none */
    uint32_t *here;    /* by register: its substitute in this iteration; CODE_NONE = nothing yet */
    struct {
        uint32_t reg; /* it, some steps on; CODE_NONE = nowhere yet */
        unsigned steps;
    } * moved;
};

/* Whether the assembler unrolls the loop whose body is the region [first, last]. */
bool code_may_unroll(const struct code_func *, uint32_t first, uint32_t last);
struct code_unroll *code_unroll_begin(const struct code_func *, uint32_t first, uint32_t last, unsigned copies,
                                      struct arena *);
void code_unroll_next(const struct code_func *, struct code_unroll *, unsigned copy);

/* Whether iteration u->copy does without instruction pc. */
bool code_unroll_skips(const struct code_func *, const struct code_unroll *, uint32_t pc);
/* How many steps the value that pc reads is behind what `reg` holds; 0 when `reg` or its substitute is right. */
unsigned code_unroll_steps(const struct code_func *, const struct code_unroll *, uint32_t reg, uint32_t pc);

#endif
