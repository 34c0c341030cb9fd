/*
 * The back end for time: what an assembler would make of a kernel's PTX, as far as time is concerned.
 *
 * Results come from the emulator, which executes PTX; this decides only what a machine with sm.code = scheduled issues
 * for it, and in which order (trace/code.h). docs/code.md tells what is modeled, and how far it is from ptxas.
 */
#ifndef WEIR_CODE_CODE_H
#define WEIR_CODE_CODE_H

#include "ptx/kernel_table.h"

/*
 * Adds the scheduled code to a kernel that ptx_build_kernel has made of code[0..n_code-1]. Memory comes from the arena.
 * A kernel with more registers than there are numbers gets none.
 */
int code_build(const struct ptx_code *code, unsigned n_code, struct arena *, struct trace_kernel *, struct err *);

#endif
