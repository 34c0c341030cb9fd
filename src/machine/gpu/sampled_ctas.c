/*
 * Sampling within a launch: waves of CTAs; see sampled.h.
 *
 * A wave is as many CTAs as the SMs hold; a window is the time in which so many end, or several waves. The first window
 * fills the SMs and gives no rate. Nor do others in which the L2 is filled for the first time, until the launch has
 * brought in as many lines as it holds, if at its present rate it will: write-backs begin only then. Of the others the
 * rates are watched, and once they have settled the dispatcher passes over CTAs, at most so many that a last wave is
 * left. In the windows behind a gap CTAs from before it end, so they give no rate; the next ones do, and either confirm
 * the estimate, and the next gap is twice as long, or make the simulation continue.
 *
 * The L2 is not warmed here: lines of CTAs from before the gap are to it what those of CTAs within it would have been,
 * and lines put in at once would displace those that running CTAs still use.
 */
#include "gpu/sampled.h"

#include <math.h>

/* A launch of fewer waves cannot save enough; the first gap is this part of the waves. */
enum { WAVES_MIN = 8, FIRST_GAP = 6 };
/* Windows that must agree where earlier ones do not. */
enum { AGREE = 4 };
/*
 * A window is so many waves that it takes these cycles and is this part of the launch at least: queues to DRAM fill and
 * empty in thousands of cycles, and so long after a gap the rates swing.
 */
enum { WINDOW_CYCLES = 5000, SWING_CYCLES = 8000, WINDOWS_MAX = 128 };

/* A launch on its way. */
struct progress {
    uint64_t ctas;
    uint64_t *insts; /* recorded before each CTA */
    /* At the end of the window before: statistics, warp instructions issued, the next CTA, lines in the L2. */
    uint64_t *last;
    uint64_t insts_before, next, l2_lines;
    /* Of the windows that give rates: warp instructions issued, and those recorded of the CTAs that began. */
    uint64_t issued, began;
    uint64_t l2_brought; /* lines, by the launch */
    bool l2_turned_over;
};

/* Warp instructions that the machine issues for one recorded instruction: not 1 where it runs scheduled code. */
static double issued_per_recorded(const struct gpu *g, const struct progress *p)
{
    return g->smc->code == SM_CODE_PTX || !p->began ? 1 : (double)p->issued / (double)p->began;
}

/* Lines in all slices. */
static uint64_t l2_sum(const struct gpu *g, uint32_t (*of)(const struct l2 *))
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < g->n_slice; i++)
        sum += of(g->l2[i]);
    return sum;
}

/* Is the L2 still being filled with the launch's lines, and will be? `delta`: statistics of the window. */
static bool fills_l2(const struct gpu *g, struct progress *p, const uint64_t *delta, double insts, double insts_left)
{
    if (p->l2_turned_over)
        return false;
    const int evictions = stats_find(g->stats, "l2.evictions");
    const uint64_t room = l2_sum(g, l2_capacity_lines), lines = l2_sum(g, l2_lines);
    const uint64_t brought = (evictions < 0 ? 0 : delta[evictions]) + lines - p->l2_lines;
    p->l2_lines = lines;
    p->l2_brought += brought;
    p->l2_turned_over = p->l2_brought >= room;
    return p->l2_turned_over || (double)p->l2_brought + (double)brought * insts_left / insts >= (double)room;
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
    const double left = (double)(p->insts[p->ctas] - p->insts[next]);
    cold |= fills_l2(g, p, delta, (double)(insts - p->insts_before), left);
    if (!cold) {
        p->issued += insts - p->insts_before;
        p->began += p->insts[next] - p->insts[p->next];
    }
    VEC_PUSH(&s->unit, (struct estimate_unit){.work = (double)(insts - p->insts_before), .cold = cold});
    VEC_PUSH(&s->value, delta);
    p->insts_before = insts;
    p->next = next;
}

/* Passes over `ctas` CTAs. */
static void pass_over(struct gpu *g, struct progress *p, uint64_t ctas)
{
    struct sampling *s = g->sampling;
    struct estimate_unit *u = &s->present->unit.p[s->present->unit.n - 1];
    const uint64_t insts = p->insts[p->next + ctas] - p->insts[p->next];
    u->gap = (double)insts * issued_per_recorded(g, p);
    u->gap_squares = u->gap * u->work;
    s->skipped_insts += insts;
    dispatch_skip(g->dispatch, ctas);
    p->next += ctas;
}

