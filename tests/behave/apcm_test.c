/*
 * APCM in an L1, step by step: section 5.3's example (Figure 11) in its order with exact cycles, and after hand-made
 * sequences of accesses the state of every structure.
 *
 * The L1 sits in a memory system with idle neighbors, so a load is at the tags TAGS cycles after the SM made it.
 */
#include "l1/management/apcm/apcm.h"
#include "l1/l1_priv.h"
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define APCM  "[l1]\nset_hash = linear\nmanagement = apcm\n"
#define LINE  128
#define SETS  32 /* of the 16 KiB, 4-way L1: lines this far apart share a set */
#define ALL   (REQ_F_LAST)
#define LINES (128)

enum { TAGS = 34, GAP = 2000 /* longer than any load takes here */ };

static struct memsys *build(const char *config)
{
    struct memsys_config c = {MEMSYS_ONE, .config = config};
    return memsys_new(&c);
}

static struct apcm *state_of(struct memsys *m)
{
    return m->l1[0]->management.st;
}

static void tell(struct memsys *m, uint64_t at, enum event kind, uint32_t slot, uint32_t argument)
{
    engine_run(m->eng, at);
    port_send(l1_events(m->l1[0]), argument, event_info(kind, slot));
}

/* One line access of load `pc`, all of its instruction. */
static struct shot load(uint64_t at, uint64_t line, uint32_t pc, uint16_t warp)
{
    return (struct shot){.at = at, .addr = line * LINE, .flags = ALL, .warp = warp, .pc = pc};
}

static struct shot in_loop(struct shot s, uint16_t loop)
{
    s.loop = loop;
    return s;
}

static struct shot nth_of(struct shot s, uint8_t nth, uint8_t n)
{
    s.nth = nth;
    s.n_lines = n;
    s.flags = nth + 1 == n ? REQ_F_LAST : 0;
    return s;
}

/* The L1's fields of a line that must be there. */
static struct apcm_line *fields(struct memsys *m, uint64_t line)
{
    struct tags *t = &m->l1[0]->cache[L1_DATA]->tags;
    int32_t e = tags_find(t, tags_set(t, line), line);
    if (e < 0)
        fail_msg("line %lu is not in the L1", (unsigned long)line);
    return &state_of(m)->line[e];
}

static bool in_l1(struct memsys *m, uint64_t line)
{
    struct tags *t = &m->l1[0]->cache[L1_DATA]->tags;
    return tags_find(t, tags_set(t, line), line) >= 0;
}

static void finish(struct memsys *m)
{
    memsys_run(m);
    uint64_t sum = memsys_stat(m, "apcm.accesses.untracked") + memsys_stat(m, "apcm.accesses.undecided") +
                   memsys_stat(m, "apcm.accesses.normal") + memsys_stat(m, "apcm.accesses.bypass") +
                   memsys_stat(m, "apcm.accesses.protect");
    assert_int_equal(memsys_stat(m, "apcm.accesses"), sum);
    assert_int_equal(memsys_stat(m, "l1.bypasses"),
                     memsys_stat(m, "apcm.bypasses") + memsys_stat(m, "apcm.all_protected"));
    assert_int_equal(memsys_stat(m, "apcm.psb.set"),
                     memsys_stat(m, "apcm.psb.by_load") + memsys_stat(m, "apcm.psb.by_loop") +
                         memsys_stat(m, "apcm.psb.by_exit") + (uint64_t)__builtin_popcountll(({
                             uint64_t set = 0;
                             for (int w = 0; w < 48; w++)
                                 set |= (uint64_t)state_of(m)->psb[w].set << w;
                             set;
                         })));
    memsys_free(m);
}

/* ---- section 5.3 ---- */

