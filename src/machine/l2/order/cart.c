/*
 * CART, the Cache Access Reordering Tree in front of an L2 slice (Gu and Chen, 2018, section IV).
 *
 * The tree has one branch per DRAM bank, a few row slots per branch and a few leaf queues per row slot. A leaf queue
 * is a FIFO of requests to one cache line (one row and column), and is free when it is empty; a row slot is free when
 * its queues are.
 *
 * Fill (IV-C): a request enters a leaf queue of its line that has a free entry, else an empty leaf queue of its row,
 * else a free row slot; otherwise it stays in the incoming buffer, which is the queue of the network's port
 * (l2.ingress_queue), and blocks it. Drain (IV-D), "rotating banks and same-or-longest row": take one request of a
 * branch, then move on to the next non-empty branch. Within a branch, take the leaf queue that was drained last; when
 * it is empty, the longest of the same row; when those are empty, the longest of the branch. The policies that the
 * paper rejects are available for comparison: greedy (drain a leaf queue completely, then the next), longest (the
 * longest of all), round_robin (one request of each leaf queue in turn).
 *
 * The paper does not say what happens when the cache cannot accept the selected request. Here the tree moves on to the
 * next branch (cart.stall = rotate) and returns when the resource that the request lacks has been freed; with `wait`
 * it waits. A leaf queue that is never empty would starve the others of its branch, so a request that has waited for
 * cart.max_wait cycles has priority.
 *
 * The slices of a channel divide its banks among them; each slice has a branch for every bank of the channel.
 */
#include "cache/order.h"

enum { DRAIN_CART, DRAIN_GREEDY, DRAIN_LONGEST, DRAIN_ROUND_ROBIN };
enum { STALL_ROTATE, STALL_WAIT };

struct params {
    uint32_t rows, columns, entries, drain, stall, select_cycles, max_wait;
};

struct leaf {
    struct order_queue q;
    uint64_t line; /* of its requests, while it has any */
};
struct branch {
    uint32_t n;        /* requests in it */
    uint32_t last;     /* leaf queue drained last; ORDER_NONE = none yet */
    uint32_t last_row; /* and its row */
};

struct cart {
    const struct order_host *host;
    struct params p;
    struct branch *branch; /* [bank] */
    uint32_t *row;         /* [bank * rows + slot]: row address, while the slot has requests */
    uint32_t *row_n;       /* [the same]: requests in the row slot */
    struct leaf *leaf;     /* [(bank * rows + slot) * columns + column] */
    uint32_t *leaf_of;     /* by the layer's slot */
    uint32_t n_bank, n_leaf;
    uint32_t turn; /* branch that is checked first, or leaf queue (greedy, round_robin) */
    /* statistics */
    uint64_t same_leaf, same_row, longest; /* requests drained, by the rule that chose their leaf queue */
    uint64_t full_row, full_branch;        /* requests without room: none in the row's slot, no free row slot */
};

static int init(void *st, const void *params, struct order_host *host, struct err *e)
{
    (void)e;
    struct cart *s = st;
    s->host = host;
    s->p = *(const struct params *)params;
    s->n_bank = host->map->n_bank;
    uint32_t rows = s->n_bank * s->p.rows;
    s->n_leaf = rows * s->p.columns;
    s->branch = arena_alloc64(host->arena, s->n_bank * sizeof *s->branch);
    s->row = arena_alloc64(host->arena, rows * sizeof *s->row);
    s->row_n = arena_alloc64(host->arena, rows * sizeof *s->row_n);
    s->leaf = arena_alloc64(host->arena, s->n_leaf * sizeof *s->leaf);
    for (uint32_t b = 0; b < s->n_bank; b++)
        s->branch[b].last = ORDER_NONE;
    for (uint32_t i = 0; i < s->n_leaf; i++)
        s->leaf[i].q = ORDER_QUEUE_EMPTY;
    host->capacity = s->n_leaf * s->p.entries;
    s->leaf_of = arena_alloc64(host->arena, host->capacity * sizeof *s->leaf_of);
    host->select_cycles = s->p.select_cycles;
    host->max_wait = s->p.max_wait;
    return 0;
}

static uint32_t row_of(const struct cart *s, uint32_t leaf)
{
    return leaf / s->p.columns;
}
static uint32_t bank_of(const struct cart *s, uint32_t leaf)
{
    return row_of(s, leaf) / s->p.rows;
}

/* A leaf queue of a row slot for a request to `line`, or ORDER_NONE. */
static uint32_t find_leaf(const struct cart *s, uint32_t slot, uint64_t line)
{
    uint32_t empty = ORDER_NONE;
    for (uint32_t i = slot * s->p.columns; i < (slot + 1) * s->p.columns; i++) {
        const struct leaf *l = &s->leaf[i];
        if (l->q.n && l->line == line && l->q.n < s->p.entries)
            return i;
        if (!l->q.n && empty == ORDER_NONE)
            empty = i;
    }
    return empty;
}

