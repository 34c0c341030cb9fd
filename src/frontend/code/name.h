/* Numbering registers; see name.c. */
#ifndef WEIR_CODE_NAME_H
#define WEIR_CODE_NAME_H

#include "code/lower.h"

#define CODE_POOL 0x80000000u /* in a register entry: a number of the pool */

struct code_names {
    uint32_t base;    /* the function's first number */
    uint32_t *global; /* by register: number + 1 */
    uint32_t n_global, n_pool;
};
struct code_named {
    VEC(struct trace_op) op;
    VEC(uint32_t) reg;
};

/* Whether all that is written to and read from a register is in one region, written first. */
bool code_is_local(const struct code_func *, uint32_t reg);
void code_names_begin(struct code_names *, const struct code_func *, uint32_t base);
void code_name(struct code_names *, const struct code_func *, const struct code_region *, const uint32_t *order,
               struct arena *scratch, struct code_named *out);

#endif