static void figure_11(void **state)
{
    (void)state;
    enum { A = 10, LOOP = 3, X = 5, Y = 5 + 32, MONITORED = 7 };
    /* A direct-mapped L1 of 32 lines: X and Y have the same place. */
    struct memsys *m = build(APCM "assoc = 1\nsize = 4KiB\n");
    struct apcm *s = state_of(m);
    struct landing at[8];
    const struct shot shots[] = {
        in_loop(load(1, 100, A, MONITORED), LOOP),
        in_loop(load(2001, 100, A, MONITORED), LOOP),
        in_loop(load(4001, 100, A, MONITORED), LOOP),
        in_loop(load(10001, X, A, 0), LOOP), /* 11a */
        in_loop(load(20001, Y, A, 1), LOOP), /* 11b */
        in_loop(load(30001, X, A, 0), LOOP), /* 11c: hits */
        in_loop(load(30002, X, A, 0), LOOP),
        in_loop(load(50001, Y, A, 1), LOOP), /* 11d */
    };
    memsys_script(m, 0, shots, 8, at);

    /* The monitored warp has ended: load A was found to be reused by its own warp, in a loop. */
    tell(m, 8000, EVENT_WARP_EXIT, MONITORED, 0);
    engine_run(m->eng, 8001);
    assert_int_equal(s->lat.n, 1);
    assert_int_equal(s->lat.pc[0], A);
    assert_true(s->cait[0].valid);
    assert_int_equal(s->cait[0].method, APCM_PROTECT);
    assert_int_equal(s->cait[0].accesses, 3);
    assert_int_equal(s->cait[0].last, 0);
    assert_int_equal(s->cait[0].decided_at, 8001);
    assert_int_equal(s->monitored, APCM_OVER);
    for (unsigned i = 0; i < 32; i++)
        assert_false(s->mta.e[i].valid);

    /* (a) Warp 0 executes load A: its PSB bit is set when the line gets its place; the line is pinned for it. */
    engine_run(m->eng, 10001 + TAGS - 1);
    assert_false(s->psb[0].set);
    engine_run(m->eng, 10001 + TAGS);
    assert_true(s->psb[0].set);
    assert_true(s->psb[0].loop);
    assert_int_equal(s->psb[0].last, 0);
    assert_int_equal(s->psb[0].loop_id, LOOP);
    assert_true(fields(m, X)->pinned);
    assert_int_equal(fields(m, X)->warp, 0);
    assert_int_equal(fields(m, X)->accesses, 1);

    /* (b) Warp 1 executes load A for a line with the same place: it bypasses, and its PSB bit is not set. */
    engine_run(m->eng, 20001 + TAGS);
    assert_false(s->psb[1].set);
    assert_true(in_l1(m, X));
    assert_false(in_l1(m, Y));
    engine_run(m->eng, 29000);
    assert_true(at[4].back > 20001 && at[4].served > REQ_AT_REMOTE_L1);
    assert_false(in_l1(m, Y)); /* nor when the data comes */

    /* (c) Warp 0 hits; when it leaves the loop its PSB bit is reset, the line's protection bit is still there. */
    engine_run(m->eng, 39000);
    assert_int_equal(at[5].served, REQ_AT_L1);
    assert_int_equal(at[6].served, REQ_AT_L1);
    assert_int_equal(fields(m, X)->accesses, 3);
    tell(m, 40000, EVENT_LOOP_EXIT, 0, LOOP + 1); /* another loop: nothing */
    tell(m, 40001, EVENT_LOOP_EXIT, 0, LOOP);
    assert_true(s->psb[0].set);
    engine_run(m->eng, 40002);
    assert_false(s->psb[0].set);
    assert_true(fields(m, X)->pinned);

    /* (d) Warp 1 executes load A again: the line changes hands. */
    engine_run(m->eng, 50001 + TAGS - 1);
    assert_true(in_l1(m, X));
    engine_run(m->eng, 50001 + TAGS);
    assert_false(in_l1(m, X));
    assert_true(fields(m, Y)->pinned);
    assert_int_equal(fields(m, Y)->warp, 1);
    assert_true(s->psb[1].set);
    assert_false(s->psb[0].set);

    engine_run(m->eng, 59000);
    stats_read(m->stats, m->values);
    assert_int_equal(memsys_stat(m, "l1.bypass.all_protected"), 1);
    assert_int_equal(memsys_stat(m, "apcm.all_protected"), 1);
    assert_int_equal(memsys_stat(m, "apcm.protected.lines"), 2);
    assert_int_equal(memsys_stat(m, "apcm.protected.hits"), 2);
    assert_int_equal(memsys_stat(m, "apcm.protected.expired"), 1);
    assert_int_equal(memsys_stat(m, "apcm.psb.set"), 2);
    assert_int_equal(memsys_stat(m, "apcm.psb.by_loop"), 1);
    assert_int_equal(memsys_stat(m, "apcm.psb.cycles"), 40002 - (10001 + TAGS));
    finish(m);
}

/* ---- 5.1: tracking ---- */

