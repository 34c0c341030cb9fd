/*
 * Networks of routers: 2-D mesh and k-ary n-fly butterfly, flit by flit.
 *
 * Source: the wormhole router with virtual channels of Dally and Towles (as in BookSim): route (XY on the mesh,
 * destination tag on the butterfly), allocate a virtual channel at the next router, win the switch, spend a credit,
 * travel. Both allocators work like one iteration of iSLIP: every output has a pointer and takes the first channel that
 * asks from it on, pointers move past the winner, an input port sends one flit per cycle. A flit that wins in cycle t
 * is in the next router's buffer in t + router_latency + link_latency - 1; its credit is back one cycle after its slot
 * was left.
 *
 * Everything lies in flat arrays; a channel (router, port, vc) is one index. A router is visited only in cycles in
 * which something about it may have changed: a flit or a credit arrived, or it did something in the cycle before.
 *
 * A node injects one flit per cycle into its router's local port and takes packets from the ejecting router when their
 * last flit has crossed; the receiver's slot is reserved when the first flit wins the switch.
 * Not modelled: speculation, adaptive routing.
 */
#include "noc/noc_priv.h"

#define NONE     UINT32_MAX
#define NO_CHAN  UINT16_MAX
#define NO_ROUTE 0xff
#define MAX_PORT 16

struct packet {
    req_id req;
    uint32_t info;
    uint64_t since;
    uint32_t next; /* free list */
    uint16_t to, flits, sent;
};

/* A channel as the input of its router: the buffer and what the packet at its head holds. */
struct in_chan {
    uint8_t head, n;  /* in the ring of flits */
    uint8_t out_port; /* route of the packet at the head; NO_ROUTE = not asked for yet */
    uint8_t spare;
    uint16_t out_chan; /* output channel it holds; NO_CHAN = none */
};
/* The same number as an output of its router: the buffer at the other end of the link. */
struct out_chan {
    uint8_t credit; /* free slots there */
    uint8_t owner;  /* input channel (within the router) whose packet holds it; NO_OWNER = none */
};
#define NO_OWNER 0xff

struct arrival {
    uint64_t at;
    uint32_t chan; /* where the flit, or the credit, goes */
    uint32_t flit; /* packet << 2 | tail << 1 | head */
};
struct fifo {
    struct arrival *slot;
    uint32_t mask, head, tail;
};

/*
 * Channels are numbered (router << chan_shift) + (port << vc_shift) + vc, so no division is needed; a router's channels
 * are bits of one word.
 */
struct routers {
    struct noc noc;
    uint32_t n_router, n_port, n_vc, n_chan;
    uint8_t vc_shift, chan_shift;
    uint32_t depth, depth_mask, depth_shift; /* flits a buffer holds; size of its ring */
    uint32_t *buf;
    struct in_chan *in;
    struct out_chan *out;
    uint64_t *nonempty;           /* per router: input channels that hold flits */
    uint64_t *can_go;             /* of these: with an output channel that has credit (or leads to a node) */
    uint64_t *no_vc;              /* of these: whose packet has no output channel yet */
    uint32_t *feeds;              /* by (router, port): number of the next router's port; NONE = a node */
    uint32_t *behind;             /* by (router, port): number of the output that feeds this input; NONE = a node */
    uint16_t *node_of;            /* by (router, port): node that is ejected to; 0xffff */
    uint8_t *switch_ptr, *vc_ptr; /* by (router, port): channel that comes first in the next match */
    uint8_t *route;               /* [router * nodes + node]: output port */
    uint64_t *active;             /* routers to visit: bitmap */
    uint32_t active_words;
    uint16_t *router_of, *port_of; /* of each node's injection */
    uint16_t *eject_router;        /* of each node */
    uint32_t *reserved;            /* per node: packets on their way into its port */
    uint32_t *inject_packet;       /* per node: the packet it is sending; NONE */
    uint8_t *inject_vc;
    uint8_t *inject_ptr;
    uint64_t *injecting; /* nodes with a packet in progress: bitmap */
    struct packet *packet;
    uint32_t packet_free;
    struct fifo flits, credits;
    uint32_t latency; /* switch to next buffer */
    uint32_t width, height, radix, stages;
};

