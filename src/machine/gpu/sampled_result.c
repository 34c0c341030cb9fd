/* The values of skipped launches, and the intervals of all statistics; see sampled.h. */
#include "gpu/sampled.h"

#include <math.h>

static bool is_summed(const struct gpu *g, unsigned i)
{
    const enum stat_kind kind = stats_name(g->stats, i)->def->kind;
    return kind == STAT_COUNT || kind == STAT_HIST;
}

/* A skipped launch has the rates of the units before and after it. */
static void fill(struct gpu *g, const struct sampled_skipped *x)
{
    const struct sampled_series *s = &g->sampling->stratum.p[x->stratum].series;
    struct gpu_kernel_result *r = &g->kernel.p[x->kernel];
    double *weight = xcalloc(s->unit.n, sizeof *weight), *sum = xcalloc(g->n_value, sizeof *sum);
    estimate_gap(s->unit.p, s->unit.n, x->unit, x->work, weight);
    for (size_t k = 0; k < s->unit.n; k++)
        for (unsigned i = 0; i < g->n_value && weight[k] > 0; i++)
            sum[i] += weight[k] * (double)s->value.p[k][i];
    for (unsigned i = 0; i < g->n_value; i++)
        r->value[i] = is_summed(g, i) ? (uint64_t)(sum[i] + 0.5) : 0;
    sampled_set_known(g, &r->shape, r->value);
    free(weight);
    free(sum);
}

/* A series with its weights, for the variances of many statistics. */
struct weighted {
    const struct sampled_series *series;
    double *weight, *value;
    double times; /* what the variance counts in the total: the windows of a launch that represents others count more */
};
typedef VEC(struct weighted) weighted_vec;

static double *add_series(weighted_vec *all, const struct sampled_series *s, double times)
{
    struct weighted w = {.series = s,
                         .weight = xcalloc(s->unit.n + 1, sizeof *w.weight),
                         .value = xcalloc(s->unit.n + 1, sizeof *w.value),
                         .times = times};
    estimate_weights(s->unit.p, s->unit.n, w.weight);
    VEC_PUSH(all, w);
    return w.weight;
}

/* A ratio's residuals: their sum's variance is the ratio's, linearized. */
struct ratio {
    double of, den;
};

static double value_of(const struct gpu *g, const uint64_t *value, unsigned i, const struct ratio *r)
{
    if (!r)
        return (double)value[i];
    double num, den;
    stats_ratio_parts(g->stats, value, i, &num, &den);
    return (num - r->of * den) / r->den;
}

static double half_width(const struct gpu *g, const weighted_vec *all, unsigned i, const struct ratio *r)
{
    struct estimate_variance sum = {0, INFINITY};
    for (size_t k = 0; k < all->n; k++) {
        const struct weighted *w = &all->p[k];
        for (size_t u = 0; u < w->series->unit.n; u++)
            w->value[u] = value_of(g, w->series->value.p[u], i, r);
        struct estimate_variance v = estimate_variance(w->series->unit.p, w->series->unit.n, w->weight, w->value);
        v.variance *= w->times;
        sum = estimate_add(sum, v);
    }
    return estimate_half_width(sum);
}

static void find_intervals(struct gpu *g)
{
    struct sampling *s = g->sampling;
    const struct gpu_results *r = gpu_get_results(g);
    weighted_vec all = {0};
    for (size_t i = 0; i < s->stratum.n; i++) {
        const struct sampled_stratum *t = &s->stratum.p[i];
        const double *weight = add_series(&all, &t->series, 1);
        for (size_t k = 0; k < t->windows.n; k++)
            if (t->windows.p[k])
                add_series(&all, s->windows.p[t->windows.p[k] - 1], (1 + weight[k]) * (1 + weight[k]));
    }
    for (unsigned i = 0; i < g->n_value; i++) {
        if (is_summed(g, i)) {
            s->half[i] = half_width(g, &all, i, NULL);
        } else if (stats_name(g->stats, i)->def->kind == STAT_RATIO) {
            double num, den;
            stats_ratio_parts(g->stats, r->total, i, &num, &den);
            s->half[i] = den ? half_width(g, &all, i, &(struct ratio){num / den, den}) : 0;
        }
    }
    for (size_t i = 0; i < all.n; i++) {
        free(all.p[i].weight);
        free(all.p[i].value);
    }
    VEC_FREE(&all);
}

void sampled_conclude(struct gpu *g)
{
    struct sampling *s = g->sampling;
    for (size_t i = 0; i < s->skipped.n; i++)
        fill(g, &s->skipped.p[i]);
    uint64_t cycle = 0;
    for (size_t i = 0; i < g->kernel.n; i++) {
        g->kernel.p[i].start_cycle = cycle;
        cycle += g->kernel.p[i].value[s->cycles];
    }
    g->estimated_cycles = cycle;
    s->half = xcalloc(g->n_value, sizeof *s->half);
    find_intervals(g);
    s->told.error = s->error;
    s->told.launches = s->n_launch;
    s->told.share = s->all_insts ? 1 - (double)s->skipped_insts / (double)s->all_insts : 1;
    s->told.half = s->half;
}
