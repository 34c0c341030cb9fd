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
    uint16_t to, flits, sent;
    uint8_t class;
};

/* A flit: what routers need of its packet is in it, so that they never look at the packet. */
#define FLIT_HEAD 1ull
#define FLIT_TAIL 2ull
static inline uint64_t flit_make(uint32_t packet, uint32_t to, uint32_t pieces)
{
    return (uint64_t)packet << 32 | (uint64_t)to << 16 | (uint64_t)pieces << 8;
}
static inline uint32_t flit_packet(uint64_t flit)
{
    return (uint32_t)(flit >> 32);
}
static inline uint32_t flit_to(uint64_t flit)
{
    return (uint16_t)(flit >> 16);
}
static inline uint32_t flit_pieces(uint64_t flit)
{
    return (uint8_t)(flit >> 8);
}

#define OWN_FLITS 4 /* a buffer of so many is in the channel itself, so that a flit touches one line of the host */

struct chan {
    uint64_t *ring; /* the flits */
    struct router *router;
    struct chan *down; /* channel that the packet at the head owns; NULL = none yet */
    uint8_t head, n;   /* in the ring */
    uint8_t to;        /* output of the packet at the head */
    uint8_t number;    /* of the channel in its router */
    uint8_t vc, port;
    /* of the router behind */
    uint8_t credit; /* free slots */
    uint8_t owner;  /* its channel whose packet owns this one; NO_OWNER, FROM_NODE */
    uint64_t own[OWN_FLITS];
};

/*
 * What an output has before it is kept up as flits and credits come and go, so that a cycle looks at outputs that have
 * something to do and never at all channels. Bits are input channels of the router; of free_vc, virtual channels.
 */
struct output {
    uint64_t asks;                  /* channels whose packet has no virtual channel yet */
    uint64_t goes;                  /* channels with a flit and a credit for it (or a way to a node) */
    uint64_t first;                 /* channels whose packet has sent nothing yet */
    uint64_t free_vc;               /* virtual channels that no packet owns */
    struct chan *feeds;             /* the channels that it leads to */
    uint16_t node;                  /* that is ejected to; NO_NODE = it leads to a router */
    uint8_t next;                   /* channel with priority when it requests */
    uint8_t next_vc[NOC_MAX_CLASS]; /* by class: the same when it gives virtual channels */
} __attribute__((aligned(64)));

struct router {
    uint32_t asking;                          /* outputs with a free virtual channel that a packet may want */
    uint32_t ready;                           /* outputs for which a flit is ready */
    uint64_t *active, active_bit;             /* its place in routers.active */
    struct chan *in;                          /* its channels */
    uint8_t *route;                           /* by node: output */
    uint8_t next[MAX_PORT];                   /* by input port: output with priority among those requested */
    struct output output[] __attribute__((aligned(64)));
};

struct arrival {
    struct chan *chan; /* where the flit goes */
    uint64_t flit;
};
/* Flits on links in the order of their arrival. Those that left in one cycle arrive in one, too: it is kept per batch. */
struct batch {
    uint64_t at;
    uint32_t end; /* in the ring of arrivals */
};
struct links {
    struct arrival *flit;
    struct batch *batch;
    uint32_t flit_mask, flit_head, flit_tail;
    uint32_t batch_mask, batch_head, batch_tail;
};

/* A node's injection of one class. */
struct lane {
    struct chan *in;   /* first channel of its class at its router */
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
    uint64_t vcs_of_vc[MAX_CHAN];        /* the virtual channels of the same class */
    uint64_t class_chans[NOC_MAX_CLASS]; /* a router's channels of each class */
    struct router **router;
    struct chan *chan;     /* of all routers, then those of outputs to nodes */
    uint64_t *active;      /* routers to visit: bitmap */
    uint32_t active_words;
    uint32_t n_blocked;    /* bits in `blocked` */
    struct lane *lane;     /* as noc.in */
    uint8_t *inject_turn;  /* per node: the class with priority for the next flit */
    uint64_t *injecting;   /* per class mark_words words: nodes with a packet in progress */
    uint64_t *blocked;     /* the same: nodes that wait for a place in their router */
    struct packet *packet;
    uint32_t packet_free;
    uint32_t n_credit;
    struct links links;
    struct chan **credits; /* channels whose owner can continue in the next cycle */
    uint16_t *behind;      /* by channel: the router behind it, or the node */
    uint32_t latency;      /* switch to next buffer */
    uint16_t *router_of, *port_of; /* of each node's injection */
    uint16_t *eject_router;        /* of each node */
    uint32_t width, height, radix, stages;
};

/* routers.c: for one class, and for any number */
uint64_t routers_tick(struct comp *, uint64_t now);
uint64_t routers_tick_classes(struct comp *, uint64_t now);
void routers_waits(const struct comp *, struct waits *);

#endif
