/*
 * Access Pattern-aware Cache Management, as an L1 management policy (Koo et al., ISCA 2017, sections 4 and 5).
 *
 * One warp of each kernel is monitored: the monitor tag array tracks the lines that its loads fetch, and its counts
 * show how each static load's lines are reused. Loads whose lines are used once bypass the L1 and its MSHRs; loads
 * whose lines the warp itself reuses pin them until the warp has executed the last load that uses them, or has left
 * the loop. Where every way of a set is pinned by a warp whose protection is still active, a load bypasses the cache.
 *
 * The path of a load: decide (LAT, MTA, CAIT: the verdict) -> victim (pinned ways are left out) -> on_miss (pins,
 * sets the PSB) or on_hit (counts) or on_all_protected; then a last load resets the PSB. At the end of a launch
 * protection ends and the MTA is cleared; decisions are kept for the kernel's next launch.
 *
 * docs/papers/apcm.md lists what the paper leaves open and the choices made. Not modeled: the tables' ports. Loads of
 * other SMs that an L1 organization sends here count as accesses, but are neither bypassed nor pinned.
 */
#include "l1/management/apcm/apcm.h"

static const uint64_t held_bound[APCM_HELD_BOUNDS] = {100, 1000, 10000, 100000}; /* cycles */

static uint64_t now(const struct apcm *s)
{
    return l1_now(s->host);
}

/* The method for the load's lines, under the chosen mode. */
static enum apcm_method method_of(const struct apcm *s, uint8_t id)
{
    if (id == APCM_NONE || !s->cait[id].valid)
        return APCM_NORMAL;
    enum apcm_method m = (enum apcm_method)s->cait[id].method;
    bool off =
        (m == APCM_BYPASS && s->p.mode == APCM_PROTECT_ONLY) || (m == APCM_PROTECT && s->p.mode == APCM_BYPASS_ONLY);
    return off ? APCM_NORMAL : m;
}

/* ---- monitoring ---- */

static void update_cait(struct apcm *s, const struct apcm_mta_entry *m, uint64_t *why)
{
    if (apcm_cait_update(s->cait, m, now(s))) {
        ++*why;
        s->s.classified[s->cait[m->first].type]++;
    } else {
        s->s.update_superseded++;
    }
}

/*
 * The monitored warp's line is already in the L1, and its accesses so far are known. The paper attributes it to
 * another warp. It may be the warp's own line, which the MTA has dropped or lost in a conflict.
 */
static bool has_count(const struct apcm *s, const struct apcm_line *l, const struct l1_access *a, uint8_t id)
{
    if (l->line != a->line + 1 || method_of(s, id) == APCM_BYPASS) /* bypassed loads do not look up the L1 */
        return false;
    return s->p.inherit_counts == APCM_COUNTS_ALL ||
           (s->p.inherit_counts == APCM_COUNTS_OTHERS && l->warp != a->req->warp);
}

static void monitor(struct apcm *s, const struct l1_access *a, uint8_t id, bool own)
{
    if (own && a->req->nth >= s->p.mta_requests) {
        s->s.mta_dropped++;
        return;
    }
    struct apcm_mta_entry *m = apcm_mta_find(&s->mta, a->line);
    if (m) {
        apcm_mta_hit(&s->mta, m, own, id);
        ++*(own ? &s->s.mta_own_hits : &s->s.mta_other_hits);
        if (m->accesses > s->p.threshold)
            update_cait(s, m, &s->s.update_threshold);
        return;
    }
    if (!own)
        return;
    m = apcm_mta_place(&s->mta, a->line);
    if (m->valid) {
        s->s.mta_conflicts++;
        update_cait(s, m, &s->s.update_conflict);
    }
    const struct apcm_line *l = a->entry >= 0 ? &s->line[a->entry] : NULL;
    bool known = l && has_count(s, l, a, id);
    s->s.mta_fills++;
    s->s.mta_from_l1 += known;
    apcm_mta_fill(&s->mta, m, a->line, id, known ? l->accesses + 1u : 1); /* this access is one more */
}

