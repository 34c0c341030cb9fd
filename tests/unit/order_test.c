/*
 * The buffer of a request order alone: what the layer promises whatever the policy picks. The policy of these tests
 * keeps one queue and picks its head or its tail, or any request at random; the test plays the cache.
 */
#include "cache/order.h"

#include "engine/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { POOL = 64 };

enum which { PICK_HEAD, PICK_TAIL, PICK_READY, PICK_RANDOM };

struct probe {
    struct order_host *host;
    struct order_queue all;
    enum which which;
    enum order_action verdict;
    bool hold;           /* offer nothing */
    uint64_t hold_until; /* ask again in this cycle */
    unsigned launches, refusals, turned_away;
    enum stall last_why;
    uint32_t capacity, select_cycles, room;
    uint64_t max_wait;
};

static struct probe wanted; /* what the next policy shall be like */
static unsigned picks;      /* calls of pick, which may not count in its state; twice as many where they are checked */

static int probe_init(void *st, const void *params, struct order_host *h, struct err *e)
{
    (void)params, (void)e;
    struct probe *p = st;
    *p = wanted;
    p->host = h;
    p->all = ORDER_QUEUE_EMPTY;
    h->capacity = p->capacity;
    h->select_cycles = p->select_cycles;
    h->max_wait = p->max_wait;
    return 0;
}
static bool probe_take_in(void *st, uint32_t slot, const struct req *r, uint64_t now)
{
    (void)now;
    struct probe *p = st;
    assert_ptr_equal(order_req(p->host, slot), r);
    if (p->room && p->all.n == p->room)
        return false;
    order_queue_push(p->host, &p->all, slot);
    if (p->hold_until)
        p->host->pick_again_at = p->hold_until;
    return true;
}
static void probe_on_no_room(void *st, const struct req *r)
{
    (void)r;
    ((struct probe *)st)->turned_away++;
}
static uint32_t probe_pick(const void *st, uint64_t now)
{
    const struct probe *p = st;
    picks++;
    if (p->hold || now < p->hold_until)
        return ORDER_NONE;
    uint32_t s = p->all.head;
    if (p->which == PICK_TAIL)
        return p->all.tail;
    if (p->which == PICK_READY)
        while (s != ORDER_NONE && !order_ready(p->host, s))
            s = order_queue_after(p->host, s);
    if (p->which == PICK_RANDOM)
        for (uint64_t k = (now * 0x9e3779b97f4a7c15ull >> 40) % p->all.n; k; k--)
            s = order_queue_after(p->host, s);
    return s;
}
static void probe_taken(void *st, uint32_t slot)
{
    struct probe *p = st;
    order_queue_remove(p->host, &p->all, slot);
}
static enum order_action probe_could_not(void *st, uint32_t slot, enum stall why)
{
    (void)slot;
    struct probe *p = st;
    p->refusals++;
    p->last_why = why;
    return p->verdict;
}
static void probe_on_kernel(void *st, uint32_t launch)
{
    ((struct probe *)st)->launches = launch;
    ((struct probe *)st)->hold = false;
}
static const struct order_policy probe_policy = {.info = {.name = "probe"},
                                                 .state_bytes = sizeof(struct probe),
                                                 .init = probe_init,
                                                 .enqueue = probe_take_in,
                                                 .on_no_room = probe_on_no_room,
                                                 .pick = probe_pick,
                                                 .on_accept = probe_taken,
                                                 .on_reject = probe_could_not,
                                                 .on_kernel = probe_on_kernel};

static struct req pool[POOL];
static uint32_t needs[POOL]; /* of each request of the pool */

static uint32_t needs_of(const void *cache, const struct req *r, uint32_t info)
{
    (void)cache, (void)info;
    return needs[r - pool];
}

struct rig {
    struct arena *arena;
    struct order o;
    struct probe *p;
};

