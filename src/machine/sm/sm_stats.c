/* Names of the SM's counters. */
#include "sm/sm_priv.h"

#define ROW(member, unit, doc)          STAT_ROW(struct sm_stats, member, unit, doc)
#define NAMED(member, name_, unit, doc) STAT_NAMED(struct sm_stats, member, name_, unit, doc)

const struct stat_def sm_top_stat_defs[] = {
    ROW(warp_insts, "instructions", "instructions issued, counted once per warp"),
    ROW(thread_insts, "instructions", "instructions issued, counted once per active lane"),
    STAT_QUOTIENT("ipc", "instructions/cycle", "thread_insts", "cycles", "thread instructions per core cycle"),
    STAT_END};

const struct stat_def sm_stat_defs[] = {
    ROW(scheduler_cycles, "cycles", "cycles of all schedulers: issue_cycles and the stalls add up to it"),
    ROW(issue_cycles, "cycles", "scheduler cycles in which an instruction was issued"),
#define X(name, text, doc)                                                                                             \
    NAMED(stall[SM_STALL_##name], "stall." text, "cycles", "scheduler cycles without issue: " doc),
    SM_STALLS(X)
#undef X
        ROW(active_cycles, "cycles", "SM cycles with at least one resident warp"),
    ROW(warp_cycles, "cycles", "sum over SM cycles of the warps resident"),
    STAT_QUOTIENT("warps_resident", "warps", "sm.warp_cycles", "sm.active_cycles",
                  "mean resident warps of an active SM"),
    STAT_QUOTIENT("issue_rate", "", "sm.issue_cycles", "sm.scheduler_cycles",
                  "fraction of scheduler cycles that issued"),
    ROW(ctas, "CTAs", "CTAs completed"),
    ROW(barriers, "barriers", "CTA barriers completed"),
#define X(name, text, doc) NAMED(insts[TRACE_##name], "insts." text, "instructions", "warp instructions: " doc),
    TRACE_CLASSES(X)
#undef X
        ROW(register_reads, "operands", "registers that warp instructions read, predicates included"),
    ROW(register_writes, "operands", "registers that warp instructions write, predicates included"),
    ROW(mem_insts, "instructions", "warp instructions that went through the load/store unit"),
    ROW(shared_insts, "instructions", "warp instructions on shared memory"),
    ROW(shared_passes, "passes", "shared-memory passes: one per instruction without bank conflicts"),
    STAT_QUOTIENT("shared_conflict_degree", "passes", "sm.shared_passes", "sm.shared_insts",
                  "passes per shared-memory instruction"),
    NAMED(lines[0], "line_requests.data", "requests", "line requests sent to the L1 data cache"),
    NAMED(lines[1], "line_requests.const", "requests", "line requests sent to the constant cache"),
    NAMED(lines[2], "line_requests.tex", "requests", "line requests sent to the texture cache"),
    ROW(fetches, "fetches", "instruction fetches"),
    ROW(icache_misses, "misses", "fetches that missed in the instruction cache"),
    ROW(fetch_redirects, "instructions", "instructions fetched after a change of control flow"),
    ROW(replies, "requests", "line requests served"),
    NAMED(tma_copies, "tma.copies", "copies", "bulk and tensor copies"),
    NAMED(tma_lines, "tma.lines", "requests", "line requests of bulk and tensor copies, part of line_requests.data"),
    NAMED(cluster_bytes, "cluster_bytes", "bytes", "loaded from, stored and copied to other CTAs' shared memory"),
    NAMED(wgmma_cycles, "wgmma_cycles", "cycles", "cycles of the schedulers' tensor cores for products of warpgroups"),
    NAMED(wgmma_operand_cycles, "wgmma_operand_cycles", "cycles", "cycles of shared memory for their operands"),
    STAT_QUOTIENT("tensor_active", "", "sm.wgmma_cycles", "sm.scheduler_cycles",
                  "fraction of scheduler cycles in which the tensor core worked on products of warpgroups"),
#define SERVED(e, text, doc)                                                                                           \
    NAMED(served[e], "served." text, "requests", "line requests " doc),                                                \
        NAMED(latency_sum[e], "latency_sum." text, "cycles", "sum of the latencies of line requests " doc),            \
        STAT_QUOTIENT("latency." text, "cycles", "sm.latency_sum." text, "sm.served." text,                            \
                      "mean latency from leaving the SM to the reply of line requests " doc)
    SERVED(REQ_AT_L1, "l1", "served by the L1"),
    SERVED(REQ_AT_L1_MERGE, "l1_merge", "merged with a miss in flight"),
    SERVED(REQ_AT_REMOTE_L1, "remote_l1", "served by another SM's L1"),
    SERVED(REQ_AT_L2, "l2", "served by the L2"),
    SERVED(REQ_AT_DRAM, "dram", "served by DRAM"),
    NAMED(served[REQ_AT_NONE], "served.other", "requests", "line requests served without a place"),
    NAMED(latency_sum[REQ_AT_NONE], "latency_sum.other", "cycles", "sum of their latencies"),
    STAT_QUOTIENT("latency.all", "cycles",
                  "sm.latency_sum.l1+sm.latency_sum.l1_merge+sm.latency_sum.remote_l1+sm.latency_sum.l2+"
                  "sm.latency_sum.dram+sm.latency_sum.other",
                  "sm.replies", "mean latency of all line requests"),
    STAT_END};

bool sm_stat_of_grid(const struct stat_def *d)
{
    if (d->kind != STAT_COUNT)
        return false;
    switch (d->offset) {
    case offsetof(struct sm_stats, scheduler_cycles):
    case offsetof(struct sm_stats, issue_cycles):
    case offsetof(struct sm_stats, active_cycles):
    case offsetof(struct sm_stats, warp_cycles):
        return false;
    default:
        return d->offset < offsetof(struct sm_stats, stall) ||
               d->offset >= offsetof(struct sm_stats, stall) + sizeof((struct sm_stats *)0)->stall;
    }
}

void sm_register_stats(struct sm *sm, struct stats *s)
{
    stats_add(s, "", sm_top_stat_defs, &sm->stats);
    stats_add(s, "sm", sm_stat_defs, &sm->stats);
    if (sm->sched->info.stats)
        for (unsigned i = 0; i < sm->cfg.schedulers; i++)
            stats_add(s, sm->sched->info.name, sm->sched->info.stats, sm->sched_state[i]);
}

void sm_each_policy(const struct sm *sm, policy_visit *fn, void *ctx)
{
    for (unsigned i = 0; i < sm->cfg.schedulers; i++)
        fn(ctx, &sm->sched->info, sm->sched_state[i]);
}
