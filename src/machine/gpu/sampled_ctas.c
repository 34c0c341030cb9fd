/*
 * Sampling within a launch: waves of CTAs; see sampled.h.
 *
 * A wave is as many CTAs as the SMs hold; a window is the time in which so many end. The first window fills the machine
 * and its caches. Of the others the rates are watched, and once they have settled the dispatcher passes over CTAs, at
 * most so many that a last wave is left. In the window behind a gap CTAs from before it end, so it gives no rate; the
 * next one does, and either confirms the estimate, and the next gap is twice as long, or makes the simulation go on.
 */
#include "gpu/sampled.h"

#include "gpu/warm.h"

#include <math.h>

/* A launch of fewer waves cannot save enough; the first gap is this part of the waves. */
enum { WAVES_MIN = 8, FIRST_GAP = 6 };

/* A launch on its way. */
struct progress {
    uint64_t *insts; /* recorded before each CTA */
    uint64_t *last;  /* statistics at the end of the window before */
    uint64_t
        issued; /* warp instructions of the windows, and what was recorded of the CTAs that were handed out in them */
    uint64_t handed_out;
    uint64_t next; /* CTA at the end of the window before */
    uint64_t insts_before;
};

/* Warp instructions that the machine issues for one recorded instruction: not 1 where it runs scheduled code. */
static double issued_per_recorded(const struct gpu *g, const struct progress *p)
{
    return g->smc->code == SM_CODE_PTX || !p->handed_out ? 1 : (double)p->issued / (double)p->handed_out;
}

static void end_window(struct gpu *g, struct progress *p, bool cold)
{
    struct sampled_series *s = g->sampling->present;
    uint64_t *now = xmalloc(g->n_value * sizeof *now), *delta = xmalloc(g->n_value * sizeof *delta);
    gpu_read_stats(g, now);
    stats_delta(g->stats, now, p->last, delta);
    free(p->last);
    p->last = now;
    const uint64_t insts = gpu_warp_insts(g), next = dispatch_next(g->dispatch);
    if (!cold) {
        p->issued += insts - p->insts_before;
        p->handed_out += p->insts[next] - p->insts[p->next];
    }
    VEC_PUSH(&s->unit, (struct estimate_unit){.work = (double)(insts - p->insts_before), .cold = cold});
    VEC_PUSH(&s->value, delta);
    p->insts_before = insts;
    p->next = next;
}

/* Passes over `ctas` CTAs. */
static int pass_over(struct gpu *g, struct progress *p, uint64_t ctas, struct err *e)
{
    struct sampling *s = g->sampling;
    struct estimate_unit *u = &s->present->unit.p[s->present->unit.n - 1];
    const uint64_t insts = p->insts[p->next + ctas] - p->insts[p->next];
    u->gap = (double)insts * issued_per_recorded(g, p);
    u->gap_squares = u->gap * u->work;
    s->skipped_insts += insts;
    dispatch_skip(g->dispatch, ctas);
    const int bad = warm_ctas(g, s->file, s->launch, p->next, p->next + ctas, e);
    p->next += ctas;
    return bad;
}

/* CTAs to pass over now, whole clusters; 0 = the launch has not settled, or too few are left. */
static uint64_t choose_gap(const struct gpu *g, const struct progress *p, uint64_t ctas, uint64_t wave,
                           uint32_t cluster, uint64_t *gap)
{
    if (sampled_spread(g, g->sampling->present) > g->sampling->tolerance) {
        *gap = 0;
        return 0;
    }
    *gap = *gap ? 2 * *gap : ctas / FIRST_GAP;
    const uint64_t left = ctas - p->next, most = left > wave ? left - wave : 0;
    const uint64_t n = *gap < most ? *gap : most;
    return n - n % cluster;
}

enum gpu_end sampled_run(struct gpu *g, const struct trace_launch *l, uint32_t cluster, uint32_t per_sm, struct err *e)
{
    struct sampling *s = g->sampling;
    const uint64_t ctas = trace_ctas(l), wave = (uint64_t)per_sm * g->n_sm;
    if (ctas / wave < WAVES_MIN)
        return gpu_run(g, e);
    struct progress p = {.insts = xmalloc((ctas + 1) * sizeof *p.insts),
                         .last = xmalloc(g->n_value * sizeof *p.last),
                         .insts_before = gpu_warp_insts(g)};
    trace_insts_before(s->file, s->launch, p.insts);
    gpu_read_stats(g, p.last);
    s->present = xcalloc(1, sizeof *s->present);
    VEC_PUSH(&s->windows, s->present);
    enum gpu_end end = GPU_DONE;
    bool cold = true;
    uint64_t gap = 0;
    for (uint64_t ended = wave;; ended += wave) {
        dispatch_pause(g->dispatch, ended);
        end = gpu_run(g, e);
        if (end != GPU_DONE || !dispatch_running(g->dispatch))
            break;
        end_window(g, &p, cold);
        const bool was_cold = cold;
        cold = false;
        const uint64_t n = was_cold ? 0 : choose_gap(g, &p, ctas, wave, cluster, &gap);
        if (!n)
            continue;
        if (pass_over(g, &p, n, e)) {
            end = GPU_FAILED;
            break;
        }
        ended += n;
        cold = true;
    }
    free(p.insts);
    free(p.last);
    return end;
}

void sampled_extrapolate(const struct gpu *g, const struct trace_launch *l, uint64_t *value)
{
    const struct sampled_series *s = g->sampling->present;
    if (!s)
        return;
    double *weight = xmalloc(s->unit.n * sizeof *weight), gaps = 0;
    estimate_weights(s->unit.p, s->unit.n, weight);
    for (size_t k = 0; k < s->unit.n; k++)
        gaps += s->unit.p[k].gap;
    for (unsigned i = 0; i < g->n_value && gaps > 0; i++) {
        double sum = 0;
        const enum stat_kind kind = stats_name(g->stats, i)->def->kind;
        for (size_t k = 0; k < s->unit.n && (kind == STAT_COUNT || kind == STAT_HIST); k++)
            sum += weight[k] * (double)s->value.p[k][i];
        value[i] += (uint64_t)(sum + 0.5);
    }
    if (gaps > 0)
        sampled_set_known(g, l, value);
    free(weight);
}