static bool is_monitored(struct apcm *s, const struct req *r)
{
    if (s->monitored == APCM_NOT_YET && (s->p.monitored_warp == APCM_MONITOR_FIRST || r->warp == 0)) {
        s->monitored = r->warp;
        s->s.monitored++;
    }
    return s->monitored == r->warp;
}

static void end_monitoring(struct apcm *s)
{
    for (uint32_t i = 0; i < s->p.mta_entries; i++) {
        if (s->mta.e[i].valid)
            update_cait(s, &s->mta.e[i], &s->s.update_exit);
        s->mta.e[i].valid = false;
    }
    s->monitored = APCM_OVER;
}

/* ---- protection ---- */

static void release(struct apcm *s, struct apcm_psb_entry *p, uint64_t *why)
{
    if (!p->set)
        return;
    p->set = false;
    s->s.psb_cycles += now(s) - p->since;
    stat_hist_add(s->s.psb_duration, held_bound, APCM_HELD_BOUNDS, now(s) - p->since);
    ++*why;
}

static bool is_ours(const struct apcm *s, const struct req *r)
{
    return r->sm == s->host->sm && r->space == REQ_SP_GLOBAL && !(r->flags & REQ_F_PREFETCH);
}

/* Whether the way is protected, by a distance that has not expired or by a warp's active protection. */
static bool protects(const struct apcm *s, const struct apcm_line *l)
{
    return l->pinned && (s->p.protect_distance ? l->until > s->seen : s->psb[l->warp].set);
}

/* An access has been accepted. If it was the last of the load that ends its warp's protection, protection ends. */
static void executed(struct apcm *s, const struct req *r)
{
    struct apcm_psb_entry *p = &s->psb[r->warp];
    if (is_ours(s, r) && p->set && !p->loop && r->flags & REQ_F_LAST && p->last == apcm_lat_id(&s->lat, r->pc))
        release(s, p, &s->s.psb_by_load);
}

/* Sets the fields of a line that `r` has just allocated. */
static void new_line(struct apcm *s, const struct req *r, uint64_t line, uint32_t entry)
{
    struct apcm_line *l = &s->line[entry];
    *l = (struct apcm_line){.line = line + 1, .accesses = !(r->flags & REQ_F_PREFETCH), .warp = (uint8_t)r->warp};
    if (!is_ours(s, r))
        return;
    uint8_t id = apcm_lat_id(&s->lat, r->pc);
    if (method_of(s, id) != APCM_PROTECT)
        return;
    if (s->p.protect_distance) {
        l->until = s->seen + s->p.protect_distance;
    } else {
        const struct apcm_cait_entry *c = &s->cait[id];
        struct apcm_psb_entry *p = &s->psb[r->warp];
        if (!apcm_psb_admits(p, id, c->last)) {
            s->s.skipped++;
            return;
        }
        if (!p->set) {
            *p = (struct apcm_psb_entry){
                .set = true, .loop = c->last == id, .last = c->last, .loop_id = r->loop, .since = now(s)};
            s->s.psb_set++;
        }
    }
    l->pinned = true;
    l->load = id;
    s->s.pinned++;
    s->load[id].pinned++;
}

/* ---- hooks ---- */

static enum l1_decision decide(void *st, struct l1_access *a)
{
    struct apcm *s = st;
    const struct req *r = a->req;
    s->s.accesses++;
    s->seen++;
    if (!is_ours(s, r)) {
        s->s.untracked++;
        return L1_NORMAL;
    }
    uint64_t known = s->lat.given;
    uint8_t id = apcm_lat_id(&s->lat, r->pc);
    if (id == APCM_NONE) {
        s->s.untracked++;
        return L1_NORMAL;
    }
    if (s->lat.given != known) {
        s->s.loads++;
        s->cait[id] = (struct apcm_cait_entry){0}; /* of the load that had this id, if there was one */
    }
    s->load[id].accesses++;
    monitor(s, a, id, is_monitored(s, r));

