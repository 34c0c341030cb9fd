/*
 * Protection by a static distance (PD-N in the APCM study, section 6.5; the protecting distance policy of Duong et al.,
 * MICRO 2012, with the distance fixed): a line is not replaced before the cache has seen `distance` loads after it.
 *
 * A line is protected when it is fetched ("kept until access count for the cache exceeds the defined reuse distance
 * after the cache line is allocated"). Every load counts, whether it hits, misses or bypasses. The victim is the least
 * recently used line that is not protected; when all are, the load bypasses the cache (the bypassing variant of PDP).
 * Ways reserved for lines in flight are never victims, so a set in which all are reserved causes a stall, as without
 * this policy.
 *
 * PDP itself counts the loads of the line's set (pd.count_scope = set) and renews protection at each hit (pd.renew_on_hit = yes).
 * What happens when all lines are protected is also a parameter, because the study does not say. Distances are exact;
 * PDP's coarse counters (one step per 2^n accesses) and its dynamic choice of the distance are not implemented.
 */
#include "l1/policy.h"

enum pd_count { PD_COUNT_SET, PD_COUNT_CACHE };

struct pd_params {
    uint32_t distance, count_scope;
    bool renew_on_hit, bypass;
};

struct pd_line {
    uint64_t line;  /* line number + 1 for which ... */
    uint64_t until; /* ... the protection ends at this count */
    uint64_t seen;  /* of a set's first way: loads of the set; of the cache's first: of the cache */
};

struct pd {
    struct pd_params p;
    const struct tags *tags;
    struct pd_line *at; /* side array */
    uint64_t protected_hits, unprotected_hits, protected_evictions;
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct pd *s = st;
    (void)e;
    s->p = *(const struct pd_params *)params;
    s->tags = host->tags;
    s->at = host->line_state;
    return 0;
}

/* The count that determines the protection of a set's lines. */
static uint64_t *clock_of(const struct pd *s, uint32_t set)
{
    return &s->at[s->p.count_scope == PD_COUNT_SET ? set * s->tags->n_way : 0].seen;
}

static bool is_protected(const struct pd *s, uint32_t entry)
{
    return s->at[entry].until > *clock_of(s, entry / s->tags->n_way);
}

static void protect(struct pd *s, uint32_t entry, uint64_t line)
{
    s->at[entry].line = line + 1;
    s->at[entry].until = *clock_of(s, entry / s->tags->n_way) + s->p.distance;
}

static enum l1_decision decide(void *st, struct l1_access *a)
{
    ++*clock_of(st, a->set);
    return L1_NORMAL;
}

static void on_hit(void *st, const struct l1_access *a)
{
    struct pd *s = st;
    if (a->entry < 0)
        return;
    uint32_t entry = (uint32_t)a->entry;
    /* The count includes this load, which does not exceed the distance yet. */
    if (s->at[entry].until + 1 > *clock_of(s, a->set))
        s->protected_hits++;
    else
        s->unprotected_hits++;
    if (s->p.renew_on_hit)
        protect(s, entry, a->line);
}

static void on_miss(void *st, const struct l1_access *a, bool allocated)
{
    (void)allocated;
    if (a->entry >= 0)
        protect(st, (uint32_t)a->entry, a->line);
}

static void on_fill(void *st, const struct req *r, uint32_t entry)
{
    struct pd *s = st;
    uint64_t line = r->addr >> s->tags->line_shift;
    if (s->at[entry].line != line + 1) /* its entry was allocated only now */
        protect(s, entry, line);
}

static uint32_t victim(void *st, const struct l1_access *a, uint64_t candidates)
{
    const struct pd *s = st;
    uint32_t base = a->set * s->tags->n_way, oldest = L1_NO_VICTIM, forced = L1_NO_VICTIM;
    for (uint64_t left = candidates; left; left &= left - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(left), e = base + w;
        if (!is_protected(s, e)) {
            if (oldest == L1_NO_VICTIM || s->tags->used[e] < s->tags->used[base + oldest])
                oldest = w;
        } else if (forced == L1_NO_VICTIM) {
            forced = w;
        } else {
            /* PDP without bypassing: an unused line before a reused one, then the line with the longest protection. */
            bool reused = s->tags->flags[e] & TAG_F_REUSED, worst = s->tags->flags[base + forced] & TAG_F_REUSED;
            if (reused != worst ? worst : s->at[e].until > s->at[base + forced].until)
                forced = w;
        }
    }
    return oldest != L1_NO_VICTIM || s->p.bypass ? oldest : forced;
}

static void on_evict(void *st, uint32_t entry, uint64_t line, bool reused)
{
    struct pd *s = st;
    (void)line, (void)reused;
    s->protected_evictions += is_protected(s, entry);
    s->at[entry].line = 0;
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct pd *s = st;
    (void)launch_index;
    for (uint32_t e = 0; e < tags_entries(s->tags); e++) /* the cache may have been flushed without evictions */
        if (s->tags->line[e] == TAG_NONE)
            s->at[e].line = 0;
}

#define T struct pd_params
static const struct cfg_field params[] = {
    CFG_ROW(T, distance, CFG_INT, "loads", "16", 1, 65536, NULL,
            "N: loads after which a line that was not used again may be replaced"),
    CFG_ROW(T, count_scope, CFG_ENUM, "", "cache", 0, 0, "set cache",
            "whose loads are counted: those of the line's set (PDP), or all of the cache's (the APCM study)"),
    CFG_ROW(T, renew_on_hit, CFG_BOOL, "", "no", 0, 1, NULL, "a hit renews the line's protection"),
    CFG_ROW(T, bypass, CFG_BOOL, "", "yes", 0, 1, NULL,
            "when every line of a set is protected a load bypasses the cache; no: one of them is replaced"),
    CFG_END,
};
static const struct stat_def stats[] = {
    STAT_ROW(struct pd, protected_hits, "requests", "hits and merges on protected lines"),
    STAT_ROW(struct pd, unprotected_hits, "requests", "hits on lines whose protection had expired"),
    STAT_ROW(struct pd, protected_evictions, "lines", "protected lines that were evicted or invalidated anyway"),
    STAT_END,
};

const struct l1_management l1_management_pd = {
    .info = {.name = "pd",
             .doc =
                 "Protects every line for pd.distance loads of the cache (PD-N). Loads that find all lines protected "
                 "bypass the cache (Duong et al., MICRO 2012, with a static distance; APCM study, section 6.5).",
             .params = params,
             .params_bytes = sizeof(struct pd_params),
             .stats = stats},
    .state_bytes = sizeof(struct pd),
    .line_state_bytes = sizeof(struct pd_line),
    .init = init,
    .decide = decide,
    .victim = victim,
    .on_hit = on_hit,
    .on_miss = on_miss,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_kernel = on_kernel,
};
