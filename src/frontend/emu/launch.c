/*
 * A launch from start to end: its CTAs, their warps, the order in which they run, and what goes to the sink.
 *
 * CTAs run one after the other, each to its end, and the warps of a CTA one after the other up to the next barrier,
 * because that order is the fastest and needs the least memory. A CTA that does not terminate within its time slice (it
 * waits for another CTA through memory, or is just long) is set aside and the next one is started, up to as many as the
 * device could hold; then the resident CTAs take turns. So grid barriers, look-back scans and persistent queues finish.
 * The order depends on nothing but the program.
 */
#include "emu/state.h"

#include "base/demangle.h"
#include "emu/access.h"
#include "emu/op_table.h"

#include <stdio.h>

enum {
    WARP_SLICE = 4096,     /* warp instructions before another warp of the CTA runs */
    CTA_SLICE = 2 << 20,   /* before another CTA runs */
    CHUNK_BYTES = 1 << 20, /* recorded bytes of a CTA before they are sent */
    IDLE_INSTS = 1 << 26,  /* of nothing but polling, before weir looks whether anything can still change */
};

/* ---- contexts of CTAs ---- */

static void fill_row(char *row, uint32_t lane_bytes, uint64_t value)
{
    for (int l = 0; l < EMU_LANES; l++)
        memcpy(row + (size_t)l * lane_bytes, &value, lane_bytes);
}

/*
 * Shared memory that the system keeps for itself in each block, where a kernel asks for its place: NVIDIA's cooperative
 * groups have the barriers of tiles of several warps there. A GPU has it in front of the program's, here it is behind.
 */
#define RESERVED_SMEM 1024u

static bool wants_reserved(const struct emu_prog *p)
{
    bool wants = false;
    for (uint32_t k = 0; k < p->n_sreg; k++)
        wants |=
            p->sreg[k].sreg >= PTX_SR_RESERVED_SMEM_OFFSET_BEGIN && p->sreg[k].sreg <= PTX_SR_RESERVED_SMEM_OFFSET_1;
    return wants;
}

/* Special registers that differ between the lanes of a warp. `t`: the thread's number in its CTA. */
static bool lane_value(unsigned sreg, uint32_t t, const uint32_t ntid[3], uint32_t *v)
{
    const uint32_t lane = t % EMU_LANES, eq = 1u << lane, lt = eq - 1;
    switch (sreg) {
    case PTX_SR_TID_X:
        return *v = t % ntid[0], true;
    case PTX_SR_TID_Y:
        return *v = t / ntid[0] % ntid[1], true;
    case PTX_SR_TID_Z:
        return *v = t / (ntid[0] * ntid[1]), true;
    case PTX_SR_LANEID:
        return *v = lane, true;
    case PTX_SR_LANEMASK_EQ:
        return *v = eq, true;
    case PTX_SR_LANEMASK_LE:
        return *v = lt | eq, true;
    case PTX_SR_LANEMASK_LT:
        return *v = lt, true;
    case PTX_SR_LANEMASK_GE:
        return *v = ~lt, true;
    case PTX_SR_LANEMASK_GT:
        return *v = ~(lt | eq), true;
    }
    return false;
}

