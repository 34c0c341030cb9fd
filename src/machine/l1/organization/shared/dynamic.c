/* The phases of the dynamic organizations and their counters; see dynamic.h. */
#include "l1/organization/shared/dynamic.h"

#define P struct dynamic_params
const struct cfg_field dynamic_fields[] = {
    CFG_ROW(P, sample, CFG_INT, "requests", "512", 1, 1u << 30, NULL,
            "requests that the SM must have made to each half of the sets for sampling to end (R_S)"),
    CFG_ROW(P, execute, CFG_INT, "requests", "16384", 1, 1u << 30, NULL,
            "requests of the SM for which a decision lasts (R_EX)"),
    CFG_ROW(P, count_scope, CFG_ENUM, "", "requests", 0, 0, "requests local",
            "what R_S and R_EX count: all requests of the SM, or only those that look up its own L1"),
    CFG_ROW(P, threshold, CFG_INT, "percent", "10", 0, 100, NULL,
            "private without comparing when fewer of the private half's accesses than this miss (L1MRpr); 0 = always "
            "compare"),
    CFG_ROW(P, rule, CFG_ENUM, "", "loads", 0, 0, "loads all",
            "what the rule of dyneb.threshold counts: loads, or stores, too, which miss wherever they take no line"),
    CFG_ROW(P, past, CFG_ENUM, "", "undivided", 0, 0, "undivided divided ignored",
            "replies of the L2 to requests that looked in no L1, in equation (3): like those of a home, like those "
            "that are "
            "installed, or not at all"),
    CFG_ROW(P, compare, CFG_ENUM, "", "total", 0, 0, "total per_request",
            "effective bandwidths of a sample as they are, or each divided by the SM's requests to its half"),
    CFG_ROW(P, members, CFG_ENUM, "", "arriving", 0, 0, "arriving made",
            "what a sample counts: look-ups and replies in its time, or only those of requests made in its time"),
    CFG_ROW(P, requesters, CFG_ENUM, "", "all", 0, 0, "all own",
            "whose look-ups and replies of the L2 a sample counts: those of every SM's requests, or of its own alone"),
    CFG_ROW(P, nearest, CFG_BOOL, "", "yes", 0, 1, NULL,
            "shared requests go to the L2 where it is nearer than the home: Min(H, L2)"),
    CFG_ROW(P, replace_leftovers_first, CFG_BOOL, "", "no", 0, 1, NULL,
            "replace lines left over from a private phase first"),
    CFG_ROW(P, store_path, CFG_ENUM, "", "home", 0, 0, "home own",
            "path of a private store to the L2: through the home (keeps it up to date) or directly"),
    CFG_END};
#undef P

unsigned dynamic_cost(const struct cfg *c, const void *params, struct policy_cost out[POLICY_COSTS])
{
    const struct dynamic_params *p = params;
    unsigned n = shared_cost(c, params, out);
    uint32_t bits = 1;
    while (bits < 31 && 1u << bits <= (p->sample > p->execute ? p->sample : p->execute))
        bits++;
    out[n++] = (struct policy_cost){"counters",
                                    "requests, accesses, misses, replies of L2 and homes; of each half of the sets",
                                    bits,
                                    5 * HALVES,
                                    .reads = ".samples",
                                    .writes = ".requests.sample"};
    return n;
}

#define S struct dynamic
const struct stat_def dynamic_stats[] = {
    STAT_NAMED(S, requests[DYNAMIC_SAMPLE], "requests.sample", "requests", "loads and stores made while sampling"),
    STAT_NAMED(S, requests[DYNAMIC_SHARED], "requests.shared", "requests", "loads and stores made as Shared++"),
    STAT_NAMED(S, requests[DYNAMIC_PRIVATE], "requests.private", "requests", "loads and stores made as private"),
    STAT_ROW(S, samples, "phases", "sampling phases that ended"),
    STAT_ROW(S, to_shared, "phases", "of these, followed by a shared phase"),
    STAT_ROW(S, to_private, "phases", "of these, followed by a private phase"),
    STAT_ROW(S, to_larger_half, "phases",
             "of these, for the organization of the half to which the SM made more requests"),
    STAT_ROW(S, low_miss_rate, "phases", "of the private ones, chosen for the low miss rate of the private half"),
    STAT_ROW(S, unlogged_phases, "phases", "phases that did not fit in the phase log"),
    STAT_END};
