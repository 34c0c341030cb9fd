/*
 * Unloaded latencies by formula, for machines with one clock and a crossbar: where each cycle of a request goes.
 * The bounds and behavior tests compare the simulated cycles with these, exactly.
 */
#ifndef WEIR_TESTS_MEMORY_LATENCY_H
#define WEIR_TESTS_MEMORY_LATENCY_H

#include "memsys.h"

static inline uint64_t flits(const struct memsys *m, uint64_t bytes)
{
    return (bytes + m->noc_config.cfg->flit - 1) / m->noc_config.cfg->flit;
}

/* From the SM's send to the tags of the slice, for a request packet of `bytes`. */
static inline uint64_t to_l2(const struct memsys *m, uint64_t bytes)
{
    return m->l1_config.cache[0]->tag_latency                              /* SM to the L1's tags */
           + 1                                                             /* miss queue to the injection port */
           + 1                                                             /* into the network */
           + m->noc_config.cfg->crossbar_latency - 1 + flits(m, bytes) - 1 /* through it */
           + m->l2_config.cfg->latency;                                    /* into the slice, to its tags */
}

/* From the slice's decision to answer to the SM, for a reply packet of `bytes`. */
static inline uint64_t from_l2(const struct memsys *m, uint64_t bytes)
{
    return 1                                                           /* into the network */
           + m->noc_config.cfg->crossbar_latency + flits(m, bytes) - 1 /* through it, to the L1 */
           + 1;                                                        /* L1 to SM */
}

static inline uint64_t l2_hit_latency(const struct memsys *m, uint64_t reply_bytes)
{
    return to_l2(m, 8) + from_l2(m, reply_bytes);
}

/* A closed row; the line in `bursts` column commands of one bank. */
static inline uint64_t dram_latency(const struct memsys *m, uint64_t bursts)
{
    const struct dram_config *d = m->dram_config.cfg;
    uint64_t same_group = d->ccdl > d->ccd ? d->ccdl : d->ccd;
    return 1                                                      /* into the scheduler, which activates at once */
           + d->rcd + (bursts - 1) * same_group                   /* the last column command */
           + d->cl + (d->burst + d->data_rate - 1) / d->data_rate /* its data */
           + 1 + d->latency;                                      /* to the slice, which answers at once */
}

#endif
