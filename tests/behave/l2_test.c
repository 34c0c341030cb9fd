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
    struct memsys_config c = {.n_sm = n_sm, .n_channel = 1, .slices = 1, MEMSYS_1GHZ, .config = config};
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
        {"[l2]\nwrite_miss = validate\n", 1, 0, 1}, /* what was written can be read; the other sector is fetched */
        {"[l2]\nwrite_miss = fetch\n", 2, 0, 1},    /* its sector is fetched for the store */
        {"[l2]\nwrite_miss = fetch\nsectored = no\n", 1, 0, 2},
        {"[l2]\nwrite_miss = around\n", 2, 1, 0},
        {"[l2]\nwrite_miss = around_fetch\n", 2, 1, 1}, /* written to DRAM, and its sector fetched */
        {"[l2]\nwrite_miss = around_fetch\nsectored = no\n", 1, 1, 2},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
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

/* Stores that go to DRAM and fetch: those to a line in flight are written, too, and join its fetch; the line is clean.
 */
static void stores_that_do_both(void **state)
{
    (void)state;
    const char *config = "[l2]\nsize = 1KiB\nassoc = 8\nsectored = no\nwrite_miss = around_fetch\n";
    struct memsys *m = machine(1, config);
    struct shot shots[12] = {{1, 0, REQ_WRITE, .sectors = 1},
                             {2, 0, REQ_WRITE, .sectors = 2},
                             {3, 0, REQ_READ, .sectors = 4, .flags = REQ_F_BYPASS},
                             {2000, 0, REQ_WRITE, .sectors = 1}}; /* a hit: it stays here, and the line is dirty */
    struct landing at[12];
    for (unsigned i = 4; i < 12; i++)
        shots[i] = (struct shot){1000 * i, (i - 3) * 128, .sectors = 15, .flags = REQ_F_BYPASS};
    memsys_script(m, 0, shots, 4, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "dram.writes"), 2);
    assert_int_equal(memsys_stat(m, "dram.reads"), 1);
    assert_int_equal(memsys_stat(m, "l2.write_misses"), 1);
    assert_int_equal(memsys_stat(m, "l2.write_hits"), 1);
    assert_int_equal(memsys_stat(m, "l2.merges"), 2);
    memsys_free(m);
    /* With the hit it is written back whole when it leaves; without it leaves clean. */
    for (unsigned hit = 0; hit < 2; hit++) {
        if (!hit)
            shots[3] = (struct shot){2000, 128, .sectors = 15, .flags = REQ_F_BYPASS};
        else
            shots[3] = (struct shot){2000, 0, REQ_WRITE, .sectors = 1};
        m = machine(1, config);
        memsys_script(m, 0, shots, 12, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l2.write_backs"), hit);
        memsys_free(m);
    }
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
    struct memsys_config c = {.n_sm = 1, .n_channel = 6, .slices = 2, MEMSYS_1GHZ, .config = ""};
    struct memsys *m = memsys_new(&c);
    /* 64 lines over twelve slices; every one is found where the requests look for it. */
    l2_preload(m->l2, 12, 0x10000, 64 * 128, false);
    struct shot shots[64];
    struct landing at[64];
    for (unsigned i = 0; i < 64; i++)
        shots[i] = (struct shot){1 + i, 0x10000 + i * 128};
    memsys_script(m, 0, shots, 64, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.preloaded"), 64);
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
    l2_preload(m->l2, 1, 0, 128, false);
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

/* By sectors: eight cycles for one of which a word changes, three for one of which five words do, twice eight for two. */
static void atomics_by_sector(void **state)
{
    (void)state;
    const struct shot mixed[] = {{1, 0, REQ_RED, .sectors = 1, .words = 1},
                                 {2, 0, REQ_RED, .sectors = 1, .words = 0x1f},
                                 {3, 0, REQ_RED, .sectors = 3, .words = 0x101},
                                 {4, 0, REQ_RED, .sectors = 1, .words = 1}};
    const struct shot same[] = {{1, 0, REQ_RED, .sectors = 1, .words = 1},
                                {2, 0, REQ_RED, .sectors = 1, .words = 1},
                                {3, 0, REQ_RED, .sectors = 1, .words = 1},
                                {4, 0, REQ_RED, .sectors = 1, .words = 1}};
    static const struct {
        const char *config;
        unsigned apart[3];
    } cases[] = {{"[l2]\natomic_part_sector = 16\natomic_most_of_sector = 6\n", {8, 3, 16}},
                 {"[l2]\natomic_part_sector = 3\natomic_most_of_sector = 2\n", {1, 2, 1}}};
    for (unsigned k = 0; k < 2; k++) {
        struct memsys *m = machine(1, cases[k].config);
        struct landing at[4];
        l2_preload(m->l2, 1, 0, 128, false);
        memsys_script(m, 0, k ? same : mixed, 4, at);
        memsys_run(m);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(at[i + 1].back - at[i].back, cases[k].apart[i]);
        memsys_free(m);
    }
}

/*
 * A store of part of a sector takes its bank eight cycles here, from the fifth on also the port. Whole sectors take none, and
 * lines of 512 bytes apart take turns.
 */
static void part_store(void **state)
{
    (void)state;
    enum { N = 24 };
    static const struct {
        uint32_t words;
        uint64_t other;
        unsigned cycles_of_two;
    } cases[] = {{1, 0, 16}, {1, 0x80, 16}, {1, 0x200, 8}, {0xff, 0, 4}}; /* two flits each */
    for (unsigned k = 0; k < 4; k++) {
        struct memsys *m = machine(1, "[l2]\npart_store = 16\n");
        struct shot shots[N];
        struct landing at[N];
        for (unsigned i = 0; i < N; i++)
            shots[i] = (struct shot){1 + i,        i % 2 ? cases[k].other : 0, REQ_WRITE,
                                     .sectors = 1, .words = cases[k].words,    .flags = REQ_F_BYPASS};
        memsys_script(m, 0, shots, N, at);
        memsys_run(m);
        assert_int_equal(at[N - 1].back - at[N - 9].back, 4 * cases[k].cycles_of_two);
        assert_in_range(at[3].back - at[0].back, 3, 6);
        memsys_free(m);
    }
}

/* A store to another sector of a line that is being fetched waits for the fill, and so does what comes behind it. */
static void store_awaits_fill(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0, .sectors = 1, .flags = REQ_F_BYPASS},
                                 {2, 0, REQ_WRITE, .sectors = 8},
                                 {3, 0x100, .sectors = 1, .flags = REQ_F_BYPASS}};
    for (int awaits = 0; awaits < 2; awaits++) {
        struct memsys *m = machine(1, awaits ? "[l2]\nstore_awaits_fill = yes\n" : "");
        struct landing at[3];
        l2_preload(m->l2, 1, 0x100, 128, false);
        memsys_script(m, 0, shots, 3, at);
        memsys_run(m);
        const uint64_t of_sector = l2_hit_latency(m, 40);
        if (awaits) {
            assert_in_range(at[1].back, at[0].back - 4, at[0].back + 1);
            assert_in_range(at[2].back, at[1].back + 1, at[1].back + 5);
            assert_true(memsys_stat(m, "l2.stall_cycles.no_merge_slot") > 0);
        } else {
            assert_true(at[1].back + 20 < at[0].back);
            assert_in_range(at[2].back - at[2].sent, of_sector, of_sector + 4);
            assert_int_equal(memsys_stat(m, "l2.stall_cycles.no_merge_slot"), 0);
        }
        memsys_free(m);
    }
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
    assert_int_equal(memsys_stat(m, "l2.stalled_requests.no_mshr"), 1);
    uint64_t tags = at[2].sent + to_l2(m, 8);     /* when it came to the slice's tags */
    uint64_t fill = at[0].back - from_l2(m, 136); /* when the first line did */
    assert_int_equal(memsys_stat(m, "l2.stall_cycles.no_mshr"), fill - tags);
    memsys_free(m);
}

