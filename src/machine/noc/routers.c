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

ALWAYS_INLINE uint64_t head_flit(const struct chan *c)
{
    return c->ring[c->head];
}

/* ---- one cycle ---- */
/* The channel has a flit and a credit for it. */
ALWAYS_INLINE void flit_ready(struct router *r, const struct chan *c)
{
    r->output[c->to].goes |= 1ull << c->number;
    r->ready |= 1u << c->to;
}

/* Routes the packet whose first flit is at the head of the channel, which then requests a virtual channel. */
ALWAYS_INLINE void ask_for_vc(struct router *r, struct chan *c, uint64_t flit)
{
    uint32_t o = r->route[flit_to(flit)];
    struct output *output = &r->output[o];
    c->to = (uint8_t)o;
    output->asks |= 1ull << c->number;
    if (output->free_vc)
        r->asking |= 1u << o;
}

/* Puts a flit into a buffer and records what its channel can do next. */
ALWAYS_INLINE void enter(const struct routers *n, struct chan *c, uint64_t flit)
{
    c->ring[(c->head + c->n) & n->depth_mask] = flit;
    if (c->n++)
        return; /* the flit at the head decides */
    struct router *r = c->router;
    if (!c->down)
        ask_for_vc(r, c, flit);
    else if (c->down->credit)
        flit_ready(r, c);
    else
        return;
    wake_router(r);
}

