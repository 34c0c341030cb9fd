/*
 * Address translation, as the machine's builder sees it (vm.enabled).
 *
 *   L1 -> tlb_in(t)      requests on their way to the L2, with net_info(); caches of the SM have virtual addresses
 *   tlb -> to_l2         the same, when their page's translation is there; the network's port
 *   tlb <-> mmu          a request per translation that the TLB misses (addr: the page's; token: the TLB's miss entry)
 *
 * The TLB of an SM forwards one request a cycle. Requests of pages that it has pass those that wait for a translation;
 * requests of one page stay in order. The MMU holds the TLB that all SMs share, the page table walkers and their cache.
 *
 * Left out: frames (a page lies where its address says, so that channels and sets do not change); page tables in the
 * caches and in DRAM (a level of a walk takes vm.level_latency); translations that are invalidated.
 */
#ifndef WEIR_VM_VM_H
#define WEIR_VM_VM_H

#include "engine/engine.h"
#include "engine/port.h"

struct tlb;
struct mmu;
struct vm_config; /* vm/vm_config.h */

struct mmu *mmu_new(struct engine *, const struct vm_config *, uint32_t n_sm);
void mmu_free(struct mmu *); /* what it holds outside of the arena; may be NULL */
struct tlb *tlb_new(struct engine *, const struct vm_config *, uint32_t sm, const char *name);
/* Between them, and to the port of the network. */
void tlb_connect(struct tlb *, struct mmu *, struct port *to_l2);
struct port *tlb_in(struct tlb *);
bool tlb_drained(const struct tlb *), mmu_drained(const struct mmu *);

#endif
