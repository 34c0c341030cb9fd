/*
 * Networks of routers: 2-D mesh and k-ary n-fly butterfly, flit by flit.
 *
 * Source: the wormhole router with virtual channels of Dally and Towles (as in BookSim): route (XY on the mesh,
 * destination tag on the butterfly), allocate a virtual channel at the next router, win the switch, spend a credit,
 * travel. Both allocators are iSLIP (McKeown, 1999) with one iteration: every output has a pointer and offers itself to
 * the first channel that asks from it on; an input port, which sends one flit per cycle, accepts the first offer from a
 * pointer of its own; pointers move past what was accepted, so that nobody is passed over for ever. A flit that wins in
 * cycle t is in the next router's buffer in t + router_latency + link_latency - 1; its credit is back one cycle after
 * its slot was left.
 *
 * A router is visited only in cycles in which it may do something: a flit or a credit arrived that its channel waited
 * for, a flit is still ready, or a packet waits for a virtual channel and one came free in the cycle before.
 *
 * A node injects one flit per cycle into its router's local port and takes packets from the ejecting router when their
 * last flit has crossed; the receiver's slot is reserved when the first flit wins the switch.
 *
 * A packet stays in the virtual channels of its message class from injection to ejection. Classes compete for the
 * node's flit per cycle, for the switch and for links, where whoever cannot move does not compete. Not modelled:
 * speculation, adaptive routing.
 */
#include "engine/waits.h"
#include "noc/routers_priv.h"

/* The cycle is compiled twice: with n_class = 1 a constant, where loops over classes vanish, and for any number. */
#define BODY static inline __attribute__((always_inline))

static void fifo_push(struct fifo *f, uint64_t at, uint32_t chan, uint32_t flit)
{
    f->slot[f->tail++ & f->mask] = (struct arrival){at, chan, flit};
}

static void wake_router(struct routers *n, uint32_t r)
{
    n->active[r >> 6] |= 1ull << (r & 63);
}

/* ---- one cycle ---- */
/* Channel c, the i-th of its router, has a flit and a credit for it. */
static void flit_ready(struct routers *n, struct router *r, uint32_t c, uint32_t i)
{
    uint32_t o = n->in[c].out_port;
    r->goes[o] |= 1ull << i;
    r->ready |= 1u << o;
}

static void flit_gone(struct router *r, uint32_t o, uint64_t bit)
{
    if (!(r->goes[o] &= ~bit))
        r->ready &= ~(1u << o);
}

/* The packet that has come to the head of channel c, the i-th of router r, is routed and asks for a virtual channel. */
static void ask_for_vc(struct routers *n, uint32_t r, uint32_t c, uint32_t i)
{
    struct in_chan *in = &n->in[c];
    uint32_t o = n->route[r * n->noc.n_node + n->packet[n->buf[(c << n->depth_shift) + in->head] >> 2].to];
    in->out_port = (uint8_t)o;
    n->router[r].asks[o] |= 1ull << i;
    n->router[r].asking |= 1u << o;
}

/* Puts a flit into a buffer and notes what its channel can do next. */
static void enter(struct routers *n, uint32_t c, uint32_t flit)
{
    struct in_chan *in = &n->in[c];
    n->buf[(c << n->depth_shift) + ((in->head + in->n) & n->depth_mask)] = flit;
    if (in->n++)
        return; /* the flit at the head decides */
    uint32_t r = c >> n->chan_shift, i = c & ((1u << n->chan_shift) - 1);
    if (in->out_chan == NO_CHAN)
        ask_for_vc(n, r, c, i);
    else if (n->out[in->out_chan].credit)
        flit_ready(n, &n->router[r], c, i);
    else
        return;
    wake_router(n, r);
}

static void arrive(struct routers *n, uint64_t now)
{
    while (n->flits.head != n->flits.tail) {
        const struct arrival *a = &n->flits.slot[n->flits.head & n->flits.mask];
        if (a->at > now)
            break;
        n->flits.head++;
        enter(n, a->chan, a->flit);
    }
    while (n->credits.head != n->credits.tail) {
        const struct arrival *a = &n->credits.slot[n->credits.head & n->credits.mask];
        if (a->at > now)
            break;
        n->credits.head++;
        struct out_chan *o = &n->out[a->chan];
        if (o->credit++ == 0 && o->owner != NO_OWNER) {
            uint32_t r = a->chan >> n->chan_shift, c = (r << n->chan_shift) + o->owner;
            if (n->in[c].n) {
                flit_ready(n, &n->router[r], c, o->owner);
                wake_router(n, r);
            }
        }
    }
}

