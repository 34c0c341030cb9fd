/* The CTA-aware prefetcher under its own name, and what it shares with caps; see prefetch/cap.h. */
#include "l1/prefetch/cap.h"

#include "l1/l1_config.h"

#include <string.h>

int cap_init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct cap *s = st;
    (void)e;
    s->p = *(const struct cap_params *)params;
    pf_tracker_init(&s->watch, host);
    return 0;
}

/* ---- the tables ---- */

static struct cap_base *find_base(struct cap *s, uint32_t cta, uint32_t pc)
{
    for (uint32_t i = 0; i < s->p.cta_entries; i++)
        if (s->cta[cta].e[i].n && s->cta[cta].e[i].pc == pc)
            return &s->cta[cta].e[i];
    return NULL;
}

static struct cap_dist *find_dist(struct cap *s, uint32_t pc)
{
    for (uint32_t i = 0; i < s->p.dist_entries; i++)
        if (s->dist[i].valid && s->dist[i].pc == pc)
            return &s->dist[i];
    return NULL;
}

static void set_base(struct cap *s, struct cap_base *b, const struct pf_exec *x)
{
    b->pc = x->pc;
    b->lead = x->warp;
    b->n = x->n;
    memcpy(b->addr, x->addr, sizeof b->addr);
    b->updated = ++s->stamp;
}

/* An entry in the CTA's table: an empty one, or that of the least recently updated load. */
static struct cap_base *new_base(struct cap *s, uint32_t cta)
{
    struct cap_base *e = s->cta[cta].e, *oldest = e;
    for (uint32_t i = 0; i < s->p.cta_entries; i++) {
        if (!e[i].n)
            return &e[i];
        oldest = e[i].updated < oldest->updated ? &e[i] : oldest;
    }
    s->percta_evictions++;
    return oldest;
}

/* Does DIST have room for a new load? */
static bool is_selecting(const struct cap *s)
{
    if (s->p.replace_dist)
        return true;
    for (uint32_t i = 0; i < s->p.dist_entries; i++)
        if (!s->dist[i].valid)
            return true;
    return false;
}

static struct cap_dist *new_dist(struct cap *s)
{
    struct cap_dist *oldest = s->dist;
    for (uint32_t i = 0; i < s->p.dist_entries; i++) {
        if (!s->dist[i].valid)
            return &s->dist[i];
        oldest = s->dist[i].updated < oldest->updated ? &s->dist[i] : oldest;
    }
    s->dist_evictions++;
    return oldest;
}

/* The record for reports about a load; NULL when there are too many loads. */
static __typeof__(&((struct cap *)0)->load[0]) load_of(struct cap *s, uint32_t pc)
{
    const struct pf_load *l = pf_tracker_load(&s->watch, pc);
    return l ? &s->load[l - s->watch.load] : NULL;
}

static void set_state(struct cap *s, uint32_t pc, enum cap_state state)
{
    if (load_of(s, pc))
        load_of(s, pc)->state = (uint8_t)state;
}

/* ---- predictions ---- */

static uint64_t predicted(const struct cap_base *b, const struct cap_dist *d, uint32_t warp, uint32_t i)
{
    return b->addr[i] + (uint64_t)(d->stride * ((int64_t)warp - b->lead));
}

/* Prefetches for every warp of the CTA except the leading one. */
static void prefetch_cta(struct cap *s, uint32_t cta, const struct cap_base *b, const struct cap_dist *d,
                         uint64_t *count)
{
    if (d->mispredictions > s->p.max_mispredictions) {
        s->throttled++;
        set_state(s, b->pc, CAP_MISPREDICTED);
        return;
    }
    set_state(s, b->pc, CAP_PREFETCHED);
    uint32_t first = s->cta[cta].first_warp;
    for (uint32_t warp = first; warp < first + s->cta[cta].n_warp; warp++) {
        if (warp == b->lead)
            continue;
        for (uint32_t i = 0; i < b->n; i++, ++*count)
            pf_prefetch(&s->watch, predicted(b, d, warp, i), b->pc, warp, cta);
    }
}

