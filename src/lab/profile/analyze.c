/*
 * The walk over a recording that feeds the classifier; see analyze.h for the order of the accesses.
 *
 * A launch is a set of SMs, each with room for `per_sm` CTAs; a CTA is a row of warps, each with a decoder. All of it
 * is allocated once per launch shape; streams come chunk by chunk from the file.
 */
#include "profile/analyze.h"

#include "base/mem.h"
#include "gpu/gpu.h"
#include "gpu/file_streams.h"
#include "gpu/props.h"
#include "sm/coalesce.h"

#define LINE_BYTES 128
#define MAX_WARPS  (1u << 28) /* of a launch: a bit for each and load */

enum warp_state { RUNNING, AT_BARRIER, ENDED };

struct warp {
    struct stream_dec *dec;
    uint32_t next_seq; /* of the piece to ask for */
    uint8_t state;     /* enum warp_state */
};
struct cta {
    uint64_t index; /* in the grid */
    bool resident;
    uint32_t n_ended, n_at_barrier;
    struct warp *warp;
};
struct sm_place {
    struct cta *cta; /* per_sm places */
    uint32_t *order; /* the resident ones, oldest first */
    uint32_t n_resident;
};

enum { POLL_ROUNDS = 256 };

struct walk {
    const struct analyze_opts *opts;
    struct analysis *out;
    struct device_props props;
    struct file_streams from;
    const struct trace_kernel *kernel;
    uint32_t launch, n_warp, per_sm;
    uint64_t next_cta; /* to be handed out; UINT64_MAX = none is left */
    uint32_t last_sm;  /* that got a CTA */
    struct sm_place *sm;
    struct arena *arena; /* what belongs to the launch */
    struct err *err;
};

/* ---- CTAs ---- */
static void place_cta(struct walk *w, struct sm_place *s, uint32_t slot)
{
    struct cta *c = &s->cta[slot];
    c->index = w->next_cta;
    c->resident = true;
    c->n_ended = c->n_at_barrier = 0;
    for (uint32_t i = 0; i < w->n_warp; i++) {
        stream_dec_begin(c->warp[i].dec, w->kernel);
        c->warp[i].next_seq = 0;
        c->warp[i].state = RUNNING;
    }
    s->order[s->n_resident++] = slot;
    w->out->ctas++;
    w->next_cta = trace_next_cta(w->from.file, w->launch, w->next_cta + 1);
}

static void release_barrier(struct walk *w, struct cta *c)
{
    if (!c->n_at_barrier || c->n_at_barrier + c->n_ended < w->n_warp)
        return;
    c->n_at_barrier = 0;
    for (uint32_t i = 0; i < w->n_warp; i++)
        if (c->warp[i].state == AT_BARRIER)
            c->warp[i].state = RUNNING;
}

/* ---- instructions ---- */
static void access_memory(struct walk *w, uint32_t sm, const struct cta *c, uint32_t warp, const struct trace_inst *i,
                          const struct stream_mem *mem)
{
    struct analysis *a = w->out;
    if (i->cls == TRACE_STORE || i->cls == TRACE_ATOM || i->cls == TRACE_RED) {
        a->stores += i->cls == TRACE_STORE && mem->space == TRACE_SP_GLOBAL;
        a->atomics += i->cls != TRACE_STORE && mem->space == TRACE_SP_GLOBAL;
        return;
    }
    if (i->cls != TRACE_LOAD || mem->space != TRACE_SP_GLOBAL) {
        a->loads_other += mem->space != TRACE_SP_SHARED && i->cls != TRACE_SURF;
        return;
    }
    if (i->mem_flags & (TRACE_MEM_VOLATILE | TRACE_MEM_CG | TRACE_MEM_WT)) {
        a->loads_uncached++;
        return;
    }
    struct line_access request[COALESCE_MAX];
    uint64_t line[COALESCE_MAX];
    const unsigned n = coalesce(mem, i->width, LINE_BYTES, false, request);
    for (unsigned k = 0; k < n; k++)
        line[k] = request[k].addr / LINE_BYTES;
    locality_access(a->locality, sm, (uint32_t)(c->index * w->n_warp + warp), i->mem_index,
                    (uint32_t)__builtin_popcount(mem->mask), line, n);
}

