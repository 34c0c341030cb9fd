/*
 * Scheduled code: a warp issues the operations of a region (trace/code.h) in the order of the assembler's schedule.
 *
 * The stream names PTX instructions in program order, so one execution of a region is collected first: the masks of
 * its instructions and the addresses of its accesses. Then its operations are issued one by one, each with the mask
 * and the addresses of the instruction it comes from. Consecutive executions of an unrolled loop's body are collected
 * together and issue the unrolled operations; the remaining iterations issue those of half as many iterations, and
 * then of one, like the remainder code that an assembler puts after the loop.
 *
 * Collecting takes no simulated time, because the real instruction memory has the code from the start. A warp that
 * leaves a region in the middle (a thread exits there, or the warp diverges) issues the operations of the instructions
 * that it executed.
 */
#include "sm/sm_priv.h"

#include "base/mem.h"

/* A collected access: this, followed by the lane addresses unless they follow a rule. */
struct record {
    uint64_t base;
    int64_t stride, pitch;
    uint32_t mask;
    uint8_t space, group; /* as in struct stream_mem */
};
enum { LANES_BYTES = TRACE_WARP_SIZE * sizeof(uint64_t), RECORD_MOST = sizeof(struct record) + LANES_BYTES };

/* ---- kernels ---- */

static void op_of(const struct sm_config *cfg, const struct trace_kernel *t, const struct trace_op *o,
                  struct sm_op *out)
{
    struct trace_inst i = t->inst[o->pc];
    bool is_access = o->flags & TRACE_OP_ACCESS;
    if (!is_access) {
        i.mem_index = UINT32_MAX;
        i.width = i.cls == TRACE_BARRIER || i.cls == TRACE_WGMMA ? i.width : 0;
    } else {
        i.width = o->width;
    }
    if (!is_access && o->cls == TRACE_LOAD) { /* of a parameter or a constant, for the instruction at pc */
        i.space = TRACE_SP_PARAM;
        i.mem_flags = 0;
    }
    i.cls = o->cls;
    i.n_dst = o->n_dst;
    i.n_src = o->n_src;
    i.regs_at = o->regs_at;
    sm_inst_of(cfg, &i, &out->inst);
    out->inst.guarded = o->flags & TRACE_OP_GUARDED;
    out->inst.converges = o->flags & TRACE_OP_CONVERGE;
    out->pc = o->pc;
    out->copy = o->copy;
}

void sm_regions_build(struct sm_kernel *k, const struct sm_config *cfg)
{
    const struct trace_kernel *t = k->trace;
    const struct trace_code *c = t->code;
    uint32_t n_access = 0;
    k->op = xcalloc(c->n_op + 1, sizeof *k->op);
    k->region = xcalloc(c->n_region + 1, sizeof *k->region);
    k->region_of = xcalloc(t->n_inst + 1, sizeof *k->region_of);
    k->access = xcalloc(t->n_mem + 1, sizeof *k->access);
    uint8_t *number = xcalloc(t->n_inst + 1, 1); /* by pc: of its access in the region */
    k->reg = c->reg;
    k->n_scoreboard = c->n_scoreboard;
    for (uint32_t i = 0; i < c->n_region; i++) {
        const struct trace_region *from = &c->region[i];
        struct sm_region *r = &k->region[i];
        *r = (struct sm_region){.pc = from->pc,
                                .n_pc = from->n_pc,
                                .one = {from->op, from->op + from->n_op},
                                .half = {from->half.op, from->half.op + from->half.n_op},
                                .all = {from->all.op, from->all.op + from->all.n_op},
                                .copies = from->copies ? from->copies : 1,
                                .access = n_access};
        for (uint32_t pc = r->pc; pc < r->pc + r->n_pc; pc++) {
            k->region_of[pc] = i;
            if (!trace_has_addresses(&t->inst[pc]))
                continue;
            number[pc] = (uint8_t)r->n_access++;
            k->access[n_access++] = (uint16_t)(pc - r->pc);
        }
        uint32_t pcs = r->n_pc * r->copies, accesses = r->n_access * r->copies;
        k->most_pcs = pcs > k->most_pcs ? pcs : k->most_pcs;
        k->most_accesses = accesses > k->most_accesses ? accesses : k->most_accesses;
    }
    for (uint32_t i = 0; i < c->n_op; i++) {
        op_of(cfg, t, &c->op[i], &k->op[i]);
        k->op[i].access = number[c->op[i].pc];
    }
    free(number);
}

void sm_regions_free(struct sm_kernel *k)
{
    free(k->op);
    free(k->region);
    free(k->region_of);
    free(k->access);
}

/*
 * Reserves memory for what the warps collect. Records are packed and most are affine, so most of the memory reserved
 * for the longest records is never touched, and the host does not back untouched memory.
 */
