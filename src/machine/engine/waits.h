/*
 * Who waits for whom: asked when nothing moves any more, so that the report of a deadlock is the cycle of waits and not
 * the state of everything.
 *
 * Each component's hook comp.waits names the requests it holds and what each of them waits for. A request is in one
 * of the component's ports (`at`; the oldest message speaks for those behind it) or inside it (`at` NULL). It waits
 *   for room       in a port, whose consumer tells what its oldest message waits for;
 *   for a request  that is in front of it, or whose reply it needs, wherever that one is;
 *   for a component to do something with what it has (an L2 slice for its DRAM channel);
 *   for something else, in words, that is no request of this machine (a barrier), where the walk ends.
 * The engine follows the waits from the oldest request until it meets one again: waits_print().
 */
#ifndef WEIR_ENGINE_WAITS_H
#define WEIR_ENGINE_WAITS_H

#include "engine/port.h"

struct waits;

/* For comp.waits. `req` may be REQ_NONE. `why` says in a few words what for: a constant, or made by waits_text. */
void waits_for_room(struct waits *, const struct port *at, req_id req, const struct port *full, const char *why);
void waits_for_request(struct waits *, const struct port *at, req_id req, req_id other, const char *why);
void waits_for_comp(struct waits *, const struct port *at, req_id req, const struct comp *other, const char *why);
void waits_for_else(struct waits *, const struct port *at, req_id req, const char *why);

const char *waits_text(struct waits *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The oldest message of a port, ready or not; REQ_NONE when there is none. */
static inline req_id port_oldest(const struct port *p)
{
    return port_empty(p) ? REQ_NONE : p->slot[p->head & p->mask].req;
}

#endif