/* A node waits until a flit of its class leaves the router it injects at. */
BODY void block(struct routers *n, uint32_t class, uint32_t node)
{
    n->blocked[class * n->noc.mark_words + (node >> 6)] |= 1ull << (node & 63);
}

/* Takes the next packet of a lane's port, if one of its class's channels has room. */
BODY uint32_t start_packet(struct routers *n, uint32_t class, uint32_t node, uint32_t base, uint64_t now)
{
    uint32_t lane = class * n->noc.n_node + node;
    struct port *p = &n->noc.in[lane];
    if (!port_peek(p, now)) {
        if (port_empty(p))
            n->noc.marked[class * n->noc.mark_words + (node >> 6)] &= ~(1ull << (node & 63));
        return NONE;
    }
    uint32_t v = n->inject_ptr[lane], tried = 0, first = class * n->n_vc;
    while (tried < n->n_vc && n->in[base + first + v].n == n->depth) {
        v = v + 1 == n->n_vc ? 0 : v + 1;
        tried++;
    }
    if (tried == n->n_vc) {
        block(n, class, node);
        return NONE;
    }
    struct msg msg = port_pop(p);
    uint32_t k = n->packet_free, to = noc_target(&n->noc, class, msg.req), flits = noc_flits(&n->noc, msg.info);
    n->packet_free = n->packet[k].next;
    if (to >= n->noc.n_node || !n->noc.out[class * n->noc.n_node + to])
        BUG("%s: a packet for node %u, which receives nothing", n->noc.comp.name, to);
    n->packet[k] = (struct packet){.req = msg.req,
                                   .info = msg.info,
                                   .since = msg.ready,
                                   .next = NONE,
                                   .to = (uint16_t)to,
                                   .flits = (uint16_t)flits,
                                   .class = (uint8_t) class};
    n->inject_packet[lane] = k;
    n->inject_vc[lane] = (uint8_t)(first + v);
    n->inject_ptr[lane] = (uint8_t)(v + 1 == n->n_vc ? 0 : v + 1);
    n->injecting[class * n->noc.mark_words + (node >> 6)] |= 1ull << (node & 63);
    n->noc.in_flight += net_pieces(msg.info);
    noc_count_entry(&n->noc, msg.info, flits);
    return k;
}

/* A flit of a lane's packet enters the local port, if its channel's buffer has room. */
BODY bool inject_flit(struct routers *n, uint32_t class, uint32_t node, uint64_t now)
{
    uint32_t base = ((uint32_t)n->router_of[node] << n->chan_shift) + ((uint32_t)n->port_of[node] << n->vc_shift);
    uint32_t lane = class * n->noc.n_node + node, k = n->inject_packet[lane];
    if (k == NONE && (k = start_packet(n, class, node, base, now)) == NONE)
        return false;
    struct packet *p = &n->packet[k];
    uint32_t c = base + n->inject_vc[lane];
    if (n->in[c].n == n->depth) {
        block(n, class, node);
        return false;
    }
    bool head = p->sent == 0, tail = p->sent + 1u == p->flits;
    p->sent++;
    enter(n, c, k << 2 | (uint32_t)tail << 1 | head);
    if (tail) {
        n->inject_packet[lane] = NONE;
        n->injecting[class * n->noc.mark_words + (node >> 6)] &= ~(1ull << (node & 63));
    }
    return true;
}

/* Nodes with a packet in a port or in progress and maybe a place for it, 64 of them. */
BODY uint64_t nodes_with_packets(const struct routers *n, uint32_t n_class, uint32_t word)
{
    uint64_t m = 0;
    for (uint32_t c = 0, w = word; c < n_class; c++, w += n->noc.mark_words)
        m |= (n->noc.marked[w] | n->injecting[w]) & ~n->blocked[w];
    return m;
}

