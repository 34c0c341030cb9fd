/*
 * A run as a file of Chrome's trace-event format, which ui.perfetto.dev, chrome://tracing and Speedscope open.
 *
 * Rows: the kernels by stream; counters of the machine (issue slots by reason, IPC, hit rates, DRAM, networks, power);
 * and for each SM its CTAs, the reason that cost it most issue slots, and the phases of policies that work in phases.
 * Time is simulated time, in microseconds with six decimals. The file depends on the run alone: ticking, skipping and
 * replaying give the same bytes. docs/profile.md describes it.
 *
 * Left out: host copies, which take no time on the machine.
 */
#ifndef WEIR_GPU_TIMELINE_H
#define WEIR_GPU_TIMELINE_H

#include "gpu/gpu.h"

/* Of a gpu with gpu_opts.timeline, after its last launch. `command`: the program and its arguments. */
int timeline_write(struct gpu *, const char *command, const char *path, struct err *);
/* What the file shows instead of all: "50000 of 70000 CTAs, ..."; false: it shows all. */
enum { TIMELINE_NOTE = 240 };
bool timeline_thinned(struct gpu *, char out[TIMELINE_NOTE]);

#endif
