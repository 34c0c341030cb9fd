/* From plans to points and back; see lab.h. The tables are made in figure.c. */
#include "study/study.h"

#include "base/out_of_memory.h"
#include "base/text.h"
#include "base/nearest.h"
#include "study/figure.h"
#include "study/metric.h"
#include "study/search.h"

#include <math.h>

void lab_free(struct lab *l)
{
    for (size_t i = 0; i < l->figure.n; i++) {
        struct lab_figure *f = &l->figure.p[i];
        plan_free(&f->plan);
        table_free(&f->table);
        VEC_FREE(&f->program);
        VEC_FREE_ALL(&f->absent);
        VEC_FREE_ALL(&f->trouble);
        free(f->point);
    }
    for (size_t i = 0; i < l->point.n; i++)
        point_free(l->point.p[i]);
    for (size_t i = 0; i < l->program.n; i++)
        lab_program_free(&l->program.p[i]);
    for (size_t i = 0; i < l->machine.n; i++) {
        free(l->machine.p[i].id);
        free(l->machine.p[i].resolved.policies);
    }
    VEC_FREE(&l->machine);
    strmap_free(&l->point_by_key);
    strmap_free(&l->machine_by_id);
    VEC_FREE(&l->figure);
    VEC_FREE(&l->point);
    VEC_FREE(&l->program);
}

/* ---- programs of a figure ---- */

static bool chosen(const struct lab_figure *f, const struct lab_program *p)
{
    for (size_t i = 0; i < f->program.n; i++)
        if (f->program.p[i] == p)
            return true;
    return false;
}

/* A program of one's own, or one of the suite in the words and with the flags of the plan's paper. */
static bool is_of(const struct plan *plan, const struct lab_program *p)
{
    return !p->under && (p->command.n || (text_same(plan->paper, p->paper) && text_same(plan->cflags, p->cflags)));
}

static bool is_named(const struct plan *plan, const struct lab_program *p, const char *word)
{
    if (!is_of(plan, p) || (plan->paper && !*p->label))
        return false; /* the paper does not use it */
    if (!strcmp(word, "all"))
        return true;
    return plan->paper ? !strcmp(word, p->group) || !strcmp(word, p->label) || !strcmp(word, p->name)
                       : !strcmp(word, p->name);
}

/* Position in the paper's list; programs it does not list come last. */
static size_t rank(const struct plan *plan, const struct lab_program *p)
{
    size_t i = 0;
    while (i < plan->order.word.n && strcmp(plan->order.word.p[i], p->label))
        i++;
    return i;
}

static void sort_programs(struct lab_figure *f)
{
    for (size_t i = 1; i < f->program.n; i++) /* few, and stable */
        for (size_t k = i; k > 0 && rank(&f->plan, f->program.p[k]) < rank(&f->plan, f->program.p[k - 1]); k--) {
            const struct lab_program *t = f->program.p[k];
            f->program.p[k] = f->program.p[k - 1];
            f->program.p[k - 1] = t;
        }
}

static int unknown_program(const struct lab *l, const struct plan *p, const char *key, struct inifile_place at,
                           const char *word, struct err *e)
{
    INIFILE_FAULT(at, e, "%s: '%s' is neither a program%s", key, word,
                  p->paper ? " nor a class of the paper" : " of the suite nor 'all'");
    const char *names[1024];
    unsigned n = 0;
    for (size_t i = 0; i < l->program.n && n < 1022; i++) {
        names[n++] = l->program.p[i].name;
        names[n++] = l->program.p[i].label;
    }
    return err_hint_nearest(e, word, names, n, "see 'weir suite list'");
}

static int choose_programs(struct lab *l, struct lab_figure *f, struct err *e)
{
    const struct plan *plan = &f->plan;
    for (size_t w = 0; w < plan->programs.word.n; w++) {
        const char *word = plan->programs.word.p[w];
        bool found = false;
        for (size_t i = 0; i < l->program.n; i++)
            if (is_named(plan, &l->program.p[i], word)) {
                found = true;
                if (!chosen(f, &l->program.p[i]))
                    VEC_PUSH(&f->program, &l->program.p[i]);
            }
        for (size_t i = 0; i < plan->order.word.n && !found; i++)
            found = !strcmp(plan->order.word.p[i], word); /* the paper has it, the suite has not */
        if (!found)
            return unknown_program(l, plan, "programs", plan->programs.at, word, e);
    }
    if (plan->paper)
        sort_programs(f);
    for (size_t i = 0; i < plan->order.word.n; i++) {
        bool there = false;
        for (size_t k = 0; k < l->program.n; k++)
            there |= is_of(plan, &l->program.p[k]) && !strcmp(l->program.p[k].label, plan->order.word.p[i]);
        if (!there)
            VEC_PUSH(&f->absent, xstrdup(plan->order.word.p[i]));
    }
    return 0;
}

