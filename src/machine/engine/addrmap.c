/*
 * Address mapping by text. Masks are gathered bit by bit at start and applied with a loop over runs of equal bits (or
 * one PEXT-like fold), which is fast because texts have few runs.
 */
#include "engine/addrmap.h"

#include "base/bits.h"

#include <string.h>

static uint8_t log2_u64(uint64_t v)
{
    uint8_t n = 0;
    while (v >>= 1)
        n++;
    return n;
}

/* Collects the bits of v under mask, packed to the low end. */
static uint32_t gather(const struct addr_run *run, uint64_t v)
{
    uint32_t out = 0;
    for (; run->len; run++)
        out |= (uint32_t)(v >> run->from & ((1ull << run->len) - 1)) << run->to;
    return out;
}

/* Appends the runs of a mask to n others, which fill the field's bits below `to`. Returns the field's bits, or -1. */
static int append_runs(uint64_t mask, struct addr_run *run, int n, uint8_t to)
{
    for (uint8_t bit = 0; bit < 64;) {
        if (!(mask >> bit & 1)) {
            bit++;
            continue;
        }
        uint8_t len = 0;
        while (bit + len < 64 && mask >> (bit + len) & 1)
            len++;
        if (n == ADDR_RUNS - 1)
            return -1;
        run[n++] = (struct addr_run){bit, to, len};
        to += len;
        bit += len;
    }
    run[n].len = 0;
    return to;
}

static int runs_of(uint64_t mask, struct addr_run *run)
{
    return append_runs(mask, run, 0, 0);
}

/* The bits that choose the slice are the lowest of the bank's. */
static int bank_runs_of(uint64_t slice_mask, uint64_t mask, struct addr_run *run)
{
    int to = runs_of(slice_mask, run), n = 0;
    if (to < 0)
        return -1;
    while (run[n].len)
        n++;
    return append_runs(mask, run, n, (uint8_t)to);
}

int addrmap_init(struct addrmap *m, const char *text, uint32_t interleave_bytes, uint32_t n_channel,
                 uint32_t n_slice_per_channel, bool hash_bank, bool hash_channel, struct err *e)
{
    *m = (struct addrmap){.n_channel = n_channel,
                          .n_slice_per_channel = n_slice_per_channel,
                          .hash_bank = hash_bank,
                          .hash_channel = hash_channel};
    if (!is_pow2(interleave_bytes) || interleave_bytes < 32)
        return err_set(e, "channel interleave of %u bytes is not a power of two of at least 32", interleave_bytes);
    if (n_channel == 0 || !is_pow2(n_slice_per_channel))
        return err_set(e, "%u channels with %u slices each: slices per channel must be a power of two", n_channel,
                       n_slice_per_channel);
    uint64_t mask[4] = {0};
    uint8_t bits = 0;
    for (const char *p = text; *p; p++)
        bits += *p == 'R' || *p == 'B' || *p == 'L' || *p == 'C' || *p == 'S';
    uint8_t bit = bits;
    for (const char *p = text; *p; p++) {
        switch (*p) {
        case 'R':
            mask[0] |= 1ull << --bit;
            break;
        case 'B':
            mask[1] |= 1ull << --bit;
            break;
        case 'L':
            mask[3] |= 1ull << --bit;
            break;
        case 'C':
        case 'S':
            mask[2] |= 1ull << --bit;
            break;
        case '.':
        case ' ':
            break;
        default:
            err_set(e, "address mapping \"%s\": '%c' is not R, B, L, C or S", text, *p);
            return err_hint(e,
                            "R = row, B = bank, L = its bits that choose the L2 slice, C and S = column, most "
                            "significant bit first");
        }
    }
    if (bits < 8 || bits > 40)
        return err_set(e, "address mapping \"%s\" names %u bits; 8 to 40 are possible", text, bits);
    /* Bits above those of the map belong to the row, of which 32 bits are kept. */
    mask[0] |= ~0ull << bits;
    for (int top = 63; __builtin_popcountll(mask[0]) > 32; top--)
        mask[0] &= ~(1ull << top);
    int row_bits = runs_of(mask[0], m->row), bank_bits = bank_runs_of(mask[3], mask[1], m->bank),
        col_bits = runs_of(mask[2], m->col);
    if (row_bits < 0 || bank_bits < 0 || col_bits < 0)
        return err_set(e, "address mapping \"%s\" splits a field into more than %d pieces", text, ADDR_RUNS - 1);
    const uint32_t slices_named = 1u << __builtin_popcountll(mask[3]);
    if (mask[3] && slices_named != n_slice_per_channel)
        return err_set(e, "address mapping \"%s\" chooses among %u slices, but a channel has %u", text, slices_named,
                       n_slice_per_channel);
    m->n_bank = 1u << bank_bits;
    if (m->n_bank < n_slice_per_channel)
        return err_set(e, "address mapping \"%s\" has %u banks, fewer than the %u slices of a channel", text, m->n_bank,
                       n_slice_per_channel);
    m->interleave_shift = log2_u64(interleave_bytes);
    m->pow2 = is_pow2(n_channel);
    m->channel_shift = log2_u64(n_channel);
    m->n_partition = 1;
    return 0;
}

