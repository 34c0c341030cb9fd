/*
 * GPGPU-Sim 3.2.2's rules for the L2 and the DRAM (docs/machines.md), each with the cycles that it costs or saves: the
 * fill port, write-backs through the data port, reservations in the miss queue, look-ups that wait for room, the fixed
 * latency before the scheduler, the scheduler's queue, and the order of commands.
 */
#include "memory_latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A bank's row is 2 KiB and its next row 32 KiB away. */
#define MAP     "RRRRRRRRRRRRRRRR.BBBB.CCCCCCCCCCC"
#define ROW     (1ull << 15)
#define BANK(b) ((uint64_t)(b) << 11)

/* Runs loads that go to the L2, or what the shots say, on a machine with this text. */
static struct memsys *run(const char *config, const struct shot *shots, unsigned n, struct landing *at)
{
    struct memsys_config c = {MEMSYS_ONE, .map = MAP, .config = config};
    struct memsys *m = memsys_new(&c);
    memsys_script(m, 0, shots, n, at);
    memsys_run(m);
    return m;
}

/* Two lines of one row come four bursts apart; a fill of 16 bytes a cycle keeps the port eight cycles. */
static void fill_port(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}, {2, 128}};
    struct landing at[2];
    static const struct {
        const char *config;
        uint64_t apart;
    } cases[] = {{"[l2]\nsectored = no\n[noc]\nflit = 136\n[dram]\nccdl = 2\n", 4},
                 {"[l2]\nsectored = no\nfill_bytes = 32\n[noc]\nflit = 136\n[dram]\nccdl = 2\n", 4},
                 {"[l2]\nsectored = no\nfill_bytes = 16\n[noc]\nflit = 136\n[dram]\nccdl = 2\n", 8},
                 {"[l2]\nsectored = no\nfill_bytes = 12\n[noc]\nflit = 136\n[dram]\nccdl = 2\n", 11}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memsys *m = run(cases[i].config, shots, 2, at);
        assert_int_equal(at[1].back - at[0].back, cases[i].apart);
        memsys_free(m);
    }
}

/* A slice of one set and eight ways that hold dirty lines: a load that misses reads the oldest out, 128 bytes of 32. */
static void write_back_port(void **state)
{
    (void)state;
    for (int port = 0; port < 2; port++) {
        struct shot shots[10];
        struct landing at[10];
        for (unsigned i = 0; i < 8; i++)
            shots[i] = (struct shot){1 + 500 * i, i * 128, REQ_WRITE};
        shots[8] = (struct shot){8000, 8 * 128};
        shots[9] = (struct shot){8001, 7 * 128}; /* a hit behind it */
        struct memsys *m = run(port ? "[l2]\nsize = 1KiB\nport_bytes = 32\nwrite_back_port = yes\n"
                                    : "[l2]\nsize = 1KiB\nport_bytes = 32\n",
                               shots, 10, at);
        assert_int_equal(memsys_stat(m, "l2.write_backs"), 1);
        assert_int_equal(at[9].back - at[9].sent, l2_hit_latency(m, 136) + (port ? 3 : 0));
        memsys_free(m);
    }
}

/*
 * Misses find the queue to DRAM full, so the miss queue fills. Without the reservation a load needs the entry that it
 * takes; with it, two, and it waits for one more to leave.
 */
