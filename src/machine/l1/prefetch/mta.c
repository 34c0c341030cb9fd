/*
 * Many-thread aware prefetching, the hardware scheme (Lee, Lakshminarayana, Kim, Vuduc, MICRO 2010), as the CAPS study
 * uses it: intra-warp prefetching for loads that are iterated with a regular stride, inter-warp prefetching for the
 * others, into the L1 instead of a separate buffer.
 *
 * Three tables. PWS, by load and warp: the stride between iterations. GS, by load: a stride of PWS that `promote`
 * warps agree on, so that further warps need no training. IP, by load: the stride between warps, trained by `ip_train`
 * equal strides. A load is looked up in GS and IP; GS has priority; if neither has an entry, PWS decides. Distance and
 * degree are 1.
 *
 * The publication's throttle is an option: every `period` cycles the share of prefetches that were evicted early and
 * the share of merged requests determine how many prefetches are dropped. Constants that the available sources do not
 * give are parameters.
 */
#include "l1/prefetch/stride.h"
#include "l1/prefetch/load_tracker.h"

#include <string.h>

enum { GS_MAX = 32, LEVELS = 5, LEVEL_START = 2 };

struct mta_params {
    uint32_t pws_entries, gs_entries, ip_entries, promote, ip_train;
    bool throttle;
    uint32_t period;
};

struct gs_entry {
    uint32_t pc;
    int64_t stride;
    uint32_t warps; /* that agree in a row */
    uint64_t stamp; /* of the last use; 0 = empty */
};

struct mta {
    struct pf_tracker watch;
    struct mta_params p;
    struct stride_table pws, ip;
    struct gs_entry gs[GS_MAX];
    uint64_t stamp;
    /* throttle */
    uint64_t period_end;
    uint32_t level, turn; /* of LEVELS prefetches `level` are dropped */
    uint64_t used, early, accesses, merges;
    /* statistics */
    uint64_t by_gs, by_pws, by_ip, throttled;
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct mta *s = st;
    (void)e;
    s->p = *(const struct mta_params *)params;
    pf_tracker_init(&s->watch, host);
    stride_init(&s->pws, s->p.pws_entries, 0);
    stride_init(&s->ip, s->p.ip_entries, 0);
    s->level = LEVEL_START;
    return 0;
}

static struct gs_entry *find_gs(struct mta *s, uint32_t pc)
{
    for (uint32_t i = 0; i < s->p.gs_entries; i++)
        if (s->gs[i].stamp && s->gs[i].pc == pc)
            return &s->gs[i];
    return NULL;
}

/* A warp has a confident stride between its iterations. */
static void agree(struct mta *s, uint32_t pc, int64_t stride)
{
    struct gs_entry *g = find_gs(s, pc);
    if (!g) {
        g = &s->gs[0];
        for (uint32_t i = 1; i < s->p.gs_entries; i++)
            g = s->gs[i].stamp < g->stamp ? &s->gs[i] : g;
        *g = (struct gs_entry){.pc = pc, .stride = stride};
    }
    g->stamp = ++s->stamp;
    g->warps = g->stride == stride ? g->warps + 1 : 1;
    g->stride = stride;
}

/* At the end of a period: early evictions stop or throttle prefetching; merges show that it is useful. */
static void set_level(struct mta *s, uint64_t now)
{
    if (now < s->period_end)
        return;
    double early = s->used ? (double)s->early / (double)s->used : s->early ? 1 : 0;
    double merged = s->accesses ? (double)s->merges / (double)s->accesses : 0;
    if (s->period_end == 0)
        s->level = LEVEL_START;
    else if (early > 0.02)
        s->level = LEVELS;
    else if (early > 0.01)
        s->level += s->level < LEVELS;
    else if (merged > 0.15)
        s->level -= s->level > 0;
    else
        s->level = LEVELS;
    s->used = s->early = s->accesses = s->merges = 0;
    s->period_end = now + s->p.period;
}

static void prefetch(struct mta *s, const struct pf_exec *x, int64_t bytes, uint32_t warp, uint64_t *count)
{
    if (s->p.throttle) {
        s->turn = (s->turn + 1) % LEVELS;
        if (s->turn < s->level) {
            s->throttled++;
            return;
        }
    }
    ++*count;
    pf_prefetch_shifted(&s->watch, x, bytes, warp, x->cta);
}

