/*
 * Parameters of a DRAM channel (section [dram]) and its statistics.
 *
 * Timings are in DRAM command-clock cycles. Names follow the datasheets; GPGPU-Sim's and the papers' names are in
 *   brackets: ccd   column to column, different bank group (tCCDS)      ccdl  the same, same group (tCCDL) rrd
 *   activate to activate, different banks               rcd   activate to read rcdwr activate to write ras   activate
 *   to precharge rp    precharge to activate                               rc    activate to activate, same bank cl
 *   read to first data                                  wl    write to first data cdlr  end of write data to read
 *   (tWTR)                    wr    end of write data to precharge (tWR) rtpl  read to precharge (tRTP) faw   window
 *   of four activates (0: none) rtw   read to write on the data bus, in addition to the data cycles (2 in GPGPU-Sim)
 */
#ifndef WEIR_DRAM_DRAM_CONFIG_H
#define WEIR_DRAM_DRAM_CONFIG_H

#include "dram/dram.h"
#include "engine/config.h"
#include "engine/stats.h"

struct dram_config {
    uint32_t bus_bytes;       /* data bus of one device */
    uint32_t chips;           /* devices side by side */
    uint32_t burst;           /* transfers per column command */
    uint32_t data_rate;       /* transfers per command-clock cycle: 2 = DDR, 4 = GDDR5 */
    uint32_t pseudo_channels; /* of a channel: a power of two; what follows is each one's */
    uint32_t banks, bank_groups;
    uint32_t group_by;    /* enum dram_group_by */
    uint32_t queue;       /* requests the scheduler chooses from */
    uint32_t latency;     /* fixed latency of controller and wires, in L2 cycles */
    uint32_t latency_at;  /* enum dram_latency_at */
    uint32_t in_flight;   /* DRAM_BEFORE: requests between the slices' queues and their last burst */
    uint32_t commands;    /* enum dram_commands */
    uint32_t queue_holds; /* enum dram_queue_holds */
    uint32_t age_cap;     /* FR-FCFS: a request older than this goes first; 0 = never */
    bool dual_command;    /* a row and a column command in the same cycle */
    uint32_t scheduler;   /* enum dram_scheduler */
    uint32_t ccd, ccdl, rrd, rcd, rcdwr, ras, rp, rc, cl, wl, cdlr, wr, rtpl, faw, rtw;
};
enum dram_group_by { DRAM_GROUP_LOW, DRAM_GROUP_HIGH }; /* which bits of the bank number name its group */
enum dram_scheduler { DRAM_FRFCFS, DRAM_FCFS };
enum dram_latency_at { DRAM_AFTER, DRAM_BEFORE };       /* where the fixed latency is: behind or before the scheduler */
enum dram_commands { DRAM_COLUMNS_FIRST, DRAM_ROTATE }; /* which bank has the command bus */
enum dram_queue_holds { DRAM_HOLDS_ALL, DRAM_HOLDS_WAITING }; /* whether requests in service count in the queue */
extern const struct cfg_section dram_cfg_section;

struct dram_setup {
    const struct dram_config *cfg;
    uint32_t input_queue; /* requests each client's port holds: l2.dram_queue */
};

uint32_t dram_bus_bits(const struct dram_config *);
uint32_t dram_burst_bytes(const struct dram_config *);
/* Requests a channel can hold that are not counted by its clients: its scheduler's queue. */
uint32_t dram_max_own_requests(const struct dram_setup *);
void dram_register_stats(struct dram *, struct stats *);

#endif
