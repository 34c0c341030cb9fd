/* The coalescer and the shared-memory conflict count; see coalesce.h. */
#include "sm/coalesce.h"

#include <string.h>

/* Additional state of a line: the bytes touched, when accesses are narrower than a word. */
struct collect {
    struct line_access *out;
    unsigned n;
    unsigned line_bytes;
    uint64_t byte[COALESCE_MAX][2]; /* only used for narrow accesses */
    bool narrow, split;
};

static inline uint32_t word_mask(unsigned first, unsigned last)
{
    uint32_t upto = last >= 31 ? ~0u : (1u << (last + 1)) - 1;
    return upto & ~((1u << first) - 1);
}

static void mark_bytes(uint64_t byte[2], unsigned offset, unsigned n)
{
    for (unsigned i = offset; i < offset + n; i++)
        byte[i >> 6 & 1] |= 1ull << (i & 63);
}

/* One piece of an access within one line. */
static inline void add_piece(struct collect *c, uint64_t line, unsigned offset, unsigned n)
{
    unsigned last_word = (offset + n - 1) / 4;
    uint32_t words = word_mask(offset / 4 & 31, last_word & 31);
    /* Neighboring lanes mostly touch the line of the lane before: look from the latest line backward. */
    for (unsigned i = c->n; i-- > 0;) {
        struct line_access *l = &c->out[i];
        if (l->addr != line || (c->split && l->words & words))
            continue;
        l->words |= words;
        if (c->narrow)
            mark_bytes(c->byte[i], offset, n);
        return;
    }
    if (c->n == COALESCE_MAX)
        return; /* cannot happen: 32 lanes of at most 8 words */
    c->out[c->n] = (struct line_access){.addr = line, .words = words, .first = (uint8_t)offset};
    if (c->narrow) {
        c->byte[c->n][0] = c->byte[c->n][1] = 0;
        mark_bytes(c->byte[c->n], offset, n);
    }
    c->n++;
}

static inline void add_access(struct collect *c, uint64_t addr, unsigned width)
{
    unsigned offset = (unsigned)(addr & (c->line_bytes - 1));
    while (offset + width >
           c->line_bytes) { /* misaligned: the emulator would have refused it, but a trace may contain it */
        unsigned n = c->line_bytes - offset;
        add_piece(c, addr - offset, offset, n);
        addr += n;
        width -= n;
        offset = 0;
    }
    add_piece(c, addr - offset, offset, width);
}

/* Full lines are common, and not every processor has a popcount instruction. */
static inline unsigned count_words(uint32_t words)
{
    return words == ~0u ? 32 : (unsigned)__builtin_popcount(words);
}

static void count_bytes(struct collect *c)
{
    for (unsigned i = 0; i < c->n; i++) {
        struct line_access *l = &c->out[i];
        if (!c->narrow) {
            l->bytes = (uint16_t)(4 * count_words(l->words));
            continue;
        }
        l->bytes = (uint16_t)(__builtin_popcountll(c->byte[i][0]) + __builtin_popcountll(c->byte[i][1]));
        l->partial = l->bytes != 4 * __builtin_popcount(l->words);
    }
}

/* Lanes 0..31 at base + width * lane, in whole words: the lines are consecutive. */
static unsigned coalesce_dense(uint64_t base, unsigned width, unsigned line_bytes, struct line_access *out)
{
    uint64_t end = base + 32ull * width;
    unsigned n = 0;
    for (uint64_t line = base & ~(uint64_t)(line_bytes - 1); line < end; line += line_bytes, n++) {
        uint64_t from = line < base ? base : line, to = line + line_bytes < end ? line + line_bytes : end;
        uint32_t words = word_mask((unsigned)(from - line) / 4, (unsigned)(to - line - 1) / 4);
        out[n] = (struct line_access){
            .addr = line, .words = words, .bytes = (uint16_t)(to - from), .first = (uint8_t)(from - line)};
    }
    return n;
}

