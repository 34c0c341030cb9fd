/*
 * The storage that APCM adds to an SM (Koo et al., ISCA 2017, section 5.4, Table 3), from the configuration.
 *
 * Not included: comparators and control logic, which the paper synthesized, and the CAM's match lines.
 */
#include "l1/management/apcm/apcm.h"
#include "l1/l1_config.h"

#define ADDRESS_BITS 32 /* the paper's: with 128-byte lines and 32 entries its MTA has tags of 20 bits */

static uint32_t bits_for(uint32_t values)
{
    uint32_t b = 0;
    while (b < 32 && 1ull << b < values)
        b++;
    return b;
}

unsigned apcm_storage(const struct apcm_params *p, const struct apcm_geometry *g, struct policy_cost out[POLICY_COSTS])
{
    uint32_t id = bits_for(p->load_entries), sets = p->mta_entries / p->mta_assoc;
    uint32_t tag = g->address_bits - bits_for(g->line_bytes) - bits_for(sets);
    /* A protection distance takes the place of the warp that protects the line. */
    bool distance = p->protect_distance != 0;
    uint32_t owner = distance ? bits_for(p->protect_distance + 1) : bits_for(g->warps);
    const char *line = distance ? "access count, protection, distance" : "access count, protection, warp id";
    out[0] = (struct policy_cost){
        "extended in L1D",           line, p->count_bits + 1 + owner, g->lines, 11, 128, .reads = ".accesses",
        .writes = ".hits + l1.fills"};
    out[1] = (struct policy_cost){"MTA",
                                  "tag, first and last load id, access count, intra-warp access count",
                                  tag + 2 * id + 2 * p->count_bits,
                                  p->mta_entries,
                                  36,
                                  32,
                                  .side_by_side = p->mta_assoc,
                                  .reads = ".mta.own_hits + .mta.other_hits + .mta.fills",
                                  .writes = ".mta.own_hits + .mta.other_hits + .mta.fills"};
    out[2] = (struct policy_cost){"CAIT",
                                  "valid, management method, last load id, access count",
                                  1 + 2 + id + p->count_bits,
                                  p->load_entries,
                                  11,
                                  16,
                                  .reads = ".accesses",
                                  .writes = ".update.conflict + .update.threshold + .update.exit"};
    out[3] = (struct policy_cost){"LAT",
                                  "pc; content-addressable",
                                  32,
                                  p->load_entries,
                                  32,
                                  16,
                                  .side_by_side = p->load_entries,
                                  .reads = ".accesses",
                                  .writes = ".loads"};
    out[4] = (struct policy_cost){"PSB",
                                  "set, loop, last load id",
                                  distance ? 0 : 2 + id,
                                  g->warps,
                                  6,
                                  48,
                                  .reads = ".accesses.protect",
                                  .writes = ".psb.set + .psb.by_load + .psb.by_loop + .psb.by_exit"};
    return 5;
}

static void find_warps(void *ctx, const struct cfg_value *v)
{
    if (!strcmp(v->key, "sm.max_warps"))
        *(uint32_t *)ctx = (uint32_t)strtoul(v->text, NULL, 10);
}

unsigned apcm_cost(const struct cfg *c, const void *params, struct policy_cost out[POLICY_COSTS])
{
    const struct l1_cache_config *l1 = cfg_section(c, "l1");
    struct apcm_geometry g = {
        .lines = (uint32_t)(l1->size / l1->line), .line_bytes = (uint32_t)l1->line, .address_bits = ADDRESS_BITS};
    cfg_each(c, find_warps, &g.warps);
    return apcm_storage(params, &g, out);
}
