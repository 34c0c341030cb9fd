/* Parameters of the networks (section [noc]) and their statistics. */
#ifndef WEIR_NOC_NOC_CONFIG_H
#define WEIR_NOC_NOC_CONFIG_H

#include "engine/config.h"
#include "engine/stats.h"
#include "noc/noc.h"

enum noc_topology { NOC_CROSSBAR, NOC_MESH, NOC_BUTTERFLY };

struct noc_cfg {
    uint32_t topology; /* enum noc_topology */
    uint32_t flit;     /* bytes */
    uint32_t inject_queue;
    uint32_t latency; /* crossbar: cycles from the grant to the first flit at the other side */
    bool voq;         /* crossbar: a queue per input and output; no: one per input, whose head can block it */
    uint32_t iterations;
    bool all_to_all; /* crossbar: SMs reach SMs */
    uint32_t router_latency, link_latency;
    uint32_t vcs, vc_flits;
    uint32_t width, height; /* mesh; 0 = as square as possible */
    uint32_t radix, stages; /* butterfly; 0 = smallest that fits */
    const char *memory_at;  /* mesh: which routers hold the L2 slices, "3 7 10 ..."; "" = spread evenly */
};
extern const struct cfg_section noc_cfg_section;

struct noc_config {
    const struct noc_cfg *cfg;
};

void noc_register_stats(struct noc *, struct stats *);

#endif
