/* The table of warp schedulers, from src/machine/policies.list. */
#include "engine/policies.h"
#include "sm/sched/sched.h"
#include "sm/sm_config.h"

#define DECLARE(name) extern const struct sm_sched sm_sched_##name;
SCHEDULER_POLICIES(DECLARE)
#define SCHEDULER(name) &sm_sched_##name.info,
static const struct policy_info *const schedulers[] = {SCHEDULER_POLICIES(SCHEDULER)};

struct policy_kind sm_sched_kind = {
    .name = "scheduler",
    .key = "sm.scheduler",
    .doc = "warp scheduler: which ready warp issues",
    .policy = schedulers,
    .n = sizeof schedulers / sizeof *schedulers,
};

const struct sm_sched *sm_sched_get(unsigned index)
{
    /* info is the first member. */
    return (const struct sm_sched *)sm_sched_kind.policy[index];
}