#undef S

static void enter(struct dynamic *d, enum dynamic_phase phase)
{
    d->phase = phase;
    d->executed = 0;
    if (phase == DYNAMIC_SAMPLE) {
        d->half[HALF_PRIVATE] = d->half[HALF_SHARED] = (struct dynamic_half){0};
        d->sample_start = l1_now(d->map.host);
    }
    if (d->n_log == DYNAMIC_LOG) {
        d->unlogged_phases++;
        return;
    }
    d->log[d->n_log].cycle = l1_now(d->map.host);
    d->log[d->n_log++].phase = phase;
}

int dynamic_init(void *st, const void *params, struct l1_host *host,
                 bool (*prefers_shared)(const struct dynamic_params *, const struct dynamic_half half[HALVES]),
                 struct err *e)
{
    if (shared_init(st, params, host, e))
        return -1;
    struct dynamic *d = st;
    d->p = *(const struct dynamic_params *)params;
    d->prefers_shared = prefers_shared;
    d->log[d->n_log++].phase = DYNAMIC_SAMPLE; /* from cycle 0 */
    return 0;
}

static void decide(struct dynamic *d)
{
    const struct dynamic_half *private = &d->half[HALF_PRIVATE], *of_shared = &d->half[HALF_SHARED];
    bool loads = d->p.rule == DYNAMIC_RULE_LOADS;
    uint64_t accesses = loads ? private->loads : private->accesses;
    bool low = (loads ? private->load_misses : private->misses) * 100 < accesses * d->p.threshold;
    bool shared = !low && d->prefers_shared(&d->p, d->half);
    d->samples++;
    d->low_miss_rate += low;
    d->to_shared += shared;
    d->to_private += !shared;
    d->to_larger_half += shared ? of_shared->counted > private->counted : private->counted > of_shared->counted;
    enter(d, shared ? DYNAMIC_SHARED : DYNAMIC_PRIVATE);
}

/* Whether the current sample counts this request. */
static bool sampled(const struct dynamic *d, const struct req *r)
{
    return d->phase == DYNAMIC_SAMPLE &&
           (d->p.members == DYNAMIC_MEMBERS_ARRIVING || r->created_at >= d->sample_start) &&
           (d->p.requesters == DYNAMIC_REQUESTERS_ALL || r->sm == d->map.host->sm);
}

/* This SM has made a request to this line. */
static void count(struct dynamic *d, const struct req *r, uint64_t line, uint32_t set, enum l1_route to)
{
    struct dynamic_half *h = &d->half[set & 1];
    bool local = to == L1_ROUTE_LOCAL || to == L1_ROUTE_BOTH;
    bool toward = local || d->p.count_scope == DYNAMIC_COUNTS_REQUESTS;
    d->requests[d->phase]++;
    if (d->phase == DYNAMIC_SAMPLE) {
        if (!sampled(d, r))
            return;
        h->local += local;
        h->remote += to == L1_ROUTE_REMOTE;
        if (to == L1_ROUTE_BOTH) {
            bool miss = tags_find(d->map.host->tags, set, line) < 0;
            h->accesses++, h->own_accesses++;
            h->misses += miss, h->own_misses += miss;
        }
        h->counted += toward;
        if (d->half[HALF_PRIVATE].counted >= d->p.sample && d->half[HALF_SHARED].counted >= d->p.sample)
            decide(d);
    } else if (toward && ++d->executed == d->p.execute) {
        enter(d, DYNAMIC_SAMPLE);
    }
}

