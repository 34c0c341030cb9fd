/*
 * Organizations that send requests to other SMs, on every network that can carry them, with random traffic that fills
 * every queue: nothing deadlocks, everything comes back, and both engines agree (docs/noc.md has the argument).
 */
#include "memsys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

enum { SMS = 12, CHANNELS = 4 };

/* ---- where lines live ---- */
struct org {
    uint32_t sm, n_sm;
};
static int org_init(void *st, const void *params, struct l1_host *host, struct err *e)
{
    (void)params, (void)e;
    *(struct org *)st = (struct org){host->sm, host->n_sm};
    return 0;
}
static uint64_t mix(uint64_t x)
{
    x = (x + 1) * 0x9e3779b97f4a7c15ull;
    return x ^ x >> 29;
}

static enum l1_route interleaved(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    (void)r, (void)set;
    *home = (uint32_t)(line % ((struct org *)st)->n_sm);
    return L1_ROUTE_REMOTE;
}
/* Everybody asks one SM, which answers slowly. */
static enum l1_route hot(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    (void)r, (void)set;
    *home = line % 8 ? 0 : (uint32_t)(mix(line) % ((struct org *)st)->n_sm);
    return L1_ROUTE_REMOTE;
}
/* All three ways, changing from request to request, as an organization that samples does. */
static enum l1_route mixed(void *st, const struct req *r, uint64_t line, uint32_t set, uint32_t *home)
{
    (void)set;
    *home = (uint32_t)(mix(line) % ((struct org *)st)->n_sm);
    switch (mix(line + r->token) % 4) {
    case 0:
        return L1_ROUTE_LOCAL;
    case 1:
        return L1_ROUTE_L2;
    default:
        return L1_ROUTE_REMOTE;
    }
}
#define ORGANIZATION(route_)                                                                                           \
    {                                                                                                                  \
        .info = {.name = #route_}, .state_bytes = sizeof(struct org), .remote = true, .init = org_init,                \
        .route = route_                                                                                                \
    }
static const struct l1_organization organization[] = {ORGANIZATION(interleaved), ORGANIZATION(hot),
                                                      ORGANIZATION(mixed)};
enum { ORGANIZATIONS = sizeof organization / sizeof *organization };

/* ---- machines with the smallest queues there are ---- */
#define SMALL                                                                                                          \
    "inject_queue = 1\nvc_flits = 1\n"                                                                                 \
    "[l1]\nsize = 1KiB\nassoc = 2\nset_hash = linear\nmshrs = 2\nmax_merges = 2\nmiss_queue = 2\nreply_queue = 1\n"    \
    "[l2]\nsize = 4KiB\nmshrs = 2\nmax_merges = 2\nmiss_queue = 2\ningress_queue = 1\nlatency = 1\ndram_queue = 1\n"   \
    "fill_queue = 1\n"
static const char *const network[] = {
    "[noc]\ncore_to_core = direct\n" SMALL,
    "[noc]\ncore_to_core = direct\nvoq = yes\n" SMALL,
    "[noc]\ncore_to_core = via-l2\n" SMALL,
    "[noc]\ncore_to_core = via-l2\nvoq = yes\niterations = 2\n" SMALL,
    "[noc]\ncore_to_core = direct\ncore_network = crossbar\n" SMALL,
    "[noc]\ncore_to_core = direct\ncore_network = mesh\n" SMALL,
    "[noc]\ncore_to_core = direct\ncore_network = butterfly\ncore_radix = 4\ncore_stages = 2\n" SMALL,
    "[noc]\ntopology = mesh\ncore_to_core = direct\nvcs = 1\n" SMALL,
    "[noc]\ntopology = mesh\ncore_to_core = direct\nvcs = 4\n" SMALL,
    "[noc]\ntopology = mesh\ncore_to_core = via-l2\nvcs = 1\n" SMALL,
    "[noc]\ntopology = mesh\ncore_to_core = direct\ncore_network = butterfly\nvcs = 1\n" SMALL,
    "[noc]\ntopology = butterfly\ncore_to_core = direct\nvcs = 1\n" SMALL,
    "[noc]\ntopology = butterfly\nradix = 2\nstages = 4\ncore_to_core = direct\nvcs = 2\n" SMALL,
    "[noc]\ntopology = butterfly\ncore_to_core = via-l2\nvcs = 1\n" SMALL,
};
enum { NETWORKS = sizeof network / sizeof *network };

static struct memsys *machine(const char *config, const struct l1_organization *o, bool tick_all)
{
    return memsys_new(&(struct memsys_config){.n_sm = SMS,
                                              .n_channel = CHANNELS,
                                              .slices = 1,
                                              .core_khz = 1400000,
                                              .noc_khz = 700000,
                                              .l2_khz = 700000,
                                              .dram_khz = 924000,
                                              .tick_all = tick_all,
                                              .config = config,
                                              .organization = o});
}

/* Loads, stores, atomics and bypassing loads to more lines than the caches hold, as fast as the L1 takes them. */
static bool random_traffic(void *ctx, uint32_t sm, uint64_t nth, struct shot *s)
{
    if (nth >= *(uint64_t *)ctx)
        return false;
    uint64_t h = mix(nth * 64 + sm);
    s->addr = (h >> 40) % 600 * 128;
    s->sectors = 1 + (h >> 20) % 15;
    s->warp = h >> 8 & 31;
    switch (h & 15) {
    case 0:
    case 1:
    case 2:
        s->kind = REQ_WRITE;
        break;
    case 3:
        s->kind = REQ_ATOMIC;
        break;
    case 4:
        s->flags = REQ_F_BYPASS;
        break;
    case 5:
        s->space = REQ_SP_TEX;
        break;
    default:
        break;
    }
    return true;
}

static uint64_t run(struct memsys *m, uint64_t each)
{
    for (uint32_t i = 0; i < SMS; i++)
        memsys_source(m, i, random_traffic, &each);
    uint64_t cycles = memsys_run(m); /* fails on a deadlock, on what does not come back, on a broken invariant */
    uint64_t back = 0;
    for (uint32_t i = 0; i < SMS; i++)
        back += m->sm[i].back;
    assert_int_equal(back, SMS * each);
    assert_true(memsys_stat(m, "l1.forwarded") > SMS * each / 4);
    assert_int_equal(memsys_stat(m, "l1.forwarded"), memsys_stat(m, "l1.remote_requests"));
    return cycles;
}

static void everything_comes_back(void **state)
{
    (void)state;
    for (unsigned k = 0; k < NETWORKS; k++)
        for (unsigned o = 0; o < ORGANIZATIONS; o++) {
            struct memsys *m = machine(network[k], &organization[o], false);
            run(m, 120);
            memsys_free(m);
        }
}

static void engines_agree(void **state)
{
    (void)state;
    for (unsigned k = 0; k < NETWORKS; k++) {
        struct memsys *skip = machine(network[k], &organization[2], false),
                      *tick = machine(network[k], &organization[2], true);
        assert_int_equal(run(skip, 60), run(tick, 60));
        for (unsigned i = 0; i < stats_count(skip->stats); i++)
            if (skip->values[i] != tick->values[i])
                print_error("network %u: %s is %lu, ticking %lu\n", k, stats_name(skip->stats, i)->name,
                            (unsigned long)skip->values[i], (unsigned long)tick->values[i]);
        assert_memory_equal(skip->values, tick->values, stats_count(skip->stats) * sizeof *skip->values);
        memsys_free(skip);
        memsys_free(tick);
    }
}

/* What each class carries is counted, and a message between SMs takes one leg, or two through the L2. */
static void classes_are_counted(void **state)
{
    (void)state;
    for (unsigned k = 0; k < NETWORKS; k++) {
        struct memsys *m = machine(network[k], &organization[0], false);
        run(m, 60);
        uint64_t remote = memsys_stat(m, "l1.forwarded"), requests = memsys_stat(m, "noc.to_l2.packets");
        uint64_t between = memsys_stat(m, "noc.to_home.packets") + memsys_stat(m, "noc.from_home.packets");
        assert_int_equal(memsys_stat(m, "noc.to_home.packets"), remote);
        assert_int_equal(memsys_stat(m, "noc.from_home.packets"), remote);
        assert_int_equal(memsys_stat(m, "l2.requests"), requests);
        assert_true(memsys_stat(m, "noc.to_home.latency_sum") >= remote);
        if (strstr(network[k], "via-l2")) {
            assert_int_equal(memsys_stat(m, "noc.to_home_forwarded.packets"), remote);
            assert_int_equal(memsys_stat(m, "noc.from_home_forwarded.packets"), remote);
            assert_int_equal(memsys_stat(m, "noc.request.packets_out"), requests + between);
        } else if (strstr(network[k], "core_network")) {
            assert_int_equal(memsys_stat(m, "noc.request.packets_out"), requests);
            assert_int_equal(memsys_stat(m, "noc.core_request.packets_out"), remote);
            assert_int_equal(memsys_stat(m, "noc.core_reply.packets_out"), remote);
        } else {
            assert_int_equal(memsys_stat(m, "noc.request.packets_out"), requests + remote);
        }
        memsys_free(m);
    }
}

/* A private organization gets what it would have without the keys, packet for packet. */
static void classes_cost_nothing_unused(void **state)
{
    (void)state;
    static const struct l1_organization none = {.info = {.name = "none"}};
    uint64_t each = 100, cycles[2];
    struct memsys *m[2] = {machine("[noc]\n" SMALL, &none, false), machine(network[2], &none, false)};
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < SMS; i++)
            memsys_source(m[k], i, random_traffic, &each);
        cycles[k] = memsys_run(m[k]);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_int_equal(stats_count(m[0]->stats), stats_count(m[1]->stats));
    assert_memory_equal(m[0]->values, m[1]->values, stats_count(m[0]->stats) * sizeof *m[0]->values);
    memsys_free(m[0]);
    memsys_free(m[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(classes_are_counted),
        cmocka_unit_test(classes_cost_nothing_unused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
