/*
 * L2 slices and DRAM channels behind a mock SM: merges, write policies, write-back, sectors answered one by one,
 * atomics, preloading, limits, and the order in which FR-FCFS serves.
 */
#include "memory_latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct memsys *machine(uint32_t n_sm, const char *config)
{
    struct memsys_config c = {n_sm, 1, 1, 1000000, 1000000, 1000000, 1000000, false, NULL, config, 0, false};
    return memsys_new(&c);
}

/* Two SMs ask for one line: one fetch from DRAM. */
static void merge(void **state)
{
    (void)state;
    struct memsys *m = machine(2, "");
    const struct shot a[] = {{1, 0x4000}}, b[] = {{3, 0x4000}};
    struct landing at[2];
    memsys_script(m, 0, a, 1, &at[0]);
    memsys_script(m, 1, b, 1, &at[1]);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.misses"), 1);
    assert_int_equal(memsys_stat(m, "l2.merges"), 1);
    assert_int_equal(memsys_stat(m, "dram.reads"), 1);
    assert_int_equal(at[0].served, REQ_AT_DRAM);
    /* The slice answers one after the other; each packet has five flits to leave by. */
    assert_int_equal(at[1].back, at[0].back + 5);
    memsys_free(m);
}

/* A 128-byte miss of an L2 that handles sectors one by one: four accesses, four fetches, four packets. */
static void split(void **state)
{
    (void)state;
    struct memsys *m = machine(1, "[l2]\nsplit_sectors = yes\nmshrs = 256\n[noc]\nflit = 40\n");
    const struct shot shots[] = {
        {1, 0x4000}, {5000, 0x4000, REQ_READ, .flags = REQ_F_BYPASS}, {6000, 0x8000, REQ_WRITE, .sectors = 3}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.requests"), 3);
    assert_int_equal(memsys_stat(m, "l2.accesses"), 10);
    assert_int_equal(memsys_stat(m, "l2.read_misses"), 4);
    assert_int_equal(memsys_stat(m, "l2.read_hits"), 4);
    assert_int_equal(memsys_stat(m, "l2.write_misses"), 2);
    assert_int_equal(memsys_stat(m, "dram.reads"), 4);
    assert_int_equal(memsys_stat(m, "noc.reply.packets_out"), 10);
    assert_int_equal(memsys_stat(m, "noc.reply.flits_out"), 10);
    /* Hits leave one per cycle: the last sector three cycles after the first. */
    assert_int_equal(at[1].back - at[1].sent, l2_hit_latency(m, 40) + 3);
    memsys_free(m);
}

static void write_policies(void **state)
{
    (void)state;
    /* A store to a line that is not there, then a load of the same sector, and of another. */
    const struct shot shots[] = {{1, 0x4000, REQ_WRITE, .sectors = 1},
                                 {3000, 0x4000, .flags = REQ_F_BYPASS, .sectors = 1},
                                 {6000, 0x4000, .flags = REQ_F_BYPASS, .sectors = 2}};
    struct landing at[3];
    static const struct {
        const char *config;
        unsigned dram_reads, dram_writes, read_hits;
    } cases[] = {
        {"[l2]\nwrite = validate\n", 1, 0, 1}, /* what was written can be read; the other sector is fetched */
        {"[l2]\nwrite = fetch\n", 2, 0, 1},    /* its sector is fetched for the store */
        {"[l2]\nwrite = fetch\nsectors = no\n", 1, 0, 2},
        {"[l2]\nwrite = around\n", 2, 1, 0},
    };
    for (unsigned i = 0; i < 4; i++) {
        struct memsys *m = machine(1, cases[i].config);
        memsys_script(m, 0, shots, 3, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "dram.reads"), cases[i].dram_reads);
        assert_int_equal(memsys_stat(m, "dram.writes"), cases[i].dram_writes);
        assert_int_equal(memsys_stat(m, "l2.read_hits"), cases[i].read_hits);
        memsys_free(m);
    }
    /* A store that covers its words only in part does not make the sector readable. */
    struct shot partial[2] = {shots[0], shots[1]};
    partial[0].flags = REQ_F_PARTIAL;
    struct memsys *m = machine(1, "");
    memsys_script(m, 0, partial, 2, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "dram.reads"), 1);
    memsys_free(m);
}