/* With bypass_on_stall the second line does not wait for the MSHR: it comes as early as with two, but is not kept. */
static void bypass(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}, {2, 0x4080}, {3000, 0x4080, .flags = REQ_F_BYPASS}};
    struct landing wide[3], at[3];
    struct memsys *two = machine(1, "[l2]\nmshrs = 2\n"), *one = machine(1, "[l2]\nmshrs = 1\nbypass_on_stall = yes\n");
    memsys_script(two, 0, shots, 3, wide);
    memsys_script(one, 0, shots, 3, at);
    memsys_run(two);
    memsys_run(one);
    assert_int_equal(at[1].back, wide[1].back);
    assert_int_equal(at[1].served, REQ_AT_DRAM);
    assert_int_equal(wide[2].served, REQ_AT_L2);
    assert_int_equal(at[2].served, REQ_AT_DRAM);
    assert_int_equal(memsys_stat(one, "l2.bypasses"), 1);
    assert_int_equal(memsys_stat(one, "l2.misses"), 2);
    assert_int_equal(memsys_stat(one, "l2.accesses"), 3);
    assert_int_equal(memsys_stat(one, "l2.stalled_requests.no_mshr"), 0);
    assert_int_equal(memsys_stat(two, "l2.bypasses"), 0);
    memsys_free(two);
    memsys_free(one);
    /* The same with requests that are split: a bypass of four sectors counts as four. */
    one = machine(1, "[l2]\nmshrs = 4\nsplit_sectors = yes\nbypass_on_stall = yes\n");
    memsys_script(one, 0, shots, 2, at);
    memsys_run(one);
    assert_int_equal(memsys_stat(one, "l2.bypasses"), 4);
    assert_int_equal(memsys_stat(one, "l2.accesses"), 8);
    memsys_free(one);
    /* What was written here is newer than DRAM's copy: such a read waits for the MSHR. */
    const struct shot written[] = {{1, 0x4080, REQ_WRITE, .sectors = 1}, {500, 0}, {501, 0x4080, .sectors = 3}};
    one = machine(1, "[l2]\nmshrs = 1\nbypass_on_stall = yes\n");
    memsys_script(one, 0, written, 3, at);
    memsys_run(one);
    assert_int_equal(memsys_stat(one, "l2.bypasses"), 0);
    assert_int_equal(memsys_stat(one, "l2.stalled_requests.no_mshr"), 1);
    memsys_free(one);
    /* So is what an atomic that waits for its line will write. */
    const struct shot atomic[] = {{1, 0x4080, REQ_ATOMIC, .sectors = 1}, {2, 0x4080, .sectors = 1}};
    one = machine(1, "[l2]\nmax_merges = 1\nbypass_on_stall = yes\n");
    memsys_script(one, 0, atomic, 2, at);
    memsys_run(one);
    assert_int_equal(memsys_stat(one, "l2.bypasses"), 0);
    assert_int_equal(memsys_stat(one, "l2.stalled_requests.no_merge_slot"), 1);
    memsys_free(one);
}

