/*
 * The prefetch-aware scheduler of CAPS (Koo et al., IPDPS 2018, section V-A), the part that the policies pas and caps
 * share.
 *
 * The first warp of every CTA is marked as its leading warp. Leading warps issue before others, so that the prefetcher
 * learns the base address of every CTA early. Over two-level scheduling they also enter the ready queue first
 * (sched/ready_queue.h), and a warp for which a prefetched line has arrived is moved there at once (eager wake-up),
 * before the line can be evicted. With round robin and greedy-then-oldest, which have no queue, only the order
 * changes.
 *
 * Choices where the paper is silent: the leading warp of a CTA is its first warp, for its whole life
 * (`lead = first_load`: until it has issued a load, as the paper sketches for GTO); leading warps issue in round robin
 * among themselves (two-level, LRR) or greedy then oldest (GTO); a warp that waits for memory or at a barrier is not
 * woken, because it could not issue; a woken warp replaces the trailing warp that entered the queue last.
 */
#ifndef WEIR_SM_SCHED_PAS_H
#define WEIR_SM_SCHED_PAS_H

#include "sm/sched/ready_queue.h"

enum pas_base { PAS_TWO_LEVEL, PAS_LRR, PAS_GTO };
#define PAS_BASES "two_level lrr gto"
enum pas_lead { PAS_LEAD_ALWAYS, PAS_LEAD_FIRST_LOAD };
#define PAS_LEADS "always first_load"
enum pas_leaders { PAS_LEADER_OF_CTA, PAS_LEADER_OF_SCHEDULER };
#define PAS_LEADERS "cta scheduler"

struct pas_params {
    uint32_t base, lead; /* enum pas_base, pas_lead */
    uint32_t ready;
    bool wakeup;
    uint32_t leaders; /* enum pas_leaders */
};

struct pas {
    enum pas_base base;
    enum pas_lead lead;
    bool wakeup;
    uint32_t n_leading;   /* of a CTA's first warps, which lead */
    struct ready_queue q; /* its marks are used with every base */
    uint64_t after;       /* slots after the last issue */
    uint64_t last;        /* bit of the warp that issued last */
    uint64_t loading;     /* bit of the warp that was picked to issue a load */
    /* statistics */
    uint64_t picks_leading, picks_trailing;
    uint64_t arrivals, wakeups;
};

int pas_init(void *st, const void *params, const struct sched_geom *, struct err *);
int pas_pick(void *st, const struct sched_view *);
void pas_on_assign(void *st, unsigned warp, unsigned cta, unsigned warp_in_cta);
void pas_on_issue(void *st, unsigned warp);
void pas_on_wait(void *st, unsigned warp, enum warp_wait why);
void pas_on_finish(void *st, unsigned warp);
void pas_on_event(void *st, enum event, unsigned warp, uint32_t argument);
extern const struct cfg_field pas_param_fields[];
extern const struct stat_def pas_stats[];

/* The hooks of a policy whose state is a struct pas. */
#define PAS_HOOKS                                                                                                      \
    .state_bytes = sizeof(struct pas), .events = 1u << EVENT_PREFETCH_ARRIVED, .init = pas_init, .pick = pas_pick,     \
    .on_warp_start = pas_on_assign, .on_issue = pas_on_issue, .on_wait = pas_on_wait, .on_warp_exit = pas_on_finish,   \
    .on_event = pas_on_event

#endif