static void fifo_push(struct fifo *f, uint64_t at, uint32_t chan, uint32_t flit)
{
    f->slot[f->tail++ & f->mask] = (struct arrival){at, chan, flit};
}

static void wake_router(struct routers *n, uint32_t r)
{
    n->active[r >> 6] |= 1ull << (r & 63);
}

static uint64_t chan_bit(const struct routers *n, uint32_t chan)
{
    return 1ull << (chan & ((1u << n->chan_shift) - 1));
}

/* ---- topologies: the only part that knows the shape ---- */
enum { LOCAL, EAST, WEST, NORTH, SOUTH };

static uint32_t route_of(const struct routers *n, const struct noc_cfg *cfg, uint32_t r, uint32_t node)
{
    if (cfg->topology == NOC_MESH) {
        uint32_t d = n->eject_router[node];
        uint32_t x = r % n->width, y = r / n->width, dx = d % n->width, dy = d / n->width;
        if (x != dx)
            return x < dx ? EAST : WEST;
        if (y != dy)
            return y < dy ? SOUTH : NORTH;
        return LOCAL;
    }
    /* Destination tag: stage s looks at digit n - 1 - s of the node number. */
    uint32_t per_stage = n->n_router / n->stages, stage = r / per_stage;
    uint32_t digit = node;
    for (uint32_t i = stage + 1; i < n->stages; i++)
        digit /= n->radix;
    return digit % n->radix;
}

static uint32_t routers_hops(const struct noc *noc, uint32_t from, uint32_t to)
{
    const struct routers *n = (const struct routers *)noc;
    if (noc->cfg.topology != NOC_MESH)
        return n->stages;
    int a = n->eject_router[from], b = n->eject_router[to], w = (int)n->width;
    int dx = a % w - b % w, dy = a / w - b / w;
    return (uint32_t)((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy)) + 1;
}

/* ---- one cycle ---- */
/* Puts a flit into a buffer and notes what its channel can do next. */
static void enter(struct routers *n, uint32_t c, uint32_t flit)
{
    struct in_chan *i = &n->in[c];
    uint32_t r = c >> n->chan_shift;
    uint64_t bit = chan_bit(n, c);
    n->buf[(c << n->depth_shift) + ((i->head + i->n) & n->depth_mask)] = flit;
    i->n++;
    n->nonempty[r] |= bit;
    if (i->out_chan == NO_CHAN)
        n->no_vc[r] |= bit;
    else if (n->out[i->out_chan].credit)
        n->can_go[r] |= bit;
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
        uint32_t r = a->chan >> n->chan_shift;
        if (o->credit++ == 0 && o->owner != NO_OWNER) {
            n->can_go[r] |= 1ull << o->owner & n->nonempty[r];
            wake_router(n, r);
        }
    }
}

/* Takes the next packet of a node's port, if one of its channels has room. */
static uint32_t start_packet(struct routers *n, uint32_t node, uint32_t base, uint64_t now)
{
    struct port *p = &n->noc.in[node];
    if (!port_peek(p, now)) {
        if (port_empty(p))
            n->noc.marked[node >> 6] &= ~(1ull << (node & 63));
        return NONE;
    }
    uint32_t v = n->inject_ptr[node], tried = 0;
    while (tried < n->n_vc && n->in[base + v].n == n->depth) {
        v = v + 1 == n->n_vc ? 0 : v + 1;
        tried++;
    }
    if (tried == n->n_vc)
        return NONE;
    struct msg msg = port_pop(p);
    uint32_t k = n->packet_free, to = noc_target(&n->noc, msg.req), flits = noc_flits(&n->noc, msg.info);
    n->packet_free = n->packet[k].next;
    if (to >= n->noc.n_node || !n->noc.out[to])
        BUG("%s: a packet for node %u, which receives nothing", n->noc.comp.name, to);
    n->packet[k] = (struct packet){msg.req, msg.info, msg.ready, NONE, (uint16_t)to, (uint16_t)flits, 0};
    n->inject_packet[node] = k;
    n->inject_vc[node] = (uint8_t)v;
    n->inject_ptr[node] = (uint8_t)(v + 1 == n->n_vc ? 0 : v + 1);
    n->injecting[node >> 6] |= 1ull << (node & 63);
    n->noc.in_flight += net_pieces(msg.info);
    noc_count_entry(&n->noc, msg.info, flits);
    return k;
}

