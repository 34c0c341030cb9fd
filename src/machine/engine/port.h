/*
 * A port: the bounded queue through which one component hands messages to one other.
 *
 * One producer, one consumer. A message is seen by the consumer in its cycle `ready`, which is strictly after the
 * instant of sending; a slot freed by port_pop can be used strictly after the instant of the pop. So it makes no
 * difference which of the two is ticked first. Sending wakes the consumer at `ready`; popping from a port whose
 * producer may be waiting wakes the producer at its next cycle.
 *
 * Messages are in order: one that is ready waits behind one that is not. `ready` must not decrease.
 *
 * The consumer owns the port (it is a member of the consumer's struct); the producer gets a pointer to it.
 */
#ifndef WEIR_ENGINE_PORT_H
#define WEIR_ENGINE_PORT_H

#include "engine/engine.h"

/* 16 bytes. What `req` and `info` mean is between the two: a request and netmsg.h's packet, an event, a CTA. */
struct msg {
    uint64_t ready; /* consumer's cycle */
    req_id req;
    uint32_t info;
};

struct port {
    struct msg *slot; /* mask + 1 of them */
    uint32_t mask, cap;
    uint32_t head, tail; /* free running */
    uint32_t popped;     /* how many at instant popped_at: not yet free for the producer */
    uint32_t need;       /* the producer waits while fewer slots than this are free (1 unless set) */
    uint64_t popped_at;
    uint64_t last_ready;
    uint32_t latency; /* consumer cycles from sending to ready, >= 1 */
    struct engine *eng;
    struct comp *producer, *consumer; /* producer may be NULL: no component to wake */
    uint64_t sent;                    /* taken = sent - (tail - head) */
    uint64_t *mark, mark_bit;         /* set by every send: see port_watch */
    uint64_t unwatched;
    const char *name;
};

/* `cap` messages; latency in consumer cycles. `name` must outlive the port. The producer is set by port_connect. */
void port_init(struct port *, struct engine *, struct comp *consumer, uint32_t cap, uint32_t latency, const char *name);
static inline void port_connect(struct port *p, struct comp *producer)
{
    p->producer = producer;
}

/*
 * For a consumer with many ports: every send sets `bit` in *word, so that it finds the ports with messages without
 * asking them all. The consumer clears the bit when it has emptied the port.
 */
static inline void port_watch(struct port *p, uint64_t *word, uint64_t bit)
{
    p->mark = word;
    p->mark_bit = bit;
}

/* Producer's view: slots in use at the start of this instant plus what it has sent since. */
static inline uint32_t port_free(const struct port *p)
{
    uint32_t used = p->tail - p->head + (p->popped_at == p->eng->time ? p->popped : 0);
    return p->cap - used;
}
/* A producer that gets "no" is woken when there is room; if it was made at this very instant, in the next cycle. */
static inline bool port_can_send(const struct port *p)
{
    if (port_free(p) > 0)
        return true;
    if (p->popped_at == p->eng->time && p->producer)
        engine_wake(p->producer, 0);
    return false;
}

/* Sends with the port's latency plus `extra` consumer cycles. There must be room. */
static inline void port_send_later(struct port *p, req_id req, uint32_t info, uint64_t extra)
{
    uint64_t ready = engine_next_cycle(p->consumer) + (p->latency - 1) + extra;
    if (ready < p->last_ready)
        ready = p->last_ready; /* order is kept: it waits behind the one before */
    p->last_ready = ready;
    p->slot[p->tail++ & p->mask] = (struct msg){ready, req, info};
    p->sent++;
    *p->mark |= p->mark_bit;
    engine_wake(p->consumer, ready);
}
static inline void port_send(struct port *p, req_id req, uint32_t info)
{
    port_send_later(p, req, info, 0);
}

/*
 * The same at no more than one message per consumer cycle: a producer that finishes several things at once (a fill that
 * wakes merged misses) can send them at once and they arrive one per cycle.
 */
static inline void port_send_paced(struct port *p, req_id req, uint32_t info)
{
    uint64_t ready = engine_next_cycle(p->consumer) + (p->latency - 1);
    uint64_t extra = ready <= p->last_ready ? p->last_ready + 1 - ready : 0;
    port_send_later(p, req, info, extra);
}

/* Consumer's view: the oldest message if it is ready in cycle `now`, else NULL. */
static inline const struct msg *port_peek(const struct port *p, uint64_t now)
{
    if (p->head == p->tail)
        return NULL;
    const struct msg *m = &p->slot[p->head & p->mask];
    return m->ready <= now ? m : NULL;
}
static inline bool port_empty(const struct port *p)
{
    return p->head == p->tail;
}
static inline uint32_t port_count(const struct port *p)
{
    return p->tail - p->head;
}
/* The cycle in which the oldest message is (or was) ready; NEVER when there is none. */
static inline uint64_t port_next_ready(const struct port *p)
{
    return p->head == p->tail ? NEVER : p->slot[p->head & p->mask].ready;
}

/* Takes the oldest message; there must be one. */
static inline struct msg port_pop(struct port *p)
{
    uint32_t used = p->tail - p->head;
    struct msg m = p->slot[p->head++ & p->mask];
    if (p->popped_at != p->eng->time) {
        p->popped_at = p->eng->time;
        p->popped = 0;
    }
    p->popped++;
    p->eng->progress++;
    if (p->producer && p->cap - used < p->need)
        engine_wake(p->producer, 0);
    return m;
}

#endif
