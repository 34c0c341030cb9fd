/*
 * A grid: the order in which clusters, CTAs and warps run, and what happens when none can.
 *
 * Clusters run one after the other, each to its end, its CTAs in turn, and the warps of a CTA one after the other up to
 * the next barrier, because that order is the fastest and needs the least memory. (Without clusters each CTA is a
 * cluster of its own.) A cluster that does not terminate within its time slice (it waits for another one through
 * memory, or is just long) is set aside and the next one is started, up to as many as the device could hold; then the
 * resident ones take turns. So grid barriers, look-back scans and persistent queues finish. The order depends on
 * nothing but the program.
 *
 * Where the device holds the whole grid, a cluster also stops before one of its threads adds to global memory and takes
 * the old value: it may be the number of its next piece of work. The one that has worked least goes on, as on a GPU the
 * one that is free first takes the next piece; without that, the first cluster would do most of the work. Work is counted
 * in issue slots: an instruction is one, a warp's share of a product of a warpgroup as many as cycles of its tensor core.
 */
#include "emu/state.h"

#include "emu/access.h"

#include <stdio.h>

enum {
    WARP_SLICE = 4096,    /* warp instructions before another warp of the CTA runs */
    CTA_SLICE = 2 << 20,  /* before another CTA runs */
    IDLE_INSTS = 1 << 26, /* of nothing but polling, before weir looks whether anything can still change */
    TIMEOUTS = 1000,      /* rounds in which all suspended waits of a cluster give up and nothing changes */
};

/* ---- running a CTA ---- */

enum run_stop { RUN_DONE, RUN_POLLS, RUN_LONG, RUN_BLOCKED, RUN_FAULT };

