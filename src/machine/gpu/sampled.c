/* Which launches are simulated; see sampled.h. */
#include "gpu/sampled.h"

#include "gpu/file_streams.h"
#include "gpu/warm.h"

#include <math.h>
#include <string.h>

/* Launches of a stratum that represent it at least, in equal distances, and how many more than the error a stratum may
 * be wrong by, however small it is. */
enum { PARTS = 8, TOLERANCE_MAX = 5 };
/* Classes of a logarithmic scale, for each doubling: of instructions, of stream bytes per instruction. */
enum { INST_CLASSES = 4, BYTE_CLASSES = 2 };

struct sampling *sampling_new(struct gpu *g, double error)
{
    struct sampling *s = xcalloc(1, sizeof *s);
    s->error = error;
    s->cycles = (unsigned)stats_find(g->stats, "cycles");
    return s;
}

static void free_series(struct sampled_series *s)
{
    VEC_FREE(&s->unit);
    VEC_FREE(&s->value);
}

void sampling_free(struct sampling *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->stratum.n; i++) { /* its values are the launches' */
        free_series(&s->stratum.p[i].series);
        VEC_FREE(&s->stratum.p[i].windows);
    }
    for (size_t i = 0; i < s->windows.n; i++) {
        for (size_t k = 0; k < s->windows.p[i]->value.n; k++)
            free(s->windows.p[i]->value.p[k]);
        free_series(s->windows.p[i]);
        free(s->windows.p[i]);
    }
    VEC_FREE(&s->stratum);
    VEC_FREE(&s->windows);
    VEC_FREE(&s->skipped);
    free(s->stratum_of);
    free(s->half);
    free(s);
}

double sampled_spread(const struct gpu *g, const struct sampled_series *s, size_t from)
{
    double *cycles = xmalloc(s->unit.n * sizeof *cycles);
    for (size_t k = 0; k < s->unit.n; k++)
        cycles[k] = (double)s->value.p[k][g->sampling->cycles];
    const double spread = estimate_spread(s->unit.p + from, s->unit.n - from, cycles + from);
    free(cycles);
    return spread;
}

void sampled_set_known(const struct gpu *g, const struct trace_launch *l, uint64_t *value)
{
    const int launches = stats_find(g->stats, "launches"), ctas = stats_find(g->stats, "sm.ctas");
    if (launches >= 0)
        value[launches] = 1;
    if (ctas >= 0)
        value[ctas] = trace_ctas(l);
}

/* ---- strata ---- */

static int class_of(double x, int per_doubling)
{
    return x > 0 ? (int)floor(log2(x) * per_doubling) : INT32_MIN;
}

static bool same_kind(const struct trace_launch *a, const struct trace_launch *b)
{
    return a->kernel == b->kernel && !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) && a->smem_dynamic_bytes == b->smem_dynamic_bytes &&
           a->cluster_ctas == b->cluster_ctas;
}

static void stratify(struct sampling *s)
{
    struct kind {
        uint32_t first; /* a launch of it */
        int insts, bytes;
    };
    VEC(struct kind) kind = {0};
    s->stratum_of = xcalloc(s->n_launch, sizeof *s->stratum_of);
    for (uint32_t i = 0; i < s->n_launch; i++) {
        const struct trace_launch *l = trace_get_launch(s->file, i);
        const double insts = (double)trace_launch_insts(s->file, i);
        const struct kind k = {i, class_of(insts, INST_CLASSES),
                               class_of((double)trace_launch_unpacked_bytes(s->file, i) / insts, BYTE_CLASSES)};
        size_t at = 0;
        while (at < kind.n && !(kind.p[at].insts == k.insts && kind.p[at].bytes == k.bytes &&
                                same_kind(trace_get_launch(s->file, kind.p[at].first), l)))
            at++;
        if (at == kind.n) {
            VEC_PUSH(&kind, k);
            VEC_PUSH(&s->stratum, (struct sampled_stratum){0});
        }
        s->stratum_of[i] = (uint32_t)at;
        s->stratum.p[at].launches++;
        s->stratum.p[at].work += insts;
        s->all_insts += trace_launch_insts(s->file, i);
    }
    VEC_FREE(&kind);
}

/* ---- launches ---- */

static double tolerance_of(const struct sampling *s, const struct sampled_stratum *t)
{
    const double share = t->work / (double)s->all_insts;
    return s->error * fmin(1 / sqrt(share), TOLERANCE_MAX);
}

