/*
 * The order of a region's operations: list scheduling by critical path under a limit of registers.
 *
 * One operation is issued per cycle. Of those that are ready the one with the longest path of latencies to the region's
 * end goes first, so addresses and loads come early and what uses them late. While as many registers are alive as the
 * kernel has, only operations that need no more are chosen, or, when there is none, the first in program order: that
 * order is known to fit. A load also leaves room for the loads with longer paths that are not issued yet: otherwise the
 * first operands of many products would take the registers, and no product could be computed.
 */
#include "code/lower.h"

/* What takes at least so long is waited for: loads of global and local memory. */
enum { LONG_CYCLES = 100 };

struct scheduler {
    const struct code_func *c;
    const struct code_region *r;
    const struct code_graph *g;
    uint32_t *height;   /* by node: cycles from its issue to the region's end */
    uint32_t *earliest; /* by node */
    uint32_t *waits;    /* by node: predecessors not issued */
    uint32_t *readers;  /* by register: operations that still read it */
    bool *lives_on;     /* by register: read behind the region */
    bool *is_alive;
    uint32_t *load; /* nodes with results that are waited for */
    uint32_t n_load;
    int32_t *above; /* by node: units of the results of such nodes that have longer paths and are not issued */
    int32_t alive;  /* 32-bit units */
};

static unsigned units_of(const struct code_func *c, uint32_t reg)
{
    return reg < c->func->n_reg ? ptx_reg_rows(&c->func->reg[reg]) : reg == c->func->n_reg ? 0 : 1;
}

static bool lives_at(const struct code_func *c, uint32_t reg, uint32_t pc)
{
    uint32_t low = c->live.at[reg], high = c->live.at[reg + 1];
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (c->live.segment[mid].last < pc)
            low = mid + 1;
        else
            high = mid;
    }
    return low < c->live.at[reg + 1] && c->live.segment[low].first <= pc;
}

/* Registers alive on entry, whether the region reads them or not. */
static void find_alive(struct scheduler *s)
{
    const struct code_func *c = s->c;
    for (uint32_t reg = 0; reg < c->func->n_reg; reg++) {
        if (c->renamed[reg] != reg || c->constant[reg] != CODE_NONE)
            continue;
        s->lives_on[reg] = lives_at(c, reg, s->r->last);
        bool read_here = s->readers[reg] != 0;
        if (!lives_at(c, reg, s->r->first) || (!read_here && !s->lives_on[reg]))
            continue;
        /* One that the first instruction defines is not alive before it. */
        s->is_alive[reg] = true;
        s->alive += (int32_t)units_of(c, reg);
    }
}

static void measure(struct scheduler *s)
{
    for (uint32_t i = s->g->n; i-- > 0;) {
        uint32_t most = 0;
        for (uint32_t k = s->g->at[i]; k < s->g->at[i + 1]; k++) {
            const struct code_edge *e = &s->g->edge[k];
            uint32_t path = s->height[e->to] + e->latency;
            most = path > most ? path : most;
        }
        s->height[i] = most + 1;
    }
}

/* How many more registers are alive after operation i. */
static int32_t growth(const struct scheduler *s, uint32_t i)
{
    const struct code_node *n = &s->r->node.p[i];
    int32_t more = 0;
    for (unsigned k = 0; k < n->n_src; k++) {
        uint32_t reg = code_src(s->r, n)[k];
        if (s->readers[reg] == 1 && !s->lives_on[reg] && s->is_alive[reg])
            more -= (int32_t)units_of(s->c, reg);
    }
    for (unsigned k = 0; k < n->n_dst; k++) {
        uint32_t reg = code_dst(s->r, n)[k];
        if (!s->is_alive[reg] && (s->readers[reg] || s->lives_on[reg]))
            more += (int32_t)units_of(s->c, reg);
    }
    return more;
}

static int32_t units_of_results(const struct scheduler *s, uint32_t i)
{
    const struct code_node *n = &s->r->node.p[i];
    int32_t units = 0;
    for (unsigned k = 0; k < n->n_dst; k++)
        units += (int32_t)units_of(s->c, code_dst(s->r, n)[k]);
    return units;
}

/* Adds the results of a load to what the loads with shorter paths leave room for, or takes them off. */
static void reserve(struct scheduler *s, uint32_t load, int sign)
{
    const int32_t units = sign * units_of_results(s, load);
    for (uint32_t k = 0; k < s->n_load; k++)
        if (s->height[s->load[k]] < s->height[load])
            s->above[s->load[k]] += units;
}

