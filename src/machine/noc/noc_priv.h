/* What the networks have in common. Each topology embeds struct noc first and has its own tick. */
#ifndef WEIR_NOC_NOC_PRIV_H
#define WEIR_NOC_NOC_PRIV_H

#include "engine/tick.h"
#include "noc/noc_config.h"

struct noc_stats {
    uint64_t packets_in, packets_out; /* accepted from nodes, handed to nodes */
    uint64_t flits_in, flits_out;
    uint64_t hops; /* routers (crossbar: 1) each packet passed */
    uint64_t flit_hops;
    uint64_t latency; /* NoC cycles from a packet's arrival at the network to its delivery, summed */
    uint64_t latency_max;
    uint64_t bytes;
};

/* The part of them that is kept by class, when there are several. */
struct noc_class_stats {
    uint64_t packets, flits; /* delivered */
    uint64_t latency, latency_max;
};

/* What names the receiver of a class's packets. */
enum noc_dest { NOC_DEST_TO, NOC_DEST_FROM, NOC_DEST_VIA };

/*
 * Classes are numbered 0 .. n_class - 1 inside a network. A lane is one class of one node: class * n_node + node. With
 * one class a lane is a node.
 */
struct noc {
    struct comp comp;
    struct req *req;
    struct port *in;   /* per lane */
    struct port **out; /* per lane; NULL = it receives nothing */
    uint64_t *marked;  /* per class mark_words words: nodes whose injection port may hold packets */
    uint32_t mark_words;
    uint32_t n_node, n_sm, n_mem;
    uint32_t in_flight; /* packets inside, by pieces */
    uint32_t n_class;
    uint8_t dest[NOC_MAX_CLASS];     /* enum noc_dest */
    uint8_t class_of[NOC_MAX_CLASS]; /* enum net_class */
    enum noc_role role;
    const struct addrmap *via;
    struct noc_config cfg;
    struct noc_stats stats;
    struct noc_class_stats of_class[NOC_MAX_CLASS];
    uint32_t (*hops)(const struct noc *, uint32_t from, uint32_t to);
};

static inline uint32_t noc_flits(const struct noc *n, uint32_t info)
{
    uint32_t bytes = net_bytes(info), pieces = net_pieces(info);
    return bytes <= n->cfg.flit ? pieces : (bytes + n->cfg.flit - 1) / n->cfg.flit * pieces;
}

/* The node a packet of class c is for. */
static inline uint32_t noc_target(const struct noc *n, uint32_t c, req_id id)
{
    const struct req *r = &n->req[id];
    if (n->dest[c] == NOC_DEST_TO)
        return r->to;
    return n->dest[c] == NOC_DEST_FROM ? r->from : n->n_sm + addrmap_slice(n->via, r->addr);
}

void noc_count_delivery(struct noc *, uint32_t c, uint32_t pieces, uint32_t flits, uint64_t latency);

static inline void noc_count_entry(struct noc *n, uint32_t info, uint32_t flits)
{
    n->stats.packets_in += net_pieces(info);
    n->stats.flits_in += flits;
    n->stats.bytes += (uint64_t)net_bytes(info) * net_pieces(info);
}

/* crossbar.c, routers_build.c: n_node, n_sm, n_mem, n_class and cfg of *base are set, and are copied. */
struct noc *crossbar_new(struct engine *, const struct noc *base, struct err *);
struct noc *routers_new(struct engine *, const struct noc *base, struct err *);
/* wires.c */
struct noc *wires_new(struct engine *, const struct noc *base);

#endif