static void miss_reserve(void **state)
{
    (void)state;
    static const char *const config[] = {
        "[l2]\nmiss_queue = 3\ndram_queue = 1\n[dram]\nqueue = 1\n",
        "[l2]\nmiss_queue = 3\ndram_queue = 1\nmiss_reserve = yes\n[dram]\nqueue = 1\n"};
    uint64_t stalled[2], end[2];
    for (int reserve = 0; reserve < 2; reserve++) {
        struct shot shots[6];
        struct landing at[6];
        for (unsigned i = 0; i < 6; i++)
            shots[i] = (struct shot){1 + i, i * ROW};
        struct memsys *m = run(config[reserve], shots, 6, at);
        stalled[reserve] = memsys_stat(m, "l2.stalled_requests.miss_queue_full");
        end[reserve] = at[5].back;
        memsys_free(m);
    }
    /* One is at the DRAM, one in its queue, and three or two in the miss queue. */
    assert_int_equal(stalled[0], 1);
    assert_int_equal(stalled[1], 2);
    assert_int_equal(end[0], end[1]); /* DRAM is the limit either way */
    /* A store that misses reserves three, so that it is refused while one is taken; a merge reserves two, too. */
    const struct shot behind[] = {
        {1, 0}, {2, ROW}, {3, 2 * ROW}, {4, 3 * ROW, REQ_WRITE}, {5, 0, .flags = REQ_F_BYPASS}};
    for (int reserve = 0; reserve < 2; reserve++) {
        struct landing at[5];
        const char *text =
            reserve
                ? "[l2]\nsectored = no\nwrite_miss = around_fetch\nmiss_queue = 3\ndram_queue = 1\nmiss_reserve = "
                  "yes\n[dram]\nqueue = 1\n"
                : "[l2]\nsectored = no\nwrite_miss = around_fetch\nmiss_queue = 3\ndram_queue = 1\n[dram]\nqueue = 1\n";
        struct memsys *m = run(text, behind, 5, at);
        assert_int_equal(memsys_stat(m, "l2.stalled_requests.miss_queue_full"),
                         2 * reserve); /* the store and the merge */
        memsys_free(m);
    }
}

/*
 * Stores that miss in three successive cycles, each a write and a fetch: at one request a cycle the miss queue of three
 * has room for the second, and the third waits a cycle.
 */
static void miss_rate(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0, REQ_WRITE}, {2, ROW, REQ_WRITE}, {3, 2 * ROW, REQ_WRITE}};
    for (int one = 0; one < 2; one++) {
        struct landing at[3];
        struct memsys *m =
            run(one ? "[l2]\nwrite_miss = around_fetch\nmiss_queue = 3\nmiss_rate = 1\n[noc]\nflit = 136\n"
                    : "[l2]\nwrite_miss = around_fetch\nmiss_queue = 3\n[noc]\nflit = 136\n",
                shots, 3, at);
        assert_int_equal(memsys_stat(m, "l2.stalled_requests.miss_queue_full"), one);
        assert_int_equal(memsys_stat(m, "l2.stall_cycles.miss_queue_full"), one);
        memsys_free(m);
    }
}

/* A hit behind misses that fill the queue to DRAM: it waits until the queue has room, or it does not. */
static void look_up_room(void **state)
{
    (void)state;
    static const char *const config[] = {"[l2]\ndram_queue = 1\n[dram]\nqueue = 1\n",
                                         "[l2]\ndram_queue = 1\nlook_up_room = yes\n[dram]\nqueue = 1\n"};
    for (int room = 0; room < 2; room++) {
        struct memsys_config c = {MEMSYS_ONE, .map = MAP, .config = config[room]};
        struct memsys *m = memsys_new(&c);
        l2_preload(m->l2, 1, 7 * ROW, 128, false);
        const struct shot shots[] = {{1, 0}, {2, ROW}, {3, 7 * ROW}};
        struct landing at[3];
        memsys_script(m, 0, shots, 3, at);
        memsys_run(m);
        uint64_t late = at[2].back - at[2].sent - l2_hit_latency(m, 136);
        if (room) { /* the second waits a cycle for the first to leave the queue, the hit until the first is served */
            const struct dram_config *d = m->dram_config.cfg;
            assert_int_equal(memsys_stat(m, "l2.stalled_requests.miss_queue_full"), 2);
            assert_int_equal(memsys_stat(m, "l2.stall_cycles.miss_queue_full"), late);
            assert_int_equal(late, 1 + d->rcd + (128 / dram_burst_bytes(d) - 1) * d->ccdl);
        } else {
            assert_int_equal(late, 0);
        }
        memsys_free(m);
    }
}

