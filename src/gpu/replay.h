/* Drives a machine from a recording: the same launches, copies and streams as when the program ran. */
#ifndef WEIR_GPU_REPLAY_H
#define WEIR_GPU_REPLAY_H

#include "gpu/gpu.h"
#include "trace/file.h"

/* Runs everything in `f` on `g`. FAILED: *e is filled. */
enum gpu_end gpu_replay(struct gpu *, struct trace_file *f, struct err *e);

#endif
