/*
 * Networks of routers: 2-D mesh and k-ary n-fly butterfly, flit by flit.
 *
 * Source: the wormhole router with virtual channels of Dally and Towles (as in BookSim): route (XY on the mesh,
 * destination tag on the butterfly), allocate a virtual channel at the next router, win the switch, spend a credit,
 * travel. Both allocators are iSLIP (McKeown, 1999) with one iteration: every output grants the first requesting
 * channel from its pointer on; an input port, which sends one flit per cycle, accepts the first grant from its own
 * pointer on; pointers move past the accepted match, so that no channel starves. A flit that wins in cycle t is in the
 * next router's buffer in t + router_latency + link_latency - 1; its credit returns one cycle after it leaves its
 * slot.
 *
 * A router is visited only in cycles in which it may make progress: a flit arrived, or a credit that its channel
 * waited for; a flit is still ready; or a packet waits for a virtual channel and one became free in the previous
 * cycle.
 *
 * A node injects one flit per cycle into its router's local port and takes packets from the ejecting router when their
 * last flit has crossed; the receiver's slot is reserved when the first flit wins the switch.
 *
 * A packet stays in the virtual channels of its message class from injection to ejection. Classes compete for the
 * node's flit per cycle, for the switch and for links; a channel that cannot move does not compete. Not modeled:
 * speculation, adaptive routing.
 */
#include "engine/waits.h"
#include "noc/routers_priv.h"

/* The router must be visited in this cycle. */
ALWAYS_INLINE void wake_router(struct router *r)
{
    *r->active |= r->active_bit;
}

ALWAYS_INLINE uint32_t head_flit(const struct chan *c)
{
    return c->flit[c->head];
}

/* ---- one cycle ---- */
/* The channel has a flit and a credit for it. */
ALWAYS_INLINE void flit_ready(struct router *r, const struct chan *c)
{
    r->output[c->to].goes |= 1ull << c->number;
    r->ready |= 1u << c->to;
}

/* Routes the packet whose first flit is at the head of the channel, which then requests a virtual channel. */
ALWAYS_INLINE void ask_for_vc(const struct routers *n, struct router *r, struct chan *c, uint32_t flit)
{
    uint32_t o = r->route[n->heading[flit >> 2].to];
    struct output *output = &r->output[o];
    c->to = (uint8_t)o;
    output->asks |= 1ull << c->number;
    r->asking |= (uint32_t)(output->free_vc != 0) << o;
}

/* Puts a flit into a buffer and records what its channel can do next. */
ALWAYS_INLINE void enter(const struct routers *n, struct chan *c, uint32_t flit)
{
    c->flit[(c->head + c->n) & n->depth_mask] = flit;
    if (c->n++)
        return; /* the flit at the head decides */
    struct router *r = n->router[c->router];
    if (flit & FLIT_HEAD)
        ask_for_vc(n, r, c, flit);
    else if (chan_at(n, c->down)->credit)
        flit_ready(r, c);
    else
        return;
    wake_router(r);
}

ALWAYS_INLINE struct arrival *links_at(const struct routers *n, uint32_t slot)
{
    return n->arrival + (size_t)slot * n->n_router * n->n_port;
}

ALWAYS_INLINE void arrive(struct routers *n, uint64_t now)
{
    uint32_t slot = now & n->link_mask, arriving = n->arriving[slot];
    if (arriving) {
        const struct arrival *a = links_at(n, slot), *end = a + arriving;
        n->arriving[slot] = 0;
        for (; a != end; a++)
            enter(n, chan_at(n, a->chan), a->flit);
    }
    for (uint32_t k = 0; k < n->n_credit; k++) {
        struct chan *c = chan_at(n, n->credits[k]);
        c->credit++;
        if (c->owner >= FROM_NODE)
            continue;
        struct router *r = n->router[c->behind];
        const struct chan *owner = chan_in(n, r, c->owner);
        if (owner->n) {
            flit_ready(r, owner);
            wake_router(r);
        }
    }
    n->n_credit = 0;
}