/* One flit per node and cycle; the classes that can send one take turns. */
BODY void inject(struct routers *n, uint32_t n_class, uint64_t now)
{
    for (uint32_t w = 0; w < n->noc.mark_words; w++) {
        for (uint64_t m = nodes_with_packets(n, n_class, w); m; m &= m - 1) {
            uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(m), c = n_class == 1 ? 0 : n->inject_turn[node];
            for (uint32_t k = 0; k < n_class; k++) {
                bool did = inject_flit(n, c, node, now);
                c = c + 1 == n_class ? 0 : c + 1;
                if (did && n_class > 1) {
                    n->inject_turn[node] = (uint8_t)c;
                    break;
                }
            }
        }
    }
}

static void deliver(struct routers *n, uint32_t node, uint32_t k, uint64_t now)
{
    struct packet *p = &n->packet[k];
    uint32_t lane = p->class * n->noc.n_node + node;
    struct port *out = n->noc.out[lane];
    if (p->to != node)
        BUG("%s: a packet for node %u came out at node %u", n->noc.comp.name, p->to, node);
    uint64_t transit = n->noc.cfg.router_latency - 1;
    n->reserved[lane]--;
    port_send_later(out, p->req, p->info, engine_convert(&n->noc.comp, transit, out->consumer));
    noc_count_delivery(&n->noc, p->class, net_pieces(p->info), p->flits, now + transit + 1 - p->since);
    n->noc.in_flight -= net_pieces(p->info);
    p->next = n->packet_free;
    n->packet_free = k;
}

/* A slot of channel c is free again: its credit goes back to the router that feeds it; a node is told at once. */
static void give_slot_back(struct routers *n, uint32_t c, uint64_t now)
{
    uint32_t port = c >> n->vc_shift, vc = c & ((1u << n->vc_shift) - 1), back = n->behind[port];
    if (back != NONE) {
        fifo_push(&n->credits, now + 1, (back << n->vc_shift) + vc, 0);
        return;
    }
    uint32_t node = n->sender_at[port];
    n->blocked[n->class_of_vc[vc] * n->noc.mark_words + (node >> 6)] &= ~(1ull << (node & 63));
}

/* Moves the flit at the head of channel c, the i-th of router r, through output o. True when it was a packet's last. */
static bool traverse(struct routers *n, uint32_t r, uint32_t o, uint32_t i, uint64_t now)
{
    uint32_t c = (r << n->chan_shift) + i, ro = (r << (n->chan_shift - n->vc_shift)) + o;
    uint32_t vc_mask = (1u << n->vc_shift) - 1;
    struct router *router = &n->router[r];
    struct in_chan *in = &n->in[c];
    struct out_chan *out = &n->out[in->out_chan];
    uint32_t flit = n->buf[(c << n->depth_shift) + in->head];
    bool tail = flit >> 1 & 1, stays = true;
    in->head = (uint8_t)((in->head + 1) & n->depth_mask);
    n->noc.stats.flit_hops++;
    if (flit & 1)
        n->noc.stats.hops += net_pieces(n->packet[flit >> 2].info);
    give_slot_back(n, c, now);
    if (n->feeds[ro] == NONE) {
        if (tail)
            deliver(n, n->node_of[ro], flit >> 2, now);
    } else {
        fifo_push(&n->flits, now + n->latency, (n->feeds[ro] << n->vc_shift) + (in->out_chan & vc_mask), flit);
        stays = --out->credit;
    }
    if (--in->n == 0 || tail || !stays)
        flit_gone(router, o, 1ull << i);
    if (tail) {
        out->owner = NO_OWNER;
        router->free_vc[o] |= 1ull << (in->out_chan & vc_mask);
        in->out_chan = NO_CHAN;
        if (in->n)
            ask_for_vc(n, r, c, i);
    }
    return tail;
}

