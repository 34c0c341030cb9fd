/*
 * An observer beside the L1s of a machine: statistics that no single L1 can collect (l1.observe = yes).
 *
 * It counts how many data caches currently hold each line, which identifies misses that another L1 could have served
 * (replication); how many bytes of a line loads request; which level replies; and how evenly the homes of a shared
 * organization are used. It models no hardware and does not affect timing.
 *
 * All L1s of a machine share one observer. Its results do not depend on the order in which the L1s are ticked, because
 * a miss is classified by the copies that existed before its cycle.
 */
#ifndef WEIR_L1_OBSERVER_H
#define WEIR_L1_OBSERVER_H

#include "base/mem.h"
#include "engine/request.h"

struct stats;
struct l1_observer;

/* `n_line`: lines that all data caches can hold together. */
struct l1_observer *l1_observer_new(struct arena *, uint32_t n_sm, uint32_t n_line);
void l1_observer_register_stats(struct l1_observer *, struct stats *);

/* A data cache has gained or lost a line in core cycle `now`. */
void l1_observe_copy(struct l1_observer *, uint64_t line, bool got, uint64_t now);
/* A load has missed in a cache that does not have the line. */
void l1_observe_miss(struct l1_observer *, uint64_t line, uint64_t now);
/* The SM's own L1 has accepted a load or store; `hit`: and serves it. */
void l1_observe_request(struct l1_observer *, const struct req *, bool hit);
/* A message has arrived for an SM, or for a line that an SM waits for. */
void l1_observe_reply(struct l1_observer *, bool from_home);
/* The L1 of SM `home` has accepted a request of its own or another SM. */
void l1_observe_home(struct l1_observer *, uint32_t home);
void l1_observe_kernel(struct l1_observer *);
/* Updates the counters that add intervals to the end of cycle `now`. */
void l1_observe_sync(struct l1_observer *, uint64_t now);

#endif
