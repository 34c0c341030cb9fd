/*
 * One L2 slice, as its neighbors and the builder see it.
 *
 *   request network -> l2_in(slice) -> [request order] -> tags and MSHRs -> reply port (reply network)
 *                                                              | miss             ^
 *                                                              v                  |
 *                                                    DRAM channel's port -> l2_fill_in(slice)
 *
 * l2_in carries requests with net_info(); its latency is l2.latency (GPGPU-Sim's ROP delay). Replies leave as packets
 * with net_info(bytes, sectors) and may be split (l2.split_sectors). Writes and reductions get an acknowledgment of
 * header size; write-backs get no reply. A miss goes to DRAM as a new request of the slice (token = MSHR) and returns
 * through l2_fill_in.
 */
#ifndef WEIR_L2_L2_H
#define WEIR_L2_L2_H

#include "engine/addrmap.h"
#include "engine/engine.h"
#include "engine/netmsg.h"
#include "engine/port.h"

struct l2;
struct l2_setup; /* l2/l2_config.h */

struct l2_env {
    uint32_t slice; /* global index */
    uint32_t n_slice;
    uint32_t n_sm;
    const struct addrmap *map;
};

struct l2 *l2_new(struct engine *, const struct l2_setup *, const struct l2_env *, const char *name, struct err *e);
struct port *l2_in(struct l2 *);
struct port *l2_fill_in(struct l2 *);
void l2_connect(struct l2 *, struct port *reply_out, struct port *dram_out);

/* Two partitions: pairs two slices, each of which also serves the other's lines. Call it before the engine starts. */
void l2_connect_partitions(struct l2 *, struct l2 *);

/*
 * Functional preload: marks the lines of [addr, addr + bytes), at least one byte, as present in the slices that they
 * belong to, as a host copy through the L2 leaves them (l2.copy_ways, l2.copy_dirty_ways), or a memset, which is a
 * kernel of the driver (by_kernel). With two partitions, a memset also leaves them in the counterpart that SMs access,
 * whereas a copy invalidates them there. `slice`: all of the machine, in the order of their indices. It costs no cycles
 * of the machine, and the host's time is bounded by the size of the cache. Call it only while the engine is stopped.
 */
void l2_preload(struct l2 *const *slice, uint32_t n_slice, uint64_t addr, uint64_t bytes, bool by_kernel);
/* Invalidates the lines of the same range that a host copy has overwritten in DRAM. */
void l2_invalidate(struct l2 *, uint64_t addr, uint64_t bytes);
/*
 * Functional warming (warm.c): an access to the 4-byte words (bits) of the 128 bytes from `addr` on, which is a multiple of
 * 32, that is not simulated in time. Only while the engine is stopped.
 */
void l2_warm(struct l2 *const *slice, uint32_t n_slice, uint64_t addr, uint32_t words, bool write);
/* Lines that are present, and for which there is room. */
uint32_t l2_lines(const struct l2 *), l2_capacity_lines(const struct l2 *);
void l2_kernel_begin(struct l2 *, uint32_t launch_index);
bool l2_is_hooked(const struct l2 *); /* an order of its own */
bool l2_drained(const struct l2 *);

#endif
