/*
 * A crossbar: every node can send one packet and receive one packet at a time; iSLIP decides who.
 *
 * Source: McKeown's iSLIP. Each free output grants the first requesting free input from its pointer, each input accepts
 * the first granting output from its pointer; pointers move one past an accepted match, in the first iteration only. A
 * matched packet of f flits occupies its input and its output for f cycles, its last flit arrives latency + f - 1
 * cycles after the match. With one queue per input (voq = no, as in GPGPU-Sim) a head packet whose output is busy
 * blocks those behind it; with virtual output queues it does not.
 *
 * The delivered packet's slot in the receiver's port is taken at the match, so nothing is dropped or blocked inside.
 */
#include "noc/noc_priv.h"

#define NONE UINT32_MAX

struct xpacket {
    req_id req;
    uint32_t info;
    uint64_t since;
    uint32_t next;
};

struct xbar {
    struct noc noc;
    uint32_t words;               /* of a set of nodes */
    uint64_t *request;            /* per output: the inputs that want it */
    uint64_t *wanted;             /* outputs with at least one request */
    uint64_t *in_busy, *out_busy; /* cycle until which an input or output is in use */
    uint32_t *in_ptr, *out_ptr;
    uint32_t *grant;   /* scratch: per input the granting output */
    uint64_t *granted; /* scratch: inputs with a grant */
    uint64_t *exposed; /* inputs whose head packet is in `request` (one queue per input) */
    /* Virtual output queues: lists of packets from one pool. */
    struct xpacket *packet;
    uint32_t free;
    uint32_t *head, *tail; /* [input * n + output] */
    uint32_t *held;        /* per input: packets in its queues, at most noc.inject_queue */
    uint32_t n;
};

static uint32_t xbar_hops(const struct noc *n, uint32_t from, uint32_t to)
{
    (void)n, (void)from, (void)to;
    return 1;
}

/* The first member of set at or after `from`, around; NONE when empty. */
static uint32_t first_from(const uint64_t *set, uint32_t words, uint32_t from)
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

static void ask(struct xbar *x, uint32_t in, uint32_t out)
{
    x->request[out * x->words + (in >> 6)] |= 1ull << (in & 63);
    x->wanted[out >> 6] |= 1ull << (out & 63);
}

static void unask(struct xbar *x, uint32_t in, uint32_t out)
{
    uint64_t *set = &x->request[out * x->words], any = 0;
    set[in >> 6] &= ~(1ull << (in & 63));
    for (uint32_t w = 0; w < x->words; w++)
        any |= set[w];
    if (!any)
        x->wanted[out >> 6] &= ~(1ull << (out & 63));
}

static uint32_t target(struct xbar *x, req_id id)
{
    uint32_t to = noc_target(&x->noc, id);
    if (to >= x->n || !x->noc.out[to])
        BUG("%s: a packet for node %u, which receives nothing", x->noc.comp.name, to);
    return to;
}

/* Looks at injection ports that have received packets: exposes heads, or sorts packets into the virtual output queues.
 */
static void look_at_inputs(struct xbar *x, uint64_t now)
{
    for (uint32_t w = 0; w < x->words; w++) {
        for (uint64_t m = x->noc.marked[w]; m; m &= m - 1) {
            uint32_t in = w * 64 + (uint32_t)__builtin_ctzll(m);
            struct port *p = &x->noc.in[in];
            if (x->noc.cfg.voq) {
                while (x->held[in] < x->noc.cfg.inject_queue && port_peek(p, now)) {
                    x->held[in]++;
                    struct msg msg = port_pop(p);
                    uint32_t to = target(x, msg.req), k = x->free, q = in * x->n + to;
                    x->free = x->packet[k].next;
                    x->packet[k] = (struct xpacket){msg.req, msg.info, msg.ready, NONE};
                    if (x->head[q] == NONE) {
                        x->head[q] = k;
                        ask(x, in, to);
                    } else {
                        x->packet[x->tail[q]].next = k;
                    }
                    x->tail[q] = k;
                    x->noc.in_flight += net_pieces(msg.info);
                    noc_count_entry(&x->noc, msg.info, noc_flits(&x->noc, msg.info));
                }
            } else if (!(x->exposed[w] >> (in & 63) & 1)) {
                const struct msg *msg = port_peek(p, now);
                if (msg) {
                    ask(x, in, target(x, msg->req));
                    x->exposed[w] |= 1ull << (in & 63);
                }
            } else {
                continue; /* its head waits for a match */
            }
            if (port_empty(p))
                x->noc.marked[w] &= ~(1ull << (in & 63));
        }
    }
}

