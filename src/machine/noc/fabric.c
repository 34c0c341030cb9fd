/* Assembles the networks of a machine and the forwarders at its L2 slices; see fabric.h. */
#include "noc/fabric.h"

#include "engine/waits.h"

/*
 * At an L2 slice: a message from SM to SM arrives through the request network and leaves through the reply network,
 * one message of each class per NoC cycle. Requests and replies have a queue each, so neither waits for the other.
 */
enum { FORWARD_REQUEST, FORWARD_REPLY, FORWARD_COUNT };
struct forwarder {
    struct comp comp;
    struct port in[FORWARD_COUNT];
    struct port *out[FORWARD_COUNT];
};

struct fabric {
    struct fabric_env env;
    enum noc_core_to_core core_to_core;
    struct noc *request, *reply;           /* between SMs and slices */
    struct noc *core_request, *core_reply; /* carry messages between SMs: the same networks, or a separate pair */
    struct forwarder *forwarder;           /* per slice; NULL = none */
};

static uint64_t forwarder_tick(struct comp *comp, uint64_t now)
{
    struct forwarder *f = (struct forwarder *)comp;
    uint64_t want = NEVER;
    for (int k = 0; k < FORWARD_COUNT; k++) {
        if (port_peek(&f->in[k], now) && port_can_send(f->out[k])) {
            struct msg m = port_pop(&f->in[k]);
            port_send(f->out[k], m.req, m.info);
        }
        uint64_t ready = port_next_ready(&f->in[k]);
        if (ready == NEVER || !port_can_send(f->out[k]))
            continue; /* a message or a freed slot wakes this component */
        ready = ready > now ? ready : now + 1;
        want = ready < want ? ready : want;
    }
    return want;
}

static void forwarder_waits(const struct comp *comp, struct waits *w)
{
    const struct forwarder *f = (const struct forwarder *)comp;
    for (int k = 0; k < FORWARD_COUNT; k++)
        if (!port_empty(&f->in[k]))
            waits_for_room(w, &f->in[k], port_oldest(&f->in[k]), f->out[k], "the network to the SM");
}

static int forwarder_check(const struct comp *comp, bool drained, struct err *e)
{
    const struct forwarder *f = (const struct forwarder *)comp;
    uint32_t left = port_count(&f->in[FORWARD_REQUEST]) + port_count(&f->in[FORWARD_REPLY]);
    return drained && left ? err_set(e, "%s: %u messages left", comp->name, left) : 0;
}

static void forwarders_new(struct fabric *f, struct engine *eng, uint32_t queue)
{
    static const enum net_class first[FORWARD_COUNT] = {NET_TO_HOME, NET_FROM_HOME};
    static const enum net_class second[FORWARD_COUNT] = {NET_TO_HOME_FORWARDED, NET_FROM_HOME_FORWARDED};
    static const char *const name[FORWARD_COUNT] = {"forwarded requests", "forwarded replies"};
    f->forwarder = arena_alloc64(eng->arena, f->env.n_slice * sizeof *f->forwarder);
    for (uint32_t i = 0; i < f->env.n_slice; i++) {
        struct forwarder *w = &f->forwarder[i];
        uint32_t node = fabric_slice_node(f, i);
        char text[32];
        int n = snprintf(text, sizeof text, "l2.%u.forwarder", i);
        w->comp = (struct comp){.tick = forwarder_tick, .waits = forwarder_waits, .check = forwarder_check};
        engine_add(eng, &w->comp, CLK_NOC, arena_strndup(eng->arena, text, (size_t)n));
        for (int k = 0; k < FORWARD_COUNT; k++) {
            port_init(&w->in[k], eng, &w->comp, queue, 1, name[k]);
            noc_connect(f->request, first[k], node, &w->in[k]);
            w->out[k] = noc_in(f->reply, second[k], node);
            port_connect(w->out[k], &w->comp);
        }
    }
}

/* The pair of networks between the SMs only. */
static int core_networks_new(struct fabric *f, struct engine *eng, const struct noc_config *cfg, struct err *e)
{
    static const enum noc_topology shape[] = {
        [NOC_CORE_CROSSBAR] = NOC_CROSSBAR, [NOC_CORE_MESH] = NOC_MESH, [NOC_CORE_BUTTERFLY] = NOC_BUTTERFLY};
    struct noc_config core = *cfg;
    core.topology = shape[cfg->core_network];
    core.width = cfg->core_width;
    core.height = cfg->core_height;
    core.radix = cfg->core_radix;
    core.stages = cfg->core_stages;
    core.memory_nodes = "";
    struct noc_setup config = {.cfg = &core};
    bool ideal = f->env.ideal;
    struct noc_env request = {
        .role = NOC_CORE_REQUEST, .n_sm = f->env.n_sm, .classes = 1u << NET_TO_HOME, .ideal = ideal};
    struct noc_env reply = {
        .role = NOC_CORE_REPLY, .n_sm = f->env.n_sm, .classes = 1u << NET_FROM_HOME, .ideal = ideal};
    f->core_request = noc_new(eng, &config, &request, e);
    f->core_reply = f->core_request ? noc_new(eng, &config, &reply, e) : NULL;
    return f->core_reply ? 0 : -1;
}

