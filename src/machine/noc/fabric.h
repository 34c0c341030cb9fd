/*
 * The interconnect of a machine: the networks between its SMs and L2 slices, their message classes, the forwarders.
 *
 * Every machine has a request and a reply network between SMs and slices. Where an L1 organization sends requests to
 * other SMs' L1s, there are also messages between SMs, each in its own class (engine/netmsg.h). noc.core_to_core
 * selects their path:
 *
 * - direct: through the same two networks (mesh, butterfly, or a crossbar that also connects SMs with SMs), or through
 *   a second pair of networks between the SMs only (noc.core_network), like the work distribution crossbar of the
 *   Shared L1 study.
 * - via-l2: through the same two networks in two legs, SM to slice and slice to SM; the slice that owns the line
 *   forward the message without a look-up.
 *
 * Without such an organization none of this is built, whatever noc.core_to_core says.
 *
 * Not modeled: the energy and area of the second pair; a forwarder's use of the L2's own ports.
 */
#ifndef WEIR_NOC_FABRIC_H
#define WEIR_NOC_FABRIC_H

#include "noc/noc_config.h"

struct fabric;

struct fabric_env {
    uint32_t n_sm, n_slice;
    const struct addrmap *map;
    /* The L1 organization whose requests go to other SMs, for the message that refuses it where noc.core_to_core is
     * none; NULL: SMs talk to the L2 only. */
    const char *core_to_core_for;
    bool ideal; /* messages between SMs cost nothing, whatever noc.core_to_core says */
};

/* NULL with *e filled on a bad configuration. */
struct fabric *fabric_new(struct engine *, const struct noc_setup *, const struct fabric_env *, struct err *e);
void fabric_register_stats(struct fabric *, struct stats *);

/* The number by which requests name an SM or slice: req.from, req.to. */
static inline uint16_t fabric_sm_node(uint32_t sm)
{
    return (uint16_t)sm;
}
uint16_t fabric_slice_node(const struct fabric *, uint32_t slice);
/* Routers on a message's path between two nodes, one of which is an SM. */
uint32_t fabric_hops(const struct fabric *, uint32_t from_node, uint32_t to_node);

/* Where an SM sends. The caller connects itself as their producer. Without core-to-core traffic the last two are NULL.
 */
struct fabric_sm_out {
    struct port *to_l2;        /* requests to the L2 */
    struct port *to_home;      /* requests to other SMs */
    struct port *to_requester; /* replies to requests of other SMs */
};
struct fabric_sm_out fabric_sm_out(struct fabric *, uint32_t sm);

/* Where an SM receives. Without core-to-core traffic the last two are not used. */
struct fabric_sm_in {
    struct port *from_l2;   /* replies of the L2 */
    struct port *from_home; /* replies of other SMs */
    struct port *from_sms;  /* requests of other SMs */
};
void fabric_connect_sm(struct fabric *, uint32_t sm, const struct fabric_sm_in *);

struct port *fabric_slice_out(struct fabric *, uint32_t slice); /* replies */
void fabric_connect_slice(struct fabric *, uint32_t slice, struct port *request);

#endif