static void transfer(struct xbar *x, uint32_t in, uint32_t out, uint64_t now)
{
    struct xpacket pkt;
    if (x->noc.cfg.voq) {
        uint32_t q = in * x->n + out, k = x->head[q];
        pkt = x->packet[k];
        x->head[q] = pkt.next;
        x->packet[k].next = x->free;
        x->free = k;
        if (pkt.next == NONE)
            unask(x, in, out);
        x->held[in]--;
        x->noc.in_flight -= net_pieces(pkt.info);
    } else {
        struct msg m = port_pop(&x->noc.in[in]);
        pkt = (struct xpacket){m.req, m.info, m.ready, NONE};
        unask(x, in, out);
        x->exposed[in >> 6] &= ~(1ull << (in & 63));
        noc_count_entry(&x->noc, pkt.info, noc_flits(&x->noc, pkt.info));
    }
    uint32_t flits = noc_flits(&x->noc, pkt.info);
    x->in_busy[in] = x->out_busy[out] = now + flits;
    /* The port's own latency (one consumer cycle) is the step into the receiver. */
    uint64_t transit = x->noc.cfg.latency - 1 + flits - 1;
    struct port *p = x->noc.out[out];
    const struct engine_queue *q = &p->eng->queue[p->consumer->queue];
    uint64_t extra = transit;
    if (p->consumer->queue != x->noc.comp.queue) {
        const struct engine_queue *mine = &p->eng->queue[x->noc.comp.queue];
        extra = (now + transit) * mine->period / q->period - q->cyc;
    }
    port_send_later(p, pkt.req, pkt.info, extra);
    x->noc.stats.hops += net_pieces(pkt.info);
    x->noc.stats.flit_hops += flits;
    noc_count_delivery(&x->noc, net_pieces(pkt.info), flits, now + transit + 1 - pkt.since);
}

static bool match(struct xbar *x, uint64_t now, bool first)
{
    bool any = false;
    /* Grant: every free output with room behind it picks an input. An input hears of the best by its own pointer. */
    for (uint32_t w = 0; w < x->words; w++) {
        for (uint64_t m = x->wanted[w]; m; m &= m - 1) {
            uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(m);
            if (x->out_busy[out] > now || !port_can_send(x->noc.out[out]))
                continue;
            const uint64_t *set = &x->request[out * x->words];
            uint32_t start = x->out_ptr[out], in = first_from(set, x->words, start), begin = in;
            while (in != NONE && x->in_busy[in] > now) {
                uint32_t next = in + 1 == x->n ? 0 : in + 1;
                in = first_from(set, x->words, next);
                if (in == begin)
                    in = NONE;
            }
            if (in == NONE)
                continue;
            any = true;
            if (!(x->granted[in >> 6] >> (in & 63) & 1)) {
                x->granted[in >> 6] |= 1ull << (in & 63);
                x->grant[in] = out;
            } else { /* nearer to the input's pointer wins */
                uint32_t a = (x->grant[in] + x->n - x->in_ptr[in]) % x->n, b = (out + x->n - x->in_ptr[in]) % x->n;
                if (b < a)
                    x->grant[in] = out;
            }
        }
    }
    if (!any)
        return false;
    for (uint32_t w = 0; w < x->words; w++) {
        for (uint64_t m = x->granted[w]; m; m &= m - 1) {
            uint32_t in = w * 64 + (uint32_t)__builtin_ctzll(m), out = x->grant[in];
            if (first) {
                x->in_ptr[in] = out + 1 == x->n ? 0 : out + 1;
                x->out_ptr[out] = in + 1 == x->n ? 0 : in + 1;
            }
            transfer(x, in, out, now);
        }
        x->granted[w] = 0;
    }
    return true;
}

