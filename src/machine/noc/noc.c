/* What all networks share: building, ports, invariants; parameters and statistics. */
#include "noc/noc_priv.h"

static int noc_check(const struct comp *comp, bool drained, struct err *e)
{
    const struct noc *n = (const struct noc *)comp;
    const struct noc_stats *s = &n->stats;
    if (s->packets_in != s->packets_out + n->in_flight)
        return err_set(e, "%s: %lu packets in, %lu out, %u inside", comp->name, (unsigned long)s->packets_in,
                       (unsigned long)s->packets_out, n->in_flight);
    if (n->in_flight == 0 && s->flits_in != s->flits_out)
        return err_set(e, "%s: %lu flits in, %lu out", comp->name, (unsigned long)s->flits_in,
                       (unsigned long)s->flits_out);
    if (!drained)
        return 0;
    for (uint32_t i = 0; i < n->n_class * n->n_node; i++)
        if (!port_empty(&n->in[i]))
            return err_set(e, "%s: %u packets left at node %u", comp->name, port_count(&n->in[i]), i % n->n_node);
    if (n->in_flight)
        return err_set(e, "%s: %u packets left inside", comp->name, n->in_flight);
    return 0;
}

static const char *const class_name[NET_CLASS_COUNT] = {
    [NET_TO_HOME] = "noc.to_home",     [NET_TO_HOME_FORWARDED] = "noc.to_home_forwarded",
    [NET_TO_L2] = "noc.to_l2",         [NET_FROM_L2] = "noc.from_l2",
    [NET_FROM_HOME] = "noc.from_home", [NET_FROM_HOME_FORWARDED] = "noc.from_home_forwarded"};
static const char *const role_name[NOC_ROLE_COUNT] = {[NOC_REQUEST] = "noc.request",
                                                      [NOC_REPLY] = "noc.reply",
                                                      [NOC_CORE_REQUEST] = "noc.core_request",
                                                      [NOC_CORE_REPLY] = "noc.core_reply"};

static enum noc_dest dest_of(enum net_class class, bool via_l2)
{
    switch (class) {
    case NET_TO_HOME:
        return via_l2 ? NOC_DEST_VIA : NOC_DEST_TO;
    case NET_TO_HOME_FORWARDED:
    case NET_TO_L2:
        return NOC_DEST_TO;
    case NET_FROM_HOME:
        return via_l2 ? NOC_DEST_VIA : NOC_DEST_FROM;
    default:
        return NOC_DEST_FROM;
    }
}

struct noc *noc_new(struct engine *eng, const struct noc_setup *config, const struct noc_env *env, struct err *e)
{
    struct noc base = {.cfg = *config->cfg,
                       .role = env->role,
                       .n_node = env->n_sm + env->n_mem,
                       .n_sm = env->n_sm,
                       .n_mem = env->n_mem,
                       .via = env->via,
                       .comp = {.check = noc_check}};
    if (env->role == NOC_REPLY && base.cfg.reply_flit)
        base.cfg.flit = base.cfg.reply_flit;
    for (uint32_t k = 0; k < NET_CLASS_COUNT; k++) {
        if (!(env->classes >> k & 1))
            continue;
        if (base.n_class == NOC_MAX_CLASS)
            BUG("%s: more than %d message classes", role_name[env->role], NOC_MAX_CLASS);
        base.class_of[base.n_class] = (uint8_t)k;
        base.dest[base.n_class++] = (uint8_t)dest_of((enum net_class)k, env->via);
    }
    base.mark_words = (base.n_node + 63) / 64;
    struct noc *n;
    if (env->ideal)
        n = wires_new(eng, &base);
    else
        n = base.cfg.topology == NOC_CROSSBAR ? crossbar_new(eng, &base, e) : routers_new(eng, &base, e);
    if (!n)
        return NULL;
    engine_add(eng, &n->comp, env->ideal ? CLK_CORE : CLK_NOC, role_name[env->role]);
    n->req = eng->requests.req;
    n->in = arena_alloc64(eng->arena, (size_t)n->n_class * n->n_node * sizeof *n->in);
    n->out = arena_alloc64(eng->arena, (size_t)n->n_class * n->n_node * sizeof *n->out);
    n->marked = arena_alloc64(eng->arena, (size_t)n->n_class * n->mark_words * 8);
    for (uint32_t c = 0; c < n->n_class; c++)
        for (uint32_t i = 0; i < n->n_node; i++) {
            struct port *p = &n->in[c * n->n_node + i];
            port_init(p, eng, &n->comp, n->cfg.inject_queue, 1, class_name[n->class_of[c]]);
            port_watch(p, &n->marked[c * n->mark_words + (i >> 6)], 1ull << (i & 63));
        }
    return n;
}

static uint32_t lane_of(const struct noc *n, enum net_class class, uint32_t node)
{
    for (uint32_t c = 0; c < n->n_class; c++)
        if (n->class_of[c] == class)
            return c * n->n_node + node;
    BUG("%s does not carry %s", n->comp.name, class_name[class]);
}

