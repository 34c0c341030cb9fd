/* See metric.h. */
#include "study/metric.h"

#include "base/nearest.h"
#include "base/renamed.h"
#include "engine/config.h"
#include "gpu/energy.h"
#include "gpu/gpu_config.h"
#include "gpu/result.h"

#include <string.h>

int metric_each_name(const char *metric, int (*fn)(void *ctx, const char *name), void *ctx)
{
    int status = 0;
    for (const char *at = metric; *at && !status;) {
        at += strspn(at, " +/\t");
        const size_t n = strcspn(at, " +/\t");
        char name[128];
        if (n && strspn(at, "0123456789") < n) {
            snprintf(name, sizeof name, "%.*s", (int)n, at);
            status = fn(ctx, name);
        }
        at += n;
    }
    return status;
}

/* ---- the grammar: NAME+NAME+... [/ NAME+NAME+...] ---- */

const char *metric_fault(const char *metric)
{
    bool name = false; /* there is one since the last operator */
    bool divided = false;
    for (const char *at = metric + strspn(metric, " \t"); *at; at += strspn(at, " \t")) {
        const size_t n = strcspn(at, " +/\t");
        if (n && name)
            return "two names without an operator: join them with '+' or '/'";
        if (!n && !name)
            return *at == '/' ? "there is no name before '/'" : "there is no name before '+'";
        if (*at == '/' && divided)
            return "there is more than one '/'";
        divided |= *at == '/';
        name = n > 0;
        at += n ? n : 1;
    }
    if (name)
        return NULL;
    return metric[strspn(metric, " \t")] ? "there is no name at the end" : "it is empty";
}

/* ---- names ---- */

struct known {
    VEC(char *) name;
    VEC(char *) histogram; /* not numbers themselves: their buckets are */
};

static void add_name(void *ctx, const struct stat_doc *d)
{
    struct known *k = ctx;
    if (d->kind == STAT_HIST)
        VEC_PUSH(&k->histogram, xstrdup(d->name));
    else
        VEC_PUSH(&k->name, xstrdup(d->name));
}

/* The names of one machine, with its buckets of histograms, which plans take as numbers. */
static int add_machine(struct known *k, const struct plan *p, const struct plan_variant *v, struct err *e)
{
    struct gpu_opts o = {.machine = plan_machine_of(p, v),
                         .with = v->with,
                         .set = (const char *const *)v->set.word.p,
                         .n_set = (unsigned)v->set.word.n};
    struct gpu *g = gpu_new(&o, e);
    if (!g)
        return -1;
    const struct stats *s = gpu_get_results(g)->stats;
    for (unsigned i = 0; i < stats_count(s); i++)
        VEC_PUSH(&k->name, xstrdup(stats_name(s, i)->name));
    gpu_free(g);
    return 0;
}

/* The first bucket of a histogram, if the machines that were looked at have it; NULL = the name is of none. */
static const char *bucket_of(const struct known *k, const char *name)
{
    bool is_histogram = false;
    for (size_t i = 0; i < k->histogram.n && !is_histogram; i++)
        is_histogram = !strcmp(k->histogram.p[i], name);
    for (size_t i = 0; is_histogram && i < k->name.n; i++)
        if (!strncmp(k->name.p[i], name, strlen(name)) && k->name.p[i][strlen(name)] == '.')
            return k->name.p[i];
    return is_histogram ? "" : NULL;
}

static bool has(const struct known *k, const char *name)
{
    for (size_t i = 0; i < k->name.n; i++)
        if (!strcmp(k->name.p[i], name))
            return true;
    return false;
}

struct search {
    const struct known *known;
    char missing[128];
};

static int look_up(void *ctx, const char *name)
{
    struct search *s = ctx;
    if (has(s->known, name) || !strncmp(name, "locality.", 9) || !strncmp(name, "energy.", 7) ||
        !strncmp(name, "sampled.", 8))
        return 0; /* analyses and samples have names of their own; check_energy looks at those of energies */
    snprintf(s->missing, sizeof s->missing, "%s", name);
    return 1;
}

/* "FILE:LINE: metric = x: what is wrong", or "--metric x: what is wrong" on the command line. */
static void fault(const char *key, const char *metric, struct inifile_place at, struct err *e, const char *what)
{
    const char *shown = *metric ? metric : "''";
    if (at.file && at.line)
        err_at(e, at.file, at.line, 0, "%s = %s: %s", key, shown, what);
    else
        err_set(e, "%s %s: %s", key, shown, what);
}

static int check_grammar(const char *key, const char *metric, struct inifile_place at, struct err *e)
{
    const char *wrong = metric ? metric_fault(metric) : NULL;
    if (!wrong)
        return 0;
    fault(key, metric, at, e, wrong);
    return err_hint(e, "write a statistic, or sums of them and one division: l1.misses+l1.merges / l1.accesses");
}

static int unknown_name(const struct known *known, const char *key, const char *metric, struct inifile_place at,
                        const char *name, struct err *e)
{
    char what[200];
    const char *bucket = bucket_of(known, name);
    if (bucket) {
        snprintf(what, sizeof what, "'%s' is a histogram, not a number", name);
        fault(key, metric, at, e, what);
        return *bucket ? err_hint(e, "name one of its buckets, such as %s", bucket)
                       : err_hint(e, "name one of its buckets (listed in a run's JSON document)");
    }
    snprintf(what, sizeof what, "there is no statistic '%s'", name);
    fault(key, metric, at, e, what);
    if (err_hint_renamed(e, RENAMED_STATISTIC, name))
        return -1;
    return err_hint_nearest(e, name, (const char *const *)known->name.p, (unsigned)known->name.n,
                            "see 'weir list statistics' and 'weir explain NAME'");
}