static void monitored_warp_is_tracked(void **state)
{
    (void)state;
    enum { A = 10, B = 20, C = 30 };
    struct memsys *m = build(APCM);
    struct apcm *s = state_of(m);
    const struct shot shots[] = {
        load(1, 4, A, 9),            /* warp 9 loads first: it is monitored */
        load(1 + GAP, 4, B, 9),      /* hit: both counts, B is the last */
        load(1 + 2 * GAP, 4, A, 2),  /* another warp: only the access count */
        load(1 + 3 * GAP, 6, A, 2),  /* another warp's line is not taken in ... */
        load(1 + 4 * GAP, 6, C, 3),  /* ... and is used by a third */
        load(1 + 5 * GAP, 6, C, 9),  /* the monitored warp finds it in the L1: three accesses, one its own */
        load(1 + 6 * GAP, 38, B, 9), /* the same place as line 6: conflict */
    };
    struct landing at[7];
    memsys_script(m, 0, shots, 7, at);
    engine_run(m->eng, 1 + TAGS);
    struct apcm_mta_entry *four = apcm_mta_find(&s->mta, 4), *six;
    assert_int_equal(s->monitored, 9);
    assert_non_null(four);
    assert_int_equal(four->first, 0);
    assert_int_equal(four->last, APCM_NONE);
    engine_run(m->eng, 3 * GAP);
    assert_int_equal(four->accesses, 3);
    assert_int_equal(four->own, 2);
    assert_int_equal(four->last, 1);
    engine_run(m->eng, 5 * GAP);
    assert_null(apcm_mta_find(&s->mta, 6));
    assert_int_equal(fields(m, 6)->accesses, 2);
    engine_run(m->eng, 6 * GAP);
    six = apcm_mta_find(&s->mta, 6);
    assert_non_null(six);
    assert_int_equal(six->accesses, 3);
    assert_int_equal(six->own, 1);
    assert_int_equal(six->first, 2);
    assert_false(s->cait[2].valid);
    engine_run(m->eng, 7 * GAP);
    assert_null(apcm_mta_find(&s->mta, 6));
    assert_true(s->cait[2].valid); /* load C: inter-warp */
    assert_int_equal(s->cait[2].type, APCM_INTER);
    assert_int_equal(s->cait[2].method, APCM_NORMAL);
    assert_int_equal(s->cait[2].accesses, 3);
    assert_false(s->cait[0].valid);

    tell(m, 8 * GAP, EVENT_WARP_EXIT, 2, 0); /* not the monitored one */
    engine_run(m->eng, 8 * GAP + 2);
    assert_false(s->cait[0].valid);
    tell(m, 8 * GAP + 5, EVENT_WARP_EXIT, 9, 0);
    engine_run(m->eng, 8 * GAP + 6);
    assert_int_equal(s->cait[0].type, APCM_MIXED);
    assert_int_equal(s->cait[0].last, 1);
    assert_int_equal(s->cait[1].type, APCM_STREAMING);
    assert_int_equal(s->cait[1].method, APCM_BYPASS);
    stats_read(m->stats, m->values);
    assert_int_equal(memsys_stat(m, "apcm.mta.fills"), 3);
    assert_int_equal(memsys_stat(m, "apcm.mta.from_l1"), 1);
    assert_int_equal(memsys_stat(m, "apcm.mta.own_hits"), 1);
    assert_int_equal(memsys_stat(m, "apcm.mta.other_hits"), 1);
    assert_int_equal(memsys_stat(m, "apcm.mta.conflicts"), 1);
    assert_int_equal(memsys_stat(m, "apcm.update.conflict"), 1);
    assert_int_equal(memsys_stat(m, "apcm.update.exit"), 2);
    assert_int_equal(memsys_stat(m, "apcm.classified.inter"), 1);
    assert_int_equal(memsys_stat(m, "apcm.classified.mixed"), 1);
    assert_int_equal(memsys_stat(m, "apcm.classified.streaming"), 1);
    finish(m);
}

static void only_two_requests_of_an_uncoalesced_load(void **state)
{
    (void)state;
    struct memsys *m = build(APCM);
    struct apcm *s = state_of(m);
    struct shot shots[9];
    struct landing at[9];
    for (uint8_t i = 0; i < 4; i++) {
        shots[i] = nth_of(load(1 + i, 10 + i, 5, 0), i, 4);
        shots[4 + i] = nth_of(load(GAP + i, 13 - i, 5, 0), i, 4); /* backward: lines 13 and 12 are first now */
    }
    shots[8] = load(2 * GAP, 11, 5, 1); /* another warp's accesses all count */
    memsys_script(m, 0, shots, 9, at);
    engine_run(m->eng, GAP - 10);
    assert_non_null(apcm_mta_find(&s->mta, 10));
    assert_non_null(apcm_mta_find(&s->mta, 11));
    assert_null(apcm_mta_find(&s->mta, 12));
    assert_null(apcm_mta_find(&s->mta, 13));
    engine_run(m->eng, 3 * GAP);
    /* Lines 11 and 10 were requests three and four: dropped, though the lines are there. */
    assert_int_equal(apcm_mta_find(&s->mta, 10)->accesses, 1);
    assert_int_equal(apcm_mta_find(&s->mta, 11)->accesses, 2);
    assert_int_equal(apcm_mta_find(&s->mta, 11)->own, 1);
    /* 13 and 12 come from the L1, where they had one access each. */
    assert_int_equal(apcm_mta_find(&s->mta, 12)->accesses, 2);
    assert_int_equal(apcm_mta_find(&s->mta, 13)->accesses, 2);
    stats_read(m->stats, m->values);
    assert_int_equal(memsys_stat(m, "apcm.mta.dropped"), 4);
    finish(m);
}

