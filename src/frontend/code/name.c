/*
 * Registers of scheduled operations get the numbers by which the scoreboard knows them.
 *
 * A register that lives in one region takes a number of a common pool from its first write to its last read in
 * schedule order, so registers whose lives do not overlap share one, whatever PTX called them. Every other register
 * has a number of its own. Results that are never read get none, because nothing waits for them.
 */
#include "code/lower.h"
#include "code/name.h"

bool code_is_local(const struct code_func *c, uint32_t reg)
{
    if (reg >= c->n_reg)
        return true;
    if (reg >= c->func->n_reg)
        return false; /* the carry flag */
    const uint32_t *def = c->defs.item + c->defs.at[reg], *use = c->uses.item + c->uses.at[reg];
    uint32_t n_def = c->defs.at[reg + 1] - c->defs.at[reg], n_use = c->uses.at[reg + 1] - c->uses.at[reg];
    if (!n_def || c->func->inst[def[0]].guard >= 0)
        return false;
    for (uint32_t k = 0; k < n_def; k++)
        if (c->region_of[def[k]] != c->region_of[def[0]] || def[k] < def[0])
            return false;
    for (uint32_t k = 0; k < n_use; k++)
        if (c->region_of[use[k]] != c->region_of[def[0]] || use[k] <= def[0])
            return false;
    return true;
}

void code_names_begin(struct code_names *m, const struct code_func *c, uint32_t base)
{
    m->base = base;
    m->n_global = m->n_pool = 0;
    m->global = arena_alloc(c->arena, (c->n_reg + 1ull) * sizeof *m->global);
}

/* The number of a register that lives in several regions. */
static uint32_t global(struct code_names *m, uint32_t reg)
{
    if (!m->global[reg])
        m->global[reg] = ++m->n_global;
    return m->global[reg] - 1;
}

/*
 * Writes the register lists of the scheduled operations to `out`, whose entries are a number of `global` or, with the
 * top bit, one of the pool; code_names_end turns them into the kernel's.
 */
void code_name(struct code_names *m, const struct code_func *c, const struct code_region *r, const uint32_t *order,
               struct arena *scratch, struct code_named *out)
{
    uint32_t n_reg = c->n_reg + r->n_temp;
    uint32_t *left = arena_alloc(scratch, (n_reg + 1ull) * sizeof *left); /* by register: operations that mention it */
    uint32_t *place = arena_alloc(scratch, (n_reg + 1ull) * sizeof *place); /* its number in the pool + 1 */
    uint32_t *is_read = arena_alloc(scratch, (n_reg + 1ull) * sizeof *is_read);
    VEC(uint32_t) spare = {0};
    uint32_t used = 0;
    for (size_t i = 0; i < r->node.n; i++) {
        const struct code_node *n = &r->node.p[i];
        for (unsigned k = 0; k < n->n_dst + n->n_src; k++)
            left[r->reg.p[n->regs_at + k]]++;
        for (unsigned k = 0; k < n->n_src; k++)
            is_read[code_src(r, n)[k]] = 1;
    }
    for (size_t i = 0; i < r->node.n; i++) {
        const struct code_node *n = &r->node.p[order[i]];
        unsigned n_dst = 0, n_src = 0;
        uint32_t at = (uint32_t)out->reg.n;
        for (unsigned k = 0; k < n->n_dst + n->n_src; k++) {
            uint32_t reg = r->reg.p[n->regs_at + k];
            bool is_dst = k < n->n_dst;
            if (!code_is_local(c, reg)) {
                VEC_PUSH(&out->reg, global(m, reg));
            } else {
                if (!is_read[reg])
                    continue;
                if (!place[reg]) {
                    if (spare.n)
                        place[reg] = spare.p[--spare.n];
                    else
                        place[reg] = ++used;
                }
                VEC_PUSH(&out->reg, (place[reg] - 1) | CODE_POOL);
            }
            n_dst += is_dst;
            n_src += !is_dst;
        }
        for (unsigned k = 0; k < n->n_dst + n->n_src; k++) {
            uint32_t reg = r->reg.p[n->regs_at + k];
            if (--left[reg] == 0 && place[reg])
                VEC_PUSH(&spare, place[reg]);
        }
        VEC_PUSH(&out->op, (struct trace_op){.pc = n->pc,
                                             .regs_at = at,
                                             .cls = n->cls,
                                             .flags = n->flags,
                                             .n_dst = (uint8_t)n_dst,
                                             .n_src = (uint8_t)n_src,
                                             .width = n->width,
                                             .copy = n->copy});
    }
    m->n_pool = used > m->n_pool ? used : m->n_pool;
    VEC_FREE(&spare);
}
