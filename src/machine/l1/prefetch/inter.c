/*
 * Inter-warp stride prefetching: predicts the loads of later warps from the stride between warps (CAPS, IPDPS 2018,
 * sections I and III-B).
 *
 * Per load: the last warp that executed it, its address, and the stride per warp between the last two. Warps are
 * numbered by their slots in the SM, and the prefetcher does not know CTA boundaries: a prediction across one is wrong
 * wherever the CTAs' base addresses are not one stride apart. CAPS addresses this weakness.
 *
 * Every prediction is compared with the address of the predicted warp when it executes the same load: inter.accuracy
 * and inter.lead_time over `distance` are the study's Figure 1.
 */
#include "l1/prefetch/stride.h"
#include "l1/prefetch/load_tracker.h"

#include <string.h>

enum { ENTRIES = 32 };

struct inter_params {
    uint32_t entries, confidence, distance, degree;
    bool per_warp_stride;
};

struct inter {
    struct pf_tracker watch;
    struct inter_params p;
    struct stride_table table;
    struct {
        uint64_t line, at; /* line + 1; 0 = nothing is predicted */
        uint32_t pc;
    } predicted[ENTRIES][PF_WARPS];
    uint64_t predictions, checked, correct, lead_time_sum;
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct inter *s = st;
    (void)e;
    s->p = *(const struct inter_params *)params;
    pf_tracker_init(&s->watch, host);
    stride_init(&s->table, s->p.entries, 0);
    return 0;
}

static uint64_t line_of(const struct inter *s, uint64_t addr)
{
    return addr / s->watch.host->line_size;
}

/* Compares the prediction for this execution with its actual address. */
static void compare(struct inter *s, uint32_t entry, const struct pf_exec *x, uint64_t now)
{
    uint64_t *line = &s->predicted[entry][x->warp].line;
    if (*line && s->predicted[entry][x->warp].pc == x->pc) {
        s->checked++;
        s->correct += *line - 1 == line_of(s, x->addr[0]);
        s->lead_time_sum += now - s->predicted[entry][x->warp].at;
    }
    *line = 0;
}

static void predict(struct inter *s, const struct stride_entry *e, const struct pf_exec *x, uint64_t now)
{
    uint32_t n_warp = s->watch.host->n_warp, entry = (uint32_t)(e - s->table.e);
    for (uint32_t d = s->p.distance; d < s->p.distance + s->p.degree; d++) {
        uint32_t warp = (x->warp + d) % n_warp;
        int64_t bytes = e->stride * (int64_t)d;
        pf_prefetch_shifted(&s->watch, x, bytes, warp, x->cta);
        s->predictions++;
        if (warp >= PF_WARPS)
            continue;
        s->predicted[entry][warp].line = line_of(s, x->byte + (uint64_t)bytes) + 1;
        s->predicted[entry][warp].at = now;
        s->predicted[entry][warp].pc = x->pc;
    }
}

static void on_access(void *st, const struct l1_access *a)
{
    struct inter *s = st;
    const struct pf_exec *x = pf_tracker_line(&s->watch, a);
    if (!x || x->n > PF_LINES)
        return;
    bool is_new;
    struct stride_entry *e = stride_get(&s->table, x->pc, &is_new);
    compare(s, (uint32_t)(e - s->table.e), x, a->now);
    int64_t warps = (int64_t)x->warp - e->warp, bytes = (int64_t)(x->byte - e->last);
    if (!is_new && warps != 0) {
        /* No whole stride: none. */
        if (s->p.per_warp_stride)
            bytes = bytes % warps ? 0 : bytes / warps;
        stride_train(e, bytes);
    }
    e->last = x->byte;
    e->warp = x->warp;
    if (e->confidence >= s->p.confidence)
        predict(s, e, x, a->now);
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct inter *s = st;
    (void)launch_index;
    pf_tracker_kernel(&s->watch);
    memset(s->table.e, 0, sizeof s->table.e);
    memset(s->predicted, 0, sizeof s->predicted);
}

#define T struct inter_params
static const struct cfg_field params[] = {
    CFG_ROW(T, entries, CFG_INT, "loads", "32", 1, ENTRIES, NULL, "loads in the table"),
    CFG_ROW(T, confidence, CFG_INT, "strides", "2", 1, STRIDE_MAX_CONFIDENCE, NULL,
            "equal strides in a row before it prefetches"),
    CFG_ROW(T, distance, CFG_INT, "warps", "1", 1, 63, NULL, "how many warps ahead the first prefetch is"),
    CFG_ROW(T, degree, CFG_INT, "warps", "1", 1, 16, NULL, "warps prefetched for, from there on"),
    CFG_ROW(T, per_warp_stride, CFG_BOOL, "", "yes", 0, 1, NULL,
            "the stride is per warp: the difference of addresses over that of warps; no: the plain difference"),
    CFG_END,
};
#define S struct inter
static const struct stat_def stats[] = {
    STAT_ROW(S, predictions, "predictions", "addresses predicted for other warps"),
    STAT_ROW(S, checked, "predictions", "of these: predictions checked when the warp executed the load"),
    STAT_ROW(S, correct, "predictions", "of these, correct"),
    STAT_ROW(S, lead_time_sum, "cycles", "from the predictions to the loads they were compared with"),
    STAT_QUOTIENT("accuracy", "", "inter.correct", "inter.checked", "correct predictions / compared predictions"),
    STAT_QUOTIENT("lead_time", "cycles", "inter.lead_time_sum", "inter.checked",
                  "mean cycles from a prediction to the load it is compared with"),
    STAT_END,
};

const struct l1_prefetcher l1_prefetcher_inter = {
    .info = {.name = "inter",
             .doc = "Inter-warp stride prefetching: a load of one warp prefetches for the following warps, across CTA "
                    "boundaries. A comparator of the CAPS study.",
             .params = params,
             .params_bytes = sizeof(struct inter_params),
             .stats = stats,
             .load_columns = pf_load_columns,
             .report_loads = pf_report_loads},
    .state_bytes = sizeof(struct inter),
    .init = init,
    .on_access = on_access,
    .on_kernel = on_kernel,
};
