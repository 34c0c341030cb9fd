/* Inside an L2 slice. */
#ifndef WEIR_L2_L2_PRIV_H
#define WEIR_L2_L2_PRIV_H

#include "cache/mshr.h"
#include "cache/tags.h"
#include "engine/ring.h"
#include "engine/tick.h"
#include "l2/l2_config.h"

/* An L2 has no banks to conflict in. */
enum { L2_STALLS = STALL_ATOMIC_BUSY + 1 };

struct l2_stats {
    uint64_t requests; /* packets taken from the network */
    uint64_t accesses, hits, misses, merges, bypasses;
    uint64_t read_hits, read_misses, write_hits, write_misses, atomics, sector_misses;
    uint64_t read_sectors, read_sector_hits, write_sectors;
    uint64_t fills, evictions, write_backs, write_back_sectors, replies, preloaded;
    uint64_t eager_write_backs; /* lines written back and kept: l2.dirty_ways */
    uint64_t stall_cycles[L2_STALLS], stalled_requests[L2_STALLS];
};

/* The outcome of a look-up, in requests, or in sectors when they are split. Counters and port time depend on it. */
struct l2_outcome {
    enum stall stall; /* not STALL_NONE: nothing has happened */
    uint32_t hits, misses, merges, bypasses;
    uint8_t missed; /* sectors that a read had to fetch */
    bool store;     /* counted among the writes */
    bool reads_out; /* a line that is written back, through the data port */
    bool forwarded; /* to the other partition, which performs it */
    bool line_here; /* the line was present, whatever sectors it had */
};

/* A request that waits for its sectors, all of which are present or in flight. */
struct l2_waiter {
    req_id req;
    uint32_t next;
    uint8_t sectors;
    bool far;    /* it came from the other partition */
    bool joined; /* an earlier read of the line is answered with the same data: coalescer.c */
};

/* Of slices in two partitions. */
struct l2_remote_stats {
    uint64_t fetches, forwarded;
};

#define L2_BYPASS 0x80000000u /* in req.token of a fetch: a waiter of its own instead of an MSHR */

/* A request that is looked up: one of the network or one of the counterpart. */
struct l2_lookup {
    req_id req; /* REQ_NONE: no request is at the tags */
    uint32_t set;
    uint64_t line;
    int32_t entry; /* -1: the line is absent */
    uint8_t asked; /* sectors */
    bool waited;   /* its first stall has been counted */
    bool copy;     /* its line lives in the counterpart */
    bool far;      /* it came from the counterpart */
};

struct l2 {
    struct comp comp;
    struct req *req;
    struct port in, fill_in;
    struct port *reply_out, *dram_out;
    /* Two partitions: from and to the counterpart, whose ports the latter are (NULL: one partition). */
    struct port remote_in, copy_in;
    struct port *remote_out, *copy_out;
    struct tags tags;
    struct mshr mshr;
    uint32_t mshr_units;   /* MSHRs in use: lines, or sectors when requests are split */
    uint16_t *policy_tag;  /* per entry, when notes are kept */
    uint8_t *copied_lines; /* per set: lines that the current copy has brought, up to the number of ways */
    uint32_t *words;       /* per entry: 4-byte words written since it was allocated without a fetch */
    struct l2_waiter *waiter;
    uint32_t waiter_free;
    struct ring miss;  /* the slice's own requests to DRAM */
    struct ring ready; /* waiters whose sectors have arrived */
    struct ring far;   /* fetches of copies and forwarded requests, to the counterpart */
    uint64_t link_free_at;
    uint64_t random_state; /* which copied line is replaced */
    uint32_t copy_units;   /* of mshr_units: those that fetch copies */
    req_id remote_cur; /* the counterpart's request in front of the tags, its port's info, why it was last refused */
    uint32_t remote_info;
    int8_t remote_stall;
    bool remote_freed; /* its reason for refusal may have been resolved since the last try */
    /* The network's request at the tags. While it waits, only the counterpart's requests can change its entry. */
    struct l2_lookup at_tags;
    int8_t blocked; /* enum stall: why nothing has been accepted since blocked_since */
    uint32_t freed; /* stall causes (bits) that may have been resolved since a request was last tried */
    uint64_t blocked_since;
    uint64_t port_free_at; /* data port: next cycle it can be used */
    uint32_t port_rest;    /* l2.port_packed: bytes that the last cycle before port_free_at could still move */
    uint64_t fill_free_at; /* fill port */
    bool closed;           /* l2.look_up_room: a queue behind the tags was full at the last try */
    uint64_t atomic_free_at;
    uint64_t atomic_free_half;  /* the same in half cycles, with l2.atomic_part_sector */
    uint64_t bank_free_half[2]; /* half cycles, with l2.part_store */
    struct l2_read *reads;      /* coalescer.c; NULL: l2.coalesce = 1 */
    uint64_t coalesced;
    const struct order_policy *order_policy;
    struct order *order; /* NULL: requests come straight from the port */
    uint32_t offered;    /* the slot of the request at the tags */
    struct l2_config cfg;
    struct l2_env env;
    struct l2_stats stats;
    struct l2_remote_stats remote_stats;
};

