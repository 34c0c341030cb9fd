/*
 * Peak bandwidth of each level by formula, reached within 3% by streams; unloaded latency by formula, exactly
 * (tests/behave has the same formulas for single components, and the mesh's bisection).
 */
#include "memory_latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct stream {
    uint64_t n, stride, span, base_per_sm;
    uint8_t kind;
};

static bool next(void *ctx, uint32_t sm, uint64_t nth, struct shot *s)
{
    const struct stream *t = ctx;
    if (nth >= t->n)
        return false;
    s->addr = sm * t->base_per_sm + nth * t->stride % t->span;
    s->kind = t->kind;
    return true;
}

static uint64_t stream_cycles(struct memsys *m, const struct stream *t)
{
    for (uint32_t i = 0; i < m->c.n_sm; i++)
        memsys_source(m, i, next, (void *)(uintptr_t)t);
    return memsys_run(m);
}

/* `got` reaches `peak` within 3%, and does not exceed it. */
static void reaches(const char *what, double got, double peak)
{
    if (got > peak * 1.0001 || got < 0.97 * peak)
        fail_msg("%s: %.4f, peak %.4f (%.1f%%)", what, got, peak, 100 * got / peak);
}

static void l1_bandwidth(void **state)
{
    (void)state;
    struct memsys_config c = {MEMSYS_ONE, .config = ""};
    struct memsys *m = memsys_new(&c);
    struct stream t = {20000, 128, 4096, 0, REQ_READ}; /* 32 lines, again and again */
    uint64_t cycles = stream_cycles(m, &t);
    reaches("L1: line accesses per cycle", 20000.0 / (double)cycles, 1.0);
    memsys_free(m);
}

static void l2_bandwidth(void **state)
{
    (void)state;
    /* Eight SMs, four slices that hold everything; the reply network is wide. */
    struct memsys_config c = {.n_sm = 8,
                              .n_channel = 4,
                              .slices = 1,
                              MEMSYS_1GHZ,
                              .config =
                                  "[l1]\nsize = 1KiB\nset_hash = linear\nmiss_queue = 32\nmshrs = 256\nallocate = "
                                  "on-fill\n[noc]\nflit = 256\ninject_queue = 64\nvoq = yes\niterations = 4\n"};
    struct memsys *m = memsys_new(&c);
    l2_preload(m->l2, 4, 0, 128 * 1024, false);
    struct stream t = {8000, 128, 128 * 1024, 16 * 1024, REQ_READ};
    uint64_t cycles = stream_cycles(m, &t);
    double bytes = 128.0 * (double)memsys_stat(m, "l2.read_hits") / (double)cycles;
    reaches("L2: bytes per cycle", bytes, 4 * 32);
    memsys_free(m);
}

static void noc_bandwidth(void **state)
{
    (void)state;
    /* Replies of 136 bytes, five flits of 32: every SM's ejection link is full. Four slices of 128 bytes per cycle feed
     * three SMs. */
    struct memsys_config c = {
        .n_sm = 3,
        .n_channel = 6,
        .slices = 1,
        MEMSYS_1GHZ,
        .config =
            "[l1]\nsize = 1KiB\nset_hash = linear\nmiss_queue = 32\nmshrs = 256\nallocate = "
            "on-fill\n[noc]\ninject_queue = 16\nvoq = yes\niterations = 4\n[l2]\nport_bytes = 128\n"};
    struct memsys *m = memsys_new(&c);
    l2_preload(m->l2, 6, 0, 192 * 1024, false);
    struct stream t = {6000, 128, 192 * 1024, 64 * 1024, REQ_READ};
    uint64_t cycles = stream_cycles(m, &t);
    reaches("NoC: flits per cycle and SM", (double)memsys_stat(m, "noc.reply.flits_out") / 3.0 / (double)cycles, 1.0);
    memsys_free(m);
}