static void counts_of_the_l1(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        unsigned own_line, other_line;
    } cases[] = {
        {APCM, 2, 2}, {APCM "[apcm]\ninherit_counts = others\n", 1, 2}, {APCM "[apcm]\ninherit_counts = none\n", 1, 1}};
    for (unsigned i = 0; i < 3; i++) {
        struct memsys *m = build(cases[i].config);
        struct apcm *s = state_of(m);
        const struct shot shots[] = {
            load(1, 50, 5, 0),       nth_of(load(GAP, 12, 5, 0), 2, 3), /* dropped by the MTA, but in the L1 */
            load(2 * GAP, 12, 5, 0), load(3 * GAP, 13, 5, 1),           /* another warp's */
            load(4 * GAP, 13, 5, 0),
        };
        struct landing at[5];
        memsys_script(m, 0, shots, 5, at);
        engine_run(m->eng, 5 * GAP);
        assert_int_equal(apcm_mta_find(&s->mta, 12)->accesses, cases[i].own_line);
        assert_int_equal(apcm_mta_find(&s->mta, 13)->accesses, cases[i].other_line);
        assert_int_equal(apcm_mta_find(&s->mta, 13)->own, 1);
        finish(m);
    }
}

static void a_count_beyond_the_threshold_decides_at_once(void **state)
{
    (void)state;
    struct memsys *m = build(APCM "[apcm]\nthreshold = 3\n");
    struct apcm *s = state_of(m);
    struct shot shots[6];
    struct landing at[6];
    for (unsigned i = 0; i < 6; i++)
        shots[i] = load(1 + i * GAP, 4, 5, i == 4);
    memsys_script(m, 0, shots, 6, at);
    engine_run(m->eng, 1 + 3 * GAP + TAGS - 1);
    assert_false(s->cait[0].valid);
    engine_run(m->eng, 1 + 3 * GAP + TAGS); /* the fourth exceeds three */
    assert_true(s->cait[0].valid);
    assert_int_equal(s->cait[0].method, APCM_PROTECT);
    assert_int_equal(s->cait[0].accesses, 4);
    assert_true(apcm_mta_find(&s->mta, 4)); /* still watched: */
    engine_run(m->eng, 1 + 4 * GAP + TAGS);
    assert_int_equal(s->cait[0].method, APCM_NORMAL); /* another warp uses it too */
    assert_int_equal(s->cait[0].accesses, 5);
    finish(m);
}

static void loads_beyond_the_table_are_ordinary(void **state)
{
    (void)state;
    struct memsys *m = build(APCM "[apcm]\nload_entries = 2\n");
    struct apcm *s = state_of(m);
    const struct shot shots[] = {load(1, 1, 10, 0), load(GAP, 2, 11, 0), load(2 * GAP, 3, 12, 0),
                                 load(3 * GAP, 3, 12, 0), load(5 * GAP, 7, 12, 1)};
    struct landing at[5];
    memsys_script(m, 0, shots, 5, at);
    tell(m, 4 * GAP, EVENT_WARP_EXIT, 0, 0);
    engine_run(m->eng, 6 * GAP);
    assert_int_equal(s->lat.n, 2);
    assert_null(apcm_mta_find(&s->mta, 3));
    assert_true(in_l1(m, 7));
    stats_read(m->stats, m->values);
    assert_int_equal(memsys_stat(m, "apcm.accesses.untracked"), 3);
    finish(m);
}

/* ---- 5.2: management ---- */

/* Makes loads streaming (S), intra-warp in a loop (A), intra-warp ended by another load (P, then Q). Until READY. */
enum { S = 1, A = 2, P = 3, Q = 4, LOOP = 1, READY = 12 * GAP, LESSON = 8 };
static void lesson(struct shot out[LESSON])
{
    out[0] = load(1, 1000, S, 40);
    out[1] = in_loop(load(1 + GAP, 1001, A, 40), LOOP);
    out[2] = in_loop(load(1 + 2 * GAP, 1001, A, 40), LOOP);
    out[3] = in_loop(load(1 + 3 * GAP, 1001, A, 40), LOOP);
    out[4] = load(1 + 4 * GAP, 1002, P, 40);
    out[5] = load(1 + 5 * GAP, 1002, Q, 40);
    out[6] = load(1 + 6 * GAP, 1003, Q, 40); /* Q's own lines stream, but twice counts more than once */
    out[7] = load(1 + 7 * GAP, 1003, Q, 41);
}