static inline bool is_atomic(const struct req *r)
{
    return r->kind == REQ_ATOMIC || r->kind == REQ_RED;
}

/* The number of requests that a set of sectors counts as. */
static inline uint32_t units(const struct l2 *l2, uint8_t sectors)
{
    return l2->cfg.split_sectors ? sector_count(sectors) : sectors != 0;
}

/* Stall causes (bits) that may have been resolved, for the request at the tags and for the counterpart's. */
static inline void free_causes(struct l2 *l2, uint32_t causes)
{
    l2->freed |= causes;
    l2->remote_freed = true;
}

static inline struct l2_outcome stalled(enum stall why)
{
    return (struct l2_outcome){.stall = why};
}

/* The waiter after `w` in its MSHR's chain. */
static inline uint32_t *l2_waiter_link(void *l2, uint32_t w)
{
    return &((struct l2 *)l2)->waiter[w].next;
}

/* l2_tick.c: one cycle of the slice. */
uint64_t l2_tick_plain(struct comp *, uint64_t now);
uint64_t l2_tick_partitioned(struct comp *, uint64_t now);
uint64_t l2_tick_reordered(struct comp *, uint64_t now); /* with an order policy */

/* l2_access.c: what a look-up does to the tags. */
/* The entry for an absent line: -1 = all reserved. *dirty: its line must be written back. */
int32_t l2_claim(struct l2 *, uint32_t set, bool *dirty);
void l2_place(struct l2 *, uint32_t entry, uint64_t line);
/* The words of the line written so far determine which sectors are readable without a fetch. */
void l2_note_written(struct l2 *, const struct req *, uint32_t entry, uint8_t sectors);
/* A request comes to the tags. */
struct l2_lookup l2_look_up_begin(const struct l2 *, req_id, uint32_t info, bool waited, bool far);
/* Looks up the network's request; an accepted request leaves the tags. */
void l2_try_plain(struct l2 *, uint64_t now);
void l2_try_reordered(struct l2 *, uint64_t now);
/* Counts the cycles for which nothing was accepted, by their cause; `why` is the cause from now on. */
void l2_count_stall(struct l2 *, struct l2_lookup *, enum stall why, uint64_t now);
/* Replies to a request, `extra` cycles later: one packet, or one per sector when requests are split. A read that has joined
 * another may take a copy of that one's packet (l2.coalesce_copies). */
void l2_answer(struct l2 *, req_id, uint8_t sectors, uint64_t extra, bool joined);
/* Looks up a request of the counterpart: STALL_NONE, it was accepted, or why not. */
enum stall l2_try_far(struct l2 *, req_id, uint32_t info, uint64_t now);

/* A read that joined another is answered now, or waits in the MSHR with it. */
void l2_answer_joined(struct l2 *, req_id, uint8_t sectors);
void l2_wait_joined(struct l2 *, uint32_t mshr, req_id, uint8_t sectors);

/* coalescer.c */
void l2_coalescer_init(struct l2 *);
/* A look-up has read the line (NEVER: it will be fetched): reads that arrive until then may join. */
void l2_coalescer_note(struct l2 *, uint64_t line, uint8_t sectors, uint64_t read_at);
void l2_coalescer_answered(struct l2 *, uint64_t line, uint64_t now);
/* Does the oldest request of the network join an earlier read? It is answered, or waits for room in the network. */
bool l2_coalesce(struct l2 *, uint64_t now);
/* The next cycle in which one may. */
uint64_t l2_coalescer_next(const struct l2 *, uint64_t now);

/* partition.c: the link to the counterpart, its requests, and those that this slice sends it. */
static inline bool l2_link_ready(const struct l2 *l2, struct port *to, uint64_t now)
{
    return now >= l2->link_free_at && port_can_send(to);
}
/* If fetches of copies take `more` MSHRs, do they still leave half of them to requests of the counterpart? */
static inline bool l2_leaves_mshrs(const struct l2 *l2, uint32_t more)
{
    return l2->copy_units + more <= l2->cfg.mshrs / 2;
}
/* Is the waiter a fetch of the counterpart, whose reply goes over the link? */
static inline bool l2_fetches_copy(const struct l2 *l2, const struct l2_waiter *w)
{
    return w->far && l2->req[w->req].kind == REQ_READ;
}
void l2_send_copy(struct l2 *, req_id, uint8_t sectors, uint64_t now);
enum stall l2_reserved_for_far(const struct l2 *, const struct l2_lookup *, uint32_t more);
struct l2_outcome l2_pass_on(struct l2 *, const struct l2_lookup *);
bool l2_access_far(struct l2 *, uint64_t now);
void l2_send_far(struct l2 *, uint64_t now);
uint64_t l2_next_far(const struct l2 *, uint64_t now);

/* For struct order_host. */
uint32_t l2_set_of(const void *l2, uint64_t addr);
uint32_t l2_needs(const void *l2, const struct req *, uint32_t info);

#endif
