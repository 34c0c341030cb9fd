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

static void fifo_push(struct fifo *f, uint64_t at, uint32_t chan, uint32_t flit)
{
    f->slot[f->tail++ & f->mask] = (struct arrival){at, chan, flit};
}

static void wake_router(struct routers *n, uint32_t r)
{
    n->active[r >> 6] |= 1ull << (r & 63);
}

static uint32_t head_flit(const struct routers *n, const struct router *r, uint32_t i)
{
    return r->buf[(i << n->depth_shift) + r->in[i].head];
}

/* ---- one cycle ---- */
/* Channel i has a flit and a credit for it. */
static void flit_ready(struct router *r, uint32_t i)
{
    uint32_t o = r->in[i].to;
    r->output[o].goes |= 1ull << i;
    r->ready |= 1u << o;
}

/* Routes the packet that has reached the head of channel i, which then requests a virtual channel. */
static void ask_for_vc(const struct routers *n, struct router *r, uint32_t i)
{
    uint32_t o = r->route[n->packet[head_flit(n, r, i) >> 2].to];
    r->in[i].to = (uint16_t)o;
    r->output[o].asks |= 1ull << i;
    if (r->output[o].free_vc)
        r->asking |= 1u << o;
}

/* Puts a flit into a buffer and records what its channel can do next. */
ALWAYS_INLINE void enter(struct routers *n, uint32_t chan, uint32_t flit)
{
    uint32_t i = chan & n->chan_mask;
    struct router *r = &n->router[chan >> n->chan_shift];
    struct in_chan *in = &r->in[i];
    r->buf[(i << n->depth_shift) + ((in->head + in->n) & n->depth_mask)] = flit;
    if (in->n++)
        return; /* the flit at the head decides */
    if (in->holds == NO_CHAN)
        ask_for_vc(n, r, i);
    else if (r->out[in->holds].credit)
        flit_ready(r, i);
    else
        return;
    wake_router(n, chan >> n->chan_shift);
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
    for (uint32_t k = 0; k < n->n_credit; k++) {
        struct router *r = &n->router[n->credits[k] >> n->chan_shift];
        struct out_chan *out = &r->out[n->credits[k] & n->chan_mask];
        out->credit++;
        if (out->owner != NO_CHAN && r->in[out->owner].n) {
            flit_ready(r, out->owner);
            wake_router(n, n->credits[k] >> n->chan_shift);
        }
    }
    n->n_credit = 0;
}

/* A node waits until a flit of its class leaves the router it injects at. */
ALWAYS_INLINE void block(struct routers *n, uint32_t class, uint32_t node)
{
    n->blocked[class * n->noc.mark_words + (node >> 6)] |= 1ull << (node & 63);
}