static int corrupt(struct walk *w, const struct cta *c, uint32_t warp)
{
    return err_set(w->err, "launch %u, CTA %llu, warp %u: corrupt instruction stream", w->launch,
                   (unsigned long long)c->index, warp);
}

/* One instruction, or the end of the warp. */
static int step_warp(struct walk *w, uint32_t sm, struct cta *c, uint32_t index)
{
    struct warp *x = &c->warp[index];
    struct stream_step step;
    struct stream_mem mem;
    int more;
    while ((more = stream_dec_next(x->dec, &step, &mem)) == 0) {
        const uint8_t *bytes = NULL;
        size_t n = 0;
        const struct sm_streams *s = &w->from.streams.sm;
        more = s->piece(s->ctx, c->index, index, x->next_seq++, &bytes, &n);
        if (more < 0) {
            *w->err = w->from.err;
            return -1;
        }
        if (!more) {
            x->state = ENDED;
            c->n_ended++;
            release_barrier(w, c);
            return 0;
        }
        stream_dec_feed(x->dec, bytes, n);
    }
    if (more < 0 || step.pc >= w->kernel->n_inst)
        return corrupt(w, c, index);
    const struct trace_inst *i = &w->kernel->inst[step.pc];
    w->out->warp_insts++;
    w->out->thread_insts += (uint64_t)__builtin_popcount(step.mask);
    if (i->cls == TRACE_BARRIER && step.mask) {
        x->state = AT_BARRIER;
        c->n_at_barrier++;
        release_barrier(w, c);
    } else if (mem.mask && i->mem_index < w->kernel->n_mem) {
        access_memory(w, sm, c, index, i, &mem);
    }
    return 0;
}

/* ---- SMs ---- */
static int one_round(struct walk *w, uint32_t sm)
{
    struct sm_place *s = &w->sm[sm];
    for (uint32_t k = 0; k < s->n_resident; k++) {
        struct cta *c = &s->cta[s->order[k]];
        for (uint32_t i = 0; i < w->n_warp; i++)
            if (c->warp[i].state == RUNNING && step_warp(w, sm, c, i))
                return -1;
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < s->n_resident; k++) {
        struct cta *c = &s->cta[s->order[k]];
        if (c->n_ended < w->n_warp) {
            s->order[kept++] = s->order[k];
            continue;
        }
        w->from.streams.sm.cta_done(w->from.streams.sm.ctx, c->index);
        c->resident = false;
    }
    s->n_resident = kept;
    return 0;
}

static void place_one(struct walk *w, struct sm_place *s)
{
    for (uint32_t slot = 0; slot < w->per_sm; slot++)
        if (!s->cta[slot].resident) {
            place_cta(w, s, slot);
            return;
        }
}

/* Hands out CTAs as the machine's dispatcher does: one to each SM with room in turn, after the SM that got the last. */
static void dispatch(struct walk *w)
{
    for (bool any = true; any && w->next_cta != UINT64_MAX;) {
        any = false;
        uint32_t sm = w->last_sm;
        for (uint32_t k = 0; k < w->props.sm_count && w->next_cta != UINT64_MAX; k++) {
            sm = sm + 1 == w->props.sm_count ? 0 : sm + 1;
            if (w->sm[sm].n_resident == w->per_sm)
                continue;
            place_one(w, &w->sm[sm]);
            w->last_sm = sm;
            any = true;
        }
    }
}