static struct memsys *taught(const char *config, struct shot *shots, unsigned n, struct landing *at)
{
    struct memsys *m = build(config);
    lesson(shots);
    memsys_script(m, 0, shots, n, at);
    tell(m, READY - 10, EVENT_WARP_EXIT, 40, 0);
    engine_run(m->eng, READY - 5);
    struct apcm *s = state_of(m);
    assert_int_equal(s->cait[0].method, APCM_BYPASS);
    assert_int_equal(s->cait[1].method, APCM_PROTECT);
    assert_int_equal(s->cait[1].last, 1);
    assert_int_equal(s->cait[2].method, APCM_PROTECT);
    assert_int_equal(s->cait[2].last, 3);
    assert_int_equal(s->cait[3].method, APCM_NORMAL);
    return m;
}

static void streaming_loads_bypass(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        struct shot shots[LESSON + 3];
        struct landing at[LESSON + 3];
        shots[LESSON] = load(READY, 5, S, 1);
        shots[LESSON + 1] = load(READY + 1, 5, S, 2); /* the same line, in flight: no MSHR, so no merging */
        shots[LESSON + 2] = load(READY + GAP, 5, S, 3);
        struct memsys *m = taught(mode ? APCM "[apcm]\nmode = protect\n" : APCM, shots, LESSON + 3, at);
        engine_run(m->eng, READY + TAGS + 1);
        assert_int_equal(m->l1[0]->cache[L1_DATA]->mshr.used, mode ? 1 : 0);
        engine_run(m->eng, READY + 3 * GAP);
        assert_int_equal(in_l1(m, 5), mode);
        assert_int_equal(at[LESSON + 2].served == REQ_AT_L1, mode);
        engine_sync(m->eng);
        stats_read(m->stats, m->values);
        assert_int_equal(memsys_stat(m, "apcm.bypasses"), mode ? 0 : 3);
        assert_int_equal(memsys_stat(m, "l1.bypasses"), mode ? 0 : 3);
        assert_int_equal(memsys_stat(m, "l1.merges"), mode ? 1 : 0);
        finish(m);
    }
}

static void pinned_lines_are_no_victims(void **state)
{
    (void)state;
    enum { N = LESSON + 8 };
    struct shot shots[N];
    struct landing at[N];
    shots[LESSON] = in_loop(load(READY, 0, A, 0), LOOP); /* pinned by warp 0 */
    shots[LESSON + 1] = load(READY + GAP, SETS, Q, 1);   /* three ordinary lines fill the set */
    shots[LESSON + 2] = load(READY + 2 * GAP, 2 * SETS, Q, 1);
    shots[LESSON + 3] = load(READY + 3 * GAP, 3 * SETS, Q, 1);
    shots[LESSON + 4] = load(READY + 4 * GAP, 4 * SETS, Q, 1); /* replaces the least recently used of those */
    shots[LESSON + 5] = in_loop(load(READY + 5 * GAP, 5 * SETS, A, 2), LOOP);
    shots[LESSON + 6] = in_loop(load(READY + 6 * GAP, 6 * SETS, A, 3), LOOP);
    shots[LESSON + 7] = in_loop(load(READY + 7 * GAP, 7 * SETS, A, 4), LOOP);
    struct memsys *m = taught(APCM, shots, N, at);
    struct apcm *s = state_of(m);
    engine_run(m->eng, READY + 5 * GAP - 10);
    assert_true(in_l1(m, 0));
    assert_false(in_l1(m, SETS));
    engine_run(m->eng, READY + 8 * GAP - 10);
    /* Now all four are pinned, by warps 0, 2, 3, 4. */
    assert_true(in_l1(m, 0) && in_l1(m, 5 * SETS) && in_l1(m, 6 * SETS) && in_l1(m, 7 * SETS));
    assert_true(s->psb[0].set && s->psb[2].set && s->psb[3].set && s->psb[4].set);
    stats_read(m->stats, m->values);
    assert_int_equal(memsys_stat(m, "l1.bypass.all_protected"), 0);
    finish(m);
}