/* Gives free virtual channels of a class at output o to the input channels that ask, from the pointer on. */
BODY void allocate_vcs(struct routers *n, uint32_t n_class, uint32_t r, uint32_t o, uint32_t class)
{
    struct router *router = &n->router[r];
    uint32_t ro = (r << (n->chan_shift - n->vc_shift)) + o;
    uint64_t ask = router->asks[o], vcs = router->free_vc[o];
    if (n_class > 1) {
        ask &= n->class_chans[class];
        vcs &= n->class_chans[class]; /* those of port 0 */
    }
    if (!ask || !vcs)
        return;
    uint32_t ptr = n->vc_ptr[ro * n_class + class];
    for (; ask && vcs; vcs &= vcs - 1) {
        uint64_t above = ask & (~0ull << ptr);
        uint32_t i = (uint32_t)__builtin_ctzll(above ? above : ask), vc = (uint32_t)__builtin_ctzll(vcs);
        uint32_t c = (r << n->chan_shift) + i, oc = (ro << n->vc_shift) + vc;
        ask &= ~(1ull << i);
        router->asks[o] &= ~(1ull << i);
        router->free_vc[o] &= ~(1ull << vc);
        n->out[oc].owner = (uint8_t)i;
        n->in[c].out_chan = (uint16_t)oc;
        if (n->out[oc].credit)
            flit_ready(n, router, c, i);
        ptr = (i + 1) & ((1u << n->chan_shift) - 1);
    }
    n->vc_ptr[ro * n_class + class] = (uint8_t)ptr;
}

/* Virtual channels for packets that have come to the head of their buffers. */
BODY void allocate(struct routers *n, uint32_t n_class, uint32_t r)
{
    struct router *router = &n->router[r];
    for (uint32_t outputs = router->asking; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        for (uint32_t c = 0; c < n_class; c++)
            allocate_vcs(n, n_class, r, o, c);
        if (!router->asks[o])
            router->asking &= ~(1u << o);
    }
}

/* The lane that a channel's packet, which leaves the network through output `ro`, is for. */
BODY uint32_t eject_lane(const struct routers *n, uint32_t n_class, uint32_t ro, uint32_t chan)
{
    if (n_class == 1)
        return n->node_of[ro];
    return n->class_of_vc[chan & ((1u << n->vc_shift) - 1)] * n->noc.n_node + n->node_of[ro];
}

/* Of the channels that want to leave through output o, those that may: a packet's first flit needs a place there. */
BODY uint64_t with_place(const struct routers *n, uint32_t n_class, uint32_t r, uint32_t o, uint64_t channels)
{
    uint32_t ro = (r << (n->chan_shift - n->vc_shift)) + o;
    if (n->feeds[ro] != NONE)
        return channels;
    for (uint64_t m = channels; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m), c = (r << n->chan_shift) + i;
        uint32_t lane = eject_lane(n, n_class, ro, i);
        if (n->buf[(c << n->depth_shift) + n->in[c].head] & 1 && port_free(n->noc.out[lane]) <= n->reserved[lane])
            channels &= ~(1ull << i);
    }
    return channels;
}

/* One router, one cycle: virtual channels, switch. True when it must be visited again next cycle. */
BODY bool visit(struct routers *n, uint32_t n_class, uint32_t r, uint64_t now)
{
    struct router *router = &n->router[r];
    if (router->asking)
        allocate(n, n_class, r);

    /* Each output offers itself to the first channel from its pointer on. */
    uint32_t base = r << n->chan_shift, ports = r << (n->chan_shift - n->vc_shift), offered = 0;
    uint32_t offers[MAX_PORT]; /* by input port: outputs that it may send to */
    uint8_t chosen[MAX_PORT];  /* by output: the channel */
    for (uint32_t outputs = router->ready; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        uint64_t left = with_place(n, n_class, r, o, router->goes[o]);
        if (!left)
            continue;
        uint64_t above = left & (~0ull << n->switch_ptr[ports + o]);
        uint32_t i = (uint32_t)__builtin_ctzll(above ? above : left), port = i >> n->vc_shift;
        chosen[o] = (uint8_t)i;
        if (!(offered >> port & 1)) {
            offered |= 1u << port;
            offers[port] = 0;
        }
        offers[port] |= 1u << o;
    }
    /* Each input port takes the first offer from its own pointer on. */
    bool vc_left = false;
    for (; offered; offered &= offered - 1) {
        uint32_t port = (uint32_t)__builtin_ctz(offered), above = offers[port] & (~0u << n->accept_ptr[ports + port]);
        uint32_t o = (uint32_t)__builtin_ctz(above ? above : offers[port]), i = chosen[o], c = base + i;
        n->switch_ptr[ports + o] = (uint8_t)((i + 1) & ((1u << n->chan_shift) - 1));
        n->accept_ptr[ports + port] = (uint8_t)(o + 1);
        if (n->feeds[ports + o] == NONE && n->buf[(c << n->depth_shift) + n->in[c].head] & 1)
            n->reserved[eject_lane(n, n_class, ports + o, i)]++;
        vc_left |= traverse(n, r, o, i, now);
    }
    return router->ready || (vc_left && router->asking);
}

