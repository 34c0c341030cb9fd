/*
 * From a warp's lane addresses to line requests, and to shared-memory passes.
 *
 * The coalescer merges the lanes of one instruction into as few lines as they touch, in the order of the first lane
 * that touches each (NVIDIA since Fermi; GPGPU-Sim's coalesce_arch 20). Atomics of several lanes to the same word
 * become several requests, because each must see the result of the one before.
 */
#ifndef WEIR_SM_COALESCE_H
#define WEIR_SM_COALESCE_H

#include "trace/stream.h"

#include <stdbool.h>
#include <stdint.h>

/* 32 lanes of up to 32 bytes; at worst each 4-byte word is in its own line (local memory). */
#define COALESCE_MAX 256

struct line_access {
    uint64_t addr;   /* first byte of the line */
    uint32_t words;  /* 4-byte words touched, of the line's first 128 bytes */
    uint16_t bytes;  /* distinct bytes touched */
    uint8_t first;   /* offset of the first lane's access */
    uint8_t partial; /* some word is touched in part */
};

/*
 * Fills `out` (room for COALESCE_MAX) with the lines of `line_bytes` (a power of two, 32..128) that `mem` touches with
 * `width` bytes per lane; returns how many. `split`: no two lanes share a word of one request (atomics).
 */
unsigned coalesce(const struct stream_mem *mem, unsigned width, unsigned line_bytes, bool split,
                  struct line_access *out);

/*
 * Segments, as GPGPU-Sim's coalesce_arch 13 forms them: accesses of 1 and 2 bytes are merged within 32 and 64 bytes
 * instead of the whole line, so that a line can be requested several times. Otherwise like coalesce().
 */
unsigned coalesce_segments(const struct stream_mem *mem, unsigned width, unsigned line_bytes, bool split,
                           struct line_access *out);
/* The sectors of the words of a line, eight each. */
static inline uint8_t coalesce_sectors(uint32_t words)
{
    words |= words >> 4 & 0x0f0f0f0f;
    words |= words >> 2 & 0x03030303;
    words = (words | words >> 1) & 0x01010101;
    return (uint8_t)(words * 0x10204080u >> 28 & 15);
}
/* The sectors of the smallest aligned 32, 64 or 128 bytes that hold `sectors` of a line. */
uint8_t coalesce_segment_of(uint8_t sectors);

/*
 * Local memory: thread t of the machine keeps its word w at (w * n_threads + t) * 4, so that a warp whose threads use
 * the same offset touches one line. Rewrites the addresses in `mem` for the warp whose first thread is `thread` and
 * coalesces 4-byte word by word.
 */
unsigned coalesce_local(const struct stream_mem *mem, unsigned width, unsigned line_bytes, uint64_t thread,
                        uint64_t n_threads, uint64_t base, struct line_access *out);

/*
 * Passes a shared-memory access takes: 1 without conflict. Lanes that read the same word are served together;
 * different words of one bank one after the other. 8-byte accesses are split into half warps, 16-byte accesses into
 * quarter warps. `atomic`: lanes with the same word are also served one after the other. `pairs`: two such parts are
 * served as one where every lane of the warp reads the address of lane ^ 1, or every lane that of lane ^ 2 (wide_shared
 * of silicon/probes).
 */
unsigned smem_passes(const struct stream_mem *mem, unsigned width, unsigned banks, bool atomic, bool pairs);

/* Cycles that a load occupies the L1's data: the largest number of lines in which it uses the same 4-byte bank. */
unsigned data_passes(const struct line_access *, unsigned n);

#endif
