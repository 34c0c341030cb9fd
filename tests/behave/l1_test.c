/*
 * The L1 unit between a mock SM and the rest of the memory system: hits, misses, merges, every reservation failure,
 * write policies, bypass, atomics, sectors, the three caches; exact cycles.
 */
#include "memory_latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct memsys *one(const char *config)
{
    struct memsys_config c = {MEMSYS_ONE, .config = config};
    return memsys_new(&c);
}

#define SET_STRIDE (32 * 128) /* 32 sets, linear: the same set again */
#define LINEAR     "[l1]\nset_hash = linear\n"

static void hit_latency(void **state)
{
    (void)state;
    static const char *const configs[] = {"", "[l1]\nlatency = 28\ntag_latency = 5\n",
                                          "[l1]\nlatency = 2\ntag_latency = 1\n"};
    for (int i = 0; i < 3; i++) {
        struct memsys *m = one(configs[i]);
        const struct shot shots[] = {{1, 0x1000}, {2000, 0x1000}, {2001, 0x1000}};
        struct landing at[3];
        memsys_script(m, 0, shots, 3, at);
        memsys_run(m);
        assert_int_equal(at[1].back - at[1].sent, m->l1_config.cache[0]->latency);
        assert_int_equal(at[2].back - at[2].sent, m->l1_config.cache[0]->latency);
        assert_int_equal(at[1].sent, 2000);
        assert_int_equal(at[1].served, REQ_AT_L1);
        assert_int_equal(memsys_stat(m, "l1.hits"), 2);
        assert_int_equal(memsys_stat(m, "l1.misses"), 1);
        memsys_free(m);
    }
}

static void miss_latency(void **state)
{
    (void)state;
    struct memsys *m = one("");
    l2_preload(m->l2, 1, 0x2000, 128, false);
    const struct shot shots[] = {{1, 0x2000}, {5000, 0x8000}};
    struct landing at[2];
    memsys_script(m, 0, shots, 2, at);
    memsys_run(m);
    assert_int_equal(at[0].back - at[0].sent, l2_hit_latency(m, 136));
    assert_int_equal(at[0].served, REQ_AT_L2);
    assert_int_equal(at[1].back - at[1].sent, l2_hit_latency(m, 136) + dram_latency(m, 2));
    assert_int_equal(at[1].served, REQ_AT_DRAM);
    memsys_free(m);
}

static void merge(void **state)
{
    (void)state;
    struct memsys *m = one("");
    const struct shot shots[] = {{1, 0x2000}, {2, 0x2000}, {3, 0x2000}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    /* One fetch; the line comes to all, one per cycle. */
    assert_int_equal(memsys_stat(m, "l1.merges"), 2);
    assert_int_equal(memsys_stat(m, "l1.misses"), 1);
    assert_int_equal(memsys_stat(m, "l2.requests"), 1);
    assert_int_equal(at[1].back, at[0].back + 1);
    assert_int_equal(at[2].back, at[0].back + 2);
    assert_int_equal(at[1].served, REQ_AT_L1_MERGE);
    memsys_free(m);
}

/* The access that cannot be taken is tried from its arrival at the tags to the cycle in which the first line comes. */
static void fails_until_fill(const char *config, const struct shot *shots, unsigned n, const char *counter)
{
    struct memsys *m = one(config);
    struct landing at[8];
    memsys_script(m, 0, shots, n, at);
    memsys_run(m);
    uint64_t tags = at[n - 1].sent + m->l1_config.cache[0]->tag_latency, fill = at[0].back - 1;
    static const char *const all[] = {"no_way", "no_mshr", "no_merge_slot", "miss_queue_full"};
    for (int i = 0; i < 4; i++) {
        char cycles[48], first[48];
        snprintf(cycles, sizeof cycles, "l1.stall_cycles.%s", all[i]);
        snprintf(first, sizeof first, "l1.stalled_requests.%s", all[i]);
        bool this = strcmp(all[i], counter) == 0;
        assert_int_equal(memsys_stat(m, cycles), this ? fill - tags : 0);
        assert_int_equal(memsys_stat(m, first), this ? 1 : 0);
    }
    memsys_free(m);
}

static void reservation_line(void **state)
{
    (void)state;
    const struct shot shots[] = {
        {1, 0}, {2, SET_STRIDE}, {3, 2 * SET_STRIDE}, {4, 3 * SET_STRIDE}, {5, 4 * SET_STRIDE}};
    fails_until_fill(LINEAR, shots, 5, "no_way");
}
static void reservation_mshr(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}, {2, 0x1080}, {3, 0x2100}};
    fails_until_fill(LINEAR "mshrs = 2\n", shots, 3, "no_mshr");
}
static void reservation_merge(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0x80}, {2, 0x80}, {3, 0x80}};
    fails_until_fill(LINEAR "max_merges = 2\n", shots, 3, "no_merge_slot");
}