/* A mean is over all, or over classes and programs with + between them. */
static int check_means(const struct lab *l, const struct plan *plan, struct err *e)
{
    for (size_t w = 0; w < plan->means.word.n; w++)
        for (const char *at = plan->means.word.p[w]; *at;) {
            const size_t n = strcspn(at, "+");
            char *word = xstrndup(at, n);
            bool found = !strcmp(word, "all");
            for (size_t i = 0; i < l->program.n && !found; i++) {
                const struct lab_program *p = &l->program.p[i];
                found = is_named(plan, p, word);
            }
            for (size_t i = 0; i < plan->order.word.n && !found; i++)
                found = !strcmp(plan->order.word.p[i], word);
            const int status = found ? 0 : unknown_program(l, plan, "means", plan->means.at, word, e);
            free(word);
            if (status)
                return status;
            at += n + (at[n] == '+');
        }
    return 0;
}

int lab_add_figure(struct lab *l, struct plan *p, struct err *e)
{
    struct lab_figure f = {.plan = *p};
    memset(p, 0, sizeof *p);
    VEC_PUSH(&l->figure, f);
    struct lab_figure *at = &l->figure.p[l->figure.n - 1];
    if (!at->plan.not_reproduced && (choose_programs(l, at, e) || check_means(l, &at->plan, e)))
        return -1;
    at->n_point = (plan_simulates(&at->plan) ? at->plan.variants.word.n : 0) + plan_analyses(&at->plan);
    at->point = xcalloc(at->program.n * at->n_point + 1, sizeof *at->point);
    return 0;
}

/* ---- points ---- */

/* The one point of its key. Takes over `p`. */
static struct point *intern(struct lab *l, struct point *p)
{
    const uint32_t at = strmap_get(&l->point_by_key, p->key, strlen(p->key));
    if (at != STRMAP_NONE) {
        point_free(p);
        return l->point.p[at];
    }
    strmap_put(&l->point_by_key, p->key, strlen(p->key), (uint32_t)l->point.n);
    VEC_PUSH(&l->point, p);
    return p;
}

static bool settled(const struct point *p)
{
    return p->document || p->failure;
}

struct settings {
    VEC(char *) set; /* not owned but for those from `own` on */
    size_t own;
};

static void settings_free(struct settings *s)
{
    for (size_t i = s->own; i < s->set.n; i++)
        free(s->set.p[i]);
    VEC_FREE(&s->set);
}

static char *assignment(const char *key, const char *value)
{
    return xasprintf("%s=%s", key, value);
}

/* The machine, resolved when it is first met. NULL: *e. */
static const struct point_machine *get_machine(struct lab *l, const char *machine, const char *with,
                                               const struct settings *s, struct err *e)
{
    VEC(char) id = {0};
    const char *const parts[] = {machine, with ? with : ""};
    for (size_t i = 0; i < 2 + s->set.n; i++)
        for (const char *c = i < 2 ? parts[i] : s->set.p[i - 2];; c++) {
            VEC_PUSH(&id, *c ? *c : '\n');
            if (!*c)
                break;
        }
    const uint32_t at = strmap_get(&l->machine_by_id, id.p, id.n);
    if (at != STRMAP_NONE) {
        VEC_FREE(&id);
        return &l->machine.p[at].resolved;
    }
    struct lab_machine m;
    if (point_resolve(&m.resolved, machine, with, s->set.p, s->set.n, e)) {
        VEC_FREE(&id);
        return NULL;
    }
    m.id = id.p;
    strmap_put(&l->machine_by_id, m.id, id.n, (uint32_t)l->machine.n);
    VEC_PUSH(&l->machine, m);
    return &l->machine.p[l->machine.n - 1].resolved;
}

/*
 * Which variant a fault of values is of, and in which plan, where the fault's own place, a machine's file or nothing,
 * does not tell. Names that do not exist are found as they are written.
 */
static void name_variant(const struct plan *plan, const struct plan_variant *v, struct err *e)
{
    const bool elsewhere = v->at.file && strcmp(e->file, v->at.file);
    if (strstr(e->msg, "there is no ") || (plan->variants.word.n < 2 && !elsewhere))
        return;
    char hint[sizeof e->hint];
    snprintf(hint, sizeof hint, "%s", e->hint);
    err_hint(e, "%s%s%s '%s'%s%s", hint, *hint ? "; " : "", plan->sweep.n ? "combination" : "variant", v->name,
             elsewhere ? " of " : "", elsewhere ? plan->path : "");
}