static void dram_bandwidth(void **state)
{
    (void)state;
    static const struct {
        const char *what, *config;
        uint64_t dram_khz;
        uint8_t kind;
    } cases[] = {
        {"GDDR5 reads", "", 924000, REQ_READ},
        {"GDDR5 reads, one per sector", "[l2]\nsplit_sectors = yes\n[dram]\nchips = 1\n", 924000, REQ_READ},
        {"HBM-like reads",
         "[dram]\nbus_bytes = 8\nchips = 1\nburst = 4\ndata_rate = 2\nccd = 2\nccdl = 4\nbanks = 16\nrrd = 4\n",
         1593000, REQ_READ},
        {"reads of pseudo channels",
         "[dram]\npseudo_channels = 4\nbus_bytes = 2\nchips = 1\nburst = 16\nbanks = 4\nbank_groups = 2\nccd = "
         "4\nccdl = 4\ndual_command = yes\n",
         924000, REQ_READ},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char config[600];
        snprintf(config, sizeof config,
                 "[l1]\nmshrs = 256\nmiss_queue = 32\nallocate = on-fill\n[noc]\nflit = 256\ninject_queue = 64\n"
                 "[l2]\nmshrs = 1024\nfill_queue = 512\nmiss_queue = 64\nport_bytes = 128\n[dram]\nqueue = 128\n%s",
                 cases[i].config);
        struct memsys_config c = {.n_sm = 8,
                                  .n_channel = 2,
                                  .slices = 2,
                                  .core_khz = 1400000,
                                  .noc_khz = 1400000,
                                  .l2_khz = 1400000,
                                  .dram_khz = cases[i].dram_khz,
                                  .config = config,
                                  .max_outstanding = 2048};
        struct memsys *m = memsys_new(&c);
        struct stream t = {6000, 128, 1 << 24, 6000 * 128, cases[i].kind};
        uint64_t cycles = stream_cycles(m, &t);
        const struct dram_config *d = m->dram_config.cfg;
        double peak = 2.0 * d->pseudo_channels * d->bus_bytes * d->chips * d->data_rate * (double)cases[i].dram_khz /
                      1400000.0; /* bytes per core cycle */
        double got = (double)memsys_stat(m, "dram.read_bytes") / (double)cycles;
        reaches(cases[i].what, got, peak);
        memsys_free(m);
    }
}

/* The same formulas at another clock ratio: core twice as fast as the rest. */
static void latency_two_clocks(void **state)
{
    (void)state;
    struct memsys_config c = {.n_sm = 1,
                              .n_channel = 1,
                              .slices = 1,
                              .core_khz = 1400000,
                              .noc_khz = 700000,
                              .l2_khz = 700000,
                              .dram_khz = 700000,
                              .config = "[l1]\nlatency = 28\ntag_latency = 10\n"};
    struct memsys *m = memsys_new(&c);
    l2_preload(m->l2, 1, 0x2000, 128, false);
    const struct shot shots[] = {{1, 0x2000}, {2000, 0x8000}, {5001, 0x2000}};
    struct landing at[3];
    memsys_script(m, 0, shots, 3, at);
    memsys_run(m);
    /* Core cycles: 10 to the tags, 1 to the injection port; then slow cycles, twice as long, from the next slow edge
     * on. */
    uint64_t leaves = at[0].sent + 10 + 1, slow = leaves / 2 + 1;
    slow += 4 - 1 + 1 - 1 + 120; /* request through the crossbar and the slice's latency */
    slow += 1 + 4 + 5 - 1 - 1;   /* reply: in, through, five flits; its last step is into the core's clock */
    assert_int_equal(at[0].back, slow * 2 + 1 + 1);
    assert_int_equal(at[2].back - at[2].sent, 28);
    /* DRAM: what lies between the slice's look-up and its reply, in slow cycles. Sent in an even cycle, it waits one
     * core cycle less for the slow edge. */
    assert_int_equal(at[1].back - at[1].sent, at[0].back - at[0].sent - 1 + 2 * dram_latency(m, 2));
    memsys_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(l1_bandwidth), cmocka_unit_test(l2_bandwidth),
                                       cmocka_unit_test(noc_bandwidth), cmocka_unit_test(dram_bandwidth),
                                       cmocka_unit_test(latency_two_clocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