/* One flit per node and cycle enters the local port, as far as its channel's buffer has room. */
static void inject(struct routers *n, uint64_t now)
{
    for (uint32_t w = 0; w < n->noc.mark_words; w++) {
        for (uint64_t m = n->noc.marked[w] | n->injecting[w]; m; m &= m - 1) {
            uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(m);
            uint32_t base =
                ((uint32_t)n->router_of[node] << n->chan_shift) + ((uint32_t)n->port_of[node] << n->vc_shift);
            uint32_t k = n->inject_packet[node];
            if (k == NONE && (k = start_packet(n, node, base, now)) == NONE)
                continue;
            struct packet *p = &n->packet[k];
            uint32_t c = base + n->inject_vc[node];
            if (n->in[c].n == n->depth)
                continue;
            bool head = p->sent == 0, tail = p->sent + 1u == p->flits;
            p->sent++;
            enter(n, c, k << 2 | (uint32_t)tail << 1 | head);
            if (tail) {
                n->inject_packet[node] = NONE;
                n->injecting[w] &= ~(1ull << (node & 63));
            }
        }
    }
}

static void deliver(struct routers *n, uint32_t node, uint32_t k, uint64_t now)
{
    struct packet *p = &n->packet[k];
    struct port *out = n->noc.out[node];
    if (p->to != node)
        BUG("%s: a packet for node %u came out at node %u", n->noc.comp.name, p->to, node);
    uint64_t transit = n->noc.cfg.router_latency - 1;
    uint64_t extra = transit;
    if (out->consumer->queue != n->noc.comp.queue) {
        const struct engine_queue *q = &out->eng->queue[out->consumer->queue];
        extra = (now + transit) * out->eng->queue[n->noc.comp.queue].period / q->period - q->cyc;
    }
    n->reserved[node]--;
    port_send_later(out, p->req, p->info, extra);
    noc_count_delivery(&n->noc, net_pieces(p->info), p->flits, now + transit + 1 - p->since);
    n->noc.in_flight -= net_pieces(p->info);
    p->next = n->packet_free;
    n->packet_free = k;
}

/* Moves the flit at the head of channel c through its output. */
static void traverse(struct routers *n, uint32_t r, uint32_t c, uint64_t now)
{
    struct in_chan *i = &n->in[c];
    uint32_t flit = n->buf[(c << n->depth_shift) + i->head], ro = (r << (n->chan_shift - n->vc_shift)) + i->out_port;
    uint32_t vc_mask = (1u << n->vc_shift) - 1;
    uint64_t bit = chan_bit(n, c);
    struct out_chan *o = &n->out[i->out_chan];
    bool tail = flit >> 1 & 1;
    i->head = (uint8_t)((i->head + 1) & n->depth_mask);
    n->noc.stats.flit_hops++;
    if (flit & 1)
        n->noc.stats.hops += net_pieces(n->packet[flit >> 2].info);
    /* The slot's credit goes back to whoever feeds this channel; nodes look at the buffer itself. */
    uint32_t back = n->behind[c >> n->vc_shift];
    if (back != NONE)
        fifo_push(&n->credits, now + 1, (back << n->vc_shift) + (c & vc_mask), 0);
    if (n->feeds[ro] == NONE) {
        if (tail)
            deliver(n, n->node_of[ro], flit >> 2, now);
    } else {
        fifo_push(&n->flits, now + n->latency, (n->feeds[ro] << n->vc_shift) + (i->out_chan & vc_mask), flit);
        if (--o->credit == 0)
            n->can_go[r] &= ~bit;
    }
    if (--i->n == 0) {
        n->nonempty[r] &= ~bit;
        n->can_go[r] &= ~bit;
    }
    if (tail) {
        o->owner = NO_OWNER;
        i->out_chan = NO_CHAN;
        i->out_port = NO_ROUTE;
        n->can_go[r] &= ~bit;
        n->no_vc[r] |= bit & n->nonempty[r];
    }
}

