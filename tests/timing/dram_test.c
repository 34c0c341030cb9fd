/*
 * DRAM timing: for every parameter, the command it binds is illegal at t - 1 and legal at t; and over random command
 * sequences the fast bookkeeping agrees with a plain list of rules applied to the whole history.
 */
#include "dram/bank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* 16 banks in 4 groups; bursts of 2 cycles. Every value different, so that a mixed-up parameter shows. */
static const struct dram_config base = {.bus_bytes = 4,
                                        .chips = 2,
                                        .burst = 8,
                                        .data_rate = 4,
                                        .banks = 16,
                                        .bank_groups = 4,
                                        .group_by = DRAM_GROUP_HIGH,
                                        .queue = 16,
                                        .ccd = 2,
                                        .ccdl = 3,
                                        .rrd = 6,
                                        .rcd = 13,
                                        .rcdwr = 8,
                                        .ras = 29,
                                        .rp = 11,
                                        .rc = 43,
                                        .cl = 12,
                                        .wl = 4,
                                        .cdlr = 5,
                                        .wr = 14,
                                        .rtpl = 7,
                                        .faw = 0,
                                        .rtw = 2};
enum { BEAT = 2, T0 = 1000 };

/* Issues `first` to bank a at T0 and asks from when `then` is legal at bank b. */
static uint64_t gap(struct dram_timing *t, uint32_t a, enum dram_cmd first, uint32_t b, enum dram_cmd then)
{
    dram_issue(t, a, first, 7, T0);
    return dram_legal_at(t, b, then) - T0;
}

static void each_parameter(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint32_t a, b;
        enum dram_cmd first, then;
        uint64_t cycles;
    } rules[] = {
        {"tRCD", 0, 0, DRAM_ACT, DRAM_READ, 13},
        {"tRCDWR", 0, 0, DRAM_ACT, DRAM_WRITE, 8},
        {"tRAS", 0, 0, DRAM_ACT, DRAM_PRE, 29},
        {"tRC", 0, 0, DRAM_ACT, DRAM_ACT, 43},
        {"tRRD", 0, 5, DRAM_ACT, DRAM_ACT, 6},
        {"tRP", 0, 0, DRAM_PRE, DRAM_ACT, 11},
        {"tCCDS read", 0, 4, DRAM_READ, DRAM_READ, 2},
        {"tCCDL read", 0, 1, DRAM_READ, DRAM_READ, 3},
        {"tCCDL read, same bank", 0, 0, DRAM_READ, DRAM_READ, 3},
        {"tCCDS write", 0, 4, DRAM_WRITE, DRAM_WRITE, 2},
        {"tCCDL write", 0, 1, DRAM_WRITE, DRAM_WRITE, 3},
        {"tRTPL", 0, 0, DRAM_READ, DRAM_PRE, 7},
        {"tWR", 0, 0, DRAM_WRITE, DRAM_PRE, 4 + BEAT + 14},
        {"tCDLR", 0, 9, DRAM_WRITE, DRAM_READ, 4 + BEAT + 5},
        {"read to write", 0, 9, DRAM_READ, DRAM_WRITE, 12 + BEAT + 2 - 4},
    };
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct dram_timing t;
        dram_timing_init(&t, &base);
        uint64_t got = gap(&t, rules[i].a, rules[i].first, rules[i].b, rules[i].then);
        if (got != rules[i].cycles)
            fail_msg("%s: %lu cycles, expected %lu", rules[i].what, (unsigned long)got, (unsigned long)rules[i].cycles);
        /* Illegal one cycle before; what does not concern the other command stays free. */
        assert_true(dram_legal_at(&t, rules[i].b, rules[i].then) > T0 + rules[i].cycles - 1);
    }
    /* Banks that share nothing but the channel. */
    struct dram_timing t;
    dram_timing_init(&t, &base);
    dram_issue(&t, 0, DRAM_ACT, 1, T0);
    assert_true(dram_legal_at(&t, 9, DRAM_READ) <= T0);
    assert_true(dram_legal_at(&t, 9, DRAM_PRE) <= T0);
}