ALWAYS_INLINE void arrive(struct routers *n, uint64_t now)
{
    struct links *l = &n->links;
    for (; l->batch_head != l->batch_tail; l->batch_head++) {
        const struct batch *b = &l->batch[l->batch_head & l->batch_mask];
        if (b->at > now)
            break;
        for (uint32_t k = l->flit_head; k != b->end; k++) {
            const struct arrival *a = &l->flit[k & l->flit_mask];
            enter(n, a->chan, a->flit);
        }
        l->flit_head = b->end;
    }
    for (uint32_t k = 0; k < n->n_credit; k++) {
        struct chan *c = n->credits[k];
        c->credit++;
        if (c->owner == NO_OWNER)
            continue;
        struct router *r = n->router[n->behind[c - n->chan]];
        if (r->in[c->owner].n) {
            flit_ready(r, &r->in[c->owner]);
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
static void unblock(struct routers *n, uint32_t class, uint32_t node)
{
    uint64_t *word = &n->blocked[class * n->noc.mark_words + (node >> 6)], bit = 1ull << (node & 63);
    n->n_blocked -= !!(*word & bit);
    *word &= ~bit;
}

/* Takes the next packet of a lane's port, if one of its class's channels has room. */
ALWAYS_INLINE uint32_t start_packet(struct routers *n, uint32_t class, uint32_t node, struct lane *lane, uint64_t now)
{
    struct port *p = &n->noc.in[class * n->noc.n_node + node];
    if (!port_peek(p, now)) {
        if (port_empty(p))
            port_unmark(p);
        return NONE;
    }
    uint32_t v = lane->next, tried = 0;
    while (lane->in[v].n == n->depth) {
        v = v + 1 == n->n_vc ? 0 : v + 1;
        if (++tried == n->n_vc) {
            block(n, class, node);
            return NONE;
        }
    }
    struct msg msg = port_pop(p);
    if (port_empty(p))
        port_unmark(p);
    uint32_t k = n->packet_free, to = noc_target(&n->noc, class, msg.req), flits = noc_flits(&n->noc, msg.info);
    struct packet *packet = &n->packet[k];
    n->packet_free = packet->next;
    if (to >= n->noc.n_node || !n->noc.out[class * n->noc.n_node + to])
        BUG("%s: a packet for node %u, which has no receiver", n->noc.comp.name, to);
    *packet = (struct packet){.req = msg.req,
                              .info = msg.info,
                              .since = msg.ready,
                              .to = (uint16_t)to,
                              .flits = (uint16_t)flits,
                              .class = (uint8_t) class};
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
    struct chan *c = &lane->in[lane->vc];
    if (c->n == n->depth) {
        block(n, class, node);
        return false;
    }
    uint64_t flit = flit_make(k, p->to, net_pieces(p->info));
    if (p->sent == 0)
        flit |= FLIT_HEAD;
    if (++p->sent == p->flits) {
        flit |= FLIT_TAIL;
        lane->packet = NONE;
        n->injecting[class * n->noc.mark_words + (node >> 6)] &= ~(1ull << (node & 63));
    }
    enter(n, c, flit);
    return true;
}

/* Nodes with a packet of the class in a port or in progress that may have room, 64 per word. */
ALWAYS_INLINE uint64_t nodes_with_packets(const struct routers *n, uint32_t class, uint32_t word)
{
    uint32_t w = class * n->noc.mark_words + word;
    return (n->noc.marked[w] | n->injecting[w]) & ~n->blocked[w];
}

/* One flit per node and cycle; the classes that can send one take turns. */
ALWAYS_INLINE void inject(struct routers *n, uint32_t n_class, uint64_t now)
{
    for (uint32_t w = 0; w < n->noc.mark_words; w++) {
        uint64_t some[NOC_MAX_CLASS], any = 0;
        for (uint32_t c = 0; c < n_class; c++)
            any |= some[c] = nodes_with_packets(n, c, w);
        for (; any; any &= any - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(any), node = w * 64 + bit;
            if (n_class == 1) {
                inject_flit(n, 0, node, now);
                continue;
            }
            uint32_t c = n->inject_turn[node];
            for (uint32_t k = 0; k < n_class; k++) {
                bool did = some[c] >> bit & 1 && inject_flit(n, c, node, now);
                c = c + 1 == n_class ? 0 : c + 1;
                if (did) {
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
        BUG("%s: a packet for node %u was ejected at node %u", n->noc.comp.name, p->to, node);
    uint64_t transit = n->noc.cfg.router_latency - 1;
    n->lane[lane].reserved--;
    port_send_later(out, p->req, p->info, engine_convert(&n->noc.comp, transit, out->consumer));
    noc_count_delivery(&n->noc, p->class, net_pieces(p->info), p->flits, now + transit + 1 - p->since);
    n->noc.in_flight -= net_pieces(p->info);
    p->next = n->packet_free;
    n->packet_free = k;
}

/*
 * Frees a slot of the channel. Its credit reaches the router behind in the next cycle. If that router still has credits,
 * this one may be counted at once without a difference, because at most one credit is spent per cycle. A node checks the
 * buffer itself.
 */
ALWAYS_INLINE void give_slot_back(struct routers *n, struct chan *c)
{
    if (c->owner == FROM_NODE) {
        if (n->n_blocked)
            unblock(n, n->class_of_vc[c->vc], n->behind[c - n->chan]);
    } else if (c->credit) {
        c->credit++;
    } else {
        n->credits[n->n_credit++] = c;
    }
}

/* Moves the flit at the head of channel c through output o. */
ALWAYS_INLINE void traverse(struct routers *n, struct router *r, uint32_t o, struct chan *c, uint64_t now)
{
    struct output *output = &r->output[o];
    struct chan *down = c->down;
    uint64_t flit = head_flit(c), bit = 1ull << c->number;
    bool more = true;
    c->head = (uint8_t)((c->head + 1) & n->depth_mask);
    c->n--;
    n->noc.stats.flit_hops++;
    if (flit & FLIT_HEAD) {
        n->noc.stats.hops += flit_pieces(flit);
        output->first &= ~bit;
    }
    give_slot_back(n, c);
    if (output->node == NO_NODE) {
        struct links *l = &n->links;
        l->flit[l->flit_tail++ & l->flit_mask] = (struct arrival){down, flit};
        more = --down->credit;
    } else if (flit & FLIT_TAIL) {
        deliver(n, output->node, flit_packet(flit), now);
    }
    if (flit & FLIT_TAIL) {
        down->owner = NO_OWNER;
        output->free_vc |= 1ull << down->vc;
        if (output->asks)
            r->asking |= 1u << o;
        c->down = NULL;
        if (c->n)
            ask_for_vc(r, c, head_flit(c));
    } else if (c->n && more) {
        return;
    }
    output->goes &= ~bit;
    if (!output->goes)
        r->ready &= ~(1u << o);
}

/* The first bit from the pointer on, or from the lowest on. */
ALWAYS_INLINE uint32_t first_from(uint64_t bits, uint32_t pointer)
{
    uint64_t above = bits & (~0ull << pointer);
    return (uint32_t)__builtin_ctzll(above ? above : bits);
}

/* Gives a virtual channel of output o to the packet of channel c. */
ALWAYS_INLINE void give_vc(struct router *r, uint32_t o, struct chan *c, uint32_t class, uint32_t vc)
{
    struct output *output = &r->output[o];
    struct chan *down = &output->feeds[vc];
    uint64_t bit = 1ull << c->number;
    output->asks &= ~bit;
    output->first |= bit;
    output->free_vc &= ~(1ull << vc);
    output->next_vc[class] = (c->number + 1) & (MAX_CHAN - 1);
    down->owner = c->number;
    c->down = down;
    if (down->credit) {
        output->goes |= bit;
        r->ready |= 1u << o;
    }
}

/* Gives the free virtual channels of a class at output o to the requesting input channels, from the pointer on. */
static void allocate_vcs(const struct routers *n, struct router *r, uint32_t o, uint32_t class)
{
    struct output *output = &r->output[o];
    uint64_t ask = output->asks & n->class_chans[class];
    uint64_t vcs = output->free_vc & n->class_chans[class]; /* those of port 0 */
    for (; ask && vcs; vcs &= vcs - 1) {
        uint32_t i = first_from(ask, output->next_vc[class]);
        ask &= ~(1ull << i);
        give_vc(r, o, &r->in[i], class, (uint32_t)__builtin_ctzll(vcs));
    }
}

/* Allocates virtual channels to packets that have reached the heads of their buffers. */
ALWAYS_INLINE void allocate(const struct routers *n, uint32_t n_class, struct router *r)
{
    for (uint32_t outputs = r->asking; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        uint64_t ask = r->output[o].asks;
        if (ask & (ask - 1)) {
            for (uint32_t k = 0; k < n_class; k++)
                allocate_vcs(n, r, o, k);
        } else if (ask) { /* one channel: nothing to arbitrate */
            struct chan *c = &r->in[__builtin_ctzll(ask)];
            uint64_t vcs = r->output[o].free_vc;
            if (n_class > 1)
                vcs &= n->vcs_of_vc[c->vc];
            if (vcs)
                give_vc(r, o, c, n_class > 1 ? n->class_of_vc[c->vc] : 0, (uint32_t)__builtin_ctzll(vcs));
        }
    }
    r->asking = 0; /* a channel that still requests waits until a packet leaves a virtual channel */
}

/* The channel that an output to a node grants: a packet's first flit needs room at that node. NULL: none can send. */
static struct chan *choose_to_node(const struct routers *n, const struct router *r, const struct output *output)
{
    uint64_t left = output->goes;
    while (left) {
        struct chan *c = &r->in[first_from(left, output->next)];
        uint64_t bit = 1ull << c->number;
        if (!(output->first & bit))
            return c;
        uint32_t class = n->class_of_vc[c->vc], lane = class * n->noc.n_node + output->node;
        if (port_has_room(n->noc.out[lane], n->lane[lane].reserved))
            return c;
        left &= ~(output->first & n->class_chans[class]);
    }
    return NULL;
}

/* The channel that an output grants: the first from its pointer on with a flit for it. */
ALWAYS_INLINE struct chan *choose(const struct routers *n, const struct router *r, const struct output *output)
{
    if (output->node != NO_NODE)
        return choose_to_node(n, r, output);
    return &r->in[first_from(output->goes, output->next)];
}

/* Input and output accept each other. */
ALWAYS_INLINE void match(struct routers *n, struct router *r, uint32_t o, struct chan *c, uint64_t now)
{
    struct output *output = &r->output[o];
    output->next = (c->number + 1) & (MAX_CHAN - 1);
    r->next[c->port] = (uint8_t)(o + 1);
    if (output->node != NO_NODE && output->first >> c->number & 1)
        n->lane[n->class_of_vc[c->vc] * n->noc.n_node + output->node].reserved++;
    traverse(n, r, o, c, now);
}

/* Several outputs have flits. Each grants a channel; each input port accepts the first grant from its own pointer on. */
static void match_several(struct routers *n, struct router *r, uint64_t now)
{
    uint32_t offered = 0, outputs = 0;
    bool conflict = false;
    struct chan *chosen[MAX_PORT]; /* by output */
    for (uint32_t left = r->ready; left; left &= left - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(left);
        if (!(chosen[o] = choose(n, r, &r->output[o])))
            continue;
        outputs |= 1u << o;
        conflict |= offered >> chosen[o]->port & 1;
        offered |= 1u << chosen[o]->port;
    }
    if (conflict) {
        uint32_t offers[MAX_PORT] = {0}; /* by input port: outputs that it may send to */
        for (uint32_t left = outputs; left; left &= left - 1) {
            uint32_t o = (uint32_t)__builtin_ctz(left);
            offers[chosen[o]->port] |= 1u << o;
        }
        outputs = 0;
        for (; offered; offered &= offered - 1) {
            uint32_t port = (uint32_t)__builtin_ctz(offered);
            outputs |= 1u << first_from(offers[port], r->next[port]);
        }
    }
    for (; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        match(n, r, o, chosen[o], now);
    }
}

/* One router, one cycle: virtual channels, switch. True when it must be visited again next cycle. */
ALWAYS_INLINE bool visit(struct routers *n, uint32_t n_class, struct router *r, uint64_t now)
{
    if (r->asking)
        allocate(n, n_class, r);
    if (r->ready & (r->ready - 1)) {
        match_several(n, r, now);
    } else if (r->ready) { /* one output: whoever it chooses has no other offer */
        uint32_t o = (uint32_t)__builtin_ctz(r->ready);
        struct chan *c = choose(n, r, &r->output[o]);
        if (c)
            match(n, r, o, c, now);
    }
    return r->ready || r->asking;
}

/* The cycle is compiled twice: for the constant n_class = 1, which removes the loops over classes, and for any. */
ALWAYS_INLINE uint64_t tick_body(struct routers *n, uint32_t n_class, uint64_t now)
{
    struct links *l = &n->links;
    arrive(n, now);
    inject(n, n_class, now);
    bool again = false;
    const uint32_t sent = l->flit_tail;
    for (uint32_t w = 0; w < n->active_words; w++) {
        uint64_t left = n->active[w], stay = 0;
        for (uint64_t m = left; m; m &= m - 1) {
            if (visit(n, n_class, n->router[w * 64 + (uint32_t)__builtin_ctzll(m)], now))
                stay |= m & -m;
        }
        n->active[w] = stay;
        again |= stay != 0;
    }
    if (l->flit_tail != sent)
        l->batch[l->batch_tail++ & l->batch_mask] = (struct batch){now + n->latency, l->flit_tail};
    if (again || n->n_credit)
        return now + 1;
    for (uint32_t c = 0; c < n_class; c++)
        for (uint32_t w = 0; w < n->noc.mark_words; w++)
            if (nodes_with_packets(n, c, w))
                return now + 1;
    return l->batch_head == l->batch_tail ? NEVER : l->batch[l->batch_head & l->batch_mask].at;
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
    return n->packet[flit_packet(head_flit(c))].req;
}

/* What the packet whose first flit is at the head of channel c waits for. */
static void head_waits(const struct routers *n, const struct router *r, const struct chan *c, const struct packet *p,
                       struct waits *w)
{
    const struct output *output = &r->output[r->route[p->to]];
    if (output->node != NO_NODE) {
        waits_for_room(w, NULL, p->req, n->noc.out[p->class * n->noc.n_node + p->to], "its receiver");
        return;
    }
    if (!c->down) { /* all virtual channels of its class are taken: report the first of them */
        uint32_t owner = output->feeds[p->class * n->n_vc].owner;
        if (owner != NO_OWNER && r->in[owner].n)
            waits_for_request(w, NULL, p->req, first_in(n, &r->in[owner]), "a virtual channel");
        return;
    }
    if (c->down->n)
        waits_for_request(w, NULL, p->req, first_in(n, c->down), "a buffer slot at the next router");
}

static void channel_waits(const struct routers *n, const struct router *r, const struct chan *c, struct waits *w)
{
    for (uint32_t k = 0; k < c->n; k++) {
        uint64_t flit = c->ring[(c->head + k) & n->depth_mask];
        const struct packet *p = &n->packet[flit_packet(flit)];
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
            channel_waits(n, n->router[r], &n->router[r]->in[i], w);
    for (uint32_t lane = 0; lane < n->noc.n_node * n->noc.n_class; lane++) {
        const struct chan *c = n->lane[lane].in;
        req_id id = port_oldest(&n->noc.in[lane]);
        if (id == REQ_NONE)
            continue;
        if (n->lane[lane].packet != NONE)
            waits_for_request(w, &n->noc.in[lane], id, n->packet[n->lane[lane].packet].req, "the node's link");
        else if (c->n)
            waits_for_request(w, &n->noc.in[lane], id, first_in(n, c), "a buffer slot at the first router");
    }
}
