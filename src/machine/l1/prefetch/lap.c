/* Locality-aware prefetching under its own name, and what it shares with orch; see prefetch/lap.h. */
#include "l1/prefetch/lap.h"

#include <string.h>

int lap_init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct lap *s = st;
    (void)e;
    s->p = *(const struct lap_params *)params;
    pf_tracker_init(&s->watch, host);
    return 0;
}

static uint8_t *missed_of(struct lap *s, uint64_t block)
{
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < s->p.entries; i++) {
        if (s->e[i].stamp && s->e[i].block == block) {
            s->e[i].stamp = ++s->stamp;
            return &s->e[i].missed;
        }
        oldest = s->e[i].stamp < s->e[oldest].stamp ? i : oldest;
    }
    s->e[oldest].block = block;
    s->e[oldest].stamp = ++s->stamp;
    s->e[oldest].missed = 0;
    return &s->e[oldest].missed;
}

void lap_on_access(void *st, const struct l1_access *a)
{
    struct lap *s = st;
    const uint8_t all = (1u << LAP_BLOCK) - 1;
    pf_tracker_line(&s->watch, a);
    if (a->hit || a->pending)
        return;
    uint64_t block = a->line / LAP_BLOCK;
    uint8_t *missed = missed_of(s, block);
    if (*missed == all)
        return;
    *missed |= (uint8_t)(1u << a->line % LAP_BLOCK);
    if ((uint32_t)__builtin_popcount(*missed) < s->p.misses)
        return;
    s->macro_blocks++;
    for (uint32_t i = 0; i < LAP_BLOCK; i++)
        if (!(*missed >> i & 1))
            pf_prefetch(&s->watch, (block * LAP_BLOCK + i) * s->watch.host->line_size, a->req->pc, a->req->warp,
                        a->req->cta);
    *missed = all;
}

void lap_on_kernel(void *st, uint32_t launch_index)
{
    struct lap *s = st;
    (void)launch_index;
    pf_tracker_kernel(&s->watch);
    memset(s->e, 0, sizeof s->e);
}

#define T struct lap_params
const struct cfg_field lap_param_fields[] = {
    CFG_ROW(T, entries, CFG_INT, "blocks", "64", 1, LAP_ENTRIES, NULL, "macro-blocks in the table"),
    CFG_ROW(T, misses, CFG_INT, "lines", "2", 1, LAP_BLOCK, NULL,
            "missed lines of a block that trigger a prefetch of the others"),
    CFG_END,
};
#undef T
const struct stat_def lap_stats[] = {STAT_ROW(struct lap, macro_blocks, "blocks", "macro-blocks that were prefetched"),
                                     STAT_END};

const struct l1_prefetcher l1_prefetcher_lap = {
    .info = {.name = "lap",
             .doc = "Locality-aware prefetching: two missed lines of a block of four prefetch the others (Jog et al., "
                    "ISCA 2013). A comparator of the CAPS study.",
             LAP_INFO},
    LAP_HOOKS,
};