static void everything_pinned_makes_any_load_bypass(void **state)
{
    (void)state;
    enum { N = LESSON + 7 };
    for (int own = 0; own < 2; own++) {
        struct shot shots[N];
        struct landing at[N];
        for (unsigned i = 0; i < 4; i++)
            shots[LESSON + i] = in_loop(load(READY + i * GAP, i * SETS, A, 3), LOOP);
        shots[LESSON + 4] = load(READY + 4 * GAP, 8 * SETS, Q, 1);                /* an ordinary load of another warp */
        shots[LESSON + 5] = in_loop(load(READY + 5 * GAP, 9 * SETS, A, 3), LOOP); /* the same load, the same warp */
        shots[LESSON + 6] = in_loop(load(READY + 7 * GAP, 9 * SETS, A, 3), LOOP);
        struct memsys *m = taught(own ? APCM "[apcm]\nreplace_own = yes\n" : APCM, shots, N, at);
        struct apcm *s = state_of(m);
        engine_run(m->eng, READY + 6 * GAP);
        assert_false(in_l1(m, 8 * SETS));
        assert_int_equal(in_l1(m, 9 * SETS), own);
        assert_int_equal(in_l1(m, 0), !own);
        assert_true(s->psb[3].set);
        tell(m, READY + 6 * GAP + 1, EVENT_WARP_EXIT, 3, 0); /* the end of the warp releases, too */
        engine_run(m->eng, READY + 8 * GAP);
        assert_true(in_l1(m, 9 * SETS));
        stats_read(m->stats, m->values);
        assert_int_equal(memsys_stat(m, "apcm.all_protected"), own ? 1 : 2);
        assert_int_equal(memsys_stat(m, "apcm.psb.by_exit"), 1);
        finish(m);
    }
}

static void the_last_load_releases(void **state)
{
    (void)state;
    enum { N = LESSON + 6 };
    struct shot shots[N];
    struct landing at[N];
    shots[LESSON] = nth_of(load(READY, 0, P, 5), 0, 2);
    shots[LESSON + 1] = nth_of(load(READY + 1, 1, P, 5), 1, 2);        /* both lines of one instruction are pinned */
    shots[LESSON + 2] = load(READY + GAP, 0, Q, 6);                    /* another warp's Q releases nothing */
    shots[LESSON + 3] = nth_of(load(READY + 2 * GAP, 0, Q, 5), 0, 2);  /* half of it */
    shots[LESSON + 4] = in_loop(load(READY + 3 * GAP, 2, A, 5), LOOP); /* the board holds another protection */
    shots[LESSON + 5] = nth_of(load(READY + 4 * GAP, 1, Q, 5), 1, 2);  /* all of it */
    struct memsys *m = taught(APCM, shots, N, at);
    struct apcm *s = state_of(m);
    engine_run(m->eng, READY + TAGS + 1);
    assert_true(s->psb[5].set);
    assert_false(s->psb[5].loop);
    assert_int_equal(s->psb[5].last, 3);
    assert_true(fields(m, 0)->pinned && fields(m, 1)->pinned);
    engine_run(m->eng, READY + 4 * GAP + TAGS - 1);
    assert_true(s->psb[5].set);
    assert_false(fields(m, 2)->pinned);
    engine_run(m->eng, READY + 4 * GAP + TAGS);
    assert_false(s->psb[5].set);
    engine_run(m->eng, READY + 5 * GAP);
    stats_read(m->stats, m->values);
    assert_int_equal(memsys_stat(m, "apcm.psb.by_load"), 1);
    assert_int_equal(memsys_stat(m, "apcm.protected.skipped"), 1);
    assert_int_equal(memsys_stat(m, "apcm.protected.hits"), 3);
    finish(m);
}

static void bypass_only_pins_nothing(void **state)
{
    (void)state;
    struct shot shots[LESSON + 1];
    struct landing at[LESSON + 1];
    shots[LESSON] = in_loop(load(READY, 0, A, 0), LOOP);
    struct memsys *m = taught(APCM "[apcm]\nmode = bypass\n", shots, LESSON + 1, at);
    engine_run(m->eng, READY + GAP);
    assert_false(state_of(m)->psb[0].set);
    assert_false(fields(m, 0)->pinned);
    finish(m);
}

static void a_distance_instead_of_the_board(void **state)
{
    (void)state;
    enum { N = LESSON + 9 };
    struct shot shots[N];
    struct landing at[N];
    for (unsigned i = 0; i < 4; i++) /* four pinned lines, with 4, 5, 6 and 7 accesses left after the fourth */
        shots[LESSON + i] = in_loop(load(READY + i * GAP, i * SETS, A, 0), LOOP);
    /* Not enough accesses to free one: this bypasses. Those to other sets count, too. */
    shots[LESSON + 4] = load(READY + 4 * GAP, 10 * SETS, Q, 1);
    shots[LESSON + 5] = load(READY + 5 * GAP, 11 * SETS + 1, Q, 1);
    shots[LESSON + 6] = load(READY + 6 * GAP, 0, Q, 1);         /* a hit does not start the distance anew */
    shots[LESSON + 7] = load(READY + 7 * GAP, 20 * SETS, Q, 1); /* the first one's distance is over, ... */
    shots[LESSON + 8] = load(READY + 8 * GAP, 21 * SETS, Q, 1); /* ... then the second one's */
    struct memsys *m = taught(APCM "[apcm]\nprotect_distance = 7\n", shots, N, at);
    struct apcm *s = state_of(m);
    engine_run(m->eng, READY + 4 * GAP - 10);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(fields(m, i * SETS)->until - s->seen, 4 + i);
        assert_true(fields(m, i * SETS)->pinned);
    }
    assert_false(s->psb[0].set);
    engine_run(m->eng, READY + 7 * GAP - 10);
    assert_true(in_l1(m, 0));
    assert_int_equal(fields(m, 0)->until - s->seen, 1);
    assert_int_equal(m->l1[0]->cache[L1_DATA]->stats.all_protected, 1);
    engine_run(m->eng, READY + 8 * GAP - 10);
    assert_false(in_l1(m, 0));
    assert_true(in_l1(m, 20 * SETS));
    assert_true(in_l1(m, SETS));
    engine_run(m->eng, READY + 9 * GAP - 10);
    assert_false(in_l1(m, SETS));
    assert_true(in_l1(m, 21 * SETS));
    finish(m);
}