/*
 * Have the rates settled? Before the first gap the first units may still be on their way: those without which the others
 * agree give no rate.
 */
static bool settled(struct gpu *g)
{
    struct sampled_series *s = g->sampling->present;
    const size_t n = s->unit.n;
    size_t first = 0;
    bool gaps = false;
    for (size_t k = 0; k < n; k++) {
        gaps |= s->unit.p[k].gap > 0;
        first = s->unit.p[k].cold && !gaps ? k + 1 : first;
    }
    if (sampled_spread(g, s, 0) <= g->sampling->tolerance)
        return true;
    for (size_t from = first + 1; !gaps && from + AGREE <= n; from++)
        if (sampled_spread(g, s, from) <= g->sampling->tolerance) {
            for (size_t k = first; k < from; k++)
                s->unit.p[k].cold = true;
            return true;
        }
    return false;
}

/*
 * CTAs to pass over now; 0 = the launch has not settled, or too few are left. Whole waves, so that the last one is as full
 * as it is without gaps, and whole clusters.
 */
static uint64_t choose_gap(struct gpu *g, const struct progress *p, uint64_t ctas, uint64_t wave, uint32_t cluster,
                           uint64_t *gap)
{
    const struct sampled_series *s = g->sampling->present;
    const size_t units = s->unit.n;
    const bool single = units > 1 && s->unit.p[units - 2].cold; /* one window tells no swing from a settled rate */
    const bool agree = settled(g);
    if (single || !agree) {
        *gap = agree ? *gap : 0;
        return 0;
    }
    *gap = *gap ? 2 * *gap : ctas / FIRST_GAP;
    const uint64_t left = ctas - p->next, most = left > wave ? left - wave : 0;
    uint64_t n = *gap < most ? *gap : most;
    n -= n % wave;
    return n - n % cluster;
}

/* The CTAs of a window: whole waves. `cycles`: of the first wave. */
static uint64_t window_ctas(uint64_t ctas, uint64_t wave, uint64_t cycles)
{
    const uint64_t by_time = 1 + WINDOW_CYCLES / (cycles ? cycles : 1), by_part = 1 + ctas / wave / WINDOWS_MAX;
    return wave * (by_time > by_part ? by_time : by_part);
}

enum gpu_end sampled_run(struct gpu *g, const struct trace_launch *l, uint32_t cluster, uint32_t per_sm, struct err *e)
{
    struct sampling *s = g->sampling;
    const uint64_t ctas = trace_ctas(l), wave = (uint64_t)per_sm * g->n_sm;
    if (ctas / wave < WAVES_MIN)
        return gpu_run(g, e);
    struct progress p = {.ctas = ctas,
                         .l2_lines = l2_sum(g, l2_lines),
                         .l2_turned_over =
                             s->told.launches_simulated && l2_sum(g, l2_lines) == l2_sum(g, l2_capacity_lines),
                         .insts = xmalloc((ctas + 1) * sizeof *p.insts),
                         .last = xmalloc(g->n_value * sizeof *p.last),
                         .insts_before = gpu_warp_insts(g)};
    trace_insts_before(s->file, s->launch, p.insts);
    gpu_read_stats(g, p.last);
    s->present = xcalloc(1, sizeof *s->present);
    VEC_PUSH(&s->windows, s->present);
    enum gpu_end end = GPU_DONE;
    const uint64_t start = engine_cycle(g->eng, CLK_CORE);
    uint64_t gap = 0, window = wave, window_start = start, cold_until = start + 1;
    for (uint64_t ended = wave;; ended += window) {
        dispatch_pause(g->dispatch, ended);
        end = gpu_run(g, e);
        if (end != GPU_DONE || !dispatch_running(g->dispatch))
            break;
        const uint64_t now = engine_cycle(g->eng, CLK_CORE);
        end_window(g, &p, window_start < cold_until);
        window_start = now;
        if (ended == wave)
            window = window_ctas(ctas, wave, now - start);
        const size_t units = s->present->unit.n;
        const uint64_t n = s->present->unit.p[units - 1].cold ? 0 : choose_gap(g, &p, ctas, wave, cluster, &gap);
        if (!n)
            continue;
        pass_over(g, &p, n);
        ended += n;
        cold_until = now + SWING_CYCLES;
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
