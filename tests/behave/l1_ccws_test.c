/* The L1's half of `ccws`: which misses are on lines that the same warp has lost. */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A load, or a store, by a warp of one of the lines A, B, ... of one set of four ways. */
struct step {
    unsigned warp;
    char line;
    bool store;
};

static void check(const struct step *step, unsigned n, const char *params, unsigned lost)
{
    char config[256];
    snprintf(config, sizeof config, "[l1]\nmanagement = ccws\nset_hash = linear\n[ccws]\n%s", params);
    struct memsys_config c = {MEMSYS_ONE, .config = config};
    struct memsys *m = memsys_new(&c);
    struct shot shots[32];
    struct landing at[32];
    for (unsigned i = 0; i < n; i++)
        shots[i] = (struct shot){.at = 1 + 2000 * i,
                                 .addr = (uint64_t)(step[i].line - 'A') * 32 * 128,
                                 .kind = step[i].store ? REQ_WRITE : REQ_READ,
                                 .warp = (uint16_t)step[i].warp};
    memsys_script(m, 0, shots, n, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "ccws.vta_hits"), lost);
    assert_int_equal(m->sm[0].events_seen[EVENT_LOST_LOCALITY], lost);
    assert_int_equal(memsys_stat(m, "ccws.vta_hits") + memsys_stat(m, "ccws.vta_misses"),
                     memsys_stat(m, "l1.load_misses"));
    memsys_free(m);
}
#define CHECK(params, lost, ...)                                                                                       \
    check((const struct step[]){__VA_ARGS__}, sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step),        \
          params, lost)
#define FILL(w)                                                                                                        \
    {w, 'A', 0}, {w, 'B', 0}, {w, 'C', 0},                                                                             \
    {                                                                                                                  \
        w, 'D', 0                                                                                                      \
    } /* the four ways */

static void a_warp_loses_its_own_lines(void **state)
{
    (void)state;
    CHECK("", 0, FILL(1), {1, 'E', 0});                           /* A has gone */
    CHECK("", 1, FILL(1), {1, 'E', 0}, {1, 'A', 0});              /* and is missed */
    CHECK("", 0, FILL(1), {1, 'E', 0}, {2, 'A', 0});              /* not by the warp that had it */
    CHECK("", 1, FILL(1), {2, 'E', 0}, {1, 'A', 0});              /* whoever took its place */
    CHECK("", 0, FILL(1), {1, 'E', 0}, {1, 'E', 0}, {1, 'B', 0}); /* hits */
    /* A hit takes the tag out: A, evicted again by B, C, D and E, is lost once more; in between it is not. */
    CHECK("", 5, FILL(1), {1, 'E', 0}, {1, 'A', 0}, {1, 'B', 0}, {1, 'C', 0}, {1, 'D', 0}, {1, 'E', 0});
}

static void the_first_in_is_the_first_out(void **state)
{
    (void)state;
    /* Two tags: of A, B and C, lost in this order, A has been forgotten. */
    CHECK("vta_entries = 2\nvta_assoc = 2\n", 0, FILL(1), {1, 'E', 0}, {1, 'F', 0}, {1, 'G', 0}, {1, 'A', 0});
    CHECK("vta_entries = 2\nvta_assoc = 2\n", 1, FILL(1), {1, 'E', 0}, {1, 'F', 0}, {1, 'G', 0}, {1, 'B', 0});
    /* Two sets of one tag: lines of this set are 32 apart, so all fall into one of them. */
    CHECK("vta_entries = 2\nvta_assoc = 1\n", 0, FILL(1), {1, 'E', 0}, {1, 'F', 0}, {1, 'A', 0});
    CHECK("vta_entries = 2\nvta_assoc = 1\n", 1, FILL(1), {1, 'E', 0}, {1, 'F', 0}, {1, 'B', 0});
}

static void a_store_makes_it_a_new_line(void **state)
{
    (void)state;
    CHECK("", 0, FILL(1), {1, 'E', 0}, {2, 'A', 1}, {1, 'A', 0});
    CHECK("", 1, FILL(1), {1, 'E', 0}, {2, 'B', 1}, {1, 'A', 0});
    CHECK("", 0, FILL(1), {2, 'A', 1}, {1, 'A', 0}); /* dropped by the store, not lost */
    CHECK("", 1, FILL(1), {2, 'A', 1}, {1, 'A', 0}, {1, 'E', 0}, {1, 'B', 0});
}

static void a_new_warp_has_lost_nothing(void **state)
{
    (void)state;
    struct memsys_config c = {MEMSYS_ONE, .config = "[l1]\nmanagement = ccws\nset_hash = linear\n"};
    for (int renewed = 0; renewed < 2; renewed++) {
        struct memsys *m = memsys_new(&c);
        struct shot shots[6];
        struct landing at[6];
        for (unsigned i = 0; i < 6; i++)
            shots[i] = (struct shot){.at = 1 + 2000 * i, .addr = (uint64_t)(i % 5) * 32 * 128, .warp = 1};
        memsys_script(m, 0, shots, 6, at);
        engine_run(m->eng, 9000);
        port_send(l1_events(m->l1[0]), 0, event_info(EVENT_WARP_START, renewed ? 1 : 2));
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "ccws.vta_hits"), !renewed);
        memsys_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_loses_its_own_lines),
        cmocka_unit_test(the_first_in_is_the_first_out),
        cmocka_unit_test(a_store_makes_it_a_new_line),
        cmocka_unit_test(a_new_warp_has_lost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
