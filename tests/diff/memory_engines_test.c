/*
 * Random traffic through L1s, networks, L2s and DRAM: the engine that sleeps and jumps and the engine that ticks
 * everything must end with the same counters, every one of them, for several machines; and so must an engine that ticks
 * the components of an instant in the opposite order.
 */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct traffic {
    uint64_t seed, n, lines;
};

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33, x *= 0xff51afd7ed558ccdull, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53ull, x ^= x >> 33;
    return x;
}

static bool random_shot(void *ctx, uint32_t sm, uint64_t nth, struct shot *s)
{
    const struct traffic *t = ctx;
    if (nth >= t->n)
        return false;
    uint64_t h = mix(t->seed + sm * 1000003ull + nth), k = h >> 40 & 63;
    s->addr = (h % t->lines) * 128;
    s->kind = k < 44 ? REQ_READ : k < 58 ? REQ_WRITE : k < 61 ? REQ_ATOMIC : REQ_RED;
    s->sectors = (uint8_t)(1 + (h >> 32 & 14));
    s->warp = (uint16_t)(h >> 20 & 31);
    s->space = k == 40 ? REQ_SP_CONST : k == 41 ? REQ_SP_TEX : k == 42 || k == 57 ? REQ_SP_LOCAL : 0;
    s->flags = k == 43 ? REQ_F_BYPASS : 0;
    /* Bursts and pauses, so that there is something to jump over. */
    s->at = (nth / 97) * (200 + (t->seed & 1023)) + (h >> 50 & 15);
    return true;
}

/* Core, networks, L2 and DRAM: of a GTX480, with edges that seldom meet, and in round numbers. */
#define FERMI_CLOCKS .core_khz = 1400000, .noc_khz = 700000, .l2_khz = 700000, .dram_khz = 924000
#define ODD_CLOCKS   .core_khz = 1980000, .noc_khz = 1755000, .l2_khz = 1755000, .dram_khz = 1593000
#define GPGPUSIM_32                                                                                                    \
    "[l2]\nsectored = no\nwrite_miss = around_fetch\nfill_bytes = 32\nwrite_back_port = yes\nmiss_reserve = "          \
    "yes\nmiss_rate = 1\n"                                                                                             \
    "look_up_room = yes\nmiss_queue = 4\n[dram]\nqueue_holds = waiting\ncommands = rotate\nlatency_at = request\n"     \
    "bank_groups = 2\ngroup_by = high\n"
