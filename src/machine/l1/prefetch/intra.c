/*
 * Intra-warp stride prefetching: predicts a warp's loads in the next iterations of its loop (CAPS, IPDPS 2018, section
 * III-A; the classic reference prediction table, Baer and Chen 1991, with the warp as part of the key).
 *
 * Two equal strides in a row between the addresses of one load in one warp make a prediction. Sizes and confidence are
 * those of a public baseline (64 entries, 4 ways); the study gives none. A load of more than four lines is not
 * prefetched.
 */
#include "l1/prefetch/stride.h"
#include "l1/prefetch/load_tracker.h"

#include <string.h>

struct intra_params {
    uint32_t entries, assoc, confidence, degree;
};

struct intra {
    struct pf_tracker watch;
    struct intra_params p;
    struct stride_table table;
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct intra *s = st;
    (void)e;
    s->p = *(const struct intra_params *)params;
    pf_tracker_init(&s->watch, host);
    stride_init(&s->table, s->p.entries, s->p.assoc);
    return 0;
}

static void on_access(void *st, const struct l1_access *a)
{
    struct intra *s = st;
    const struct pf_exec *x = pf_tracker_line(&s->watch, a);
    if (!x || x->n > PF_LINES)
        return;
    bool is_new;
    struct stride_entry *e = stride_get(&s->table, (uint64_t)x->pc << 16 | x->warp, &is_new);
    if (!is_new)
        stride_train(e, (int64_t)(x->byte - e->last));
    e->last = x->byte;
    if (e->confidence >= s->p.confidence)
        for (uint32_t d = 1; d <= s->p.degree; d++)
            pf_prefetch_shifted(&s->watch, x, e->stride * (int64_t)d, x->warp, x->cta);
}

/* Another warp in the slot: its addresses are its own. */
static void on_event(void *st, enum event kind, uint32_t slot, uint32_t argument)
{
    struct intra *s = st;
    (void)kind, (void)argument;
    for (uint32_t i = 0; i < s->p.entries; i++)
        if ((s->table.e[i].key & 0xffff) == slot)
            s->table.e[i].stamp = 0;
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct intra *s = st;
    (void)launch_index;
    pf_tracker_kernel(&s->watch);
    memset(s->table.e, 0, sizeof s->table.e);
}

static int check(const struct cfg *c, const void *params, struct err *e)
{
    const struct intra_params *p = params;
    if (p->entries % p->assoc)
        return cfg_fault(c, "intra.assoc", e, "%u entries (intra.entries) cannot be divided into sets of %u",
                         p->entries, p->assoc);
    return 0;
}

#define T struct intra_params
static const struct cfg_field params[] = {
    CFG_ROW(T, entries, CFG_INT, "entries", "64", 1, STRIDE_ENTRIES, NULL, "loads of warps in the table"),
    CFG_ROW(T, assoc, CFG_INT, "ways", "4", 1, STRIDE_ENTRIES, NULL, "its associativity; least recently used"),
    CFG_ROW(T, confidence, CFG_INT, "strides", "2", 1, STRIDE_MAX_CONFIDENCE, NULL,
            "equal strides in a row before it prefetches"),
    CFG_ROW(T, degree, CFG_INT, "iterations", "1", 1, 8, NULL, "iterations prefetched ahead"),
    CFG_END,
};

const struct l1_prefetcher l1_prefetcher_intra = {
    .info = {.name = "intra",
             .doc = "Intra-warp stride prefetching: the next iteration of a load in a loop, for the same warp. A "
                    "comparator of the CAPS study.",
             .params = params,
             .params_bytes = sizeof(struct intra_params),
             .check = check,
             .load_columns = pf_load_columns,
             .report_loads = pf_report_loads},
    .state_bytes = sizeof(struct intra),
    .events = 1u << EVENT_WARP_START,
    .init = init,
    .on_access = on_access,
    .on_event = on_event,
    .on_kernel = on_kernel,
};