/* All lanes, in rows of mem->group that are each dense or one word for all, in whole words: few pieces instead of lanes. */
static unsigned coalesce_rows(const struct stream_mem *mem, unsigned width, unsigned line_bytes,
                              struct line_access *out)
{
    unsigned n = 0;
    uint64_t row = mem->base;
    for (unsigned lane = 0; lane < TRACE_WARP_SIZE; lane += mem->group, row += (uint64_t)mem->pitch) {
        uint64_t at = row;
        unsigned left = mem->stride ? mem->group * width : width;
        while (left) {
            unsigned offset = (unsigned)(at & (line_bytes - 1)), room = line_bytes - offset;
            unsigned bytes = left < room ? left : room;
            uint64_t line = at - offset;
            unsigned i = n;
            while (i && out[i - 1].addr != line)
                i--;
            if (!i) {
                out[n] = (struct line_access){.addr = line, .first = (uint8_t)offset};
                i = ++n;
            }
            out[i - 1].words |= word_mask(offset / 4, (offset + bytes - 1) / 4);
            at += bytes;
            left -= bytes;
        }
    }
    for (unsigned i = 0; i < n; i++)
        out[i].bytes = (uint16_t)(4 * count_words(out[i].words));
    return n;
}

/*
 * Aligned 4-byte lanes, the most common accesses: neighboring lanes mostly share a line, so the current line is tried
 * before the others are searched, and those only when one of them has the line's hash: lanes far apart would search
 * them all. Returns 0 when a lane turns out not to be aligned.
 */
static unsigned coalesce_words(uint32_t mask, const uint64_t *addr, unsigned line_bytes, struct line_access *out)
{
    const uint64_t in_line = line_bytes - 1;
    unsigned n = 0;
    uint64_t at_hand = 0;
    uint32_t words = 0, dummy = 0, *into = &dummy;
    uint64_t low = 0, seen = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t a = addr[__builtin_ctz(left)], offset = a - at_hand;
        low |= a;
        if (offset <= in_line && n) {
            words |= 1u << (offset >> 2);
            continue;
        }
        uint64_t line = a & ~in_line;
        *into = words;
        const uint64_t hash = 1ull << ((line >> 5) * 0x9e3779b97f4a7c15ull >> 58);
        unsigned i = seen & hash ? n : 0;
        seen |= hash;
        while (i && out[i - 1].addr != line)
            i--;
        if (!i) {
            out[n] = (struct line_access){.addr = line, .first = (uint8_t)(a & in_line)};
            i = ++n;
        }
        at_hand = line;
        into = &out[i - 1].words;
        words = *into | 1u << ((a & in_line) >> 2);
    }
    *into = words;
    for (unsigned i = 0; i < n; i++)
        out[i].bytes = (uint16_t)(4 * count_words(out[i].words));
    return low & 3 ? 0 : n;
}

unsigned coalesce(const struct stream_mem *mem, unsigned width, unsigned line_bytes, bool split,
                  struct line_access *out)
{
    if (mem->affine && mem->mask == ~0u && mem->stride == (int64_t)width && !(width & 3) && !(mem->base & 3))
        return coalesce_dense(mem->base, width, line_bytes, out);
    if (mem->group && mem->mask == ~0u && (mem->stride == 0 || mem->stride == (int64_t)width) && !split &&
        !((width | mem->base | (uint64_t)mem->pitch) & 3))
        return coalesce_rows(mem, width, line_bytes, out);
    uint64_t room[TRACE_WARP_SIZE];
    const uint64_t *addr = mem->addr;
    if (mem->group) {
        stream_mem_fill(mem, room);
        addr = room;
    }
    if (width == 4 && !split) {
        unsigned n = coalesce_words(mem->mask, addr, line_bytes, out);
        if (n)
            return n;
    }
    struct collect c;
    c.out = out;
    c.n = 0;
    c.line_bytes = line_bytes;
    c.narrow = width & 3;
    c.split = split;
    if (mem->affine && mem->stride == 0 && !split) {
        add_access(&c, mem->base, width);
    } else {
        for (uint32_t left = mem->mask; left; left &= left - 1)
            add_access(&c, addr[__builtin_ctz(left)], width);
    }
    count_bytes(&c);
    return c.n;
}

