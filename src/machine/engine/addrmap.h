/*
 * From an address to its place: memory channel, L2 slice, DRAM bank, row and column.
 *
 * The mapping is a line of text in the machine's configuration, most significant bit first, one letter per address bit:
 *     R row   B bank   L the bank's low bits   C column   S byte within the smallest unit (column bits too)
 *     . or space: ignored
 * after the channel has been taken out. The channel is (addr / interleave) mod channels, so that any number of channels
 * works; what remains, (addr / interleave / channels) * interleave + addr mod interleave, is what the text describes.
 * The bits above the text's belong to the row. Slices of a channel are chosen by the low bits of the bank, as in
 * GPGPU-Sim: the lowest B, or the bits L, so that an address may change the bank more often than the slice. Optional
 * hashing of bank and channel with row bits is named by its own keys.
 *
 * The GTX480 of GPGPU-Sim: interleave 256, "RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS".
 */
#ifndef WEIR_ENGINE_ADDRMAP_H
#define WEIR_ENGINE_ADDRMAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A run of address bits that goes to one place of a field: field |= (addr >> from & ones(len)) << to. */
struct addr_run {
    uint8_t from, to, len; /* len 0 ends a list */
};
#define ADDR_RUNS 8

struct addrmap {
    uint32_t n_channel, n_slice_per_channel; /* slices: a power of two */
    uint32_t n_bank;                         /* banks named by the text: a power of two */
    uint8_t interleave_shift;
    uint8_t channel_shift; /* when pow2 */
    bool pow2;             /* n_channel is a power of two */
    bool hash_bank;        /* bank ^= low row bits: rows of power-of-two strides spread over banks */
    bool hash_channel;     /* rotate the channels of each group by a mix of the upper bits */
    uint8_t n_partition;   /* halves of the channels with an L2 of their own: 1 or 2; addrmap_init sets 1 */
    bool partition_of_sm;  /* an SM asks in one of them; no: the address decides where SMs ask */
    struct addr_run row[ADDR_RUNS], bank[ADDR_RUNS], col[ADDR_RUNS];
};

struct addr_place {
    uint32_t channel;
    uint32_t slice;          /* global: channel * n_slice_per_channel + slice within the channel */
    uint32_t bank, row, col; /* col: byte offset in the row */
};

/* Parses `text`. 0, or -1 with *e filled. */
int addrmap_init(struct addrmap *, const char *text, uint32_t interleave_bytes, uint32_t n_channel,
                 uint32_t n_slice_per_channel, bool hash_bank, bool hash_channel, struct err *e);
void addrmap_place(const struct addrmap *, uint64_t addr, struct addr_place *out);
/* Only the slice: what an L1 asks for every miss. */
uint32_t addrmap_slice(const struct addrmap *, uint64_t addr);
/*
 * Partitions of the L2: the first half of the channels with their slices, and the second. A line lives in the slice of
 * its channel. SMs ask that slice or its counterpart, the slice in its place in the other partition: by the address, so
 * that half of the lines are far for all, or by the SM, each of which is connected to one partition.
 */
static inline uint32_t addrmap_counterpart(const struct addrmap *m, uint32_t slice)
{
    uint32_t half = m->n_channel * m->n_slice_per_channel / 2;
    return slice < half ? slice + half : slice - half;
}
/* The slice that half of the SMs would ask, by a hash of the block: the line's own or its counterpart. */
static inline uint32_t addrmap_slice_by_address(const struct addrmap *m, uint64_t addr)
{
    uint32_t slice = addrmap_slice(m, addr);
    if (m->n_partition == 1 || __builtin_parityll(addr >> m->interleave_shift))
        return slice;
    return addrmap_counterpart(m, slice);
}
/*
 * The slice that an SM asks for an address. Which partition an SM belongs to is a hash of its index, so that neither
 * even ones nor the first ones are all in the same.
 */
static inline uint32_t addrmap_request_slice(const struct addrmap *m, uint64_t addr, uint32_t sm)
{
    if (!m->partition_of_sm)
        return addrmap_slice_by_address(m, addr);
    uint32_t slice = addrmap_slice(m, addr), half = m->n_channel * m->n_slice_per_channel / 2;
    return (slice < half) == (bool)__builtin_parity(sm) ? slice : addrmap_counterpart(m, slice);
}
/* The address within its slice: channel and slice taken out, so that a slice's sets are all used. */
uint64_t addrmap_local(const struct addrmap *, uint64_t addr);

#endif
