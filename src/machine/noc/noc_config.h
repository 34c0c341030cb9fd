/* Parameters of the networks (section [noc]) and their statistics. */
#ifndef WEIR_NOC_NOC_CONFIG_H
#define WEIR_NOC_NOC_CONFIG_H

#include "engine/config.h"
#include "engine/stats.h"
#include "noc/noc.h"

enum noc_topology { NOC_CROSSBAR, NOC_MESH, NOC_BUTTERFLY };
/* How a packet gets from one SM to another. */
enum noc_core_to_core {
    NOC_C2C_NONE,   /* not at all */
    NOC_C2C_DIRECT, /* through a network that connects SMs */
    NOC_C2C_VIA_L2, /* to an L2 slice, which forward it */
};
/* The network for direct messages between SMs. */
enum noc_core_network { NOC_CORE_SAME, NOC_CORE_CROSSBAR, NOC_CORE_MESH, NOC_CORE_BUTTERFLY };

struct noc_config {
    uint32_t topology; /* enum noc_topology */
    uint32_t flit;     /* bytes */
    uint32_t reply_flit;
    uint32_t inject_queue;
    uint32_t crossbar_latency; /* crossbar: cycles from the grant to the first flit at the other side */
    bool voq;                  /* crossbar: a queue per input and output; no: one per input, whose head can block it */
    uint32_t iterations;
    uint32_t router_latency, link_latency;
    uint32_t vcs, vc_flits;   /* of each class */
    uint32_t width, height;   /* mesh; 0 = as square as possible */
    uint32_t radix, stages;   /* butterfly; 0 = smallest that fits */
    const char *memory_nodes; /* mesh: which routers hold the L2 slices, "3 7 10 ..."; "" = spread evenly */
    uint32_t core_to_core;    /* enum noc_core_to_core */
    uint32_t core_network;    /* enum noc_core_network */
    uint32_t core_width, core_height, core_radix, core_stages;
};
extern const struct cfg_section noc_cfg_section;

struct noc_setup {
    const struct noc_config *cfg;
};

/* Also counts by class when `by_class`: in a machine whose SMs talk to each other. */
void noc_register_stats(struct noc *, struct stats *, bool by_class);

#endif