static void find_loads(struct scheduler *s)
{
    for (uint32_t i = 0; i < s->g->n; i++)
        if (s->r->node.p[i].latency >= LONG_CYCLES)
            s->load[s->n_load++] = i;
    for (uint32_t k = 0; k < s->n_load; k++)
        reserve(s, s->load[k], 1);
}

/* How many registers must be free for operation i. */
static int32_t needs(const struct scheduler *s, uint32_t i)
{
    const int32_t more = growth(s, i);
    return more > 0 ? more + s->above[i] : more;
}

static void issue(struct scheduler *s, uint32_t i, uint32_t now)
{
    const struct code_node *n = &s->r->node.p[i];
    s->alive += growth(s, i);
    if (n->latency >= LONG_CYCLES)
        reserve(s, i, -1);
    for (unsigned k = 0; k < n->n_src; k++) {
        uint32_t reg = code_src(s->r, n)[k];
        if (--s->readers[reg] == 0 && !s->lives_on[reg])
            s->is_alive[reg] = false;
    }
    for (unsigned k = 0; k < n->n_dst; k++) {
        uint32_t reg = code_dst(s->r, n)[k];
        s->is_alive[reg] = s->readers[reg] || s->lives_on[reg];
    }
    for (uint32_t k = s->g->at[i]; k < s->g->at[i + 1]; k++) {
        const struct code_edge *e = &s->g->edge[k];
        s->waits[e->to]--;
        if (now + e->latency > s->earliest[e->to])
            s->earliest[e->to] = now + e->latency;
    }
}

/* The next operation of those in `ready`; its place in the list. Ready ones are in program order. */
static uint32_t choose(const struct scheduler *s, const uint32_t *ready, uint32_t n_ready, uint32_t *now)
{
    uint32_t best = CODE_NONE, soonest = CODE_NONE;
    int32_t room = (int32_t)s->c->budget - s->alive;
    for (uint32_t k = 0; k < n_ready; k++) {
        uint32_t i = ready[k];
        if (needs(s, i) > (room > 0 ? room : 0))
            continue;
        soonest = s->earliest[i] < soonest ? s->earliest[i] : soonest;
        if (s->earliest[i] <= *now && (best == CODE_NONE || s->height[i] > s->height[ready[best]]))
            best = k;
    }
    if (best != CODE_NONE)
        return best;
    if (soonest == CODE_NONE) { /* every one needs more registers than there are */
        if (s->earliest[ready[0]] > *now)
            *now = s->earliest[ready[0]];
        return 0;
    }
    *now = soonest > *now ? soonest : *now;
    return choose(s, ready, n_ready, now);
}

static void take_ready(struct scheduler *s, uint32_t *ready, uint32_t *n_ready, uint32_t i)
{
    uint32_t k = (*n_ready)++;
    for (; k > 0 && ready[k - 1] > i; k--)
        ready[k] = ready[k - 1];
    ready[k] = i;
}

void code_schedule(const struct code_func *c, const struct code_region *r, const struct code_graph *g,
                   struct arena *arena, uint32_t *order)
{
    uint32_t n_reg = c->n_reg + r->n_temp;
    size_t per_node = (g->n + 1ull) * sizeof(uint32_t), per_reg = n_reg + 1ull;
    struct scheduler s = {.c = c,
                          .r = r,
                          .g = g,
                          .height = arena_alloc(arena, per_node),
                          .earliest = arena_alloc(arena, per_node),
                          .waits = arena_alloc(arena, per_node),
                          .readers = arena_alloc(arena, per_reg * sizeof(uint32_t)),
                          .lives_on = arena_alloc(arena, per_reg),
                          .is_alive = arena_alloc(arena, per_reg),
                          .load = arena_alloc(arena, per_node),
                          .above = arena_alloc(arena, per_node)};
    uint32_t *ready = arena_alloc(arena, per_node), n_ready = 0, now = 0;
    for (uint32_t i = 0; i < g->n; i++)
        for (unsigned k = 0; k < r->node.p[i].n_src; k++)
            s.readers[code_src(r, &r->node.p[i])[k]]++;
    find_alive(&s);
    measure(&s);
    find_loads(&s);
    for (uint32_t i = 0; i < g->n; i++)
        if (!(s.waits[i] = g->n_pred[i]))
            ready[n_ready++] = i;
    for (uint32_t done = 0; done < g->n; done++) {
        uint32_t at = choose(&s, ready, n_ready, &now), i = ready[at];
        memmove(ready + at, ready + at + 1, (--n_ready - at) * sizeof *ready);
        order[done] = i;
        issue(&s, i, now++);
        for (uint32_t k = g->at[i]; k < g->at[i + 1]; k++)
            if (!s.waits[g->edge[k].to])
                take_ready(&s, ready, &n_ready, g->edge[k].to);
    }
}