/* The stride per warp between the base and a trailing warp's lines, if all lines have the same. */
static bool find_stride(const struct cap_base *b, const struct pf_exec *x, int64_t *stride)
{
    int64_t warps = (int64_t)x->warp - b->lead, bytes = (int64_t)(x->addr[0] - b->addr[0]);
    if (x->n != b->n || bytes % warps)
        return false;
    for (uint32_t i = 1; i < x->n; i++)
        if ((int64_t)(x->addr[i] - b->addr[i]) != bytes)
            return false;
    *stride = bytes / warps;
    return true;
}

/* A trailing warp, and the load's stride is not known. */
static void learn_stride(struct cap *s, struct cap_base *b, const struct pf_exec *x)
{
    int64_t stride;
    if (!find_stride(b, x, &stride)) {
        b->n = 0;
        s->percta_invalidated++;
        set_state(s, x->pc, CAP_IRREGULAR);
        return;
    }
    if (stride == 0) {
        set_state(s, x->pc, CAP_STRIDE_0);
        return;
    }
    s->strides_found++;
    struct cap_dist *d = new_dist(s);
    *d = (struct cap_dist){.pc = x->pc, .valid = true, .stride = stride, .updated = ++s->stamp};
    if (load_of(s, x->pc))
        load_of(s, x->pc)->stride = stride;
    set_state(s, x->pc, CAP_STRIDE);
    for (uint32_t cta = 0; cta < CAP_CTAS; cta++) {
        const struct cap_base *other = cta != x->cta && s->cta[cta].n_warp ? find_base(s, cta, x->pc) : NULL;
        if (other)
            prefetch_cta(s, cta, other, d, &s->by_stride);
    }
}

/* Verifies the prediction for a trailing warp. */
static void verify(struct cap *s, const struct cap_base *b, struct cap_dist *d, const struct pf_exec *x)
{
    const uint64_t line = s->watch.host->line_size;
    bool right = x->n == b->n;
    for (uint32_t i = 0; right && i < x->n; i++)
        right = predicted(b, d, x->warp, i) / line == x->addr[i] / line;
    s->verified++;
    if (right)
        return;
    s->mispredicted++;
    if (load_of(s, x->pc))
        load_of(s, x->pc)->mispredictions++;
    d->mispredictions += d->mispredictions < 255; /* a byte */
    d->updated = ++s->stamp;
}

/* The leading warp of a CTA: the first to execute the load, or the same again. */
static void lead(struct cap *s, struct cap_base *b, const struct cap_dist *d, const struct pf_exec *x)
{
    if (b) {
        if (!s->p.update_bases || (b->n == x->n && !memcmp(b->addr, x->addr, x->n * sizeof *x->addr)))
            return;
        s->bases_updated++;
    } else {
        b = new_base(s, x->cta);
        s->bases_registered++;
    }
    if (load_of(s, x->pc))
        load_of(s, x->pc)->bases++;
    set_base(s, b, x);
    if (d)
        prefetch_cta(s, x->cta, b, d, &s->by_leader);
}

/* Prefetches that wait for a warp which has caught up with the leading warp come too late. */
static void drop_overtaken(struct cap *s, const struct cap_base *b, const struct pf_exec *x)
{
    __typeof__(&s->load[0]) l = load_of(s, x->pc);
    if (!l || !s->p.drop)
        return;
    l->runs[x->warp]++;
    if (b && b->lead != x->warp && l->runs[x->warp] >= l->runs[b->lead])
        l1_prefetch_overtaken(s->watch.host, x->pc, x->warp);
}

void cap_on_access(void *st, const struct l1_access *a)
{
    struct cap *s = st;
    const struct pf_exec *x = pf_tracker_line(&s->watch, a);
    if (!x || x->cta >= CAP_CTAS || !s->cta[x->cta].n_warp)
        return;
    s->executions++;
    if (x->indirect && !s->p.allow_indirect) {
        s->indirect++;
        set_state(s, x->pc, CAP_INDIRECT);
        return;
    }
    struct cap_base *b = find_base(s, x->cta, x->pc);
    drop_overtaken(s, b, x);
    struct cap_dist *d = find_dist(s, x->pc);
    bool trailing = b && b->lead != x->warp;
    if (trailing && d) {
        verify(s, b, d, x);
    } else if (x->n > s->p.max_lines) {
        s->uncoalesced++;
        set_state(s, x->pc, CAP_LINES);
        if (b)
            b->n = 0;
    } else if (!d && !is_selecting(s)) {
        s->dist_full++;
        set_state(s, x->pc, CAP_DIST_FULL);
    } else if (trailing) {
        learn_stride(s, b, x);
    } else {
        lead(s, b, d, x);
    }
}

