/*
 * One network, as its neighbors see it: it connects nodes and carries packets of one or more message classes.
 *
 * A node injects a class's packets through noc_in(net, class, node) and receives them through the port given to
 * noc_connect(). In both, struct msg carries req = the request and info = net_info(bytes, sectors): the packet's size
 * and, for replies in pieces, which sectors of the line are in it. The class determines the destination: req.to for
 * requests, req.from for replies, and the slice of the address for legs that end at a forwarding L2 slice.
 *
 * A packet of b bytes is ceil(b / flit) flits. Classes share links, switches and a node's bandwidth into and out of
 * the network, flit by flit or packet by packet; they share no buffer, so a class whose receivers are blocked does not
 * block the others. A network is one component on the NoC clock whatever its size; it keeps lists of active routers,
 * so an idle router costs nothing.
 */
#ifndef WEIR_NOC_NOC_H
#define WEIR_NOC_NOC_H

#include "engine/addrmap.h"
#include "engine/engine.h"
#include "engine/netmsg.h"
#include "engine/port.h"

/* Which of the machine's networks it is; its statistics are named after it. */
enum noc_role { NOC_REQUEST, NOC_REPLY, NOC_CORE_REQUEST, NOC_CORE_REPLY, NOC_ROLE_COUNT };

#define NOC_MAX_CLASS 3 /* that one network carries */

struct noc;
struct noc_setup; /* noc/noc_config.h */

/* Nodes 0 .. n_sm - 1 are the SMs, n_sm .. n_sm + n_mem - 1 the L2 slices. */
struct noc_env {
    enum noc_role role;
    uint32_t n_sm, n_mem;
    uint32_t classes; /* bits of enum net_class */
    /* Not NULL: L2 slices forward messages between SMs, so NET_TO_HOME and NET_FROM_HOME end at the slice of the
     * request's address. */
    const struct addrmap *via;
    bool ideal; /* hypothetical: wires between all nodes, one core cycle long */
};

/* NULL with *e filled on a bad configuration. */
struct noc *noc_new(struct engine *, const struct noc_setup *, const struct noc_env *, struct err *e);
/* Injection port of a node; its capacity is noc.inject_queue packets. The caller connects its producer. */
struct port *noc_in(struct noc *, enum net_class, uint32_t node);
/* Where the node receives a class. The network becomes the port's producer. Unconnected nodes receive nothing. */
void noc_connect(struct noc *, enum net_class, uint32_t node, struct port *out);
uint32_t noc_hops(const struct noc *, uint32_t from_node, uint32_t to_node);

#endif