/* Special registers that are the same for every CTA of the launch; those that are not listed are 0. */
static void set_launch_sregs(struct emu_cta *c)
{
    const struct emu_grid *g = c->grid;
    const struct emu_prog *p = g->prog;
    const uint32_t *b = g->launch.block, *n = g->launch.grid, dynamic = g->launch.smem_dynamic_bytes;
    const uint32_t reserved = g->smem_bytes - RESERVED_SMEM;
    enum { ENVREG1 = PTX_SR_COUNT + 1, ENVREG2, END }; /* the address of a cooperative grid's workspace */
    const uint32_t same[END] = {
        [PTX_SR_NTID_X] = b[0],
        [PTX_SR_NTID_Y] = b[1],
        [PTX_SR_NTID_Z] = b[2],
        [PTX_SR_NCTAID_X] = n[0],
        [PTX_SR_NCTAID_Y] = n[1],
        [PTX_SR_NCTAID_Z] = n[2],
        [PTX_SR_NCLUSTERID_X] = n[0],
        [PTX_SR_NCLUSTERID_Y] = n[1],
        [PTX_SR_NCLUSTERID_Z] = n[2],
        [PTX_SR_CLUSTER_NCTAID_X] = 1,
        [PTX_SR_CLUSTER_NCTAID_Y] = 1,
        [PTX_SR_CLUSTER_NCTAID_Z] = 1,
        [PTX_SR_CLUSTER_NCTARANK] = 1,
        [PTX_SR_NWARPID] = 64,
        [PTX_SR_NSMID] = g->emu->opts.sm_count,
        [PTX_SR_DYNAMIC_SMEM_SIZE] = dynamic,
        [PTX_SR_TOTAL_SMEM_SIZE] = p->smem_static + dynamic,
        [PTX_SR_AGGR_SMEM_SIZE] = g->smem_bytes,
        [PTX_SR_RESERVED_SMEM_OFFSET_BEGIN] = reserved,
        [PTX_SR_RESERVED_SMEM_OFFSET_0] = reserved,
        [PTX_SR_RESERVED_SMEM_OFFSET_1] = reserved + RESERVED_SMEM / 2,
        [PTX_SR_RESERVED_SMEM_OFFSET_CAP] = g->smem_bytes,
        [PTX_SR_RESERVED_SMEM_OFFSET_END] = g->smem_bytes,
        [ENVREG1] = (uint32_t)(g->workspace >> 32),
        [ENVREG2] = (uint32_t)g->workspace,
    };
    for (uint32_t i = 0; i < c->n_warp; i++) {
        for (uint32_t k = 0; k < p->n_sreg; k++) {
            const unsigned sreg = p->sreg[k].sreg;
            char *row = c->warp[i].w.bank[EMU_BANK_SREG] + p->sreg[k].off;
            uint32_t v;
            if (lane_value(sreg, i * EMU_LANES, b, &v))
                for (uint32_t l = 0; l < EMU_LANES; l++)
                    lane_value(sreg, i * EMU_LANES + l, b, (uint32_t *)row + l);
            else if (sreg == PTX_SR_GRIDID || sreg == PTX_SR_CURRENT_GRAPH_EXEC)
                fill_row(row, 8, sreg == PTX_SR_GRIDID ? g->launch_index + 1u : 0);
            else
                fill_row(row, 4, sreg == PTX_SR_WARPID ? i : sreg < END ? same[sreg] : 0);
        }
    }
}

/* Those that say which CTA this is. */
static void set_cta_sregs(struct emu_cta *c)
{
    const struct emu_grid *g = c->grid;
    const struct emu_prog *p = g->prog;
    for (uint32_t k = 0; k < p->n_sreg; k++) {
        uint32_t v;
        switch (p->sreg[k].sreg) {
        case PTX_SR_CTAID_X:
        case PTX_SR_CLUSTERID_X:
            v = c->ctaid[0];
            break;
        case PTX_SR_CTAID_Y:
        case PTX_SR_CLUSTERID_Y:
            v = c->ctaid[1];
            break;
        case PTX_SR_CTAID_Z:
        case PTX_SR_CLUSTERID_Z:
            v = c->ctaid[2];
            break;
        case PTX_SR_SMID:
            v = (uint32_t)(c->index % g->emu->opts.sm_count);
            break;
        default:
            continue;
        }
        for (uint32_t i = 0; i < c->n_warp; i++)
            fill_row(c->warp[i].w.bank[EMU_BANK_SREG] + p->sreg[k].off, 4, v);
    }
}

static struct emu_cta *cta_new(struct emu_grid *g)
{
    struct emu_cta *c = xcalloc(1, sizeof *c);
    c->n_warp = g->n_warp;
    c->smem_bytes = g->smem_bytes;
    c->local_bytes = g->local_bytes;
    c->smem = xaligned((size_t)g->smem_bytes + 64);
    c->warp = xaligned(g->n_warp * sizeof *c->warp);
    for (uint32_t i = 0; i < c->n_warp; i++) {
        struct emu_warp_run *r = &c->warp[i];
        r->w.bank[EMU_BANK_SREG] = xaligned(g->prog->sreg_bytes + 64);
        r->w.index = i;
        if (g->local_bytes)
            r->local = xaligned((size_t)g->local_bytes * EMU_LANES);
        r->local_stride = g->local_bytes;
    }
    return c;
}