/* Where a request belongs: its row's slot or, when there is none, a free one; a leaf queue there with room for it. */
struct seat {
    struct addr_place place;
    uint32_t own_row, row, leaf; /* ORDER_NONE: there is none */
};

static struct seat find_seat(const struct cart *s, const struct req *r)
{
    struct seat x = {.own_row = ORDER_NONE, .leaf = ORDER_NONE};
    addrmap_place(s->host->map, r->addr, &x.place);
    uint32_t first = x.place.bank * s->p.rows, free_row = ORDER_NONE;
    for (uint32_t i = first; i < first + s->p.rows; i++) {
        if (s->row_n[i] && s->row[i] == x.place.row)
            x.own_row = i;
        if (!s->row_n[i] && free_row == ORDER_NONE)
            free_row = i;
    }
    x.row = x.own_row != ORDER_NONE ? x.own_row : free_row;
    if (x.row != ORDER_NONE)
        x.leaf = find_leaf(s, x.row, r->addr / s->host->line_size);
    return x;
}

static bool enqueue(void *st, uint32_t slot, const struct req *r, uint64_t now)
{
    (void)now;
    struct cart *s = st;
    struct seat x = find_seat(s, r);
    if (x.leaf == ORDER_NONE)
        return false;
    s->row[x.row] = x.place.row;
    s->row_n[x.row]++;
    s->branch[x.place.bank].n++;
    s->leaf[x.leaf].line = r->addr / s->host->line_size;
    s->leaf_of[slot] = x.leaf;
    order_queue_push(s->host, &s->leaf[x.leaf].q, slot);
    return true;
}

static void on_no_room(void *st, const struct req *r)
{
    struct cart *s = st;
    ++*(find_seat(s, r).own_row != ORDER_NONE ? &s->full_row : &s->full_branch);
}

/* The longest leaf queue of [from, to) whose first request may be accepted; the first if equal; ORDER_NONE = none. */
static uint32_t longest_of(const struct cart *s, uint32_t from, uint32_t to)
{
    uint32_t best = ORDER_NONE;
    for (uint32_t i = from; i < to; i++)
        if (s->leaf[i].q.n && (best == ORDER_NONE || s->leaf[i].q.n > s->leaf[best].q.n) &&
            order_ready(s->host, s->leaf[i].q.head))
            best = i;
    return best;
}

/* A branch's leaf queue by the rule "same or longest row"; ORDER_NONE: its request cannot be accepted now. */
static uint32_t same_or_longest(const struct cart *s, uint32_t bank)
{
    const struct branch *b = &s->branch[bank];
    uint32_t per_bank = s->p.rows * s->p.columns;
    if (b->last != ORDER_NONE) {
        if (s->leaf[b->last].q.n)
            return order_ready(s->host, s->leaf[b->last].q.head) ? b->last : ORDER_NONE;
        uint32_t slot = row_of(s, b->last);
        if (s->row_n[slot] && s->row[slot] == b->last_row)
            return longest_of(s, slot * s->p.columns, (slot + 1) * s->p.columns);
    }
    return longest_of(s, bank * per_bank, (bank + 1) * per_bank);
}

/* The first leaf queue from `turn` on, with wrap-around, whose first request may be accepted. */
static uint32_t next_leaf(const struct cart *s)
{
    for (uint32_t k = 0; k < s->n_leaf; k++) {
        uint32_t i = s->turn + k < s->n_leaf ? s->turn + k : s->turn + k - s->n_leaf;
        if (s->leaf[i].q.n && order_ready(s->host, s->leaf[i].q.head))
            return i;
    }
    return ORDER_NONE;
}

static uint32_t pick_leaf(const struct cart *s)
{
    switch (s->p.drain) {
    case DRAIN_LONGEST:
        return longest_of(s, 0, s->n_leaf);
    case DRAIN_GREEDY:
    case DRAIN_ROUND_ROBIN:
        return next_leaf(s);
    }
    for (uint32_t k = 0; k < s->n_bank; k++) {
        uint32_t bank = s->turn + k < s->n_bank ? s->turn + k : s->turn + k - s->n_bank;
        uint32_t leaf = s->branch[bank].n ? same_or_longest(s, bank) : ORDER_NONE;
        if (leaf != ORDER_NONE)
            return leaf;
    }
    return ORDER_NONE;
}

static uint32_t pick(const void *st, uint64_t now)
{
    (void)now;
    const struct cart *s = st;
    uint32_t leaf = pick_leaf(s);
    return leaf == ORDER_NONE ? ORDER_NONE : s->leaf[leaf].q.head;
}

/* Where the selector continues after this leaf queue has had its turn. */
static void pass_turn(struct cart *s, uint32_t leaf)
{
    if (s->p.drain == DRAIN_CART)
        s->turn = bank_of(s, leaf) + 1 < s->n_bank ? bank_of(s, leaf) + 1 : 0;
    else if (s->p.drain == DRAIN_ROUND_ROBIN || s->leaf[leaf].q.n == 0)
        s->turn = leaf + 1 < s->n_leaf ? leaf + 1 : 0;
    else
        s->turn = leaf;
}

