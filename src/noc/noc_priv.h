/* What the networks have in common. Each topology embeds struct noc first and brings its own tick. */
#ifndef WEIR_NOC_NOC_PRIV_H
#define WEIR_NOC_NOC_PRIV_H

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

struct noc {
    struct comp comp;
    struct req *req;
    struct port *in;   /* per node */
    struct port **out; /* per node; NULL = it receives nothing */
    uint64_t *marked;  /* nodes whose injection port may hold packets: bitmap */
    uint32_t mark_words;
    uint32_t n_node, n_sm, n_mem;
    uint32_t in_flight; /* packets inside, by pieces */
    enum noc_role role;
    struct noc_cfg cfg;
    struct noc_stats stats;
    uint32_t (*hops)(const struct noc *, uint32_t from, uint32_t to);
};

static inline uint32_t noc_flits(const struct noc *n, uint32_t info)
{
    uint32_t bytes = net_bytes(info), pieces = net_pieces(info);
    return bytes <= n->cfg.flit ? pieces : (bytes + n->cfg.flit - 1) / n->cfg.flit * pieces;
}
static inline uint32_t noc_target(const struct noc *n, req_id id)
{
    return n->role == NOC_REQUEST ? n->req[id].to : n->req[id].from;
}

void noc_count_delivery(struct noc *, uint32_t pieces, uint32_t flits, uint64_t latency);

static inline void noc_count_entry(struct noc *n, uint32_t info, uint32_t flits)
{
    n->stats.packets_in += net_pieces(info);
    n->stats.flits_in += flits;
    n->stats.bytes += (uint64_t)net_bytes(info) * net_pieces(info);
}

/* crossbar.c, routers.c */
struct noc *crossbar_new(struct engine *, const struct noc_cfg *, uint32_t n_node, struct err *);
struct noc *routers_new(struct engine *, const struct noc_cfg *, uint32_t n_sm, uint32_t n_mem, struct err *);

#endif
