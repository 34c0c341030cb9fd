/*
 * CART's tree by itself: the examples of the paper's figures 5 and 6, what fits into it, and that nothing starves.
 * Requests are taken in and drained through the layer that the L2 uses (cache/order.h).
 */
#include "cache/order.h"
#include "engine/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

extern const struct order_policy l2_order_cart;

enum { MAX = 512 };
/* The policy's parameters, in the order of its table. */
struct params {
    uint32_t rows, columns, entries, drain, stall, select_cycles, max_wait, assign;
    bool fall_through;
};
enum { CART, GREEDY, LONGEST, ROUND_ROBIN };

struct tree {
    struct arena *arena;
    struct addrmap map;
    struct order order;
    struct req req[MAX];
    uint64_t now;
};

static struct tree *tree(struct params p)
{
    struct tree *t = xcalloc(1, sizeof *t);
    struct err e;
    t->arena = arena_new();
    t->now = 1;
    assert_int_equal(addrmap_init(&t->map, "RRRRRRRRRRRR.BBBBCCCC.CCCSSSSS", 256, 1, 1, false, false, &e), 0);
    p.select_cycles = 1;
    struct order_host host = {.arena = t->arena, .map = &t->map, .at = ORDER_AT_L2, .line_size = 128, .n_set = 64};
    assert_int_equal(order_init(&t->order, &l2_order_cart, &p, &host, t->req, &e), 0);
    return t;
}

static void fell(struct tree *t)
{
    arena_free(t->arena);
    free(t);
}

/* The address of a column (a line) of a row of a bank. */
static uint64_t at(const struct tree *t, uint32_t bank, uint32_t row, uint32_t column)
{
    for (uint64_t a = 0;; a += 128) {
        struct addr_place p;
        addrmap_place(&t->map, a, &p);
        if (p.bank == bank && p.row == row && column-- == 0)
            return a;
    }
}

static uint64_t cart_stat(const struct tree *t, const char *name)
{
    for (const struct stat_def *d = l2_order_cart.info.stats; d->name; d++)
        if (!strcmp(d->name, name))
            return *(const uint64_t *)((const char *)t->order.st + d->offset);
    fail_msg("cart has no statistic %s", name);
    return 0;
}

/* Request n comes; false: there is no place for it. Each is another SM's, so that the layer has nothing to guard. */
static bool comes(struct tree *t, uint32_t n, uint32_t bank, uint32_t row, uint32_t column)
{
    t->req[n] = (struct req){.addr = at(t, bank, row, column), .sm = (uint16_t)n, .kind = REQ_READ};
    return order_enqueue(&t->order, n, 0, t->now);
}

/* The next request that leaves; REQ_NONE when none does. */
static uint32_t drains(struct tree *t)
{
    uint32_t slot = order_offer(&t->order, ++t->now);
    if (slot == ORDER_NONE)
        return REQ_NONE;
    uint32_t n = t->order.slot[slot].req;
    order_accepted(&t->order, slot, t->now);
    return n;
}