static bool can_run(const struct emu_warp_run *r)
{
    if (r->done)
        return false;
    uint32_t here = 0;
    for (struct emu_fiber *f = r->fibers; f; f = f->next) {
        if (f->state == EMU_WAIT_MBARRIER && emu_mbarrier_ready(&f->mbarrier))
            f->state = EMU_READY;
        if (f->state == EMU_WAIT_GROUP && emu_wgmma_met(r))
            f->state = EMU_READY;
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

/* Sets *worked when a warp did anything but poll. */
static enum run_stop cta_run(struct emu_cta *c, bool *worked)
{
    struct emu_grid *g = c->grid;
    uint64_t until = c->insts + CTA_SLICE;
    for (uint32_t i = 0; c->wants_ticket && i < c->n_warp; i++) {
        c->warp[i].has_turn |= c->warp[i].wants_ticket;
        c->warp[i].wants_ticket = false;
    }
    c->wants_ticket = false;
    for (;;) {
        bool ran = false, now = false;
        for (uint32_t i = 0; i < c->n_warp; i++) {
            struct emu_warp_run *r = &c->warp[i];
            if (!can_run(r))
                continue;
            uint64_t before = r->warp_insts, products = r->w.product_cycles;
            enum emu_stop s = emu_warp_run(r, WARP_SLICE);
            uint64_t n = r->warp_insts - before;
            c->insts += n;
            c->cluster->work += n + r->w.product_cycles - products;
            c->wants_ticket |= r->wants_ticket;
            g->insts += n;
            ran = true;
            now = now || s != EMU_STOP_POLL;
            c->n_done += s == EMU_STOP_DONE;
            if (s == EMU_STOP_FAULT || runaway(c, r))
                return RUN_FAULT;
            if (g->sink && emu_cta_send_if_large(c) < 0)
                return RUN_FAULT;
        }
        *worked |= now;
        if (c->n_done == c->n_warp)
            return RUN_DONE;
        if (!ran)
            return RUN_BLOCKED;
        if (!now)
            return RUN_POLLS;
        if (c->insts >= until || c->wants_ticket)
            return RUN_LONG;
    }
}

/* ---- nothing can run ---- */

/* A fiber of the cluster in this state. */
static struct emu_fiber *find_waiting(const struct emu_cluster *k, enum emu_fiber_state state,
                                      struct emu_warp_run **warp)
{
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t j = 0; !k->cta[i]->ended && j < k->cta[i]->n_warp; j++) {
            *warp = &k->cta[i]->warp[j];
            for (struct emu_fiber *f = (*warp)->fibers; f; f = f->next)
                if (f->state == state)
                    return f;
        }
    return NULL;
}

/* The shared variable of the kernel at this offset; "" = none. */
static const char *shared_name(const struct emu_prog *p, uint32_t offset)
{
    const struct emu_func *f = &p->func[0];
    for (uint32_t v = 0; v < f->ptx->n_var; v++)
        if (f->ptx->var[v].space == PTX_S_SHARED && offset - f->var_off[v] < f->ptx->var[v].bytes)
            return f->ptx->var[v].name;
    for (uint32_t v = 0; v < f->module->n_var; v++)
        if (f->module->var[v].space == PTX_S_SHARED &&
            offset - p->shared_off[p->shared_base[f->module_index] + v] < f->module->var[v].bytes)
            return f->module->var[v].name;
    return "";
}

static void report_mbarrier(struct emu_warp_run *r, const struct emu_fiber *f)
{
    const struct emu_cta *c = r->w.cta;
    const uint32_t offset = (uint32_t)((const char *)f->mbarrier.object - c->smem);
    const char *name = shared_name(r->prog, offset);
    char state[256];
    unsigned waiting = 0;
    for (uint32_t i = 0; i < c->n_warp; i++)
        for (const struct emu_fiber *o = c->warp[i].fibers; o; o = o->next)
            waiting += o->state == EMU_WAIT_MBARRIER && o->mbarrier.object == f->mbarrier.object;
    emu_mbarrier_describe(&f->mbarrier, state, sizeof state);
    emu_raise(
        &r->w, f->wait, f->mbarrier.lane, EMU_FAULT_DEADLOCK,
        "nobody is left to complete the mbarrier at byte %u of shared memory%s%s%s%s, for which %u warp%s wait%s: %s",
        offset, *name ? " (" : "", name, *name ? ")" : "", c->cluster->n > 1 ? " of this CTA of the cluster" : "",
        waiting, waiting == 1 ? "" : "s", waiting == 1 ? "s" : "", state);
}

static void report_barrier(struct emu_warp_run *r, const struct emu_fiber *f)
{
    const struct emu_cta *c = r->w.cta;
    const struct emu_barrier *b = &c->bar[f->bar];
    char rest[128] = "";
    if (!b->expected)
        snprintf(rest, sizeof rest, "%u of the CTA's %u running threads wait there and the others wait elsewhere",
                 b->waiting, c->live);
    else
        snprintf(rest, sizeof rest, "it expects %u threads, %u have arrived, and the CTA has %u running threads",
                 b->expected, b->arrived, c->live);
    emu_raise(&r->w, f->wait, __builtin_ctz(f->mask), EMU_FAULT_BARRIER, "barrier %u can never complete: %s", f->bar,
              rest);
}

/* Lets every suspended mbarrier.try_wait of the cluster give up, as its time limit on a GPU would. False: none waits. */
static bool time_out(struct emu_cluster *k)
{
    bool any = false;
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t j = 0; !k->cta[i]->ended && j < k->cta[i]->n_warp; j++)
            for (struct emu_fiber *f = k->cta[i]->warp[j].fibers; f; f = f->next)
                if (f->state == EMU_WAIT_MBARRIER) {
                    f->state = EMU_READY;
                    f->timed_out = any = true;
                }
    return any;
}

/* Parts a suspended fiber from lanes of its warp that wait for it on its stack: they may be whom it waits for. */
static bool split_suspended(struct emu_cluster *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t j = 0; !k->cta[i]->ended && j < k->cta[i]->n_warp; j++) {
            struct emu_warp_run *r = &k->cta[i]->warp[j];
            for (struct emu_fiber *f = r->fibers; f; f = f->next)
                if (f->state == EMU_WAIT_MBARRIER && f->path[0].mask & ~f->path[f->n - 1].mask) {
                    r->fiber = f;
                    emu_fiber_split(r);
                    return true;
                }
        }
    return false;
}

/*
 * No warp of the cluster can run. A warp synchronization completes with the lanes that have arrived; a suspended wait
 * is given up a number of times, so that the program may do something else. All else is an error: false.
 */