static void cta_free(struct emu_cta *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->n_warp; i++) {
        struct emu_warp_run *r = &c->warp[i];
        emu_warp_drop(r);
        for (struct emu_fiber *f = r->spare_fibers, *next; f; f = next) {
            next = f->next;
            free(f->path);
            free(f);
        }
        free(r->w.bank[EMU_BANK_SREG]);
        free(r->local);
        stream_enc_free(r->owned_enc);
    }
    free(c->warp);
    free(c->smem);
    free(c);
}

/* Ties a context to the launch. */
static void cta_adopt(struct emu_cta *c, struct emu_grid *g)
{
    c->grid = g;
    for (uint32_t i = 0; i < c->n_warp; i++) {
        struct emu_warp_run *r = &c->warp[i];
        r->w.cta = c;
        r->w.emu = g->emu;
        r->w.bank[EMU_BANK_POOL] = g->prog->pool;
        r->prog = g->prog;
        r->grid = g;
        r->code = g->prog->inst;
        r->cache = g->prog->cache;
        if (g->sink && !r->owned_enc)
            r->owned_enc = stream_enc_new();
        r->enc = g->sink ? r->owned_enc : NULL;
    }
    set_launch_sregs(c);
}

static void cta_start(struct emu_cta *c, uint64_t index)
{
    const struct emu_grid *g = c->grid;
    const uint32_t *n = g->launch.grid;
    c->index = index;
    c->ctaid[0] = (uint32_t)(index % n[0]);
    c->ctaid[1] = (uint32_t)(index / n[0] % n[1]);
    c->ctaid[2] = (uint32_t)(index / ((uint64_t)n[0] * n[1]));
    c->n_done = 0;
    c->live = g->n_thread;
    c->bars_busy = 0;
    c->seq = 0;
    c->insts = c->sent_insts = 0;
    memset(c->smem, 0, c->smem_bytes);
    set_cta_sregs(c);
    for (uint32_t i = 0; i < c->n_warp; i++) {
        uint32_t left = g->n_thread - i * EMU_LANES;
        emu_warp_start(&c->warp[i], left >= EMU_LANES ? ~0u : (1u << left) - 1);
        if (c->warp[i].enc)
            stream_enc_begin(c->warp[i].enc, g->trace);
    }
}

/* ---- the stream ---- */

/* Sends what the CTA's warps have recorded. */
static int send_chunk(struct emu_cta *c, bool last)
{
    struct emu_grid *g = c->grid;
    if (!g->sink)
        return 0;
    g->chunk.len = 0;
    for (uint32_t i = 0; i < c->n_warp; i++) {
        stream_enc_take(c->warp[i].enc, &g->chunk.bytes, &g->chunk.len, &g->chunk.cap);
        g->chunk.end[i] = (uint32_t)g->chunk.len;
    }
    struct stream_chunk k = {
        .cta = c->index,
        .seq = c->seq++,
        .last = last,
        .n_warp = c->n_warp,
        .n_inst = c->insts - c->sent_insts,
        .end = g->chunk.end,
        .bytes = g->chunk.bytes,
    };
    c->sent_insts = c->insts;
    if (g->sink->chunk(g->sink->ctx, g->launch_index, &k) == 0)
        return 0;
    emu_fault_place(g->emu, g->fault, g->prog->func[0].module, &g->prog->func[0], NULL, NULL);
    g->fault->kind = EMU_FAULT_SINK;
    snprintf(g->fault->text, sizeof g->fault->text, "the instruction stream could not be delivered");
    return -1;
}

static int send_if_large(struct emu_cta *c)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < c->n_warp; i++)
        bytes += stream_enc_bytes(c->warp[i].enc);
    return bytes > CHUNK_BYTES ? send_chunk(c, false) : 0;
}

/* ---- running a CTA ---- */

enum cta_stop { CTA_DONE, CTA_POLLS, CTA_LONG, CTA_FAULT };