struct port *noc_in(struct noc *n, enum net_class class, uint32_t node)
{
    return &n->in[lane_of(n, class, node)];
}

void noc_connect(struct noc *n, enum net_class class, uint32_t node, struct port *out)
{
    n->out[lane_of(n, class, node)] = out;
    port_connect(out, &n->comp);
}

uint32_t noc_hops(const struct noc *n, uint32_t from, uint32_t to)
{
    return n->hops(n, from, to);
}

void noc_count_delivery(struct noc *n, uint32_t c, uint32_t pieces, uint32_t flits, uint64_t latency)
{
    n->stats.packets_out += pieces;
    n->stats.flits_out += flits;
    n->stats.latency += latency * pieces;
    if (latency > n->stats.latency_max)
        n->stats.latency_max = latency;
    if (n->n_class == 1)
        return;
    struct noc_class_stats *s = &n->of_class[c];
    s->packets += pieces;
    s->flits += flits;
    s->latency += latency * pieces;
    if (latency > s->latency_max)
        s->latency_max = latency;
}

/* ---- tables ---- */
#define T struct noc_config
static const struct cfg_field fields[] = {
    CFG_ROW(T, topology, CFG_ENUM, "", "crossbar", 0, 0, "crossbar mesh butterfly", "shape of the two networks"),
    CFG_ROW(T, flit, CFG_INT, "bytes", "32", 8, 256, NULL, "bytes a link moves per cycle"),
    CFG_ROW(T, reply_flit, CFG_INT, "bytes", "0", 0, 256, NULL, "flit size of the reply networks; 0 = as noc.flit"),
    CFG_ROW(T, inject_queue, CFG_INT, "packets", "8", 1, 4096, NULL, "packets a node can have waiting"),
    CFG_ROW(T, crossbar_latency, CFG_INT, "cycles", "4", 1, 400, NULL,
            "crossbar: cycles from grant to the arrival of the first flit"),
    CFG_ROW(T, voq, CFG_BOOL, "", "no", 0, 1, NULL,
            "crossbar: a queue per output at each input, so that no packet blocks another"),
    CFG_ROW(T, iterations, CFG_INT, "", "1", 1, 8, NULL, "crossbar: iterations of iSLIP per cycle"),
    CFG_ROW(T, router_latency, CFG_INT, "cycles", "2", 1, 64, NULL, "mesh, butterfly: pipeline of a router"),
    CFG_ROW(T, link_latency, CFG_INT, "cycles", "1", 1, 64, NULL, "mesh, butterfly: from router to router"),
    CFG_ROW(T, vcs, CFG_INT, "channels", "4", 1, 8, NULL,
            "mesh, butterfly: virtual channels per port and message class"),
    CFG_ROW(T, vc_flits, CFG_INT, "flits", "4", 1, 64, NULL, "mesh, butterfly: buffer of a virtual channel"),
    CFG_ROW(T, width, CFG_INT, "routers", "0", 0, 64, NULL, "mesh: columns; 0 = as square as possible"),
    CFG_ROW(T, height, CFG_INT, "routers", "0", 0, 64, NULL, "mesh: rows; 0 = as square as possible"),
    CFG_ROW(T, radix, CFG_INT, "ports", "0", 0, 16, NULL, "butterfly: k of a k-ary n-fly; 0 = smallest that fits"),
    CFG_ROW(T, stages, CFG_INT, "stages", "0", 0, 8, NULL, "butterfly: n of a k-ary n-fly; 0 = 2"),
    CFG_ROW(T, memory_nodes, CFG_TEXT, "", "", 0, 0, NULL,
            "mesh: routers of the L2 slices, as a list; empty = spread evenly"),
    CFG_ROW(T, core_to_core, CFG_ENUM, "", "none", 0, 0, "none direct via-l2",
            "path between L1s of different SMs: none, a direct network, or forwarding by the L2 slices"),
    CFG_ROW(T, core_network, CFG_ENUM, "", "same", 0, 0, "same crossbar mesh butterfly",
            "network between SMs when core_to_core = direct; same = the SM-L2 network"),
    CFG_ROW(T, core_width, CFG_INT, "routers", "0", 0, 64, NULL, "core_network = mesh: columns"),
    CFG_ROW(T, core_height, CFG_INT, "routers", "0", 0, 64, NULL, "core_network = mesh: rows"),
    CFG_ROW(T, core_radix, CFG_INT, "ports", "0", 0, 16, NULL, "core_network = butterfly: k of a k-ary n-fly"),
    CFG_ROW(T, core_stages, CFG_INT, "stages", "0", 0, 8, NULL, "core_network = butterfly: n of a k-ary n-fly"),
    CFG_END};
#undef T