struct fabric *fabric_new(struct engine *eng, const struct noc_setup *config, const struct fabric_env *env,
                          struct err *e)
{
    const struct noc_config *cfg = config->cfg;
    struct fabric *f = arena_alloc64(eng->arena, sizeof *f);
    f->env = *env;
    if (env->core_to_core_for && cfg->core_to_core == NOC_C2C_NONE && !env->ideal) {
        err_set(e, "the L1 organization %s sends requests to other SMs, but this machine's networks do not connect SMs",
                env->core_to_core_for);
        err_hint(e, "set noc.core_to_core = direct (the networks join SMs) or via-l2 (the L2 slices forward)");
        return NULL;
    }
    f->core_to_core = env->core_to_core_for ? (enum noc_core_to_core)cfg->core_to_core : NOC_C2C_NONE;
    if (env->core_to_core_for && env->ideal)
        f->core_to_core = NOC_C2C_DIRECT;
    bool own = f->core_to_core == NOC_C2C_DIRECT && (env->ideal || cfg->core_network != NOC_CORE_SAME);
    struct noc_env request = {.role = NOC_REQUEST, .n_sm = env->n_sm, .n_mem = env->n_slice},
                   reply = {.role = NOC_REPLY, .n_sm = env->n_sm, .n_mem = env->n_slice};
    request.classes = 1u << NET_TO_L2;
    reply.classes = 1u << NET_FROM_L2;
    if (f->core_to_core == NOC_C2C_DIRECT && !own) {
        request.classes |= 1u << NET_TO_HOME;
        reply.classes |= 1u << NET_FROM_HOME;
    } else if (f->core_to_core == NOC_C2C_VIA_L2) {
        request.via = reply.via = env->map;
        request.classes |= 1u << NET_TO_HOME | 1u << NET_FROM_HOME;
        reply.classes |= 1u << NET_TO_HOME_FORWARDED | 1u << NET_FROM_HOME_FORWARDED;
    }
    f->request = noc_new(eng, config, &request, e);
    f->reply = f->request ? noc_new(eng, config, &reply, e) : NULL;
    if (!f->reply)
        return NULL;
    f->core_request = f->request;
    f->core_reply = f->core_to_core == NOC_C2C_VIA_L2 ? f->request : f->reply;
    if (own && core_networks_new(f, eng, cfg, e))
        return NULL;
    if (f->core_to_core == NOC_C2C_VIA_L2)
        forwarders_new(f, eng, cfg->inject_queue);
    return f;
}

void fabric_register_stats(struct fabric *f, struct stats *s)
{
    bool by_class = f->core_to_core != NOC_C2C_NONE;
    noc_register_stats(f->request, s, by_class);
    noc_register_stats(f->reply, s, by_class);
    if (f->core_request != f->request) {
        noc_register_stats(f->core_request, s, by_class);
        noc_register_stats(f->core_reply, s, by_class);
    }
}

uint16_t fabric_slice_node(const struct fabric *f, uint32_t slice)
{
    return (uint16_t)(f->env.n_sm + slice);
}

uint32_t fabric_hops(const struct fabric *f, uint32_t from, uint32_t to)
{
    if (from >= f->env.n_sm || to >= f->env.n_sm)
        return noc_hops(f->request, from, to);
    if (f->core_to_core != NOC_C2C_VIA_L2)
        return noc_hops(f->core_request, from, to);
    /* Any slice may be the one that forward it: the mean, rounded. */
    uint32_t sum = 0, n = f->env.n_slice;
    for (uint32_t i = 0; i < n; i++)
        sum += noc_hops(f->request, from, fabric_slice_node(f, i)) + noc_hops(f->reply, fabric_slice_node(f, i), to);
    return (sum + n / 2) / n;
}

struct fabric_sm_out fabric_sm_out(struct fabric *f, uint32_t sm)
{
    uint32_t node = fabric_sm_node(sm);
    struct fabric_sm_out out = {.to_l2 = noc_in(f->request, NET_TO_L2, node)};
    if (f->core_to_core != NOC_C2C_NONE) {
        out.to_home = noc_in(f->core_request, NET_TO_HOME, node);
        out.to_requester = noc_in(f->core_reply, NET_FROM_HOME, node);
    }
    return out;
}

void fabric_connect_sm(struct fabric *f, uint32_t sm, const struct fabric_sm_in *in)
{
    uint32_t node = fabric_sm_node(sm);
    noc_connect(f->reply, NET_FROM_L2, node, in->from_l2);
    if (f->core_to_core == NOC_C2C_DIRECT) {
        noc_connect(f->core_reply, NET_FROM_HOME, node, in->from_home);
        noc_connect(f->core_request, NET_TO_HOME, node, in->from_sms);
    } else if (f->core_to_core == NOC_C2C_VIA_L2) {
        noc_connect(f->reply, NET_FROM_HOME_FORWARDED, node, in->from_home);
        noc_connect(f->reply, NET_TO_HOME_FORWARDED, node, in->from_sms);
    }
}

struct port *fabric_slice_out(struct fabric *f, uint32_t slice)
{
    return noc_in(f->reply, NET_FROM_L2, fabric_slice_node(f, slice));
}

void fabric_connect_slice(struct fabric *f, uint32_t slice, struct port *request)
{
    noc_connect(f->request, NET_TO_L2, fabric_slice_node(f, slice), request);
}