static struct rig *rig_new(struct probe like, bool can_tell)
{
    struct arena *arena = arena_new();
    picks = 0;
    struct rig *r = arena_alloc64(arena, sizeof *r);
    struct err e = {0};
    r->arena = arena;
    wanted = like;
    wanted.capacity = like.capacity ? like.capacity : 8;
    struct order_host h = {.arena = arena, .line_size = 128, .resources_needed = can_tell ? needs_of : NULL};
    assert_int_equal(order_init(&r->o, &probe_policy, NULL, &h, pool, &e), 0);
    r->p = r->o.st;
    return r;
}

static bool put(struct order *o, req_id id, uint16_t sm, uint64_t addr, uint64_t now)
{
    pool[id] = (struct req){.addr = addr, .sm = sm};
    return order_enqueue(o, id, 100 + id, now);
}

static req_id offered(struct order *o, uint64_t now)
{
    uint32_t s = order_offer(o, now);
    return s == ORDER_NONE ? REQ_NONE : o->slot[s].req;
}
static uint32_t slot_of(const struct order *o, req_id id)
{
    for (uint32_t s = o->oldest; s != ORDER_NONE; s = o->slot[s].age_next)
        if (o->slot[s].req == id)
            return s;
    fail_msg("request %u is not held", id);
    return ORDER_NONE;
}
static void take(struct order *o, req_id id, uint64_t now)
{
    assert_int_equal(offered(o, now), id);
    order_accepted(o, slot_of(o, id), now);
}

/* A FIFO whose head waits at the tags blocks all, and is tried again when what it waits for has been freed. */
static void head_of_line(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.verdict = ORDER_WAIT}), false);
    struct order *o = &r->o;
    assert_int_equal(order_next_cycle(o, 0), NEVER);
    assert_true(put(o, 0, 0, 0, 1) && put(o, 1, 0, 128, 1));
    assert_int_equal(order_next_cycle(o, 1), 2);
    assert_int_equal(offered(o, 1), REQ_NONE); /* a cycle in the buffer */
    uint32_t s = order_offer(o, 2);
    assert_int_equal(o->slot[s].req, 0);
    assert_int_equal(o->slot[s].info, 100);
    assert_int_equal(order_rejected(o, s, STALL_NO_MERGE_SLOT, 2), ORDER_WAIT);
    assert_int_equal(r->p->last_why, STALL_NO_MERGE_SLOT);
    unsigned asked = picks;
    assert_int_equal(offered(o, 3), REQ_NONE);
    assert_int_equal(order_next_cycle(o, 3), NEVER);
    assert_int_equal(order_waits(o), 1u << STALL_NO_MERGE_SLOT);
    order_freed(o, 1u << STALL_MISS_QUEUE_FULL); /* not what it waits for */
    assert_int_equal(offered(o, 4), REQ_NONE);
    order_freed(o, 1u << STALL_NO_MERGE_SLOT);
    assert_int_equal(order_next_cycle(o, 4), 5);
    take(o, 0, 5);
    assert_int_equal(picks, asked); /* who waits at the tags is not picked again */
    take(o, 1, 5);                  /* a cache with two ports */
    assert_int_equal(order_count(o), 0);
    assert_int_equal(o->stats.rejected, 1);
    arena_free(r->arena);
}

/* One SM's requests to one line keep their order under a policy that wants the youngest; others do not. */
static void guard(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.which = PICK_TAIL}), false);
    struct order *o = &r->o;
    put(o, 0, 3, 0x1000, 1);
    put(o, 1, 3, 0x1040, 1); /* the same line */
    put(o, 2, 4, 0x1000, 1); /* another SM's */
    put(o, 3, 3, 0x1080, 1); /* another line */
    put(o, 4, 3, 0x1000, 1);
    static const req_id expected[] = {0, 1, 4, 3, 2}; /* 4 is picked three times before its turn comes */
    for (unsigned i = 0; i < 5; i++)
        take(o, expected[i], 2 + i);
    assert_int_equal(o->stats.order_enforced, 2);
    assert_int_equal(o->stats.reordered, 1); /* 4 left third, two places ahead; 3 in its own place; 2 last */
    arena_free(r->arena);
}