static bool can_run(const struct emu_warp_run *r)
{
    if (r->done)
        return false;
    uint32_t here = 0;
    for (const struct emu_fiber *f = r->fibers; f; f = f->next) {
        if (f->state == EMU_READY)
            return true;
        if (f->state == EMU_WAIT_SYNC)
            here |= f->mask;
    }
    for (const struct emu_fiber *f = r->fibers; f; f = f->next)
        if (f->state == EMU_WAIT_SYNC && (f->members & r->w.live & ~here) == 0)
            return true;
    return false;
}

/* No warp can run. A warp synchronization completes with the lanes that have arrived; a barrier is an error. */
static bool unblock(struct emu_cta *c)
{
    for (uint32_t i = 0; i < c->n_warp; i++)
        if (!c->warp[i].done && emu_sync_force(&c->warp[i]))
            return true;
    for (uint32_t i = 0; i < c->n_warp; i++) {
        struct emu_warp_run *r = &c->warp[i];
        for (struct emu_fiber *f = r->fibers; f; f = f->next) {
            if (f->state != EMU_WAIT_BAR)
                continue;
            const struct emu_barrier *b = &c->bar[f->bar];
            char rest[128] = "";
            if (!b->expected)
                snprintf(rest, sizeof rest,
                         "%u of the block's %u running threads wait there and the others wait elsewhere", b->waiting,
                         c->live);
            else
                snprintf(rest, sizeof rest,
                         "it expects %u threads, %u have arrived, and the block has %u running threads", b->expected,
                         b->arrived, c->live);
            emu_raise(&r->w, f->wait, __builtin_ctz(f->mask), EMU_FAULT_BARRIER, "barrier %u can never complete: %s",
                      f->bar, rest);
            return false;
        }
    }
    BUG("CTA %llu is stuck with no warp waiting", (unsigned long long)c->index);
}

static bool runaway(struct emu_cta *c, struct emu_warp_run *r)
{
    struct emu_grid *g = c->grid;
    uint64_t max = g->emu->opts.max_warp_insts;
    if (!max || g->insts <= max)
        return false;
    r->stop = 0;
    emu_raise(&r->w, &r->code[r->fiber ? r->fiber->path[r->fiber->n - 1].pc : 0], -1, EMU_FAULT_RUNAWAY,
              "the launch has executed more than %llu warp instructions (--max-insn)", (unsigned long long)max);
    return true;
}

static enum cta_stop cta_run(struct emu_cta *c)
{
    struct emu_grid *g = c->grid;
    uint64_t until = c->insts + CTA_SLICE;
    for (;;) {
        bool ran = false, worked = false;
        for (uint32_t i = 0; i < c->n_warp; i++) {
            struct emu_warp_run *r = &c->warp[i];
            if (!can_run(r))
                continue;
            uint64_t before = r->warp_insts;
            enum emu_stop s = emu_warp_run(r, WARP_SLICE);
            uint64_t n = r->warp_insts - before;
            c->insts += n;
            g->insts += n;
            ran = true;
            worked = worked || s != EMU_STOP_POLL;
            c->n_done += s == EMU_STOP_DONE;
            if (s == EMU_STOP_FAULT || runaway(c, r))
                return CTA_FAULT;
            if (g->sink && send_if_large(c) < 0)
                return CTA_FAULT;
        }
        if (c->n_done == c->n_warp)
            return CTA_DONE;
        if (!ran) {
            if (!unblock(c))
                return CTA_FAULT;
            worked = true;
        }
        if (!worked)
            return CTA_POLLS;
        if (c->insts >= until)
            return CTA_LONG;
    }
}

static void cta_count(struct emu_cta *c)
{
    struct emu_stats *s = &c->grid->emu->stats;
    for (uint32_t i = 0; i < c->n_warp; i++) {
        s->warp_insts += c->warp[i].warp_insts;
        s->thread_insts += c->warp[i].thread_insts;
        c->warp[i].warp_insts = c->warp[i].thread_insts = 0;
    }
    s->ctas++;
    if (c->grid->emu->opts.progress)
        *c->grid->emu->opts.progress = s->warp_insts;
}

/* ---- a grid ---- */

