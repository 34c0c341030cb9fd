/*
 * Inside the networks of routers: shared by routers_build.c (shape, wiring) and routers.c (the cycle).
 *
 * A channel is the buffer of one virtual channel at one input port of a router, and what the router behind it knows of
 * it. Within its router it has the number (port << vc_shift) + vc and is a bit of a word. The virtual channels of a
 * port belong to message classes: class c has [c * n_vc, (c + 1) * n_vc). An output that leads to a node has channels,
 * too, which hold nothing: a packet owns one of them while it leaves.
 */
#ifndef WEIR_NOC_ROUTERS_PRIV_H
#define WEIR_NOC_ROUTERS_PRIV_H

#include "noc/noc_priv.h"

#define NONE      UINT32_MAX
#define NO_NODE   UINT16_MAX
#define NO_OWNER  UINT8_MAX
#define FROM_NODE (UINT8_MAX - 1) /* owner of a channel that a node fills */
#define MAX_PORT  16
#define MAX_CHAN  64 /* of a router */

struct packet {
    req_id req;
    uint32_t info;
    uint64_t since;
    uint32_t next; /* free list */
    uint16_t flits, sent;
    uint8_t class;
};
/* What routers look at. */
struct heading {
    uint16_t to;
    uint8_t pieces;
};

/* A flit: packet << 2 | tail << 1 | head. */
#define FLIT_HEAD 1u
#define FLIT_TAIL 2u

/*
 * Channels have routers.chan_bytes each, with their flits: most often 32, of which two share a line of the host. One
 * names another by its distance from the first in bytes.
 */
struct chan {
    uint32_t down;   /* channel that the packet at the head owns; NONE = none yet */
    uint16_t router; /* that it is an input of */
    uint16_t behind; /* the router behind it, or the node */
    uint8_t number;  /* in its router */
    uint8_t port, vc;
    uint8_t head, n; /* in the ring of flits */
    uint8_t to;      /* output of the packet at the head */
    /* of the router behind */
    uint8_t credit; /* free slots, as it knows */
    uint8_t owner;  /* its channel whose packet owns this one; NO_OWNER, FROM_NODE */
    uint32_t flit[];
};

/*
 * What an output has before it is kept up as flits and credits come and go, so that a cycle looks at outputs that have
 * something to do and never at all channels. Bits are input channels of the router; of free_vc, virtual channels.
 */
struct output {
    uint64_t asks;                  /* channels whose packet has no virtual channel yet */
    uint64_t goes;                  /* channels with a flit and a credit for it (or a way to a node) */
    uint32_t free_vc;               /* virtual channels that no packet owns */
    uint32_t feeds;                 /* first of the channels that it leads to */
    uint16_t node;                  /* that is ejected to; NO_NODE = it leads to a router */
    uint8_t next;                   /* channel with priority when it requests */
    uint8_t next_vc[NOC_MAX_CLASS]; /* by class: the same when it gives virtual channels */
} __attribute__((aligned(32)));

struct router {
    uint32_t asking;              /* outputs with a free virtual channel that a packet may want */
    uint32_t ready;               /* outputs for which a flit is ready */
    uint32_t to_nodes;            /* outputs that lead to nodes */
    uint64_t *active, active_bit; /* its place in routers.active */
    char *in;                     /* its channels */
    uint8_t *route;               /* by node: output */
    uint8_t next[MAX_PORT];       /* by input port: output with priority among those requested */
    struct output output[];
} __attribute__((aligned(64)));

struct arrival {
    uint32_t chan; /* where the flit goes */
    uint32_t flit;
};

/* A node's injection of one class. */
struct lane {
    char *in;          /* first channel of its class at its router */
    uint32_t packet;   /* that it is sending; NONE */
    uint32_t reserved; /* packets in flight into its receiving port */
    uint8_t vc;        /* of its class: the channel it uses */
    uint8_t next;      /* of its class: the channel with priority for the next packet */
};

struct routers {
    struct noc noc;
    uint32_t n_router, n_port;
    uint32_t n_vc; /* virtual channels of a class at a port */
    uint32_t vc_shift;
    uint32_t depth, depth_mask; /* flits a buffer holds; size of its ring - 1 */
    uint8_t class_of_vc[MAX_CHAN];
    uint32_t vcs_of_vc[MAX_CHAN];        /* the virtual channels of the same class */
    uint64_t class_chans[NOC_MAX_CLASS]; /* a router's channels of each class */
    struct router **router;
    char *chan; /* of all routers, then those of outputs to nodes */
    uint32_t chan_bytes;
    uint32_t active_words;
    uint64_t *active;     /* routers to visit: bitmap */
    uint32_t n_blocked;   /* bits in `blocked` */
    struct lane *lane;    /* as noc.in */
    uint8_t *inject_turn; /* per node: the class with priority for the next flit */
    uint64_t *injecting;  /* per class mark_words words: nodes with a packet in progress */
    uint64_t *blocked;    /* the same: nodes that wait for a place in their router */
    struct packet *packet;
    struct heading *heading; /* of each packet */
    uint32_t packet_free;
    /* Flits on links by cycle of arrival, at cycle & link_mask: how many, and n_router * n_port places for them. */
    uint32_t *arriving;
    struct arrival *arrival;
    struct arrival *sent; /* place of the next flit that leaves in this cycle */
    uint32_t link_mask;
    uint32_t latency;  /* switch to next buffer */
    uint32_t *credits; /* channels that get a credit in the next cycle */
    uint32_t n_credit;
    uint16_t *router_of, *port_of; /* of each node's injection */
    uint16_t *eject_router;        /* of each node */
    uint32_t width, height, radix, stages;
};

static inline struct chan *chan_at(const struct routers *n, uint32_t at)
{
    return (struct chan *)(n->chan + at);
}
/* Channel i of a router. */
static inline struct chan *chan_in(const struct routers *n, const struct router *r, uint32_t i)
{
    return (struct chan *)(r->in + i * n->chan_bytes);
}

/* routers.c: for one class, and for any number */
uint64_t routers_tick(struct comp *, uint64_t now);
uint64_t routers_tick_classes(struct comp *, uint64_t now);
void routers_waits(const struct comp *, struct waits *);

#endif