#define ROUND_CLOCKS .core_khz = 1000000, .noc_khz = 500000, .l2_khz = 500000, .dram_khz = 900000
static const struct machine {
    const char *name;
    struct memsys_config c;
} machines[] = {
    {"gtx480-like, split sectors",
     {.n_sm = 15,
      .n_channel = 6,
      .slices = 2,
      FERMI_CLOCKS,
      .config = "[l2]\nsplit_sectors = yes\nmshrs = 256\n[noc]\nflit = 40\n"}},
    {"one clock, lines",
     {.n_sm = 4,
      .n_channel = 2,
      .slices = 1,
      .core_khz = 700000,
      .noc_khz = 700000,
      .l2_khz = 700000,
      .dram_khz = 700000,
      .config = "[l2]\nsectored = no\nwrite_miss = fetch\n[l1]\nwrite_global = through\nallocate = on-fill\n"}},
    {"GPGPU-Sim 3.2's rules",
     {.n_sm = 8, .n_channel = 4, .slices = 2, FERMI_CLOCKS, .config = GPGPUSIM_32 "queue = 16\nin_flight = 133\n"}},
    {"GPGPU-Sim 3.2's rules, small everything",
     {.n_sm = 6,
      .n_channel = 1,
      .slices = 2,
      ODD_CLOCKS,
      .config =
          "[l1]\nmshrs = 2\nmax_merges = 2\nmiss_queue = 2\n[noc]\ninject_queue = 1\n[l2]\nmshrs = 2\nmax_merges = 1\n"
          "ingress_queue = 1\nlatency = 3\ndram_queue = 1\nfill_queue = 2\nsize = 2KiB\nassoc = 2\n" GPGPUSIM_32
          "queue = 2\nin_flight = 3\n"}},
    {"GPGPU-Sim 3.2's rules, two partitions",
     {.n_sm = 6,
      .n_channel = 2,
      .slices = 1,
      ROUND_CLOCKS,
      .config = "[l2]\npartitions = 2\npartition_link_latency = 20\n" GPGPUSIM_32 "queue = 4\nin_flight = 9\n"}},
    {"mesh",
     {.n_sm = 28,
      .n_channel = 8,
      .slices = 1,
      FERMI_CLOCKS,
      .config = "[noc]\ntopology = mesh\nmemory_nodes = 3 7 10 12 23 25 28 32\n[l1]\nmshrs = 8\nmax_merges = 2\n"}},
    {"butterfly",
     {.n_sm = 28,
      .n_channel = 8,
      .slices = 1,
      FERMI_CLOCKS,
      .config =
          "[noc]\ntopology = butterfly\nradix = 6\nvcs = 2\n[l2]\nmshrs = 4\nmax_merges = 2\nwrite_miss = around\n"}},
    {"sectored L1, odd clocks",
     {.n_sm = 8,
      .n_channel = 4,
      .slices = 2,
      ODD_CLOCKS,
      .config =
          "[l1]\nfill = sector\nset_hash = xor\nsize = 32KiB\n[noc]\nvoq = yes\niterations = 3\ninject_queue = "
          "2\n[l2]\natomic_interval = 4\natomic_latency = 9\nbypass_on_stall = yes\nmshrs = 8\nline_metadata = yes\n"}},
    {"small everything",
     {.n_sm = 6,
      .n_channel = 1,
      .slices = 2,
      ROUND_CLOCKS,
      .config = "[l1]\nmshrs = 2\nmax_merges = 2\nmiss_queue = 2\n[l2]\nmshrs = 2\nmax_merges = 1\nmiss_queue = "
                "2\ningress_queue = "
                "1\nlatency = 3\n"
                "dram_queue = 1\nfill_queue = 2\n[noc]\ninject_queue = 1\n[dram]\nqueue = 2\n",
      .max_outstanding = 3}},
    {"two partitions",
     {.n_sm = 8,
      .n_channel = 4,
      .slices = 2,
      ODD_CLOCKS,
      .config = "[l1]\nfill = sector\n[l2]\npartitions = 2\npartition_link_latency = 20\npartition_link_bytes = "
                "16\natomic_interval = 4\n"
                "bypass_on_stall = yes\nmshrs = 8\nline_metadata = yes\n"}},
    {"two partitions, small everything",
     {.n_sm = 6,
      .n_channel = 2,
      .slices = 1,
      ROUND_CLOCKS,
      .config =
          "[l1]\nmshrs = 2\nmax_merges = 2\nmiss_queue = 2\n[l2]\npartitions = 2\npartition_link_latency = "
          "2\npartition_link_bytes = 4\n"
          "mshrs = 2\nmax_merges = 1\nmiss_queue = 2\ningress_queue = 1\nlatency = 3\ndram_queue = 1\nfill_queue = 2\n"
          "size = 2KiB\nassoc = 2\n[noc]\ninject_queue = 1\n[dram]\nqueue = 2\n"}},
    {"two partitions of four sets each, more fetches than ways",
     {.n_sm = 6,
      .n_channel = 2,
      .slices = 1,
      ROUND_CLOCKS,
      .config = "[l2]\npartitions = 2\npartition_link_latency = 2\nmshrs = 16\nsize = 1KiB\nassoc = 2\n"}},
    /* A request of the other partition is refused for the miss queue again and again, and nothing else happens. */
    {"two partitions, slow DRAM behind short queues",
     {.n_sm = 6,
      .n_channel = 2,
      .slices = 1,
      FERMI_CLOCKS,
      .config = "[l2]\npartitions = 2\nmiss_queue = 3\ndram_queue = 1\n[dram]\nqueue = 2\nbus_bytes = 1\nchips = 1\n"}},
    /* Fetches of copies that took all MSHRs of both would wait for each other. */
    {"two partitions, split sectors",
     {.n_sm = 6,
      .n_channel = 2,
      .slices = 1,
      ROUND_CLOCKS,
      .config = "[l2]\npartitions = 2\nsplit_sectors = yes\nmshrs = 8\nsize = 1KiB\nassoc = 2\npartition_link_latency "
                "= 80\n"}},
};

static void same_counters(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct traffic t = {seed * 7919, 600, seed == 1 ? 400 : seed == 2 ? 20000 : 1u << 22};
            struct memsys_config c = machines[i].c;
            struct memsys *skip = memsys_new(&c);
            c.tick_all = true;
            struct memsys *tick = memsys_new(&c);
            for (uint32_t s = 0; s < c.n_sm; s++) {
                memsys_source(skip, s, random_shot, &t);
                memsys_source(tick, s, random_shot, &t);
            }
            uint64_t a = memsys_run(skip), b = memsys_run(tick);
            if (a != b)
                fail_msg("%s, seed %lu: %lu cycles skipping, %lu ticking", machines[i].name, (unsigned long)seed,
                         (unsigned long)a, (unsigned long)b);
            for (unsigned k = 0; k < stats_count(skip->stats); k++)
                if (skip->values[k] != tick->values[k])
                    fail_msg("%s, seed %lu: %s is %lu skipping, %lu ticking", machines[i].name, (unsigned long)seed,
                             stats_name(skip->stats, k)->name, (unsigned long)skip->values[k],
                             (unsigned long)tick->values[k]);
            assert_true(engine_ticks(skip->eng) < engine_ticks(tick->eng));
            memsys_free(tick);
            c.tick_all = false;
            c.reverse = true;
            struct memsys *reverse = memsys_new(&c);
            for (uint32_t s = 0; s < c.n_sm; s++)
                memsys_source(reverse, s, random_shot, &t);
            assert_int_equal(memsys_run(reverse), a);
            assert_memory_equal(reverse->values, skip->values, stats_count(skip->stats) * sizeof *skip->values);
            memsys_free(reverse);
            c.reverse = false;
            c.threads = 2 + (uint32_t)seed % 2;
            struct memsys *threads = memsys_new(&c);
            for (uint32_t s = 0; s < c.n_sm; s++)
                memsys_source(threads, s, random_shot, &t);
            assert_int_equal(memsys_run(threads), a);
            assert_memory_equal(threads->values, skip->values, stats_count(skip->stats) * sizeof *skip->values);
            memsys_free(threads);
            memsys_free(skip);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_counters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