/* The older one has been refused: the younger of the same line is not ready either, another is. */
static void guard_waits(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.which = PICK_READY, .verdict = ORDER_PICK_ANOTHER}), false);
    struct order *o = &r->o;
    put(o, 0, 3, 0x1000, 1);
    put(o, 1, 3, 0x1000, 1);
    put(o, 2, 3, 0x2000, 1);
    assert_int_equal(offered(o, 2), 0);
    assert_int_equal(order_rejected(o, slot_of(o, 0), STALL_NO_WAY, 2), ORDER_PICK_ANOTHER);
    assert_false(order_ready(&o->host, slot_of(o, 1)));
    take(o, 2, 3);
    assert_int_equal(offered(o, 4), REQ_NONE);
    order_freed(o, 1u << STALL_NO_WAY);
    take(o, 0, 5);
    take(o, 1, 6);
    arena_free(r->arena);
}

/* A non-blocking buffer: refused because no entry is free, it passes over all that need one. */
static void try_another(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.which = PICK_READY, .verdict = ORDER_PICK_ANOTHER}), true);
    struct order *o = &r->o;
    const uint32_t miss = 1u << STALL_NO_WAY | 1u << STALL_NO_MSHR | 1u << STALL_MISS_QUEUE_FULL;
    needs[0] = needs[1] = miss;
    needs[2] = 1u << STALL_NO_MERGE_SLOT;
    needs[3] = 1u << STALL_REPLY_FULL;
    for (req_id i = 0; i < 4; i++)
        put(o, i, 0, i * 128, 1);
    assert_int_equal(offered(o, 2), 0);
    order_rejected(o, slot_of(o, 0), STALL_NO_MSHR, 2);
    assert_int_equal(offered(o, 3), 2); /* 1 needs an entry, too, and is not tried */
    order_rejected(o, slot_of(o, 2), STALL_NO_MERGE_SLOT, 3);
    take(o, 3, 4);
    assert_int_equal(offered(o, 5), REQ_NONE);
    assert_int_equal(order_next_cycle(o, 5), NEVER);
    order_freed(o, 1u << STALL_NO_MSHR);
    take(o, 0, 6);
    take(o, 1, 7);
    order_freed(o, 1u << STALL_NO_MERGE_SLOT);
    take(o, 2, 8);
    assert_int_equal(o->stats.tried_another, 2);
    assert_int_equal(r->p->refusals, 2);
    /* The first blocked one stood before a merge and a hit; the second, short of a merge slot, before 1 and a hit. */
    assert_int_equal(o->stats.rejected, 2);
    assert_int_equal(o->stats.hol_blocking_merge, 1);
    assert_int_equal(o->stats.hol_blocking_miss, 1);
    assert_int_equal(o->stats.hol_blocking_hit, 2);
    arena_free(r->arena);
}

/* What another request brings in: who was refused an entry for the same line may merge now. */
static void same_line(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.which = PICK_READY, .verdict = ORDER_PICK_ANOTHER}), false);
    struct order *o = &r->o;
    put(o, 0, 0, 0x1000, 1);
    put(o, 1, 1, 0x1000, 1);
    assert_int_equal(offered(o, 2), 0);
    order_rejected(o, slot_of(o, 0), STALL_ATOMIC_BUSY, 2);
    take(o, 1, 3);
    take(o, 0, 4);
    arena_free(r->arena);
}

/* A bypass that finds the way down blocked is tried again when there is room below. */
static void bypass(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.verdict = ORDER_BYPASS}), false);
    struct order *o = &r->o;
    put(o, 0, 0, 0, 1);
    assert_int_equal(offered(o, 2), 0);
    assert_int_equal(order_rejected(o, slot_of(o, 0), STALL_NO_WAY, 2), ORDER_BYPASS);
    assert_int_equal(offered(o, 3), REQ_NONE);
    order_freed(o, 1u << STALL_MISS_QUEUE_FULL);
    assert_int_equal(offered(o, 4), 0);
    assert_int_equal(order_rejected(o, slot_of(o, 0), STALL_NO_WAY, 4), ORDER_BYPASS);
    order_accepted(o, slot_of(o, 0), 4); /* this time it went */
    assert_int_equal(order_count(o), 0);
    assert_int_equal(order_waits(o), 0);
    assert_int_equal(o->stats.rejected, 1);
    arena_free(r->arena);
}

