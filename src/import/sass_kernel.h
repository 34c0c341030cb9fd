/*
 * The static table of a kernel (trace/kernel.h), gathered from its executions: a trace shows no code, only what warps
 * executed of it.
 *
 * Instructions are numbered in the order of their addresses; those that no warp executed are NOPs.
 * Loops follow from jumps: a lane that executes a jump and next an instruction at or before it has closed a loop, which
 * is taken to hold all instructions between the two. An address depends on loaded data when, in some warp, a register
 * of it was computed from what a load returned.
 */
#ifndef WEIR_IMPORT_SASS_KERNEL_H
#define WEIR_IMPORT_SASS_KERNEL_H

#include "import/accelsim.h"

struct sass_kernel;
struct sass_kernel *sass_kernel_new(const char *name);
void sass_kernel_free(struct sass_kernel *);
const char *sass_kernel_name(const struct sass_kernel *);

/* ---- gathering: all traces of the kernel, one after the other ---- */
void sass_kernel_launch(struct sass_kernel *, const struct accelsim_kernel *); /* a further launch */
void sass_kernel_warp(struct sass_kernel *);                                   /* a further warp */
/* An executed instruction. -1 and *e (without a place) when it contradicts the trace so far or cannot be timed. */
int sass_kernel_add(struct sass_kernel *, const struct accelsim_inst *, struct err *e);

/* ---- the table: from then on nothing can be added ---- */
void sass_kernel_finish(struct sass_kernel *);
const struct trace_kernel *sass_kernel_table(const struct sass_kernel *);
/* Number of the instruction at byte offset `pc` in the table. `near` is a guess, which may be wrong. */
uint32_t sass_kernel_index(const struct sass_kernel *, uint32_t pc, uint32_t near);
/*
 * Space and lanes of an access as stream.h wants them: generic addresses are resolved, those of shared and local memory
 * become offsets. Writes to addr; returns the lanes, 0 = the instruction has no addresses.
 */
uint32_t sass_kernel_access(const struct sass_kernel *, const struct trace_inst *, const struct accelsim_inst *,
                            uint8_t *space, uint64_t addr[TRACE_WARP_SIZE]);

/* ---- what a person should know ---- */
/* Each opcode that is not known, or whose accesses no trace shows, once. */
void sass_kernel_each_remark(const struct sass_kernel *, void (*fn)(void *ctx, const char *opcode, bool known),
                             void *ctx);

#endif
