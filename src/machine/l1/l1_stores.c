/*
 * Stores that wait for others to their line, so that one packet takes them to the L2.
 *
 * A store to a line that waits joins its first store, whether it writes the same words or others. A line leaves when all
 * its words have been written, when l1.store_lines other stores have been made since the last to it, and when the SM has
 * made no store for l1.store_wait cycles; while the network's queue is full it stays, and stores still join. What joined
 * is acknowledged with the packet. Stores of whole lines do not wait.
 *
 * Source: measurements of an H200, with Nsight Compute's lts__t_requests_srcunit_tex_op_write. Pieces of 16 bytes that
 * keep the store path busy reach the L2 as one request for each line when they go to 16 lines in turn, and as eight when
 * they go to 32 (silicon/probes/hopper.cu, store_pieces); so do those with pauses between them, even of one line
 * (store_lines). Four warps' stores to one of eight lines, and then to the next, join, those of the next turn, 28 stores
 * later, do not; stores to one line join without end (silicon/probes/front.cu, store_words). Pauses of 8.9 cycles do no
 * harm, of 12.9 they do (store_join).
 *
 * Left out: that loads and atomics of a line that waits make it leave. They may pass it; the program's results do not
 * depend on it (l1.h).
 */
#include "l1/l1_line.h"

void l1_stores_init(struct l1 *l1, const struct l1_cache_config *cfg)
{
    if (!cfg->store_lines)
        return;
    l1->stores.slot = arena_alloc64(l1->comp.eng->arena, cfg->store_lines * sizeof *l1->stores.slot);
    l1->stores.cap = cfg->store_lines;
    l1->stores.wait = cfg->store_wait;
    l1->stores.due_at = NEVER;
}

static void forget(struct l1_stores *s, uint32_t slot)
{
    s->n--;
    memmove(s->slot + slot, s->slot + slot + 1, (s->n - slot) * sizeof *s->slot);
}

/* The line of a slot goes to the network's queue, where there must be room. */
static void leave(struct l1 *l1, struct l1_cache *c, uint32_t slot)
{
    const req_id id = l1->stores.slot[slot].first;
    forget(&l1->stores, slot);
    send_to_l2(l1, c, id, request_bytes(c, &l1->req[id]), l1->req[id].sectors);
}

/* Lines leave to which the last store was too long ago. */
static void note_store(struct l1 *l1, struct l1_cache *c, uint64_t now)
{
    struct l1_stores *s = &l1->stores;
    s->made++;
    s->due_at = now + s->wait;
    while (s->n && s->made - s->slot[0].last > s->cap && ring_free(&c->to_l2.id))
        leave(l1, c, 0);
}

enum l1_outcome l1_store_join(struct l1 *l1, struct l1_cache *c, req_id id, uint64_t now, enum l1_outcome outcome)
{
    struct l1_stores *s = &l1->stores;
    struct req *r = &l1->req[id];
    uint32_t k = 0;
    while (k < s->n && l1->req[s->slot[k].first].addr != r->addr)
        k++;
    if (k < s->n) {
        struct l1_waiting w = s->slot[k];
        struct req *first = &l1->req[w.first];
        first->words |= r->words;
        first->sectors |= r->sectors;
        first->flags |= r->flags & REQ_F_PARTIAL;
        first->bytes = (uint16_t)(4 * __builtin_popcount(first->words));
        r->next = first->next;
        first->next = id;
        w.last = s->made;
        forget(s, k);
        s->slot[s->n++] = w;
        if (first->words == ~0u && ring_free(&c->to_l2.id))
            leave(l1, c, s->n - 1);
        note_store(l1, c, now);
        return outcome;
    }
    const bool whole = r->words == ~0u;
    if ((whole || s->n == s->cap) && ring_free(&c->to_l2.id) == 0)
        return L1_STALL_MISS_QUEUE_FULL;
    r->arrived = 0;
    r->next = REQ_NONE;
    if (whole) {
        send_to_l2(l1, c, id, request_bytes(c, r), r->sectors);
    } else {
        if (s->n == s->cap)
            leave(l1, c, 0);
        s->slot[s->n++] = (struct l1_waiting){id, s->made};
    }
    note_store(l1, c, now);
    return outcome;
}

void l1_stores_tick(struct l1 *l1, uint64_t now)
{
    struct l1_stores *s = &l1->stores;
    struct l1_cache *c = l1->cache[L1_DATA];
    if (now < s->due_at)
        return;
    while (s->n && ring_free(&c->to_l2.id))
        leave(l1, c, 0);
    s->due_at = now + 1; /* what the queue has no room for */
}

void l1_stores_acknowledge(struct l1 *l1, req_id id)
{
    for (req_id next = l1->req[id].next; next != REQ_NONE;) {
        const req_id joined = next;
        next = l1->req[joined].next;
        l1->req[joined].served = l1->req[id].served;
        complete(l1, joined);
    }
}
