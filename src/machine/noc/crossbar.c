/*
 * A crossbar: every node can send one packet and receive one packet at a time; iSLIP matches inputs and outputs.
 *
 * Source: McKeown's iSLIP. Each free output grants the first requesting free input from its pointer, each input
 * accepts the first granting output from its pointer; pointers move one past an accepted match, in the first iteration
 * only. A matched packet of f flits occupies its input and its output for f cycles; its last flit arrives latency + f
 * - 1 cycles after the match. With one queue per input (voq = no, as in GPGPU-Sim) a head packet whose output is busy
 * blocks the packets behind it; with virtual output queues it does not.
 *
 * Message classes share the switch, not the queues: an input has a queue (or a set of virtual output queues) per
 * class, and an output that finds room at its receiver in several classes grants them in turn. A class whose receiver
 * is full therefore blocks no other class.
 *
 * A packet's slot in the receiver's port is reserved at the match, so no packet is dropped or blocked inside the
 * switch.
 */
#include "engine/waits.h"
#include "noc/noc_priv.h"

#define NONE UINT32_MAX

struct xpacket {
    req_id req;
    uint32_t info;
    uint64_t since;
    uint32_t next;
};

struct grant {
    uint32_t out, class;
};

struct xbar {
    struct noc noc;
    uint32_t words;               /* of a set of nodes */
    uint64_t *request;            /* per output and class, [out * n_class + class]: the requesting inputs */
    uint64_t *wanted;             /* outputs with at least one request */
    uint64_t *in_busy, *out_busy; /* cycle until which an input or output is in use */
    uint32_t *in_ptr;             /* per input: the output it accepts first */
    uint32_t *out_ptr;            /* per output and class: the input it grants first */
    uint8_t *class_ptr;           /* per output: the class it grants first */
    struct grant *grant;          /* scratch: per input the granting output */
    uint64_t *granted;            /* scratch: inputs with a grant */
    uint64_t *exposed;            /* per class: inputs whose head packet is in `request` (one queue per input) */
    /* Virtual output queues: lists of packets from one pool. */
    struct xpacket *packet;
    uint32_t free;
    uint32_t *head, *tail; /* [lane * n + output] */
    uint32_t *held;        /* per lane: packets in its queues, at most noc.inject_queue */
    uint32_t n;
};

static uint32_t xbar_hops(const struct noc *n, uint32_t from, uint32_t to)
{
    (void)n, (void)from, (void)to;
    return 1;
}

/* The first member of set at or after `from`, around; NONE when empty. */
ALWAYS_INLINE uint32_t first_from(const uint64_t *set, uint32_t words, uint32_t from)
{
    uint32_t w = from >> 6;
    uint64_t bits = set[w] & (~0ull << (from & 63));
    for (uint32_t k = 0; k <= words; k++) {
        if (bits)
            return w * 64 + (uint32_t)__builtin_ctzll(bits);
        w = w + 1 == words ? 0 : w + 1;
        bits = set[w];
        if (k + 1 == words)
            bits &= ~(~0ull << (from & 63));
    }
    return NONE;
}

ALWAYS_INLINE uint64_t *requests(const struct xbar *x, uint32_t n_class, uint32_t words, uint32_t out, uint32_t c)
{
    return &x->request[(out * n_class + c) * words];
}

/* Input `in` requests output `out` for a packet of class c. */
ALWAYS_INLINE void ask(struct xbar *x, uint32_t n_class, uint32_t words, uint32_t in, uint32_t out, uint32_t c)
{
    requests(x, n_class, words, out, c)[in >> 6] |= 1ull << (in & 63);
    x->wanted[out >> 6] |= 1ull << (out & 63);
}

ALWAYS_INLINE void withdraw(struct xbar *x, uint32_t n_class, uint32_t words, uint32_t in, uint32_t out, uint32_t c)
{
    requests(x, n_class, words, out, c)[in >> 6] &= ~(1ull << (in & 63));
    const uint64_t *all = requests(x, n_class, words, out, 0);
    for (uint32_t w = 0; w < n_class * words; w++)
        if (all[w])
            return;
    x->wanted[out >> 6] &= ~(1ull << (out & 63));
}

ALWAYS_INLINE uint32_t target(struct xbar *x, uint32_t c, req_id id)
{
    uint32_t to = noc_target(&x->noc, c, id);
    if (to >= x->n || !x->noc.out[c * x->n + to])
        BUG("%s: a packet for node %u, which has no receiver", x->noc.comp.name, to);
    return to;
}

