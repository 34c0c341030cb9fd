/*
 * Policies by name: what every kind of policy has in common.
 *
 * Each kind (warp scheduler, L1 management, L1 organization, prefetcher, L1 request order, L2 request order, DRAM
 * scheduler) has its own vtable whose first member is a struct policy_info, and its own table of policies (from
 * src/machine/policies.list). gpu/schema.c lists the kinds. From that follow the value names of the selecting key, --with,
 * `weir list policies`, `weir explain`, the policy's own section of parameters, its statistics and what it tells about
 * loads. A section of parameters is accepted only when its policy is chosen.
 */
#ifndef WEIR_ENGINE_REGISTRY_H
#define WEIR_ENGINE_REGISTRY_H

#include "engine/config.h"
#include "engine/load_report.h"
#include "engine/stats.h"

/*
 * 0 in a build with -Dhooks=false, which bench/ compares with: the L1 and L2 have no policies but the baselines and the
 * SM sends no events. (Every machine has one warp scheduler or another, so that kind stays.)
 */
#ifndef WEIR_HOOKS
#define WEIR_HOOKS 1
#endif

/* One structure that a policy adds to the hardware. */
struct policy_cost {
    const char *structure, *fields;             /* its name, and what an entry holds */
    uint32_t bits, entries;                     /* of one entry; entries of one instance */
    uint32_t published_bits, published_entries; /* the publication's numbers; 0 = none */
    uint32_t side_by_side;                      /* entries that one access compares; 0 = it uses one */
    /*
     * How often it is used, for energy: sums of statistics such as "l1.hits + .updates", where a leading dot stands for
     * the policy's own. NULL = never.
     */
    const char *reads, *writes;
};
enum { POLICY_COSTS = 8 };

/* One phase of a policy that works in phases: when it began (core cycle) and its name. */
typedef void phase_row(void *ctx, uint64_t cycle, const char *phase);

struct policy_info {
    const char *name;
    const char *doc;                /* what it does and where it was published; the first sentence is its summary */
    const struct cfg_field *params; /* section [name]; NULL = it has none */
    size_t params_bytes;
    const struct stat_def *stats;           /* counters in the policy's state, shown as <name>.<stat>; NULL = none */
    const struct load_column *load_columns; /* what it tells about each load; NULL = nothing */
    /* Calls `row` for each load of the kernel that it has data about. At the kernel's end, when nothing is in flight. */
    void (*report_loads)(const void *st, load_row *row, void *ctx);
    /* Calls `row` for each phase of this instance, oldest first. At the end of a run. NULL = it has no phases. */
    void (*report_phases)(const void *st, phase_row *row, void *ctx);
    /* Called when the policy is chosen: its parameters, and whether it goes with the other choices. NULL = none. */
    int (*check)(const struct cfg *c, const void *params, struct err *e);
    /* The storage it adds to one instance of its component (`weir explain NAME --cost`): how many rows. NULL = not
     * said. */
    unsigned (*cost)(const struct cfg *c, const void *params, struct policy_cost out[POLICY_COSTS]);
    /* The area that the publication gives for one instance, logic included: mm2 at a node in nm; 0 = none. */
    double published_mm2, published_nm;
    const char *published_area; /* in its words: "0.14% of the L1"; NULL = none */
};

struct policy_kind {
    const char *name; /* "scheduler" */
    const char *key;  /* the key that selects one: "sm.scheduler" */
    const char *doc;
    const struct policy_info *const *policy; /* the first is the baseline */
    unsigned n;
    bool added; /* some are from plugins: the table is allocated */
};

/* What components call to show their policies: once per policy and state. */
typedef void policy_visit(void *ctx, const struct policy_info *, const void *state);

/* Index in the kind, or -1. */
int policy_find(const struct policy_kind *, const char *name);
/*
 * Adds a policy to those that are built in (gpu/plugin.h). The kinds belong to the process: not while another thread
 * reads a configuration or builds a machine.
 */
void policy_add(struct policy_kind *, const struct policy_info *);

/*
 * A hook has answered what its contract forbids: says so with the policy's name and ends the process with status 2,
 * since nothing that the machine does after that means anything. The CUDA runtime's way out is not taken: it would wait
 * for the machine.
 */
_Noreturn void policy_fault(const struct policy_info *, const char *fmt, ...)
    __attribute__((cold, noinline, format(printf, 2, 3)));
/* Is called before that; NULL = nothing. */
void policy_at_fault(void (*)(void));

/*
 * A policy's init or check (`hook`) has answered -1: fills *e where the policy has not, having begun with an empty one.
 * Returns -1.
 */
int policy_hook_failed(const struct policy_info *, const char *hook, struct err *e);

/*
 * Hooks that must not change state. With the build option check_hooks such a hook is called twice, and a policy whose
 * answers or whose state differ ends the run; without it the macro is the call alone.
 */
#ifndef WEIR_CHECK_HOOKS
#define WEIR_CHECK_HOOKS 0
#endif
struct policy_memory {
    const void *state, *line; /* line: the side array of an L1 management, or the slots of a request order */
    size_t state_bytes, line_bytes;
};
/* A number that depends on every byte. Not included: what a request order's policy has allocated from its arena. */
uint64_t policy_digest(const struct policy_memory *);
_Noreturn void policy_not_pure(const struct policy_info *, const char *hook) __attribute__((cold, noinline));
#if WEIR_CHECK_HOOKS
#define POLICY_PURE(info, memory, hook, call)                                                                          \
    ({                                                                                                                 \
        const struct policy_memory memory_ = (memory);                                                                 \
        const uint64_t before_ = policy_digest(&memory_);                                                              \
        const __typeof__(call) answer_ = (call);                                                                       \
        if (answer_ != (call) || policy_digest(&memory_) != before_)                                                   \
            policy_not_pure(info, hook);                                                                               \
        answer_;                                                                                                       \
    })
#else
#define POLICY_PURE(info, memory, hook, call) (call)
#endif

/* A kind's name as it is written in sentences: "l1-order" is "L1 order". */
#define POLICY_TITLE 32
const char *policy_title(const char *kind, char out[POLICY_TITLE]);

#endif