void sm_regions_set_kernel(struct sm *sm, const struct sm_kernel *k)
{
    size_t masks = k->most_pcs * sizeof(uint32_t), places = k->most_accesses * sizeof(uint32_t);
    size_t each = (masks + places + (size_t)k->most_accesses * RECORD_MOST + 63) & ~(size_t)63;
    if (!sm_room_grow(sm, &sm->regions_room, each))
        return;
    for (uint64_t left = sm->resident; left; left &= left - 1)
        if (sm->warp[__builtin_ctzll(left)].kernel->op)
            sm_regions_begin(sm, (unsigned)__builtin_ctzll(left));
}

void sm_regions_begin(struct sm *sm, unsigned slot)
{
    const struct sm_kernel *k = sm->warp[slot].kernel;
    struct warp_region *g = &sm->warp[slot].gathered;
    uint8_t *room = sm_room_of(&sm->regions_room, slot);
    g->bytes = room;
    g->mask_of = (uint32_t *)(room + (size_t)k->most_accesses * RECORD_MOST);
    g->access_at = g->mask_of + k->most_pcs;
}

/* ---- gathering ---- */

static uint32_t put_record(struct warp_region *g, uint32_t at, const struct stream_mem *mem)
{
    struct record r = {.base = mem->base,
                       .stride = mem->stride,
                       .pitch = mem->pitch,
                       .mask = mem->mask,
                       .space = mem->space,
                       .group = mem->mask ? mem->group : TRACE_WARP_SIZE};
    memcpy(g->bytes + at, &r, sizeof r);
    at += sizeof r;
    if (!r.group) {
        memcpy(g->bytes + at, mem->addr, LANES_BYTES);
        at += LANES_BYTES;
    }
    return at;
}

static void get_record(const struct warp_region *g, uint32_t at, struct stream_mem *mem)
{
    struct record r;
    memcpy(&r, g->bytes + at, sizeof r);
    mem->mask = r.mask;
    mem->space = r.space;
    mem->affine = r.group == TRACE_WARP_SIZE;
    mem->group = r.group;
    mem->base = r.base;
    mem->stride = r.stride;
    mem->pitch = r.pitch;
    if (!r.group) {
        memcpy(mem->addr, g->bytes + at + sizeof r, LANES_BYTES);
        return;
    }
    if (r.mask && r.space != TRACE_SP_GLOBAL)
        stream_mem_fill(mem, mem->addr);
}

/* Takes instructions [from, from + n) of the region from the current run, and their records. False: corrupt bytes. */
static bool take(struct sm *sm, struct warp *w, uint32_t copy, uint32_t from, uint32_t n, uint32_t *access,
                 uint32_t *bytes)
{
    struct warp_region *g = &w->gathered;
    const struct sm_region *r = g->region;
    const uint16_t *offset = w->kernel->access + r->access;
    uint32_t at = from;
    for (; *access < r->n_access && offset[*access] < from + n; ++*access) {
        struct stream_step step;
        stream_dec_skip(w->dec, offset[*access] - at);
        if (stream_dec_next_rule(w->dec, &step, &w->mem) != 1)
            return false;
        g->access_at[copy * r->n_access + *access] = *bytes;
        *bytes = put_record(g, *bytes, &w->mem);
        at = offset[*access] + 1u;
    }
    stream_dec_skip(w->dec, from + n - at);
    return true;
}

/* From here on each instruction has its own mask; those before `n` share one. */
static void split_masks(struct warp_region *g, uint32_t n)
{
    for (uint32_t i = g->from; g->uniform && i < n; i++)
        g->mask_of[i] = g->mask;
    g->uniform = false;
}

/* No lane executes instructions [from, to) of the region, which are predicated: their accesses have no lanes. */
static void skip(struct sm *sm, struct warp *w, uint32_t copy, uint32_t from, uint32_t to, uint32_t *access,
                 uint32_t *bytes)
{
    struct warp_region *g = &w->gathered;
    const struct sm_region *r = g->region;
    const uint16_t *offset = w->kernel->access + r->access;
    split_masks(g, copy * r->n_pc + from);
    for (uint32_t i = from; i < to; i++)
        g->mask_of[copy * r->n_pc + i] = 0;
    w->mem.mask = 0;
    for (; *access < r->n_access && offset[*access] < to; ++*access) {
        g->access_at[copy * r->n_access + *access] = *bytes;
        *bytes = put_record(g, *bytes, &w->mem);
    }
}

/*
 * Collects one execution of g->region, which starts with the current run. Stops where the warp leaves the region.
 * Returns 1, or -1 on failure.
 */