/* Trains the three tables with an execution. Returns the warp's own stride if it is confident, or 0. */
static int64_t train(struct mta *s, const struct pf_exec *x, struct stride_entry **ip)
{
    bool is_new;
    struct stride_entry *own = stride_get(&s->pws, (uint64_t)x->pc << 16 | x->warp, &is_new);
    if (!is_new)
        stride_train(own, (int64_t)(x->byte - own->last));
    own->last = x->byte;
    if (own->confidence >= 2)
        agree(s, x->pc, own->stride);
    *ip = stride_get(&s->ip, x->pc, &is_new);
    int64_t warps = (int64_t)x->warp - (*ip)->warp, bytes = (int64_t)(x->byte - (*ip)->last);
    if (!is_new && warps != 0)
        stride_train(*ip, bytes % warps ? 0 : bytes / warps);
    (*ip)->last = x->byte;
    (*ip)->warp = x->warp;
    return own->confidence >= 2 ? own->stride : 0;
}

static void on_access(void *st, const struct l1_access *a)
{
    struct mta *s = st;
    if (s->p.throttle) {
        set_level(s, a->now);
        s->accesses++;
        s->merges += a->pending;
        s->used += a->entry >= 0 && s->watch.host->tags->flags[a->entry] & TAG_F_PREFETCHED;
    }
    const struct pf_exec *x = pf_tracker_line(&s->watch, a);
    if (!x || x->n > PF_LINES)
        return;
    struct stride_entry *ip;
    int64_t own = train(s, x, &ip);
    const struct gs_entry *gs = find_gs(s, x->pc);
    if (gs && gs->warps >= s->p.promote)
        prefetch(s, x, gs->stride, x->warp, &s->by_gs);
    else if (ip->confidence >= s->p.ip_train && !own)
        prefetch(s, x, ip->stride, (x->warp + 1) % s->watch.host->n_warp, &s->by_ip);
    else if (own)
        prefetch(s, x, own, x->warp, &s->by_pws);
}

static void on_evict(void *st, uint32_t entry, uint64_t line, bool unused_prefetch)
{
    struct mta *s = st;
    (void)entry, (void)line;
    s->early += unused_prefetch;
}

static void on_event(void *st, enum event kind, uint32_t slot, uint32_t argument)
{
    struct mta *s = st;
    (void)kind, (void)argument;
    for (uint32_t i = 0; i < s->p.pws_entries; i++)
        if ((s->pws.e[i].key & 0xffff) == slot)
            s->pws.e[i].stamp = 0;
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct mta *s = st;
    (void)launch_index;
    pf_tracker_kernel(&s->watch);
    memset(s->pws.e, 0, sizeof s->pws.e);
    memset(s->ip.e, 0, sizeof s->ip.e);
    memset(s->gs, 0, sizeof s->gs);
}

#define T struct mta_params
static const struct cfg_field params[] = {
    CFG_ROW(T, pws_entries, CFG_INT, "entries", "32", 1, STRIDE_ENTRIES, NULL, "loads of warps in the PWS table"),
    CFG_ROW(T, gs_entries, CFG_INT, "loads", "8", 1, GS_MAX, NULL, "loads in the GS table"),
    CFG_ROW(T, ip_entries, CFG_INT, "loads", "8", 1, STRIDE_ENTRIES, NULL, "loads in the IP table"),
    CFG_ROW(T, promote, CFG_INT, "times", "3", 1, 64, NULL,
            "number of warps that agree on a stride before it moves to the GS table"),
    CFG_ROW(T, ip_train, CFG_INT, "strides", "3", 1, STRIDE_MAX_CONFIDENCE, NULL,
            "equal strides between warps before IP prefetches"),
    CFG_ROW(T, throttle, CFG_BOOL, "", "no", 0, 1, NULL, "whether early evictions and merges throttle it"),
    CFG_ROW(T, period, CFG_INT, "cycles", "100000", 100, 100000000, NULL, "how long a throttle level holds"),
    CFG_END,
};
#define S struct mta
static const struct stat_def stats[] = {
    STAT_ROW(S, by_gs, "executions", "executions that prefetched by a stride that warps agree on"),
    STAT_ROW(S, by_pws, "executions", "executions that prefetched by the warp's own stride"),
    STAT_ROW(S, by_ip, "executions", "executions that prefetched for the next warp"),
    STAT_ROW(S, throttled, "executions", "executions that did not prefetch because it is throttled"),
    STAT_END,
};

const struct l1_prefetcher l1_prefetcher_mta = {
    .info = {.name = "mta",
             .doc = "Many-thread aware hardware prefetching: the next iteration for loads in loops, the next warp for "
                    "others (Lee et al., MICRO 2010). A comparator of the CAPS study.",
             .params = params,
             .params_bytes = sizeof(struct mta_params),
             .stats = stats,
             .load_columns = pf_load_columns,
             .report_loads = pf_report_loads},
    .state_bytes = sizeof(struct mta),
    .events = 1u << EVENT_WARP_START,
    .init = init,
    .on_access = on_access,
    .on_evict = on_evict,
    .on_event = on_event,
    .on_kernel = on_kernel,
};