static bool unblock(struct emu_cluster *k)
{
    struct emu_warp_run *r;
    const struct emu_fiber *f;
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t j = 0; !k->cta[i]->ended && j < k->cta[i]->n_warp; j++)
            if (!k->cta[i]->warp[j].done && emu_sync_force(&k->cta[i]->warp[j]))
                return true;
    if (split_suspended(k))
        return true;
    const uint64_t changed = k->cta[0]->grid->changed;
    if (k->changed != changed)
        k->timeouts = 0;
    k->changed = changed;
    if (k->timeouts++ < TIMEOUTS && time_out(k))
        return true;
    if ((f = find_waiting(k, EMU_WAIT_MBARRIER, &r)))
        report_mbarrier(r, f);
    else if ((f = find_waiting(k, EMU_WAIT_BAR, &r)))
        report_barrier(r, f);
    else if ((f = find_waiting(k, EMU_WAIT_CLUSTER, &r)))
        emu_raise(&r->w, f->wait, __builtin_ctz(f->mask), EMU_FAULT_BARRIER,
                  "the cluster's barrier can never complete: %u of its %u running threads have arrived and none can go "
                  "on",
                  k->arrived, k->live);
    else if ((f = find_waiting(k, EMU_WAIT_GROUP, &r)))
        emu_raise(&r->w, f->wait, __builtin_ctz(f->mask), EMU_FAULT_BARRIER,
                  "wgmma.wait_group can never complete: the warps of its warpgroup do not all come to it");
    else
        BUG("cluster %llu is stuck with no warp waiting", (unsigned long long)k->index);
    return false;
}

/* ---- a cluster ---- */

static enum run_stop cluster_run(struct emu_cluster *k)
{
    for (;;) {
        bool worked = false, polls = false, is_long = false;
        for (uint32_t i = 0; i < k->n; i++) {
            struct emu_cta *c = k->cta[i];
            if (c->ended)
                continue;
            enum run_stop s = cta_run(c, &worked);
            polls |= s == RUN_POLLS;
            is_long |= s == RUN_LONG;
            if (s == RUN_FAULT)
                return RUN_FAULT;
            if (s == RUN_DONE) {
                if (emu_cta_send(c, true) < 0)
                    return RUN_FAULT;
                emu_cta_count(c);
                c->ended = worked = true;
                k->n_done++;
            }
        }
        if (k->n_done == k->n)
            return RUN_DONE;
        if (is_long)
            return RUN_LONG;
        if (worked && (k->n > 1 || !polls))
            continue;
        if (polls)
            return RUN_POLLS;
        if (!unblock(k))
            return RUN_FAULT;
    }
}

static struct emu_cluster *cluster_start(struct emu_grid *g, uint64_t index, struct emu_cta **spare)
{
    struct emu_cluster *k = xcalloc(1, sizeof *k);
    k->index = index;
    k->n = g->n_in_cluster;
    k->live = k->n * g->n_thread;
    for (uint32_t i = 0; i < k->n; i++) {
        struct emu_cta *c = *spare;
        if (c) {
            *spare = c->next;
        } else {
            c = emu_cta_new(g);
            emu_cta_adopt(c, g);
        }
        k->cta[i] = c;
        emu_cta_start(c, k, i);
    }
    return k;
}

/* Its CTAs go to the list of spare ones. */
static void cluster_end(struct emu_cluster *k, struct emu_cta **spare)
{
    for (uint32_t i = k->n; i-- > 0;) {
        struct emu_cta *c = k->cta[i];
        if (!c->ended)
            emu_cta_count(c);
        c->next = *spare;
        *spare = c;
    }
    free(k);
}

static void free_spare(struct emu_cta *c)
{
    while (c) {
        struct emu_cta *next = c->next;
        emu_cta_free(c);
        c = next;
    }
}

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
    struct emu_cluster *first, **last;
    uint32_t n;
};

static void queue_put(struct queue *q, struct emu_cluster *k)
{
    k->next = NULL;
    *q->last = k;
    q->last = &k->next;
    q->n++;
}

/* Before the first one that has worked more. */
static void queue_put_in_order(struct queue *q, struct emu_cluster *k)
{
    struct emu_cluster **at = &q->first;
    while (*at && (*at)->work <= k->work)
        at = &(*at)->next;
    k->next = *at;
    *at = k;
    if (!k->next)
        q->last = &k->next;
    q->n++;
}

static bool wants_ticket(const struct emu_cluster *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->cta[i]->wants_ticket)
            return true;
    return false;
}

static struct emu_cluster *queue_get(struct queue *q)
{
    struct emu_cluster *k = q->first;
    q->first = k->next;
    if (!q->first)
        q->last = &q->first;
    q->n--;
    return k;
}

/* Of the first warp that can run: its instruction and a lane. */
static struct emu_warp_run *polling_warp(const struct emu_cluster *k, const struct emu_inst **in, int *lane)
{
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t j = 0; j < k->cta[i]->n_warp; j++) {
            struct emu_warp_run *r = &k->cta[i]->warp[j];
            if (!can_run(r))
                continue;
            const struct emu_path *t = &r->fiber->path[r->fiber->n - 1];
            *in = &r->code[t->pc];
            *lane = __builtin_ctz(t->mask);
            return r;
        }
    BUG("a cluster that polls has no warp that can run");
}