/* ---- launches ---- */
static void build_launch(struct walk *w)
{
    const size_t dec_bytes = (stream_dec_bytes() + 63) & ~(size_t)63;
    w->arena = arena_new();
    w->sm = arena_alloc(w->arena, w->props.sm_count * sizeof *w->sm);
    for (uint32_t s = 0; s < w->props.sm_count; s++) {
        w->sm[s].cta = arena_alloc(w->arena, w->per_sm * sizeof *w->sm[s].cta);
        w->sm[s].order = arena_alloc(w->arena, w->per_sm * sizeof *w->sm[s].order);
        for (uint32_t c = 0; c < w->per_sm; c++) {
            struct warp *row = arena_alloc(w->arena, w->n_warp * sizeof *row);
            char *dec = arena_alloc64(w->arena, w->n_warp * dec_bytes);
            for (uint32_t i = 0; i < w->n_warp; i++)
                row[i].dec = (struct stream_dec *)(dec + i * dec_bytes);
            w->sm[s].cta[c].warp = row;
        }
    }
}

static int walk_launch(struct walk *w, uint32_t index)
{
    const struct trace_launch *l = trace_get_launch(w->from.file, index);
    w->launch = index;
    w->kernel = trace_get_kernel(w->from.file, l->kernel);
    w->n_warp = trace_warps_per_cta(l);
    w->per_sm =
        device_occupancy(&w->props, trace_threads_per_cta(l),
                         device_kernel_regs(&w->props, w->kernel->regs_per_thread, w->kernel->max_threads_per_cta),
                         (uint64_t)w->kernel->smem_static_bytes + l->smem_dynamic_bytes, NULL);
    if (!w->per_sm) {
        err_set(w->err, "kernel %s: not even one CTA fits on an SM of this machine", w->kernel->name);
        return err_hint(w->err, "choose a larger one with --gpu");
    }
    if (!w->n_warp || trace_ctas(l) > MAX_WARPS / w->n_warp)
        return err_set(w->err, "kernel %s: %llu CTAs of %u warps exceed the tracking limit", w->kernel->name,
                       (unsigned long long)trace_ctas(l), w->n_warp);
    /* No more places than CTAs: most launches of some programs are tiny. */
    const uint64_t share = (trace_ctas(l) + w->props.sm_count - 1) / w->props.sm_count;
    if (w->per_sm > share)
        w->per_sm = share ? (uint32_t)share : 1;
    w->next_cta = trace_next_cta(w->from.file, index, 0);
    build_launch(w);
    file_streams_launch(&w->from, index);
    locality_launch_begin(w->out->locality, l->kernel, w->kernel->n_mem);
    w->last_sm = w->props.sm_count - 1;
    dispatch(w);
    int bad = 0;
    uint32_t rounds = 0;
    for (bool any = true; any && !bad;) {
        any = false;
        if (!(++rounds % POLL_ROUNDS) && w->opts->poll && w->opts->poll(w->opts->poll_ctx, 0, w->out->warp_insts)) {
            bad = err_set(w->err, "interrupted");
            break;
        }
        for (uint32_t s = 0; s < w->props.sm_count && !bad; s++) {
            any |= w->sm[s].n_resident > 0;
            bad = one_round(w, s);
        }
        dispatch(w);
    }
    locality_launch_end(w->out->locality);
    arena_free(w->arena);
    w->out->launches++;
    return bad;
}

int analyze_trace(struct trace_file *f, const struct analyze_opts *o, struct analysis *out, struct err *e)
{
    struct walk w = {.out = out, .err = e, .opts = o};
    *out = (struct analysis){0};
    if (gpu_props_load(o->machine ? o->machine : GPU_DEFAULT, o->set, o->n_set, o->with, &w.props, e))
        return -1;
    const struct locality_config c = {.n_sm = w.props.sm_count,
                                      .finite_bytes = o->finite_bytes,
                                      .finite_way = o->finite_way,
                                      .max_lines = o->max_lines};
    out->n_sm = w.props.sm_count;
    out->locality = locality_new(&c, e);
    if (!out->locality)
        return -1;
    file_streams_open(&w.from, f);
    int bad = 0;
    for (uint32_t i = 0; i < trace_n_launches(f) && !bad; i++)
        bad = walk_launch(&w, i);
    file_streams_close(&w.from);
    if (bad)
        analysis_free(out);
    return bad;
}

void analysis_free(struct analysis *a)
{
    locality_free(a->locality);
    *a = (struct analysis){0};
}
