/*
 * The dynamic organizations: each SM independently samples a shared and a private L1 at the same time, then runs with
 * the better of the two for a while, and samples again.
 *
 * Source: Ibrahim et al., PACT 2020, Section 4. While sampling, the SM's requests to even sets stay in its own L1 and
 * those to odd sets go to their homes (Shared++). Counters are kept for either half by the parity of the set. Sampling
 * ends when the SM has made R_S requests to each half; the decision lasts for R_EX requests. The paper counts only
 * "local" accesses, which contradicts its results (`counts`; docs/papers/sharedl1.md). Homes depend on the address
 * alone, not on the decision of the home's own SM.
 *
 * Lines left over from a private phase whose home is elsewhere stay until they are replaced; no request looks them up.
 *
 * The paper does not say how a thread sees its own stores after a phase change. Two rules ensure this
 * (docs/papers/sharedl1.md): a store that goes to its home or bypasses the L1s invalidates the SM's own copy, and a
 * private store goes to the L2 through its home (`stores = home`), so that a home's copy is never older than a store
 * of an SM that may read it next. The counters treat such a store as one of a private L1: the SM's own counts it and its
 * acknowledgment, the home's does not.
 */
#ifndef WEIR_L1_ORGANIZATION_DYNAMIC_H
#define WEIR_L1_ORGANIZATION_DYNAMIC_H

#include "l1/organization/shared/shared.h"

enum dynamic_stores { DYNAMIC_STORES_HOME, DYNAMIC_STORES_OWN };
enum dynamic_counts { DYNAMIC_COUNTS_REQUESTS, DYNAMIC_COUNTS_LOCAL };
enum dynamic_rule { DYNAMIC_RULE_LOADS, DYNAMIC_RULE_ALL };
enum dynamic_past { DYNAMIC_PAST_UNDIVIDED, DYNAMIC_PAST_DIVIDED, DYNAMIC_PAST_IGNORED };
enum dynamic_compare { DYNAMIC_COMPARE_TOTAL, DYNAMIC_COMPARE_PER_REQUEST };
enum dynamic_members { DYNAMIC_MEMBERS_ARRIVING, DYNAMIC_MEMBERS_MADE };
enum dynamic_requesters { DYNAMIC_REQUESTERS_ALL, DYNAMIC_REQUESTERS_OWN };

struct dynamic_params {
    uint32_t sample, execute;
    uint32_t threshold;   /* percent */
    uint32_t store_path;  /* enum dynamic_stores */
    uint32_t count_scope; /* enum dynamic_counts */
    uint32_t rule;        /* enum dynamic_rule */
    uint32_t past;        /* enum dynamic_past */
    uint32_t compare;     /* enum dynamic_compare */
    uint32_t members;     /* enum dynamic_members */
    uint32_t requesters;  /* enum dynamic_requesters */
    bool nearest, replace_leftovers_first;
};
extern const struct cfg_field dynamic_fields[];
/* What a shared L1 adds, and the counters of a sample. */
unsigned dynamic_cost(const struct cfg *, const void *params, struct policy_cost out[POLICY_COSTS]);
#define DYNAMIC_INFO                                                                                                   \
    .params = dynamic_fields, .params_bytes = sizeof(struct dynamic_params), .stats = dynamic_stats,                   \
    .report_phases = dynamic_report_phases, .cost = dynamic_cost, .published_mm2 = 0.09, .published_nm = 65,           \
    .published_area = "per core (section 4.2)"

enum dynamic_phase { DYNAMIC_SAMPLE, DYNAMIC_SHARED, DYNAMIC_PRIVATE, DYNAMIC_PHASES };

/* The counters of one half of the sets while sampling. */
struct dynamic_half {
    uint64_t counted;                  /* this SM's requests toward R_S */
    uint64_t local, remote;            /* this SM's requests that looked in its own L1; that went to another */
    uint64_t accesses, misses;         /* look-ups in this L1 by any SM */
    uint64_t loads, load_misses;       /* of these, loads */
    uint64_t own_accesses, own_misses; /* of the look-ups, this SM's */
    uint64_t l2_replies, home_replies;
    uint64_t past_replies;        /* of the L2, to this SM's requests that looked in no L1: Min(H, L2) */
    uint64_t l2_timed, l2_cycles; /* this SM's loads served by the L2; their cycles in excess of a hit */
    uint64_t home_hits, home_misses, home_hit_cycles; /* this SM's loads served by homes */
};
enum { HALF_PRIVATE, HALF_SHARED, HALVES };

enum { DYNAMIC_LOG = 1024 };

struct dynamic {
    struct shared_map map;
    struct dynamic_params p;
    bool (*prefers_shared)(const struct dynamic_params *, const struct dynamic_half half[HALVES]);
    struct dynamic_half half[HALVES];
    enum dynamic_phase phase;
    uint64_t executed;     /* requests of the current execution phase, toward R_EX */
    uint64_t sample_start; /* first cycle of the current or the last sample */
    struct {
        uint64_t cycle;
        enum dynamic_phase phase;
    } log[DYNAMIC_LOG]; /* when each phase began; the first ones */
    uint32_t n_log;
    /* statistics */
    uint64_t requests[DYNAMIC_PHASES]; /* of this SM, by the phase they were routed in */
    uint64_t samples, to_shared, to_private, to_larger_half, low_miss_rate, unlogged_phases;
};
extern const struct stat_def dynamic_stats[];

int dynamic_init(void *st, const void *params, struct l1_host *host,
                 bool (*prefers_shared)(const struct dynamic_params *, const struct dynamic_half half[HALVES]),
                 struct err *e);
enum l1_route dynamic_route(void *st, const struct req *, uint64_t line, uint32_t set, uint32_t *home);
uint64_t dynamic_first_victims(void *st, uint32_t set, uint64_t candidates);
void dynamic_on_local(void *st, const struct l1_access *);
void dynamic_on_reply(void *st, const struct req *, bool from_home);
void dynamic_report_phases(const void *st, phase_row *row, void *ctx);

/* The hooks of an organization that differs only in `prefers_shared`. */
#define DYNAMIC_HOOKS                                                                                                  \
    .state_bytes = sizeof(struct dynamic), .remote = true, .route = dynamic_route, .reply_bytes = shared_chunk,        \
    .preferred_victims = dynamic_first_victims, .on_lookup = dynamic_on_local, .on_reply = dynamic_on_reply

#endif
