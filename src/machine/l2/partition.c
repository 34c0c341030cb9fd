/*
 * Two partitions of the L2 (l2.partitions = 2), each with an L2 of its own for half of the channels.
 *
 * A slice also serves lines of its counterpart, the slice in its place in the other half: it keeps clean copies of them,
 * which it fetches from the counterpart as it fetches its own lines from DRAM, and forward stores and atomics to it.
 *
 *   copy: hit             -> reply network
 *         miss            -> a waiter in an MSHR -> link -> the counterpart's tags -> link -> fill -> ready
 *                            -> reply network
 *         store, atomic   -> link -> the counterpart's tags, which answer it
 *
 * With l2.partition_of = sm, stores and atomics also come straight to the slice where their line lives; it invalidates the
 * counterpart's copy. An invalidation occupies neither the link nor the tags.
 *
 * Requests from the link have their own entry in front of the tags and never wait for a request from the network, and
 * fetches of copies leave MSHRs and a way of each set free for them, so that two slices cannot deadlock.
 */
#include "l2/l2_priv.h"

/* That a line was written where it lives. */
static inline bool is_news(const struct req *r)
{
    return r->origin == REQ_FROM_L2 && r->kind == REQ_WRITE;
}

/* Data occupies the link between the two slices of a pair; messages without data do not. */
static void use_link(struct l2 *l2, uint64_t now, uint32_t bytes)
{
    if (bytes)
        l2->link_free_at = now + (bytes - 1) / l2->cfg.partition_link_bytes + 1;
}

/* Replies to the counterpart's fetch of a copy. The link is ready. */
void l2_send_copy(struct l2 *l2, req_id id, uint8_t sectors, uint64_t now)
{
    uint32_t bytes = sector_count(sectors) * SECTOR_BYTES;
    use_link(l2, now, bytes);
    port_send(l2->copy_out, id, net_info(bytes, sectors));
}

/* Why a fetch of a copy may not start yet: its MSHRs or way are reserved for the counterpart's requests. */
enum stall l2_reserved_for_far(const struct l2 *l2, const struct l2_lookup *q, uint32_t more)
{
    const struct tags *t = &l2->tags;
    if (!l2_leaves_mshrs(l2, more))
        return STALL_NO_MSHR;
    uint32_t reserved = 0;
    for (uint32_t e = q->set * t->n_way; q->entry < 0 && e < (q->set + 1) * t->n_way; e++)
        reserved += t->pending[e] != 0;
    return reserved + 1 < t->n_way ? STALL_NONE : STALL_NO_WAY;
}

/*
 * A store or an atomic on a line of the counterpart, which performs it and replies. The data of a store stays here as
 * a copy; an atomic leaves no copy, because only the counterpart knows its result.
 */
struct l2_outcome l2_pass_on(struct l2 *l2, const struct l2_lookup *q)
{
    const uint8_t asked = q->asked;
    const struct req *r = &l2->req[q->req];
    struct tags *t = &l2->tags;
    int32_t entry = q->entry;
    bool here = entry >= 0 && (t->valid[entry] & asked) == asked, dirty = false;
    if (ring_free(&l2->far) == 0)
        return stalled(STALL_MISS_QUEUE_FULL);
    if (is_atomic(r)) {
        if (entry >= 0 && !t->pending[entry]) /* otherwise reads wait for all its sectors, even present ones */
            t->valid[entry] &= (uint8_t)~asked;
    } else {
        if (entry < 0) {
            enum stall why = l2_reserved_for_far(l2, q, 0);
            entry = why == STALL_NO_WAY ? -1 : l2_claim(l2, q->set, &dirty);
            if (dirty && ring_free(&l2->miss) == 0)
                return stalled(STALL_MISS_QUEUE_FULL);
            if (entry >= 0)
                l2_place(l2, (uint32_t)entry, q->line);
        }
        if (entry >= 0) {
            tags_touch(t, (uint32_t)entry);
            l2_note_written(l2, r, (uint32_t)entry, asked);
            t->dirty[entry] = 0;
        }
    }
    ring_push(&l2->far, q->req);
    l2->remote_stats.forwarded++;
    return (struct l2_outcome){.stall = STALL_NONE,
                               .hits = here ? units(l2, asked) : 0,
                               .misses = here ? 0 : units(l2, asked),
                               .store = true,
                               .forwarded = true};
}

