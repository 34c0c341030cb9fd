/*
 * Inside the networks of routers: shared by routers_build.c (shape, wiring) and routers.c (the cycle).
 *
 * Everything lies in flat arrays; a channel (router, port, virtual channel) is one index. Channels are numbered (router
 * << chan_shift) + (port << vc_shift) + vc, so no division is needed; a router's channels are bits of one word. The
 * virtual channels of a port belong to message classes: class c has [c * n_vc, (c + 1) * n_vc).
 */
#ifndef WEIR_NOC_ROUTERS_PRIV_H
#define WEIR_NOC_ROUTERS_PRIV_H

#include "noc/noc_priv.h"

#define NONE     UINT32_MAX
#define NO_CHAN  UINT16_MAX
#define MAX_PORT 16

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
    uint8_t head, n;   /* in the ring of flits */
    uint16_t out_chan; /* output channel it holds; NO_CHAN = none */
    uint8_t out_port;  /* route of the packet at the head */
    uint8_t spare[3];
};
/* The same number as an output of its router: the buffer at the other end of the link. */
struct out_chan {
    uint8_t credit; /* free slots there */
    uint8_t owner;  /* input channel (within the router) whose packet holds it; NO_OWNER = none */
};
#define NO_OWNER 0xff

/*
 * What a router's outputs have before them, kept up as flits and credits come and go, so that a cycle looks at outputs
 * that have something to do and never at all channels. Bits of words by output are input channels of the router.
 */
struct router {
    uint32_t asking;            /* outputs for which a packet waits for a virtual channel */
    uint32_t ready;             /* outputs for which a flit is ready */
    uint64_t asks[MAX_PORT];    /* by output: channels whose packet has no virtual channel yet */
    uint64_t goes[MAX_PORT];    /* by output: channels with a flit and a credit for it (or a way to a node) */
    uint64_t free_vc[MAX_PORT]; /* by output: its virtual channels that no packet holds */
};

struct arrival {
    uint64_t at;
    uint32_t chan; /* where the flit, or the credit, goes */
    uint32_t flit; /* packet << 2 | tail << 1 | head */
};
struct fifo {
    struct arrival *slot;
    uint32_t mask, head, tail;
};

struct routers {
    struct noc noc;
    uint32_t n_router, n_port, n_chan;
    uint32_t n_vc; /* virtual channels of a class at a port */
    uint8_t vc_shift, chan_shift;
    uint8_t class_of_vc[64];
    uint64_t class_chans[NOC_MAX_CLASS];     /* a router's channels of each class */
    uint32_t depth, depth_mask, depth_shift; /* flits a buffer holds; size of its ring */
    uint32_t *buf;
    struct in_chan *in;
    struct out_chan *out;
    struct router *router;
    uint32_t *feeds;     /* by (router, port): number of the next router's port; NONE = a node */
    uint32_t *behind;    /* by (router, port): number of the output that feeds this input; NONE = a node */
    uint16_t *node_of;   /* by (router, port): node that is ejected to; 0xffff */
    uint16_t *sender_at; /* by (router, port): node that injects here; 0xffff */
    uint8_t *switch_ptr; /* by (router, output): channel that comes first when it offers itself */
    uint8_t *accept_ptr; /* by (router, input port): output that comes first of several that offer themselves */
    uint8_t *vc_ptr;     /* by (router, port) and class: the same for virtual channels */
    uint8_t *route;      /* [router * nodes + node]: output port */
    uint64_t *active;    /* routers to visit: bitmap */
    uint32_t active_words;
    uint16_t *router_of, *port_of; /* of each node's injection */
    uint16_t *eject_router;        /* of each node */
    uint32_t *reserved;            /* per lane: packets in flight into its port */
    uint32_t *inject_packet;       /* per lane: the packet it is sending; NONE */
    uint8_t *inject_vc;            /* per lane: the channel it uses */
    uint8_t *inject_ptr;           /* per lane: the channel of its class that comes first for the next packet */
    uint8_t *inject_turn;          /* per node: the class that comes first for the next flit */
    uint64_t *injecting;           /* per class mark_words words: nodes with a packet in progress */
    uint64_t *blocked;             /* the same: nodes that wait for a place in their router */
    struct packet *packet;
    uint32_t packet_free;
    struct fifo flits, credits;
    uint32_t latency; /* switch to next buffer */
    uint32_t width, height, radix, stages;
};

/* routers.c: for one class, and for any number */
uint64_t routers_tick(struct comp *, uint64_t now);
uint64_t routers_tick_classes(struct comp *, uint64_t now);
void routers_waits(const struct comp *, struct waits *);

#endif