unsigned coalesce_segments(const struct stream_mem *mem, unsigned width, unsigned line_bytes, bool split,
                           struct line_access *out)
{
    unsigned segment = width <= 2 ? 32 * width : line_bytes;
    if (segment > line_bytes)
        segment = line_bytes;
    unsigned n = coalesce(mem, width, segment, split, out);
    for (unsigned i = 0; segment < line_bytes && i < n; i++) {
        unsigned offset = (unsigned)(out[i].addr & (line_bytes - 1));
        out[i].addr -= offset;
        out[i].words <<= offset / 4;
        out[i].first = (uint8_t)(out[i].first + offset);
    }
    return n;
}

uint8_t coalesce_segment_of(uint8_t sectors)
{
    return sectors & 3 && sectors & 12 ? 15 : sectors;
}

unsigned coalesce_local(const struct stream_mem *mem, unsigned width, unsigned line_bytes, uint64_t thread,
                        uint64_t n_threads, uint64_t base, struct line_access *out)
{
    struct collect c;
    c.out = out;
    c.n = 0;
    c.line_bytes = line_bytes;
    c.narrow = width & 3;
    c.split = false;
    unsigned step = width < 4 ? width : 4;
    for (unsigned at = 0; at < width; at += 4)
        for (uint32_t left = mem->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            uint64_t offset = mem->addr[lane] + at;
            add_access(&c, base + ((offset >> 2) * n_threads + thread + lane) * 4 + (offset & 3), step);
        }
    count_bytes(&c);
    return c.n;
}

/* Passes of the lanes in `mask`, each touching `words` consecutive words. */
static unsigned passes_of(const struct stream_mem *mem, uint32_t mask, unsigned words, unsigned banks, bool atomic)
{
    uint64_t seen[64][32]; /* distinct words by bank */
    uint8_t n[64];
    memset(n, 0, banks);
    unsigned most = 1;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t first = mem->addr[__builtin_ctz(left)] >> 2;
        for (uint64_t w = first; w < first + words; w++) {
            unsigned bank = (unsigned)w & (banks - 1), i = 0;
            while (!atomic && i < n[bank] && seen[bank][i] != w)
                i++;
            if (atomic)
                i = n[bank];
            if (i == n[bank] && i < 32)
                seen[bank][n[bank]++] = w;
            if (n[bank] > most)
                most = n[bank];
        }
    }
    return most;
}

/* Every lane has the address of lane ^ `other`, where both are active. */
static bool agree(const struct stream_mem *mem, unsigned other)
{
    for (uint32_t left = mem->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), peer = lane ^ other;
        if (mem->mask >> peer & 1 && mem->addr[lane] != mem->addr[peer])
            return false;
    }
    return true;
}

unsigned smem_passes(const struct stream_mem *mem, unsigned width, unsigned banks, bool atomic, bool pairs)
{
    unsigned words = (width + 3) / 4;
    /* Lanes side by side, or all at one word: the common cases. */
    if (mem->affine && !atomic && words == 1 &&
        (mem->stride == 0 || mem->stride == 4 || mem->stride == (int64_t)width) && banks >= 32)
        return 1;
    if (words <= 1)
        return passes_of(mem, mem->mask, 1, banks, atomic);
    unsigned lanes = words == 2 ? 16 : words <= 4 ? 8 : 4, total = 0;
    if (pairs && words <= 4 && (agree(mem, 1) || agree(mem, 2)))
        lanes *= 2;
    uint32_t group = (uint32_t)((1ull << lanes) - 1);
    for (unsigned first = 0; first < 32; first += lanes)
        if (mem->mask & group << first)
            total += passes_of(mem, mem->mask & group << first, words, banks, atomic);
    return total;
}

/* The lines that need each bank are counted in all 32 banks at once: bit b of count[k] is bit k of bank b's number. */
unsigned data_passes(const struct line_access *line, unsigned n)
{
    uint32_t count[9] = {0}; /* COALESCE_MAX is 256 */
    for (unsigned i = 0; i < n; i++) {
        uint32_t carry = line[i].words;
        for (unsigned k = 0; carry; k++) {
            uint32_t both = count[k] & carry;
            count[k] ^= carry;
            carry = both;
        }
    }
    uint32_t most = ~0u;
    unsigned passes = 0;
    for (unsigned k = 9; k-- > 0;)
        if (count[k] & most) {
            most &= count[k];
            passes |= 1u << k;
        }
    return passes;
}
