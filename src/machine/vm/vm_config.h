/* Parameters of address translation (section [vm]) and its statistics. */
#ifndef WEIR_VM_VM_CONFIG_H
#define WEIR_VM_VM_CONFIG_H

#include "engine/config.h"
#include "engine/stats.h"
#include "vm/vm.h"

struct vm_config {
    bool enabled;
    uint64_t page;
    uint32_t l1_entries, l1_assoc; /* of the TLB of an SM */
    uint64_t l1_reach;             /* bytes that an entry maps; 0 = a page */
    uint32_t l1_latency;
    uint32_t l1_misses, l1_waiting; /* translations that are missing at a time, and requests that wait for them */
    uint32_t l2_entries, l2_assoc;  /* of the TLB that all SMs share */
    uint64_t l2_reach;
    uint32_t l2_latency, l2_ports, l2_misses;
    uint32_t walkers, levels, level_latency;
    uint32_t walk_cache;
    bool first_touch;
    uint32_t fault_latency;
};
extern const struct cfg_section vm_cfg_section;

/* Requests for translations that the machine can have in flight. */
uint32_t vm_max_own_requests(const struct vm_config *, uint32_t n_sm);
void tlb_register_stats(struct tlb *, struct stats *);
void mmu_register_stats(struct mmu *, struct stats *);

#endif