enum l1_route dynamic_route(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    struct dynamic *d = st;
    bool shared = d->phase == DYNAMIC_SHARED || (d->phase == DYNAMIC_SAMPLE && (set & 1) == HALF_SHARED);
    enum l1_route to =
        d->p.nearest ? shared_route_nearest(st, r, line, set, home) : shared_route(st, r, line, set, home);
    if (to == L1_ROUTE_REMOTE && *home == d->map.host->sm)
        to = L1_ROUTE_LOCAL;
    if (!shared) {
        bool through_home = to == L1_ROUTE_REMOTE && r->kind == REQ_WRITE && d->p.store_path == DYNAMIC_STORES_HOME;
        to = through_home ? L1_ROUTE_BOTH : L1_ROUTE_LOCAL;
    }
    if (!(r->flags & REQ_F_PREFETCH))
        count(d, r, line, set, to);
    return to;
}

/* Lines whose home is elsewhere, in a currently shared set. Lines of local memory look the same. */
uint64_t dynamic_first_victims(void *st, uint32_t set, uint64_t candidates)
{
    const struct dynamic *d = st;
    const struct tags *t = d->map.host->tags;
    bool shared = d->phase == DYNAMIC_SHARED || (d->phase == DYNAMIC_SAMPLE && (set & 1) == HALF_SHARED);
    uint64_t first = 0;
    if (!d->p.replace_leftovers_first || !shared)
        return 0;
    for (uint64_t m = candidates; m; m &= m - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(m);
        first |= (uint64_t)(shared_home(&d->map, t->line[set * t->n_way + way]) != d->map.host->sm) << way;
    }
    return first;
}

void dynamic_on_local(void *st, const struct l1_access *a)
{
    struct dynamic *d = st;
    if (!sampled(d, a->req) || a->req->flags & REQ_F_BOTH)
        return;
    struct dynamic_half *h = &d->half[a->set & 1];
    bool miss = !a->hit && !a->pending, own = a->req->sm == d->map.host->sm, load = a->req->kind == REQ_READ;
    h->accesses++;
    h->misses += miss;
    h->own_accesses += own;
    h->own_misses += own && miss;
    h->loads += load;
    h->load_misses += load && miss;
}

void dynamic_on_reply(void *st, const struct req *r, bool from_home)
{
    struct dynamic *d = st;
    if (!sampled(d, r))
        return;
    const struct l1_host *host = d->map.host;
    struct dynamic_half *h = &d->half[tags_set(host->tags, r->addr >> host->tags->line_shift) & 1];
    uint64_t took = l1_now(host) - r->created_at, beyond = took > host->hit_latency ? took - host->hit_latency : 0;
    bool timed = r->kind == REQ_READ && r->sm == host->sm && !(r->flags & REQ_F_PREFETCH);
    if (r->flags & REQ_F_BOTH) {
        h->l2_replies += r->sm == host->sm;
        return;
    }
    if (!from_home) {
        ++*(r->flags & REQ_F_BYPASS ? &h->past_replies : &h->l2_replies);
        h->l2_timed += timed;
        h->l2_cycles += timed ? beyond : 0;
        return;
    }
    h->home_replies++;
    if (timed && r->served == REQ_AT_REMOTE_L1) {
        h->home_hits++;
        h->home_hit_cycles += beyond;
    } else if (timed && r->served != REQ_AT_L1_MERGE) {
        h->home_misses++;
    }
}

void dynamic_report_phases(const void *st, phase_row *row, void *ctx)
{
    static const char *const name[DYNAMIC_PHASES] = {"sample", "shared", "private"};
    const struct dynamic *d = st;
    for (uint32_t i = 0; i < d->n_log; i++)
        row(ctx, d->log[i].cycle, name[d->log[i].phase]);
}