/* A fingerprint of everything that a waiting CTA could change, except global memory. */
static uint64_t cta_hash(const struct emu_cta *c, uint64_t h)
{
    for (uint32_t i = 0; i < c->n_warp; i++)
        for (const struct emu_fiber *f = c->warp[i].fibers; f; f = f->next) {
            const struct emu_path *t = &f->path[f->n - 1];
            h = (h ^ t->pc) * 0x100000001b3ull;
            h = (h ^ t->mask) * 0x100000001b3ull;
            for (const struct emu_frame *fr = t->frame; fr; fr = fr->caller) {
                const uint32_t *w = (const uint32_t *)fr->reg;
                for (uint32_t k = 0; k < fr->func->reg_bytes / 4 + fr->func->n_pred; k++)
                    h = (h ^ w[k]) * 0x100000001b3ull;
            }
        }
    for (uint32_t k = 0; k + 4 <= c->smem_bytes; k += 4) {
        uint32_t w;
        memcpy(&w, c->smem + k, 4);
        h = (h ^ w) * 0x100000001b3ull;
    }
    return h;
}

struct queue {
    struct emu_cta *first, **last;
    uint32_t n;
};

static void queue_put(struct queue *q, struct emu_cta *c)
{
    c->next = NULL;
    *q->last = c;
    q->last = &c->next;
    q->n++;
}

static struct emu_cta *queue_get(struct queue *q)
{
    struct emu_cta *c = q->first;
    q->first = c->next;
    if (!q->first)
        q->last = &q->first;
    q->n--;
    return c;
}

/*
 * Every CTA that can run has only polled for a long time. If a round of polling changes no register and no shared
 * memory (a counter of attempts would change), no later round will.
 */
static bool deadlocked(struct emu_grid *g, struct queue *q)
{
    if (g->idle_insts < IDLE_INSTS)
        return false;
    /* One fingerprint, then another when the same CTA's turn comes again. */
    bool second = g->idle_check == q->first->index + 1;
    if (g->idle_check && !second)
        return false;
    uint64_t h = 0xcbf29ce484222325ull;
    for (struct emu_cta *c = q->first; c; c = c->next)
        h = cta_hash(c, h);
    if (!second) {
        g->idle_check = q->first->index + 1;
        g->idle_hash = h;
        return false;
    }
    if (g->idle_hash != h) {
        g->idle_check = g->idle_insts = 0;
        return false;
    }
    struct emu_warp_run *r = NULL;
    for (uint32_t i = 0; i < q->first->n_warp; i++)
        if (!r && can_run(&q->first->warp[i]))
            r = &q->first->warp[i];
    const struct emu_path *t = &r->fiber->path[r->fiber->n - 1];
    emu_raise(&r->w, &r->code[t->pc], __builtin_ctz(t->mask), EMU_FAULT_DEADLOCK,
              "all running warps spin on memory that no other thread will change");
    return true;
}

static int run_grid(struct emu_grid *g)
{
    struct queue q = {.last = &q.first};
    struct emu_cta *spare = NULL;
    uint64_t next = 0;
    int rc = 0;
    struct emu *emu = g->emu;
    if (emu->spare_cta && emu->spare_prog == g->prog && emu->spare_cta->n_warp == g->n_warp &&
        emu->spare_cta->smem_bytes == g->smem_bytes && emu->spare_cta->local_bytes == g->local_bytes) {
        spare = emu->spare_cta;
        emu->spare_cta = NULL;
        cta_adopt(spare, g);
    }
    while (rc == 0 && (next < g->n_cta || q.n)) {
        struct emu_cta *c;
        if (next < g->n_cta && q.n < g->resident_max) {
            c = spare;
            spare = NULL;
            if (!c) {
                c = cta_new(g);
                cta_adopt(c, g);
            }
            cta_start(c, next++);
        } else {
            c = queue_get(&q);
        }
        uint64_t before = c->insts, changed = g->changed;
        enum cta_stop s = cta_run(c);
        if (s == CTA_POLLS && g->changed == changed && next >= g->n_cta)
            g->idle_insts += c->insts - before;
        else
            g->idle_insts = g->idle_check = 0;
        if (s == CTA_DONE) {
            rc = send_chunk(c, true);
            cta_count(c);
            if (spare)
                cta_free(spare);
            spare = c;
        } else if (s == CTA_FAULT) {
            cta_count(c);
            cta_free(c);
            rc = -1;
        } else {
            if (c->seq == 0) /* CTAs appear in the stream in the order they start */
                rc = send_chunk(c, false);
            queue_put(&q, c);
            if (rc == 0 && deadlocked(g, &q))
                rc = -1;
        }
    }
    while (q.n) {
        struct emu_cta *c = queue_get(&q);
        cta_count(c);
        cta_free(c);
    }
    if (rc == 0 && spare) {
        emu_launch_forget(emu, NULL);
        emu->spare_cta = spare;
        emu->spare_prog = g->prog;
    } else {
        cta_free(spare);
    }
    return rc;
}