static void a_launch_starts_with_nothing_or_with_what_was_decided(void **state)
{
    (void)state;
    struct shot shots[LESSON + 2];
    struct landing at[LESSON + 2];
    shots[LESSON] = in_loop(load(READY, 0, A, 0), LOOP);
    shots[LESSON + 1] = load(READY + 2 * GAP, 1, A, 3);
    struct memsys *m = taught(APCM "[apcm]\ndecision_lifetime = launch\n", shots, LESSON + 2, at);
    struct apcm *s = state_of(m);
    engine_run(m->eng, READY + GAP);
    assert_true(s->psb[0].set);
    l1_kernel_end(m->l1[0]);
    l1_kernel_begin(m->l1[0], 1);
    assert_int_equal(s->lat.n, 0);
    assert_int_equal(s->monitored, APCM_NOT_YET);
    for (unsigned i = 0; i < APCM_LOADS_MAX; i++)
        assert_false(s->cait[i].valid);
    for (unsigned i = 0; i < 48; i++)
        assert_false(s->psb[i].set);
    for (unsigned i = 0; i < LINES; i++)
        assert_int_equal(s->line[i].line, 0);
    for (unsigned i = 0; i < 32; i++)
        assert_false(s->mta.e[i].valid);
    engine_run(m->eng, READY + 3 * GAP);
    assert_int_equal(s->monitored, 3);
    assert_int_equal(s->lat.pc[0], A);
    finish(m);

    /* Kept for the kernel: the load of the next launch is protected at once, while another kernel knows nothing of it.
     */
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        m = taught(APCM, shots, LESSON + 2, at);
        s = state_of(m);
        engine_run(m->eng, READY + GAP);
        l1_kernel_end(m->l1[0]);
        l1_set_kernel(m->l1[0], kernel);
        l1_kernel_begin(m->l1[0], 1);
        assert_int_equal(s->monitored, APCM_NOT_YET);
        assert_false(s->psb[0].set);
        uint32_t known = s->lat.n;
        engine_run(m->eng, READY + 3 * GAP);
        assert_int_equal(s->lat.n, known + kernel);
        assert_int_equal(s->psb[3].set, kernel == 0);
        assert_int_equal(fields(m, 1)->pinned, kernel == 0);
        finish(m);
    }
}

static void slot_0_can_be_the_monitored_warp(void **state)
{
    (void)state;
    struct memsys *m = build(APCM "[apcm]\nmonitored_warp = slot-0\n");
    struct apcm *s = state_of(m);
    const struct shot shots[] = {load(1, 1, 10, 3), load(GAP, 2, 11, 0)};
    struct landing at[2];
    memsys_script(m, 0, shots, 2, at);
    engine_run(m->eng, GAP - 10);
    assert_int_equal(s->monitored, APCM_NOT_YET);
    assert_null(apcm_mta_find(&s->mta, 1));
    engine_run(m->eng, 2 * GAP);
    assert_int_equal(s->monitored, 0);
    assert_non_null(apcm_mta_find(&s->mta, 2));
    finish(m);
}

static void a_late_load_does_not_outlive_its_warp(void **state)
{
    (void)state;
    struct memsys *m = build(APCM);
    struct apcm *s = state_of(m);
    const struct shot shots[] = {load(100, 1, 10, 3)};
    struct landing at[1];
    memsys_script(m, 0, shots, 1, at);
    tell(m, 50, EVENT_WARP_EXIT, 3, 0); /* nobody waited for the load: the warp's end overtakes it */
    engine_run(m->eng, GAP);
    assert_int_equal(s->monitored, 3);
    tell(m, GAP + 1, EVENT_WARP_START, 4, 0);
    engine_run(m->eng, GAP + 3);
    assert_int_equal(s->monitored, 3);
    tell(m, GAP + 4, EVENT_WARP_START, 3, 0); /* its slot has another warp now */
    engine_run(m->eng, GAP + 6);
    assert_int_equal(s->monitored, APCM_OVER);
    assert_int_equal(s->cait[0].method, APCM_BYPASS);
    finish(m);
}