static int gather_one(struct sm *sm, unsigned slot, struct stream_run run, uint32_t copy, uint32_t *bytes)
{
    struct warp *w = &sm->warp[slot];
    struct warp_region *g = &w->gathered;
    const struct sm_region *r = g->region;
    const uint16_t *offset = w->kernel->access + r->access;
    uint32_t access = 0, at = run.pc - r->pc;
    if (copy == 0) {
        g->from = at;
        g->mask = run.mask;
        g->uniform = true;
    }
    while (access < r->n_access && offset[access] < at)
        access++;
    do {
        if (run.pc - r->pc > at) {
            skip(sm, w, copy, at, run.pc - r->pc, &access, bytes);
            at = run.pc - r->pc;
        }
        uint32_t n = run.left < r->n_pc - at ? run.left : r->n_pc - at;
        if (g->uniform && run.mask != g->mask)
            split_masks(g, copy * r->n_pc + at); /* an instruction with a guard, or after a predicated one */
        for (uint32_t i = 0; !g->uniform && i < n; i++)
            g->mask_of[copy * r->n_pc + at + i] = run.mask;
        if (!take(sm, w, copy, at, n, &access, bytes))
            return sm_warp_run(sm, slot, &run); /* which detects the corrupt bytes */
        at += n;
        if (at == r->n_pc)
            break;
        int got = sm_warp_run(sm, slot, &run);
        if (got < 0)
            return got;
        if (!got)
            break;
    } while (run.pc >= r->pc + at && run.pc < r->pc + r->n_pc);
    g->to = at;
    return 1;
}

/*
 * Selects the next operations: those of as many collected iterations as the unrolled code covers, from iteration
 * `copy` on. An incomplete iteration is issued alone.
 */
static void begin_group(struct warp_region *g, unsigned copy)
{
    const struct sm_region *r = g->region;
    unsigned whole = g->copies - copy - (g->to != r->n_pc);
    const struct sm_ops *ops = &r->one;
    g->group = 1;
    if (r->copies > 1 && whole >= r->copies / 2) {
        g->group = (uint8_t)(whole >= r->copies ? r->copies : r->copies / 2);
        ops = whole >= r->copies ? &r->all : r->copies > 2 ? &r->half : &r->one;
    }
    g->copy = (uint8_t)copy;
    g->op = ops->first;
    g->op_end = ops->end;
}

static int gather(struct sm *sm, unsigned slot)
{
    struct warp_region *g = &sm->warp[slot].gathered;
    const struct sm_kernel *k = sm->warp[slot].kernel;
    struct stream_run run;
    uint32_t bytes = 0;
    int got = sm_warp_run(sm, slot, &run);
    if (got != 1)
        return got;
    const struct sm_region *r = g->region = &k->region[k->region_of[run.pc]];
    uint32_t lanes;
    g->copies = 0;
    do {
        lanes = run.mask;
        got = gather_one(sm, slot, run, g->copies, &bytes);
        if (got != 1)
            return got;
        g->copies++;
        if (g->copies == r->copies || g->from || g->to != r->n_pc)
            break;
        got = sm_warp_run(sm, slot, &run);
        if (got < 0)
            return got;
    } while (got && run.pc == r->pc && !(run.mask & ~lanes)); /* lanes may leave the loop */
    begin_group(g, 0);
    return 1;
}

/* ---- issuing ---- */

int sm_region_next(struct sm *sm, unsigned slot)
{
    struct warp *w = &sm->warp[slot];
    struct warp_region *g = &w->gathered;
    /* A branch around the rare case of a sequence is no jump: it is short, so what follows has been fetched. */
    w->jumped = w->jumped_back = false;
    for (;;) {
        while (g->op < g->op_end) {
            uint32_t at = g->op++;
            const struct sm_op *o = &w->kernel->op[at];
            const struct sm_region *r = g->region;
            uint32_t offset = o->pc - r->pc;
            unsigned copy = g->copy + o->copy;
            bool is_last = copy + 1u == g->copies; /* the one that may be incomplete */
            if ((copy == 0 && offset < g->from) || (is_last && offset >= g->to))
                continue;
            w->inst = o->inst;
            w->at = at;
            w->pc = o->pc;
            w->mask = g->uniform ? g->mask : g->mask_of[copy * r->n_pc + offset];
            if (o->inst.mem_index != UINT32_MAX)
                get_record(g, g->access_at[copy * r->n_access + o->access], &w->mem);
            else
                w->mem.mask = 0;
            return 1;
        }
        if (g->copies > g->copy + g->group) {
            begin_group(g, g->copy + g->group);
            w->jumped = w->jumped_back = true;
            continue;
        }
        uint32_t end = g->region ? g->region->pc + g->to : 0;
        int got = gather(sm, slot);
        if (got != 1)
            return got;
        uint32_t start = g->region->pc + g->from;
        w->jumped |= start != end;
        w->jumped_back |= start < end;
    }
}