/* A selection of three cycles: one offer every three, the first three after the arrival. */
static void arbitration(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.select_cycles = 3}), false);
    struct order *o = &r->o;
    for (req_id i = 0; i < 3; i++)
        put(o, i, 0, i * 128, 10);
    for (uint64_t now = 10, next = 0; now <= 20; now++) {
        req_id id = offered(o, now);
        assert_int_equal(id, now == 13 || now == 16 || now == 19 ? next : REQ_NONE);
        if (id != REQ_NONE) {
            order_accepted(o, slot_of(o, id), now);
            next++;
            assert_int_equal(order_next_cycle(o, now), next == 3 ? NEVER : now + 3);
        }
    }
    arena_free(r->arena);
}

/* With max_wait the oldest goes first when its time has come, refused or not as soon as it can. */
static void starvation(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.which = PICK_TAIL, .verdict = ORDER_PICK_ANOTHER, .max_wait = 5}), false);
    struct order *o = &r->o;
    put(o, 0, 0, 0, 1);
    for (uint64_t now = 2; now < 12; now++) {
        put(o, (req_id)now, 0, now * 128, now - 1);
        req_id id = offered(o, now);
        /* In cycle 6 the first is overdue; in cycle 10 the one that gave way to it. */
        assert_int_equal(id, now == 6 ? 0 : now == 10 ? 6 : now);
        order_accepted(o, slot_of(o, id), now);
    }
    assert_int_equal(o->stats.max_wait_cycles, 5);
    assert_int_equal(o->stats.aged, 2);
    arena_free(r->arena);
    /* A policy that offers nothing is overruled at the time, not before; the layer knows when. */
    struct rig *q = rig_new(((struct probe){.hold = true, .max_wait = 50}), false);
    put(&q->o, 0, 0, 0, 7);
    assert_int_equal(offered(&q->o, 8), REQ_NONE);
    assert_int_equal(order_next_cycle(&q->o, 8), 57);
    assert_int_equal(offered(&q->o, 56), REQ_NONE);
    take(&q->o, 0, 57);
    arena_free(q->arena);
}

/* A policy that has nothing to offer is asked again at its time, at a kernel's begin, or when something comes. */
static void asked_again(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.hold_until = 40}), false);
    put(&r->o, 0, 0, 0, 1);
    assert_int_equal(offered(&r->o, 2), REQ_NONE);
    assert_int_equal(offered(&r->o, 3), REQ_NONE);
    assert_int_equal(picks, 1 + WEIR_CHECK_HOOKS); /* not asked in vain */
    assert_int_equal(order_next_cycle(&r->o, 3), 40);
    take(&r->o, 0, 40);
    arena_free(r->arena);
    struct rig *q = rig_new(((struct probe){.hold = true}), false);
    put(&q->o, 0, 0, 0, 1);
    assert_int_equal(offered(&q->o, 2), REQ_NONE);
    assert_int_equal(order_next_cycle(&q->o, 2), NEVER);
    order_kernel(&q->o, 17);
    assert_int_equal(q->p->launches, 17);
    take(&q->o, 0, 3);
    arena_free(q->arena);
}