/* After a unit: how many launches of the stratum are skipped now. The last one is always simulated. */
static void choose_gap(const struct gpu *g, struct sampled_stratum *t)
{
    const uint32_t left = t->launches - t->seen, most = t->launches / PARTS;
    if (sampled_spread(g, &t->series, 0) > g->sampling->tolerance) {
        t->gap = 0;
        return;
    }
    t->gap = t->gap ? 2 * t->gap : 1;
    t->gap = t->gap < most ? t->gap : most;
    t->skip = left > 1 && t->gap > left - 1 ? left - 1 : left ? t->gap : 0;
}

static enum gpu_end simulate(struct gpu *g, struct file_streams *from, struct sampled_stratum *t,
                             const struct trace_launch *l, struct err *e)
{
    struct sampling *s = g->sampling;
    const uint64_t skipped = s->skipped_insts;
    file_streams_launch(from, s->launch);
    s->present = NULL;
    s->tolerance = tolerance_of(s, t);
    const enum gpu_end end = gpu_launch(g, trace_get_kernel(s->file, l->kernel), l, &from->streams.sm, e);
    if (end != GPU_DONE)
        return end;
    const double insts = (double)trace_launch_insts(s->file, s->launch);
    struct gpu_kernel_result *r = &g->kernel.p[g->kernel.n - 1];
    r->simulated = insts > 0 ? 1 - (double)(s->skipped_insts - skipped) / insts : 1;
    VEC_PUSH(&t->series.unit, (struct estimate_unit){.work = insts, .cold = t->seen == 0});
    VEC_PUSH(&t->series.value, r->value);
    VEC_PUSH(&t->windows, s->present ? s->windows.n : 0);
    s->told.launches_whole += s->skipped_insts == skipped;
    s->told.launches_simulated++;
    t->seen++;
    choose_gap(g, t);
    return GPU_DONE;
}

static enum gpu_end skip(struct gpu *g, struct sampled_stratum *t, const struct trace_launch *l, struct err *e)
{
    struct sampling *s = g->sampling;
    const uint64_t insts = trace_launch_insts(s->file, s->launch);
    if (gpu_skip_launch(g, trace_get_kernel(s->file, l->kernel), l, e) ||
        warm_ctas(g, s->file, s->launch, 0, trace_ctas(l), e))
        return GPU_FAILED;
    struct estimate_unit *u = &t->series.unit.p[t->series.unit.n - 1];
    u->gap += (double)insts;
    u->gap_squares += (double)insts * (double)insts;
    VEC_PUSH(&s->skipped, (struct sampled_skipped){.kernel = g->kernel.n - 1,
                                                   .stratum = (uint32_t)(t - s->stratum.p),
                                                   .unit = t->series.unit.n - 1,
                                                   .work = (double)insts});
    s->skipped_insts += insts;
    t->seen++;
    t->skip--;
    return g->poll && g->poll(g->poll_ctx, engine_cycle(g->eng, CLK_CORE), gpu_warp_insts(g) + s->skipped_insts)
               ? GPU_INTERRUPTED
               : GPU_DONE;
}

enum gpu_end sampled_replay(struct gpu *g, struct trace_file *file, uint32_t launches, struct err *e)
{
    struct sampling *s = g->sampling;
    struct file_streams from;
    enum gpu_end end = GPU_DONE;
    s->file = file;
    s->n_launch = launches < trace_n_launches(file) ? launches : trace_n_launches(file);
    stratify(s);
    file_streams_open(&from, file);
    for (uint64_t i = 0, done = 0; i < trace_n_events(file) && end == GPU_DONE && done < s->n_launch; i++) {
        const struct trace_event *ev = trace_get_event(file, i);
        g->has_streams |= ev->ordered || ev->early;
        if (ev->kind != TRACE_EV_LAUNCH) {
            gpu_event(g, ev);
            continue;
        }
        s->launch = ev->index;
        struct sampled_stratum *t = &s->stratum.p[s->stratum_of[s->launch]];
        const struct trace_launch *l = trace_get_launch(file, s->launch);
        end = t->skip ? skip(g, t, l, e) : simulate(g, &from, t, l, e);
        done++;
    }
    if (end == GPU_FAILED && from.failed && e)
        *e = from.err;
    file_streams_close(&from);
    sampled_conclude(g);
    return end;
}