    enum apcm_method method = method_of(s, id);
    ++*(s->cait[id].valid ? &s->s.by_method[method] : &s->s.undecided);
    if (method != APCM_BYPASS)
        return L1_NORMAL;
    s->s.bypasses++;
    s->load[id].bypassed++;
    executed(s, r);
    return L1_BYPASS;
}

static uint32_t victim(void *st, const struct l1_access *a, uint64_t candidates)
{
    const struct apcm *s = st;
    const struct tags *t = s->host->tags;
    uint32_t best = L1_NO_VICTIM;
    uint64_t oldest = UINT64_MAX;
    for (; candidates; candidates &= candidates - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(candidates), e = a->set * t->n_way + way;
        const struct apcm_line *l = &s->line[e];
        if (protects(s, l) && !(s->p.replace_own && l->warp == a->req->warp))
            continue;
        if (t->used[e] < oldest) {
            oldest = t->used[e];
            best = way;
        }
    }
    return best;
}

static void on_all_protected(void *st, const struct l1_access *a)
{
    struct apcm *s = st;
    executed(s, a->req);
    s->s.all_protected++;
    uint8_t id = is_ours(s, a->req) ? apcm_lat_id(&s->lat, a->req->pc) : APCM_NONE;
    if (id != APCM_NONE)
        s->load[id].all_protected++;
}

/* A line that was used before is used again. */
static void count_use(struct apcm *s, struct apcm_line *l)
{
    if (l->accesses < s->mta.max)
        l->accesses++;
    if (protects(s, l)) {
        s->s.pinned_hits++;
        s->load[l->load].pinned_hits++;
    }
}

static void on_hit(void *st, const struct l1_access *a)
{
    struct apcm *s = st;
    s->s.hits++;
    if (a->entry >= 0) /* otherwise it merged with a fetch that is not allocated */
        count_use(s, &s->line[a->entry]);
    executed(s, a->req);
}

static void on_miss(void *st, const struct l1_access *a, bool allocated)
{
    struct apcm *s = st;
    if (allocated && s->line[a->entry].line != a->line + 1)
        new_line(s, a->req, a->line, (uint32_t)a->entry);
    else if (allocated && s->line[a->entry].accesses < s->mta.max)
        s->line[a->entry].accesses++; /* another sector of a present line */
    executed(s, a->req);
}

/* Only where lines are allocated on arrival (l1.allocate = on-fill), or by a merged request. */
static void on_fill(void *st, const struct req *r, uint32_t entry)
{
    struct apcm *s = st;
    uint64_t line = s->host->tags->line[entry];
    if (s->line[entry].line != line + 1)
        new_line(s, r, line, entry);
}

/* An eviction resets the protection bits of its set whose warps no longer protect (Figure 11d). */
static void reset_ended(struct apcm *s, uint32_t set)
{
    const struct tags *t = s->host->tags;
    for (uint64_t m = tags_candidates(t, set); m; m &= m - 1) {
        struct apcm_line *l = &s->line[set * t->n_way + (uint32_t)__builtin_ctzll(m)];
        if (l->pinned && !protects(s, l)) {
            l->pinned = false;
            s->s.expired++;
        }
    }
}

static void on_evict(void *st, uint32_t entry, uint64_t line, bool reused)
{
    struct apcm *s = st;
    (void)line, (void)reused;
    reset_ended(s, entry / s->host->tags->n_way);
    s->line[entry] = (struct apcm_line){0};
}

static void on_event(void *st, enum event kind, uint32_t slot, uint32_t argument)
{
    struct apcm *s = st;
    struct apcm_psb_entry *p = &s->psb[slot];
    if (kind == EVENT_LOOP_EXIT) {
        if (p->loop && p->loop_id == argument)
            release(s, p, &s->s.psb_by_loop);
        return;
    }
    /* The end of a warp, or the beginning of its successor: a load that nobody waited for may have been in between. */
    release(s, p, &s->s.psb_by_exit);
    if (s->monitored == (int)slot)
        end_monitoring(s);
}