/* A node waits until a flit of its class leaves the router it injects at. */
static void block(struct routers *n, uint32_t class, uint32_t node)
{
    uint64_t *word = &n->blocked[class * n->noc.mark_words + (node >> 6)], bit = 1ull << (node & 63);
    n->n_blocked += !(*word & bit);
    *word |= bit;
}
static void unblock(struct routers *n, const struct chan *c)
{
    uint32_t class = n->class_of_vc[c->vc], node = c->behind;
    uint64_t *word = &n->blocked[class * n->noc.mark_words + (node >> 6)], bit = 1ull << (node & 63);
    n->n_blocked -= !!(*word & bit);
    *word &= ~bit;
}

ALWAYS_INLINE struct chan *lane_chan(const struct routers *n, const struct lane *lane, uint32_t vc)
{
    return (struct chan *)(lane->in + vc * n->chan_bytes);
}

/* Takes the next packet of a lane's port, if one of its class's channels has room. */
ALWAYS_INLINE uint32_t start_packet(struct routers *n, uint32_t class, uint32_t node, struct lane *lane, uint64_t now)
{
    struct port *p = &n->noc.in[class * n->noc.n_node + node];
    if (!port_peek(p, now)) {
        port_unmark_if_empty(p);
        return NONE;
    }
    uint32_t v = lane->next, tried = 0;
    while (!lane_chan(n, lane, v)->credit) {
        v = v + 1 == n->n_vc ? 0 : v + 1;
        if (++tried == n->n_vc) {
            block(n, class, node);
            return NONE;
        }
    }
    struct msg msg = port_pop(p);
    port_unmark_if_empty(p);
    uint32_t k = n->packet_free, to = noc_target(&n->noc, class, msg.req), flits = noc_flits(&n->noc, msg.info);
    struct packet *packet = &n->packet[k];
    n->packet_free = packet->next;
    if (to >= n->noc.n_node || !n->noc.out[class * n->noc.n_node + to])
        BUG("%s: a packet for node %u, which has no receiver", n->noc.comp.name, to);
    packet->req = msg.req;
    packet->info = msg.info;
    packet->since = msg.ready;
    packet->flits = (uint16_t)flits;
    packet->sent = 0;
    packet->class = (uint8_t) class;
    n->heading[k] = (struct heading){.to = (uint16_t)to, .pieces = (uint8_t)net_pieces(msg.info)};
    lane->packet = k;
    lane->vc = (uint8_t)v;
    lane->next = (uint8_t)(v + 1 == n->n_vc ? 0 : v + 1);
    n->injecting[class * n->noc.mark_words + (node >> 6)] |= 1ull << (node & 63);
    n->noc.in_flight += net_pieces(msg.info);
    noc_count_entry(&n->noc, msg.info, flits);
    return k;
}

/* A flit of a lane's packet enters the local port, if its channel's buffer has room. */
ALWAYS_INLINE bool inject_flit(struct routers *n, uint32_t class, uint32_t node, uint64_t now)
{
    struct lane *lane = &n->lane[class * n->noc.n_node + node];
    uint32_t k = lane->packet;
    if (k == NONE && (k = start_packet(n, class, node, lane, now)) == NONE)
        return false;
    struct packet *p = &n->packet[k];
    struct chan *c = lane_chan(n, lane, lane->vc);
    if (!c->credit) {
        block(n, class, node);
        return false;
    }
    uint32_t flit = k << 2 | (p->sent == 0 ? FLIT_HEAD : 0);
    if (++p->sent == p->flits) {
        flit |= FLIT_TAIL;
        lane->packet = NONE;
        n->injecting[class * n->noc.mark_words + (node >> 6)] &= ~(1ull << (node & 63));
    }
    c->credit--;
    enter(n, c, flit);
    return true;
}