static void expect(struct tree *t, const uint32_t *order, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(drains(t), order[i]);
}
#define EXPECT(t, ...)                                                                                                 \
    expect(t, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Figure 5(a) comes in; (c) goes out: the same line together, banks in turn, the open row before another. */
static void figure_5(void **state)
{
    (void)state;
    struct tree *t = tree((struct params){4, 2, 2, CART});
    assert_true(comes(t, 0, 0, 0, 0));
    assert_true(comes(t, 1, 0, 1, 0));
    assert_true(comes(t, 2, 0, 0, 0)); /* the line of request 0 */
    assert_true(comes(t, 3, 1, 0, 0)); /* another bank */
    assert_true(comes(t, 4, 0, 0, 1)); /* the row of request 0 */
    EXPECT(t, 0, 3, 2, 4, 1, REQ_NONE);
    fell(t);
}

/*
 * The state of figure 6; the head of a queue is at its right. Q3 and Q4 have the same tag there, which needs a queue
 * that overflowed; two columns of one row give the same order.
 */
static struct tree *figure_6_tree(uint32_t drain)
{
    static const struct {
        uint32_t bank, row, column, first, last;
    } queue[] = {{1, 1, 0, 2, 0},   {1, 1, 1, 7, 3},   {1, 2, 2, 11, 8},
                 {2, 1, 1, 13, 12}, {2, 1, 2, 15, 14}, {3, 3, 1, 18, 16}};
    struct tree *t = tree((struct params){4, 2, 8, drain});
    for (unsigned q = 0; q < 6; q++)
        for (uint32_t n = queue[q].first + 1; n-- > queue[q].last;)
            assert_true(comes(t, n, queue[q].bank, queue[q].row, queue[q].column));
    return t;
}

static void figure_6(void **state)
{
    (void)state;
    struct tree *t = figure_6_tree(CART);
    EXPECT(t, 7, 13, 18, 6, 12, 17, 5, 15, 16, 4, 14, 3, 2, 1, 0, 11, 10, 9, 8, REQ_NONE);
    fell(t);
}

static void rejected_drains(void **state)
{
    (void)state;
    struct tree *t = figure_6_tree(LONGEST);
    EXPECT(t, 7, 6, 11, 2, 5, 10); /* the paper's six */
    fell(t);
    t = figure_6_tree(GREEDY);
    EXPECT(t, 2, 1, 0, 7, 6, 5, 4, 3, 11, 10, 9, 8, 13, 12, 15, 14, 18, 17, 16, REQ_NONE);
    fell(t);
    t = figure_6_tree(ROUND_ROBIN);
    EXPECT(t, 2, 7, 11, 13, 15, 18, 1, 6, 10, 12, 14, 17, 0, 5, 9, 16, 4, 8, 3, REQ_NONE);
    fell(t);
}

/* Table I's tree: two columns of a row, two requests of a column and four rows of a bank. */
static void fill(void **state)
{
    (void)state;
    struct tree *t = tree((struct params){4, 2, 2, CART});
    assert_true(comes(t, 0, 0, 0, 0));
    assert_true(comes(t, 1, 0, 0, 0));
    assert_true(comes(t, 2, 0, 0, 0));  /* its queue is full: a second one */
    assert_false(comes(t, 3, 0, 0, 1)); /* the row has no third */
    assert_true(comes(t, 3, 0, 1, 0));
    assert_true(comes(t, 4, 0, 2, 0));
    assert_true(comes(t, 5, 0, 3, 0));
    assert_false(comes(t, 6, 0, 4, 0)); /* the bank has no fifth row */
    assert_true(comes(t, 6, 1, 4, 0));  /* another has */
    EXPECT(t, 0, 6, 1, 2);
    assert_true(comes(t, 7, 0, 4, 0)); /* the first row's queues are free */
    EXPECT(t, 7, 3, 4, 5, REQ_NONE);   /* all queues are equally long */
    fell(t);
}

/* A row that has another slot now is still the row that was drained last; what its old leaf queue holds is not. */
static void a_row_is_known_in_any_slot(void **state)
{
    (void)state;
    struct tree *t = tree((struct params){4, 2, 2, CART});
    comes(t, 0, 0, 0, 0);
    comes(t, 1, 0, 1, 0);
    EXPECT(t, 0);
    comes(t, 2, 0, 2, 0); /* in the slot and leaf queue of request 0 */
    comes(t, 3, 0, 0, 1); /* its row, elsewhere */
    EXPECT(t, 3, 2, 1, REQ_NONE);
    assert_int_equal(cart_stat(t, "same_row"), 1);
    assert_int_equal(cart_stat(t, "same_leaf"), 0);
    fell(t);
}

/* cart.assign: a third column of a row finds no leaf queue, or one of a free slot, or any; so does a fifth row. */
static void readings_of_assignment(void **state)
{
    (void)state;
    for (uint32_t assign = 0; assign < 3; assign++) {
        struct tree *t = tree((struct params){4, 2, 2, CART, .assign = assign});
        uint32_t n = 0;
        while (n < 9 && comes(t, n, 0, 0, n))
            n++;
        assert_int_equal(n, assign ? 8 : 2);
        assert_int_equal(cart_stat(t, assign == 2 ? "full_branch" : "full_row"), 1);
        EXPECT(t, 0, 1);
        fell(t);
        t = tree((struct params){4, 2, 2, CART, .assign = assign});
        for (n = 0; n < 9 && comes(t, n, 0, n, 0);)
            n++;
        assert_int_equal(n, assign == 2 ? 8 : 4);
        fell(t);
    }
}

/* cart.fall_through: behind a refused request of the row that is open, another row may go. */
static void readings_of_refusal(void **state)
{
    (void)state;
    for (int fall = 0; fall < 4; fall++) {
        struct tree *t = tree((struct params){4, 2, 2, CART, .fall_through = fall & 1});
        comes(t, 0, 0, 0, 0);
        comes(t, 1, 0, 0, fall >> 1); /* of the same line, or of another of the row */
        comes(t, 2, 0, 1, 0);
        EXPECT(t, 0);
        uint32_t slot = order_offer(&t->order, ++t->now);
        assert_int_equal(t->order.slot[slot].req, 1);
        order_rejected(&t->order, slot, STALL_NO_MERGE_SLOT, t->now);
        EXPECT(t, fall & 1 ? 2 : REQ_NONE);
        order_freed(&t->order, 1u << STALL_NO_MERGE_SLOT);
        EXPECT(t, 1);
        fell(t);
    }
}

/* What cannot be taken lets the next branch go first, and is the first of its own branch when it can. */
static void stalls_rotate(void **state)
{
    (void)state;
    struct tree *t = tree((struct params){4, 2, 2, CART});
    comes(t, 0, 0, 0, 0);
    comes(t, 1, 0, 1, 0);
    comes(t, 2, 1, 0, 0);
    uint32_t slot = order_offer(&t->order, ++t->now);
    assert_int_equal(t->order.slot[slot].req, 0);
    assert_int_equal(order_rejected(&t->order, slot, STALL_NO_MERGE_SLOT, t->now), ORDER_PICK_ANOTHER);
    EXPECT(t, 2);
    order_freed(&t->order, 1u << STALL_NO_MERGE_SLOT);
    EXPECT(t, 0, 1, REQ_NONE);
    fell(t);
    t = tree((struct params){4, 2, 2, CART, .stall = 1});
    comes(t, 0, 0, 0, 0);
    comes(t, 2, 1, 0, 0);
    slot = order_offer(&t->order, ++t->now);
    assert_int_equal(order_rejected(&t->order, slot, STALL_NO_MERGE_SLOT, t->now), ORDER_WAIT);
    EXPECT(t, REQ_NONE);
    order_freed(&t->order, 1u << STALL_NO_MERGE_SLOT);
    EXPECT(t, 0, 2, REQ_NONE);
    fell(t);
}

/* A leaf queue that is never empty: the request behind it leaves when it has waited for max_wait cycles, and not
 * before. */
static void no_starvation(void **state)
{
    (void)state;
    struct tree *t = tree((struct params){4, 2, 2, CART, .max_wait = 50});
    comes(t, 0, 0, 0, 0);
    comes(t, 1, 0, 1, 0);
    uint64_t came = t->now;
    uint32_t next = 2;
    for (;;) {
        comes(t, next, 0, 0, 0);
        next = next + 1 < MAX ? next + 1 : 2;
        if (drains(t) == 1)
            break;
        assert_true(t->now < came + 60);
    }
    assert_int_equal(t->now - came, 50);
    fell(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figure_5),
                                       cmocka_unit_test(figure_6),
                                       cmocka_unit_test(rejected_drains),
                                       cmocka_unit_test(fill),
                                       cmocka_unit_test(stalls_rotate),
                                       cmocka_unit_test(no_starvation),
                                       cmocka_unit_test(a_row_is_known_in_any_slot),
                                       cmocka_unit_test(readings_of_assignment),
                                       cmocka_unit_test(readings_of_refusal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
