/*
 * Builds a network of routers: its shape, its channels, the positions of the nodes, the links. routers.c has the
 * routers' behavior.
 */
#include "noc/routers_priv.h"

#include <stdlib.h>

/* ---- shape and routes ---- */
enum { LOCAL, EAST, WEST, NORTH, SOUTH };

static uint32_t route_of(const struct routers *n, uint32_t r, uint32_t node)
{
    if (n->noc.cfg.topology == NOC_MESH) {
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

static int shape_mesh(struct routers *n, struct err *e)
{
    uint32_t n_node = n->noc.n_node;
    n->width = n->noc.cfg.width;
    n->height = n->noc.cfg.height;
    if (!n->width && !n->height)
        while (n->width * n->width < n_node)
            n->width++;
    if (!n->width)
        n->width = (n_node + n->height - 1) / n->height;
    if (!n->height)
        n->height = (n_node + n->width - 1) / n->width;
    n->n_router = n->width * n->height;
    n->n_port = 5;
    if (n->n_router < n_node)
        return err_set(e, "a %u x %u mesh holds only %u of %u nodes", n->width, n->height, n->n_router, n_node);
    return 0;
}

static uint64_t power(uint64_t base, uint32_t exponent)
{
    uint64_t p = 1;
    while (exponent--)
        p *= base;
    return p;
}

static int shape_butterfly(struct routers *n, struct err *e)
{
    uint32_t n_node = n->noc.n_node;
    n->stages = n->noc.cfg.stages ? n->noc.cfg.stages : 2;
    n->radix = n->noc.cfg.radix;
    if (!n->radix)
        for (n->radix = 2; power(n->radix, n->stages) < n_node;)
            n->radix++;
    uint64_t reach = power(n->radix, n->stages);
    if (n->radix < 2 || n->radix > MAX_PORT || reach < n_node || reach > 4096)
        return err_set(e, "a %u-ary %u-fly joins %lu nodes; there are %u, and radix 2 to %d is possible", n->radix,
                       n->stages, (unsigned long)reach, n_node, MAX_PORT);
    n->n_router = (uint32_t)(reach / n->radix) * n->stages;
    n->n_port = n->radix;
    return 0;
}

/* How channels and the flits of a buffer are numbered. */
static int number_channels(struct routers *n, struct err *e)
{
    uint32_t vcs = n->noc.cfg.vcs * n->noc.n_class;
    n->n_vc = n->noc.cfg.vcs;
    while (1u << n->vc_shift < vcs)
        n->vc_shift++;
    uint32_t chan_shift = n->vc_shift;
    while (1u << (chan_shift - n->vc_shift) < n->n_port)
        chan_shift++;
    if (chan_shift > 6 || (uint64_t)n->n_router << chan_shift >= UINT16_MAX) {
        err_set(e,
                "%u ports with %u virtual channels for each of %u message classes: at most 64 channels per router "
                "(ports and channels rounded up to powers of two), 65535 in all",
                n->n_port, n->n_vc, n->noc.n_class);
        return err_hint(e, "lower noc.vcs or the butterfly's radix");
    }
    for (uint32_t v = 0; v < vcs; v++) {
        n->class_of_vc[v] = (uint8_t)(v / n->n_vc);
        for (uint32_t p = 0; p < n->n_port; p++)
            n->class_chans[v / n->n_vc] |= 1ull << ((p << n->vc_shift) + v);
    }
    for (uint32_t v = 0; v < vcs; v++)
        n->vcs_of_vc[v] = (uint32_t)(n->class_chans[n->class_of_vc[v]] & ((1ull << vcs) - 1));
    n->depth = n->noc.cfg.vc_flits;
    while (n->depth_mask + 1 < n->depth)
        n->depth_mask = n->depth_mask * 2 + 1;
    n->chan_bytes = (uint32_t)(sizeof(struct chan) + (n->depth_mask + 1) * sizeof(uint32_t) + 15) & ~15u;
    return 0;
}

/* ---- nodes ---- */
static bool parse_places(const char *text, uint16_t *router, uint32_t n, uint32_t n_router, struct err *e)
{
    const char *p = text;
    for (uint32_t i = 0; i < n; i++) {
        char *end;
        unsigned long v = strtoul(p, &end, 10);
        if (end == p || v >= n_router) {
            err_set(e, "noc.memory_nodes = \"%s\": %u routers below %u are needed, one per L2 slice", text, n,
                    n_router);
            return false;
        }
        for (uint32_t k = 0; k < i; k++)
            if (router[k] == v) {
                err_set(e, "noc.memory_nodes = \"%s\": router %lu is named twice", text, v);
                return false;
            }
        router[i] = (uint16_t)v;
        p = end;
        while (*p == ' ' || *p == ',')
            p++;
    }
    if (*p) {
        err_set(e, "noc.memory_nodes = \"%s\" names more routers than there are L2 slices (%u)", text, n);
        return false;
    }
    return true;
}

/* Where each node injects and ejects. */
static int place_nodes(struct routers *n, struct arena *a, struct err *e)
{
    const struct noc_config *cfg = &n->noc.cfg;
    uint32_t n_node = n->noc.n_node, n_sm = n->noc.n_sm, n_mem = n->noc.n_mem;
    n->router_of = arena_alloc64(a, n_node * 2);
    n->port_of = arena_alloc64(a, n_node * 2);
    n->eject_router = arena_alloc64(a, n_node * 2);
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
    if (cfg->memory_nodes && *cfg->memory_nodes) {
        if (!parse_places(cfg->memory_nodes, mem, n_mem, n->n_router, e))
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
    n->router[r]->output[port].feeds = (uint32_t)((char *)chan_in(n, n->router[to], in << n->vc_shift) - n->chan);
    for (uint32_t v = 0; v < 1u << n->vc_shift; v++)
        chan_in(n, n->router[to], (in << n->vc_shift) + v)->behind = (uint16_t)r;
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

/* ---- memory ---- */
static void make_channel(const struct routers *n, struct chan *c, uint32_t router, uint32_t port, uint32_t vc)
{
    *c = (struct chan){.down = NONE,
                       .router = (uint16_t)router,
                       .number = (uint8_t)((port << n->vc_shift) + vc),
                       .port = (uint8_t)port,
                       .vc = (uint8_t)vc,
                       .credit = (uint8_t)n->depth,
                       .owner = NO_OWNER};
}

static void make_routers(struct routers *n, struct arena *a)
{
    uint32_t of_port = 1u << n->vc_shift, of_router = n->n_port << n->vc_shift;
    uint32_t vcs = (uint32_t)((1ull << n->n_vc * n->noc.n_class) - 1); /* a router has two ports, so 32 at most */
    uint8_t *route = arena_alloc64(a, (size_t)n->n_router * n->noc.n_node);
    size_t bytes = sizeof(struct router) + n->n_port * sizeof(struct output);
    n->chan = arena_alloc64(a, ((size_t)n->n_router * of_router + n->noc.n_node * of_port) * n->chan_bytes);
    n->router = arena_alloc64(a, n->n_router * sizeof *n->router);
    n->active_words = (n->n_router + 63) / 64;
    n->active = arena_alloc64(a, n->active_words * 8);
    for (uint32_t r = 0; r < n->n_router; r++) {
        struct router *router = n->router[r] = arena_alloc64(a, bytes);
        *router = (struct router){.active = &n->active[r >> 6],
                                  .active_bit = 1ull << (r & 63),
                                  .in = n->chan + (size_t)r * of_router * n->chan_bytes,
                                  .route = route + (size_t)r * n->noc.n_node};
        for (uint32_t p = 0; p < n->n_port; p++) {
            router->output[p] = (struct output){.node = NO_NODE, .free_vc = vcs};
            for (uint32_t v = 0; v < of_port; v++)
                make_channel(n, chan_in(n, router, (p << n->vc_shift) + v), r, p, v);
        }
    }
}

/* The state per lane. */
static void make_state(struct routers *n, struct arena *a)
{
    uint32_t n_node = n->noc.n_node, lanes = n_node * n->noc.n_class;
    n->lane = arena_alloc64(a, lanes * sizeof *n->lane);
    n->inject_turn = arena_alloc64(a, n_node);
    n->injecting = arena_alloc64(a, n->noc.mark_words * n->noc.n_class * 8);
    n->blocked = arena_alloc64(a, n->noc.mark_words * n->noc.n_class * 8);
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t node = i % n_node, first = ((uint32_t)n->port_of[node] << n->vc_shift) + i / n_node * n->n_vc;
        n->lane[i] = (struct lane){.in = (char *)chan_in(n, n->router[n->router_of[node]], first), .packet = NONE};
    }
}

/* Packets inside and what is on links: a packet has at least one flit in a buffer, on a link or at its sender. */
static void make_packets(struct routers *n, struct arena *a)
{
    uint32_t vcs = n->n_vc * n->noc.n_class, ports = n->n_router * n->n_port, size = 1;
    uint32_t packets = ports * vcs * n->depth + ports * n->latency + n->noc.n_node * n->noc.n_class;
    n->packet = arena_alloc64(a, packets * sizeof *n->packet);
    for (uint32_t i = 0; i < packets; i++)
        n->packet[i].next = i + 1 < packets ? i + 1 : NONE;
    n->heading = arena_alloc64(a, packets * sizeof *n->heading);
    while (size <= n->latency)
        size *= 2;
    n->link_mask = size - 1;
    n->arriving = arena_alloc64(a, size * sizeof *n->arriving);
    n->arrival = arena_alloc64(a, (size_t)size * ports * sizeof *n->arrival); /* a link takes one flit per cycle */
    n->credits = arena_alloc64(a, ports * sizeof *n->credits);                /* a port frees one slot per cycle */
}

/* Where nodes are attached, and the route from every router to every node. */
static void make_routes(struct routers *n)
{
    uint32_t out = ((n->n_router * n->n_port) << n->vc_shift) * n->chan_bytes;
    for (uint32_t i = 0; i < n->noc.n_node; i++) {
        uint32_t port = n->noc.cfg.topology == NOC_MESH ? (uint32_t)LOCAL : i % n->radix;
        struct router *from = n->router[n->eject_router[i]];
        from->to_nodes |= 1u << port;
        from->output[port].node = (uint16_t)i;
        from->output[port].feeds = out;
        for (uint32_t v = 0; v < 1u << n->vc_shift; v++, out += n->chan_bytes) {
            make_channel(n, chan_at(n, out), 0, 0, v);
            struct chan *in = chan_in(n, n->router[n->router_of[i]], ((uint32_t)n->port_of[i] << n->vc_shift) + v);
            in->owner = FROM_NODE;
            in->behind = (uint16_t)i;
        }
        for (uint32_t r = 0; r < n->n_router; r++)
            n->router[r]->route[i] = (uint8_t)route_of(n, r, i);
    }
}

struct noc *routers_new(struct engine *eng, const struct noc *base, struct err *e)
{
    struct arena *a = eng->arena;
    struct routers *n = arena_alloc64(a, sizeof *n);
    bool mesh = base->cfg.topology == NOC_MESH;
    n->noc = *base;
    n->noc.comp.tick = base->n_class == 1 ? routers_tick : routers_tick_classes;
    n->noc.comp.waits = routers_waits;
    n->noc.hops = routers_hops;
    n->latency = base->cfg.router_latency + base->cfg.link_latency - 1;
    if ((mesh ? shape_mesh(n, e) : shape_butterfly(n, e)) || number_channels(n, e) || place_nodes(n, a, e))
        return NULL;
    make_routers(n, a);
    make_state(n, a);
    make_packets(n, a);
    if (mesh)
        wire_mesh(n);
    else
        wire_butterfly(n);
    make_routes(n);
    return &n->noc;
}