/* Nodes with a packet of the class in a port or in progress that may have room, 64 per word. */
ALWAYS_INLINE uint64_t nodes_with_packets(const struct routers *n, uint32_t class, uint32_t word)
{
    uint32_t w = class * n->noc.mark_words + word;
    return (n->noc.marked[w] | n->injecting[w]) & ~n->blocked[w];
}

/* The first bit from the pointer on, or from the lowest on. */
ALWAYS_INLINE uint32_t first_from(uint64_t bits, uint32_t pointer)
{
    uint64_t above = bits & (~0ull << (pointer & 63));
    return (uint32_t)__builtin_ctzll(above ? above : bits);
}

/* One flit per node and cycle; the classes that can send one take turns. */
ALWAYS_INLINE void inject(struct routers *n, uint32_t n_class, uint64_t now)
{
    for (uint32_t w = 0; w < n->noc.mark_words; w++) {
        uint64_t some[NOC_MAX_CLASS], any = 0;
        for (uint32_t c = 0; c < n_class; c++)
            any |= some[c] = nodes_with_packets(n, c, w);
        for (; any; any &= any - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(any), node = w * 64 + bit, classes = 0;
            if (n_class == 1) {
                inject_flit(n, 0, node, now);
                continue;
            }
            for (uint32_t c = 0; c < n_class; c++)
                classes |= (some[c] >> bit & 1) << c;
            do {
                uint32_t c = first_from(classes, n->inject_turn[node]);
                if (inject_flit(n, c, node, now)) {
                    n->inject_turn[node] = (uint8_t)(c + 1 == n_class ? 0 : c + 1);
                    break;
                }
                classes &= ~(1u << c);
            } while (classes);
        }
    }
}

static void deliver(struct routers *n, uint32_t node, uint32_t k, uint64_t now)
{
    struct packet *p = &n->packet[k];
    uint32_t lane = p->class * n->noc.n_node + node, pieces = net_pieces(p->info);
    struct port *out = n->noc.out[lane];
    if (n->heading[k].to != node)
        BUG("%s: a packet for node %u was ejected at node %u", n->noc.comp.name, n->heading[k].to, node);
    uint64_t transit = n->noc.cfg.router_latency - 1;
    n->lane[lane].reserved--;
    port_send_later(out, p->req, p->info, engine_convert(&n->noc.comp, transit, out->consumer));
    noc_count_delivery(&n->noc, p->class, pieces, p->flits, now + transit + 1 - p->since);
    n->noc.in_flight -= pieces;
    p->next = n->packet_free;
    n->packet_free = k;
}

/*
 * Takes the flit at the head of channel c for output o, which accept each other, and frees its slot. The credit reaches
 * the router behind, or the node, in the next cycle. If it still has credits, this one may be counted at once without a
 * difference, because at most one credit is spent per cycle.
 */
ALWAYS_INLINE uint32_t take_flit(struct routers *n, struct router *r, uint32_t o, struct chan *c)
{
    uint32_t flit = head_flit(c);
    c->head = (uint8_t)((c->head + 1) & n->depth_mask);
    c->n--;
    r->output[o].next = (uint8_t)(c->number + 1);
    r->next[c->port] = (uint8_t)(o + 1);
    n->noc.stats.flit_hops++;
    if (flit & FLIT_HEAD)
        n->noc.stats.hops += n->heading[flit >> 2].pieces;
    if (c->credit)
        c->credit++;
    else
        n->credits[n->n_credit++] = (uint32_t)((char *)c - n->chan);
    if (n->n_blocked && c->owner == FROM_NODE)
        unblock(n, c);
    return flit;
}

/* Channel c has no flit for output o any more. */
ALWAYS_INLINE void stop_going(struct router *r, uint32_t o, const struct chan *c)
{
    r->output[o].goes &= ~(1ull << c->number);
    r->ready &= ~((uint32_t)!r->output[o].goes << o);
}