/* The fixed latency costs one request the same on either side; before the scheduler it lets one in per cycle. */
static void latency_before(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}};
    uint64_t alone[2];
    for (int before = 0; before < 2; before++) {
        struct landing at[1];
        struct memsys *m = run(before ? "[dram]\nlatency_at = request\n" : "", shots, 1, at);
        alone[before] = at[0].back - at[0].sent;
        memsys_free(m);
    }
    assert_int_equal(alone[1], alone[0]);
    /* With one in flight the second waits for the first to be served. */
    const struct shot two[] = {{1, 0}, {2, BANK(3)}};
    for (uint32_t in_flight = 1; in_flight <= 2; in_flight++) {
        struct landing at[2];
        char text[80];
        snprintf(text, sizeof text, "[dram]\nlatency_at = request\nin_flight = %u\n", in_flight);
        struct memsys *m = run(text, two, 2, at);
        const struct dram_config *d = m->dram_config.cfg;
        uint64_t apart = at[1].back - at[0].back, bursts = 128 / dram_burst_bytes(d);
        /* Served: the last burst's command, rcd and a same-group gap behind the activate, which the latency precedes. */
        assert_int_equal(apart, in_flight == 1 ? d->latency + d->rcd + (bursts - 1) * d->ccdl + 1 : d->rrd);
        memsys_free(m);
    }
}

/* Three requests of one bank and a queue of two: the one in service has left the queue, or it has not. */
static void queue_holds(void **state)
{
    (void)state;
    const struct shot shots[] = {{1, 0}, {2, ROW}, {3, ROW + 128}, {4, 128}};
    uint64_t hits[2];
    for (int waiting = 0; waiting < 2; waiting++) {
        struct landing at[4];
        struct memsys *m =
            run(waiting ? "[dram]\nqueue = 3\nqueue_holds = waiting\n" : "[dram]\nqueue = 3\n", shots, 4, at);
        hits[waiting] = memsys_stat(m, "dram.row_hits");
        /* The fourth is of the open row: it is seen in time, and goes first, if it has a place. */
        assert_int_equal(at[3].back < at[1].back, waiting);
        assert_int_equal(memsys_stat(m, "dram.queue_full_cycles") == 0, waiting);
        memsys_free(m);
    }
    assert_int_equal(hits[0], 1);
    assert_int_equal(hits[1], 2);
}

/*
 * Bank 0 reads its open row, a burst in every cycle, when bank 9 wants a row: its activate waits for the last burst, or
 * goes before the next, because the activate of bank 0 and its next requests have moved the turn to a bank between them.
 */
static void command_order(void **state)
{
    (void)state;
    const char *text = "[l2]\nsectored = no\nmshrs = 64\n[noc]\nflit = 136\n[dram]\nburst = 4\nccd = 1\nccdl = 1\n%s";
    enum { LINES = 8, BURSTS = 4 };
    uint64_t back[2];
    for (int rotate = 0; rotate < 2; rotate++) {
        struct shot shots[LINES + 1];
        struct landing at[LINES + 1];
        for (unsigned i = 0; i < LINES; i++)
            shots[i] = (struct shot){1 + i, i * 128};
        shots[LINES] = (struct shot){18, BANK(9)};
        char config[160];
        snprintf(config, sizeof config, text, rotate ? "commands = rotate\n" : "");
        struct memsys *m = run(config, shots, LINES + 1, at);
        const struct dram_config *d = m->dram_config.cfg;
        back[rotate] = at[LINES].back;
        /* Where columns go first, the row is opened when the last of the other bank's bursts has been sent. */
        if (!rotate)
            assert_int_equal(at[LINES].back - at[LINES - 1].back, 1 + d->rcd + BURSTS - 1);
        memsys_free(m);
    }
    assert_int_equal(back[0] - back[1], 11); /* bursts that were still to be sent when the request came */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_port),   cmocka_unit_test(write_back_port), cmocka_unit_test(miss_reserve),
        cmocka_unit_test(miss_rate),   cmocka_unit_test(look_up_room),    cmocka_unit_test(latency_before),
        cmocka_unit_test(queue_holds), cmocka_unit_test(command_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