static void write_back(void **state)
{
    (void)state;
    /* A slice of one set and two ways: the third line pushes out the dirty first. */
    struct memsys *m = machine(1, "[l2]\nsize = 1KiB\nassoc = 8\n");
    struct shot shots[9];
    struct landing at[9];
    for (unsigned i = 0; i < 9; i++)
        shots[i] = (struct shot){1 + 1000 * i, i * 128, i == 0 ? REQ_WRITE : REQ_READ, .sectors = i == 0 ? 3 : 15,
                                 .flags = i ? REQ_F_BYPASS : 0};
    memsys_script(m, 0, shots, 9, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.evictions"), 1);
    assert_int_equal(memsys_stat(m, "l2.write_backs"), 1);
    assert_int_equal(memsys_stat(m, "dram.write_bytes"), 64);
    memsys_free(m);
}

static void preload(void **state)
{
    (void)state;
    struct memsys_config c = {1, 6, 2, 1000000, 1000000, 1000000, 1000000, false, NULL, "", 0, false};
    struct memsys *m = memsys_new(&c);
    /* 64 lines over twelve slices; every one is found where the requests look for it. */
    for (unsigned i = 0; i < 12; i++)
        l2_warm(m->l2[i], 0x10000, 64 * 128, false);
    struct shot shots[64];
    struct landing at[64];
    for (unsigned i = 0; i < 64; i++)
        shots[i] = (struct shot){1 + i, 0x10000 + i * 128};
    memsys_script(m, 0, shots, 64, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.warmed"), 64);
    assert_int_equal(memsys_stat(m, "l2.read_hits"), 64);
    assert_int_equal(memsys_stat(m, "dram.reads"), 0);
    for (unsigned i = 0; i < 12; i++)
        l2_invalidate(m->l2[i], 0x10000, 64 * 128);
    memsys_free(m);
}

static void atomics(void **state)
{
    (void)state;
    /* Atomics of one line: the unit takes one every eight cycles. */
    struct memsys *m = machine(1, "[l2]\natomic_interval = 8\natomic_latency = 20\n");
    l2_warm(m->l2[0], 0, 128, false);
    struct shot shots[4];
    struct landing at[4];
    for (unsigned i = 0; i < 4; i++)
        shots[i] = (struct shot){1 + i, 0, REQ_ATOMIC, .sectors = 1};
    memsys_script(m, 0, shots, 4, at);
    memsys_run(m);
    assert_int_equal(at[0].back - at[0].sent, to_l2(m, 40) + 20 + from_l2(m, 40));
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(at[i].back - at[i - 1].back, 8);
    memsys_free(m);
}

/* MSHRs of the slice: the third line waits until the first has come. */
static void limits(void **state)
{
    (void)state;
    struct memsys *m = machine(1, "[l2]\nmshrs = 2\n");
    const struct shot shots[] = {{1, 0}, {2, 0x4080}, {3, 0x8100}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.stalled_requests.mshr"), 1);
    uint64_t tags = at[2].sent + to_l2(m, 8);     /* when it came to the slice's tags */
    uint64_t fill = at[0].back - from_l2(m, 136); /* when the first line did */
    assert_int_equal(memsys_stat(m, "l2.stall_cycles.mshr"), fill - tags);
    memsys_free(m);
}

/* Row hits first: of A(row 0), B(row 1), C(row 0) in one bank, C is served before B. */
static void frfcfs(void **state)
{
    (void)state;
    for (int fcfs = 0; fcfs < 2; fcfs++) {
        struct memsys_config c = {1,
                                  1,
                                  1,
                                  1000000,
                                  1000000,
                                  1000000,
                                  1000000,
                                  false,
                                  "RRRRRRRRRRRRRRRR.BBBB.CCCCCCCCCCC",
                                  fcfs ? "[dram]\nscheduler = fcfs\n" : "",
                                  0,
                                  false};
        struct memsys *m = memsys_new(&c);
        uint64_t row = 1ull << 15;
        const struct shot shots[] = {{1, 0}, {2, row}, {3, 128}};
        struct landing at[3];
        memsys_script(m, 0, shots, 3, at);
        memsys_run(m);
        assert_true(fcfs ? at[2].back > at[1].back : at[2].back < at[1].back);
        assert_int_equal(memsys_stat(m, "dram.row_hits"), fcfs ? 0 : 1);
        assert_int_equal(memsys_stat(m, "dram.row_conflicts"), fcfs ? 2 : 1);
        assert_int_equal(memsys_stat(m, "dram.row_misses"), 1);
        assert_int_equal(memsys_stat(m, "dram.activates"), fcfs ? 3 : 2);
        memsys_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge),      cmocka_unit_test(split),   cmocka_unit_test(write_policies),
        cmocka_unit_test(write_back), cmocka_unit_test(preload), cmocka_unit_test(atomics),
        cmocka_unit_test(limits),     cmocka_unit_test(frfcfs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