/* The last flit of channel c's packet has left through output o. */
ALWAYS_INLINE void end_packet(struct routers *n, struct router *r, uint32_t o, struct chan *c)
{
    struct output *output = &r->output[o];
    struct chan *down = chan_at(n, c->down);
    down->owner = NO_OWNER;
    output->free_vc |= 1u << down->vc;
    r->asking |= (uint32_t)(output->asks != 0) << o;
    c->down = NONE;
    stop_going(r, o, c);
    if (c->n)
        ask_for_vc(n, r, c, head_flit(c));
}

/* Moves the flit at the head of channel c through output o to the next router. */
ALWAYS_INLINE void forward(struct routers *n, struct router *r, uint32_t o, struct chan *c)
{
    uint32_t flit = take_flit(n, r, o, c);
    *n->sent++ = (struct arrival){c->down, flit};
    bool more = --chan_at(n, c->down)->credit;
    if (flit & FLIT_TAIL)
        end_packet(n, r, o, c);
    else if (!c->n || !more)
        stop_going(r, o, c);
}

/* The same to a node. */
ALWAYS_INLINE void eject(struct routers *n, struct router *r, uint32_t o, struct chan *c, uint64_t now)
{
    uint32_t flit = take_flit(n, r, o, c), node = r->output[o].node;
    if (flit & FLIT_HEAD)
        n->lane[n->class_of_vc[c->vc] * n->noc.n_node + node].reserved++;
    if (flit & FLIT_TAIL) {
        deliver(n, node, flit >> 2, now);
        end_packet(n, r, o, c);
    } else if (!c->n) {
        stop_going(r, o, c);
    }
}

/* Gives a virtual channel of output o to the packet of channel c. */
ALWAYS_INLINE void give_vc(struct routers *n, struct router *r, uint32_t o, struct chan *c, uint32_t class, uint32_t vc)
{
    struct output *output = &r->output[o];
    uint32_t at = output->feeds + vc * n->chan_bytes;
    struct chan *down = chan_at(n, at);
    uint64_t bit = 1ull << c->number;
    output->asks &= ~bit;
    output->free_vc &= ~(1u << vc);
    output->next_vc[class] = (uint8_t)(c->number + 1);
    down->owner = c->number;
    c->down = at;
    if (down->credit) {
        output->goes |= bit;
        r->ready |= 1u << o;
    }
}

/* Gives the free virtual channels of a class at output o to the requesting input channels, from the pointer on. */
static void allocate_vcs(struct routers *n, struct router *r, uint32_t o, uint32_t class)
{
    struct output *output = &r->output[o];
    uint64_t ask = output->asks & n->class_chans[class];
    uint64_t vcs = output->free_vc & n->class_chans[class]; /* those of port 0 */
    for (; ask && vcs; vcs &= vcs - 1) {
        uint32_t i = first_from(ask, output->next_vc[class]);
        ask &= ~(1ull << i);
        give_vc(n, r, o, chan_in(n, r, i), class, (uint32_t)__builtin_ctzll(vcs));
    }
}

/* Allocates virtual channels to packets that have reached the heads of their buffers. */
ALWAYS_INLINE void allocate(struct routers *n, uint32_t n_class, struct router *r)
{
    for (uint32_t outputs = r->asking; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        uint64_t ask = r->output[o].asks;
        if (ask & (ask - 1)) {
            for (uint32_t k = 0; k < n_class; k++)
                allocate_vcs(n, r, o, k);
        } else if (ask) { /* one channel: nothing to arbitrate */
            struct chan *c = chan_in(n, r, (uint32_t)__builtin_ctzll(ask));
            uint32_t vcs = r->output[o].free_vc;
            if (n_class > 1)
                vcs &= n->vcs_of_vc[c->vc];
            if (vcs)
                give_vc(n, r, o, c, n_class > 1 ? n->class_of_vc[c->vc] : 0, (uint32_t)__builtin_ctz(vcs));
        }
    }
    r->asking = 0; /* a channel that still requests waits until a packet leaves a virtual channel */
}

