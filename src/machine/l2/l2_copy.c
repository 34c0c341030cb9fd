/*
 * Copies from the host and memsets leave their lines in the L2 (memory.copies_preload_l2): lines in the order of their
 * addresses, each in the slice of its channel and, where the L2 has partitions, in that of the other partition.
 *
 * A copy may be far larger than the cache, so its middle is skipped, with the result of a walk over every line: once
 * each set has received as many lines as it has ways, the copied lines in it are the latest of this copy, whatever was
 * there before. What a later part of the copy then changes is how many ways hold copied lines, and that depends only
 * on the other lines that the set holds. So the middle visits only lines that are present, and the last lines of each
 * set, as many as it has ways, take their places as if all had come. Where a map leaves sets unused, or every way of a
 * set is reserved, nothing is skipped.
 *
 * A copy takes no time here, and neither it nor the lines that it displaces cause traffic.
 */
#include "l2/l2_priv.h"

/* The copy, in line numbers: [line, end). */
struct preload {
    struct l2 *const *slice;
    uint32_t n_slice;
    bool by_kernel;
    uint64_t line, end;
    uint64_t sets_left; /* sets that have not received as many lines as they have ways */
};

/* The way for a line of a host copy: a free one, or that of the line copied longest ago. */
static int32_t way_for_copy(const struct l2 *l2, uint32_t set)
{
    const struct tags *t = &l2->tags;
    uint32_t n = 0;
    int32_t oldest = -1;
    for (uint32_t k = set * t->n_way; l2->cfg.copy_ways && k < (set + 1) * t->n_way; k++) {
        n += t->line[k] != TAG_NONE;
        if (t->flags[k] & TAG_F_COPIED && !t->pending[k] && (oldest < 0 || t->used[k] < t->used[oldest]))
            oldest = (int32_t)k;
    }
    return n < l2->cfg.copy_ways || oldest < 0 ? tags_victim_lru(t, set) : oldest;
}

/* Of the lines that copies left dirty in a set, all but the latest l2.copy_dirty_ways have been written back. */
static void clean_copied(struct l2 *l2, uint32_t set)
{
    struct tags *t = &l2->tags;
    for (;;) {
        uint32_t n = 0;
        int32_t oldest = -1;
        for (uint32_t k = set * t->n_way; k < (set + 1) * t->n_way; k++)
            if (t->flags[k] & TAG_F_COPIED && t->dirty[k]) {
                n++;
                oldest = oldest < 0 || t->used[k] < t->used[oldest] ? (int32_t)k : oldest;
            }
        if (n <= l2->cfg.copy_dirty_ways)
            return;
        t->dirty[oldest] = 0;
    }
}

/* The line's set in a slice. */
static uint32_t set_of(const struct l2 *l2, uint64_t line)
{
    const struct tags *t = &l2->tags;
    return tags_set(t, addrmap_local(l2->env.map, line << t->line_shift) >> t->line_shift);
}

/* Puts a line into the slice. `copy`: the slice is that of the other partition. Returns whether it took or renewed a way
 * that a later line could take. */
static bool preload_line(struct l2 *l2, uint64_t line, uint32_t set, bool copy, bool by_kernel)
{
    struct tags *t = &l2->tags;
    int32_t entry = tags_find(t, set, line);
    if (copy && !by_kernel) {
        if (entry >= 0 && !t->pending[entry])
            tags_drop(t, (uint32_t)entry); /* it is out of date */
        return false;
    }
    if (entry < 0) {
        entry = way_for_copy(l2, set);
        if (entry < 0)
            return false; /* every way is reserved for a line in flight: the copy bypasses the slice */
        tags_place(t, (uint32_t)entry, line);
        l2->words[entry] = 0;
        if (l2->policy_tag)
            l2->policy_tag[entry] = 0;
    }
    l2->stats.preloaded++;
    tags_touch(t, (uint32_t)entry);
    t->valid[entry] = t->full;
    if (l2->cfg.copy_ways)
        t->flags[entry] |= TAG_F_COPIED;
    if (l2->cfg.copy_dirty_ways && !copy) {
        t->dirty[entry] = t->full;
        if (!by_kernel)
            clean_copied(l2, set);
    }
    return !t->pending[entry];
}