void emu_launch_forget(struct emu *emu, struct emu_prog *p)
{
    if (emu->spare_cta && (!p || emu->spare_prog == p)) {
        cta_free(emu->spare_cta);
        emu->spare_cta = NULL;
        emu->spare_prog = NULL;
    }
}

/* CTAs that fit on the device at once, by threads, registers and shared memory of a modern SM. */
static uint32_t resident(const struct emu_grid *g)
{
    enum { SM_THREADS = 2048, SM_REGS = 65536, SM_SMEM = 228 << 10 };
    const struct emu_def *d = &g->kernel->unit->def.p[g->kernel->def];
    uint32_t regs = ptx_regs_per_thread(d->module, d->func);
    uint32_t threads = g->n_warp * EMU_LANES, per_sm = g->emu->opts.ctas_per_sm;
    if (SM_THREADS / threads < per_sm)
        per_sm = SM_THREADS / threads;
    if (regs && SM_REGS / (regs * threads) < per_sm)
        per_sm = SM_REGS / (regs * threads);
    if (g->smem_bytes && SM_SMEM / g->smem_bytes < per_sm)
        per_sm = SM_SMEM / g->smem_bytes;
    uint64_t all = (uint64_t)(per_sm ? per_sm : 1) * g->emu->opts.sm_count;
    if (g->launch.cooperative && g->n_cta > all)
        all = g->n_cta;
    return all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
}

static int launch_error(struct emu_grid *g, const char *text)
{
    memset(g->fault, 0, sizeof *g->fault);
    demangle(emu_kernel_func(g->kernel)->name, g->fault->kernel, sizeof g->fault->kernel);
    g->fault->kind = EMU_FAULT_UNSUPPORTED;
    snprintf(g->fault->text, sizeof g->fault->text, "%s", text);
    return -1;
}

static int prepare(struct emu_grid *g)
{
    struct err e;
    err_clear(&e);
    char text[640];
    if (emu_link_kernel(g->kernel, &e) < 0) {
        snprintf(text, sizeof text, "%.100s:%d: %s", e.file, e.line, e.msg);
        return launch_error(g, text);
    }
    g->prog = g->kernel->prog;
    const struct emu_launch *l = &g->launch;
    g->n_cta = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (g->n_cta == 0 || threads == 0 || threads > 1024)
        return launch_error(g, "the launch has no blocks, or not 1 to 1024 threads in a block");
    if (emu_decode_kernel(g->kernel, g->fault) < 0)
        return -1;
    if (g->sink) {
        g->trace = emu_kernel_trace(g->kernel, &e);
        if (!g->trace) {
            snprintf(text, sizeof text, "%.100s:%d: %s", e.file, e.line, e.msg);
            return launch_error(g, text);
        }
    }
    g->n_thread = (uint32_t)threads;
    g->n_warp = (g->n_thread + EMU_LANES - 1) / EMU_LANES;
    g->smem_bytes = g->prog->smem_static + l->smem_dynamic_bytes;
    if (wants_reserved(g->prog))
        g->smem_bytes = ((g->smem_bytes + 15) & ~15u) + RESERVED_SMEM;
    g->local_bytes = g->prog->stack_bytes;
    if (g->prog->needs_stack)
        g->local_bytes += (uint32_t)((g->emu->opts.stack_bytes + 15) & ~15ull);
    g->resident_max = resident(g);
    g->split_after = EMU_SPLIT_FIRST;
    g->param_bytes = emu_kernel_param_bytes(g->kernel);
    g->params = xaligned((size_t)g->param_bytes + 64);
    if (g->param_bytes && l->params)
        memcpy(g->params, l->params, g->param_bytes);
    if (l->cooperative) {
        if (!g->emu->workspace)
            emu_heap_alloc(g->emu->heap, 64, EMU_MEM_MODULE, "grid barrier", &g->emu->workspace);
        g->workspace = g->emu->workspace;
        if (g->workspace) {
            uint32_t words[16] = {64};
            memcpy((void *)(uintptr_t)g->workspace, words, sizeof words);
        }
    }
    memset(g->prog->cache, 0, g->prog->n_cache * sizeof *g->prog->cache);
    g->chunk.end = xcalloc(g->n_warp, sizeof *g->chunk.end);
    return 0;
}

