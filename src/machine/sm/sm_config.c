/* The tables of [sm] and [icache]. */
#include "sm/sm_config.h"

#include "base/bits.h"
#include "sm/inst_classes.h"

#define INT(member, unit, def, min, max, doc) CFG_ROW(struct sm_config, member, CFG_INT, unit, def, min, max, NULL, doc)
#define BYTES(member, def, min, max, doc)     CFG_ROW(struct sm_config, member, CFG_BYTES, "", def, min, max, NULL, doc)

static const struct cfg_field sm_fields[] = {
    INT(max_warps, "warps", "48", 1, 64, "warps that can be resident on one SM"),
    INT(max_ctas, "CTAs", "8", 1, 64, "CTAs that can be resident on one SM"),
    INT(max_threads_per_cta, "threads", "1024", 32, 2048, "maximum threads per CTA"),
    INT(max_regs_per_thread, "registers", "255", 16, 255, "registers one thread can have"),
    BYTES(regfile, "128KiB", 4096, 1 << 20, "register file of one SM"),
    BYTES(smem, "48KiB", 0, 1 << 20, "shared memory of one SM"),
    BYTES(smem_per_cta, "48KiB", 0, 1 << 20, "shared memory one CTA can have"),
    BYTES(smem_reserved, "0B", 0, 1 << 16, "shared memory reserved by the system per CTA"),
    INT(reg_alloc_unit, "registers", "64", 1, 1024, "register allocation unit of a warp"),
    INT(warp_alloc_unit, "warps", "2", 1, 8,
        "warp allocation granularity: partitions of the register file, one of which holds a warp's registers"),
    BYTES(smem_alloc_unit, "128B", 1, 4096, "shared memory allocation unit of a CTA"),
    INT(schedulers, "schedulers", "2", 1, 8, "warp schedulers; warp w belongs to scheduler w modulo this"),
    INT(issue_width, "instructions", "1", 1, 4, "instructions a scheduler issues from one warp in one cycle"),
    CFG_ROW(struct sm_config, scheduler, CFG_POLICY, "", "gto", 0, 0, "scheduler", "warp scheduling policy"),
    CFG_ROW(struct sm_config, code, CFG_ENUM, "", "ptx", 0, 0, SM_CODE_CHOICES,
            "what warps issue: PTX instructions in program order, or operations as scheduled by an assembler model"),
    INT(fetch_width, "instructions", "2", 0, 16,
        "instructions fetched together into a warp's buffer; 0 = no fetch stalls"),
    INT(fetch_cycles, "cycles", "2", 1, 64, "from a warp's buffer running empty to its next issue"),
    INT(branch_cycles, "cycles", "1", 0, 64,
        "additional cycles after a taken branch; with fetch_width = 0, from the branch to the next issue"),
    INT(loop_cycles, "cycles", "0", 0, 64,
        "with fetch_width = 0: minimum cycles from a resolved backward branch to the next issue"),
    INT(fall_through_cycles, "cycles", "1", 1, 64, "from a branch that is not taken to the warp's next issue"),
    INT(converge_cycles, "cycles", "1", 1, 64,
        "scheduled code: from where lanes that have parted meet to the warp's next issue"),
    INT(converge_drain, "cycles", "1", 1, 64,
        "scheduled code: from arithmetic to where lanes meet, when it is reached without a jump"),
    INT(part_cycles, "cycles", "0", 0, 64,
        "scheduled code: additional cycles where lanes meet that have in fact taken different ways"),
    INT(guard_cycles, "cycles", "0", 0, 64,
        "scheduled code: cycles that a predicate takes to guard an instruction, beyond its latency as an operand"),
    INT(simt_width, "lanes", "32", 8, 32, "lanes per execution unit; a warp occupies it for 32 / lanes intervals"),
    INT(operand_cycles, "cycles", "4", 0, 64, "from issue to the execution unit: reading operands"),
    INT(sp_units, "units", "2", 1, 16, "units for integer and single precision arithmetic"),
    INT(int_units, "units", "0", 0, 16, "separate units for integer arithmetic; 0 = the sp units do it"),
    INT(sfu_units, "units", "1", 1, 16, "units for special functions and divisions"),
    INT(dp_units, "units", "0", 0, 16, "units for double precision; 0 = the sfu units do it"),
    INT(tensor_units, "units", "0", 0, 16, "units for matrix multiply-accumulate; 0 = the sp units do it"),
    INT(lsu_interval, "cycles", "1", 1, 64,
        "between two memory instructions of a scheduler, other than loads of parameters"),
    INT(lsu_queue, "instructions", "6", 1, 64, "memory instructions between issue and the end of their requests"),
    CFG_ROW(struct sm_config, coalesce, CFG_ENUM, "", "lines", 0, 0, "lines segments",
            "coalescing unit: cache lines (uncached accesses move only the touched sectors or bytes), or aligned "
            "segments of 32, 64 or 128 bytes that move whole"),
    INT(lsu_lines, "lines", "1", 1, 8, "line requests sent to the L1 in one cycle"),
    INT(data_banks, "banks", "0", 0, 32,
        "4-byte banks of the L1 data array: a load takes one cycle per conflicting line in a bank; 0 or 32"),
    CFG_ROW(
        struct sm_config, store_passes, CFG_BOOL, "", "no", 0, 1, NULL,
        "a store occupies the load/store unit for a cycle per whole 32-byte sector, and for two per line of which it "
        "writes parts of sectors"),
    INT(tex_cycles, "cycles", "1", 1, 64, "minimum load/store unit cycles of a texture fetch"),
    INT(tex_plane_cycles, "cycles", "0", 0, 64, "the same of a texture of two or three dimensions; 0 = sm.tex_cycles"),
    CFG_ROW(struct sm_config, tex_quads, CFG_BOOL, "", "no", 0, 1, NULL,
            "a texture fetch is charged per group of four lanes instead of per line"),
    INT(tex_latency, "cycles", "0", 0, 400, "additional latency of a texture fetch"),
    INT(pending_loads, "loads", "512", 1, 8192, "load instructions of one SM in flight"),
    INT(outstanding_requests, "requests", "2048", 64, 65536, "line requests of one SM in flight, stores included"),
    INT(smem_banks, "banks", "32", 1, 64, "shared memory banks of 4 bytes; a power of two"),
    INT(smem_latency, "cycles", "26", 1, 256,
        "shared memory load without conflict, from the load/store unit to the result"),
    INT(smem_atomic_cycles, "cycles", "1", 1, 64,
        "one step of a shared-memory atomic, per lane that accesses the same word"),
    INT(smem_atomic_latency, "cycles", "0", 0, 256,
        "shared-memory atomic that returns a value, from the load/store unit to the result; 0 = sm.smem_latency"),
    INT(smem_atomic_wait, "cycles", "1", 1, 16, "what each further step of it adds to its latency"),
    CFG_ROW(
        struct sm_config, smem_pairs, CFG_BOOL, "", "no", 0, 1, NULL,
        "wide loads of shared memory take half as many parts where every lane reads what its neighbor (lane ^ 1), or "
        "the lane after that (lane ^ 2), reads"),
    INT(barrier_interval, "cycles", "0", 0, 64, "between the arrivals of two warps of an SM at barriers"),
    INT(const_interval, "cycles", "0", 0, 64,
        "load/store unit cycles of each word that a load of several constants reads"),
    BYTES(const_near, "0B", 0, 1 << 20,
          "constants that loads find at once: fully associative, LRU; 0 = all that const.size holds"),
    INT(const_far_latency, "cycles", "0", 0, 400, "additional latency of those that are not among them"),
    CFG_ROW(
        struct sm_config, long_loads, CFG_ENUM, "", "all", 0, 0, "all memory",
        "loads whose wait is long for two-level schedulers, which replace the warp: all, or all but those of shared "
        "and constant memory (GPGPU-Sim 3.2)"),
    INT(wgmma_columns, "columns", "2", 1, 256,
        "columns of a warpgroup's product of 64 rows (wgmma) that the tensor cores finish in a cycle"),
    INT(wgmma_least, "cycles", "1", 1, 256, "of the tensor cores for such a product, however few its columns"),
    INT(wgmma_latency, "cycles", "0", 0, 900,
        "from the tensor cores' last cycle for a product to the end of a wait for it"),
    INT(wgmma_shared_latency, "cycles", "0", 0, 900, "further cycles of a product whose A is in shared memory"),
    INT(wgmma_wait, "cycles", "0", 0, 32,
        "how much longer an instruction keeps a unit of 16 lanes or fewer beside the tensor cores' products of "
        "warpgroups; half of it where the unit takes 32 lanes"),
    INT(wgmma_ahead, "products", "0", 0, 16,
        "of a warp that are not done, at most: the next one is issued when the first of them is, with A in registers "
        "one earlier; 0 = no limit"),
    INT(mbarrier_poll, "cycles", "0", 0, 1000,
        "a warp that waits at an mbarrier looks at it again after so many cycles; 0 = it wakes at once"),
    INT(tma_latency, "cycles", "88", 1, 900, "bulk and tensor copies: from the issue to their first request"),
    INT(tma_lines, "lines", "1", 1, 8, "line requests of bulk and tensor copies sent in one cycle"),
    INT(cluster_latency, "cycles", "180", 1, 900, "to the shared memory of another CTA of the cluster, and back"),
    INT(cluster_barrier, "cycles", "0", 0, 900,
        "from a warp's arrival at the barrier of its cluster until all its CTAs know of it; 0 = those of others half "
        "of "
        "sm.cluster_latency later, its own at once"),
    INT(cluster_bytes, "bytes", "16", 1, 1024, "bytes a cycle that a copy brings to another CTA of the cluster"),
    INT(param_latency, "cycles", "8", 1, 256, "load of a kernel parameter, from the load/store unit to the result"),
#define LATENCY(unit, lat, ii)  lat
#define INTERVAL(unit, lat, ii) ii
#define X(name, cfg, what)                                                                                             \
    {.key = "lat." cfg,                                                                                                \
     .type = CFG_INT,                                                                                                  \
     .unit = "cycles",                                                                                                 \
     .def = SM_CLASS_##name(LATENCY),                                                                                  \
     .min = 1,                                                                                                         \
     .max = 900,                                                                                                       \
     .doc = "latency: " what,                                                                                          \
     .offset = offsetof(struct sm_config, lat[TRACE_##name])},
    TRACE_CLASSES(X)
#undef X
#define X(name, cfg, what)                                                                                             \
    {.key = "ii." cfg,                                                                                                 \
     .type = CFG_INT,                                                                                                  \
     .unit = "cycles",                                                                                                 \
     .def = SM_CLASS_##name(INTERVAL),                                                                                 \
     .min = 1,                                                                                                         \
     .max = 900,                                                                                                       \
     .doc = "initiation interval: " what,                                                                              \
     .offset = offsetof(struct sm_config, ii[TRACE_##name])},
        TRACE_CLASSES(X)
#undef X
            CFG_END};

static int check_sm(const struct cfg *c, const void *values, struct err *e)
{
    const struct sm_config *v = values;
    if (!is_pow2(v->smem_banks))
        return cfg_fault(c, "sm.smem_banks", e, "the number of banks must be a power of two");
    if (v->data_banks != 0 && v->data_banks != 32)
        return cfg_fault(c, "sm.data_banks", e, "the banks of the L1's data must be 32, or 0 (not modeled)");
    if (32 % v->simt_width)
        return cfg_fault(c, "sm.simt_width", e, "32 lanes cannot be divided by it; use 8, 16 or 32");
    if (v->max_warps < v->schedulers)
        return cfg_fault(c, "sm.schedulers", e, "there are more schedulers than warps (sm.max_warps=%u)", v->max_warps);
    if (v->smem_per_cta > v->smem)
        return cfg_fault(c, "sm.smem_per_cta", e, "a CTA cannot have more than the SM has (sm.smem)");
    if ((uint64_t)v->max_threads_per_cta > v->max_warps * 32ull)
        return cfg_fault(c, "sm.max_threads_per_cta", e,
                         "a CTA of this size does not fit on an SM with %u warps (sm.max_warps)", v->max_warps);
    if (v->outstanding_requests < v->lsu_lines)
        return cfg_fault(c, "sm.outstanding_requests", e, "fewer requests than are sent in one cycle (sm.lsu_lines)");
    return 0;
}

const struct cfg_section sm_cfg_section = {
    .name = "sm",
    .doc = "streaming multiprocessor: capacity, schedulers, execution units, load/store unit",
    .field = sm_fields,
    .bytes = sizeof(struct sm_config),
    .check = check_sm,
};

#define IC(member, type, unit, def, min, max, doc)                                                                     \
    CFG_ROW(struct icache_config, member, type, unit, def, min, max, NULL, doc)

static const struct cfg_field icache_fields[] = {
    IC(size, CFG_BYTES, "", "2KiB", 0, 1 << 20, "instruction cache of one SM; 0 = every fetch hits"),
    IC(line, CFG_BYTES, "", "128B", 8, 1024, "its line"),
    IC(assoc, CFG_INT, "ways", "4", 1, 64, "its associativity (LRU)"),
    IC(inst_bytes, CFG_BYTES, "", "8B", 4, 32, "bytes one instruction occupies in it"),
    IC(miss_latency, CFG_INT, "cycles", "240", 1, 500, "a miss, answered by the L2; its traffic is not modeled"),
    CFG_END};

static int check_icache(const struct cfg *c, const void *values, struct err *e)
{
    const struct icache_config *v = values;
    if (v->size && (v->size % (v->line * v->assoc) || !is_pow2(v->size / (v->line * v->assoc))))
        return cfg_fault(c, "icache.assoc", e, "icache.size / (icache.line x %u) is not a power of two of sets",
                         v->assoc);
    if (!is_pow2(v->line) || v->line % v->inst_bytes)
        return cfg_fault(c, "icache.line", e, "a line must be a power of two and hold whole instructions");
    return 0;
}

const struct cfg_section icache_cfg_section = {
    .name = "icache",
    .doc = "instruction cache of an SM",
    .field = icache_fields,
    .bytes = sizeof(struct icache_config),
    .check = check_icache,
};
