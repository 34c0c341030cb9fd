/*
 * Inside the networks of routers: shared by routers_build.c (shape, wiring) and routers.c (the cycle).
 *
 * A channel (router, port, virtual channel) has one number, (router << chan_shift) + (port << vc_shift) + vc, so that
 * no division is needed. Within its router it is a bit of a word. The virtual channels of a port belong to message
 * classes: class c has [c * n_vc, (c + 1) * n_vc).
 */
#ifndef WEIR_NOC_ROUTERS_PRIV_H
#define WEIR_NOC_ROUTERS_PRIV_H

#include "noc/noc_priv.h"

#define NONE     UINT32_MAX
#define NO_CHAN  UINT16_MAX
#define NO_NODE  UINT16_MAX
#define MAX_PORT 16
#define MAX_CHAN 64 /* of a router */

struct packet {
    req_id req;
    uint32_t info;
    uint64_t since;
    uint32_t next; /* free list */
    uint16_t to, flits, sent;
    uint8_t class;
};

/* A channel as the input of its router: the buffer and what the packet at its head holds. */
struct in_chan {
    uint16_t head, n; /* in the ring of flits */
    uint16_t holds;   /* output channel of the packet at the head; NO_CHAN = none yet */
    uint16_t to;      /* output of that packet */
};
/* The same number as an output of its router: the buffer at the other end of the link. */
struct out_chan {
    uint16_t credit; /* free slots there */
    uint16_t owner;  /* input channel of the router whose packet holds it; NO_CHAN = none */
};

struct input {
    uint32_t behind; /* first channel of the output that feeds it; NONE = a node does */
    uint16_t node;   /* that injects here; NO_NODE */
    uint16_t next;   /* output with priority among those requested */
};
/*
 * What an output has before it is kept up as flits and credits come and go, so that a cycle looks at outputs that have
 * something to do and never at all channels. Bits are input channels of the router; of free_vc, virtual channels.
 */
struct output {
    uint64_t asks;                   /* channels whose packet has no virtual channel yet */
    uint64_t goes;                   /* channels with a flit and a credit for it (or a way to a node) */
    uint64_t free_vc;                /* virtual channels that no packet holds */
    uint32_t feeds;                  /* first channel of the input that it leads to; NONE = a node */
    uint16_t node;                   /* that is ejected to; NO_NODE */
    uint16_t next;                   /* channel with priority when it requests */
    uint16_t next_vc[NOC_MAX_CLASS]; /* by class: the same when it gives virtual channels */
};
struct router {
    uint32_t asking; /* outputs with a free virtual channel that a packet may want */
    uint32_t ready;  /* outputs for which a flit is ready */
    uint32_t *buf;   /* its channels' rings */
    uint8_t *route;  /* by node: output */
    struct input input[MAX_PORT];
    struct output output[MAX_PORT];
    struct in_chan in[MAX_CHAN];
    struct out_chan out[MAX_CHAN];
};

struct arrival {
    uint64_t at;
    uint32_t chan; /* where the flit goes */
    uint32_t flit; /* packet << 2 | tail << 1 | head */
};
struct fifo {
    struct arrival *slot;
    uint32_t mask, head, tail;
};

struct routers {
    struct noc noc;
    uint32_t n_router, n_port;
    uint32_t n_vc; /* virtual channels of a class at a port */
    uint8_t vc_shift, chan_shift;
    uint8_t class_of_vc[MAX_CHAN];
    uint32_t vc_mask, chan_mask;
    uint64_t class_chans[NOC_MAX_CLASS];     /* a router's channels of each class */
    uint32_t depth, depth_mask, depth_shift; /* flits a buffer holds; size of its ring */
    struct router *router;
    uint64_t *active; /* routers to visit: bitmap */
    uint32_t active_words;
    uint16_t *router_of, *port_of; /* of each node's injection */
    uint16_t *eject_router;        /* of each node */
    uint32_t *reserved;            /* per lane: packets in flight into its port */
    uint32_t *inject_packet;       /* per lane: the packet it is sending; NONE */
    uint8_t *inject_vc;            /* per lane: the channel it uses */
    uint8_t *inject_ptr;           /* per lane: the channel of its class with priority for the next packet */
    uint8_t *inject_turn;          /* per node: the class with priority for the next flit */
    uint64_t *injecting;           /* per class mark_words words: nodes with a packet in progress */
    uint64_t *blocked;             /* the same: nodes that wait for a place in their router */
    struct packet *packet;
    uint32_t packet_free;
    struct fifo flits;
    uint32_t *credits; /* channels whose owner can continue in the next cycle */
    uint32_t n_credit;
    uint32_t latency; /* switch to next buffer */
    uint32_t width, height, radix, stages;
};

/* routers.c: for one class, and for any number */
uint64_t routers_tick(struct comp *, uint64_t now);
uint64_t routers_tick_classes(struct comp *, uint64_t now);
void routers_waits(const struct comp *, struct waits *);

#endif