static int sink_failed(struct emu_grid *g)
{
    launch_error(g, "the instruction stream could not be delivered");
    g->fault->kind = EMU_FAULT_SINK;
    return -1;
}

static int begin_stream(struct emu_grid *g)
{
    if (!g->sink)
        return 0;
    struct emu_kernel *k = g->kernel;
    const struct stream_sink *s = g->sink;
    if (!k->traced) {
        k->traced = true;
        k->trace_index = g->emu->n_traced++;
    }
    g->launch_index = g->emu->n_launch++;
    const struct emu_launch *l = &g->launch;
    struct trace_launch t = {
        .kernel = k->trace_index,
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->block[0], l->block[1], l->block[2]},
        .smem_dynamic_bytes = l->smem_dynamic_bytes,
        .stream = l->stream,
        .cooperative = l->cooperative,
    };
    struct trace_event ev = {.kind = TRACE_EV_LAUNCH, .stream = l->stream, .index = g->launch_index};
    if ((s->event && s->event(s->ctx, &ev)) ||
        (s->launch_begin && s->launch_begin(s->ctx, g->trace, &t, g->launch_index)))
        return sink_failed(g);
    return 0;
}

/* One grid; what device code launches meanwhile is appended to the caller's list. */
static int launch_one(struct emu_grid *g)
{
    int rc = prepare(g);
    if (rc == 0)
        rc = begin_stream(g);
    if (rc == 0) {
        unsigned fp = emu_fp_enter();
        g->emu->running = g;
        rc = run_grid(g);
        g->emu->running = NULL;
        emu_fp_leave(fp);
        g->emu->stats.launches++;
        if (rc == 0 && g->sink && g->sink->launch_end && g->sink->launch_end(g->sink->ctx, g->launch_index))
            rc = sink_failed(g);
    }
    for (size_t i = 0; i < g->pending.n; i++) /* asked for and never launched */
        emu_heap_release(g->emu->heap, g->pending.p[i].buffer, EMU_MEM_MODULE);
    VEC_FREE(&g->pending);
    free(g->params);
    free(g->chunk.bytes);
    free(g->chunk.end);
    return rc;
}

int emu_launch(struct emu *emu, struct emu_kernel *k, const struct emu_launch *l, const struct stream_sink *sink,
               struct emu_fault *fault)
{
    struct emu_fault unused;
    if (!fault)
        fault = &unused;
    memset(fault, 0, sizeof *fault);
    struct emu_grid g = {.emu = emu, .kernel = k, .launch = *l, .sink = sink, .fault = fault};
    int rc = launch_one(&g);
    /* Children in the order they were launched; theirs follow behind. */
    for (size_t i = 0; i < g.child.n; i++) {
        struct emu_child c = g.child.p[i];
        if (rc == 0 && !c.kernel) {
            emu_child_copy(emu, &c);
        } else if (rc == 0) {
            struct emu_grid sub = {.emu = emu, .kernel = c.kernel, .launch = c.launch, .sink = sink, .fault = fault};
            sub.launch.params = c.params;
            rc = launch_one(&sub);
            for (size_t j = 0; j < sub.child.n; j++)
                VEC_PUSH(&g.child, sub.child.p[j]);
            VEC_FREE(&sub.child);
        }
        free(c.params);
    }
    VEC_FREE(&g.child);
    return rc;
}