static void on_kernel(void *st, uint32_t launch_index)
{
    struct apcm *s = st;
    const struct tags *t = s->host->tags;
    (void)launch_index;
    for (uint32_t w = 0; w < s->host->n_warp; w++)
        release(s, &s->psb[w], &s->s.psb_by_exit);
    for (uint32_t e = 0; e < tags_entries(t); e++) {
        s->line[e].pinned = false;
        if (t->line[e] == TAG_NONE) /* the cache may have been flushed without evictions */
            s->line[e] = (struct apcm_line){0};
    }
    if (s->p.decision_lifetime == APCM_KEEP_LAUNCH) {
        memset(s->cait, 0, sizeof s->cait);
        s->lat.n = 0;
    }
    memset(s->load, 0, sizeof s->load);
    memset(s->mta.e, 0, s->p.mta_entries * sizeof *s->mta.e);
    s->lat.kernel = s->host->kernel;
    s->mta.stamp = 0;
    s->monitored = APCM_NOT_YET;
    s->kernel_start = now(s);
}

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    struct apcm *s = st;
    s->p = *(const struct apcm_params *)params;
    s->host = host;
    s->line = host->line_state;
    s->lat.cap = s->p.load_entries;
    s->mta.ways = s->p.mta_assoc;
    s->mta.sets = s->p.mta_entries / s->p.mta_assoc;
    s->mta.max = (1u << s->p.count_bits) - 1;
    s->monitored = APCM_NOT_YET;
    if (host->n_warp > APCM_WARPS_MAX)
        return err_set(e, "APCM's protection status board has %d entries, one per warp, not %u", APCM_WARPS_MAX,
                       host->n_warp);
    return 0;
}

static int check(const struct cfg *c, const void *params, struct err *e)
{
    const struct apcm_params *p = params;
    uint32_t sets = p->mta_entries / p->mta_assoc;
    if (p->mta_entries % p->mta_assoc || sets & (sets - 1)) {
        cfg_fault(c, "apcm.mta_assoc", e, "%u entries / %u ways is not a power of two of sets", p->mta_entries,
                  p->mta_assoc);
        return err_hint(e, "1 way = direct-mapped, %u ways = fully associative", p->mta_entries);
    }
    if (p->threshold >= (1u << p->count_bits) - 1) {
        cfg_fault(c, "apcm.threshold", e, "%u is never exceeded: counts of %u bits end at %u", p->threshold,
                  p->count_bits, (1u << p->count_bits) - 1);
        return err_hint(e, "at most %u", (1u << p->count_bits) - 2);
    }
    return 0;
}

/* ---- the decisions ---- */

static int check_laws(const void *st, struct err *e)
{
    const struct apcm *s = st;
    const struct apcm_stats *x = &s->s;
    uint64_t sum = x->untracked + x->undecided, protecting = 0;
    for (int i = 0; i < APCM_METHODS; i++)
        sum += x->by_method[i];
    for (uint32_t w = 0; w < s->host->n_warp; w++)
        protecting += s->psb[w].set;
    if (x->accesses != sum || x->bypasses != x->by_method[APCM_BYPASS])
        return err_set(e, "accesses by method do not sum to accesses");
    if (x->psb_set != x->psb_by_load + x->psb_by_loop + x->psb_by_exit + protecting)
        return err_set(e, "protection began %lu times but did not end as often", (unsigned long)x->psb_set);
    if (x->mta_conflicts + x->mta_own_hits + x->mta_other_hits < x->update_conflict + x->update_threshold ||
        x->pinned_hits > x->hits)
        return err_set(e, "more decisions or protected hits than their causes");
    return 0;
}

