/* Inside a DRAM channel. */
#ifndef WEIR_DRAM_DRAM_PRIV_H
#define WEIR_DRAM_DRAM_PRIV_H

#include "dram/bank.h"

struct dram_stats {
    uint64_t reads, writes, read_bursts, write_bursts, read_bytes, write_bytes;
    uint64_t row_hits, row_misses, row_conflicts, activates, precharges;
    uint64_t data_cycles;       /* data bus in use */
    uint64_t active_cycles;     /* at least one request waiting or in service, or its last burst on the bus */
    uint64_t bank_cycles;       /* sum over banks of cycles with a current request */
    uint64_t blp_cycles;        /* cycles in which at least one bank has one */
    uint64_t cycles;            /* all DRAM cycles up to the last reading */
    uint64_t queue_cycles;      /* sum over time of requests in the queue */
    uint64_t queue_full_cycles; /* a request waited in a port because the queue was full */
};

struct dram_slot {
    req_id req;
    uint32_t row;
    uint64_t since;
    uint16_t next;   /* in its bank's list, or the free list */
    uint16_t bursts; /* still to be issued */
    uint8_t pieces;  /* requests it represents: what it takes of the queue */
    uint8_t client, bank, write;
};
#define SLOT_NONE UINT16_MAX

struct dram_bank {
    uint16_t head, tail, cur; /* waiting requests by age; the one in service */
    uint8_t cmd;              /* what that one needs next; DRAM_CMD_COUNT = none */
    uint64_t bursts;          /* column commands */
};

/* A request in the fixed latency before the scheduler. */
struct dram_coming {
    struct msg m;
    uint32_t client;
    struct addr_place place;
    uint64_t ready; /* DRAM cycle */
};

/* The bank and row of the request at the head of a client's port, which is needed in every cycle that it waits. */
struct dram_head {
    req_id req; /* REQ_NONE: not known */
    struct addr_place place;
};

/* A pseudo channel: banks, data bus and queue of its own. */
struct dram_pseudo {
    struct dram_timing timing;
    struct dram_bank bank[DRAM_MAX_BANK];
    uint32_t n_busy;                /* banks with a request in service */
    uint64_t data_until;            /* the last column command's burst occupies the bus up to here, cl cycles later */
    uint64_t wants[DRAM_CMD_COUNT]; /* these banks, by the command their request needs next */
    uint64_t row_at[2]; /* DRAM_ACT, DRAM_PRE: no bank that wants it may have it earlier, as far as the bank goes */
    uint32_t used;      /* of the queue, in pieces */
    uint32_t waiting;   /* pieces that no bank works on yet */
    uint32_t next_bank;
    uint64_t unassigned; /* banks with waiting requests and none in service */
    uint64_t wake;       /* no command is legal earlier, unless a request arrives */
    bool no_reply_room;  /* or a client makes room for the reply of a read that was ready */
    uint64_t counted_to; /* interval counters are up to date to the start of this cycle */
    bool was_full;
};

struct dram {
    struct comp comp;
    struct req *req;
    struct dram_config cfg;
    struct dram_env env;
    struct port *in; /* one per client */
    struct dram_head *head;
    struct port **out;
    struct dram_slot *slot;
    struct dram_pseudo *pseudo; /* cfg.pseudo_channels of them: the low bits of the bank */
    uint8_t pseudo_shift;       /* how many bits */
    uint16_t free;
    uint32_t next_client;
    struct dram_coming *coming; /* dram.latency_at = request: in order of arrival, a ring of in_flight entries */
    uint32_t coming_head, coming_n;
    uint32_t held;          /* requests of in_flight */
    uint64_t before_cycles; /* the fixed latency in DRAM cycles */
    uint32_t burst_bytes;
    struct dram_stats stats;
};

#endif