/* Such a line's copy is old. */
static void drop_copy(struct l2 *l2, req_id id)
{
    const struct req *r = &l2->req[id];
    const int32_t entry = tags_find(&l2->tags, l2_set_of(l2, r->addr), r->addr >> l2->tags.line_shift);
    if (entry >= 0 && !l2->tags.pending[entry]) /* otherwise reads wait for all its sectors, even present ones */
        l2->tags.valid[entry] &= (uint8_t)~r->sectors;
    req_release(engine_pool(&l2->comp), id);
}

/* A request of the counterpart is looked up before those of the network. true: it was accepted. */
bool l2_access_far(struct l2 *l2, uint64_t now)
{
    if (l2->remote_cur == REQ_NONE) {
        if (!port_peek(&l2->remote_in, now))
            return false;
        struct msg got = port_pop(&l2->remote_in);
        if (is_news(&l2->req[got.req])) {
            drop_copy(l2, got.req);
            return false;
        }
        l2->remote_cur = got.req;
        l2->remote_info = got.info;
        l2->remote_stall = STALL_NONE;
    }
    if (l2->remote_stall >= 0 && l2->remote_stall <= STALL_MISS_QUEUE_FULL && !l2->remote_freed)
        return false; /* it would fail again */
    bool fetches = l2->req[l2->remote_cur].kind == REQ_READ;
    if (fetches && !l2_link_ready(l2, l2->copy_out, now))
        return false; /* it may hit */
    l2->remote_freed = false;
    l2->remote_stall = (int8_t)l2_try_far(l2, l2->remote_cur, l2->remote_info, now);
    if (l2->remote_stall >= 0)
        return false;
    l2->remote_cur = REQ_NONE;
    return true;
}

/* Fetches of copies and forwarded requests go to the counterpart. */
void l2_send_far(struct l2 *l2, uint64_t now)
{
    while (!ring_empty(&l2->far) && l2_link_ready(l2, l2->remote_out, now)) {
        req_id id = ring_pop(&l2->far);
        const struct req *r = &l2->req[id];
        free_causes(l2, 1u << STALL_MISS_QUEUE_FULL);
        uint32_t data = r->kind == REQ_READ || is_news(r) ? 0 : sector_count(r->sectors) * SECTOR_BYTES;
        l2->remote_stats.fetches += r->kind == REQ_READ;
        use_link(l2, now, data);
        port_send(l2->remote_out, id, net_info(data, r->sectors));
    }
}

/* The next cycle with work for the counterpart or the link. */
uint64_t l2_next_far(const struct l2 *l2, uint64_t now)
{
    uint64_t want = port_next_ready(&l2->copy_in);
    bool sends =
        !ring_empty(&l2->far) || (!ring_empty(&l2->ready) && l2_fetches_copy(l2, &l2->waiter[ring_front(&l2->ready)]));
    if (sends && l2->link_free_at > now)
        want = earliest(want, l2->link_free_at);
    if (l2->remote_cur == REQ_NONE) {
        uint64_t at = port_next_ready(&l2->remote_in);
        want = earliest(want, at < l2->port_free_at ? l2->port_free_at : at);
    } else if (l2->port_free_at > now || l2->link_free_at > now || l2->remote_freed) {
        want = earliest(want, now + 1);
    } else if (l2->remote_stall == STALL_ATOMIC_BUSY) {
        want = earliest(want, l2->atomic_free_at);
    }
    return want;
}
