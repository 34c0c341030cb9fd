/* The table of warp schedulers, made from policies.def. */
#include "sm/sched.h"
#include "sm/sm_config.h"

#define SM_SCHED(name) extern const struct sm_sched sm_sched_##name;
#include "sm/policies.def"
#undef SM_SCHED

static const struct policy_info *const schedulers[] = {
#define SM_SCHED(name) &sm_sched_##name.info,
#include "sm/policies.def"
#undef SM_SCHED
};

const struct policy_kind sm_sched_kind = {
    .name = "scheduler",
    .key = "sm.scheduler",
    .doc = "which of the warps that could issue does",
    .policy = schedulers,
    .n = sizeof schedulers / sizeof *schedulers,
};

const struct sm_sched *sm_sched_get(unsigned index)
{
    /* info is the first member. */
    return (const struct sm_sched *)schedulers[index];
}
