/*
 * Functional warming: the L2 as accesses that were not simulated in time would have left it (gpu/warm.c).
 *
 * A read leaves the sectors that a miss fetches, a store marks what it writes as l2.write_miss says, and both make the
 * line the most recently used. Displaced lines are dropped without a write-back, since the skipped work's traffic is
 * extrapolated. Left out: order policies, notes of policies on lines, l2.dirty_ways, l2.copy_ways.
 */
#include "l2/l2_priv.h"

static void touch(struct l2 *l2, uint64_t line, uint8_t sectors, uint8_t written, bool write)
{
    struct tags *t = &l2->tags;
    const uint32_t set = l2_set_of(l2, line << t->line_shift);
    int32_t entry = tags_find(t, set, line);
    const bool around = entry < 0 && l2->cfg.write_miss == L2_WRITE_AROUND_FETCH;
    if (entry < 0) {
        if (write && l2->cfg.write_miss == L2_WRITE_AROUND)
            return;
        entry = tags_victim_lru(t, set);
        if (entry < 0)
            return; /* every way waits for a line in flight */
        tags_place(t, (uint32_t)entry, line);
        l2->words[entry] = 0;
        if (l2->policy_tag)
            l2->policy_tag[entry] = 0;
    }
    tags_touch(t, (uint32_t)entry);
    t->flags[entry] &= (uint8_t)~TAG_F_COPIED;
    const bool validate = l2->cfg.write_miss == L2_WRITE_VALIDATE;
    t->valid[entry] |= write && validate ? written : l2->cfg.sectored ? sectors : t->full;
    if (write && !around)
        t->dirty[entry] |= sectors;
}

static void touch_slices(struct l2 *const *slice, uint32_t n_slice, uint64_t line, uint8_t sectors, uint8_t written,
                         bool write)
{
    const struct l2 *any = slice[0];
    const uint64_t addr = line << any->tags.line_shift;
    const uint32_t home = addrmap_slice(any->env.map, addr), asked = addrmap_slice_by_address(any->env.map, addr);
    if (home < n_slice)
        touch(slice[home], line, sectors, written, write);
    if (asked != home && asked < n_slice && slice[asked]->remote_out && !write)
        touch(slice[asked], line, sectors, 0, false);
}

void l2_warm(struct l2 *const *slice, uint32_t n_slice, uint64_t addr, uint32_t words, bool write)
{
    const struct tags *t = &slice[0]->tags;
    uint64_t line = addr >> t->line_shift;
    uint8_t sectors = 0, written = 0;
    for (uint32_t s = 0; s < 4; s++) {
        const uint64_t at = addr + s * SECTOR_BYTES;
        const uint32_t of_sector = words >> 8 * s & 0xff;
        if (at >> t->line_shift != line && sectors) {
            touch_slices(slice, n_slice, line, sectors, written, write);
            sectors = written = 0;
        }
        line = at >> t->line_shift;
        const uint8_t bit = (uint8_t)(1u << (at / SECTOR_BYTES % t->n_sector));
        sectors |= of_sector ? bit : 0;
        written |= of_sector == 0xff ? bit : 0;
    }
    if (sectors)
        touch_slices(slice, n_slice, line, sectors, written, write);
}

uint32_t l2_lines(const struct l2 *l2)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < tags_entries(&l2->tags); k++)
        n += l2->tags.line[k] != TAG_NONE;
    return n;
}

uint32_t l2_capacity_lines(const struct l2 *l2)
{
    return tags_entries(&l2->tags);
}
