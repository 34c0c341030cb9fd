/* Every section and every kind of policy a machine has: the one list from which config, --set and --with follow. */
#include "gpu/gpu_config.h"

#include "base/bits.h"
#include "dram/dram_config.h"
#include "l1/l1_config.h"
#include "l2/l2_config.h"
#include "noc/noc_config.h"
#include "sm/sm.h"
#include "sm/sm_config.h"
#include "vm/vm_config.h"

#define MACHINE(member, type, unit, def, min, max, doc)                                                                \
    CFG_ROW(struct machine_config, member, type, unit, def, min, max, NULL, doc)
#define MEMORY(member, type, unit, def, min, max, doc)                                                                 \
    CFG_ROW(struct memory_config, member, type, unit, def, min, max, NULL, doc)
#define CLOCK(member, def, doc) CFG_ROW(struct clock_config, member, CFG_FREQ, "", def, 1000000, 10000000000, NULL, doc)

static const struct cfg_field machine_fields[] = {
    MACHINE(name, CFG_TEXT, "", "a GPU", 0, 0, "device name reported to CUDA programs"),
    MACHINE(energy, CFG_TEXT, "", "", 0, 0,
            "file of energy coefficients: a name in configs/energy or a path; empty = no energy model"),
    MACHINE(sms, CFG_INT, "SMs", "15", 1, 1024, "streaming multiprocessors"),
    MACHINE(gpcs, CFG_INT, "GPCs", "1", 1, 64,
            "graphics processing clusters: the CTAs of a thread block cluster share one"),
    MACHINE(launch_cycles, CFG_INT, "cycles", "0", 0, 1000000, "core cycles from a launch to its first CTA"),
    MACHINE(cta_rate, CFG_INT, "CTAs", "0", 0, 1000000,
            "CTAs that the whole machine can start in 1000 core cycles; 0 = one for each SM in each cycle"),
    MACHINE(cta_from_first, CFG_BOOL, "", "no", 0, 1,
            "a grid that begins on an idle machine begins on the first SM; no: behind the SM that got the last CTA"),
    MACHINE(concurrent_kernels, CFG_INT, "kernels", "32", 1, SM_GRIDS,
            "kernels of several streams that run at the same time; 1 = one after another"),
    MACHINE(deadlock_cycles, CFG_INT, "cycles", "100000", 1000, 1000000000,
            "core cycles without progress before the run is reported as deadlocked"),
    CFG_END};

static const struct cfg_field clock_fields[] = {CLOCK(core, "1400MHz", "SMs and L1s"), CLOCK(noc, "700MHz", "networks"),
                                                CLOCK(l2, "700MHz", "L2 slices"),
                                                CLOCK(dram, "924MHz", "DRAM commands"), CFG_END};

static const struct cfg_field memory_fields[] = {
    MEMORY(size, CFG_BYTES, "", "4GiB", 1 << 20, 1ull << 44, "global memory a program can allocate"),
    MEMORY(channels, CFG_INT, "channels", "6", 1, 256, "memory channels"),
    MEMORY(slices_per_channel, CFG_INT, "slices", "2", 1, 16, "L2 slices of a channel; a power of two"),
    MEMORY(interleave, CFG_BYTES, "", "256B", 32, 1 << 20, "channel interleaving granularity"),
    MEMORY(address_map, CFG_TEXT, "", "RRRRRRRRRRRR.BBBCCCCB.CCSSSSSS", 0, 0,
           "address bits within a channel, highest first: R row, B bank, L bank and L2 slice, C column, S byte"),
    MEMORY(hash_bank, CFG_BOOL, "", "no", 0, 1, "mix row bits into the bank"),
    MEMORY(hash_channel, CFG_BOOL, "", "no", 0, 1, "mix upper address bits into the channel"),
    MEMORY(copies_preload_l2, CFG_BOOL, "", "no", 0, 1, "host-to-device copies preload the L2"),
    CFG_END};

static int check_memory(const struct cfg *c, const void *values, struct err *e)
{
    const struct memory_config *m = values;
    if (!is_pow2(m->interleave))
        return cfg_fault(c, "memory.interleave", e, "the interleave must be a power of two");
    if (!is_pow2(m->slices_per_channel))
        return cfg_fault(c, "memory.slices_per_channel", e, "the slices of a channel must be a power of two");
    const struct l2_config *l2 = cfg_section(c, "l2");
    if (l2->partitions > 1 && m->channels % l2->partitions)
        return cfg_fault(c, "l2.partitions", e, "%u channels (memory.channels) cannot be divided evenly", m->channels);
    const struct l1_cache_config *l1 = cfg_section(c, "l1");
    if (l1->line > m->interleave)
        return cfg_fault(c, "memory.interleave", e, "an L1 line (l1.line=%lu) would span two channels",
                         (unsigned long)l1->line);
    /* A request is of one line of the L2, so what a cache before it asks for must fit into one. */
    static const char *const before[] = {"l1", "const", "tex"};
    for (unsigned i = 0; i < sizeof before / sizeof *before; i++) {
        const struct l1_cache_config *cache = cfg_section(c, before[i]);
        if (cache->enabled && cache->line > l2->line) {
            cfg_fault(c, "l2.line", e, "a line of %s (%s.line=%luB) would span two L2 lines", before[i], before[i],
                      (unsigned long)cache->line);
            return err_hint(e, "choose %s.line of at most %luB, or l2.line of at least %luB", before[i],
                            (unsigned long)l2->line, (unsigned long)cache->line);
        }
    }
    return 0;
}

static int check_machine(const struct cfg *c, const void *values, struct err *e)
{
    const struct machine_config *m = values;
    const struct sm_config *sm = cfg_section(c, "sm");
    const struct l1_cache_config *l1 = cfg_section(c, "l1");
    if (!l1->enabled)
        return cfg_fault(c, "l1.enabled", e, "an SM without an L1 unit cannot reach memory; use a bypassing policy");
    if (m->sms > 65535u / sm->max_warps)
        return cfg_fault(c, "machine.sms", e, "too many SMs for %u warps each", sm->max_warps);
    return 0;
}

static const struct cfg_section machine_section = {"machine", "the machine as a whole", machine_fields,
                                                   sizeof(struct machine_config), check_machine};
static const struct cfg_section clock_section = {"clock", "frequencies", clock_fields, sizeof(struct clock_config),
                                                 NULL};
static const struct cfg_section memory_section = {"memory", "address mapping", memory_fields,
                                                  sizeof(struct memory_config), check_memory};

static const struct cfg_section *const sections[] = {
    &machine_section,   &clock_section,   &memory_section,  &sm_cfg_section, &icache_cfg_section, &l1_cfg_section,
    &const_cfg_section, &tex_cfg_section, &noc_cfg_section, &l2_cfg_section, &dram_cfg_section,   &vm_cfg_section};
static const struct policy_kind *const kinds[] = {&sm_sched_kind,      &l1_management_kind, &l1_organization_kind,
                                                  &l1_prefetcher_kind, &l1_order_kind,      &l2_order_kind};

const struct cfg_schema *gpu_schema(void)
{
    static const struct cfg_schema schema = {sections, sizeof sections / sizeof *sections, kinds,
                                             sizeof kinds / sizeof *kinds};
    return &schema;
}
