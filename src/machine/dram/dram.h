/*
 * One DRAM channel, as its neighbors and the builder see it.
 *
 * Clients (the L2 slices of the channel) send requests through dram_in(channel, client), info = net_info(bytes,
 * sectors) with bytes = the number of bytes read or written. Reads return through the client's port given to
 * dram_connect, dram.latency after the last data beat. Writes and write-backs are retired here (the channel frees the
 * request). The channel is one component on the DRAM clock; it sleeps until the next command can be legal.
 */
#ifndef WEIR_DRAM_DRAM_H
#define WEIR_DRAM_DRAM_H

#include "engine/addrmap.h"
#include "engine/engine.h"
#include "engine/netmsg.h"
#include "engine/port.h"

struct dram;
struct dram_setup; /* dram/dram_config.h */

struct dram_env {
    uint32_t channel;
    uint32_t n_client;
    const struct addrmap *map;
};

struct dram *dram_new(struct engine *, const struct dram_setup *, const struct dram_env *, const char *name,
                      struct err *e);
struct port *dram_in(struct dram *, uint32_t client);
void dram_connect(struct dram *, uint32_t client, struct port *fill);
bool dram_drained(const struct dram *);
/* Bursts that each bank has moved; returns how many banks there are. `out` NULL: only that. */
uint32_t dram_bank_bursts(const struct dram *, uint64_t *out);

#endif
