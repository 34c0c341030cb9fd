/* A DRAM channel's parameters and statistics, as tables. Defaults are GDDR5 of the GTX480 as GPGPU-Sim has it. */
#include "dram/dram_priv.h"

uint32_t dram_bus_bits(const struct dram_config *c)
{
    return 8 * c->bus_bytes * c->chips * c->pseudo_channels;
}
uint32_t dram_burst_bytes(const struct dram_config *c)
{
    return c->bus_bytes * c->chips * c->burst;
}
uint32_t dram_max_own_requests(const struct dram_setup *c)
{
    return (c->cfg->queue + (c->cfg->queue_holds == DRAM_HOLDS_WAITING ? c->cfg->banks : 0)) * c->cfg->pseudo_channels +
           (c->cfg->latency_at == DRAM_BEFORE ? c->cfg->in_flight : 0);
}

/* ---- tables ---- */
#define T                        struct dram_config
#define TIMING(member, def, doc) CFG_ROW(T, member, CFG_INT, "cycles", def, 0, 1000, NULL, doc)
static const struct cfg_field fields[] = {
    CFG_ROW(T, bus_bytes, CFG_INT, "bytes", "4", 1, 64, NULL, "data bus of one device"),
    CFG_ROW(T, chips, CFG_INT, "devices", "2", 1, 16, NULL, "devices per channel (lock step)"),
    CFG_ROW(T, burst, CFG_INT, "transfers", "8", 1, 64, NULL, "transfers per column command"),
    CFG_ROW(T, data_rate, CFG_INT, "transfers", "4", 1, 16, NULL, "transfers per command-clock cycle (DDR 2, GDDR5 4)"),
    CFG_ROW(T, pseudo_channels, CFG_INT, "", "1", 1, 16, NULL,
            "parts of a channel that work independently (HBM's pseudo channels), each with its own data bus "
            "(bus_bytes), banks, timing and queue; the low bits of the address map's bank choose"),
    CFG_ROW(T, banks, CFG_INT, "banks", "16", 1, DRAM_MAX_BANK, NULL, "banks of a channel"),
    CFG_ROW(T, bank_groups, CFG_INT, "groups", "4", 1, 32, NULL, "bank groups of a channel"),
    CFG_ROW(T, group_by, CFG_ENUM, "", "low", 0, 0, "low high", "bits of the bank number that select the bank group"),
    CFG_ROW(T, queue, CFG_INT, "requests", "64", 1, 4096, NULL, "requests the scheduler chooses from"),
    CFG_ROW(T, latency, CFG_INT, "cycles", "100", 0, 1000, NULL, "fixed latency of controller and wires, in L2 cycles"),
    CFG_ROW(T, latency_at, CFG_ENUM, "", "return", 0, 0, "return request",
            "where the fixed latency is: on the way back, or before the scheduler's queue, which takes one request per "
            "cycle then (GPGPU-Sim 3.2)"),
    CFG_ROW(T, in_flight, CFG_INT, "requests", "133", 1, 4096, NULL,
            "latency_at = request: requests that have left the L2's queues and are not served yet"),
    CFG_ROW(T, queue_holds, CFG_ENUM, "", "all", 0, 0, "all waiting",
            "which requests take a place in the queue: all, or those that no bank serves yet (GPGPU-Sim 3.2)"),
    CFG_ROW(T, commands, CFG_ENUM, "", "columns", 0, 0, "columns rotate",
            "which bank has the command bus: one that can transfer data before others, or the first with any legal "
            "command; then one bank per cycle takes its next request (GPGPU-Sim 3.2)"),
    CFG_ROW(T, age_cap, CFG_INT, "cycles", "0", 0, 1u << 30, NULL,
            "FR-FCFS: a request older than this goes first; 0 = never"),
    CFG_ROW(T, dual_command, CFG_BOOL, "", "no", 0, 1, NULL, "a row and a column command can share a cycle"),
    CFG_ROW(T, scheduler, CFG_ENUM, "", "frfcfs", 0, 0, "frfcfs fcfs", "which request a bank serves next"),
    TIMING(ccd, "2", "column to column, different bank groups (tCCDS)"),
    TIMING(ccdl, "3", "column to column, same bank group (tCCDL)"),
    TIMING(rrd, "6", "activate to activate, different banks (tRRD)"),
    TIMING(rcd, "12", "activate to read (tRCD)"),
    TIMING(rcdwr, "7", "activate to write (tRCDWR)"),
    TIMING(ras, "28", "activate to precharge (tRAS)"),
    TIMING(rp, "12", "precharge to activate (tRP)"),
    TIMING(rc, "40", "activate to activate, same bank (tRC)"),
    TIMING(cl, "12", "read to first data (tCL)"),
    TIMING(wl, "4", "write to first data (tWL)"),
    TIMING(cdlr, "5", "end of write data to read (tCDLR)"),
    TIMING(wr, "12", "end of write data to precharge (tWR)"),
    TIMING(rtpl, "2", "read to precharge (tRTPL)"),
    TIMING(faw, "0", "no more than four activates in this window (tFAW); 0 = no limit"),
    TIMING(rtw, "2", "read-to-write turnaround of the data bus"),
    CFG_END};