/* Sorts the packets of an injection port into its virtual output queues, as far as there is room. */
ALWAYS_INLINE void fill_voqs(struct xbar *x, uint32_t n_class, uint32_t words, uint32_t c, uint32_t in, uint64_t now)
{
    uint32_t lane = c * x->n + in;
    struct port *p = &x->noc.in[lane];
    while (x->held[lane] < x->noc.cfg.inject_queue && port_peek(p, now)) {
        x->held[lane]++;
        struct msg msg = port_pop(p);
        uint32_t to = target(x, c, msg.req), k = x->free, q = lane * x->n + to;
        x->free = x->packet[k].next;
        x->packet[k] = (struct xpacket){msg.req, msg.info, msg.ready, NONE};
        if (x->head[q] == NONE) {
            x->head[q] = k;
            ask(x, n_class, words, in, to, c);
        } else {
            x->packet[x->tail[q]].next = k;
        }
        x->tail[q] = k;
        x->noc.in_flight += net_pieces(msg.info);
        noc_count_entry(&x->noc, msg.info, noc_flits(&x->noc, msg.info));
    }
}

/* Visits a class's injection ports that have received packets: requests outputs for their heads, or for all packets. */
ALWAYS_INLINE void look_at_inputs(struct xbar *x, uint32_t n_class, uint32_t words, uint32_t c, uint64_t now)
{
    const uint64_t *marked = &x->noc.marked[c * words];
    uint64_t *exposed = &x->exposed[c * words];
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t m = marked[w] & ~exposed[w]; m; m &= m - 1) { /* an exposed head waits for its match */
            uint32_t in = w * 64 + (uint32_t)__builtin_ctzll(m);
            struct port *p = &x->noc.in[c * x->n + in];
            if (x->noc.cfg.voq) {
                fill_voqs(x, n_class, words, c, in, now);
            } else {
                const struct msg *msg = port_peek(p, now);
                if (msg) {
                    ask(x, n_class, words, in, target(x, c, msg->req), c);
                    exposed[w] |= 1ull << (in & 63);
                }
            }
            if (port_empty(p))
                port_unmark(p);
        }
    }
}

ALWAYS_INLINE void transfer(struct xbar *x, uint32_t n_class, uint32_t words, uint32_t in, uint32_t out, uint32_t c,
                            uint64_t now)
{
    struct xpacket pkt;
    uint32_t lane = c * x->n + in;
    if (x->noc.cfg.voq) {
        uint32_t q = lane * x->n + out, k = x->head[q];
        pkt = x->packet[k];
        x->head[q] = pkt.next;
        x->packet[k].next = x->free;
        x->free = k;
        if (pkt.next == NONE)
            withdraw(x, n_class, words, in, out, c);
        x->held[lane]--;
        x->noc.in_flight -= net_pieces(pkt.info);
    } else {
        struct msg m = port_pop(&x->noc.in[lane]);
        pkt = (struct xpacket){m.req, m.info, m.ready, NONE};
        withdraw(x, n_class, words, in, out, c);
        x->exposed[c * words + (in >> 6)] &= ~(1ull << (in & 63));
        noc_count_entry(&x->noc, pkt.info, noc_flits(&x->noc, pkt.info));
    }
    uint32_t flits = noc_flits(&x->noc, pkt.info);
    x->out_busy[out] = now + flits;
    if (!net_is_copy(pkt.info))
        x->in_busy[in] = now + flits;
    /* The port's own latency (one consumer cycle) is the step into the receiver. */
    uint64_t transit = x->noc.cfg.crossbar_latency - 1 + flits - 1;
    struct port *p = x->noc.out[c * x->n + out];
    port_send_later(p, pkt.req, pkt.info, engine_convert(&x->noc.comp, transit, p->consumer));
    x->noc.stats.hops += net_pieces(pkt.info);
    x->noc.stats.flit_hops += flits;
    noc_count_delivery(&x->noc, c, net_pieces(pkt.info), flits, now + transit + 1 - pkt.since);
}

/* Does the receiver at an output accept a packet of class c? Not every node receives every class. */
ALWAYS_INLINE bool has_room(const struct xbar *x, uint32_t n_class, uint32_t out, uint32_t c)
{
    struct port *p = x->noc.out[c * x->n + out];
    return (n_class == 1 || p) && port_can_send(p);
}

