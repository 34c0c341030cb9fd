/* What all networks share: building, ports, laws; parameters and statistics. */
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
    for (uint32_t i = 0; i < n->n_node; i++)
        if (!port_empty(&n->in[i]))
            return err_set(e, "%s: %u packets left at node %u", comp->name, port_count(&n->in[i]), i);
    if (n->in_flight)
        return err_set(e, "%s: %u packets left inside", comp->name, n->in_flight);
    return 0;
}

static void noc_dump(const struct comp *comp, FILE *out)
{
    const struct noc *n = (const struct noc *)comp;
    fprintf(out, "%s: %u packets inside", comp->name, n->in_flight);
    for (uint32_t i = 0; i < n->n_node; i++) {
        if (!port_empty(&n->in[i]))
            fprintf(out, "; node %u: %u to send, the first to node %u", i, port_count(&n->in[i]),
                    noc_target(n, n->in[i].slot[n->in[i].head & n->in[i].mask].req));
        if (n->out[i] && !port_can_send(n->out[i]))
            fprintf(out, "; node %u takes no packets (%s)", i, n->out[i]->name);
    }
    fprintf(out, "\n");
}

struct noc *noc_new(struct engine *eng, const struct noc_config *config, enum noc_role role, uint32_t n_sm,
                    uint32_t n_mem, const char *name, struct err *e)
{
    const struct noc_cfg *cfg = config->cfg;
    uint32_t n_node = n_sm + n_mem;
    struct noc *n =
        cfg->topology == NOC_CROSSBAR ? crossbar_new(eng, cfg, n_node, e) : routers_new(eng, cfg, n_sm, n_mem, e);
    if (!n)
        return NULL;
    n->comp.dump = noc_dump;
    n->comp.check = noc_check;
    n->cfg = *cfg;
    n->role = role;
    n->n_node = n_node;
    n->n_sm = n_sm;
    n->n_mem = n_mem;
    engine_add(eng, &n->comp, CLK_NOC, name);
    n->req = eng->pool.req;
    n->in = arena_alloc64(eng->arena, n_node * sizeof *n->in);
    n->out = arena_alloc64(eng->arena, n_node * sizeof *n->out);
    n->mark_words = (n_node + 63) / 64;
    n->marked = arena_alloc64(eng->arena, n->mark_words * 8);
    for (uint32_t i = 0; i < n_node; i++) {
        port_init(&n->in[i], eng, &n->comp, cfg->inject_queue, 1,
                  role == NOC_REQUEST ? "request network" : "reply network");
        port_watch(&n->in[i], &n->marked[i >> 6], 1ull << (i & 63));
    }
    return n;
}

struct comp *noc_comp(struct noc *n)
{
    return &n->comp;
}
struct port *noc_in(struct noc *n, uint32_t node)
{
    return &n->in[node];
}

void noc_connect(struct noc *n, uint32_t node, struct port *out)
{
    n->out[node] = out;
    port_connect(out, &n->comp);
}

uint32_t noc_hops(const struct noc *n, uint32_t from, uint32_t to)
{
    return n->hops(n, from, to);
}

bool noc_reaches(const struct noc *n, uint32_t from, uint32_t to)
{
    if (n->cfg.topology != NOC_CROSSBAR || n->cfg.all_to_all)
        return true;
    return (from < n->n_sm) != (to < n->n_sm);
}

void noc_count_delivery(struct noc *n, uint32_t pieces, uint32_t flits, uint64_t latency)
{
    n->stats.packets_out += pieces;
    n->stats.flits_out += flits;
    n->stats.latency += latency * pieces;
    if (latency > n->stats.latency_max)
        n->stats.latency_max = latency;
}

