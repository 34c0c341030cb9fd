/*
 * Builds the static table of a kernel (trace/kernel.h) from its executions, because a trace contains only the
 * instructions that warps executed, not the code.
 *
 * Instructions are numbered in the order of their addresses; those that no warp executed are NOPs.
 * Loops are derived from jumps: a lane that executes a jump and next an instruction at or before it has closed a loop,
 * which is taken to contain all instructions between the two. An address depends on loaded data if, in some warp, one
 * of its registers was computed from the result of a load.
 */
#ifndef WEIR_IMPORT_SASS_KERNEL_H
#define WEIR_IMPORT_SASS_KERNEL_H

#include "import/accelsim.h"

struct sass_kernel;
struct sass_kernel *sass_kernel_new(const char *name);
void sass_kernel_free(struct sass_kernel *);
const char *sass_kernel_name(const struct sass_kernel *);

/* ---- gathering: all traces of the kernel, one after the other ---- */
void sass_kernel_launch(struct sass_kernel *, const struct accelsim_kernel *); /* a new launch */
void sass_kernel_warp(struct sass_kernel *);                                   /* a new warp */
/* An executed instruction. -1 and *e (without file and line) if it contradicts the trace so far or cannot be timed. */
int sass_kernel_add(struct sass_kernel *, const struct accelsim_inst *, struct err *e);

/* ---- the table; after sass_kernel_finish nothing can be added ---- */
void sass_kernel_finish(struct sass_kernel *);
const struct trace_kernel *sass_kernel_table(const struct sass_kernel *);
/* Index in the table of the instruction at byte offset `pc`. `near` is a guess, tried first; it may be wrong. */
uint32_t sass_kernel_index(const struct sass_kernel *, uint32_t pc, uint32_t near);
/*
 * Space, lanes and addresses of an access in the form that stream.h requires: generic addresses are resolved, those of
 * shared and local memory become offsets. Writes *space and addr; returns the lanes, 0 = there are no addresses.
 */
uint32_t sass_kernel_access(const struct sass_kernel *, const struct trace_inst *, const struct accelsim_inst *,
                            uint8_t *space, uint64_t addr[TRACE_WARP_SIZE]);

/* ---- remarks for the user ---- */
/* Calls fn for each static instruction whose opcode is unknown or whose accesses are not traced. */
void sass_kernel_each_remark(const struct sass_kernel *, void (*fn)(void *ctx, const char *opcode, bool known),
                             void *ctx);

#endif