/* The channel that an output to a node grants: a packet's first flit needs room at that node. NONE: none can send. */
static uint32_t choose_to_node(const struct routers *n, const struct router *r, const struct output *output)
{
    uint32_t full = 0; /* classes without room */
    for (uint64_t left = output->goes; left;) {
        uint32_t i = first_from(left, output->next);
        const struct chan *c = chan_in(n, r, i);
        if (!(head_flit(c) & FLIT_HEAD))
            return i;
        uint32_t class = n->class_of_vc[c->vc], lane = class * n->noc.n_node + output->node;
        if (!(full >> class & 1)) {
            if (port_has_room(n->noc.out[lane], n->lane[lane].reserved))
                return i;
            full |= 1u << class;
        }
        left &= ~(1ull << i);
    }
    return NONE;
}

/* Of the outputs that chose channels of the same input port, the first from the port's pointer on is accepted. */
static uint32_t accept_offers(const struct routers *n, const struct router *r, uint32_t outputs, const uint32_t *chosen)
{
    uint32_t offers[MAX_PORT] = {0}, offered = 0, accepted = 0; /* by input port: outputs that it may send to */
    for (; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs), port = chosen[o] >> n->vc_shift;
        offers[port] |= 1u << o;
        offered |= 1u << port;
    }
    for (; offered; offered &= offered - 1) {
        uint32_t port = (uint32_t)__builtin_ctz(offered);
        accepted |= 1u << first_from(offers[port], r->next[port]);
    }
    return accepted;
}

/* Several outputs have flits. Each grants the first channel from its pointer on; each input port accepts one grant. */
static void match_several(struct routers *n, struct router *r, uint64_t now)
{
    uint32_t outputs = r->ready, offered = 0, conflict = 0;
    uint32_t chosen[MAX_PORT]; /* by output: the channel */
    for (uint32_t left = outputs; left; left &= left - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(left);
        const struct output *output = &r->output[o];
        uint32_t i = r->to_nodes >> o & 1 ? choose_to_node(n, r, output) : first_from(output->goes, output->next);
        chosen[o] = i;
        if (i == NONE) {
            outputs &= ~(1u << o);
            continue;
        }
        uint32_t port = 1u << (i >> n->vc_shift);
        conflict |= offered & port;
        offered |= port;
    }
    if (conflict)
        outputs = accept_offers(n, r, outputs, chosen);
    for (; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        struct chan *c = chan_in(n, r, chosen[o]);
        if (r->to_nodes >> o & 1)
            eject(n, r, o, c, now);
        else
            forward(n, r, o, c);
    }
}

/* One router, one cycle: virtual channels, switch. True when it must be visited again next cycle. */
ALWAYS_INLINE bool visit(struct routers *n, uint32_t n_class, struct router *r, uint64_t now)
{
    if (r->asking)
        allocate(n, n_class, r);
    uint32_t ready = r->ready;
    if (ready & (ready - 1)) {
        match_several(n, r, now);
    } else if (ready) { /* one output: what it grants is accepted */
        uint32_t o = (uint32_t)__builtin_ctz(ready);
        const struct output *output = &r->output[o];
        if (!(r->to_nodes & ready)) {
            forward(n, r, o, chan_in(n, r, first_from(output->goes, output->next)));
        } else {
            uint32_t i = choose_to_node(n, r, output);
            if (i != NONE)
                eject(n, r, o, chan_in(n, r, i), now);
        }
    }
    return r->ready | r->asking;
}

