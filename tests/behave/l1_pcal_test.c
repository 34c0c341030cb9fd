/* The L1's half of `pcal`: who holds a token, and what it is good for. */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* In this cycle a warp loads a line; or (line 0) it starts, or (line -1) it ends. Loads answer within 500 cycles. */
struct step {
    uint64_t at;
    unsigned warp;
    int line;
    char expected; /* h: hit; m: miss; +: merged */
};

static void check(const char *tokens, const struct step *e, unsigned n, unsigned kept)
{
    char config[128];
    snprintf(config, sizeof config, "[l1]\nmanagement = pcal\n[pcal]\ntokens = %s\n", tokens);
    struct memsys_config c = {MEMSYS_ONE, .config = config};
    struct memsys *m = memsys_new(&c);
    struct shot shots[32];
    struct landing at[32];
    unsigned loads = 0;
    for (unsigned i = 0; i < n; i++)
        if (e[i].line > 0)
            shots[loads++] =
                (struct shot){.at = e[i].at, .addr = (uint64_t)e[i].line * 128, .warp = (uint16_t)e[i].warp};
    memsys_script(m, 0, shots, loads, at);
    for (unsigned i = 0; i < n; i++) {
        if (e[i].line > 0)
            continue;
        engine_run(m->eng, e[i].at);
        port_send(l1_events(m->l1[0]), 0, event_info(e[i].line ? EVENT_WARP_EXIT : EVENT_WARP_START, e[i].warp));
    }
    memsys_run(m);
    loads = 0;
    for (unsigned i = 0; i < n; i++) {
        if (e[i].line <= 0)
            continue;
        unsigned served = at[loads++].served;
        char was = served == REQ_AT_L1 ? 'h' : served == REQ_AT_L1_MERGE ? '+' : 'm';
        if (was != e[i].expected)
            fail_msg("%s tokens: warp %u, line %d in cycle %lu is '%c'", tokens, e[i].warp, e[i].line,
                     (unsigned long)e[i].at, was);
    }
    assert_int_equal(memsys_stat(m, "l1.misses") - memsys_stat(m, "pcal.unallocated_misses"), kept);
    memsys_free(m);
}
#define CHECK(tokens, kept, ...)                                                                                       \
    check(tokens, (const struct step[]){__VA_ARGS__},                                                                  \
          sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step), kept)

static void only_holders_allocate(void **state)
{
    (void)state;
    CHECK("1", 1, {1, 3, 0, 0}, {2, 5, 0, 0}, {10, 3, 1, 'm'},
          {1000, 3, 1, 'h'},                     /* the older one keeps what it loads */
          {2000, 5, 1, 'h'},                     /* the other may use it */
          {3000, 5, 2, 'm'}, {4000, 5, 2, 'm'}); /* but not bring anything in */
    CHECK("2", 2, {1, 3, 0, 0}, {2, 5, 0, 0}, {10, 3, 1, 'm'}, {1000, 5, 2, 'm'}, {2000, 3, 2, 'h'}, {3000, 5, 1, 'h'});
    CHECK("0", 0, {1, 3, 0, 0}, {10, 3, 1, 'm'}, {1000, 3, 1, 'm'});
}

static void a_token_passes_to_the_oldest(void **state)
{
    (void)state;
    CHECK("1", 1, {1, 3, 0, 0}, {2, 7, 0, 0}, {3, 5, 0, 0}, /* started in the order 3, 7, 5 */
          {10, 7, 1, 'm'}, {1000, 5, 2, 'm'}, {2000, 3, -1, 0}, {3000, 5, 2, 'm'}, {4000, 7, 1, 'm'},
          {5000, 7, 1, 'h'});
    /* One without a token ends: nothing passes. A warp that starts when a token is free takes it. */
    CHECK("1", 0, {1, 3, 0, 0}, {2, 7, 0, 0}, {3, 5, 0, 0}, {10, 7, -1, 0}, {1000, 5, 2, 'm'}, {2000, 5, 2, 'm'});
    CHECK("1", 1, {1, 3, 0, 0}, {10, 3, -1, 0}, {20, 5, 0, 0}, {1000, 5, 2, 'm'}, {2000, 5, 2, 'h'});
}

static void a_line_that_a_holder_waits_for_is_kept(void **state)
{
    (void)state;
    CHECK("1", 0, {1, 3, 0, 0}, {2, 5, 0, 0}, {10, 5, 1, 'm'}, {15, 3, 1, '+'}, {1000, 5, 1, 'h'});
    CHECK("1", 0, {1, 3, 0, 0}, {2, 5, 0, 0}, {10, 5, 1, 'm'}, {15, 5, 1, '+'}, {1000, 5, 1, 'm'});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_holders_allocate),
        cmocka_unit_test(a_token_passes_to_the_oldest),
        cmocka_unit_test(a_line_that_a_holder_waits_for_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
