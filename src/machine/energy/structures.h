/*
 * The SRAM structures of a machine, from its configuration: what coefficient files may name.
 *
 *   icache                      instruction cache: tags and data together
 *   l1.tag l1.data l1.mshr      and the same of const and tex, where the machine has them
 *   l2.tag l2.data l2.mshr      of a slice
 *   noc.buffer                  the flits of one virtual channel of a router's port
 *   POLICY.STRUCTURE            what a chosen policy says it adds (policy_info.cost)
 */
#ifndef WEIR_ENERGY_STRUCTURES_H
#define WEIR_ENERGY_STRUCTURES_H

#include "base/mem.h"
#include "energy/sram.h"
#include "engine/config.h"
#include "engine/policy_registry.h"

/* The numbers of a configuration that energies depend on. */
struct energy_machine {
    double sms, channels, slices, chips; /* chips: DRAM devices of all channels */
    double core_hz, noc_hz, l2_hz, dram_hz;
    double l1_bytes, const_bytes, tex_bytes, l2_bytes; /* of one look-up */
    double burst_bytes, flit_bytes;
};

struct energy_structure {
    char name[64];
    struct sram sram;
    struct sram_cost cost;            /* of one instance */
    double instances;                 /* in the machine */
    const struct policy_info *policy; /* NULL: of the machine itself */
    const char *reads, *writes;       /* policies': sums of statistics; NULL = none */
};
typedef VEC(struct energy_structure) energy_structures;

void energy_machine_of(const struct cfg *, struct energy_machine *);
void energy_structures_of(const struct cfg_schema *, const struct cfg *, double node_nm, energy_structures *);
/* The array that one row of a policy's cost describes. */
struct sram energy_policy_sram(const struct policy_cost *, double node_nm);

#endif