static int check_noc(const struct cfg *c, const void *values, struct err *e)
{
    const struct noc_config *v = values;
    if (v->core_network == NOC_CORE_SAME || v->core_to_core == NOC_C2C_DIRECT)
        return 0;
    cfg_fault(c, "noc.core_network", e, "core_network is set, but core_to_core is not direct");
    return err_hint(e, "set noc.core_to_core = direct, or noc.core_network = same");
}
const struct cfg_section noc_cfg_section = {"noc", "the networks between SMs and L2 slices", fields,
                                            sizeof(struct noc_config), check_noc};

#define S struct noc_stats
#define COUNTERS                                                                                                       \
    STAT_ROW(S, packets_in, "packets", "packets accepted"), STAT_ROW(S, packets_out, "packets", "packets delivered"),  \
        STAT_ROW(S, flits_in, "flits", "flits accepted"), STAT_ROW(S, flits_out, "flits", "flits delivered"),          \
        STAT_ROW(S, bytes, "bytes", "bytes of all packets, headers included"),                                         \
        STAT_ROW(S, hops, "hops", "routers passed, summed over packets"),                                              \
        STAT_ROW(S, flit_hops, "hops", "routers passed, summed over flits"),                                           \
        STAT_NAMED(S, latency, "latency_sum", "cycles", "NoC cycles from injection to delivery, summed over packets"), \
        STAT_MAXIMUM(S, latency_max, "cycles", "maximum packet latency")
#define NETWORK(role)                                                                                                  \
    {                                                                                                                  \
        COUNTERS, STAT_QUOTIENT("latency", "cycles", role ".latency_sum", role ".packets_out", "mean packet latency"), \
            STAT_END                                                                                                   \
    }
static const struct stat_def role_defs[NOC_ROLE_COUNT][11] = {[NOC_REQUEST] = NETWORK("noc.request"),
                                                              [NOC_REPLY] = NETWORK("noc.reply"),
                                                              [NOC_CORE_REQUEST] = NETWORK("noc.core_request"),
                                                              [NOC_CORE_REPLY] = NETWORK("noc.core_reply")};
static const struct stat_def all_defs[] = {
    STAT_NAMED(S, flits_out, "flits", "flits", "flits delivered by all networks"),
    STAT_NAMED(S, packets_out, "packets", "packets", "packets delivered by all networks"),
    STAT_NAMED(S, flit_hops, "hops", "hops", "routers passed, summed over flits of all networks"),
    STAT_NAMED(S, latency, "latency_sum", "cycles", "NoC cycles from injection to delivery, summed over packets"),
    STAT_QUOTIENT("latency", "cycles", "noc.latency_sum", "noc.packets", "mean packet latency"),
    STAT_END};
#undef S
/* In a network with several classes, the class's own counters; with one class, those of the network. */
#define CLASS(class, T, packets, flits)                                                                                \
    {                                                                                                                  \
        STAT_NAMED(T, packets, "packets", "packets", "packets of this class delivered"),                               \
            STAT_NAMED(T, flits, "flits", "flits", "flits of this class delivered"),                                   \
            STAT_NAMED(T, latency, "latency_sum", "cycles", "NoC cycles from injection to delivery, summed"),          \
            STAT_MAXIMUM(T, latency_max, "cycles", "maximum packet latency"),                                          \
            STAT_QUOTIENT("latency", "cycles", class ".latency_sum", class ".packets", "mean packet latency"),         \
            STAT_END                                                                                                   \
    }
#define SHARED(class) CLASS(class, struct noc_class_stats, packets, flits)
#define ALONE(class)  CLASS(class, struct noc_stats, packets_out, flits_out)
static const struct stat_def shared_defs[NET_CLASS_COUNT][6] = {
    [NET_TO_HOME] = SHARED("noc.to_home"),     [NET_TO_HOME_FORWARDED] = SHARED("noc.to_home_forwarded"),
    [NET_TO_L2] = SHARED("noc.to_l2"),         [NET_FROM_L2] = SHARED("noc.from_l2"),
    [NET_FROM_HOME] = SHARED("noc.from_home"), [NET_FROM_HOME_FORWARDED] = SHARED("noc.from_home_forwarded")};
static const struct stat_def alone_defs[NET_CLASS_COUNT][6] = {[NET_TO_HOME] = ALONE("noc.to_home"),
                                                               [NET_TO_L2] = ALONE("noc.to_l2"),
                                                               [NET_FROM_L2] = ALONE("noc.from_l2"),
                                                               [NET_FROM_HOME] = ALONE("noc.from_home")};

void noc_register_stats(struct noc *n, struct stats *s, bool by_class)
{
    stats_add(s, "noc", all_defs, &n->stats);
    stats_add(s, role_name[n->role], role_defs[n->role], &n->stats);
    if (by_class && n->n_class == 1)
        stats_add(s, class_name[n->class_of[0]], alone_defs[n->class_of[0]], &n->stats);
    for (uint32_t c = 0; by_class && n->n_class > 1 && c < n->n_class; c++)
        stats_add(s, class_name[n->class_of[c]], shared_defs[n->class_of[c]], &n->of_class[c]);
}
