/*
 * From PTX to the machine's view of a kernel: one table of static instructions for the entry and all it can call.
 *
 * A kernel has one pc space. The entry's instructions come first, then those of each further function in the order the
 * caller lists them; an instruction's pc is its function's base_pc plus its index in ptx_func.inst. Branch targets,
 * reconv_pc and so on stay relative to their function: add base_pc.
 *
 * An instruction is a memory instruction, that is: it has an address record in a warp's stream whenever its effective
 * mask is not 0, exactly when its mem_index is not UINT32_MAX:
 *   ld, ldu, st, atom, red            in global, shared, local, const and generic space
 *   tex, tld4                         cls TEX, space TEX; width = the bytes of all fetched components
 *   suld, sust, sured                 cls SURF, space GLOBAL
 *   cp.async (not its group commands) cls LOAD, space GLOBAL, flag ASYNC: the addresses of the global side
 *   wmma.load, wmma.store             cls LOAD/STORE; width = the tile's bytes / 32
 *   ldmatrix, stmatrix                cls LOAD/STORE; width 16: one row a lane
 *   mbarrier (not pending_count)      cls ATOM, space SHARED, width 8
 *
 * Kernel parameters (ld.param of an entry's parameter) are cls LOAD, space PARAM, without mem_index: they are constants
 * to the machine. ld.param/st.param of a call's arguments and results are cls MOVE, space NONE. txq, suq, prefetch,
 * discard, createpolicy and similar instructions access nothing that weir times.
 */
#ifndef WEIR_PTX_KERNEL_TABLE_H
#define WEIR_PTX_KERNEL_TABLE_H

#include "base/err.h"
#include "base/mem.h"
#include "ptx/ir.h"
#include "trace/kernel.h"

struct ptx_code {
    struct ptx_module *module;
    struct ptx_func *func; /* has a body; analyzed on the way when it is not yet */
    uint32_t base_pc;      /* output */
    uint32_t base_reg;     /* output: number of its first scoreboard register (rows, then predicates) */
};

/*
 * Builds the table of code[0] (the entry) with code[1..n_code-1] (everything it may call) in *out; all memory comes
 * from `arena`. smem_static_bytes and local_bytes_per_thread are sums over all the code's variables; the caller, who
 * places variables (and knows module-level .shared ones of other modules), may overwrite them.
 * Fails only when a function has no body or cannot be analyzed. An instruction with `bad` set becomes a NOP.
 */
int ptx_build_kernel(struct ptx_code *code, unsigned n_code, struct arena *arena, struct trace_kernel *out,
                     struct err *e);

/* Bytes that one lane of a memory instruction moves, vector included: 1 to 32. */
unsigned ptx_access_bytes(const struct ptx_inst *);

/*
 * Functions that `func` may call directly or not: writes their indices in module.func to list (room for n_func) and
 * returns how many. `func` itself is first. Declarations without body are included: the linker looks them up by name.
 * An indirect call reaches its .calltargets, or without them every function whose address the module takes.
 */
uint32_t ptx_reachable(const struct ptx_module *, uint32_t func, uint32_t *list);

#endif