/* Takes the next packet of a lane's port, if one of its class's channels has room. */
ALWAYS_INLINE uint32_t start_packet(struct routers *n, uint32_t class, uint32_t node, const struct in_chan *in,
                                    uint64_t now)
{
    uint32_t lane = class * n->noc.n_node + node;
    struct port *p = &n->noc.in[lane];
    if (!port_peek(p, now)) {
        if (port_empty(p))
            port_unmark(p);
        return NONE;
    }
    uint32_t v = n->inject_ptr[lane], tried = 0, first = class * n->n_vc;
    while (tried < n->n_vc && in[first + v].n == n->depth) {
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
        BUG("%s: a packet for node %u, which has no receiver", n->noc.comp.name, to);
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
ALWAYS_INLINE bool inject_flit(struct routers *n, uint32_t class, uint32_t node, uint64_t now)
{
    uint32_t r = n->router_of[node], first = (uint32_t)n->port_of[node] << n->vc_shift;
    const struct in_chan *in = &n->router[r].in[first];
    uint32_t lane = class * n->noc.n_node + node, k = n->inject_packet[lane];
    if (k == NONE && (k = start_packet(n, class, node, in, now)) == NONE)
        return false;
    struct packet *p = &n->packet[k];
    uint32_t vc = n->inject_vc[lane];
    if (in[vc].n == n->depth) {
        block(n, class, node);
        return false;
    }
    bool head = p->sent == 0, tail = p->sent + 1u == p->flits;
    p->sent++;
    enter(n, (r << n->chan_shift) + first + vc, k << 2 | (uint32_t)tail << 1 | head);
    if (tail) {
        n->inject_packet[lane] = NONE;
        n->injecting[class * n->noc.mark_words + (node >> 6)] &= ~(1ull << (node & 63));
    }
    return true;
}

/* Nodes with a packet in a port or in progress that may have room, 64 per word. */
ALWAYS_INLINE uint64_t nodes_with_packets(const struct routers *n, uint32_t n_class, uint32_t word)
{
    uint64_t m = 0;
    for (uint32_t c = 0, w = word; c < n_class; c++, w += n->noc.mark_words)
        m |= (n->noc.marked[w] | n->injecting[w]) & ~n->blocked[w];
    return m;
}

/* One flit per node and cycle; the classes that can send one take turns. */
ALWAYS_INLINE void inject(struct routers *n, uint32_t n_class, uint64_t now)
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
        BUG("%s: a packet for node %u was ejected at node %u", n->noc.comp.name, p->to, node);
    uint64_t transit = n->noc.cfg.router_latency - 1;
    n->reserved[lane]--;
    port_send_later(out, p->req, p->info, engine_convert(&n->noc.comp, transit, out->consumer));
    noc_count_delivery(&n->noc, p->class, net_pieces(p->info), p->flits, now + transit + 1 - p->since);
    n->noc.in_flight -= net_pieces(p->info);
    p->next = n->packet_free;
    n->packet_free = k;
}

/*
 * Frees a slot of channel i. Its credit reaches the upstream router in the next cycle. If that router still has
 * credits, this one may be counted at once without a difference, because at most one credit is spent per cycle. A node
 * checks the buffer itself.
 */
ALWAYS_INLINE void give_slot_back(struct routers *n, const struct router *r, uint32_t i)
{
    const struct input *input = &r->input[i >> n->vc_shift];
    uint32_t vc = i & n->vc_mask, back = input->behind + vc;
    if (input->behind != NONE) {
        struct out_chan *out = &n->router[back >> n->chan_shift].out[back & n->chan_mask];
        if (out->credit)
            out->credit++;
        else
            n->credits[n->n_credit++] = back;
        return;
    }
    n->blocked[n->class_of_vc[vc] * n->noc.mark_words + (input->node >> 6)] &= ~(1ull << (input->node & 63));
}

/* Moves the flit at the head of channel i through output o. */
ALWAYS_INLINE void traverse(struct routers *n, struct router *r, uint32_t o, uint32_t i, uint64_t now)
{
    struct output *output = &r->output[o];
    struct in_chan *in = &r->in[i];
    struct out_chan *out = &r->out[in->holds];
    uint32_t flit = head_flit(n, r, i);
    bool tail = flit >> 1 & 1, more = true;
    in->head = (uint16_t)((in->head + 1) & n->depth_mask);
    in->n--;
    n->noc.stats.flit_hops++;
    if (flit & 1)
        n->noc.stats.hops += net_pieces(n->packet[flit >> 2].info);
    give_slot_back(n, r, i);
    if (output->feeds == NONE) {
        if (tail)
            deliver(n, output->node, flit >> 2, now);
    } else {
        fifo_push(&n->flits, now + n->latency, output->feeds + (in->holds & n->vc_mask), flit);
        more = --out->credit;
    }
    if (in->n == 0 || tail || !more) {
        output->goes &= ~(1ull << i);
        if (!output->goes)
            r->ready &= ~(1u << o);
    }
    if (tail) {
        out->owner = NO_CHAN;
        output->free_vc |= 1ull << (in->holds & n->vc_mask);
        if (output->asks)
            r->asking |= 1u << o;
        in->holds = NO_CHAN;
        if (in->n)
            ask_for_vc(n, r, i);
    }
}

/* The first bit from the pointer on, or from the lowest on. */
ALWAYS_INLINE uint32_t first_from(uint64_t bits, uint32_t pointer)
{
    uint64_t above = bits & (~0ull << pointer);
    return (uint32_t)__builtin_ctzll(above ? above : bits);
}

/* Grants free virtual channels of a class at output o to the requesting input channels, from the pointer on. */
ALWAYS_INLINE void allocate_vcs(struct routers *n, uint32_t n_class, struct router *r, uint32_t o, uint32_t class)
{
    struct output *output = &r->output[o];
    uint64_t ask = output->asks, vcs = output->free_vc;
    if (n_class > 1) {
        ask &= n->class_chans[class];
        vcs &= n->class_chans[class]; /* those of port 0 */
    }
    for (; ask && vcs; vcs &= vcs - 1) {
        uint32_t i = first_from(ask, output->next_vc[class]), vc = (uint32_t)__builtin_ctzll(vcs);
        struct out_chan *out = &r->out[(o << n->vc_shift) + vc];
        ask &= ~(1ull << i);
        output->asks &= ~(1ull << i);
        output->free_vc &= ~(1ull << vc);
        output->next_vc[class] = (uint16_t)((i + 1) & n->chan_mask);
        out->owner = (uint16_t)i;
        r->in[i].holds = (uint16_t)((o << n->vc_shift) + vc);
        if (out->credit)
            flit_ready(r, i);
    }
}

/* Allocates virtual channels to packets that have reached the heads of their buffers. */
ALWAYS_INLINE void allocate(struct routers *n, uint32_t n_class, struct router *r)
{
    for (uint32_t outputs = r->asking; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        for (uint32_t c = 0; c < n_class; c++)
            allocate_vcs(n, n_class, r, o, c);
    }
    r->asking = 0; /* a channel that still requests waits until a packet leaves a virtual channel */
}

/* The destination lane of the packet of channel i, which leaves the network at this output. */
ALWAYS_INLINE uint32_t eject_lane(const struct routers *n, uint32_t n_class, const struct output *output, uint32_t i)
{
    return n_class == 1 ? output->node : n->class_of_vc[i & n->vc_mask] * n->noc.n_node + output->node;
}

/* The channel that an output grants: the first from its pointer on with a flit for it. A packet's first flit to a node
 * needs room at that node. NONE: no channel can send. */
ALWAYS_INLINE uint32_t choose(const struct routers *n, uint32_t n_class, const struct router *r,
                              const struct output *output)
{
    uint64_t left = output->goes;
    while (left) {
        uint32_t i = first_from(left, output->next);
        if (output->feeds != NONE || !(head_flit(n, r, i) & 1))
            return i;
        uint32_t lane = eject_lane(n, n_class, output, i);
        if (port_has_room(n->noc.out[lane], n->reserved[lane]))
            return i;
        left &= ~(1ull << i);
    }
    return NONE;
}

/* One router, one cycle: virtual channels, switch. True when it must be visited again next cycle. */
ALWAYS_INLINE bool visit(struct routers *n, uint32_t n_class, struct router *r, uint64_t now)
{
    if (r->asking)
        allocate(n, n_class, r);

    /* Each output grants the first channel from its pointer on. */
    uint32_t offered = 0;
    uint32_t offers[MAX_PORT]; /* by input port: outputs that it may send to */
    uint32_t chosen[MAX_PORT]; /* by output: the channel */
    for (uint32_t outputs = r->ready; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        if ((chosen[o] = choose(n, n_class, r, &r->output[o])) == NONE)
            continue;
        uint32_t port = chosen[o] >> n->vc_shift;
        offers[port] = (offered >> port & 1 ? offers[port] : 0) | 1u << o;
        offered |= 1u << port;
    }
    /* Each input port accepts the first grant from its own pointer on. */
    for (; offered; offered &= offered - 1) {
        uint32_t port = (uint32_t)__builtin_ctz(offered), o = first_from(offers[port], r->input[port].next);
        uint32_t i = chosen[o];
        r->output[o].next = (uint16_t)((i + 1) & n->chan_mask);
        r->input[port].next = (uint16_t)(o + 1);
        if (r->output[o].feeds == NONE && head_flit(n, r, i) & 1)
            n->reserved[eject_lane(n, n_class, &r->output[o], i)]++;
        traverse(n, r, o, i, now);
    }
    return r->ready || r->asking;
}

/* The cycle is compiled twice: for the constant n_class = 1, which removes the loops over classes, and for any. */
ALWAYS_INLINE uint64_t tick_body(struct routers *n, uint32_t n_class, uint64_t now)
{
    arrive(n, now);
    inject(n, n_class, now);
    bool again = false;
    for (uint32_t w = 0; w < n->active_words; w++) {
        uint64_t m = n->active[w];
        n->active[w] = 0;
        for (; m; m &= m - 1) {
            uint32_t r = w * 64 + (uint32_t)__builtin_ctzll(m);
            if (visit(n, n_class, &n->router[r], now)) {
                wake_router(n, r);
                again = true;
            }
        }
    }
    if (again || n->n_credit)
        return now + 1;
    for (uint32_t w = 0; w < n->noc.mark_words; w++)
        if (nodes_with_packets(n, n_class, w))
            return now + 1;
    return n->flits.head == n->flits.tail ? NEVER : n->flits.slot[n->flits.head & n->flits.mask].at;
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
static uint32_t flit_at(const struct routers *n, const struct router *r, uint32_t i, uint32_t nth)
{
    return r->buf[(i << n->depth_shift) + ((r->in[i].head + nth) & n->depth_mask)];
}

/* The request of the first packet in channel i. */
static req_id first_in(const struct routers *n, const struct router *r, uint32_t i)
{
    return n->packet[head_flit(n, r, i) >> 2].req;
}

/* What the packet whose first flit is at the head of channel i waits for. */
static void head_waits(const struct routers *n, const struct router *r, uint32_t i, const struct packet *p,
                       struct waits *w)
{
    uint32_t o = r->route[p->to], next = r->in[i].holds;
    const struct output *output = &r->output[o];
    if (output->feeds == NONE) {
        waits_for_room(w, NULL, p->req, n->noc.out[p->class * n->noc.n_node + p->to], "its receiver");
        return;
    }
    if (next == NO_CHAN) { /* all virtual channels of its class are taken: report the first of them */
        uint32_t owner = r->out[(o << n->vc_shift) + p->class * n->n_vc].owner;
        if (owner != NO_CHAN && r->in[owner].n)
            waits_for_request(w, NULL, p->req, first_in(n, r, owner), "a virtual channel");
        return;
    }
    uint32_t down = output->feeds + (next & n->vc_mask);
    const struct router *far = &n->router[down >> n->chan_shift];
    if (far->in[down & n->chan_mask].n)
        waits_for_request(w, NULL, p->req, first_in(n, far, down & n->chan_mask), "a buffer slot at the next router");
}

static void channel_waits(const struct routers *n, const struct router *r, uint32_t i, struct waits *w)
{
    for (uint32_t k = 0; k < r->in[i].n; k++) {
        uint32_t flit = flit_at(n, r, i, k);
        const struct packet *p = &n->packet[flit >> 2];
        if (!(flit & 1))
            continue; /* the packet's first flit is further ahead and is reported instead */
        if (k == 0)
            head_waits(n, r, i, p, w);
        else
            waits_for_request(w, NULL, p->req, first_in(n, r, i), "the packet in front of it");
    }
}

void routers_waits(const struct comp *comp, struct waits *w)
{
    const struct routers *n = (const struct routers *)comp;
    for (uint32_t r = 0; r < n->n_router; r++)
        for (uint32_t i = 0; i <= n->chan_mask; i++)
            channel_waits(n, &n->router[r], i, w);
    for (uint32_t lane = 0; lane < n->noc.n_node * n->noc.n_class; lane++) {
        uint32_t node = lane % n->noc.n_node, vc = lane / n->noc.n_node * n->n_vc;
        const struct router *r = &n->router[n->router_of[node]];
        uint32_t i = ((uint32_t)n->port_of[node] << n->vc_shift) + vc;
        req_id id = port_oldest(&n->noc.in[lane]);
        if (id == REQ_NONE)
            continue;
        if (n->inject_packet[lane] != NONE)
            waits_for_request(w, &n->noc.in[lane], id, n->packet[n->inject_packet[lane]].req, "the node's link");
        else if (r->in[i].n)
            waits_for_request(w, &n->noc.in[lane], id, first_in(n, r, i), "a buffer slot at the first router");
    }
}