/* Tells the scheduler for which warp a line has arrived. */
void cap_on_fill(void *st, const struct req *r, uint32_t entry)
{
    struct cap *s = st;
    (void)entry;
    if (r->flags & REQ_F_PREFETCH)
        l1_notify_sm(s->watch.host, EVENT_PREFETCH_ARRIVED, r->warp, r->pc);
}

void cap_on_event(void *st, enum event kind, uint32_t slot, uint32_t argument)
{
    struct cap *s = st;
    if (slot >= CAP_CTAS)
        return;
    memset(&s->cta[slot], 0, sizeof s->cta[slot]);
    if (kind == EVENT_CTA_START) {
        s->cta[slot].first_warp = argument & 0xffff;
        s->cta[slot].n_warp = argument >> 16;
        for (uint32_t i = 0; i < s->watch.n_load; i++)
            memset(&s->load[i].runs[argument & 0xffff], 0, (argument >> 16) * sizeof s->load[i].runs[0]);
    }
}

/* Another kernel has other loads: a pc counts from the kernel's first instruction. */
void cap_on_kernel(void *st, uint32_t launch_index)
{
    struct cap *s = st;
    (void)launch_index;
    pf_tracker_kernel(&s->watch);
    memset(s->cta, 0, sizeof s->cta);
    memset(s->dist, 0, sizeof s->dist);
    memset(s->load, 0, sizeof s->load);
}

/* ---- reports ---- */

enum { STATE, STRIDE = STATE + 1, BASES, MISPREDICTED, OWN };
const struct load_column cap_load_columns[] = {
    [STATE] = {"state", "state", "", LOAD_TEXT, "prefetch state of the load", NULL, false},
    [STRIDE] = {"stride", "stride", "bytes", LOAD_MAX, "between consecutive warps (absolute value)", NULL, false},
    [BASES] = {"bases", "bases", "times", LOAD_SUM, "base addresses registered or renewed by leading warps", NULL,
               false},
    [MISPREDICTED] = {"mispredictions", "mispred", "warps", LOAD_SUM,
                      "executions whose lines were not the predicted ones", NULL, false},
    PF_COLUMNS,
    LOAD_COLUMN_END};

static const char *const state_name[CAP_STATES] = {
    [CAP_UNKNOWN] = "one warp",    [CAP_INDIRECT] = "indirect",         [CAP_LINES] = "over 4 lines",
    [CAP_IRREGULAR] = "irregular", [CAP_DIST_FULL] = "not selected",    [CAP_STRIDE] = "stride only",
    [CAP_STRIDE_0] = "stride 0",   [CAP_MISPREDICTED] = "mispredicted", [CAP_PREFETCHED] = "prefetched",
};

void cap_report_loads(const void *st, load_row *row, void *ctx)
{
    const struct cap *s = st;
    for (uint32_t i = 0; i < s->watch.n_load; i++) {
        int64_t stride = s->load[i].stride;
        struct load_value v[OWN + PF_COLUMN_COUNT] = {
            [STATE] = LOAD_WORD(state_name[s->load[i].state]),
            [BASES] = LOAD_NUMBER(s->load[i].bases),
            [MISPREDICTED] = LOAD_NUMBER(s->load[i].mispredictions),
        };
        if (stride)
            v[STRIDE] = LOAD_NUMBER((uint64_t)(stride < 0 ? -stride : stride));
        pf_columns(&s->watch.load[i], v + OWN);
        row(ctx, s->watch.load[i].pc, v);
    }
}

static void find_ctas(void *ctx, const struct cfg_value *v)
{
    if (!strcmp(v->key, "sm.max_ctas"))
        *(uint32_t *)ctx = (uint32_t)strtoul(v->text, NULL, 10);
}