/* Gives free virtual channels of output port o to the input channels in `ask`, from the pointer on. */
static bool allocate_vcs(struct routers *n, uint32_t r, uint32_t o, uint64_t ask)
{
    uint32_t ro = (r << (n->chan_shift - n->vc_shift)) + o, ptr = n->vc_ptr[ro];
    bool did = false;
    for (uint32_t v = 0; v < n->n_vc && ask; v++) {
        uint32_t oc = (ro << n->vc_shift) + v;
        if (n->out[oc].owner != NO_OWNER)
            continue;
        uint64_t above = ask & (~0ull << ptr);
        uint32_t i = (uint32_t)__builtin_ctzll(above ? above : ask);
        ask &= ~(1ull << i);
        n->out[oc].owner = (uint8_t)i;
        n->in[(r << n->chan_shift) + i].out_chan = (uint16_t)oc;
        n->no_vc[r] &= ~(1ull << i);
        if (n->out[oc].credit)
            n->can_go[r] |= 1ull << i;
        ptr = (i + 1) & ((1u << n->chan_shift) - 1);
        did = true;
    }
    n->vc_ptr[ro] = (uint8_t)ptr;
    return did;
}

/* Routes and virtual channels for packets that have come to the head of their buffers. */
static bool allocate(struct routers *n, uint32_t r)
{
    uint64_t ask[MAX_PORT];
    uint32_t outputs = 0;
    bool did = false;
    for (uint64_t m = n->no_vc[r]; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m), c = (r << n->chan_shift) + i;
        struct in_chan *in = &n->in[c];
        if (in->out_port == NO_ROUTE)
            in->out_port = n->route[r * n->noc.n_node + n->packet[n->buf[(c << n->depth_shift) + in->head] >> 2].to];
        if (!(outputs >> in->out_port & 1)) {
            outputs |= 1u << in->out_port;
            ask[in->out_port] = 0;
        }
        ask[in->out_port] |= 1ull << i;
    }
    for (; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        did |= allocate_vcs(n, r, o, ask[o]);
    }
    return did;
}

/* One router, one cycle: routes, virtual channels, switch. True when it must be visited again next cycle. */
static bool visit(struct routers *n, uint32_t r, uint64_t now)
{
    uint64_t ask[MAX_PORT]; /* per output: the input channels that want to send a flit */
    uint32_t outputs = 0, base = r << n->chan_shift, ports = r << (n->chan_shift - n->vc_shift);
    bool did = n->no_vc[r] && allocate(n, r), waits_for_node = false;

    for (uint64_t m = n->can_go[r]; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m), o = n->in[base + i].out_port;
        if (n->feeds[ports + o] == NONE) {
            uint32_t node = n->node_of[ports + o];
            if (n->buf[((base + i) << n->depth_shift) + n->in[base + i].head] & 1 &&
                port_free(n->noc.out[node]) <= n->reserved[node]) {
                waits_for_node = true;
                continue;
            }
        }
        if (!(outputs >> o & 1)) {
            outputs |= 1u << o;
            ask[o] = 0;
        }
        ask[o] |= 1ull << i;
    }
    /* Each output takes the first channel from its pointer; an input port sends one flit per cycle. */
    uint64_t port_mask = (1ull << (1u << n->vc_shift)) - 1, taken = 0;
    for (; outputs; outputs &= outputs - 1) {
        uint32_t o = (uint32_t)__builtin_ctz(outputs);
        uint64_t left = ask[o] & ~taken;
        if (!left)
            continue;
        uint64_t above = left & (~0ull << n->switch_ptr[ports + o]);
        uint32_t i = (uint32_t)__builtin_ctzll(above ? above : left), c = base + i;
        taken |= port_mask << (i >> n->vc_shift << n->vc_shift);
        n->switch_ptr[ports + o] = (uint8_t)((i + 1) & ((1u << n->chan_shift) - 1));
        if (n->feeds[ports + o] == NONE && n->buf[(c << n->depth_shift) + n->in[c].head] & 1)
            n->reserved[n->node_of[ports + o]]++;
        traverse(n, r, c, now);
        did = true;
    }
    return waits_for_node || (did && (n->can_go[r] | n->no_vc[r]));
}

