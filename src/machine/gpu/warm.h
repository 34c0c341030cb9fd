/* Functional warming of the L2 from a recording; see warm.c. */
#ifndef WEIR_GPU_WARM_H
#define WEIR_GPU_WARM_H

#include "gpu/gpu.h"
#include "trace/file.h"

/* CTAs [from, to) of a launch; while the engine is stopped. -1: their streams are corrupt. */
int warm_ctas(struct gpu *, struct trace_file *, uint32_t launch, uint64_t from, uint64_t to, struct err *);

#endif