/* Reads of one line by several SMs (l2.coalesce): which of them are looked up, and when each comes back. */
static void coalesced(void **state)
{
    (void)state;
    struct landing at[6];
    const struct shot first = {1, 0x4000}, next = {3, 0x4000}, late = {1000, 0x4000},
                      sector = {1, 0x4000, .sectors = 1, .flags = REQ_F_BYPASS};
    const char *config = "[l2]\ncoalesce = 4\nport_bytes = 32\n[noc]\nflit = 136\n";
    /* Six at once: the first is looked up, three join it, the fifth is looked up, the last joins that. */
    struct memsys *m = machine(6, config);
    l2_preload(m->l2, 1, 0x4000, 128, false);
    for (unsigned i = 0; i < 6; i++)
        memsys_script(m, i, &first, 1, &at[i]);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.requests"), 6);
    assert_int_equal(memsys_stat(m, "l2.accesses"), 2);
    assert_int_equal(memsys_stat(m, "l2.coalesced"), 4);
    assert_int_equal(memsys_stat(m, "l2.replies"), 6);
    for (unsigned i = 0; i < 6; i++) /* one a cycle, although the data port takes four for each line */
        assert_int_equal(at[i].back, at[0].back + i);
    memsys_free(m);
    /* A copy takes no time of the slice's link: two a cycle, where five flits of the packet they copy take five. */
    m = machine(4, "[l2]\ncoalesce = 4\ncoalesce_copies = yes\n[noc]\nreply_flit = 28\nvoq = yes\niterations = 2\n");
    l2_preload(m->l2, 1, 0x4000, 128, false);
    for (unsigned i = 0; i < 4; i++)
        memsys_script(m, i, &first, 1, &at[i]);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.coalesced"), 3);
    const uint64_t copies[] = {0, 5, 5, 6};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(at[i].back, at[0].back + copies[i]);
    memsys_free(m);
    /* In flight: one fetch, no merges. */
    m = machine(3, config);
    for (unsigned i = 0; i < 3; i++)
        memsys_script(m, i, &first, 1, &at[i]);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.accesses"), 1);
    assert_int_equal(memsys_stat(m, "l2.misses"), 1);
    assert_int_equal(memsys_stat(m, "l2.coalesced"), 2);
    assert_int_equal(memsys_stat(m, "dram.reads"), 1);
    assert_int_equal(at[2].back, at[0].back + 2);
    assert_int_equal(at[2].served, REQ_AT_DRAM);
    memsys_free(m);
    /* One that comes after the data was read, and one that wants more than the first, begin look-ups of their own. */
    for (unsigned i = 0; i < 2; i++) {
        m = machine(2, config);
        l2_preload(m->l2, 1, 0x4000, 128, false);
        memsys_script(m, 0, i ? &sector : &first, 1, &at[0]);
        memsys_script(m, 1, i ? &next : &late, 1, &at[1]);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l2.accesses"), 2);
        assert_int_equal(memsys_stat(m, "l2.coalesced"), 0);
        memsys_free(m);
    }
}

