/*
 * Building a tag array, and the hashed set indices.
 *
 * Fermi's hash is the one Nugteren et al. found by measurement ("A Detailed GPU Cache Model Based on Reuse Distance
 * Theory", HPCA 2014): address bits 7-11 xor bits 13, 14, 15, 17, 19, plus bit 12 for 64 sets.
 */
#include "cache/tags.h"

#include "base/bits.h"

int tags_init(struct tags *t, struct arena *arena, uint32_t n_set, uint32_t n_way, uint32_t line_bytes,
              enum set_hash hash, struct err *e)
{
    if (!is_pow2(n_set))
        return err_set(e, "%u sets: not a power of two", n_set);
    if (!is_pow2(line_bytes) || line_bytes < SECTOR_BYTES || line_bytes > 256)
        return err_set(e, "lines of %u bytes: the size must be a power of two from 32 to 256", line_bytes);
    if (n_way == 0 || n_way > 64)
        return err_set(e, "%u ways: must be 1 to 64", n_way);
    if (hash == SET_FERMI && ((n_set != 32 && n_set != 64) || line_bytes != 128)) {
        err_set(e, "Fermi's set hash is defined for 32 or 64 sets of 128-byte lines, not %u of %u", n_set, line_bytes);
        return err_hint(e, "use set_hash = xor or linear");
    }
    uint32_t n = n_set * n_way;
    *t = (struct tags){.n_set = n_set,
                       .n_way = n_way,
                       .n_live = n_way,
                       .hash = (uint8_t)hash,
                       .line_shift = (uint8_t)__builtin_ctz(line_bytes),
                       .n_sector = (uint8_t)(line_bytes / SECTOR_BYTES),
                       .full = (uint8_t)((1u << (line_bytes / SECTOR_BYTES)) - 1)};
    t->line = arena_alloc64(arena, n * sizeof *t->line);
    t->used = arena_alloc64(arena, n * sizeof *t->used);
    t->valid = arena_alloc64(arena, n);
    t->dirty = arena_alloc64(arena, n);
    t->pending = arena_alloc64(arena, n);
    t->flags = arena_alloc64(arena, n);
    for (uint32_t i = 0; i < n; i++)
        t->line[i] = TAG_NONE;
    return 0;
}

uint32_t tags_set_hashed(const struct tags *t, uint64_t line)
{
    if (t->hash == SET_FERMI) {
        uint32_t l = (uint32_t)line; /* bit n of the address is bit n - 7 of the line number */
        uint32_t set = (l & 0x1f) ^ ((l >> 6 & 7) | (l >> 10 & 1) << 3 | (l >> 12 & 1) << 4);
        return t->n_set == 64 ? set | (l >> 5 & 1) << 5 : set;
    }
    uint32_t bits = (uint32_t)__builtin_ctz(t->n_set);
    return (uint32_t)(line ^ line >> bits ^ line >> 2 * bits) & (t->n_set - 1);
}