struct told {
    uint32_t pc[8];
    struct load_value v[8][LOAD_COLUMNS];
    unsigned n, n_column;
};
static void keep(void *ctx, uint32_t pc, const struct load_value *value)
{
    struct told *t = ctx;
    t->pc[t->n] = pc;
    memcpy(t->v[t->n++], value, t->n_column * sizeof *value);
}

static const struct policy_info *info(void)
{
    return l1_management_kind.policy[policy_find(&l1_management_kind, "apcm")];
}

static const struct load_value *told_of(const struct told *t, unsigned row, const char *column)
{
    const struct load_column *c = info()->load_columns;
    for (unsigned i = 0; c[i].name; i++)
        if (!strcmp(c[i].name, column))
            return &t->v[row][i];
    fail_msg("no column %s", column);
    return NULL;
}

static void loads_are_reported(void **state)
{
    (void)state;
    struct shot shots[LESSON + 2];
    struct landing at[LESSON + 2];
    shots[LESSON] = in_loop(load(READY, 0, A, 0), LOOP);
    shots[LESSON + 1] = load(READY + 1, 1, S, 0);
    struct memsys *m = taught(APCM, shots, LESSON + 2, at);
    struct told t = {.n = 0};
    while (info()->load_columns[t.n_column].name)
        t.n_column++;
    engine_run(m->eng, READY + GAP);
    info()->report_loads(state_of(m), keep, &t);
    assert_int_equal(t.n, 4);
    assert_int_equal(t.pc[0], S);
    assert_string_equal(told_of(&t, 0, "type")->text, "streaming");
    assert_string_equal(told_of(&t, 0, "method")->text, "bypass");
    assert_int_equal(told_of(&t, 0, "accesses")->n, 2);
    assert_int_equal(told_of(&t, 0, "bypassed")->n, 1);
    assert_int_equal(told_of(&t, 0, "mean_cycle")->n, READY - 9);
    assert_string_equal(told_of(&t, 1, "type")->text, "intra-warp");
    assert_int_equal(told_of(&t, 1, "protected_lines")->n, 1);
    assert_int_equal(told_of(&t, 1, "access_count")->n, 3);
    assert_int_equal(told_of(&t, 1, "own_count")->n, 3);
    assert_int_equal(told_of(&t, 1, "last_pc")->n, A);
    assert_int_equal(told_of(&t, 2, "last_pc")->n, Q);
    finish(m);
}

static void broken_invariants_are_found(void **state)
{
    (void)state;
    struct memsys *m = build(APCM);
    const struct shot shots[] = {load(1, 1, 10, 3)};
    struct landing at[1];
    struct err e;
    memsys_script(m, 0, shots, 1, at);
    engine_run(m->eng, GAP);
    engine_sync(m->eng);
    assert_int_equal(engine_check(m->eng, false, &e), 0);
    state_of(m)->s.undecided++;
    assert_int_equal(engine_check(m->eng, false, &e), -1);
    assert_non_null(strstr(e.msg, "apcm: accesses by method"));
    state_of(m)->s.undecided--;
    state_of(m)->s.psb_set++;
    assert_int_equal(engine_check(m->eng, false, &e), -1);
    assert_non_null(strstr(e.msg, "protection began"));
    state_of(m)->s.psb_set--;
    finish(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_11),
        cmocka_unit_test(monitored_warp_is_tracked),
        cmocka_unit_test(only_two_requests_of_an_uncoalesced_load),
        cmocka_unit_test(counts_of_the_l1),
        cmocka_unit_test(a_count_beyond_the_threshold_decides_at_once),
        cmocka_unit_test(loads_beyond_the_table_are_ordinary),
        cmocka_unit_test(streaming_loads_bypass),
        cmocka_unit_test(pinned_lines_are_no_victims),
        cmocka_unit_test(everything_pinned_makes_any_load_bypass),
        cmocka_unit_test(the_last_load_releases),
        cmocka_unit_test(bypass_only_pins_nothing),
        cmocka_unit_test(a_distance_instead_of_the_board),
        cmocka_unit_test(a_launch_starts_with_nothing_or_with_what_was_decided),
        cmocka_unit_test(a_late_load_does_not_outlive_its_warp),
        cmocka_unit_test(slot_0_can_be_the_monitored_warp),
        cmocka_unit_test(loads_are_reported),
        cmocka_unit_test(broken_invariants_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