/* Room: the capacity, or what the policy says; and what the layer counts of it. */
static void room_and_counts(void **state)
{
    (void)state;
    struct rig *r = rig_new(((struct probe){.which = PICK_TAIL, .capacity = 3}), false);
    struct order *o = &r->o;
    for (req_id i = 0; i < 3; i++)
        assert_true(put(o, i, 0, i * 128, 10 + i)); /* 10, 11, 12 */
    assert_false(put(o, 3, 0, 3 * 128, 13));
    assert_false(put(o, 3, 0, 3 * 128, 15));
    take(o, 2, 20);
    assert_true(put(o, 3, 0, 3 * 128, 21));
    assert_int_equal(o->stats.buffer_full_cycles, 21 - 13);
    take(o, 3, 25);
    take(o, 1, 26);
    take(o, 0, 27);
    order_sync(o, 30);
    /* Each request for as long as it was held: 27 - 10, 26 - 11, 20 - 12, 25 - 21. */
    assert_int_equal(o->stats.request_cycles, 17 + 15 + 8 + 4);
    assert_int_equal(o->stats.max_wait_cycles, 17);
    assert_int_equal(o->stats.requests, 4);
    /* Arrival 2 left as number 0, 3 as 1, 1 as 2, 0 as 3. */
    assert_int_equal(o->stats.reordered, 2);
    assert_int_equal(o->stats.reorder_distance, 2 + 2);
    assert_int_equal(o->stats.max_reorder_distance, 2);
    arena_free(r->arena);
    struct rig *q = rig_new(((struct probe){.room = 1}), false); /* the policy's own limit */
    assert_true(put(&q->o, 0, 0, 0, 1));
    assert_false(put(&q->o, 1, 0, 0, 1));
    assert_false(put(&q->o, 1, 0, 0, 2));
    assert_int_equal(q->p->turned_away, 1); /* reported once per request */
    order_sync(&q->o, 4);
    assert_int_equal(q->o.stats.buffer_full_cycles, 4);
    assert_int_equal(q->o.stats.request_cycles, 4);
    arena_free(q->arena);
}

/*
 * Random arrivals, picks and refusals: every request leaves once, those of one SM to one line in order, and a refused
 * one not before something was freed.
 */
static void random_traffic(void **state)
{
    (void)state;
    struct rig *r = rig_new(
        ((struct probe){.which = PICK_RANDOM, .verdict = ORDER_PICK_ANOTHER, .capacity = 16, .max_wait = 200}), false);
    struct order *o = &r->o;
    uint64_t x = 88172645463325252ull, in = 0, out = 0;
    uint64_t last[4][8] = {{0}}; /* serial number last taken, per SM and line */
    bool used[POOL] = {false};
    for (uint64_t now = 1; out < 20000; now++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        if (x % 7 == 0)
            order_freed(o, 1u << (x >> 8) % STALL_COUNT);
        uint32_t s = order_offer(o, now);
        if (s != ORDER_NONE) {
            struct order_slot *slot = &o->slot[s];
            const struct req *q = &pool[slot->req];
            assert_int_equal(slot->waits, 0);
            if (x >> 20 & 1) {
                order_rejected(o, s, (enum stall)((x >> 24) % STALL_COUNT), now);
            } else {
                uint64_t *l = &last[q->sm][q->addr / 128];
                assert_true(q->created_at > *l);
                *l = q->created_at;
                used[slot->req] = false;
                order_accepted(o, s, now);
                out++;
            }
        }
        if (x >> 30 & 1) {
            req_id id = 0;
            while (used[id])
                id++;
            pool[id] = (struct req){.addr = (x >> 36) % 8 * 128, .sm = (uint16_t)((x >> 32) % 4), .created_at = in + 1};
            if (order_enqueue(o, id, 0, now)) {
                used[id] = true;
                in++;
            }
        }
        assert_int_equal(order_count(o), in - out);
    }
    assert_true(o->stats.order_enforced > 1000 && o->stats.reordered > 1000 && o->stats.tried_another > 1000);
    arena_free(r->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_of_line),    cmocka_unit_test(guard),          cmocka_unit_test(guard_waits),
        cmocka_unit_test(try_another),     cmocka_unit_test(same_line),      cmocka_unit_test(bypass),
        cmocka_unit_test(arbitration),     cmocka_unit_test(starvation),     cmocka_unit_test(asked_again),
        cmocka_unit_test(room_and_counts), cmocka_unit_test(random_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
