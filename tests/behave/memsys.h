/*
 * A memory system between mock SMs: L1s, two networks, L2 slices and DRAM channels as a machine has them, driven by
 * scripts or by a seeded random stream. For tests of behavior, bounds and engine equality, and for the benchmark.
 */
#ifndef WEIR_TESTS_MEMSYS_H
#define WEIR_TESTS_MEMSYS_H

#include "dram/dram_config.h"
#include "engine/port.h"
#include "l1/l1_config.h"
#include "l2/l2_config.h"
#include "noc/fabric.h"

struct memsys;

/* One request of a script: handed to the L1 in core cycle `at` or as soon as it takes it, in order. */
struct shot {
    uint64_t at;
    uint64_t addr;
    uint8_t kind;    /* enum req_kind */
    uint8_t space;   /* 0 = global */
    uint8_t sectors; /* 0 = all four */
    uint16_t flags, warp;
    uint32_t pc;
    uint16_t loop;
    uint8_t nth, n_lines; /* this line's place among those of its instruction; n_lines 0 = 1 */
    uint16_t policy_tag;  /* req.policy_tag */
    uint16_t cta;
    uint32_t words; /* 0 = all of the sectors */
};
struct landing {
    uint64_t sent, back; /* core cycles: handed to the L1, seen by the SM; back 0 = not yet */
    uint8_t served;
};

/* How a mock SM makes requests: fills *s and returns true, or false for "nothing more". Called when the last was sent.
 */
typedef bool (*shot_source)(void *ctx, uint32_t sm, uint64_t nth, struct shot *s);

struct mock_sm {
    struct comp comp;
    struct memsys *sys;
    uint32_t index;
    struct port hit, fill, event;
    struct port *to_l1[L1_COUNT];
    const struct shot *script;
    struct landing *landing;
    uint64_t n_script;
    shot_source source;
    void *source_ctx;
    void (*landed)(void *ctx, uint32_t sm,
                   const struct req *); /* with source_ctx, for each request back; may be NULL */
    struct shot next;
    bool have_next, done;
    uint64_t sent, back, max_outstanding, latency_sum, per_cycle;
    uint64_t last_back; /* cycle */
    uint64_t events_seen[EVENT_COUNT];
};

struct memsys_config {
    uint32_t n_sm, n_channel, slices;
    uint64_t core_khz, noc_khz, l2_khz, dram_khz;
    bool tick_all;
    const char *map;          /* NULL = GPGPU-Sim's GTX480 */
    const char *config;       /* INI text for [l1] [const] [tex] [noc] [l2] [dram]; NULL = defaults */
    uint64_t max_outstanding; /* per SM; 0 = 512 */
    bool reverse;             /* engine_config.reverse */
    uint32_t threads;         /* the same */
    /* A test's own policies instead of those that the text names; NULL = the text's. All get policy_params. */
    const struct l1_management *management;
    const struct l1_organization *organization;
    const struct l1_prefetcher *prefetcher;
    const struct order_policy *order;
    const void *policy_params;
    const struct order_policy *l2_order;
};

/* One SM, one channel, one slice, all at 1 GHz: one cycle is one cycle. */
#define MEMSYS_1GHZ .core_khz = 1000000, .noc_khz = 1000000, .l2_khz = 1000000, .dram_khz = 1000000
#define MEMSYS_ONE  .n_sm = 1, .n_channel = 1, .slices = 1, MEMSYS_1GHZ

struct memsys {
    struct arena *arena;
    struct engine *eng;
    struct cfg *cfg;
    struct memsys_config c;
    struct addrmap map;
    uint16_t *sm_node, *slice_node;
    struct l1 **l1;
    struct fabric *fabric;
    struct l2 **l2;
    struct dram **dram;
    struct mock_sm *sm;
    struct stats *stats;
    uint64_t *values;
    struct l1_setup l1_config;
    struct l2_setup l2_config;
    struct dram_setup dram_config;
    struct noc_setup noc_config;
};

/* Fails the running test on a bad configuration. */
struct memsys *memsys_new(const struct memsys_config *);
void memsys_free(struct memsys *);
/* Before memsys_run: what SM `sm` does. landing[n] is filled (may be NULL for sources). */
void memsys_script(struct memsys *, uint32_t sm, const struct shot *, uint64_t n, struct landing *landing);
void memsys_source(struct memsys *, uint32_t sm, shot_source, void *ctx);
/* Runs until all SMs have their requests back and everything is quiet; checks the invariants. Returns core cycles. */
uint64_t memsys_run(struct memsys *);
/* After memsys_run: the kernel ends, the next begins, and the sources are asked again. */
void memsys_next_kernel(struct memsys *);
/* A counter by its full name ("l1.hits"); fails the test when there is none. */
uint64_t memsys_stat(struct memsys *, const char *name);

#endif
