/* Inside gpu/: grids that run, several at once; see launch.c. */
#ifndef WEIR_GPU_LAUNCH_H
#define WEIR_GPU_LAUNCH_H

#include "gpu/gpu_priv.h"

/* While the engine stands still. The launch numbered `number` takes a place, which is returned; -1: it does not fit. */
int grid_begin(struct gpu *, const struct trace_kernel *, const struct trace_launch *, uint32_t number,
               int32_t priority, const struct sm_streams *, struct err *);
/* It has ended; or it is given up (not `whole`). */
void grid_end(struct gpu *, unsigned place, bool whole);
/* Adds `value` to `sum`, or keeps the larger where the statistic is a maximum. */
void gpu_add_values(const struct gpu *, uint64_t *sum, const uint64_t *value);
void gpu_take_sample(struct gpu *);

#endif