static void known_free(struct known *k)
{
    VEC_FREE_ALL(&k->name);
    VEC_FREE_ALL(&k->histogram);
}

static int check_one(const struct plan *p, const char *key, const char *metric, struct inifile_place at,
                     struct known *known, struct err *e)
{
    struct search s = {.known = known};
    if (!metric || !metric_each_name(metric, look_up, &s))
        return 0;
    /* Some statistics belong to machines and settings that have the parts they are of: ask those of the plan. */
    for (size_t i = 0; i < p->variants.word.n; i++) {
        const struct plan_variant *v = plan_find(p, p->variants.word.p[i]);
        if (!v->best.n && add_machine(known, p, v, e))
            return -1;
        if (!metric_each_name(metric, look_up, &s))
            return 0;
    }
    return unknown_name(known, key, metric, at, s.missing, e);
}

struct energy_search {
    const struct energy_model *model;
    char missing[128];
};

static void match_energy(void *ctx, const char *name, double value)
{
    struct energy_search *s = ctx;
    (void)value;
    if (!strcmp(name, s->missing))
        s->missing[0] = 0;
}

static int look_up_energy(void *ctx, const char *name)
{
    static const struct energy_result none;
    struct energy_search *s = ctx;
    if (strncmp(name, "energy.", 7))
        return 0;
    snprintf(s->missing, sizeof s->missing, "%s", name);
    energy_each(s->model, &none, match_energy, s);
    return s->missing[0] != 0;
}

/* Energies need coefficients for each variant's machine, and a component of that name in each. */
static int check_energy(const struct plan *p, const char *metric, struct inifile_place at, struct err *e)
{
    if (!metric || !strstr(metric, "energy."))
        return 0;
    for (size_t i = 0; i < p->variants.word.n; i++) {
        const struct plan_variant *v = plan_find(p, p->variants.word.p[i]);
        const char *machine = plan_machine_of(p, v);
        struct cfg *c =
            cfg_load(gpu_schema(), machine, (const char *const *)v->set.word.p, (unsigned)v->set.word.n, v->with, e);
        if (!c)
            return -1;
        struct energy_search s = {.model = gpu_energy_open(c, NULL, e)};
        int status = s.model ? 0 : -1;
        if (status && !*e->file && at.file) {
            snprintf(e->file, sizeof e->file, "%s", at.file);
            e->line = at.line;
        }
        if (s.model && metric_each_name(metric, look_up_energy, &s))
            status = err_at(e, at.file, at.line, 0, "%s: the coefficients of %s have no component of that name",
                            s.missing, machine);
        energy_free((struct energy_model *)s.model);
        cfg_free(c);
        if (status)
            return status;
    }
    return 0;
}

int metric_check(const struct plan *p, struct err *e)
{
    struct known known = {0};
    if (!plan_simulates(p) || (!strcmp(p->metric, "ipc") && !strcmp(p->maximize, "ipc")))
        return 0; /* the usual case spares building a machine */
    const struct inifile_place here = {p->metric_at.file, p->metric_at.line};
    if (check_grammar(here.line ? "metric" : "--metric", p->metric, here, e) ||
        check_grammar("maximize", p->maximize, p->maximize_at, e))
        return -1;
    int status = result_each_stat(add_name, &known, e);
    if (!status)
        status = check_one(p, here.line ? "metric" : "--metric", p->metric, here, &known, e);
    if (!status)
        status = check_one(p, "maximize", p->maximize, p->maximize_at, &known, e);
    if (!status)
        status = check_energy(p, p->metric, here, e);
    if (!status)
        status = check_energy(p, p->maximize, p->maximize_at, e);
    known_free(&known);
    return status;
}

/* ---- names that are in no plan ---- */

/* Buckets of histograms are numbers, of which each machine has its own. */
static int look_up_anywhere(void *ctx, const char *name)
{
    struct search *s = ctx;
    bool found = has(s->known, name) || !strncmp(name, "locality.", 9);
    for (size_t i = 0; i < s->known->histogram.n && !found; i++) {
        const char *base = s->known->histogram.p[i];
        found = !strncmp(name, base, strlen(base)) && name[strlen(base)] == '.';
    }
    snprintf(s->missing, sizeof s->missing, "%s", name);
    return !found;
}

int metric_check_statistics(const struct plan_statistics *all, struct err *e)
{
    struct known known = {0};
    struct search s = {.known = &known};
    int status = 0;
    for (size_t i = 0; i < all->one.n && !status; i++)
        status = check_grammar(all->one.p[i].label, all->one.p[i].metric, all->one.p[i].at, e);
    if (!status && all->one.n)
        status = result_each_stat(add_name, &known, e) || gpu_energy_each_stat(add_name, &known, e) ? -1 : 0;
    for (size_t i = 0; i < all->one.n && !status; i++)
        if (metric_each_name(all->one.p[i].metric, look_up_anywhere, &s))
            status = unknown_name(&known, all->one.p[i].label, all->one.p[i].metric, all->one.p[i].at, s.missing, e);
    known_free(&known);
    return status;
}