/* How long the data port is busy follows from what a look-up came to. */
static void port_time(void **state)
{
    (void)state;
    /* Three lines that hit, 128 bytes each through a port of 32: four cycles apart. Three that miss: one apart. */
    struct memsys *m = machine(1, "[l2]\nport_bytes = 32\n[noc]\nflit = 136\n");
    l2_preload(m->l2, 1, 0, 3 * 128, false);
    const struct shot shots[] = {{1, 0}, {2, 128}, {3, 256}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    assert_int_equal(at[1].back - at[0].back, 4);
    assert_int_equal(at[2].back - at[1].back, 4);
    memsys_free(m);
    /* Packed, a line of 2.56 cycles takes three or two: what one leaves of its last cycle, the next begins in. */
    m = machine(1, "[l2]\nport_bytes = 50\nport_packed = yes\n[noc]\nflit = 136\n");
    l2_preload(m->l2, 1, 0, 6 * 128, false);
    const struct shot packed[] = {{1, 0}, {2, 128}, {3, 256}, {4, 384}, {5, 512}, {200, 640}};
    struct landing then[6];
    memsys_script(m, 0, packed, 6, then);
    memsys_run(m);
    static const unsigned apart[] = {3, 3, 2, 3};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(then[i + 1].back - then[i].back, apart[i]);
    assert_int_equal(then[5].back - then[5].sent, then[0].back - then[0].sent);
    memsys_free(m);
    /* Stores that miss take a line and are acknowledged a cycle apart, whatever they carry; those that hit move data.
     */
    for (int warm = 0; warm < 2; warm++) {
        m = machine(1, "[l2]\nport_bytes = 32\n[noc]\nflit = 136\n");
        if (warm)
            l2_preload(m->l2, 1, 0, 3 * 128, false);
        const struct shot stores[] = {{1, 0, REQ_WRITE}, {2, 128, REQ_WRITE}, {3, 256, REQ_WRITE}};
        memsys_script(m, 0, stores, 3, at);
        memsys_run(m);
        assert_int_equal(at[1].back - at[0].back, warm ? 4 : 1);
        assert_int_equal(at[2].back - at[1].back, warm ? 4 : 1);
        memsys_free(m);
    }
}

/* Row hits first: of A(row 0), B(row 1), C(row 0) in one bank, C is served before B. */
static void frfcfs(void **state)
{
    (void)state;
    for (int fcfs = 0; fcfs < 2; fcfs++) {
        struct memsys_config c = {MEMSYS_ONE, .map = "RRRRRRRRRRRRRRRR.BBBB.CCCCCCCCCCC",
                                  .config = fcfs ? "[dram]\nscheduler = fcfs\n" : ""};
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

/* A stream of hits to the open row keeps another row waiting, until it is older than the cap. */
static void age_cap(void **state)
{
    (void)state;
    enum { N = 16, CAP = 60 };
    uint64_t row = 1ull << 15, waited[2];
    for (int capped = 0; capped < 2; capped++) {
        struct memsys_config c = {.n_sm = 1,
                                  .n_channel = 1,
                                  .slices = 1,
                                  .core_khz = 1000000,
                                  .noc_khz = 1000000,
                                  .l2_khz = 1000000,
                                  .dram_khz = 1000000,
                                  .map = "RRRRRRRRRRRRRRRR.BBBB.CCCCCCCCCCC",
                                  .config = capped ? "[dram]\nage_cap = 60\n[l2]\nmshrs = 64\n" : "[l2]\nmshrs = 64\n"};
        struct memsys *m = memsys_new(&c);
        /* The first opens row 0; the second wants row 1; fourteen more of row 0 arrive behind them. */
        struct shot shots[N];
        struct landing at[N];
        for (uint32_t i = 0; i < N; i++)
            shots[i] = (struct shot){1 + i, i == 1 ? row : i * 128};
        memsys_script(m, 0, shots, N, at);
        memsys_run(m);
        unsigned later = 0;
        for (uint32_t i = 2; i < N; i++)
            later += at[i].back > at[1].back;
        waited[capped] = at[1].back;
        if (!capped) {
            assert_int_equal(later, 0);
            assert_int_equal(memsys_stat(m, "dram.row_conflicts"), 1);
        } else {
            /* The row is opened, then lines of it are served until the cap has passed. */
            const struct dram_config *d = m->dram_config.cfg;
            uint64_t bursts = 128 / (d->bus_bytes * d->chips * d->burst),
                     same_group = d->ccdl > d->ccd ? d->ccdl : d->ccd;
            uint64_t overtook = N - 2 - later, line = bursts * same_group;
            assert_in_range(overtook, (CAP - d->rcd) / line - 1, CAP / line);
            assert_true(later > 0);
            assert_int_equal(memsys_stat(m, "dram.row_conflicts"), 2);
        }
        memsys_free(m);
    }
    assert_true(waited[1] < waited[0]);
}

/*
 * Two rows of bank 0, or of bank 0 in each of two pseudo channels: their times bind only within one, and a queue that is
 * full in one lets requests of the other pass.
 */
static void pseudo_channels(void **state)
{
    (void)state;
    const uint64_t row = 1ull << 16, other = 1ull << 11;
    const struct shot shots[] = {{1, 0}, {2, row}, {3, 2 * row}, {4, other}};
    struct landing at[4];
    for (int apart = 0; apart < 2; apart++) {
        struct memsys_config c = {MEMSYS_ONE, .map = "RRRRRRRRRRRRRRRR.BBBBB.CCCCCCCCCCC",
                                  .config = apart ? "[dram]\npseudo_channels = 2\nqueue = 2\n"
                                                  : "[dram]\nbanks = 32\nqueue = 2\n"};
        struct memsys *m = memsys_new(&c);
        memsys_script(m, 0, shots, 4, at);
        memsys_run(m);
        const struct dram_config *d = m->dram_config.cfg;
        assert_int_equal(at[1].back - at[0].back, d->rc);
        if (apart)
            assert_in_range(at[3].back - at[0].back, 1, 2 * d->rp);
        else
            assert_true(at[3].back > at[1].back);
        memsys_free(m);
    }
}

/*
 * Two partitions of one channel and one slice each. Line 0 lives in slice 0 and is asked for at slice 1; line 0x100
 * lives in slice 1 and is asked for there.
 */
static struct memsys *partitioned(const char *config)
{
    char text[256];
    snprintf(text, sizeof text, "[l2]\npartitions = 2\npartition_link_latency = 30\npartition_link_bytes = 16\n%s",
             config);
    struct memsys_config c = {.n_sm = 1, .n_channel = 2, .slices = 1, MEMSYS_1GHZ, .config = text};
    return memsys_new(&c);
}

static void warm(struct memsys *m, uint64_t addr, uint64_t bytes, bool by_kernel)
{
    l2_preload(m->l2, m->c.n_channel * m->c.slices, addr, bytes, by_kernel);
}

static void copies(void **state)
{
    (void)state;
    /* What a copy from the host leaves has to come over the link once; what a memset leaves has not. */
    for (int by_kernel = 0; by_kernel < 2; by_kernel++) {
        struct memsys *m = partitioned("");
        warm(m, 0, 512, by_kernel);
        const struct shot shots[] = {
            {1, 0x100, .flags = REQ_F_BYPASS}, {1000, 0, .flags = REQ_F_BYPASS}, {2000, 0, .flags = REQ_F_BYPASS}};
        struct landing at[3];
        memsys_script(m, 0, shots, 3, at);
        memsys_run(m);
        uint64_t hit = l2_hit_latency(m, 136);
        assert_int_equal(at[0].back - at[0].sent, hit);
        assert_int_equal(at[1].back - at[1].sent, by_kernel ? hit : hit + 30 + 30);
        assert_int_equal(at[2].back - at[2].sent, hit);
        assert_int_equal(at[1].served, REQ_AT_L2);
        assert_int_equal(memsys_stat(m, "l2.accesses"), by_kernel ? 3 : 4);
        assert_int_equal(memsys_stat(m, "l2.read_misses"), !by_kernel);
        assert_int_equal(memsys_stat(m, "l2.remote_partition.fetches"), !by_kernel);
        assert_int_equal(memsys_stat(m, "dram.reads"), 0);
        memsys_free(m);
    }
    /* A miss of both slices: one fetch from DRAM, and the line is in both. The link takes 16 bytes a cycle. */
    struct memsys *m = partitioned("");
    const struct shot cold[] = {{1, 0, .flags = REQ_F_BYPASS}, {2, 0x80, .flags = REQ_F_BYPASS}};
    struct landing at[2];
    warm(m, 0, 0x100, false);
    memsys_script(m, 0, cold, 2, at);
    memsys_run(m);
    assert_int_equal(at[1].back - at[0].back, 8);
    memsys_free(m);
}

/*
 * With l2.partition_of = sm line 0 is near for SM 1 and far for SM 0, who keeps a copy beside itself until SM 1 writes to it.
 */
static void partition_of_sm(void **state)
{
    (void)state;
    struct memsys_config c = {.n_sm = 2,
                              .n_channel = 2,
                              .slices = 1,
                              MEMSYS_1GHZ,
                              .config = "[l2]\npartitions = 2\npartition_of = sm\npartition_link_latency = 30\n"};
    struct memsys *m = memsys_new(&c);
    warm(m, 0, 512, false);
    const struct shot of_0[] = {{1000, 0, .flags = REQ_F_BYPASS},
                                {2000, 0, .flags = REQ_F_BYPASS},
                                {4000, 0, .flags = REQ_F_BYPASS}, /* behind the store of SM 1 */
                                {5000, 0, REQ_WRITE},
                                {6000, 0, .flags = REQ_F_BYPASS}, /* its own store left a copy */
                                {8000, 0, .flags = REQ_F_BYPASS, .sectors = 2},
                                {9000, 0, .flags = REQ_F_BYPASS, .sectors = 1}, /* behind the atomic of SM 1 */
                                {10000, 0x100, .flags = REQ_F_BYPASS}};
    const struct shot of_1[] = {{1, 0, .flags = REQ_F_BYPASS},
                                {3000, 0, REQ_WRITE},
                                {7000, 0, REQ_RED, .sectors = 1},
                                {11000, 0x100, .flags = REQ_F_BYPASS}};
    struct landing a[8], b[4];
    memsys_script(m, 0, of_0, 8, a);
    memsys_script(m, 1, of_1, 4, b);
    memsys_run(m);
    const uint64_t hit = l2_hit_latency(m, 136), of_sector = l2_hit_latency(m, 40);
    static const bool far[] = {true, false, true, false, false, false, true, false};
    for (unsigned i = 0; i < 8; i++)
        if (of_0[i].kind == REQ_READ)
            assert_int_equal(a[i].back - a[i].sent, (of_0[i].sectors ? of_sector : hit) + (far[i] ? 60 : 0));
    assert_int_equal(b[0].back - b[0].sent, hit);
    assert_int_equal(b[3].back - b[3].sent, hit + 60);
    assert_int_equal(memsys_stat(m, "l2.remote_partition.fetches"), 4);
    assert_int_equal(memsys_stat(m, "l2.remote_partition.forwarded"), 1);
    assert_int_equal(memsys_stat(m, "dram.reads"), 0);
    memsys_free(m);
}

/* Stores and atomics are done where the line lives; stores leave a copy on their way, atomics take one away. */
static void passed_on(void **state)
{
    (void)state;
    struct memsys *m = partitioned("");
    warm(m, 0, 128, false);
    const struct shot shots[] = {{1, 0, REQ_WRITE},
                                 {1000, 0, .flags = REQ_F_BYPASS},
                                 {2000, 0, REQ_ATOMIC, .sectors = 1},
                                 {3000, 0, .flags = REQ_F_BYPASS, .sectors = 1},
                                 {4000, 0, .flags = REQ_F_BYPASS, .sectors = 2}};
    struct landing at[5];
    memsys_script(m, 0, shots, 5, at);
    memsys_run(m);
    uint64_t hit = l2_hit_latency(m, 136), of_sector = l2_hit_latency(m, 40);
    assert_int_equal(memsys_stat(m, "l2.remote_partition.forwarded"), 2);
    assert_int_equal(memsys_stat(m, "l2.atomics"), 1);
    assert_int_equal(at[1].back - at[1].sent, hit);
    assert_int_equal(at[3].back - at[3].sent, of_sector + 30 + 30);
    assert_int_equal(at[4].back - at[4].sent, of_sector);
    assert_int_equal(memsys_stat(m, "dram.reads"), 0);
    memsys_free(m);
}

/* A store holds the port for its transfer and, where its line lives, l2.store_cycles more: a hit behind it waits. */
static void store_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        uint64_t store, more; /* where the store goes; how much longer the hit takes than behind the first store */
    } cases[] = {{"write_port_bytes = 32\n", 0x100, 0},
                 {"write_port_bytes = 32\nstore_cycles = 3\n", 0x100, 3},
                 {"write_port_bytes = 32\nstore_cycles = 3\n", 0, 0}};
    uint64_t first = 0;
    for (unsigned i = 0; i < 3; i++) {
        struct memsys *m = partitioned(cases[i].config);
        warm(m, 0x100, 256, false);
        warm(m, 0, 128, true);
        const struct shot shots[] = {{1, cases[i].store, REQ_WRITE}, {2, 0x180, .flags = REQ_F_BYPASS}};
        struct landing at[2];
        memsys_script(m, 0, shots, 2, at);
        memsys_run(m);
        first = i ? first : at[1].back - at[1].sent;
        assert_int_equal(at[1].back - at[1].sent, first + cases[i].more);
        memsys_free(m);
    }
}

/* A miss fetches the piece of l2.fetch bytes around its sector. */
static void fetched_piece(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        unsigned bursts;
    } cases[] = {{"[l2]\nfetch = 32B\n", 3}, {"[l2]\nfetch = 64B\n", 2}, {"[l2]\nfetch = 128B\n", 1}};
    const struct shot shots[] = {{1, 0, .flags = REQ_F_BYPASS, .sectors = 2},
                                 {3000, 0, .flags = REQ_F_BYPASS, .sectors = 1},
                                 {6000, 0, .flags = REQ_F_BYPASS, .sectors = 4}};
    struct landing at[3];
    for (unsigned i = 0; i < 3; i++) {
        struct memsys *m = machine(1, cases[i].config);
        memsys_script(m, 0, shots, 3, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "dram.reads"), cases[i].bursts);
        assert_int_equal(memsys_stat(m, "dram.read_bytes"), i == 0 ? 96 : 128);
        memsys_free(m);
    }
}

