/*
 * RACB, resource-aware cache bypass at the L1 and the L2 (Dai, Kartsaklis, Li, Janjusic and Zhou, SBAC-PADW 2014).
 *
 * A load that misses and finds no way, no MSHR entry or no merge slot bypasses the cache instead of waiting for one.
 * At the L2 the slice does the same (l2.bypass_on_stall), which this policy turns on (racb.caches = both or l2). A full
 * queue to the next level cannot be bypassed. When the line is in flight and only its merge slots are exhausted, the
 * bypass requests it a second time.
 */
#include "l1/policy.h"

enum { AT_BOTH, AT_L1, AT_L2 };

struct params {
    uint32_t caches;
};

struct racb {
    bool at_l1;
    uint64_t no_way, no_mshr, no_merge_slot;
};

static int init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    (void)host, (void)e;
    ((struct racb *)st)->at_l1 = ((const struct params *)params)->caches != AT_L2;
    return 0;
}

static bool bypass_on_stall(void *st, const struct l1_access *a, enum stall why)
{
    (void)a, (void)why;
    return ((const struct racb *)st)->at_l1;
}

static void on_stall_bypass(void *st, const struct l1_access *a, enum stall why)
{
    (void)a;
    struct racb *s = st;
    ++*(why == STALL_NO_WAY ? &s->no_way : why == STALL_NO_MSHR ? &s->no_mshr : &s->no_merge_slot);
}

static bool l2_bypass_on_stall(const void *params)
{
    return ((const struct params *)params)->caches != AT_L1;
}

static const struct cfg_field fields[] = {CFG_ROW(struct params, caches, CFG_ENUM, "", "both", 0, 0, "both l1 l2",
                                                  "caches that a load bypasses when it finds no free resource"),
                                          CFG_END};

#define S struct racb
static const struct stat_def stats[] = {
    STAT_ROW(S, no_way, "requests", "loads that found every way reserved and bypassed the L1"),
    STAT_ROW(S, no_mshr, "requests", "loads that found no MSHR entry and bypassed the L1"),
    STAT_ROW(S, no_merge_slot, "requests", "loads that found no merge slot and bypassed the L1"), STAT_END};
#undef S

const struct l1_management l1_management_racb = {
    .info = {.name = "racb",
             .doc = "Resource-aware cache bypass: a load that finds no way, MSHR entry or merge slot bypasses the L1, "
                    "and likewise the L2 (Dai et al., SBAC-PADW 2014).",
             .params = fields,
             .params_bytes = sizeof(struct params),
             .stats = stats},
    .state_bytes = sizeof(struct racb),
    .l2_bypass_on_stall = l2_bypass_on_stall,
    .init = init,
    .bypass_on_stall = bypass_on_stall,
    .on_stall_bypass = on_stall_bypass};