static void on_accept(void *st, uint32_t slot)
{
    struct cart *s = st;
    uint32_t leaf = s->leaf_of[slot], row = row_of(s, leaf);
    struct branch *b = &s->branch[bank_of(s, leaf)];
    bool had_row = b->last != ORDER_NONE && b->last_row == s->row[row];
    ++*(b->last == leaf && had_row ? &s->same_leaf : had_row ? &s->same_row : &s->longest);
    b->last = leaf;
    b->last_row = s->row[row];
    b->n--;
    s->row_n[row]--;
    order_queue_remove(s->host, &s->leaf[leaf].q, slot);
    pass_turn(s, leaf);
}

static enum order_action on_reject(void *st, uint32_t slot, enum stall why)
{
    (void)why;
    struct cart *s = st;
    if (s->p.stall == STALL_WAIT)
        return ORDER_WAIT;
    pass_turn(s, s->leaf_of[slot]);
    return ORDER_PICK_ANOTHER;
}

static uint32_t bits_for(uint32_t values)
{
    return values > 1 ? 32 - (uint32_t)__builtin_clz(values - 1) : 0;
}

/* Section VI-D gives an area (0.016 mm2 per slice at 45 nm) but no bits. An entry must hold a packet header. */
static unsigned cost(const struct cfg *c, const void *params, struct policy_cost out[POLICY_COSTS])
{
    (void)c;
    const struct params *p = params;
    enum { BANKS = 16, HEADER_BITS = 64, LINE_ADDRESS_BITS = 25 }; /* 32-bit addresses, 128-byte lines */
    uint32_t leaves = BANKS * p->rows * p->columns;
    out[0] =
        (struct policy_cost){"leaf queues",          "header of a request",  HEADER_BITS, leaves * p->entries, 0, 256,
                             .reads = "l2.requests", .writes = "l2.requests"};
    out[1] = (struct policy_cost){"tags of leaf queues",
                                  "row and column, count",
                                  LINE_ADDRESS_BITS - bits_for(BANKS) + bits_for(p->entries + 1),
                                  leaves,
                                  0,
                                  128,
                                  .side_by_side = p->rows * p->columns,
                                  .reads = "l2.requests",
                                  .writes = "l2.requests"};
    out[2] =
        (struct policy_cost){"branches", "leaf queue drained last, valid", bits_for(p->rows * p->columns) + 1, BANKS, 0,
                             0,          .reads = "l2.requests",           .writes = ".same_row + .longest"};
    return 3;
}

#define T struct params
static const struct cfg_field fields[] = {
    CFG_ROW(T, rows, CFG_INT, "rows", "4", 1, 64, NULL, "rows that a branch (a bank) has leaf queues for"),
    CFG_ROW(T, columns, CFG_INT, "queues", "2", 1, 64, NULL, "leaf queues of a row"),
    CFG_ROW(T, entries, CFG_INT, "requests", "2", 1, 1024, NULL, "requests one leaf queue holds"),
    CFG_ROW(T, drain, CFG_ENUM, "", "cart", 0, 0, "cart greedy longest round_robin",
            "which request leaves next: rotating banks and same-or-longest row, or a policy that the paper rejects"),
    CFG_ROW(T, stall, CFG_ENUM, "", "rotate", 0, 0, "rotate wait",
            "when the cache cannot take the selected request: continue with the next branch, or wait"),
    CFG_ROW(T, select_cycles, CFG_INT, "cycles", "1", 1, 64, NULL, "cycles that one selection takes"),
    CFG_ROW(T, max_wait, CFG_INT, "cycles", "4096", 0, 1u << 30, NULL,
            "requests that have waited longer get priority; 0 = never"),
    CFG_END};
#undef T

#define S struct cart
static const struct stat_def stats[] = {
    STAT_ROW(S, same_leaf, "requests", "drained from the leaf queue that its branch drained before: the same line"),
    STAT_ROW(S, same_row, "requests", "drained from another leaf queue of the row that its branch drained before"),
    STAT_ROW(S, longest, "requests", "drained from another row: the longest leaf queue of the branch"),
    STAT_ROW(S, full_row, "requests", "waited outside the tree: every leaf queue of their row was in use"),
    STAT_ROW(S, full_branch, "requests", "waited outside the tree: every row slot of their bank was in use"),
    STAT_END};
#undef S

const struct order_policy l2_order_cart = {
    .info = {.name = "cart",
             .doc = "Cache Access Reordering Tree: requests wait in small queues by DRAM bank, row and line, and leave "
                    "bank by bank, row by row (Gu and Chen, CART, 2018).",
             .params = fields,
             .params_bytes = sizeof(struct params),
             .stats = stats,
             .cost = cost,
             .published_mm2 = 0.016,
             .published_nm = 45,
             .published_area = "1.7% of an L2 slice (section VI-D)"},
    .state_bytes = sizeof(struct cart),
    .init = init,
    .enqueue = enqueue,
    .on_no_room = on_no_room,
    .pick = pick,
    .on_accept = on_accept,
    .on_reject = on_reject};
