/* Parameters of an L2 slice (section [l2]), the kind of its request-order policies, its statistics. */
#ifndef WEIR_L2_L2_CONFIG_H
#define WEIR_L2_L2_CONFIG_H

#include "cache/order.h"
#include "engine/config.h"
#include "engine/policy_registry.h"
#include "engine/stats.h"
#include "l2/l2.h"

enum l2_write {
    L2_WRITE_VALIDATE,     /* a store that misses allocates a line and marks its bytes; a later read fetches the rest */
    L2_WRITE_FETCH,        /* a store that misses fetches the line first */
    L2_WRITE_AROUND,       /* a store that misses goes to DRAM */
    L2_WRITE_AROUND_FETCH, /* a store that misses goes to DRAM and fetches the line, which is clean (GPGPU-Sim 3.2) */
};

enum l2_partition_of { L2_PARTITION_OF_ADDRESS, L2_PARTITION_OF_SM };

struct l2_config {
    uint64_t size; /* of one slice */
    uint64_t line;
    uint32_t assoc;
    uint32_t set_hash;
    bool sectored;      /* fetch and write back 32-byte sectors; no: whole lines */
    bool split_sectors; /* a request is handled, and answered, one sector at a time (GPGPU-Sim) */
    uint32_t mshrs, max_merges, miss_queue;
    uint32_t ingress_queue;
    uint32_t latency;
    uint32_t dram_queue, fill_queue;
    uint32_t write_miss; /* enum l2_write */
    uint32_t atomic_interval, atomic_latency;
    uint32_t atomic_part_sector, atomic_most_of_sector; /* half cycles; 0: an atomic takes atomic_interval */
    uint32_t part_store;    /* half cycles that a store of part of a sector takes one of two data banks; 0: none */
    bool store_awaits_fill; /* a store to a line in flight waits until it has arrived, and the tags with it */
    uint32_t port_bytes, write_port_bytes;
    bool port_packed;      /* reads share the port's cycles: a line of 128 bytes takes 2.56 cycles of 50 bytes */
    uint32_t store_cycles; /* that a store holds the port beyond its transfer, in the slice where its line lives */
    uint32_t fill_bytes;   /* a fill holds the fill port a cycle for so many bytes of its line; 0 = no time */
    bool write_back_port;  /* a read miss that writes a line back holds the data port while it is read out */
    bool miss_reserve;     /* a miss needs room in the miss queue for all it might send, whatever it sends */
    uint32_t miss_rate;    /* requests that leave the miss queue in a cycle; 0 = all */
    bool look_up_room;     /* no look-up while the queue to DRAM or to the network is full */
    uint32_t partition_of; /* enum l2_partition_of: what decides which partition an SM asks */
    uint32_t partitions, partition_link_latency, partition_link_bytes;
    uint64_t fetch;      /* what a miss fetches: the aligned piece of this size around each sector */
    uint32_t dirty_ways; /* of a set; 0 = all */
    uint32_t copy_ways, copy_dirty_ways;
    uint32_t coalesce; /* reads of a line that one look-up answers */
    bool coalesce_copies;
    bool line_metadata;
    bool bypass_on_stall; /* a read that finds no way, MSHR entry or merge slot bypasses the cache (RACB) */
    uint32_t order;       /* index in l2_order_kind */
};
extern const struct cfg_section l2_cfg_section;

struct l2_setup {
    const struct l2_config *cfg;
    const struct order_policy *order; /* NULL: the one that cfg->order names */
    const void *order_params;
    /* A policy of the L1s requires these, whatever l2.line_metadata and l2.bypass_on_stall say. */
    bool line_metadata, bypass_on_stall;
};

/* Which request reaches the tags next: struct order_policy (cache/order.h). */
extern struct policy_kind l2_order_kind;

void l2_register_stats(struct l2 *, struct stats *);
/* Its request order with its state, for reports; nothing when requests are taken straight from the port. */
void l2_each_policy(const struct l2 *, policy_visit *, void *ctx);
/*
 * Messages the DRAM channel's port must hold for one slice: l2.dram_queue, or as many split lines as have that many
 * sectors.
 */
uint32_t l2_dram_port_slots(const struct l2_config *);
/* Requests of its own (fetches and write-backs) one slice can have in flight inside itself and its queue to DRAM. */
uint32_t l2_max_own_requests(const struct l2_setup *);

#endif