/* A fault of settings is at a place in the plan; one of the command line has its own wording. */
static void place_fault(const struct plan *plan, const struct plan_variant *v, struct inifile_place at, struct err *e)
{
    if (!*e->file && at.file) {
        if (v && v->with_at.line && !strncmp(e->msg, "--with", 6))
            at = v->with_at;
        if (!strncmp(e->msg, "there is no machine", 19)) {
            const struct inifile_place machine_at = v && v->machine ? v->machine_at : plan->machine_at;
            at = machine_at.line ? machine_at : at;
        }
        snprintf(e->file, sizeof e->file, "%s", at.file);
        e->line = at.line;
    }
    if (v)
        name_variant(plan, v, e);
}

/* No variant: the program's analysis. */
static struct point *get_point(struct lab *l, const struct plan *plan, const struct plan_variant *v,
                               const struct lab_program *program, const struct settings *s, struct inifile_place at,
                               struct err *e)
{
    const char *machine = plan_machine_of(plan, v), *with = v ? v->with : NULL;
    const struct point_machine *m = get_machine(l, machine, with, s, e);
    if (m)
        return intern(l, point_on(m, program, !v, machine, with, s->set.p, s->set.n));
    place_fault(plan, v, at, e);
    return NULL;
}

/* The place of a fault in a variant's own settings. */
static struct inifile_place place_of(const struct plan *plan, const struct plan_variant *v)
{
    if (!v)
        return (struct inifile_place){plan->path, 0};
    return v->set.at.line ? v->set.at : v->at;
}

struct want {
    VEC(struct point *) point;
};

static void want(struct want *w, struct point *p)
{
    if (p->wanted)
        return;
    p->wanted = true;
    VEC_PUSH(&w->point, p);
}

/* What search_refine asks: points of a variant whose searched keys have other values. */
struct asking {
    struct lab *l;
    const struct plan *plan;
    const struct plan_variant *v;
    const struct lab_program *program;
    struct want *w;
    struct err *e;
    bool refused; /* a value that the machine does not take: *e */
};

static void assign(struct settings *s, const struct plan_variant *v, const long *at)
{
    while (s->set.n > s->own)
        free(s->set.p[--s->set.n]);
    for (size_t k = 0; k < v->best.n; k++) {
        char value[32];
        snprintf(value, sizeof value, "%ld", at[k]);
        VEC_PUSH(&s->set, assignment(v->best.p[k].key, value));
    }
}

static bool ask_point(void *ctx, const long *at, double *value)
{
    struct asking *a = ctx;
    struct settings s = {0};
    for (size_t i = 0; i < a->v->set.word.n; i++)
        VEC_PUSH(&s.set, a->v->set.word.p[i]);
    s.own = s.set.n;
    assign(&s, a->v, at);
    struct point *p = a->refused ? NULL : get_point(a->l, a->plan, a->v, a->program, &s, a->v->refine_at, a->e);
    settings_free(&s);
    a->refused |= !p;
    if (p && !settled(p))
        want(a->w, p);
    if (!p || !settled(p))
        return false;
    *value = point_value(p, a->plan->maximize);
    return true;
}

/* Goes on from the values in `s`: between those that the plan lists, or near them. 0: *s has the best ones; 1: points
 * are wanted; -1: a fault. */
static int refine(struct lab *l, const struct plan *plan, const struct plan_variant *v,
                  const struct lab_program *program, bool near, struct want *w, struct settings *s, struct err *e)
{
    struct search_knob knob[SEARCH_KNOBS];
    long at[SEARCH_KNOBS];
    struct asking a = {l, plan, v, program, w, e, false};
    for (size_t k = 0; k < v->best.n; k++) {
        knob[k].n = v->best.p[k].value.word.n;
        for (size_t i = 0; i < knob[k].n; i++)
            knob[k].value[i] = strtol(v->best.p[k].value.word.p[i], NULL, 10);
        at[k] = strtol(strchr(s->set.p[s->own + k], '=') + 1, NULL, 10);
        if (near)
            search_ladder(&knob[k], at[k]);
    }
    bool found =
        near ? search_climb(knob, v->best.n, ask_point, &a, at) : search_refine(knob, v->best.n, ask_point, &a, at);
    if (found)
        assign(s, v, at);
    return a.refused ? -1 : !found;
}

/* The best of the listed values, one key after the other: that with the largest plan->maximize, the first of equals.
 * Returns as refine. */
