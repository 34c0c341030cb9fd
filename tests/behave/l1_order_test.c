/*
 * Request order in front of the L1: a small policy of the test turns requests round, so that what the layer guarantees
 * and what the L1 does with its verdicts can be seen.
 */
#include "l1/l1_priv.h"
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* ---- request order: last in, first out, to be recognizable ---- */
static uint32_t kernels; /* on_kernel has seen */

struct lifo {
    enum order_action verdict; /* when the cache refuses a request */
    struct order_host *host;
    uint32_t stack[8], n;
};
static int lifo_init(void *st, const void *params, struct order_host *host, struct err *e)
{
    (void)e;
    host->capacity = 8;
    ((struct lifo *)st)->host = host;
    ((struct lifo *)st)->verdict = params ? *(const enum order_action *)params : ORDER_WAIT;
    return 0;
}
static bool lifo_take_in(void *st, uint32_t slot, const struct req *r, uint64_t now)
{
    struct lifo *l = st;
    (void)r, (void)now;
    l->stack[l->n++] = slot;
    l->host->pick_again_at = 60;
    return true;
}
static uint32_t lifo_pick(const void *st, uint64_t now)
{
    const struct lifo *l = st;
    /* Collect for a while, so that there is something to turn round. */
    for (uint32_t i = now < 60 ? 0 : l->n; i-- > 0;)
        if (order_ready(l->host, l->stack[i]))
            return l->stack[i];
    return ORDER_NONE;
}
static void lifo_taken(void *st, uint32_t slot)
{
    struct lifo *l = st;
    uint32_t at = 0;
    while (l->stack[at] != slot)
        at++;
    for (l->n--; at < l->n; at++)
        l->stack[at] = l->stack[at + 1];
}
static enum order_action lifo_could_not(void *st, uint32_t slot, enum stall why)
{
    (void)slot, (void)why;
    return ((struct lifo *)st)->verdict;
}
static void lifo_on_kernel(void *st, uint32_t launch_index)
{
    (void)st;
    kernels += launch_index + 1;
}
static const struct order_policy test_lifo = {.info = {.name = "test"},
                                              .state_bytes = sizeof(struct lifo),
                                              .init = lifo_init,
                                              .enqueue = lifo_take_in,
                                              .pick = lifo_pick,
                                              .on_accept = lifo_taken,
                                              .on_reject = lifo_could_not,
                                              .on_kernel = lifo_on_kernel};

static struct memsys *reordering_machine(const char *config, bool tick_all, const enum order_action *verdict)
{
    struct memsys *m = memsys_new(&(struct memsys_config){MEMSYS_ONE, .tick_all = tick_all, .config = config,
                                                          .order = &test_lifo, .policy_params = verdict});
    for (uint32_t i = 0; i < 3; i++)
        l2_preload(m->l2, 1, i * 0x1000, 128, false);
    return m;
}

static void reordering(void **state)
{
    (void)state;
    struct memsys *m = reordering_machine("", false, NULL);
    const struct shot shots[] = {{1, 0}, {2, 0x1000}, {3, 0x2000}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    assert_true(at[2].back < at[1].back && at[1].back < at[0].back);
    assert_int_equal(kernels, 1);
    memsys_free(m);
}

/* Two requests to one line keep their order whatever the policy picks: the store does not overtake the load. */
static void same_line_in_order(void **state)
{
    (void)state;
    struct memsys *m = reordering_machine("[l1]\nwrite_global = through\n", false, NULL);
    const struct shot shots[] = {{1, 0}, {2, 0, .kind = REQ_WRITE}};
    struct landing at[2];
    memsys_script(m, 0, shots, 2, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.store_misses"), 1); /* its line was still in flight */
    assert_int_equal(memsys_stat(m, "l1.load_misses"), 1);
    assert_int_equal(memsys_stat(m, "l1_order.order_enforced"), 1);
    memsys_free(m);
}

/* With two ports and two banks, two lines of one bank take two cycles, and lines of two banks one. */
static void reordering_respects_banks(void **state)
{
    (void)state;
    static const uint64_t second[] = {0x100, 0x80}; /* the first line's bank, the other bank */
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned ticked = 0; ticked < 2; ticked++) {
            struct memsys *m = reordering_machine("[l1]\nports = 2\nbanks = 2\nset_hash = linear\n", ticked, NULL);
            struct shot shots[] = {{1, 0}, {2, second[i]}, {2000, 0}, {2000, second[i]}};
            struct landing at[4];
            m->sm[0].per_cycle = 2;
            memsys_script(m, 0, shots, 4, at);
            memsys_run(m);
            uint64_t first = at[2].back < at[3].back ? at[2].back : at[3].back;
            assert_int_equal(at[2].back + at[3].back - 2 * first, i == 0);
            memsys_free(m);
        }
    }
}

/*
 * One MSHR entry, and behind the miss that holds it, at the top of the stack, two that need one as well. Waiting, each
 * takes the time of a miss; bypassing, they leave at once; trying another, a hit below them is served first.
 */
static void verdicts(void **state)
{
    (void)state;
    uint64_t end[3];
    for (enum order_action v = ORDER_WAIT; v <= ORDER_BYPASS; v++) {
        struct memsys *m = reordering_machine("[l1]\nmshrs = 1\nset_hash = linear\n", false, &v);
        const struct shot shots[] = {{1, 0}, /* brought in before 2000 */
                                     {2001, 0},
                                     {2001, 0x1000},
                                     {2001, 0x2000},
                                     {2001, 0x3000}};
        struct landing at[5];
        m->sm[0].per_cycle = 4;
        memsys_script(m, 0, shots, 5, at);
        end[v] = memsys_run(m);
        assert_int_equal(memsys_stat(m, "l1.bypasses") > 0, v == ORDER_BYPASS);
        assert_int_equal(memsys_stat(m, "l1_order.tried_another") > 0, v == ORDER_PICK_ANOTHER);
        /* The hit does not wait for the misses above it. */
        if (v == ORDER_PICK_ANOTHER)
            assert_true(at[1].back < at[2].back);
        memsys_free(m);
    }
    assert_true(end[ORDER_BYPASS] < end[ORDER_WAIT]);
}

/*
 * With two ports a refused request leaves the second one to another in the same cycle. Four requests are in the stack.
 * First cycle: the one at the top misses and takes the MSHR entry, the second is refused. Second cycle: the miss leaves
 * for the L2, so the second is tried once more and refused, and the third is refused beside it. Third cycle: the hit.
 */
static void another_in_the_same_cycle(void **state)
{
    (void)state;
    enum order_action v = ORDER_PICK_ANOTHER;
    struct memsys *m = reordering_machine("[l1]\nports = 2\nmshrs = 1\nset_hash = linear\n", false, &v);
    const struct shot shots[] = {{1, 0}, {2001, 0}, {2001, 0x1000}, {2001, 0x2000}, {2001, 0x3000}};
    struct landing at[5];
    m->sm[0].per_cycle = 4;
    memsys_script(m, 0, shots, 5, at);
    memsys_run(m);
    assert_int_equal(at[1].back - at[1].sent, m->l1_config.cache[0]->latency + 3);
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reordering), cmocka_unit_test(same_line_in_order),
                                       cmocka_unit_test(reordering_respects_banks), cmocka_unit_test(verdicts),
                                       cmocka_unit_test(another_in_the_same_cycle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