/* Which banks share a group: neighbors, or every fourth. */
static void groups(void **state)
{
    (void)state;
    for (int low = 0; low < 2; low++) {
        struct dram_config cfg = base;
        cfg.group_by = low ? DRAM_GROUP_LOW : DRAM_GROUP_HIGH;
        struct dram_timing t;
        dram_timing_init(&t, &cfg);
        dram_issue(&t, 0, DRAM_READ, 7, T0);
        assert_int_equal(dram_legal_at(&t, 1, DRAM_READ) - T0, low ? 2 : 3);
        assert_int_equal(dram_legal_at(&t, 4, DRAM_READ) - T0, low ? 3 : 2);
    }
}

static void four_activates(void **state)
{
    (void)state;
    struct dram_config cfg = base;
    cfg.faw = 40;
    struct dram_timing t;
    dram_timing_init(&t, &cfg);
    for (uint32_t i = 0; i < 4; i++)
        dram_issue(&t, i, DRAM_ACT, 1, T0 + 6 * i);
    assert_int_equal(dram_legal_at(&t, 8, DRAM_ACT), T0 + 40);
    dram_issue(&t, 8, DRAM_ACT, 1, T0 + 40);
    assert_int_equal(dram_legal_at(&t, 9, DRAM_ACT), T0 + 46); /* the window now starts at the second, and tRRD */
    dram_timing_init(&t, &base);
    for (uint32_t i = 0; i < 4; i++)
        dram_issue(&t, i, DRAM_ACT, 1, T0 + 6 * i);
    assert_int_equal(dram_legal_at(&t, 8, DRAM_ACT), T0 + 24);
}

/* ---- the rules once more, without any cleverness ---- */
struct issued {
    enum dram_cmd cmd;
    uint32_t bank;
    uint64_t at;
};

static uint64_t rule(const struct dram_config *p, const struct issued *a, enum dram_cmd b, uint32_t bank)
{
    bool same = a->bank == bank, group = a->bank / 4 == bank / 4;
    switch (a->cmd) {
    case DRAM_ACT:
        if (b == DRAM_ACT)
            return same ? p->rc : p->rrd;
        return !same ? 0 : b == DRAM_READ ? p->rcd : b == DRAM_WRITE ? p->rcdwr : p->ras;
    case DRAM_PRE:
        return same && b == DRAM_ACT ? p->rp : 0;
    case DRAM_READ:
        if (b == DRAM_READ)
            return group ? p->ccdl : p->ccd;
        if (b == DRAM_WRITE)
            return p->cl + BEAT + p->rtw - p->wl;
        return same && b == DRAM_PRE ? p->rtpl : 0;
    default:
        if (b == DRAM_WRITE)
            return group ? p->ccdl : p->ccd;
        if (b == DRAM_READ)
            return p->wl + BEAT + p->cdlr;
        return same && b == DRAM_PRE ? p->wl + BEAT + p->wr : 0;
    }
}

static void random_sequences(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (int round = 0; round < 20; round++) {
        struct dram_config cfg = base;
        cfg.faw = round % 2 ? 31 : 0;
        struct dram_timing t;
        dram_timing_init(&t, &cfg);
        struct issued log[400];
        unsigned n = 0;
        uint64_t now = 1;
        while (n < 400) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            uint32_t bank = (uint32_t)(seed >> 33) & 15;
            enum dram_cmd cmd = t.row[bank] == DRAM_NO_ROW ? DRAM_ACT
                                : (seed >> 40 & 7) == 0    ? DRAM_PRE
                                : (seed >> 45 & 1)         ? DRAM_READ
                                                           : DRAM_WRITE;
            uint64_t legal = 0;
            unsigned acts = 0;
            for (unsigned i = n; i-- > 0;) {
                uint64_t r = rule(&cfg, &log[i], cmd, bank);
                if (r && log[i].at + r > legal)
                    legal = log[i].at + r;
                if (cfg.faw && cmd == DRAM_ACT && log[i].cmd == DRAM_ACT && ++acts == 4 && log[i].at + cfg.faw > legal)
                    legal = log[i].at + cfg.faw;
            }
            uint64_t got = dram_legal_at(&t, bank, cmd);
            if (legal > now || got > now)
                assert_int_equal(got, legal);
            now = legal > now ? legal : now + (seed >> 50 & 3);
            dram_issue(&t, bank, cmd, (uint32_t)(seed >> 20 & 3), now);
            log[n++] = (struct issued){cmd, bank, now};
            now++; /* one command bus */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_parameter), cmocka_unit_test(groups),
                                       cmocka_unit_test(four_activates), cmocka_unit_test(random_sequences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