/* ---- tables ---- */
#define T struct noc_cfg
static const struct cfg_field fields[] = {
    CFG_ROW(T, topology, CFG_ENUM, "", "crossbar", 0, 0, "crossbar mesh butterfly", "shape of the two networks"),
    CFG_ROW(T, flit, CFG_INT, "bytes", "32", 8, 256, NULL, "bytes a link moves per cycle"),
    CFG_ROW(T, inject_queue, CFG_INT, "packets", "8", 1, 4096, NULL, "packets a node can have waiting"),
    CFG_ROW(T, latency, CFG_INT, "cycles", "4", 1, 400, NULL, "crossbar: from the grant to the first flit's arrival"),
    CFG_ROW(T, voq, CFG_BOOL, "", "no", 0, 1, NULL,
            "crossbar: a queue per output at each input, so that no packet blocks another"),
    CFG_ROW(T, iterations, CFG_INT, "", "1", 1, 8, NULL, "crossbar: iterations of iSLIP per cycle"),
    CFG_ROW(T, all_to_all, CFG_BOOL, "", "no", 0, 1, NULL, "crossbar: SMs can reach SMs"),
    CFG_ROW(T, router_latency, CFG_INT, "cycles", "2", 1, 64, NULL, "mesh, butterfly: pipeline of a router"),
    CFG_ROW(T, link_latency, CFG_INT, "cycles", "1", 1, 64, NULL, "mesh, butterfly: from router to router"),
    CFG_ROW(T, vcs, CFG_INT, "channels", "4", 1, 8, NULL, "mesh, butterfly: virtual channels per port"),
    CFG_ROW(T, vc_flits, CFG_INT, "flits", "4", 1, 64, NULL, "mesh, butterfly: buffer of a virtual channel"),
    CFG_ROW(T, width, CFG_INT, "routers", "0", 0, 64, NULL, "mesh: columns; 0 = as square as possible"),
    CFG_ROW(T, height, CFG_INT, "routers", "0", 0, 64, NULL, "mesh: rows; 0 = as square as possible"),
    CFG_ROW(T, radix, CFG_INT, "ports", "0", 0, 16, NULL, "butterfly: k of a k-ary n-fly; 0 = smallest that fits"),
    CFG_ROW(T, stages, CFG_INT, "stages", "0", 0, 8, NULL, "butterfly: n of a k-ary n-fly; 0 = 2"),
    CFG_ROW(T, memory_at, CFG_TEXT, "", "", 0, 0, NULL,
            "mesh: routers of the L2 slices, as a list; empty = spread evenly"),
    CFG_END};
#undef T
const struct cfg_section noc_cfg_section = {"noc", "the request and the reply network", fields, sizeof(struct noc_cfg),
                                            NULL};

#define S struct noc_stats
#define COUNTERS                                                                                                       \
    STAT_ROW(S, packets_in, "packets", "packets accepted"), STAT_ROW(S, packets_out, "packets", "packets delivered"),  \
        STAT_ROW(S, flits_in, "flits", "flits accepted"), STAT_ROW(S, flits_out, "flits", "flits delivered"),          \
        STAT_ROW(S, bytes, "bytes", "bytes of all packets, headers included"),                                         \
        STAT_ROW(S, hops, "hops", "routers passed, summed over packets"),                                              \
        STAT_ROW(S, flit_hops, "hops", "routers passed, summed over flits"),                                           \
        STAT_NAMED(S, latency, "latency_sum", "cycles", "NoC cycles from entering to delivery, summed over packets"),  \
        STAT_MAXIMUM(S, latency_max, "cycles", "the longest of them")
static const struct stat_def request_defs[] = {
    COUNTERS,
    STAT_QUOTIENT("latency", "cycles", "noc.request.latency_sum", "noc.request.packets_out", "mean packet latency"),
    STAT_END};
static const struct stat_def reply_defs[] = {
    COUNTERS,
    STAT_QUOTIENT("latency", "cycles", "noc.reply.latency_sum", "noc.reply.packets_out", "mean packet latency"),
    STAT_END};
static const struct stat_def both_defs[] = {
    STAT_NAMED(S, flits_out, "flits", "flits", "flits delivered by both networks"),
    STAT_NAMED(S, packets_out, "packets", "packets", "packets delivered by both networks"),
    STAT_NAMED(S, flit_hops, "hops", "hops", "routers passed, summed over flits of both networks"),
    STAT_NAMED(S, latency, "latency_sum", "cycles", "NoC cycles from entering to delivery, summed over packets"),
    STAT_QUOTIENT("latency", "cycles", "noc.latency_sum", "noc.packets", "mean packet latency"),
    STAT_END};
#undef S

void noc_register_stats(struct noc *n, struct stats *s)
{
    stats_add(s, "noc", both_defs, &n->stats);
    if (n->role == NOC_REQUEST)
        stats_add(s, "noc.request", request_defs, &n->stats);
    else
        stats_add(s, "noc.reply", reply_defs, &n->stats);
}