static int check_dram(const struct cfg *c, const void *values, struct err *e)
{
    const T *v = (const T *)values;
    if (v->pseudo_channels & (v->pseudo_channels - 1))
        return cfg_fault(c, "dram.pseudo_channels", e, "%u pseudo channels: not a power of two", v->pseudo_channels);
    if (v->banks & (v->banks - 1))
        return cfg_fault(c, "dram.banks", e, "%u banks: not a power of two", v->banks);
    if (v->banks % v->bank_groups || v->bank_groups & (v->bank_groups - 1))
        return cfg_fault(c, "dram.bank_groups", e, "%u banks cannot be divided into %u groups", v->banks,
                         v->bank_groups);
    if (v->commands == DRAM_ROTATE && v->dual_command)
        return cfg_fault(c, "dram.dual_command", e, "dram.commands = rotate has one command bus");
    if (v->rc < v->ras)
        return cfg_fault(c, "dram.rc", e, "tRC = %u is less than tRAS = %u", v->rc, v->ras);
    if (v->ccd == 0 || v->ccd * v->data_rate < v->burst) {
        cfg_fault(c, "dram.ccd", e, "tCCD = %u cycles are too few for a burst of %u at %u transfers per cycle", v->ccd,
                  v->burst, v->data_rate);
        return err_hint(e, "at least %u", (v->burst + v->data_rate - 1) / v->data_rate);
    }
    return 0;
}
const struct cfg_section dram_cfg_section = {
    .name = "dram",
    .doc = "a DRAM channel",
    .field = fields,
    .bytes = sizeof(T),
    .check = check_dram,
};
#undef T

#define S struct dram_stats
static const struct stat_def stat_defs[] = {
    STAT_ROW(S, reads, "requests", "read requests"),
    STAT_ROW(S, writes, "requests", "write requests"),
    STAT_ROW(S, read_bursts, "bursts", "read commands"),
    STAT_ROW(S, write_bursts, "bursts", "write commands"),
    STAT_ROW(S, read_bytes, "bytes", "bytes requested by reads"),
    STAT_ROW(S, write_bytes, "bytes", "bytes written"),
    STAT_ROW(S, row_hits, "requests", "requests that found their row open"),
    STAT_ROW(S, row_misses, "requests", "requests that found no row open"),
    STAT_ROW(S, row_conflicts, "requests", "requests that found another row open"),
    STAT_ROW(S, activates, "commands", "rows opened"),
    STAT_ROW(S, precharges, "commands", "rows closed"),
    STAT_ROW(S, data_cycles, "cycles", "DRAM cycles in which the data bus was used"),
    STAT_ROW(S, active_cycles, "cycles", "DRAM cycles with a request waiting or in service"),
    STAT_ROW(S, bank_cycles, "cycles", "sum over banks of DRAM cycles with a request in service"),
    STAT_ROW(S, blp_cycles, "cycles", "DRAM cycles in which at least one bank had a request in service"),
    STAT_ROW(S, cycles, "cycles", "DRAM cycles, summed over channels"),
    STAT_ROW(S, queue_cycles, "cycles", "sum over time of requests in the queue"),
    STAT_ROW(S, queue_full_cycles, "cycles", "DRAM cycles in which a request waited for the queue"),
    STAT_QUOTIENT("efficiency", "", "dram.data_cycles", "dram.active_cycles", "data cycles / cycles with requests"),
    STAT_QUOTIENT("utilization", "", "dram.data_cycles", "dram.cycles", "data cycles / all cycles"),
    STAT_QUOTIENT("blp", "banks", "dram.bank_cycles", "dram.blp_cycles", "mean busy banks while at least one is busy"),
    STAT_QUOTIENT("row_hit_rate", "", "dram.row_hits", "dram.row_hits+dram.row_misses+dram.row_conflicts",
                  "row hits / requests"),
    STAT_END};
#undef S

void dram_register_stats(struct dram *d, struct stats *s)
{
    stats_add(s, "dram", stat_defs, &d->stats);
}
