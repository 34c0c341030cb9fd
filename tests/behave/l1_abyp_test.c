/* The policy `abyp`: how the counters of loads rise and fall, and when what they miss is no longer kept. */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A load (or, with pc 0, a store) by SM `sm` of one of the lines A, B, ... of one set of four ways. */
struct step {
    unsigned sm, pc;
    char line, expected; /* h: hit; m: miss */
};

struct counts {
    unsigned unallocated_misses, dead, alive, corrections;
};

static void check(const char *params, const struct step *step, unsigned n, struct counts want)
{
    char config[256];
    snprintf(config, sizeof config, "[l1]\nmanagement = abyp\nset_hash = linear\n[l2]\nline_metadata = yes\n[abyp]\n%s",
             params);
    struct memsys_config c = {.n_sm = 2, .n_channel = 1, .slices = 1, MEMSYS_1GHZ, .config = config};
    struct memsys *m = memsys_new(&c);
    struct shot shots[2][32];
    struct landing at[2][32];
    unsigned count[2] = {0, 0};
    for (unsigned i = 0; i < n; i++)
        shots[step[i].sm][count[step[i].sm]++] = (struct shot){.at = 1 + 2000 * i,
                                                               .addr = (uint64_t)(step[i].line - 'A') * 32 * 128,
                                                               .kind = step[i].pc ? REQ_READ : REQ_WRITE,
                                                               .pc = step[i].pc};
    memsys_script(m, 0, shots[0], count[0], at[0]);
    memsys_script(m, 1, shots[1], count[1], at[1]);
    memsys_run(m);
    count[0] = count[1] = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned served = at[step[i].sm][count[step[i].sm]++].served;
        if (step[i].pc && (served == REQ_AT_L1) != (step[i].expected == 'h'))
            fail_msg("step %u (%c by load %u) is not '%c'", i + 1, step[i].line, step[i].pc, step[i].expected);
    }
    assert_int_equal(memsys_stat(m, "abyp.unallocated_misses"), want.unallocated_misses);
    assert_int_equal(memsys_stat(m, "abyp.counter_increments"), want.dead);
    assert_int_equal(memsys_stat(m, "abyp.counter_decrements"), want.alive);
    assert_int_equal(memsys_stat(m, "abyp.corrections"), want.corrections);
    memsys_free(m);
}
#define CHECK(params, unallocated_misses, dead, alive, corrections, ...)                                               \
    check(params, (const struct step[]){__VA_ARGS__},                                                                  \
          sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step),                                            \
          (struct counts){unallocated_misses, dead, alive, corrections})
#define TWO "threshold = 2\n"
#define LOAD(pc, line, expected)                                                                                       \
    {                                                                                                                  \
        0, pc, line, expected                                                                                          \
    }
#define FILL(pc) LOAD(pc, 'A', 'm'), LOAD(pc, 'B', 'm'), LOAD(pc, 'C', 'm'), LOAD(pc, 'D', 'm')

static void dying_lines_teach(void **state)
{
    (void)state;
    /* E and F replace A and B, untouched: at two, load 7 stops allocating and C and D stay. */
    CHECK(TWO, 1, 2, 2, 0, FILL(7), LOAD(7, 'E', 'm'), LOAD(7, 'F', 'm'), LOAD(7, 'G', 'm'), LOAD(8, 'C', 'h'),
          LOAD(8, 'D', 'h'));
    /* Another load, with its own counter, is not affected. */
    CHECK(TWO, 0, 3, 1, 0, FILL(7), LOAD(7, 'E', 'm'), LOAD(7, 'F', 'm'), LOAD(9, 'G', 'm'), LOAD(9, 'G', 'h'));
}

static void hits_teach_the_load_that_touched_last(void **state)
{
    (void)state;
    /* The hit on D by load 8 lowers 7's counter from 1 to 0 and makes D's later death 8's. */
    CHECK(TWO, 0, 2, 1, 0, FILL(7), LOAD(7, 'E', 'm'), LOAD(8, 'D', 'h'), LOAD(7, 'F', 'm'));
    /* Lines touched by 8 last die as 8's: it is 8 that is kept out. */
    CHECK("threshold = 1\n", 1, 1, 4, 0, FILL(7), LOAD(8, 'A', 'h'), LOAD(8, 'B', 'h'), LOAD(8, 'C', 'h'),
          LOAD(8, 'D', 'h'), LOAD(7, 'E', 'm'), LOAD(8, 'F', 'm'));
}

static void stores_teach_nothing(void **state)
{
    (void)state;
    CHECK(TWO, 0, 0, 0, 0, FILL(7), {0, 0, 'A', 0}, {0, 0, 'B', 0}, {0, 0, 'C', 0}, LOAD(7, 'E', 'm'));
}

static void marks_in_the_l2_correct(void **state)
{
    (void)state;
    /* G is not kept; that it is wanted again shows that this was wrong, and H is kept. */
    CHECK(TWO, 2, 3, 1, 1, FILL(7), LOAD(7, 'E', 'm'), LOAD(7, 'F', 'm'), LOAD(7, 'G', 'm'), LOAD(7, 'G', 'm'),
          LOAD(7, 'H', 'm'), LOAD(7, 'H', 'h'));
    CHECK(TWO "l2_correction = no\n", 4, 2, 0, 0, FILL(7), LOAD(7, 'E', 'm'), LOAD(7, 'F', 'm'), LOAD(7, 'G', 'm'),
          LOAD(7, 'G', 'm'), LOAD(7, 'H', 'm'), LOAD(7, 'H', 'm'));
    /* A load that allocates finds the mark too, and takes it away. */
    CHECK(TWO, 1, 4, 0, 1, FILL(7), LOAD(7, 'E', 'm'), LOAD(7, 'F', 'm'), LOAD(7, 'G', 'm'), LOAD(8, 'G', 'm'),
          LOAD(9, 'H', 'm'));
}

static void whose_marks_count(void **state)
{
    (void)state;
    CHECK(TWO, 1, 2, 0, 0, FILL(7), LOAD(7, 'E', 'm'), LOAD(7, 'F', 'm'), LOAD(7, 'G', 'm'), {1, 7, 'G', 'm'});
    CHECK(TWO "own_marks_only = no\n", 1, 2, 0, 1, FILL(7), LOAD(7, 'E', 'm'), LOAD(7, 'F', 'm'), LOAD(7, 'G', 'm'),
          {1, 7, 'G', 'm'});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dying_lines_teach),    cmocka_unit_test(hits_teach_the_load_that_touched_last),
        cmocka_unit_test(stores_teach_nothing), cmocka_unit_test(marks_in_the_l2_correct),
        cmocka_unit_test(whose_marks_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