/*
 * Every CTA that can run has only polled for a long time. If a round of polling changes no register and no shared
 * memory, no later round will. Where these change, as a counter of attempts does, the kernel may give up by itself: a
 * warning, once for each place.
 */
static bool deadlocked(struct emu_grid *g, struct queue *q)
{
    if (g->idle_insts < IDLE_INSTS)
        return false;
    /* One fingerprint, then another at the same CTA's next turn. */
    bool second = g->idle_check == q->first->index + 1;
    if (g->idle_check && !second)
        return false;
    uint64_t h = 0xcbf29ce484222325ull;
    for (struct emu_cluster *k = q->first; k; k = k->next)
        for (uint32_t i = 0; i < k->n; i++)
            h = cta_hash(k->cta[i], h);
    if (!second) {
        g->idle_check = q->first->index + 1;
        g->idle_hash = h;
        return false;
    }
    const struct emu_inst *in;
    int lane;
    struct emu_warp_run *r = polling_warp(q->first, &in, &lane);
    if (g->idle_hash != h) {
        g->idle_check = g->idle_insts = 0;
        emu_remark(&r->w, in, lane, EMU_FAULT_POLLING,
                   "the kernel has executed %u million warp instructions without changing memory; if it waits for the "
                   "host, it "
                   "does not end, because the host goes on when the launch has ended (--max-insn stops it)",
                   IDLE_INSTS / 1000000);
        return false;
    }
    emu_raise(
        &r->w, in, lane, EMU_FAULT_DEADLOCK,
        "all running warps spin on memory that no other thread will change; nor will the host, which goes on when the "
        "launch has ended");
    return true;
}

/* Contexts of the last launch, where they fit this one. */
static struct emu_cta *take_spare(struct emu_grid *g)
{
    struct emu *emu = g->emu;
    struct emu_cta *c = emu->spare_cta;
    if (!c || emu->spare_prog != g->prog || c->n_warp != g->n_warp || c->smem_bytes != g->smem_bytes ||
        c->local_bytes != g->local_bytes)
        return NULL;
    emu->spare_cta = NULL;
    for (struct emu_cta *each = c; each; each = each->next)
        emu_cta_adopt(each, g);
    return c;
}

int emu_grid_run(struct emu_grid *g)
{
    struct queue q = {.last = &q.first};
    struct emu *emu = g->emu;
    struct emu_cta *spare = take_spare(g);
    const uint64_t n = g->n_cta / g->n_in_cluster;
    g->in_turn = g->n_cta > 1 && g->n_cta <= g->resident_max;
    uint64_t next = 0;
    int rc = 0;
    while (rc == 0 && (next < n || q.n)) {
        struct emu_cluster *k;
        if (next < n && (q.n + 1) * g->n_in_cluster <= g->resident_max)
            k = cluster_start(g, next++, &spare);
        else
            k = queue_get(&q);
        uint64_t before = g->insts, changed = g->changed;
        enum run_stop s = cluster_run(k);
        if (s == RUN_POLLS && g->changed == changed && next >= n)
            g->idle_insts += g->insts - before;
        else
            g->idle_insts = g->idle_check = 0;
        if (s == RUN_DONE || s == RUN_FAULT) {
            cluster_end(k, &spare);
            rc = s == RUN_FAULT ? -1 : 0;
        } else {
            if (k->cta[k->n - 1]->seq == 0) /* CTAs appear in the stream in the order they start */
                rc = emu_cta_send(k->cta[k->n - 1], false);
            if (s == RUN_LONG && wants_ticket(k))
                queue_put_in_order(&q, k);
            else
                queue_put(&q, k);
            if (rc == 0 && deadlocked(g, &q))
                rc = -1;
        }
    }
    while (q.n)
        cluster_end(queue_get(&q), &spare);
    if (rc == 0 && spare) {
        emu_launch_forget(emu, NULL);
        emu->spare_cta = spare;
        emu->spare_prog = g->prog;
    } else {
        free_spare(spare);
    }
    return rc;
}

void emu_launch_forget(struct emu *emu, struct emu_prog *p)
{
    if (emu->spare_cta && (!p || emu->spare_prog == p)) {
        free_spare(emu->spare_cta);
        emu->spare_cta = NULL;
        emu->spare_prog = NULL;
    }
}
