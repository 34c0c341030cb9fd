/* Parameters of address translation; see vm.h. */
#include "vm/vm_priv.h"

#include "base/bits.h"

#define T struct vm_config
static const struct cfg_field fields[] = {
    CFG_ROW(T, enabled, CFG_BOOL, "", "no", 0, 1, NULL,
            "requests to the L2 need a translation; no: translation takes no time and is not counted"),
    CFG_ROW(T, page, CFG_BYTES, "", "2MiB", 4096, 1ull << 30, NULL, "page size"),
    CFG_ROW(T, l1_entries, CFG_INT, "entries", "16", 1, 4096, NULL, "TLB of an SM: entries"),
    CFG_ROW(T, l1_assoc, CFG_INT, "ways", "16", 1, 4096, NULL, "TLB of an SM: associativity"),
    CFG_ROW(T, l1_reach, CFG_BYTES, "", "0", 0, 1ull << 36, NULL,
            "TLB of an SM: bytes that an entry maps; 0 = a page (vm.page)"),
    CFG_ROW(T, l1_latency, CFG_INT, "cycles", "1", 1, 400, NULL, "TLB of an SM: core cycles of a look-up"),
    CFG_ROW(T, l1_misses, CFG_INT, "translations", "16", 1, 1024, NULL,
            "TLB of an SM: translations that can be missing at a time"),
    CFG_ROW(T, l1_waiting, CFG_INT, "requests", "128", 1, 4096, NULL,
            "TLB of an SM: requests that can wait for translations"),
    CFG_ROW(T, l2_entries, CFG_INT, "entries", "512", 1, 1 << 20, NULL, "TLB that all SMs share: entries"),
    CFG_ROW(T, l2_assoc, CFG_INT, "ways", "16", 1, 4096, NULL, "TLB that all SMs share: associativity"),
    CFG_ROW(T, l2_reach, CFG_BYTES, "", "0", 0, 1ull << 36, NULL,
            "TLB that all SMs share: bytes that an entry maps; 0 = a page (vm.page)"),
    CFG_ROW(T, l2_latency, CFG_INT, "cycles", "60", 2, 4000, NULL,
            "TLB that all SMs share: core cycles from a miss of an SM's TLB to a hit's reply"),
    CFG_ROW(T, l2_ports, CFG_INT, "translations", "2", 1, 1024, NULL,
            "TLB that all SMs share: look-ups per core cycle"),
    CFG_ROW(T, l2_misses, CFG_INT, "walks", "128", 1, 4096, NULL,
            "page table walks under way or waiting for a walker at a time"),
    CFG_ROW(T, walkers, CFG_INT, "walkers", "8", 1, 4096, NULL, "page table walkers"),
    CFG_ROW(T, levels, CFG_INT, "levels", "4", 1, 6, NULL, "levels of the page table"),
    CFG_ROW(T, level_latency, CFG_INT, "cycles", "100", 1, 10000, NULL, "core cycles to read one level's table"),
    CFG_ROW(T, walk_cache, CFG_INT, "entries", "32", 0, 4096, NULL,
            "upper-level tables that the walkers know; 0 = every walk reads all levels"),
    CFG_ROW(T, first_touch, CFG_BOOL, "", "no", 0, 1, NULL,
            "a kernel's first access to a block of vm.l2_reach is a fault"),
    CFG_ROW(T, fault_latency, CFG_INT, "cycles", "20000", 0, 100000000, NULL,
            "core cycles of such a fault, in which its walker is busy"),
    CFG_END};
#undef T

static int check_vm(const struct cfg *c, const void *values, struct err *e)
{
    const struct vm_config *v = values;
    if (!is_pow2(v->page))
        return cfg_fault(c, "vm.page", e, "the page size must be a power of two");
    if (v->l1_entries % v->l1_assoc)
        return cfg_fault(c, "vm.l1_assoc", e, "%u entries / %u ways is not a whole number of sets", v->l1_entries,
                         v->l1_assoc);
    if (v->l2_entries % v->l2_assoc)
        return cfg_fault(c, "vm.l2_assoc", e, "%u entries / %u ways is not a whole number of sets", v->l2_entries,
                         v->l2_assoc);
    const uint64_t l1 = v->l1_reach ? v->l1_reach : v->page, l2 = v->l2_reach ? v->l2_reach : v->page;
    if (!is_pow2(l1) || l1 < v->page)
        return cfg_fault(c, "vm.l1_reach", e, "the reach of an entry must be a power of two and at least a page");
    if (!is_pow2(l2) || l2 < l1)
        return cfg_fault(c, "vm.l2_reach", e,
                         "the reach of a shared entry must be a power of two and at least that of an SM's (%lu bytes)",
                         (unsigned long)l1);
    return 0;
}

const struct cfg_section vm_cfg_section = {"vm", "address translation: TLBs, page table walks, first touch", fields,
                                           sizeof(struct vm_config), check_vm};

uint32_t vm_max_own_requests(const struct vm_config *v, uint32_t n_sm)
{
    return v->enabled ? n_sm * v->l1_misses : 0;
}