static uint64_t routers_tick(struct comp *comp, uint64_t now)
{
    struct routers *n = (struct routers *)comp;
    arrive(n, now);
    inject(n, now);
    bool again = false;
    for (uint32_t w = 0; w < n->active_words; w++) {
        uint64_t m = n->active[w];
        n->active[w] = 0;
        for (; m; m &= m - 1) {
            uint32_t r = w * 64 + (uint32_t)__builtin_ctzll(m);
            if (visit(n, r, now)) {
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
        if (n->noc.marked[w] | n->injecting[w])
            return now + 1;
    return want;
}

/* ---- building ---- */
static bool parse_places(const char *text, uint16_t *router, uint32_t n, uint32_t n_router, struct err *e)
{
    const char *p = text;
    for (uint32_t i = 0; i < n; i++) {
        char *end;
        unsigned long v = strtoul(p, &end, 10);
        if (end == p || v >= n_router) {
            err_set(e, "noc.memory_at = \"%s\": %u routers below %u are needed, one per L2 slice", text, n, n_router);
            return false;
        }
        for (uint32_t k = 0; k < i; k++)
            if (router[k] == v) {
                err_set(e, "noc.memory_at = \"%s\": router %lu is named twice", text, v);
                return false;
            }
        router[i] = (uint16_t)v;
        p = end;
        while (*p == ' ' || *p == ',')
            p++;
    }
    if (*p) {
        err_set(e, "noc.memory_at = \"%s\" names more routers than there are L2 slices (%u)", text, n);
        return false;
    }
    return true;
}

static int place_nodes(struct routers *n, const struct noc_cfg *cfg, uint32_t n_sm, uint32_t n_mem, struct err *e)
{
    uint32_t n_node = n_sm + n_mem;
    n->router_of = arena_alloc64(n->noc.comp.eng->arena, n_node * 2);
    n->port_of = arena_alloc64(n->noc.comp.eng->arena, n_node * 2);
    n->eject_router = arena_alloc64(n->noc.comp.eng->arena, n_node * 2);
    if (cfg->topology == NOC_BUTTERFLY) {
        uint32_t per_stage = n->n_router / n->stages;
        for (uint32_t i = 0; i < n_node; i++) {
            n->router_of[i] = (uint16_t)(i / n->radix);
            n->port_of[i] = (uint16_t)(i % n->radix);
            n->eject_router[i] = (uint16_t)(n->n_router - per_stage + i / n->radix);
        }
        return 0;
    }
    uint16_t *mem = &n->router_of[n_sm];
    if (cfg->memory_at && *cfg->memory_at) {
        if (!parse_places(cfg->memory_at, mem, n_mem, n->n_router, e))
            return -1;
    } else {
        /* Evenly over the routers in row order, shifted by half a gap, so that no row or column holds them all. */
        for (uint32_t i = 0; i < n_mem; i++)
            mem[i] = (uint16_t)((2 * i + 1) * n->n_router / (2 * n_mem));
    }
    uint32_t sm = 0;
    for (uint32_t r = 0; r < n->n_router && sm < n_sm; r++) {
        bool used = false;
        for (uint32_t i = 0; i < n_mem; i++)
            used |= mem[i] == r;
        if (!used)
            n->router_of[sm++] = (uint16_t)r;
    }
    for (uint32_t i = 0; i < n_node; i++) {
        n->port_of[i] = LOCAL;
        n->eject_router[i] = n->router_of[i];
    }
    return 0;
}

/* Output `port` of router `r` leads to input `in` of router `to`. */
static void join(struct routers *n, uint32_t r, uint32_t port, uint32_t to, uint32_t in)
{
    uint32_t shift = n->chan_shift - n->vc_shift;
    n->feeds[(r << shift) + port] = (to << shift) + in;
    n->behind[(to << shift) + in] = (r << shift) + port;
}

static void wire_mesh(struct routers *n)
{
    for (uint32_t r = 0; r < n->n_router; r++) {
        uint32_t x = r % n->width, y = r / n->width;
        if (x + 1 < n->width) {
            join(n, r, EAST, r + 1, WEST);
            join(n, r + 1, WEST, r, EAST);
        }
        if (y + 1 < n->height) {
            join(n, r, SOUTH, r + n->width, NORTH);
            join(n, r + n->width, NORTH, r, SOUTH);
        }
    }
}

/*
 * Stage s: the switch of a wire is its number with digit n-1-s taken out; the wires keep their number but for that
 * digit, which the switch replaces by the destination's.
 */
static void wire_butterfly(struct routers *n)
{
    uint32_t per_stage = n->n_router / n->stages, k = n->radix;
    for (uint32_t s = 0; s + 1 < n->stages; s++) {
        for (uint32_t sw = 0; sw < per_stage; sw++) {
            for (uint32_t o = 0; o < k; o++) {
                /* Weight of the digit that stage s sets and of the one that stage s + 1 looks at. */
                uint32_t ws = 1, wn;
                for (uint32_t i = s + 1; i < n->stages; i++)
                    ws *= k;
                wn = ws / k;
                /* Number of the wire that leaves: insert digit o at weight ws. */
                uint32_t low = sw % ws, high = sw / ws, wire = (high * k + o) * ws + low;
                uint32_t digit = wire / wn % k;
                uint32_t next = wire / (wn * k) * wn + wire % wn;
                join(n, s * per_stage + sw, o, (s + 1) * per_stage + next, digit);
            }
        }
    }
}

struct noc *routers_new(struct engine *eng, const struct noc_cfg *cfg, uint32_t n_sm, uint32_t n_mem, struct err *e)
{
    struct arena *a = eng->arena;
    struct routers *n = arena_alloc64(a, sizeof *n);
    uint32_t n_node = n_sm + n_mem;
    n->noc.comp.tick = routers_tick;
    n->noc.comp.eng = eng;
    n->noc.hops = routers_hops;
    n->noc.cfg = *cfg;
    n->n_vc = cfg->vcs;
    n->latency = cfg->router_latency + cfg->link_latency - 1;
    if (cfg->topology == NOC_MESH) {
        n->width = cfg->width;
        n->height = cfg->height;
        if (!n->width && !n->height)
            while (n->width * n->width < n_node)
                n->width++;
        if (!n->width)
            n->width = (n_node + n->height - 1) / n->height;
        if (!n->height)
            n->height = (n_node + n->width - 1) / n->width;
        n->n_router = n->width * n->height;
        n->n_port = 5;
        if (n->n_router < n_node) {
            err_set(e, "a %u x %u mesh has room for %u of %u nodes", n->width, n->height, n->n_router, n_node);
            return NULL;
        }
    } else {
        n->stages = cfg->stages ? cfg->stages : 2;
        n->radix = cfg->radix;
        if (!n->radix) {
            uint64_t reach = 0;
            for (n->radix = 1; reach < n_node;) {
                n->radix++;
                reach = 1;
                for (uint32_t i = 0; i < n->stages; i++)
                    reach *= n->radix;
            }
        }
        uint64_t reach = 1;
        for (uint32_t i = 0; i < n->stages; i++)
            reach *= n->radix;
        if (n->radix < 2 || n->radix > 16 || reach < n_node || reach > 4096) {
            err_set(e, "a %u-ary %u-fly joins %lu nodes; there are %u, and radix 2 to 16 is possible", n->radix,
                    n->stages, (unsigned long)reach, n_node);
            return NULL;
        }
        n->n_router = (uint32_t)(reach / n->radix) * n->stages;
        n->n_port = n->radix;
    }
    while (1u << n->vc_shift < n->n_vc)
        n->vc_shift++;
    n->chan_shift = n->vc_shift;
    while (1u << (n->chan_shift - n->vc_shift) < n->n_port)
        n->chan_shift++;
    if (n->chan_shift > 6 || (uint64_t)n->n_router << n->chan_shift >= NO_CHAN) {
        err_set(e, "%u ports with %u virtual channels: at most 64 channels per router, 65535 in all", n->n_port,
                n->n_vc);
        err_hint(e, "lower noc.vcs or noc.radix");
        return NULL;
    }
    n->depth = cfg->vc_flits;
    while (1u << n->depth_shift < n->depth)
        n->depth_shift++;
    n->depth_mask = (1u << n->depth_shift) - 1;
    if (place_nodes(n, cfg, n_sm, n_mem, e))
        return NULL;
    uint32_t ports = n->n_router << (n->chan_shift - n->vc_shift), chans = n->n_router << n->chan_shift;
    n->n_chan = chans;
    n->buf = arena_alloc64(a, ((size_t)chans << n->depth_shift) * 4);
    n->in = arena_alloc64(a, chans * sizeof *n->in);
    n->out = arena_alloc64(a, chans * sizeof *n->out);
    n->feeds = arena_alloc64(a, ports * 4);
    n->behind = arena_alloc64(a, ports * 4);
    n->node_of = arena_alloc64(a, ports * 2);
    n->nonempty = arena_alloc64(a, n->n_router * 8);
    n->can_go = arena_alloc64(a, n->n_router * 8);
    n->no_vc = arena_alloc64(a, n->n_router * 8);
    n->switch_ptr = arena_alloc64(a, ports);
    n->vc_ptr = arena_alloc64(a, ports);
    n->route = arena_alloc64(a, (size_t)n->n_router * n_node);
    n->active_words = (n->n_router + 63) / 64;
    n->active = arena_alloc64(a, n->active_words * 8);
    n->reserved = arena_alloc64(a, n_node * 4);
    n->inject_packet = arena_alloc64(a, n_node * 4);
    n->inject_vc = arena_alloc64(a, n_node);
    n->inject_ptr = arena_alloc64(a, n_node);
    n->injecting = arena_alloc64(a, (n_node + 63) / 64 * 8);
    for (uint32_t i = 0; i < chans; i++) {
        n->in[i] = (struct in_chan){.out_port = NO_ROUTE, .out_chan = NO_CHAN};
        n->out[i] = (struct out_chan){(uint8_t)n->depth, NO_OWNER};
    }
    for (uint32_t i = 0; i < ports; i++) {
        n->feeds[i] = n->behind[i] = NONE;
        n->node_of[i] = UINT16_MAX;
    }
    if (cfg->topology == NOC_MESH)
        wire_mesh(n);
    else
        wire_butterfly(n);
    for (uint32_t i = 0; i < n_node; i++) {
        uint32_t port = cfg->topology == NOC_MESH ? LOCAL : i % n->radix;
        n->node_of[((uint32_t)n->eject_router[i] << (n->chan_shift - n->vc_shift)) + port] = (uint16_t)i;
        n->inject_packet[i] = NONE;
        for (uint32_t r = 0; r < n->n_router; r++)
            n->route[r * n_node + i] = (uint8_t)route_of(n, cfg, r, i);
    }
    /* A packet has at least one flit in a buffer, on a link or at its sender. */
    uint32_t packets = n->n_router * n->n_port * n->n_vc * n->depth + ports * n->latency + n_node, size = 1;
    n->packet = arena_alloc64(a, packets * sizeof *n->packet);
    for (uint32_t i = 0; i < packets; i++)
        n->packet[i].next = i + 1 < packets ? i + 1 : NONE;
    while (size < ports * (n->latency + 2) + 2)
        size *= 2;
    n->flits = (struct fifo){arena_alloc64(a, size * sizeof(struct arrival)), size - 1, 0, 0};
    n->credits = (struct fifo){arena_alloc64(a, size * sizeof(struct arrival)), size - 1, 0, 0};
    return &n->noc;
}
