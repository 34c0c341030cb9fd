/* Parameters of an L2 slice (section [l2]), its ingress-order policies, its statistics. */
#ifndef WEIR_L2_L2_CONFIG_H
#define WEIR_L2_L2_CONFIG_H

#include "engine/config.h"
#include "engine/registry.h"
#include "engine/stats.h"
#include "l2/l2.h"

enum l2_write {
    L2_WRITE_VALIDATE, /* a store that misses takes a line and marks what it wrote; a later read fetches the rest */
    L2_WRITE_FETCH,    /* a store that misses fetches the line first */
    L2_WRITE_AROUND,   /* a store that misses goes to DRAM */
};

struct l2_cfg {
    uint64_t size; /* of one slice */
    uint64_t line;
    uint32_t assoc;
    uint32_t set_hash;
    bool sectors;       /* fetch and write back 32-byte sectors; no: whole lines */
    bool split_sectors; /* a request is handled, and answered, one sector at a time (GPGPU-Sim) */
    uint32_t mshrs, merges, miss_queue;
    uint32_t ingress_queue;
    uint32_t latency;
    uint32_t dram_queue, fill_queue;
    uint32_t write; /* enum l2_write */
    uint32_t atomic_interval, atomic_latency;
    uint32_t port_bytes;
    bool notes;
    bool bypass_on_fail; /* a read that finds no way, MSHR entry or merge slot goes to DRAM past the cache (RACB) */
    uint32_t order;      /* index in l2_order_kind */
};
extern const struct cfg_section l2_cfg_section;

struct l2_config {
    const struct l2_cfg *cfg;
    const void *order_params;
    bool notes; /* keep them whatever l2.notes says: a policy of the L1s uses them */
};

/* Why an access could not be taken. */
enum l2_fail { L2_FAIL_LINE, L2_FAIL_MSHR, L2_FAIL_MERGE, L2_FAIL_QUEUE, L2_FAIL_REPLY, L2_FAIL_ATOMIC, L2_FAIL_COUNT };

/* What an ingress-order policy gets at init. */
struct l2_host {
    const struct addrmap *map; /* bank, row and column of a request: addrmap_place(host->map, req->addr, &place) */
    uint32_t slice, line_size;
    struct arena *arena;
};

/*
 * Ingress order: a buffer between the network and the tags. All NULL (fifo): requests are taken from the port in order.
 * The policy chains requests by req.next or keeps its own storage.
 */
struct l2_order {
    struct policy_info info;
    size_t state_bytes;
    int (*init)(void *st, const void *params, struct l2_host *, struct err *);
    bool (*room)(void *st, const struct req *); /* can it be taken in? */
    void (*push)(void *st, struct req *pool, req_id,
                 uint32_t info); /* info: net_info of the packet, give it back in pick */
    req_id (*pick)(void *st, struct req *pool, uint64_t now, uint32_t *info); /* removes and returns the next one */
    uint32_t (*count)(const void *st);
    void (*on_kernel)(void *st, uint32_t launch_index);
};
extern struct policy_kind l2_order_kind;

void l2_register_stats(struct l2 *, struct stats *);
/* Its ingress order with its state, for reports; nothing when requests are taken straight from the port. */
void l2_each_policy(const struct l2 *, policy_visit *, void *ctx);
/*
 * Messages the DRAM channel's port must hold for one slice: l2.dram_queue, or as many split lines as have that many
 * sectors.
 */
uint32_t l2_dram_port_slots(const struct l2_cfg *);
/* Requests of its own (fetches and write-backs) one slice can have in flight inside itself and its queue to DRAM. */
uint32_t l2_max_own_requests(const struct l2_config *);

#endif