/* Inputs with packets in their port that are not in the match yet: when can they be? */
static uint64_t look_again(const struct xbar *x, uint32_t w, uint64_t now, uint64_t want)
{
    for (uint64_t m = x->noc.marked[w] & ~x->exposed[w]; m; m &= m - 1) {
        uint32_t in = w * 64 + (uint32_t)__builtin_ctzll(m);
        if (x->noc.cfg.voq && x->held[in] == x->noc.cfg.inject_queue)
            continue; /* a match makes room, and brings a tick */
        uint64_t at = port_next_ready(&x->noc.in[in]);
        if (at == NEVER)
            continue;
        at = at > now ? at : now + 1;
        want = at < want ? at : want;
    }
    return want;
}

static uint64_t xbar_tick(struct comp *comp, uint64_t now)
{
    struct xbar *x = (struct xbar *)comp;
    uint64_t want = NEVER;
    look_at_inputs(x, now);
    for (uint32_t i = 0; i < x->noc.cfg.iterations; i++)
        if (!match(x, now, i == 0))
            break;
    /*
     * When could the next match be? When a wanted output and one of the inputs that want it are free; a receiver that
     * is full wakes us by itself.
     */
    for (uint32_t w = 0; w < x->words; w++) {
        for (uint64_t m = x->wanted[w]; m; m &= m - 1) {
            uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(m);
            uint64_t at = x->out_busy[out];
            if (at <= now) {
                if (!port_can_send(x->noc.out[out]))
                    continue;
                at = NEVER;
                for (uint32_t v = 0; v < x->words; v++)
                    for (uint64_t k = x->request[out * x->words + v]; k; k &= k - 1) {
                        uint64_t free_at = x->in_busy[v * 64 + (uint32_t)__builtin_ctzll(k)];
                        at = free_at < at ? free_at : at;
                    }
                at = at > now ? at : now + 1; /* lost this cycle's match to another */
            }
            want = at < want ? at : want;
        }
        if (x->noc.marked[w] & ~x->exposed[w])
            want = look_again(x, w, now, want);
    }
    return want;
}

struct noc *crossbar_new(struct engine *eng, const struct noc_cfg *cfg, uint32_t n, struct err *e)
{
    struct arena *a = eng->arena;
    (void)e;
    struct xbar *x = arena_alloc64(a, sizeof *x);
    x->noc.comp.tick = xbar_tick;
    x->noc.hops = xbar_hops;
    x->n = n;
    x->words = (n + 63) / 64;
    x->request = arena_alloc64(a, (size_t)n * x->words * 8);
    x->wanted = arena_alloc64(a, x->words * 8);
    x->granted = arena_alloc64(a, x->words * 8);
    x->exposed = arena_alloc64(a, x->words * 8);
    x->in_busy = arena_alloc64(a, n * 8);
    x->out_busy = arena_alloc64(a, n * 8);
    x->in_ptr = arena_alloc64(a, n * 4);
    x->out_ptr = arena_alloc64(a, n * 4);
    x->grant = arena_alloc64(a, n * 4);
    if (cfg->voq) {
        uint32_t packets = n * cfg->inject_queue;
        x->held = arena_alloc64(a, n * 4);
        x->packet = arena_alloc64(a, packets * sizeof *x->packet);
        for (uint32_t i = 0; i < packets; i++)
            x->packet[i].next = i + 1 < packets ? i + 1 : NONE;
        x->head = arena_alloc64(a, (size_t)n * n * 4);
        x->tail = arena_alloc64(a, (size_t)n * n * 4);
        for (uint32_t i = 0; i < n * n; i++)
            x->head[i] = NONE;
    }
    return &x->noc;
}
