/*
 * A port: the bounded queue through which one component hands messages to one other.
 *
 * One producer, one consumer. A message is seen by the consumer in its cycle `ready`, which is strictly after the
 * instant of sending; a slot freed by port_pop can be used strictly after the instant of the pop. So it makes no
 * difference which of the two is ticked first. Sending wakes the consumer at `ready`; popping from a port whose
 * producer may be waiting wakes the producer at its next cycle.
 *
 * Producer and consumer may be ticked at the same time by two threads. So each writes only its own members, a message is
 * complete before its slot's `ready` shows it, and `popped_at` and `head_before` are written before `head` changes: a
 * producer that sees the new head sees them, too.
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
    uint64_t ready; /* consumer's cycle; 0: the slot is empty */
    req_id req;
    uint32_t info;
};

struct port {
    /* of the consumer */
    struct msg *front;    /* the oldest message's slot */
    uint32_t head;        /* free running, as tail */
    uint32_t head_before; /* before the pops of instant popped_at, which free nothing for the producer yet */
    uint64_t popped_at;
    /* constant; between the members that two threads write, a cache line apart */
    struct msg *slot; /* mask + 1 of them */
    uint32_t mask, cap;
    struct engine *eng;
    struct comp *producer, *consumer; /* producer may be NULL: no component to wake */
    const char *name;
    uint32_t latency;          /* consumer cycles from sending to ready, >= 1 */
    const struct comp *sender; /* whose worker sends: the producer, or the consumer where there is none */
    uint64_t *mark, mark_bit;  /* set by every send: see port_watch; 0 = none */
    /* of the producer */
    uint32_t tail;
    uint32_t head_seen; /* head when it last looked, without pops of that instant */
    uint64_t last_ready;
    uint64_t sent; /* taken = sent - (tail - head) */
};

/* `cap` messages; latency in consumer cycles. `name` must outlive the port. The producer is set by port_connect. */
void port_init(struct port *, struct engine *, struct comp *consumer, uint32_t cap, uint32_t latency, const char *name);
static inline void port_connect(struct port *p, struct comp *producer)
{
    p->producer = producer;
    p->sender = producer;
}

static inline uint32_t port_head(const struct port *p)
{
    return __atomic_load_n(&p->head, __ATOMIC_ACQUIRE);
}
static inline bool port_popped_now(const struct port *p)
{
    return __atomic_load_n(&p->popped_at, __ATOMIC_ACQUIRE) == p->eng->time;
}

/*
 * For a consumer with many ports: every send sets `bit` in *word, so that it finds the ports with messages without
 * asking them all; several workers set it at the end of the instant. The consumer calls port_unmark when it finds the port
 * empty.
 */
static inline void port_watch(struct port *p, uint64_t *word, uint64_t bit)
{
    p->mark = word;
    p->mark_bit = bit;
}
static inline void port_unmark(struct port *p)
{
    *p->mark &= ~p->mark_bit;
}

/* Producer's view: slots in use at the start of this instant plus what it has sent since. */
static inline uint32_t port_free(struct port *p)
{
    const uint32_t head = port_head(p);
    p->head_seen = port_popped_now(p) ? p->head_before : head;
    return p->cap - (p->tail - p->head_seen);
}
/* port_free(p) > n. What the consumer has taken is looked at when it matters. */
static inline bool port_has_room(struct port *p, uint32_t n)
{
    return p->cap - (p->tail - p->head_seen) > n || port_free(p) > n;
}
/*
 * A producer that gets "no" is woken when there is room; if it was made at this very instant, in the next cycle. So is, with
 * several workers, one that has filled the port at this instant: a pop at the same time may not have seen it full.
 */
static inline bool port_can_send(struct port *p)
{
    if (port_has_room(p, 0))
        return true;
    if (p->producer &&
        (port_popped_now(p) || (p->eng->crew && p->last_ready >= engine_next_cycle(p->consumer) + (p->latency - 1))))
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
    struct msg *m = &p->slot[p->tail++ & p->mask];
    m->req = req;
    m->info = info;
    __atomic_store_n(&m->ready, ready, __ATOMIC_RELEASE);
    p->sent++;
    if (p->mark_bit) {
        if (p->eng->crew)
            engine_mark_later(p->sender->worker, p);
        else
            *p->mark |= p->mark_bit;
    }
    engine_wake_from(p->sender->worker, p->consumer, ready);
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

/* Consumer's view of the oldest message, 0 when there is none. What is sent at this instant may be seen or not. */
static inline uint64_t port_front(const struct port *p)
{
    return __atomic_load_n(&p->front->ready, __ATOMIC_ACQUIRE);
}
/* The cycle in which the oldest message is (or was) ready; NEVER when there is none. */
static inline uint64_t port_next_ready(const struct port *p)
{
    const uint64_t ready = port_front(p);
    return ready ? ready : NEVER;
}
/* The oldest message if it is ready in cycle `now`, else NULL. */
static inline const struct msg *port_peek(const struct port *p, uint64_t now)
{
    return port_front(p) - 1 < now ? p->front : NULL;
}
static inline bool port_empty(const struct port *p)
{
    return !port_front(p);
}
/* For a port that is watched. */
static inline void port_unmark_if_empty(struct port *p)
{
    if (port_empty(p))
        port_unmark(p);
}
/* Between two instants. */
static inline uint32_t port_count(const struct port *p)
{
    return p->tail - p->head;
}

/* Takes the oldest message; there must be one. */
static inline struct msg port_pop(struct port *p)
{
    const uint32_t head = p->head;
    const struct msg m = *p->front;
    const bool full = __atomic_load_n(&p->slot[(head + p->cap - 1) & p->mask].ready, __ATOMIC_RELAXED) != 0;
    p->front->ready = 0;
    p->front = &p->slot[(head + 1) & p->mask];
    if (p->popped_at != p->eng->time) {
        p->head_before = head;
        __atomic_store_n(&p->popped_at, p->eng->time, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&p->head, head + 1, __ATOMIC_RELEASE);
    p->consumer->worker->progress++;
    if (full && p->producer)
        engine_wake_from(p->consumer->worker, p->producer, 0);
    return m;
}

#endif