static int try_listed(struct lab *l, const struct plan *plan, const struct plan_variant *v,
                      const struct lab_program *program, struct want *w, struct settings *s, struct err *e)
{
    bool pending = false;
    for (size_t c = 0; c < v->best.n && !pending; c++) {
        const struct plan_search *search = &v->best.p[c];
        const char *best = search->value.word.p[0];
        double best_value = -INFINITY;
        for (size_t i = 0; i < search->value.word.n; i++) {
            VEC_PUSH(&s->set, assignment(search->key, search->value.word.p[i]));
            struct point *p = get_point(l, plan, v, program, s, search->at, e);
            free(s->set.p[--s->set.n]);
            if (!p)
                return -1;
            if (!settled(p)) {
                want(w, p);
                pending = true;
            } else if (point_value(p, plan->maximize) > best_value) {
                best_value = point_value(p, plan->maximize);
                best = search->value.word.p[i];
            }
        }
        VEC_PUSH(&s->set, assignment(search->key, best));
    }
    return pending;
}

/* Adds the values that a variant searches to `s`, as far as results go. Returns as refine. */
static int search(struct lab *l, const struct plan *plan, const struct plan_variant *v,
                  const struct lab_program *program, struct want *w, struct settings *s, struct err *e)
{
    long at[SEARCH_KNOBS];
    const int unknown = l->from && v->refine ? search_results_start(l->from, plan, v, program->name, at, e) : 1;
    if (unknown < 0)
        return -1;
    if (!unknown)
        assign(s, v, at);
    const int more = unknown ? try_listed(l, plan, v, program, w, s, e) : 0;
    return more || !v->refine ? more : refine(l, plan, v, program, !unknown, w, s, e);
}

/* What runs under the variant: the program, or its version of that name. */
static const struct lab_program *version(const struct lab *l, const struct plan_variant *v, const struct lab_program *p)
{
    for (size_t i = 0; v && i < l->program.n; i++) {
        const struct lab_program *x = &l->program.p[i];
        if (x->under && !strcmp(x->under, v->name) && !strcmp(x->name, p->name))
            return x;
    }
    return p;
}

/* Follows a variant's searches as far as results go: adds the points that are needed next to *w, or gives the final one
 * in *out. */
static int resolve(struct lab *l, const struct plan *plan, const struct plan_variant *v,
                   const struct lab_program *program, struct want *w, struct point **out, struct err *e)
{
    struct settings s = {0};
    program = version(l, v, program);
    for (size_t i = 0; v && i < v->set.word.n; i++)
        VEC_PUSH(&s.set, v->set.word.p[i]);
    s.own = s.set.n;
    *out = NULL;
    int more = v && v->best.n ? search(l, plan, v, program, w, &s, e) : 0;
    if (!more) {
        struct point *p = get_point(l, plan, v, program, &s, place_of(plan, v), e);
        if (!p)
            more = -1;
        else if (!settled(p))
            want(w, p);
        else
            *out = p;
    }
    settings_free(&s);
    return more < 0 ? -1 : 0;
}

static int collect(struct lab *l, struct want *w, struct err *e)
{
    for (size_t i = 0; i < l->figure.n; i++) {
        struct lab_figure *f = &l->figure.p[i];
        if (f->plan.not_reproduced)
            continue;
        for (size_t p = 0; p < f->program.n; p++)
            for (size_t k = 0; k < f->n_point; k++) {
                bool analysis = plan_analyses(&f->plan) && k + 1 == f->n_point;
                const struct plan_variant *v = analysis ? NULL : plan_find(&f->plan, f->plan.variants.word.p[k]);
                const struct plan_variant *over = v ? plan_divisor(&f->plan, v) : NULL;
                struct point *divisor;
                if (resolve(l, &f->plan, v, f->program.p[p], w, &f->point[p * f->n_point + k], e) ||
                    (over && resolve(l, &f->plan, over, f->program.p[p], w, &divisor, e)))
                    return -1;
            }
    }
    return 0;
}

struct point *figure_point(struct lab *l, const struct lab_figure *f, const struct plan_variant *v,
                           const struct lab_program *program)
{
    struct want none = {0};
    struct point *p = NULL;
    struct err e;
    if (resolve(l, &f->plan, v, program, &none, &p, &e))
        p = NULL;
    for (size_t i = 0; i < none.point.n; i++)
        none.point.p[i]->wanted = false;
    VEC_FREE(&none.point);
    return p;
}

