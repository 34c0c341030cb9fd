/*
 * The request coalescer in front of a slice (l2.coalesce): reads of several SMs that are answered by one look-up.
 *
 * A read joins an earlier one of its line that has not been answered when it arrives, if that one asked for all its
 * sectors. It is answered with the same data: it needs no look-up, no time of the data port and, with l2.coalesce_copies,
 * none of the slice's link into the reply network, as the packet is copied on the SMs' side of it; only the link into its
 * SM is used. Up to l2.coalesce reads share a look-up; the next begins another.
 *
 * Source: Nsight Compute's "L2 Request Coalescer (LRC)" ("processes incoming requests for L2 and tries to coalesce read
 * requests before forwarding them to the L2 cache"); Accel-Sim 2.0, whose microbenchmarks of an H100 give four reads a
 * look-up and at least 1024 lines in flight. An H200 shows it, too: its L2 looks up half as many sectors as the L1s of
 * some products request (silicon/probes/h200_suite_small.tsv). Sixteen SMs that read the same lines receive 12.9 KB a cycle
 * in all, four of them 9, where distinct lines come at 4.5, and the slices' links are busy for a cycle per sector looked up,
 * not per sector received (silicon/probes/hopper.cu, tma_shared).
 *
 * A read that joins one that hit is answered when it has passed the slice's latency itself, not with the first: at most
 * that latency later than on a GPU. Left out: the coalescer's part in multicasts, of which the TMA sends one request
 * anyway; coalescing together with a request order.
 */
#include "l2/l2_priv.h"

struct l2_read {
    uint64_t line;    /* TAG_NONE: none */
    uint64_t read_at; /* when its data was read; NEVER: it waits for its sectors */
    uint8_t sectors;
    uint8_t left; /* reads that may still join */
};

enum { READS = 1024 }; /* the table forgets a read when another takes its place */

void l2_coalescer_init(struct l2 *l2)
{
    if (l2->cfg.coalesce < 2)
        return;
    l2->reads = arena_alloc64(l2->comp.eng->arena, READS * sizeof *l2->reads);
    for (uint32_t i = 0; i < READS; i++)
        l2->reads[i].line = TAG_NONE;
}

static struct l2_read *slot_of(const struct l2 *l2, uint64_t line)
{
    return &l2->reads[(line ^ line >> 10 ^ line >> 20) & (READS - 1)];
}

void l2_coalescer_note(struct l2 *l2, uint64_t line, uint8_t sectors, uint64_t read_at)
{
    *slot_of(l2, line) = (struct l2_read){line, read_at, sectors, (uint8_t)(l2->cfg.coalesce - 1)};
}

void l2_coalescer_answered(struct l2 *l2, uint64_t line, uint64_t now)
{
    struct l2_read *e = slot_of(l2, line);
    if (e->line == line && e->read_at == NEVER)
        e->read_at = now;
}

/* The earlier read that the oldest request of the port joins, whenever it is ready; NULL: it begins a look-up. */
static struct l2_read *joined(const struct l2 *l2)
{
    if (l2->at_tags.req != REQ_NONE || port_empty(&l2->in))
        return NULL;
    const struct msg *m = &l2->in.slot[l2->in.head & l2->in.mask];
    const struct req *r = &l2->req[m->req];
    const uint64_t line = r->addr >> l2->tags.line_shift;
    struct l2_read *e = slot_of(l2, line);
    if (e->line != line || !e->left || r->kind != REQ_READ || net_sectors(m->info) & ~(unsigned)e->sectors ||
        m->ready - l2->in.latency > e->read_at)
        return NULL;
    return e;
}

/* The MSHR of the line that it waits for; MSHR_NONE: its data is here. */
static uint32_t awaited(const struct l2 *l2, const struct l2_read *e)
{
    return e->read_at == NEVER ? mshr_find(&l2->mshr, e->line) : MSHR_NONE;
}

bool l2_coalesce(struct l2 *l2, uint64_t now)
{
    struct l2_read *e = joined(l2);
    if (!e || !port_peek(&l2->in, now))
        return false;
    const uint32_t m = awaited(l2, e);
    if (m != MSHR_NONE && (!mshr_can_merge(&l2->mshr, m) || l2->waiter_free == MSHR_NONE)) {
        e->left = 0; /* no room to wait in: it begins a look-up */
        return false;
    }
    if (m == MSHR_NONE && !port_can_send(l2->reply_out))
        return true;
    const struct msg got = port_pop(&l2->in);
    const uint8_t sectors = (uint8_t)net_sectors(got.info);
    l2->stats.requests++;
    l2->coalesced++;
    e->left--;
    if (m == MSHR_NONE)
        l2_answer_joined(l2, got.req, sectors);
    else
        l2_wait_joined(l2, m, got.req, sectors);
    return true;
}

uint64_t l2_coalescer_next(const struct l2 *l2, uint64_t now)
{
    const struct l2_read *e = joined(l2);
    if (!e)
        return NEVER;
    if (awaited(l2, e) == MSHR_NONE && !port_can_send(l2->reply_out))
        return NEVER; /* the network wakes the slice */
    const uint64_t at = port_next_ready(&l2->in);
    return at > now ? at : now + 1;
}
