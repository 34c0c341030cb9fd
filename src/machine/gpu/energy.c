/* See energy.h. */
#include "gpu/energy.h"

#include "base/mem.h"
#include "engine/policy_registry.h"
#include "gpu/gpu_config.h"
#include "gpu/result.h"

#include <jansson.h>

/* ---- which statistics there are ---- */

struct names {
    const struct stats *here; /* of the machine at hand, asked first; NULL = none */
    bool listed;
    VEC(char *) all; /* of every machine and policy */
};

static void on_stat(void *ctx, const struct stat_doc *d)
{
    struct names *n = ctx;
    VEC_PUSH(&n->all, xstrdup(d->name));
}

static bool known(void *ctx, const char *name)
{
    struct names *n = ctx;
    if (n->here && stats_find(n->here, name) >= 0)
        return true;
    if (!n->listed && result_each_stat(on_stat, n, NULL))
        return false;
    n->listed = true;
    for (size_t i = 0; i < n->all.n; i++)
        if (!strcmp(n->all.p[i], name))
            return true;
    return false;
}

static void free_names(struct names *n)
{
    VEC_FREE_ALL(&n->all);
}

struct energy_model *gpu_energy_open(const struct cfg *c, const struct stats *s, struct err *e)
{
    struct names n = {.here = s};
    struct energy_model *m = energy_open(gpu_schema(), c, known, &n, e);
    free_names(&n);
    return m;
}

/* The callback that receives the components, and the names it has received. */
struct listeners {
    void (*fn)(void *ctx, const struct stat_doc *);
    void *ctx;
    struct names stats;
    VEC(char *) told;
};

static void visit_component(struct listeners *l, const char *name, const char *doc)
{
    for (size_t i = 0; i < l->told.n; i++)
        if (!strcmp(l->told.p[i], name))
            return;
    VEC_PUSH(&l->told, xstrdup(name));
    l->fn(l->ctx, &(struct stat_doc){name, "joules", doc, STAT_COUNT, NULL});
}

/* The components of one machine. -1: it cannot be built, or has no coefficients. */
static int visit_components(struct listeners *l, const char *machine, const char *with, struct err *e)
{
    struct cfg *c = cfg_load(gpu_schema(), machine, NULL, 0, with, e);
    struct energy_model *m = c ? energy_open(gpu_schema(), c, known, &l->stats, e) : NULL;
    for (unsigned i = 0; m && i < energy_count(m); i++) {
        char name[96];
        snprintf(name, sizeof name, "energy.%s_j", energy_name(m, i));
        visit_component(l, name, energy_doc(m, i));
    }
    energy_free(m);
    cfg_free(c);
    return m ? 0 : -1;
}

int gpu_energy_each_stat(void (*fn)(void *ctx, const struct stat_doc *), void *ctx, struct err *e)
{
    static const struct stat_doc whole[] = {
        {"energy.total_j", "joules", "energy of the run: dynamic + static", STAT_COUNT, NULL},
        {"energy.dynamic_j", "joules", "events x energy per event", STAT_COUNT, NULL},
        {"energy.static_j", "joules", "static power x time", STAT_COUNT, NULL},
        {"energy.power_w", "watts", "energy / time", STAT_RATIO, NULL}};
    /* One machine for each file of coefficients. */
    static const char *const machine[] = {"gtx480", "mesh28", "bfly36"};
    struct listeners l = {.fn = fn, .ctx = ctx};
    int bad = 0;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        fn(ctx, &whole[i]);
    for (unsigned i = 0; !bad && i < sizeof machine / sizeof *machine; i++)
        bad = visit_components(&l, machine[i], NULL, e);
    /* Policies that add structures are components, too. One that does not go with this machine alone is left out. */
    const struct cfg_schema *s = gpu_schema();
    for (unsigned k = 0; !bad && k < s->n_kind; k++)
        for (unsigned i = 0; i < s->kind[k]->n; i++)
            if (s->kind[k]->policy[i]->cost)
                visit_components(&l, "mesh28", s->kind[k]->policy[i]->name, NULL);
    VEC_FREE_ALL(&l.told);
    free_names(&l.stats);
    return bad;
}

/* ---- values ---- */

static double of_json(void *ctx, const char *name)
{
    return json_number_value(json_object_get(ctx, name));
}

void gpu_energy_of_json(const struct energy_model *m, const json_t *counts, struct energy_result *out)
{
    energy_evaluate(m, of_json, (void *)counts, out);
}

static void put(void *ctx, const char *name, double value)
{
    json_object_set_new(ctx, name, json_real(value));
}

void gpu_energy_put_json(const struct energy_model *m, json_t *counts)
{
    struct energy_result r;
    gpu_energy_of_json(m, counts, &r);
    energy_each(m, &r, put, counts);
}

struct reading {
    const struct stats *stats;
    const uint64_t *value;
};

static double of_stats(void *ctx, const char *name)
{
    const struct reading *r = ctx;
    int at = stats_find(r->stats, name);
    return at < 0 ? 0 : stats_value(r->stats, r->value, (unsigned)at);
}

void gpu_energy_of_stats(const struct energy_model *m, const struct stats *s, const uint64_t *value,
                         struct energy_result *out)
{
    struct reading r = {s, value};
    energy_evaluate(m, of_stats, &r, out);
}