static void reservation_queue(void **state)
{
    (void)state;
    /* Stores of 136 bytes leave the SM every fifth cycle; they come every cycle. Injection takes 1, the queue 2. */
    struct memsys *m = one("[l1]\nmiss_queue = 2\n[noc]\ninject_queue = 1\n");
    struct shot shots[6];
    struct landing at[6];
    for (unsigned i = 0; i < 6; i++)
        shots[i] = (struct shot){1 + i, i * 128, .kind = REQ_WRITE};
    memsys_script(m, 0, shots, 6, at);
    memsys_run(m);
    assert_true(memsys_stat(m, "l1.stall_cycles.miss_queue_full") > 0);
    assert_int_equal(memsys_stat(m, "l1.stall_cycles.no_mshr") + memsys_stat(m, "l1.stall_cycles.no_way") +
                         memsys_stat(m, "l1.stall_cycles.no_merge_slot"),
                     0);
    /* The last of six packets of five flits: 25 cycles after the first, whatever waits where. */
    assert_int_equal(at[5].back - at[0].back, 25);
    memsys_free(m);
    m = one("[l1]\nmiss_queue = 8\n");
    memsys_script(m, 0, shots, 6, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.stall_cycles.miss_queue_full"), 0);
    memsys_free(m);
}

static void write_policies(void **state)
{
    (void)state;
    /* load, store, load of one line */
    const struct shot global[] = {{1, 0x4000}, {2000, 0x4000, REQ_WRITE}, {4000, 0x4000}};
    struct shot local[] = {{1, 0x4000, REQ_READ, REQ_SP_LOCAL},
                           {2000, 0x4000, REQ_WRITE, REQ_SP_LOCAL},
                           {4000, 0x4000, REQ_READ, REQ_SP_LOCAL}};
    static const struct {
        const char *config;
        bool local;
        unsigned hits, misses, dropped, l2_writes;
    } cases[] = {
        {"[l1]\nwrite_global = evict\n", false, 1, 2, 1, 1}, {"[l1]\nwrite_global = through\n", false, 2, 1, 0, 1},
        {"[l1]\nwrite_global = back\n", false, 2, 1, 0, 0},  {"", true, 2, 1, 0, 0},
        {"[l1]\nwrite_local = evict\n", true, 1, 2, 1, 1},
    };
    for (unsigned i = 0; i < 5; i++) {
        struct memsys *m = one(cases[i].config);
        struct landing at[3];
        memsys_script(m, 0, cases[i].local ? local : global, 3, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l1.hits"), cases[i].hits);
        assert_int_equal(memsys_stat(m, "l1.misses"), cases[i].misses);
        assert_int_equal(memsys_stat(m, "l1.invalidations"), cases[i].dropped);
        assert_int_equal(memsys_stat(m, "l2.write_hits") + memsys_stat(m, "l2.write_misses"), cases[i].l2_writes);
        if (cases[i].l2_writes) /* a packet with the data there, an acknowledgment back */
            assert_int_equal(at[1].back - at[1].sent, to_l2(m, 136) + from_l2(m, 8));
        else
            assert_int_equal(at[1].back - at[1].sent, m->l1_config.cache[0]->latency);
        memsys_free(m);
    }
}

/* l1.store_lines: stores of parts of a line wait for each other, and one packet takes them to the L2. */
static void stores_wait_for_others(void **state)
{
    (void)state;
    const char *config = "[l1]\nstore_lines = 2\nstore_wait = 40\nstore_whole_sectors = yes\n";
    const struct shot alone = {100, 0x4000, REQ_WRITE, .sectors = 1, .words = 0x0f};
    struct landing at[8];
    struct memsys *m = one("[l1]\nstore_whole_sectors = yes\n");
    memsys_script(m, 0, &alone, 1, at);
    memsys_run(m);
    const uint64_t trip = at[0].back - at[0].sent;
    memsys_free(m);
    /* It waits for 40 cycles without a store: 39 later one joins, 40 later one is too late. */
    const struct shot joins[] = {alone,
                                 {139, 0x4000, REQ_WRITE, .sectors = 1, .words = 0xf0},
                                 {179, 0x4000, REQ_WRITE, .sectors = 2, .words = 0xf00}};
    for (unsigned n = 1; n <= 3; n++) {
        m = one(config);
        memsys_script(m, 0, joins, n, at);
        memsys_run(m);
        assert_int_equal(at[0].back - at[0].sent, trip + (n == 1 ? 40 : 79));
        assert_int_equal(memsys_stat(m, "l2.requests"), n == 3 ? 2 : 1);
        assert_int_equal(memsys_stat(m, "l2.write_sectors"), n == 3 ? 2 : 1);
        if (n > 1)
            assert_in_range(at[1].back, at[0].back, at[0].back + 1);
        if (n == 3)
            assert_int_equal(at[2].back - at[2].sent, trip + 40);
        memsys_free(m);
    }
    /* A line that is complete leaves at once. */
    const struct shot full[] = {{100, 0x4000, REQ_WRITE, .sectors = 3}, {110, 0x4000, REQ_WRITE, .sectors = 12}};
    m = one(config);
    memsys_script(m, 0, full, 2, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.requests"), 1);
    assert_int_equal(memsys_stat(m, "l2.write_sectors"), 4);
    assert_in_range(at[0].back - at[1].sent, trip, trip + 4); /* a longer packet */
    memsys_free(m);
    /* So does one since which two others have been stored to, and a store of a whole line, which counts as one of these. */
    const struct shot four[] = {{100, 0x4000, REQ_WRITE, .sectors = 1},
                                {101, 0x8000, REQ_WRITE, .sectors = 1},
                                {110, 0xc000, REQ_WRITE, .sectors = 1},
                                {111, 0x10000, REQ_WRITE}};
    m = one(config);
    memsys_script(m, 0, four, 4, at);
    memsys_run(m);
    assert_int_equal(at[0].back - at[0].sent, trip + 10);
    assert_in_range(at[3].back - at[3].sent, trip, trip + 4);
    assert_in_range(at[1].back, at[3].back + 1, at[3].back + 4);
    assert_in_range(at[2].back, 111 + trip + 40, 111 + trip + 44);
    assert_int_equal(memsys_stat(m, "l2.requests"), 4);
    memsys_free(m);
}

/* The same words again join as others do, also of volatile stores, while fewer than l1.store_lines go elsewhere. */
static void stores_of_the_same_words(void **state)
{
    (void)state;
    struct shot shots[9];
    struct landing at[9];
    for (unsigned others = 1; others <= 2; others++) {
        unsigned n = 0;
        for (unsigned turn = 0; turn < 3; turn++)
            for (unsigned k = 0; k <= others; k++, n++)
                shots[n] = (struct shot){100 + 2 * n, 0x4000 + 0x4000 * (k ? turn + k * 3 : 0),
                                         REQ_WRITE,   .sectors = 1,
                                         .words = 1,  .flags = k ? 0 : REQ_F_BYPASS};
        struct memsys *m = one("[l1]\nstore_lines = 2\nstore_wait = 40\nstore_whole_sectors = yes\n");
        memsys_script(m, 0, shots, n, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l2.requests"), others == 1 ? 4 : 9);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(at[i].served, REQ_AT_L2);
        memsys_free(m);
    }
    /* Without a pause they join without end. */
    for (unsigned i = 0; i < 9; i++)
        shots[i] = (struct shot){100 + 39 * i, 0x4000, REQ_WRITE, .sectors = 1, .words = 1};
    struct memsys *m = one("[l1]\nstore_lines = 2\nstore_wait = 40\nstore_whole_sectors = yes\n");
    memsys_script(m, 0, shots, 9, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l2.requests"), 1);
    memsys_free(m);
}

/* With write_global = allocate what was written can be read here, word by word, and stores replace lines. */
static void stores_that_take_lines(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0x4000, REQ_WRITE, .sectors = 1, .words = 0x03},
                                 {2000, 0x4000, .sectors = 1, .words = 0x01}, /* written: here */
                                 {4000, 0x4000, .sectors = 1, .words = 0x06}, /* one word of it was not */
                                 {6000, 0x4000, .sectors = 1},                /* the sector has come */
                                 {8000, 0x4000, REQ_WRITE, .sectors = 2},
                                 {9000, 0x4000, .sectors = 2}, /* a whole sector */
                                 {10000, 0x4000, .sectors = 4}};
    struct memsys *m = one("[l1]\nwrite_global = allocate\nfill = sector\nstore_whole_sectors = yes\n");
    struct landing at[7];
    memsys_script(m, 0, shots, 7, at);
    memsys_run(m);
    const uint64_t hit = m->l1_config.cache[0]->latency;
    assert_int_equal(at[0].back - at[0].sent, to_l2(m, 40) + from_l2(m, 8)); /* eight bytes travel as a sector */
    assert_int_equal(at[1].back - at[1].sent, hit);
    assert_true(at[2].back - at[2].sent > hit);
    assert_int_equal(at[3].back - at[3].sent, hit);
    assert_int_equal(at[5].back - at[5].sent, hit);
    assert_true(at[6].back - at[6].sent > hit);
    assert_int_equal(memsys_stat(m, "l1.store_misses"), 1);
    assert_int_equal(memsys_stat(m, "l1.store_hits"), 1);
    assert_int_equal(memsys_stat(m, "l1.load_hits"), 3);
    assert_int_equal(memsys_stat(m, "l1.sector_misses"), 2);
    assert_int_equal(memsys_stat(m, "l1.global_sectors"), 5);
    assert_int_equal(memsys_stat(m, "l1.global_sector_hits"), 3);
    memsys_free(m);

    /* Four ways: the fourth store after a load replaces its line. */
    struct shot walk[6] = {{1, 0}};
    for (unsigned i = 1; i < 5; i++)
        walk[i] = (struct shot){1000 * i, i * SET_STRIDE, REQ_WRITE};
    walk[5] = (struct shot){6000, 0};
    for (unsigned allocate = 0; allocate < 2; allocate++) {
        m = one(allocate ? LINEAR "write_global = allocate\n" : LINEAR "write_global = through\n");
        memsys_script(m, 0, walk, 6, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l1.load_hits"), !allocate);
        assert_int_equal(memsys_stat(m, "l1.evictions"), 2 * allocate);
        memsys_free(m);
    }
}

/* Shared memory takes whole ways out of the array. */
static void carve_out_takes_ways(void **state)
{
    (void)state;
    static const struct {
        unsigned ways, hits;
    } cases[] = {{0, 2}, {2, 2}, {3, 0}, {9, 0}}; /* of four; the last stays in any case */
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shot shots[4];
        struct landing at[4];
        for (unsigned k = 0; k < 4; k++)
            shots[k] = (struct shot){1 + 1000 * k, k % 2 * SET_STRIDE};
        struct memsys *m = one(LINEAR);
        l1_carve_out(m->l1[0], cases[i].ways * SET_STRIDE);
        memsys_script(m, 0, shots, 4, at);
        memsys_run(m);
        assert_int_equal(memsys_stat(m, "l1.load_hits"), cases[i].hits);
        memsys_free(m);
    }
}

static void dirty_eviction(void **state)
{
    (void)state;
    struct memsys *m = one(LINEAR);
    struct shot shots[7];
    struct landing at[7];
    shots[0] = (struct shot){1, 0, REQ_READ, REQ_SP_LOCAL};
    shots[1] = (struct shot){1000, 0, REQ_WRITE, REQ_SP_LOCAL};
    for (unsigned i = 2; i < 7; i++)
        shots[i] = (struct shot){1000 * i, (i - 1) * SET_STRIDE};
    memsys_script(m, 0, shots, 7, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.evictions"), 2); /* the dirty line, then the oldest clean one */
    assert_int_equal(memsys_stat(m, "l1.write_backs"), 1);
    assert_int_equal(memsys_stat(m, "l2.write_hits"), 1); /* it was fetched through the L2 */
    memsys_free(m);
}

static void bypass_and_atomics(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0x4000, .flags = REQ_F_BYPASS, .sectors = 1},
                                 {2, 0x4000, .flags = REQ_F_BYPASS, .sectors = 1},
                                 {2000, 0x4000},
                                 {4000, 0x4000, REQ_ATOMIC, .sectors = 1},
                                 {6000, 0x4000, REQ_RED, .sectors = 2},
                                 {8000, 0x4000}};
    struct memsys *m = one("");
    struct landing at[6];
    memsys_script(m, 0, shots, 6, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.bypasses"), 2);
    assert_int_equal(memsys_stat(m, "l1.atomics"), 2);
    assert_int_equal(memsys_stat(m, "l1.misses"), 2); /* the atomic dropped the line */
    assert_int_equal(memsys_stat(m, "l1.invalidations"), 1);
    assert_int_equal(memsys_stat(m, "l2.requests"), 6);
    assert_int_equal(memsys_stat(m, "l2.atomics"), 2);
    /* An atomic carries its 32 bytes there and the old values back; a reduction only an acknowledgment. */
    assert_int_equal(at[3].back - at[3].sent, to_l2(m, 40) + from_l2(m, 40));
    assert_int_equal(at[4].back - at[4].sent, to_l2(m, 40) + from_l2(m, 8));
    /* A bypassing load asks for the touched sector only. */
    assert_int_equal(memsys_stat(m, "dram.read_bytes"), 32 + 96);
    memsys_free(m);
}

static void sectors(void **state)
{
    (void)state;
    struct memsys *m = one("[l1]\nfill = sector\n");
    l2_preload(m->l2, 1, 0x4000, 128, false);
    const struct shot shots[] = {{1, 0x4000, .sectors = 1},     {2000, 0x4000, .sectors = 2},
                                 {4000, 0x4000, .sectors = 3},  {6000, 0x4000, .sectors = 4},
                                 {6001, 0x4000, .sectors = 12}, {6002, 0x4000, .sectors = 1}};
    struct landing at[6];
    memsys_script(m, 0, shots, 6, at);
    memsys_run(m);
    assert_int_equal(at[0].back - at[0].sent, l2_hit_latency(m, 40));
    assert_int_equal(memsys_stat(m, "l1.hits"), 2); /* the third, and the last: its sector is there */
    assert_int_equal(memsys_stat(m, "l1.misses"), 4);
    assert_int_equal(memsys_stat(m, "l1.sector_misses"),
                     3); /* the second and the fourth; the fifth merged for one sector and fetched another */
    assert_int_equal(memsys_stat(m, "l1.merges"), 0);
    assert_int_equal(at[5].back, 6002 + m->l1_config.cache[0]->latency);
    memsys_free(m);
}

static void three_caches(void **state)
{
    (void)state;
    struct memsys *m = one("");
    const struct shot shots[] = {
        {1, 0x4000, REQ_READ, REQ_SP_CONST},    {1, 0x4000, REQ_READ, REQ_SP_TEX},    {1, 0x4000},
        {5000, 0x4000, REQ_READ, REQ_SP_CONST}, {5001, 0x4000, REQ_READ, REQ_SP_TEX}, {5002, 0x4000}};
    struct landing at[6];
    memsys_script(m, 0, shots, 6, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "const.hits"), 1);
    assert_int_equal(memsys_stat(m, "tex.hits"), 1);
    assert_int_equal(memsys_stat(m, "l1.hits"), 1);
    assert_int_equal(at[3].back - at[3].sent, m->l1_config.cache[L1_CONST]->latency);
    assert_int_equal(at[4].back - at[4].sent, m->l1_config.cache[L1_TEX]->latency);
    memsys_free(m);
}

static void flush(void **state)
{
    (void)state;
    struct memsys *m = one("");
    const struct shot shots[] = {{1, 0x4000}, {2, 0x8000}, {20000, 0x4000}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    engine_run(m->eng, 10000);
    l1_kernel_end(m->l1[0]);
    l1_kernel_begin(m->l1[0], 1);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.flushed"), 2);
    assert_int_equal(memsys_stat(m, "l1.misses"), 3);
    assert_int_equal(memsys_stat(m, "l2.read_hits"), 1);
    memsys_free(m);
}

static void banks_and_ports(void **state)
{
    (void)state;
    /* Two accesses per cycle, to different banks only. */
    struct memsys *m = one("[l1]\nports = 2\nbanks = 2\n");
    m->sm[0].per_cycle = 2;
    const struct shot shots[] = {{1, 0x4000},    {1, 0x4080},    {5000, 0x4000},
                                 {5000, 0x4080}, {6000, 0x4000}, {6000, 0x4000}};
    struct landing at[6];
    memsys_script(m, 0, shots, 6, at);
    memsys_run(m);
    assert_int_equal(at[2].back, at[3].back);
    assert_int_equal(at[5].back, at[4].back + 1);
    memsys_free(m);
}

static void allocate_on_fill(void **state)
{
    (void)state;
    /* Five misses of one set in flight at once: nothing is reserved, so nothing fails. */
    struct memsys *m = one(LINEAR "allocate = on-fill\n");
    struct shot shots[5];
    struct landing at[5];
    for (unsigned i = 0; i < 5; i++)
        shots[i] = (struct shot){1 + i, i * SET_STRIDE};
    memsys_script(m, 0, shots, 5, at);
    memsys_run(m);
    assert_int_equal(memsys_stat(m, "l1.stall_cycles.no_way"), 0);
    assert_int_equal(memsys_stat(m, "l1.misses"), 5);
    assert_int_equal(memsys_stat(m, "l1.evictions"), 1);
    memsys_free(m);
}

static void lru_order(void **state)
{
    (void)state;
    /* Four ways filled, the first touched again; the fifth line replaces the second. */
    struct memsys *m = one(LINEAR);
    struct shot shots[8];
    struct landing at[8];
    for (unsigned i = 0; i < 4; i++)
        shots[i] = (struct shot){1 + 1000 * i, i * SET_STRIDE};
    shots[4] = (struct shot){5000, 0};
    shots[5] = (struct shot){6000, 4 * SET_STRIDE};
    shots[6] = (struct shot){7000, 0};
    shots[7] = (struct shot){8000, SET_STRIDE};
    memsys_script(m, 0, shots, 8, at);
    memsys_run(m);
    assert_int_equal(at[6].served, REQ_AT_L1);
    assert_int_not_equal(at[7].served, REQ_AT_L1);
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hit_latency),
        cmocka_unit_test(miss_latency),
        cmocka_unit_test(merge),
        cmocka_unit_test(reservation_line),
        cmocka_unit_test(reservation_mshr),
        cmocka_unit_test(reservation_merge),
        cmocka_unit_test(reservation_queue),
        cmocka_unit_test(write_policies),
        cmocka_unit_test(stores_wait_for_others),
        cmocka_unit_test(stores_of_the_same_words),
        cmocka_unit_test(stores_that_take_lines),
        cmocka_unit_test(carve_out_takes_ways),
        cmocka_unit_test(dirty_eviction),
        cmocka_unit_test(bypass_and_atomics),
        cmocka_unit_test(sectors),
        cmocka_unit_test(three_caches),
        cmocka_unit_test(flush),
        cmocka_unit_test(banks_and_ports),
        cmocka_unit_test(allocate_on_fill),
        cmocka_unit_test(lru_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