/* The first free input, from the output's pointer on, that requests `out` for class c; NONE = none, or no room. */
ALWAYS_INLINE uint32_t choose_input(const struct xbar *x, uint32_t n_class, uint32_t words, uint32_t out, uint32_t c,
                                    uint64_t now)
{
    if (!has_room(x, n_class, out, c))
        return NONE;
    const uint64_t *set = requests(x, n_class, words, out, c);
    uint32_t in = first_from(set, words, x->out_ptr[out * n_class + c]), begin = in;
    if (n_class > 1 && in == NONE)
        return NONE;
    while (x->in_busy[in] > now) {
        in = first_from(set, words, in + 1 == x->n ? 0 : in + 1);
        if (in == begin)
            return NONE;
    }
    return in;
}

/* Grant: every free output with room at its receiver picks an input. An input keeps the grant nearest its pointer. */
ALWAYS_INLINE bool grant_outputs(struct xbar *x, uint32_t n_class, uint32_t words, uint64_t now)
{
    bool any = false;
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t m = x->wanted[w]; m; m &= m - 1) {
            uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(m), c = n_class == 1 ? 0 : x->class_ptr[out], in = NONE;
            if (x->out_busy[out] > now)
                continue;
            for (uint32_t k = 0; k < n_class; k++) {
                in = choose_input(x, n_class, words, out, c, now);
                if (in != NONE)
                    break;
                c = c + 1 == n_class ? 0 : c + 1;
            }
            if (in == NONE)
                continue;
            any = true;
            if (!(x->granted[in >> 6] >> (in & 63) & 1)) {
                x->granted[in >> 6] |= 1ull << (in & 63);
                x->grant[in] = (struct grant){out, c};
            } else { /* nearer to the input's pointer wins */
                uint32_t held = (x->grant[in].out + x->n - x->in_ptr[in]) % x->n;
                if ((out + x->n - x->in_ptr[in]) % x->n < held)
                    x->grant[in] = (struct grant){out, c};
            }
        }
    }
    return any;
}

ALWAYS_INLINE bool match(struct xbar *x, uint32_t n_class, uint32_t words, uint64_t now, bool first)
{
    if (!grant_outputs(x, n_class, words, now))
        return false;
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t m = x->granted[w]; m; m &= m - 1) {
            uint32_t in = w * 64 + (uint32_t)__builtin_ctzll(m), out = x->grant[in].out;
            uint32_t c = n_class == 1 ? 0 : x->grant[in].class;
            if (first) {
                x->in_ptr[in] = out + 1 == x->n ? 0 : out + 1;
                x->out_ptr[out * n_class + c] = in + 1 == x->n ? 0 : in + 1;
                if (n_class > 1)
                    x->class_ptr[out] = (uint8_t)(c + 1 == n_class ? 0 : c + 1);
            }
            transfer(x, n_class, words, in, out, c, now);
        }
        x->granted[w] = 0;
    }
    return true;
}

/* When can inputs whose port has packets that are not in the matching yet join it? */
ALWAYS_INLINE uint64_t next_look(const struct xbar *x, uint32_t words, uint32_t c, uint64_t now, uint64_t want)
{
    for (uint32_t w = 0; w < words; w++) {
        uint64_t left = x->noc.marked[c * words + w] & ~x->exposed[c * words + w];
        for (; left; left &= left - 1) {
            uint32_t lane = c * x->n + w * 64 + (uint32_t)__builtin_ctzll(left);
            if (x->noc.cfg.voq && x->held[lane] == x->noc.cfg.inject_queue)
                continue; /* a match frees an entry and causes a tick */
            uint64_t at = port_next_ready(&x->noc.in[lane]);
            if (at == NEVER)
                continue;
            at = at > now ? at : now + 1;
            want = at < want ? at : want;
        }
    }
    return want;
}

/*
 * When could output `out`, which has requests, next be matched? When it and one of its requesting inputs are free. A
 * full receiver wakes the network itself.
 */
ALWAYS_INLINE uint64_t next_match(const struct xbar *x, uint32_t n_class, uint32_t words, uint32_t out, uint64_t now)
{
    if (x->out_busy[out] > now)
        return x->out_busy[out];
    uint64_t at = NEVER;
    for (uint32_t c = 0; c < n_class; c++) {
        const uint64_t *set = requests(x, n_class, words, out, c);
        if (!has_room(x, n_class, out, c))
            continue;
        for (uint32_t w = 0; w < words; w++)
            for (uint64_t k = set[w]; k; k &= k - 1) {
                uint64_t free_at = x->in_busy[w * 64 + (uint32_t)__builtin_ctzll(k)];
                at = free_at < at ? free_at : at;
            }
    }
    return at > now ? at : now + 1; /* not later: lost this cycle's match to another */
}