/* Counts a line that the set has received. */
static void count_line(struct preload *w, struct l2 *l2, uint32_t set)
{
    if (l2->copied_lines[set] < l2->tags.n_way && ++l2->copied_lines[set] == l2->tags.n_way)
        w->sets_left--;
}

static void count_anew(struct preload *w)
{
    w->sets_left = 0;
    for (uint32_t i = 0; i < w->n_slice; i++) {
        memset(w->slice[i]->copied_lines, 0, w->slice[i]->tags.n_set);
        w->sets_left += w->slice[i]->tags.n_set;
    }
}

/* Preloads lines in turn, up to `end` or until every set has received as many as it has ways. */
static void walk(struct preload *w, uint64_t end)
{
    const struct l2 *any = w->slice[0];
    const struct addrmap *map = any->env.map;
    for (; w->line < end && w->sets_left; w->line++) {
        const uint64_t addr = w->line << any->tags.line_shift;
        const uint32_t home = addrmap_slice(map, addr), asked = addrmap_slice_by_address(map, addr);
        const uint32_t set = set_of(any, w->line);
        if (home < w->n_slice && preload_line(w->slice[home], w->line, set, false, w->by_kernel))
            count_line(w, w->slice[home], set);
        if (asked != home && asked < w->n_slice && w->slice[asked]->remote_out)
            preload_line(w->slice[asked], w->line, set, true, w->by_kernel);
    }
}

/* Where the last lines begin of which every set receives as many as it has ways; not before w->line. */
static uint64_t last_lines(struct preload *w)
{
    const struct l2 *any = w->slice[0];
    uint64_t at = w->end;
    count_anew(w);
    while (at > w->line && w->sets_left) {
        const uint32_t home = addrmap_slice(any->env.map, --at << any->tags.line_shift);
        if (home < w->n_slice)
            count_line(w, w->slice[home], set_of(any, at));
    }
    return at;
}

/* Visits the lines from w->line to `end` that are in the slice, those of each set in the order of their addresses. */
static void visit_present(struct preload *w, struct l2 *l2, uint64_t end)
{
    const struct tags *t = &l2->tags;
    for (uint32_t set = 0; set < t->n_set; set++) {
        for (uint64_t from = w->line; from < end;) {
            uint64_t next = end;
            for (uint32_t k = set * t->n_way; k < (set + 1) * t->n_way; k++)
                if (t->line[k] >= from && t->line[k] < next)
                    next = t->line[k];
            if (next < end)
                preload_line(l2, next, set, addrmap_slice(l2->env.map, next << t->line_shift) != l2->env.slice,
                             w->by_kernel);
            from = next + 1;
        }
    }
}

/* Goes on at `end`, with the statistics as if every line had been preloaded. Both are multiples of two interleaves. */
static void skip(struct preload *w, uint64_t end)
{
    struct l2 *first = w->slice[0];
    uint64_t preloaded = 0, lines = end - w->line;
    for (uint32_t i = 0; i < w->n_slice; i++)
        preloaded += w->slice[i]->stats.preloaded;
    for (uint32_t i = 0; i < w->n_slice; i++)
        visit_present(w, w->slice[i], end);
    for (uint32_t i = 0; i < w->n_slice; i++)
        preloaded -= w->slice[i]->stats.preloaded; /* the visits, which `lines` includes */
    if (w->by_kernel && first->remote_out)
        lines += lines / 2;                      /* of two neighbors one is asked for in the other partition */
    first->stats.preloaded += lines + preloaded; /* the sum over the slices is what is shown */
    w->line = end;
}

void l2_preload(struct l2 *const *slice, uint32_t n_slice, uint64_t addr, uint64_t bytes, bool by_kernel)
{
    const struct l2 *any = slice[0];
    const uint8_t shift = any->tags.line_shift, interleave = any->env.map->interleave_shift;
    struct preload w = {slice, n_slice, by_kernel, addr >> shift, ((addr + bytes - 1) >> shift) + 1, 0};
    const uint64_t even = 2ull << (interleave > shift ? interleave - shift : 0);
    count_anew(&w);
    walk(&w, w.end);
    uint64_t from = (w.line + even - 1) / even * even, tail = last_lines(&w) / even * even;
    w.sets_left = UINT64_MAX; /* to the end, from here on */
    if (tail > from) {
        walk(&w, from);
        skip(&w, tail);
    }
    walk(&w, w.end);
}
