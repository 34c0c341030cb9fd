/*
 * One network (the machine has two: requests and replies), as its neighbours see it.
 *
 * A node injects through noc_in(net, node) and receives through the port given to
 * noc_connect(). In both, struct msg carries req = the request and info = net_info(bytes, sectors): the packet's size
 * and, for replies in pieces, which sectors of the line are in it. The destination is req.to for requests and req.from
 * for replies (enum noc_role).
 *
 * A packet of b bytes is ceil(b / flit) flits. A network is one component on the NoC clock whatever its size; it keeps
 * lists of what is active, so a quiet router costs nothing.
 */
#ifndef WEIR_NOC_NOC_H
#define WEIR_NOC_NOC_H

#include "engine/engine.h"
#include "engine/netmsg.h"
#include "engine/port.h"

enum noc_role { NOC_REQUEST, NOC_REPLY };

struct noc;
struct noc_config; /* noc/noc_config.h */

/* Nodes 0 .. n_sm - 1 are the SMs, n_sm .. n_sm + n_mem - 1 the L2 slices. NULL with *e filled on a bad configuration.
 */
struct noc *noc_new(struct engine *, const struct noc_config *, enum noc_role, uint32_t n_sm, uint32_t n_mem,
                    const char *name, struct err *e);
struct comp *noc_comp(struct noc *);
/* Injection port of a node; its capacity is noc.inject_queue packets. The caller connects its producer. */
struct port *noc_in(struct noc *, uint32_t node);
/* Where the node receives. The network becomes the port's producer. Unconnected nodes receive nothing. */
void noc_connect(struct noc *, uint32_t node, struct port *out);
uint32_t noc_hops(const struct noc *, uint32_t from_node, uint32_t to_node);
/* Core-to-core traffic possible? (a crossbar joins SMs to slices only, unless noc.all_to_all) */
bool noc_reaches(const struct noc *, uint32_t from_node, uint32_t to_node);

#endif
