/*
 * The L1 unit of one SM, as the SM and the machine's builder see it.
 *
 * It holds up to three caches made of the same code: data, constant, texture (the latter two read-only), the SM's end
 * of the two networks, and the policies of the L1's four kinds (policy.h). It is one component on the core clock.
 *
 *   SM -> L1   l1_in(l1, which)  One message per line access: req = a request the SM allocated and filled in (addr, created_at,
 *                                token, pc, words, sm, warp, cta, loop, bytes, flags, kind, space, sectors, first, nth,
 *                                n_lines), info = 0. The SM may send as many per cycle as the port has room for; the L1
 *                                takes l1.ports per cycle, of different banks. The port's latency is l1.tag_latency.
 *   L1 -> SM   hit               Requests that hit, l1.latency cycles after they were sent, in order.
 *   L1 -> SM   fill              Every other request when it is complete: missed or merged loads when the line arrives,
 *                                atomics when the old value arrives, writes and reductions when they are acknowledged. At
 *                                most one per cycle.
 *   SM -> L1   l1_events(l1)     event.h, only the kinds of l1_wanted_events().
 *   L1 -> SM   event             event.h. NULL: nothing is sent.
 *
 * hit and fill must have room for every request the SM can have outstanding, because the L1 never waits for the SM. Each
 * request returns exactly once; req.served says which level served it, and the SM frees it.
 *
 * Loads with REQ_F_BYPASS and all REQ_ATOMIC/REQ_RED bypass the cache. An atomic or a bypassing write invalidates the
 * line if the cache has it; a bypassing read does not look it up.
 *
 * Not modeled: data values; the L1's instruction side.
 */
#ifndef WEIR_L1_L1_H
#define WEIR_L1_L1_H

#include "engine/addrmap.h"
#include "engine/engine.h"
#include "engine/event.h"
#include "engine/port.h"
#include "engine/policy_registry.h"

struct l1;
struct l1_setup; /* l1/l1_config.h */
struct l1_observer;

enum l1_which { L1_DATA, L1_CONST, L1_TEX, L1_COUNT };

/* The L1's environment, from the builder. Everything pointed to outlives the L1. */
struct l1_env {
    uint32_t sm; /* index of its SM */
    uint32_t n_sm;
    uint32_t n_warp;            /* warp slots of an SM */
    uint32_t n_cta;             /* CTA slots of an SM */
    uint32_t max_requests;      /* requests its SM can have outstanding: bounds the reply ports */
    const uint16_t *slice_node; /* network node of each L2 slice */
    const uint16_t *sm_node;    /* network node of each SM */
    const struct addrmap *map;
    uint32_t (*hops)(const void *ctx, uint32_t from_node, uint32_t to_node); /* distance in the network; may be NULL */
    const void *hops_ctx;
    struct l1_observer *observer; /* of all L1s (observer.h); NULL = none */
};

/* NULL with *e filled on a bad configuration. `name` ("sm.3.l1") must outlive it. */
struct l1 *l1_new(struct engine *, const struct l1_setup *, const struct l1_env *, const char *name, struct err *e);

struct port *l1_in(struct l1 *, enum l1_which);
struct port *l1_events(struct l1 *);
uint32_t l1_wanted_events(const struct l1 *); /* bit per enum event */
/* The SM's three ports, above. The L1 becomes their producer. */
void l1_connect_sm(struct l1 *, struct port *hit, struct port *fill, struct port *event);

/*
 * The network. Each message class leaves and arrives through its own port, so that no class can wait for another
 * (docs/noc.md). reply_in: replies of the L2; home_reply_in: of another SM's L1; request_in: requests of other SMs
 * for lines that live here.
 */
struct l1_net {
    struct port *to_l2;
    struct port *to_home;      /* NULL where SMs do not reach each other, as is to_requester */
    struct port *to_requester; /* replies to requests of other SMs */
};
struct port *l1_reply_in(struct l1 *);
struct port *l1_home_reply_in(struct l1 *);
struct port *l1_request_in(struct l1 *);
void l1_connect_net(struct l1 *, const struct l1_net *);

/*
 * Kernel boundary, called while the engine is stopped and the SM has nothing outstanding: counts the lines dropped,
 * writes dirty (local) lines back when the configuration says so, tells the policies.
 */
void l1_kernel_begin(struct l1 *, uint32_t launch_index);
void l1_set_kernel(struct l1 *, uint32_t kernel); /* before it: which kernel, for policies that keep state by pc */
/* Before it: bytes of the L1's array that are shared memory in this kernel, rounded up to whole ways. */
void l1_carve_out(struct l1 *, uint64_t bytes);
void l1_kernel_end(struct l1 *);
bool l1_drained(const struct l1 *); /* nothing in flight, nothing queued */
/* Its policies with their states, for reports; those without hooks have no state and are left out. */
void l1_each_policy(const struct l1 *, policy_visit *, void *ctx);

#endif