enum { TYPE, METHOD, CYCLE, TOTAL, OWN, LAST_PC, ACCESSES, BYPASSED, REFUSED, PINNED, PINNED_HITS, COLUMNS };
static const struct load_column load_columns[COLUMNS + 1] = {
    [TYPE] = {"type", "class", "", LOAD_TEXT, "reuse type", .reuse_type = true},
    [METHOD] = {"method", "method", "", LOAD_TEXT, "management method"},
    [CYCLE] = {"mean_cycle", "cycle", "cycles", LOAD_MEAN, "cycles from kernel start to the decision"},
    [TOTAL] = {"access_count", "count", "accesses", LOAD_MAX, "of all warps to the line that decided"},
    [OWN] = {"own_count", "own", "accesses", LOAD_WITH_MAX, "of these, the monitored warp's"},
    [LAST_PC] = {"last_pc", "last pc", "", LOAD_WITH_MAX, "last load to use the line"},
    [ACCESSES] = {"accesses", NULL, "requests", LOAD_SUM, "line requests of the load"},
    [BYPASSED] = {"bypassed", "bypass", "requests", LOAD_SUM, "bypassed the L1 because the load streams",
                  .share_of = "accesses"},
    [REFUSED] = {"all_protected", "all_protected", "requests", LOAD_SUM,
                 "bypassed the L1 because every way was protected", .share_of = "accesses"},
    [PINNED] = {"protected_lines", "protect", "lines", LOAD_SUM, "lines allocated with protection"},
    [PINNED_HITS] = {"protected_hits", "prot hits", "requests", LOAD_SUM, "hits and merges on lines under protection"},
    [COLUMNS] = LOAD_COLUMN_END};

static void report_loads(const void *st, load_row *row, void *ctx)
{
    const struct apcm *s = st;
    struct apcm_cait_entry cait[APCM_LOADS_MAX];
    memcpy(cait, s->cait, sizeof cait);
    /* A kernel may end before the event of the monitored warp's end arrives. */
    for (uint32_t i = 0; i < s->p.mta_entries; i++)
        if (s->mta.e[i].valid)
            apcm_cait_update(cait, &s->mta.e[i], now(s));
    for (uint32_t i = 0; i < s->lat.n; i++) {
        if (s->lat.of[i] != s->lat.kernel || !s->load[i].accesses)
            continue; /* not of this launch */
        const struct apcm_cait_entry *c = &cait[i];
        struct load_value v[COLUMNS] = {[ACCESSES] = LOAD_NUMBER(s->load[i].accesses),
                                        [BYPASSED] = LOAD_NUMBER(s->load[i].bypassed),
                                        [REFUSED] = LOAD_NUMBER(s->load[i].all_protected),
                                        [PINNED] = LOAD_NUMBER(s->load[i].pinned),
                                        [PINNED_HITS] = LOAD_NUMBER(s->load[i].pinned_hits)};
        if (c->valid) {
            v[TYPE] = LOAD_WORD(apcm_type_name[c->type]);
            v[METHOD] = LOAD_WORD(apcm_method_name[c->method]);
            v[CYCLE] = LOAD_NUMBER(c->decided_at > s->kernel_start ? c->decided_at - s->kernel_start : 0);
            v[TOTAL] = LOAD_NUMBER(c->accesses);
            v[OWN] = LOAD_NUMBER(c->own);
            v[LAST_PC] = LOAD_NUMBER(s->lat.pc[c->last]);
        }
        row(ctx, s->lat.pc[i], v);
    }
}