/* The cycle is compiled twice: for the constant n_class = 1, which removes the loops over classes, and for any. */
ALWAYS_INLINE uint64_t tick_body(struct routers *n, uint32_t n_class, uint64_t now)
{
    arrive(n, now);
    inject(n, n_class, now);
    bool again = false;
    const uint32_t slot = (now + n->latency) & n->link_mask;
    n->sent = links_at(n, slot);
    for (uint32_t w = 0; w < n->active_words; w++) {
        uint64_t stay = 0;
        for (uint64_t m = n->active[w]; m; m &= m - 1) {
            if (visit(n, n_class, n->router[w * 64 + (uint32_t)__builtin_ctzll(m)], now))
                stay |= m & -m;
        }
        n->active[w] = stay;
        again |= stay != 0;
    }
    n->arriving[slot] = (uint32_t)(n->sent - links_at(n, slot));
    if (again || n->n_credit)
        return now + 1;
    for (uint32_t c = 0; c < n_class; c++)
        for (uint32_t w = 0; w < n->noc.mark_words; w++)
            if (nodes_with_packets(n, c, w))
                return now + 1;
    for (uint64_t at = now + 1; at <= now + n->latency; at++)
        if (n->arriving[at & n->link_mask])
            return at;
    return NEVER;
}

uint64_t routers_tick(struct comp *comp, uint64_t now)
{
    return tick_body((struct routers *)comp, 1, now);
}

uint64_t routers_tick_classes(struct comp *comp, uint64_t now)
{
    struct routers *n = (struct routers *)comp;
    return tick_body(n, n->noc.n_class, now);
}

/* ---- the deadlock report ---- */
/* The request of the first packet in the channel. */
static req_id first_in(const struct routers *n, const struct chan *c)
{
    return n->packet[head_flit(c) >> 2].req;
}

/* What the packet whose first flit is at the head of channel c waits for. */
static void head_waits(const struct routers *n, const struct router *r, const struct chan *c, const struct packet *p,
                       struct waits *w)
{
    uint32_t to = n->heading[p - n->packet].to;
    const struct output *output = &r->output[r->route[to]];
    if (output->node != NO_NODE) {
        waits_for_room(w, NULL, p->req, n->noc.out[p->class * n->noc.n_node + to], "its receiver");
        return;
    }
    if (c->down == NONE) { /* all virtual channels of its class are taken: report the first of them */
        uint32_t owner = chan_at(n, output->feeds + p->class * n->n_vc * n->chan_bytes)->owner;
        if (owner < FROM_NODE && chan_in(n, r, owner)->n)
            waits_for_request(w, NULL, p->req, first_in(n, chan_in(n, r, owner)), "a virtual channel");
        return;
    }
    const struct chan *down = chan_at(n, c->down);
    if (down->n)
        waits_for_request(w, NULL, p->req, first_in(n, down), "a buffer slot at the next router");
}

static void channel_waits(const struct routers *n, const struct router *r, const struct chan *c, struct waits *w)
{
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t flit = c->flit[(c->head + k) & n->depth_mask];
        const struct packet *p = &n->packet[flit >> 2];
        if (!(flit & FLIT_HEAD))
            continue; /* the packet's first flit is further ahead and is reported instead */
        if (k == 0)
            head_waits(n, r, c, p, w);
        else
            waits_for_request(w, NULL, p->req, first_in(n, c), "the packet in front of it");
    }
}

void routers_waits(const struct comp *comp, struct waits *w)
{
    const struct routers *n = (const struct routers *)comp;
    for (uint32_t r = 0; r < n->n_router; r++)
        for (uint32_t i = 0; i < n->n_port << n->vc_shift; i++)
            channel_waits(n, n->router[r], chan_in(n, n->router[r], i), w);
    for (uint32_t lane = 0; lane < n->noc.n_node * n->noc.n_class; lane++) {
        const struct chan *c = lane_chan(n, &n->lane[lane], 0);
        req_id id = port_oldest(&n->noc.in[lane]);
        if (id == REQ_NONE)
            continue;
        if (n->lane[lane].packet != NONE)
            waits_for_request(w, &n->noc.in[lane], id, n->packet[n->lane[lane].packet].req, "the node's link");
        else if (c->n)
            waits_for_request(w, &n->noc.in[lane], id, first_in(n, c), "a buffer slot at the first router");
    }
}
