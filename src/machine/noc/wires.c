/*
 * A network without cost: a dedicated wire from each node to each other node. It is used for bounds (zero-cost
 * sharing) and does not model hardware.
 *
 * Messages in the injection ports are delivered in the same cycle, as long as the receiver has room; nodes take turns
 * being served first. The network runs on the core clock: a message reaches its receiver two core cycles after it was
 * sent, because each of the two ports takes one. Latencies in its statistics are core cycles.
 */
#include "noc/noc_priv.h"

static uint64_t wires_tick(struct comp *comp, uint64_t now)
{
    struct noc *n = (struct noc *)comp;
    bool left = false;
    for (uint32_t c = 0; c < n->n_class; c++) {
        uint32_t node = (uint32_t)(now % n->n_node);
        for (uint32_t k = 0; k < n->n_node; k++, node = node + 1 == n->n_node ? 0 : node + 1) {
            struct port *in = &n->in[c * n->n_node + node];
            const struct msg *m;
            while ((m = port_peek(in, now))) {
                struct port *out = n->out[c * n->n_node + noc_target(n, c, m->req)];
                if (!port_can_send(out))
                    break;
                struct msg got = port_pop(in);
                uint32_t flits = noc_flits(n, got.info), pieces = net_pieces(got.info);
                noc_count_entry(n, got.info, flits);
                port_send(out, got.req, got.info);
                noc_count_delivery(n, c, pieces, flits, now + 1 - got.ready);
            }
            left |= !port_empty(in);
        }
    }
    return left ? now + 1 : NEVER;
}

static uint32_t no_hops(const struct noc *n, uint32_t from, uint32_t to)
{
    (void)n, (void)from, (void)to;
    return 0;
}

struct noc *wires_new(struct engine *eng, const struct noc *base)
{
    struct noc *n = arena_alloc64(eng->arena, sizeof *n);
    *n = *base;
    n->comp.tick = wires_tick;
    n->hops = no_hops;
    return n;
}