/* ---- parameters and statistics ---- */
#define T struct apcm_params
static const struct cfg_field params[] = {
    CFG_ROW(T, mode, CFG_ENUM, "", "both", 0, 0, APCM_MODES,
            "what is applied: bypassing and protection, bypassing only, protection only"),
    CFG_ROW(T, load_entries, CFG_INT, "loads", "16", 1, APCM_LOADS_MAX, NULL,
            "entries of the load alias table and of the cache access information table"),
    CFG_ROW(T, mta_entries, CFG_INT, "entries", "32", 1, APCM_MTA_MAX, NULL, "lines in the monitor tag array"),
    CFG_ROW(T, mta_assoc, CFG_INT, "ways", "1", 1, APCM_MTA_MAX, NULL,
            "its associativity: 1 = direct-mapped, mta_entries = fully associative"),
    CFG_ROW(T, mta_requests, CFG_INT, "requests", "2", 1, 32, NULL,
            "line requests per load execution (the first ones) that the monitor tag array observes"),
    CFG_ROW(T, count_bits, CFG_INT, "bits", "4", 2, 16, NULL, "width of the access counts"),
    CFG_ROW(T, threshold, CFG_INT, "accesses", "8", 1, 65534, NULL,
            "access count above which a monitored line decides immediately"),
    CFG_ROW(T, monitored_warp, CFG_ENUM, "", "first-load", 0, 0, APCM_MONITORED,
            "the monitored warp: the first to load from global memory, or the one in slot 0 of the SM"),
    CFG_ROW(T, protect_distance, CFG_INT, "accesses", "0", 0, 65535, NULL,
            "APCM-pN: lines are protected for this many cache accesses, instead of until their last load; 0 = off"),
    CFG_ROW(T, inherit_counts, CFG_ENUM, "", "all", 0, 0, APCM_INHERIT_COUNTS,
            "lines that enter the monitor tag array with their L1 access count: all, those fetched by other warps, or "
            "none"),
    CFG_ROW(T, decision_lifetime, CFG_ENUM, "", "kernel", 0, 0, APCM_LIFETIMES,
            "lifetime of a decision: one launch, or all launches of the kernel"),
    CFG_ROW(T, replace_own, CFG_BOOL, "", "no", 0, 1, NULL, "whether a warp may replace lines that it protects itself"),
    CFG_END};
#undef T

