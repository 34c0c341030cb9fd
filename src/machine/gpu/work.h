/*
 * A program's work in simulated time: launches, copies and waits of the host, each of which begins when what it depends
 * on is done.
 *
 * Work is numbered from 0 in the order of its submission. Grids run side by side as far as the dispatcher finds room;
 * a copy takes the time of its engine, of which there are three: from the host, to the host, and on the device. Time in
 * which no grid runs does not pass for the machine, whose cycles stand still; it is kept beside them.
 *
 * What happens depends only on the work and its dependences, not on when it is submitted, as long as nothing that is
 * submitted late could have begun already: so a running program submits what it knows and lets the machine run until
 * something is done that all further work depends on.
 */
#ifndef WEIR_GPU_WORK_H
#define WEIR_GPU_WORK_H

#include "gpu/gpu.h"

/* Where a launch's instructions come from. */
struct gpu_source {
    void *ctx;
    const struct sm_streams *(*open)(void *ctx, uint32_t launch); /* NULL: given up */
    void (*close)(void *ctx, uint32_t launch);
};

/* Adds the next work. `k`, `l`, `source`: of a launch. What they point to must live as long as the gpu. */
uint64_t gpu_submit(struct gpu *, const struct trace_event *, const struct trace_kernel *k,
                    const struct trace_launch *l, const struct gpu_source *source);
/* Runs until that work is done; UINT64_MAX: until all is. */
enum gpu_end gpu_run_until(struct gpu *, uint64_t work, struct err *);
/* When it was done, in picoseconds since the program's beginning. */
uint64_t gpu_done_ps(const struct gpu *, uint64_t work);
/* Why kernels run one after another on this machine; NULL: they do not. */
const char *gpu_takes_turns(const struct gpu *);

#endif