/* The cycle is compiled for the constants n_class = 1 and words = 1, which removes the loops over them, and for any. */
ALWAYS_INLINE uint64_t tick_body(struct xbar *x, uint64_t now, uint32_t n_class, uint32_t words)
{
    uint64_t want = NEVER;
    for (uint32_t c = 0; c < n_class; c++)
        look_at_inputs(x, n_class, words, c, now);
    for (uint32_t i = 0; i < x->noc.cfg.iterations; i++)
        if (!match(x, n_class, words, now, i == 0))
            break;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t m = x->wanted[w]; m; m &= m - 1) {
            uint64_t at = next_match(x, n_class, words, w * 64 + (uint32_t)__builtin_ctzll(m), now);
            want = at < want ? at : want;
        }
    for (uint32_t c = 0; c < n_class; c++)
        want = next_look(x, words, c, now, want);
    return want;
}

static uint64_t xbar_tick(struct comp *comp, uint64_t now)
{
    struct xbar *x = (struct xbar *)comp;
    return x->words == 1 ? tick_body(x, now, 1, 1) : tick_body(x, now, 1, x->words);
}

static uint64_t xbar_tick_classes(struct comp *comp, uint64_t now)
{
    struct xbar *x = (struct xbar *)comp;
    return x->words == 1 ? tick_body(x, now, x->noc.n_class, 1) : tick_body(x, now, x->noc.n_class, x->words);
}

static void xbar_waits(const struct comp *comp, struct waits *w)
{
    const struct xbar *x = (const struct xbar *)comp;
    for (uint32_t lane = 0; lane < x->n * x->noc.n_class; lane++) {
        const struct port *in = &x->noc.in[lane];
        struct port *const *out = &x->noc.out[lane / x->n * x->n];
        req_id id = port_oldest(in), queued = REQ_NONE;
        for (uint32_t to = 0; x->noc.cfg.voq && to < x->n; to++)
            for (uint32_t k = x->head[lane * x->n + to]; k != NONE; k = x->packet[k].next) {
                queued = x->packet[k].req;
                waits_for_room(w, NULL, queued, out[to], "its receiver");
            }
        if (id != REQ_NONE && queued != REQ_NONE)
            waits_for_request(w, in, id, queued, "the virtual output queues");
        else if (id != REQ_NONE)
            waits_for_room(w, in, id, out[noc_target(&x->noc, lane / x->n, id)], "its receiver");
    }
}

struct noc *crossbar_new(struct engine *eng, const struct noc *base, struct err *e)
{
    struct arena *a = eng->arena;
    (void)e;
    struct xbar *x = arena_alloc64(a, sizeof *x);
    uint32_t n = base->n_node, lanes = n * base->n_class;
    x->noc = *base;
    x->noc.comp.tick = base->n_class == 1 ? xbar_tick : xbar_tick_classes;
    x->noc.comp.waits = xbar_waits;
    x->noc.hops = xbar_hops;
    x->n = n;
    x->words = (n + 63) / 64;
    x->request = arena_alloc64(a, (size_t)lanes * x->words * 8);
    x->wanted = arena_alloc64(a, x->words * 8);
    x->granted = arena_alloc64(a, x->words * 8);
    x->exposed = arena_alloc64(a, base->n_class * x->words * 8);
    x->in_busy = arena_alloc64(a, n * 8);
    x->out_busy = arena_alloc64(a, n * 8);
    x->in_ptr = arena_alloc64(a, n * 4);
    x->out_ptr = arena_alloc64(a, lanes * 4);
    x->class_ptr = arena_alloc64(a, n);
    x->grant = arena_alloc64(a, n * sizeof *x->grant);
    if (base->cfg.voq) {
        uint32_t packets = lanes * base->cfg.inject_queue;
        x->held = arena_alloc64(a, lanes * 4);
        x->packet = arena_alloc64(a, packets * sizeof *x->packet);
        for (uint32_t i = 0; i < packets; i++)
            x->packet[i].next = i + 1 < packets ? i + 1 : NONE;
        x->head = arena_alloc64(a, (size_t)lanes * n * 4);
        x->tail = arena_alloc64(a, (size_t)lanes * n * 4);
        for (uint32_t i = 0; i < lanes * n; i++)
            x->head[i] = NONE;
    }
    return &x->noc;
}
