/*
 * Next-line prefetching: a load that misses prefetches the next line (CAPS, IPDPS 2018, section III-C). It has no
 * table and does not distinguish warps or loads.
 */
#include "l1/prefetch/load_tracker.h"

struct nlp_params {
    uint32_t degree;
};

struct nlp {
    struct pf_tracker watch;
    uint32_t degree;
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct nlp *s = st;
    (void)e;
    pf_tracker_init(&s->watch, host);
    s->degree = ((const struct nlp_params *)params)->degree;
    return 0;
}

static void on_access(void *st, const struct l1_access *a)
{
    struct nlp *s = st;
    pf_tracker_line(&s->watch, a);
    if (a->hit || a->pending)
        return;
    for (uint32_t d = 1; d <= s->degree; d++)
        pf_prefetch(&s->watch, a->req->addr + (uint64_t)d * s->watch.host->line_size, a->req->pc, a->req->warp,
                    a->req->cta);
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct nlp *s = st;
    (void)launch_index;
    pf_tracker_kernel(&s->watch);
}

static const struct cfg_field params[] = {
    CFG_ROW(struct nlp_params, degree, CFG_INT, "lines", "1", 1, 8, NULL, "lines prefetched by a miss"), CFG_END};

const struct l1_prefetcher l1_prefetcher_nlp = {
    .info = {.name = "nlp",
             .doc =
                 "Next-line prefetching: a load that misses prefetches the next line. A comparator of the CAPS study.",
             .params = params,
             .params_bytes = sizeof(struct nlp_params),
             .load_columns = pf_load_columns,
             .report_loads = pf_report_loads},
    .state_bytes = sizeof(struct nlp),
    .init = init,
    .on_access = on_access,
    .on_kernel = on_kernel,
};