BODY uint64_t tick_body(struct routers *n, uint32_t n_class, uint64_t now)
{
    arrive(n, now);
    inject(n, n_class, now);
    bool again = false;
    for (uint32_t w = 0; w < n->active_words; w++) {
        uint64_t m = n->active[w];
        n->active[w] = 0;
        for (; m; m &= m - 1) {
            uint32_t r = w * 64 + (uint32_t)__builtin_ctzll(m);
            if (visit(n, n_class, r, now)) {
                wake_router(n, r);
                again = true;
            }
        }
    }
    if (again)
        return now + 1;
    uint64_t want = NEVER;
    if (n->flits.head != n->flits.tail)
        want = n->flits.slot[n->flits.head & n->flits.mask].at;
    if (n->credits.head != n->credits.tail) {
        uint64_t at = n->credits.slot[n->credits.head & n->credits.mask].at;
        want = at < want ? at : want;
    }
    for (uint32_t w = 0; w < n->noc.mark_words; w++)
        if (nodes_with_packets(n, n_class, w))
            return now + 1;
    return want;
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
static uint32_t flit_at(const struct routers *n, uint32_t c, uint32_t nth)
{
    return n->buf[(c << n->depth_shift) + ((n->in[c].head + nth) & n->depth_mask)];
}

/* The request of the packet that comes first in channel c. */
static req_id first_in(const struct routers *n, uint32_t c)
{
    return n->packet[flit_at(n, c, 0) >> 2].req;
}

/* What the packet whose first flit is at the head of channel c waits for. */
static void head_waits(const struct routers *n, uint32_t c, const struct packet *p, struct waits *w)
{
    uint32_t r = c >> n->chan_shift, ro = (r << (n->chan_shift - n->vc_shift)) + n->route[r * n->noc.n_node + p->to];
    if (n->feeds[ro] == NONE) {
        waits_for_room(w, NULL, p->req, n->noc.out[p->class * n->noc.n_node + p->to], "its receiver");
        return;
    }
    uint32_t next = n->in[c].out_chan;
    if (next == NO_CHAN) { /* all virtual channels of its class are taken: the first of them speaks for all */
        const struct out_chan *o = &n->out[(ro << n->vc_shift) + p->class * n->n_vc];
        uint32_t owner = (r << n->chan_shift) + o->owner;
        if (o->owner != NO_OWNER && n->in[owner].n)
            waits_for_request(w, NULL, p->req, first_in(n, owner), "a virtual channel");
        return;
    }
    uint32_t down = (n->feeds[ro] << n->vc_shift) + (next & ((1u << n->vc_shift) - 1));
    if (n->in[down].n)
        waits_for_request(w, NULL, p->req, first_in(n, down), "a place at the next router");
}

void routers_waits(const struct comp *comp, struct waits *w)
{
    const struct routers *n = (const struct routers *)comp;
    for (uint32_t c = 0; c < n->n_chan; c++)
        for (uint32_t k = 0; k < n->in[c].n; k++) {
            uint32_t flit = flit_at(n, c, k);
            const struct packet *p = &n->packet[flit >> 2];
            if (!(flit & 1))
                continue; /* the packet's first flit is further on, and speaks for it */
            if (k == 0)
                head_waits(n, c, p, w);
            else
                waits_for_request(w, NULL, p->req, first_in(n, c), "the packet in front of it");
        }
    for (uint32_t lane = 0; lane < n->noc.n_node * n->noc.n_class; lane++) {
        uint32_t node = lane % n->noc.n_node, vc = lane / n->noc.n_node * n->n_vc;
        uint32_t c = ((uint32_t)n->router_of[node] << n->chan_shift) + ((uint32_t)n->port_of[node] << n->vc_shift) + vc;
        req_id id = port_oldest(&n->noc.in[lane]);
        if (id == REQ_NONE)
            continue;
        if (n->inject_packet[lane] != NONE)
            waits_for_request(w, &n->noc.in[lane], id, n->packet[n->inject_packet[lane]].req, "the node's link");
        else if (n->in[c].n)
            waits_for_request(w, &n->noc.in[lane], id, first_in(n, c), "a place at the first router");
    }
}