/* Tables I and II of the paper: 32-bit addresses and pcs, a byte for a warp id and for the mispredictions. */
unsigned cap_cost(const struct cfg *c, const void *params, struct policy_cost out[POLICY_COSTS])
{
    const struct cap_params *p = params;
    uint32_t ctas = 0;
    cfg_each(c, find_ctas, &ctas);
    out[0] = (struct policy_cost){"DIST",
                                  "pc, stride, mispredictions",
                                  32 + 32 + 8,
                                  p->dist_entries,
                                  72,
                                  4,
                                  .side_by_side = p->dist_entries,
                                  .reads = ".executions",
                                  .writes = ".strides_found + .mispredicted"};
    out[1] = (struct policy_cost){"PerCTA",
                                  "pc, leading warp id, base addresses",
                                  32 + 8 + 32 * p->max_lines,
                                  p->cta_entries * ctas,
                                  168,
                                  32,
                                  .reads = ".executions",
                                  .writes = ".bases_registered + .bases_updated"};
    return 2;
}

#define T struct cap_params
const struct cfg_field cap_param_fields[] = {
    CFG_ROW(T, cta_entries, CFG_INT, "loads", "4", 1, CAP_ENTRIES, NULL, "entries of a PerCTA table"),
    CFG_ROW(T, dist_entries, CFG_INT, "loads", "4", 1, CAP_ENTRIES, NULL, "entries of the DIST table"),
    CFG_ROW(T, max_lines, CFG_INT, "lines", "4", 1, PF_LINES, NULL,
            "base addresses of an entry: loads with more lines are not prefetched"),
    CFG_ROW(T, max_mispredictions, CFG_INT, "mispredictions", "128", 0, 255, NULL,
            "mispredictions above which a load is not prefetched"),
    CFG_ROW(T, allow_indirect, CFG_BOOL, "", "no", 0, 1, NULL,
            "whether to prefetch for loads whose address depends on loaded data"),
    CFG_ROW(T, update_bases, CFG_BOOL, "", "yes", 0, 1, NULL,
            "whether the leading warp renews its base addresses, and prefetches, when it executes a load again"),
    CFG_ROW(T, drop, CFG_BOOL, "", "yes", 0, 1, NULL,
            "whether a queued prefetch is dropped when its warp executes the load before it is sent"),
    CFG_ROW(T, replace_dist, CFG_BOOL, "", "no", 0, 1, NULL,
            "a load may replace the least recently updated entry of a full DIST table"),
    CFG_END,
};
#undef T

#define S struct cap
const struct stat_def cap_stats[] = {
    STAT_ROW(S, executions, "warps", "executions of loads of global memory by warps"),
    STAT_ROW(S, indirect, "warps", "of these: skipped because the address depends on loaded data"),
    STAT_ROW(S, uncoalesced, "warps", "of these: skipped because of too many lines"),
    STAT_ROW(S, dist_full, "warps", "of these: skipped because the DIST table is full"),
    STAT_ROW(S, bases_registered, "times", "base addresses registered in a PerCTA table"),
    STAT_ROW(S, bases_updated, "times", "base addresses renewed by a leading warp that executed the load again"),
    STAT_ROW(S, percta_evictions, "times", "entries of PerCTA tables replaced by another load"),
    STAT_ROW(S, strides_found, "times", "strides found"),
    STAT_ROW(S, percta_invalidated, "times", "entries of PerCTA tables made invalid: no single stride"),
    STAT_ROW(S, dist_evictions, "times", "entries of the DIST table replaced by another load"),
    STAT_ROW(S, verified, "warps", "executions compared with a prediction"),
    STAT_ROW(S, mispredicted, "warps", "of these, mispredicted"),
    STAT_ROW(S, throttled, "times", "prefetches suppressed because of too many mispredictions"),
    STAT_ROW(S, by_stride, "lines", "prefetches when a stride was found, for CTAs whose base was known (Figure 9a)"),
    STAT_ROW(S, by_leader, "lines", "prefetches when a base was registered and the stride was known (Figure 9b)"),
    STAT_END,
};
#undef S

const struct l1_prefetcher l1_prefetcher_cap = {
    .info = {.name = "cap",
             .doc =
                 "CTA-aware prefetching: the stride between a CTA's warps and the base address of each CTA predict "
                 "what its other warps load (Koo et al., CAPS, IPDPS 2018). The prefetcher's half of caps, for other "
                 "schedulers.",
             CAP_INFO},
    CAP_HOOKS,
};
