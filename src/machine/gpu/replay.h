/* Drives a machine from a recording: the same launches, copies and streams as when the program ran. */
#ifndef WEIR_GPU_REPLAY_H
#define WEIR_GPU_REPLAY_H

#include "gpu/gpu.h"
#include "trace/file.h"

/* Runs everything in `f` on `g`. FAILED: *e is filled. */
enum gpu_end gpu_replay(struct gpu *, struct trace_file *f, struct err *e);
/* The same up to the end of the given number of launches; studies that stop early ask for it. */
enum gpu_end gpu_replay_first(struct gpu *, struct trace_file *f, uint32_t launches, struct err *e);

#endif
