/*
 * The CTA dispatcher: hands out the CTAs of the running grids (launches) to SMs that have room.
 *
 * It works on one grid: the one of highest priority, of several the one that began first. Only when all its CTAs have
 * been handed out does the next grid get the room that is left; a grid whose next CTA fits nowhere holds back those
 * behind it, as measured by Amert et al. (RTSS 2017) and Olmedo et al. (RTAS 2020). CTAs that run are never preempted.
 *
 * Round robin over the SMs, at most one CTA per SM and cycle, as GPGPU-Sim does it, and in all no more than the machine
 * can start (machine.cta_rate). The CTAs of a cluster start together on one GPC, and the dispatcher, which knows where
 * they are, passes events at their mbarriers on. It is a component on the core clock; when a grid's last CTA has ended
 * it stops the engine.
 */
#ifndef WEIR_GPU_DISPATCH_H
#define WEIR_GPU_DISPATCH_H

#include "engine/engine.h"
#include "engine/port.h"
#include "sm/sm.h"
#include "trace/device.h"

struct dispatch;
/*
 * ctas_per_1000_cycles: 0 = no limit. Cycles of an event at another CTA of the cluster, and of an arrival at the cluster's
 * barrier; 0 = as other events.
 */
struct dispatch *dispatch_new(struct engine *, const struct device_props *, uint32_t ctas_per_1000_cycles,
                              bool from_first, uint32_t event_latency, uint32_t barrier_latency);
void dispatch_free(struct dispatch *); /* what is not in the arena */
struct port *dispatch_done_in(struct dispatch *, uint32_t sm);
void dispatch_connect(struct dispatch *, uint32_t sm, struct sm *);

/* A grid, and what a CTA of it takes of an SM. */
struct dispatch_grid {
    uint64_t n_cta;
    uint32_t number;            /* the launch, for the watch */
    uint32_t cluster;           /* CTAs of a cluster; 1 = no clusters */
    uint32_t per_sm;            /* at most so many at once on an SM */
    uint32_t warps, regs, smem; /* of a CTA, in the units of the SM's allocation */
    int32_t priority;           /* CUDA's: the lowest number goes first */
};
/* The grid at `place`, a free one; its first CTA is issued after `delay` cycles (>= 1). */
void dispatch_start(struct dispatch *, unsigned place, const struct dispatch_grid *, uint32_t delay);
/* Stops the engine once every CTA of the grid has executed griddepcontrol.launch_dependents or has ended ... */
void dispatch_watch_lets(struct dispatch *, unsigned place);
bool dispatch_lets_begin(const struct dispatch *, unsigned place); /* ... which is so */
/* A place whose grid has ended, which is free from now on; -1: none. */
int dispatch_ended(struct dispatch *);
/* No CTA runs on the SM, and none is on its way. */
bool dispatch_idle(const struct dispatch *, uint32_t sm);
/* What CTAs of several grids on the SM may take of its shared memory together. */
void dispatch_set_smem(struct dispatch *, uint32_t sm, uint64_t bytes);
/* The next grid that the dispatcher has CTAs of; -1: none. */
int dispatch_waiting(const struct dispatch *);

/* Called when a CTA starts and ends, with its SM, in the cycle in which the dispatcher starts it or learns of its end. */
typedef void dispatch_watch(void *ctx, uint32_t launch, uint64_t cta, uint32_t sm, uint64_t cycle, bool ends);
void dispatch_set_watch(struct dispatch *, dispatch_watch *, void *ctx);

/* For the grid at place 0, while it is alone. */
/* Stops the engine once `ctas` CTAs of the launch have ended; everything goes on as if it had not been. */
void dispatch_pause(struct dispatch *, uint64_t ctas);
bool dispatch_running(const struct dispatch *);  /* not all CTAs have ended */
uint64_t dispatch_next(const struct dispatch *); /* the first CTA that has not been handed out */
/* The next `ctas` CTAs count as ended; while the engine is stopped. */
void dispatch_skip(struct dispatch *, uint64_t ctas);

#endif