/* The third line of a set that may have two dirty ones: the one written first is written back, and stays. */
static void dirty_ways(void **state)
{
    (void)state;
    struct memsys *m = machine(1, "[l2]\nsize = 2KiB\nassoc = 4\ndirty_ways = 2\n");
    struct shot shots[4];
    struct landing at[4];
    for (unsigned i = 0; i < 3; i++)
        shots[i] = (struct shot){1 + 100 * i, i * 0x1000, REQ_WRITE};
    shots[3] = (struct shot){3000, 0, .flags = REQ_F_BYPASS};
    memsys_script(m, 0, shots, 4, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.eager_write_backs"), 1);
    assert_int_equal(memsys_stat(m, "dram.write_bytes"), 128);
    assert_int_equal(memsys_stat(m, "l2.read_hits"), 1);
    assert_int_equal(memsys_stat(m, "l2.evictions"), 0);
    memsys_free(m);
}

/* Copies from the host fill l2.copy_ways of a set, then replace each other; a kernel's lines replace them first. */
static void copied(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        struct memsys *m = machine(1, limited ? "[l2]\nsize = 2KiB\nassoc = 4\ncopy_ways = 3\ncopy_dirty_ways = 1\n"
                                              : "[l2]\nsize = 2KiB\nassoc = 4\n");
        for (unsigned i = 0; i < 4; i++)
            l2_preload(m->l2, 1, i * 0x1000, 128, false);
        /* The line copied first is gone where three ways were to be had. Its fetch takes another's way, the next one's
         * the last but one: both are copied lines, and the latest of them was dirty. */
        const struct shot shots[] = {{1, 0, .flags = REQ_F_BYPASS},
                                     {1000, 0x4000, .flags = REQ_F_BYPASS},
                                     {2000, 0x5000, .flags = REQ_F_BYPASS}};
        struct landing at[3];
        memsys_script(m, 0, shots, 3, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "dram.reads"), limited ? 3 : 2);
        assert_int_equal(memsys_stat(m, "l2.evictions"), limited ? 3 : 2);
        assert_int_equal(memsys_stat(m, "dram.write_bytes"), limited ? 128 : 0);
        memsys_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge),
        cmocka_unit_test(split),
        cmocka_unit_test(write_policies),
        cmocka_unit_test(stores_that_do_both),
        cmocka_unit_test(write_back),
        cmocka_unit_test(preload),
        cmocka_unit_test(atomics),
        cmocka_unit_test(limits),
        cmocka_unit_test(bypass),
        cmocka_unit_test(coalesced),
        cmocka_unit_test(port_time),
        cmocka_unit_test(frfcfs),
        cmocka_unit_test(pseudo_channels),
        cmocka_unit_test(store_cycles),
        cmocka_unit_test(atomics_by_sector),
        cmocka_unit_test(part_store),
        cmocka_unit_test(store_awaits_fill),
        cmocka_unit_test(partition_of_sm),
        cmocka_unit_test(age_cap),
        cmocka_unit_test(copies),
        cmocka_unit_test(passed_on),
        cmocka_unit_test(fetched_piece),
        cmocka_unit_test(dirty_ways),
        cmocka_unit_test(copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