/* A variant with the first values of its searches, and each other value of each search. */
static int check_variant(struct lab *l, const struct plan *plan, const struct plan_variant *v, struct err *e)
{
    struct settings s = {0};
    for (size_t i = 0; i < v->set.word.n; i++)
        VEC_PUSH(&s.set, v->set.word.p[i]);
    s.own = s.set.n;
    int status = 0;
    for (size_t c = 0; c < v->best.n && !status; c++) {
        const struct plan_search *search = &v->best.p[c];
        for (size_t i = search->value.word.n; i-- > 0 && !status;) { /* the first stays */
            VEC_PUSH(&s.set, assignment(search->key, search->value.word.p[i]));
            if (!get_machine(l, plan_machine_of(plan, v), v->with, &s, e)) {
                place_fault(plan, v, search->at, e);
                status = -1;
            }
            if (i)
                free(s.set.p[--s.set.n]);
        }
    }
    if (!status && !v->best.n && !get_machine(l, plan_machine_of(plan, v), v->with, &s, e)) {
        place_fault(plan, v, place_of(plan, v), e);
        status = -1;
    }
    settings_free(&s);
    return status;
}

int lab_check(struct lab *l, struct err *e)
{
    for (size_t i = 0; i < l->figure.n; i++) {
        const struct plan *plan = &l->figure.p[i].plan;
        if (plan->not_reproduced || !plan_simulates(plan))
            continue;
        for (size_t k = 0; k < plan->variants.word.n; k++) {
            const struct plan_variant *v = plan_find(plan, plan->variants.word.p[k]);
            const struct plan_variant *over = plan_divisor(plan, v);
            if (check_variant(l, plan, v, e) || (over && over != v && check_variant(l, plan, over, e)))
                return -1;
        }
        if (metric_check(plan, e) || metric_check_statistics(&plan->explain, e))
            return -1;
    }
    return 0;
}

int lab_check_searches(struct lab *l, struct err *e)
{
    for (size_t i = 0; i < l->figure.n; i++) {
        const struct lab_figure *f = &l->figure.p[i];
        for (size_t k = 0; k < f->plan.variant.n; k++)
            for (size_t p = 0; p < f->program.n; p++) {
                const struct plan_variant *v = &f->plan.variant.p[k];
                long at[SEARCH_KNOBS];
                if (v->refine && search_results_start(l->from, &f->plan, v, f->program.p[p]->name, at, e) < 0)
                    return -1;
            }
    }
    return 0;
}

int lab_run(struct lab *l, struct pool *pool, struct err *e)
{
    int status = 0;
    for (bool more = true; more && !status;) {
        struct want w = {0};
        status = collect(l, &w, e);
        more = w.point.n > 0;
        if (!status && more)
            status = pool_run(pool, w.point.p, w.point.n, e);
        for (size_t i = 0; i < w.point.n; i++)
            w.point.p[i]->wanted = false;
        VEC_FREE(&w.point);
    }
    if (status < 0)
        return status;
    for (int overview = 0; overview < 2; overview++) /* last, since it is made of the others */
        for (size_t i = 0; i < l->figure.n; i++)
            if (!l->figure.p[i].plan.not_reproduced && (l->figure.p[i].plan.kind == PLAN_OVERVIEW) == overview)
                figure_tabulate(l, &l->figure.p[i]);
    for (size_t i = 0; i < l->point.n; i++)
        if (l->point.p[i]->unevaluated) {
            *e = *l->point.p[i]->unevaluated;
            return -1;
        }
    return status;
}

bool lab_has_suite(const struct lab *l)
{
    for (size_t i = 0; i < l->figure.n; i++)
        for (size_t p = 0; p < l->figure.p[i].program.n; p++)
            if (!l->figure.p[i].program.p[p]->command.n)
                return true;
    return false;
}

bool lab_is_idle(const struct lab *l, const struct lab_program *program)
{
    for (size_t i = 0; i < l->figure.n; i++) {
        const struct lab_figure *f = &l->figure.p[i];
        for (size_t p = 0; p < f->program.n && f->program.n <= f->table.row.n; p++)
            if (f->program.p[p] == program && f->table.row.p[p].idle)
                return true;
    }
    return false;
}

void lab_search_outcome(const struct lab_figure *f, size_t program, size_t variant, char *out, size_t bytes)
{
    out[0] = 0;
    const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[variant]);
    const struct point *p = f->point[program * f->n_point + variant];
    if (!p)
        return;
    size_t at = 0;
    /* Searched values follow those that the variant sets. */
    for (size_t i = 0; i < v->best.n && v->set.word.n + i < p->set.n && at < bytes; i++)
        at += (size_t)snprintf(out + at, bytes - at, "%s%s", i ? " " : "", p->set.p[v->set.word.n + i]);
}