/* Takes the channel out of the address. Channels number at most a few dozen, so a 64-bit division is the whole cost. */
static inline uint32_t split(const struct addrmap *m, uint64_t addr, uint64_t *rest)
{
    uint64_t block = addr >> m->interleave_shift, low = addr & ((1ull << m->interleave_shift) - 1);
    uint64_t upper, channel;
    if (m->pow2) {
        upper = block >> m->channel_shift;
        channel = block & (m->n_channel - 1);
    } else if (block <= UINT32_MAX) {
        upper = (uint32_t)block / m->n_channel;
        channel = (uint32_t)block % m->n_channel;
    } else {
        upper = block / m->n_channel;
        channel = block % m->n_channel;
    }
    if (m->hash_channel) {
        /* A bijection within each group of n_channel blocks: rotate the group's channels by a mix of the upper bits. */
        uint64_t h = upper ^ upper >> 5 ^ upper >> 11 ^ upper >> 17;
        channel = (channel + (h & 0xffff)) % m->n_channel;
    }
    *rest = upper << m->interleave_shift | low;
    return (uint32_t)channel;
}

static inline uint32_t bank_of(const struct addrmap *m, uint64_t rest)
{
    uint32_t bank = gather(m->bank, rest);
    if (m->hash_bank)
        bank ^= gather(m->row, rest) & (m->n_bank - 1);
    return bank;
}

void addrmap_place(const struct addrmap *m, uint64_t addr, struct addr_place *out)
{
    uint64_t rest;
    out->channel = split(m, addr, &rest);
    out->bank = bank_of(m, rest);
    out->row = gather(m->row, rest);
    out->col = gather(m->col, rest);
    out->slice = out->channel * m->n_slice_per_channel + (out->bank & (m->n_slice_per_channel - 1));
}

uint32_t addrmap_slice(const struct addrmap *m, uint64_t addr)
{
    uint64_t rest;
    uint32_t channel = split(m, addr, &rest);
    if (m->n_slice_per_channel == 1)
        return channel;
    return channel * m->n_slice_per_channel + (bank_of(m, rest) & (m->n_slice_per_channel - 1));
}

uint64_t addrmap_local(const struct addrmap *m, uint64_t addr)
{
    uint64_t rest;
    split(m, addr, &rest);
    uint32_t bits = (uint32_t)__builtin_ctz(m->n_slice_per_channel);
    /* The low bank bits choose the slice: squeeze them out, lowest first (each removal moves the ones above down). */
    for (const struct addr_run *r = m->bank; bits && r->len; r++) {
        for (uint32_t i = 0; i < r->len && bits; i++, bits--) {
            uint32_t at = r->from - r->to;
            rest = (rest >> (at + 1)) << at | (rest & ((1ull << at) - 1));
        }
    }
    return rest;
}
