/* Inside an L2 slice. */
#ifndef WEIR_L2_L2_PRIV_H
#define WEIR_L2_L2_PRIV_H

#include "cache/mshr.h"
#include "cache/tags.h"
#include "engine/ring.h"
#include "l2/l2_config.h"

struct l2_stats {
    uint64_t requests; /* packets taken from the network */
    uint64_t accesses, hits, misses, merges, bypasses;
    uint64_t read_hits, read_misses, write_hits, write_misses, atomics, sector_misses;
    uint64_t fills, evictions, write_backs, write_back_sectors, replies, warmed;
    uint64_t fail_cycles[L2_FAIL_COUNT], failed[L2_FAIL_COUNT];
    uint64_t busy; /* cycles in which a request was at the tags */
};

/* A request that waits for its sectors, all of which are there or on their way. */
struct l2_waiter {
    req_id req;
    uint32_t next;
    uint8_t sectors;
};

#define L2_PAST 0x80000000u /* in req.token of a fetch: a waiter of its own instead of an MSHR */

struct l2 {
    struct comp comp;
    struct req *req;
    struct port in, fill_in;
    struct port *reply_out, *dram_out;
    struct tags tags;
    struct mshr mshr;
    uint32_t mshr_units; /* MSHRs in use: lines, or sectors when requests are split */
    uint16_t *note;      /* per entry, when notes are kept */
    uint32_t *words;     /* per entry: 4-byte words written since it was taken without a fetch */
    struct l2_waiter *waiter;
    uint32_t waiter_free;
    struct ring miss;  /* requests of our own, on their way to DRAM */
    struct ring ready; /* waiters whose sectors are there */
    /* The request at the tags, what it asks for and where its line is (-1: nowhere). */
    req_id cur;
    uint8_t cur_asked;
    uint64_t cur_line;
    uint32_t cur_set;
    int32_t cur_entry;
    int8_t blocked;
    bool cur_waited;
    bool freed; /* something a blocked request may wait for has been freed since it was last tried */
    uint64_t blocked_since;
    uint64_t port_free_at; /* data port: next cycle it can be used */
    uint64_t atomic_free_at;
    const struct l2_order *order;
    const struct l2_order *order_any;
    void *order_st;
    struct l2_host host;
    struct l2_cfg cfg;
    struct l2_env env;
    struct l2_stats stats;
};

uint64_t l2_tick(struct comp *, uint64_t now);

#endif
