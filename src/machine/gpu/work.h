/*
 * A program's work in simulated time: launches, copies and waits of the host, each of which begins when what it depends
 * on is done.
 *
 * Work is numbered from 0 in the order of its submission. Grids run side by side as far as the dispatcher finds room;
 * a copy takes the time of its engine, of which there are three: from the host, to the host, and on the device. Time in
 * which no grid runs does not pass for the machine, whose cycles stand still; it is kept beside them.
 *
 * A launch that is early (trace_event) becomes ready when its primary lets it begin, and is a grid beside that one like
 * any other; its griddepcontrol.wait blocks until the primary is done. It is done when both have ended, because a stream's
 * work is done in order, so what waits for it or measures it need not know of the primary. Sources: the CUDA Programming
 * Guide, 4.5: the secondary may launch when all CTAs of the primary have launched and triggered, a CTA that never does
 * triggers at its end, and the wait returns when the primary has completed and its memory is visible. What CUDA says of
 * a secondary that does not wait is only that it must; that it is done after its primary is weir's own rule.
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