#define S struct apcm
static const struct stat_def stats[] = {
    STAT_NAMED(S, s.accesses, "accesses", "requests",
               "loads of the L1: untracked + undecided + normal + bypass + protect"),
    STAT_NAMED(S, s.untracked, "accesses.untracked", "requests",
               "not tracked: beyond the load alias table, or not a load of global memory"),
    STAT_NAMED(S, s.undecided, "accesses.undecided", "requests", "of loads without a decision"),
    STAT_NAMED(S, s.by_method[APCM_NORMAL], "accesses.normal", "requests", "of loads to be cached normally"),
    STAT_NAMED(S, s.by_method[APCM_BYPASS], "accesses.bypass", "requests", "of loads to be bypassed"),
    STAT_NAMED(S, s.by_method[APCM_PROTECT], "accesses.protect", "requests", "of loads to be protected"),
    STAT_NAMED(S, s.bypasses, "bypasses", "requests", "loads that bypassed the L1 because they stream"),
    STAT_NAMED(S, s.all_protected, "all_protected", "requests",
               "loads that bypassed the L1 because every way was protected"),
    STAT_NAMED(S, s.loads, "loads", "loads", "static loads that received an id, over SMs and launches"),
    STAT_NAMED(S, s.monitored, "monitored", "warps", "warps monitored, over SMs and launches"),
    STAT_NAMED(S, s.mta_own_hits, "mta.own_hits", "requests", "the monitored warp's accesses to lines it brought in"),
    STAT_NAMED(S, s.mta_other_hits, "mta.other_hits", "requests", "other warps' accesses to these lines"),
    STAT_NAMED(S, s.mta_fills, "mta.fills", "lines", "lines taken into the monitor tag array"),
    STAT_NAMED(S, s.mta_from_l1, "mta.from_l1", "lines",
               "of these: the L1 had the line, and its access count was taken over"),
    STAT_NAMED(S, s.mta_dropped, "mta.dropped", "requests",
               "the monitored warp's requests beyond the first of an uncoalesced load"),
    STAT_NAMED(S, s.mta_conflicts, "mta.conflicts", "lines", "lines replaced in the monitor tag array by another"),
    STAT_NAMED(S, s.update_conflict, "update.conflict", "updates", "decisions written when such a line was replaced"),
    STAT_NAMED(S, s.update_threshold, "update.threshold", "updates",
               "decisions written when a count exceeded the threshold"),
    STAT_NAMED(S, s.update_exit, "update.exit", "updates", "decisions written when the monitored warp ended"),
    STAT_NAMED(S, s.update_superseded, "update.superseded", "updates",
               "updates discarded because the entry had at least as large an access count"),
    STAT_NAMED(S, s.classified[APCM_STREAMING], "classified.streaming", "updates", "decisions that found streaming"),
    STAT_NAMED(S, s.classified[APCM_INTER], "classified.inter", "updates", "decisions that found inter-warp locality"),
    STAT_NAMED(S, s.classified[APCM_INTRA], "classified.intra", "updates", "decisions that found intra-warp locality"),
    STAT_NAMED(S, s.classified[APCM_MIXED], "classified.mixed", "updates",
               "decisions that found inter- and intra-warp locality"),
    STAT_NAMED(S, s.pinned, "protected.lines", "lines", "lines allocated with protection"),
    STAT_NAMED(S, s.pinned_hits, "protected.hits", "requests", "hits and merges on lines under protection"),
    STAT_NAMED(S, s.hits, "hits", "requests", "hits and merges on all lines"),
    STAT_NAMED(S, s.skipped, "protected.skipped", "lines",
               "lines allocated unprotected because the warp protected another load"),
    STAT_NAMED(S, s.expired, "protected.expired", "lines",
               "protection bits reset because their warp no longer protects"),
    STAT_NAMED(S, s.psb_set, "psb.set", "times", "warps that began to protect"),
    STAT_NAMED(S, s.psb_by_load, "psb.by_load", "times", "protection ended by the last load"),
    STAT_NAMED(S, s.psb_by_loop, "psb.by_loop", "times", "protection ended by leaving the loop"),
    STAT_NAMED(S, s.psb_by_exit, "psb.by_exit", "times", "protection ended by the end of the warp"),
    STAT_NAMED(S, s.psb_cycles, "psb.cycles", "cycles", "cycles of protection, summed over warps"),
    STAT_HISTOGRAM(S, s.psb_duration, "psb.duration", "cycles", held_bound, "duration of each protection"),
    STAT_QUOTIENT("psb.occupancy", "warps", "apcm.psb.cycles", "sm.active_cycles",
                  "warps that protect, on average over the SMs' active cycles"),
    STAT_QUOTIENT("protected.hit_share", "", "apcm.protected.hits", "apcm.hits", "hits on protected lines / all hits"),
    STAT_END};
#undef S

const struct l1_management l1_management_apcm = {
    .info = {.name = "apcm",
             .doc = "Access Pattern-aware Cache Management: finds the kind of reuse of each load by watching one warp, "
                    "bypasses streaming loads and protects the lines of loads with intra-warp reuse. Koo et al., ISCA "
                    "2017; docs/papers/apcm.md.",
             .params = params,
             .params_bytes = sizeof(struct apcm_params),
             .stats = stats,
             .load_columns = load_columns,
             .report_loads = report_loads,
             .check = check,
             .cost = apcm_cost,
             .published_mm2 = 0.0047,
             .published_nm = 45,
             .published_area = "0.14% of the L1 (section 5.4)"},
    .state_bytes = sizeof(struct apcm),
    .line_state_bytes = sizeof(struct apcm_line),
    .events = 1u << EVENT_WARP_START | 1u << EVENT_WARP_EXIT | 1u << EVENT_LOOP_EXIT,
    .init = init,
    .decide = decide,
    .victim = victim,
    .on_all_protected = on_all_protected,
    .on_hit = on_hit,
    .on_miss = on_miss,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_event = on_event,
    .on_kernel = on_kernel,
    .check = check_laws,
};
