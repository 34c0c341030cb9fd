/*
 * Memory accesses of handlers: check, resolve, record, and raise faults.
 *
 * Handlers that touch memory have kind EMU_K_MEM or EMU_K_SYNC, so the fetch loop looks for a fault after them. After
 * emu_raise a handler just returns; the warp does not continue. An access must be checked for all lanes before the first
 * byte is written.
 */
#ifndef WEIR_EMU_ACCESS_H
#define WEIR_EMU_ACCESS_H

#include "emu/emu.h"
#include "emu/warp.h"

#include <stdbool.h>

/* Stops the warp with a fault. `lane` names the thread; -1 = the warp's first active one. */
void emu_raise(struct emu_warp *, const struct emu_inst *, int lane, enum emu_fault_kind, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Calls emu_opts.remark, once for each instruction of a kernel, and continues. */
void emu_remark(struct emu_warp *, const struct emu_inst *, int lane, enum emu_fault_kind, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/*
 * Resolves `bytes` bytes at addr[lane] (an address of `space`, generic allowed) to host pointers for the lanes in mask.
 * Returns 0, or -1 after raising a fault: out of bounds, freed, never allocated, or misaligned to `align`.
 */
int emu_access(struct emu_warp *, const struct emu_inst *, uint32_t mask, enum ptx_space space,
               const uint64_t addr[EMU_LANES], uint32_t bytes, uint32_t align, void *ptr[EMU_LANES]);

/* Adds an address record to the warp's stream when recording. Once per executed memory instruction. */
void emu_record(struct emu_warp *, const struct emu_inst *, enum trace_space space, uint32_t mask,
                const uint64_t addr[EMU_LANES]);

/* Is the warp recorded? (To skip preparing addresses.) */
bool emu_recording(const struct emu_warp *);

/*
 * Resolves, checks and records in one: what an ordinary load or store of `bytes` per lane does. Generic addresses are
 * recorded in the space they resolve to.
 */
int emu_access_record(struct emu_warp *, const struct emu_inst *, uint32_t mask, enum ptx_space space,
                      const uint64_t addr[EMU_LANES], uint32_t bytes, uint32_t align, void *ptr[EMU_LANES]);

#endif
