/*
 * Executes a form's kernel with nothing but the operations: the arithmetic of its body through emu_op_select and the
 * handlers, its loads and stores as copies from and to arrays. So each compiled variant of the operations can be
 * compared with the GPU, with any set of active lanes, independently of the emulator's fetch loop and memory.
 */
#ifndef WEIR_SILICON_DIRECT_H
#define WEIR_SILICON_DIRECT_H

#include "emu/op_table.h"
#include "ptx/ir.h"

#include <stdint.h>

struct direct; /* a decoded kernel */

/* NULL with a message in *why when the kernel has an instruction the operations lack. */
struct direct *direct_new(const struct ptx_module *, const char *kernel, emu_op_select_fn *select, const char **why);
void direct_free(struct direct *);

/* One warp: in[k][lane] are the inputs, out[k][lane] the results. Registers of lanes outside `mask` must not change:
 * returns false when one did. */
bool direct_run(struct direct *, const uint64_t in[4][EMU_LANES], uint64_t out[2][EMU_LANES], uint32_t mask);

#endif
