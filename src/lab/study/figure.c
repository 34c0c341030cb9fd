/*
 * The table of a figure, one function per kind of plan (plan.h). What the kinds show, in APCM's terms: bars are Figures
 * 12 to 22, loads Figure 1, locality Figure 3, counts Figure 4, aps Figure 5, reuse Figure 6; in CAPS' terms iterations
 * are Figure 4; in Shared L1's terms phases are Figure 14.
 */
#include "study/figure.h"

#include "base/out_of_memory.h"
#include "base/text.h"
#include "engine/policy_registry.h"
#include "gpu/gpu_config.h"
#include "cache/locality.h"

#include <jansson.h>
#include <math.h>

static void trouble(struct lab_figure *f, const char *program, const char *variant, const char *why)
{
    VEC_PUSH(&f->trouble, xasprintf("%s%s%s: %s", program, *variant ? ", " : "", variant, why));
}

static struct point *point_at(const struct lab_figure *f, size_t program, size_t variant)
{
    return f->point[program * f->n_point + variant];
}

static const char *row_label(const struct lab_figure *f, const struct lab_program *p)
{
    return (f->plan.paper || p->command.n) && *p->label ? p->label : p->name;
}

static void complain(struct lab_figure *f, const struct lab_program *p, const char *variant, const struct point *point)
{
    trouble(f, row_label(f, p), variant, !point ? "not simulated yet" : point->failure ? point->failure : "no value");
}

static void variant_columns(struct lab_figure *f)
{
    for (size_t k = 0; k < f->plan.variants.word.n; k++) {
        const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[k]);
        table_add_column(&f->table, v->name, plan_label(v));
        struct table_column *c = &f->table.column.p[k];
        c->panel = v->panel ? xstrdup(v->panel) : NULL;
        c->in_panel = v->in_panel ? xstrdup(v->in_panel) : NULL;
        c->reference = f->plan.within && plan_divisor(&f->plan, v) == v;
    }
}

/* Columns with a divisor of their own, which the axis does not name. */
static void name_divisors(struct lab_figure *f)
{
    for (size_t k = 0; !f->plan.within && k < f->plan.variants.word.n; k++) {
        const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[k]),
                                  *over = plan_divisor(&f->plan, v);
        if (v->over && (!f->plan.normalize || strcmp(v->over, f->plan.normalize)))
            f->table.column.p[k].over = xstrdup(plan_label(over));
    }
}

bool figure_is_idle(struct lab *l, const struct lab_figure *f, const struct lab_program *program)
{
    const struct plan *plan = &f->plan;
    if (!plan->variants.word.n)
        return false;
    const struct plan_variant *v = plan_find(plan, plan->variants.word.p[0]), *over = plan_divisor(plan, v);
    const struct point *p = figure_point(l, f, over ? over : v, program);
    return p && point_busy(p) < LAB_BUSY;
}

/* A value that should be there: not one that the plan leaves out on purpose. */
static bool is_missing(const struct lab_figure *f, size_t program, size_t variant)
{
    return isnan(f->table.row.p[program].cell[variant]) &&
           !(f->plan.skip_empty && point_is_empty(point_at(f, program, variant), f->plan.metric));
}

/*
 * Means that are shown side by side are compared, so they are over the same programs: one that lacks a value under any
 * variant is in none of them. A variant without a value for any program takes no part, as its mean is none anyway.
 */
static void mark_partial(struct lab_figure *f)
{
    for (size_t k = 0; k < f->table.column.n; k++) {
        bool any = false;
        for (size_t p = 0; p < f->program.n && !any; p++)
            any = !f->table.row.p[p].idle && !isnan(f->table.row.p[p].cell[k]);
        for (size_t p = 0; p < f->program.n && any; p++)
            f->table.row.p[p].partial |= is_missing(f, p, k);
    }
}

/* The value of a point, divided by that of a variant. */
static double value_over(struct lab *l, const struct lab_figure *f, const struct point *p,
                         const struct plan_variant *over, const struct lab_program *program)
{
    const char *metric = f->plan.metric;
    const double by = over ? point_value(figure_point(l, f, over, program), metric) : 1;
    return by == 0 || (f->plan.skip_empty && point_is_empty(p, metric)) ? NAN : point_value(p, metric) / by;
}

double figure_value(struct lab *l, const struct lab_figure *f, const struct plan_variant *v,
                    const struct plan_variant *over, const struct lab_program *program)
{
    return value_over(l, f, figure_point(l, f, v, program), over, program);
}

static bool is_divided(const struct plan *p)
{
    return p->normalize || (p->variant.n && p->variant.p[0].over);
}

static void bars(struct lab *l, struct lab_figure *f)
{
    const struct plan *plan = &f->plan;
    variant_columns(f);
    name_divisors(f);
    for (size_t p = 0; p < f->program.n; p++) {
        const struct lab_program *program = f->program.p[p];
        double *cell = table_add_row(&f->table, row_label(f, program), program->group);
        f->table.row.p[f->table.row.n - 1].idle = figure_is_idle(l, f, program);
        for (size_t k = 0; k < plan->variants.word.n; k++) {
            const struct plan_variant *v = plan_find(plan, plan->variants.word.p[k]);
            cell[k] = value_over(l, f, point_at(f, p, k), plan_divisor(plan, v), program);
            if (isnan(cell[k]) && !(plan->skip_empty && point_is_empty(point_at(f, p, k), plan->metric)))
                complain(f, program, plan_label(v), point_at(f, p, k));
        }
    }
    mark_partial(f);
    f->table.quantity = !is_divided(plan) && !f->table.percent;
}

/* ---- loads ---- */

enum { TOP_LOADS = 4 };

static uint64_t member(const json_t *load, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(load, name));
}

/* The most accessed global loads of a result, first the most; returns their number. */
static unsigned top_loads(const json_t *loads, const json_t *top[TOP_LOADS])
{
    unsigned n = 0;
    size_t i;
    json_t *x;
    json_array_foreach(loads, i, x)
    {
        const char *inst = json_string_value(json_object_get(x, "inst"));
        if (!inst || strncmp(inst, "ld", 2) || strstr(inst, "shared") || strstr(inst, "local") ||
            strstr(inst, "const") || strstr(inst, "param") || !member(x, "lines"))
            continue;
        unsigned at = n < TOP_LOADS ? n++ : TOP_LOADS;
        while (at > 0 && member(top[at - 1], "lines") < member(x, "lines")) {
            if (at < TOP_LOADS)
                top[at] = top[at - 1];
            at--;
        }
        if (at < TOP_LOADS)
            top[at] = x;
    }
    return n;
}

static const json_t *same_load(const struct point *p, const json_t *load)
{
    size_t i;
    json_t *x;
    if (p && p->document)
        json_array_foreach(json_object_get(point_result(p), "loads"), i, x)
        {
            if (member(x, "pc") == member(load, "pc") &&
                json_equal(json_object_get(x, "kernel"), json_object_get(load, "kernel")))
                return x;
        }
    return NULL;
}

static double miss_rate(const json_t *load)
{
    double lines = (double)member(load, "lines");
    double served = (double)(member(load, "l1_hits") + member(load, "l1_merges"));
    return lines > 0 ? 1 - served / lines : NAN;
}

static void loads(struct lab_figure *f)
{
    f->table.percent = true;
    variant_columns(f);
    for (size_t p = 0; p < f->program.n; p++) {
        const struct lab_program *program = f->program.p[p];
        const struct point *first = point_at(f, p, 0);
        if (!first || !first->document) {
            complain(f, program, "", first);
            continue;
        }
        const json_t *top[TOP_LOADS];
        unsigned n = top_loads(json_object_get(point_result(first), "loads"), top);
        for (unsigned i = 0; i < n; i++) {
            char label[80];
            snprintf(label, sizeof label, "%s Ld%u", row_label(f, program), i + 1);
            double *cell = table_add_row(&f->table, label, row_label(f, program));
            for (size_t k = 0; k < f->plan.variants.word.n; k++) {
                const json_t *load = same_load(point_at(f, p, k), top[i]);
                cell[k] = load ? miss_rate(load) : NAN;
            }
        }
    }
}

/* ---- decisions ---- */

/* The column in which a policy of this name tells the type of reuse it found; "" = none does. */
static const char *reuse_column(const char *policy)
{
    const struct cfg_schema *s = gpu_schema();
    for (unsigned i = 0; i < s->n_kind; i++) {
        int at = policy_find(s->kind[i], policy);
        for (const struct load_column *c = at < 0 ? NULL : s->kind[i]->policy[at]->load_columns; c && c->name; c++)
            if (c->reuse_type)
                return c->name;
    }
    return "";
}

/* In how many of the SMs and launches that decided about the load it was taken for `type`. */
static double found_as(const json_t *decision, const char *column, const char *type)
{
    double n = 0;
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(decision, "verdicts"), i, x)
    {
        const char *t = json_string_value(json_object_get(x, column));
        if (t && !strcmp(t, type))
            n += (double)member(x, "instances");
    }
    return n;
}

/*
 * Over the loads that have a type in unbounded L1s, weighted with their accesses: how often the policy (the first
 * variant's, by its object in "loads") had decided about them, and how often for that type.
 */
static void decisions(struct lab_figure *f)
{
    const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[0]);
    const char *policy = v->with ? v->with : "", *column = reuse_column(policy);
    f->table.percent = true;
    table_add_column(&f->table, "decided", "decided");
    table_add_column(&f->table, "agree", "same type as in infinite L1s");
    for (size_t p = 0; p < f->program.n; p++) {
        const struct point *run = point_at(f, p, 0), *truth = point_at(f, p, f->n_point - 1);
        double *cell = table_add_row(&f->table, row_label(f, f->program.p[p]), f->program.p[p]->group);
        if (!run || !run->document || !truth || !truth->document) {
            complain(f, f->program.p[p], "", !run || !run->document ? run : truth);
            continue;
        }
        double all = 0, decided = 0, agree = 0;
        size_t i;
        json_t *x;
        json_array_foreach(json_object_get(point_result(truth), "loads"), i, x)
        {
            const json_t *load = same_load(run, x), *d = json_object_get(load, policy);
            double accesses = (double)member(x, "accesses"), instances = (double)member(d, "instances");
            if (!(instances > 0))
                continue;
            all += accesses;
            decided += accesses * (double)member(d, "decided") / instances;
            agree += accesses * found_as(d, column, json_string_value(json_object_get(x, "type"))) / instances;
        }
        cell[0] = all > 0 ? decided / all : NAN;
        cell[1] = decided > 0 ? agree / decided : NAN;
    }
}

/* ---- analyses ---- */

static double located(const struct point *p, const char *what, const char *bin)
{
    char name[96];
    point_locality_name(name, what, bin);
    return point_value(p, name);
}

static bool has_result(struct lab_figure *f, size_t p)
{
    const struct point *point = point_at(f, p, 0);
    if (point && point->document)
        return true;
    complain(f, f->program.p[p], "", point);
    return false;
}

/* A row per program; a column for each name, of statistics of its analysis. */
static void analyzed(struct lab_figure *f, const char *const (*column)[2], int n, const char *what)
{
    for (int c = 0; c < n; c++)
        table_add_column(&f->table, column[c][0], column[c][1]);
    for (size_t p = 0; p < f->program.n; p++) {
        double *cell = table_add_row(&f->table, row_label(f, f->program.p[p]), f->program.p[p]->group);
        for (int c = 0; has_result(f, p) && c < n; c++) {
            char name[96];
            point_locality_name(name, what, column[c][0]);
            cell[c] = point_value(point_at(f, p, 0), name);
        }
    }
}

static void locality(struct lab_figure *f)
{
    const char *column[LOCALITY_TYPE_COUNT][2];
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        column[t][0] = column[t][1] = locality_type_name[t];
    f->table.percent = true;
    analyzed(f, (const char *const(*)[2])column, LOCALITY_TYPE_COUNT, "line");
}

static void counts(struct lab_figure *f)
{
    static const char *const which[2][2] = {{"finite_count", "16KB"}, {"count", "inf."}};
    f->table.percent = true;
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
        table_add_column(&f->table, locality_count_name[b], locality_count_name[b]);
    for (size_t p = 0; p < f->program.n; p++)
        for (int w = 0; has_result(f, p) && w < 2; w++) {
            char label[80], group[80];
            snprintf(label, sizeof label, "%s %s", row_label(f, f->program.p[p]), which[w][1]);
            snprintf(group, sizeof group, "%s:%s", f->program.p[p]->group, w ? "infinite" : "finite");
            double *cell = table_add_row(&f->table, label, group);
            for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
                cell[b] = located(point_at(f, p, 0), which[w][0], locality_count_name[b]);
        }
}

static void aps(struct lab_figure *f)
{
    static const char *const column[1][2] = {{"aps", "APS"}};
    analyzed(f, column, 1, NULL);
}

static void iterations(struct lab_figure *f)
{
    static const char *const column[3][2] = {
        {"iterations", "iterations"}, {"repeated_loads", "repeated loads"}, {"loads", "loads"}};
    analyzed(f, column, 3, NULL);
}

/* Columns: inter-warp lines of the first program, intra-warp lines of the second, and so on, where there are any. */
static void reuse(struct lab_figure *f)
{
    static const enum locality_type types[] = {LOCALITY_INTER, LOCALITY_INTRA};
    double part[64][LOCALITY_DISTANCE_BINS];
    int n = 0, last = 0;
    for (size_t p = 0; p < f->program.n; p++)
        for (int t = 0; has_result(f, p) && t < 2 && n < 64; t++) {
            double sum = 0;
            for (int b = 0; b < LOCALITY_DISTANCE_BINS; b++) {
                char bin[64];
                snprintf(bin, sizeof bin, "%s.%d", locality_type_name[types[t]], b);
                sum += part[n][b] = located(point_at(f, p, 0), "distance", bin);
            }
            if (!(sum > 0))
                continue;
            for (int b = 0; b < LOCALITY_DISTANCE_BINS; b++) {
                if (part[n][b] > 0 && b > last)
                    last = b;
                part[n][b] /= sum;
            }
            char label[96], name[96];
            snprintf(label, sizeof label, "%s %s", row_label(f, f->program.p[p]), locality_type_name[types[t]]);
            snprintf(name, sizeof name, "%s:%s", row_label(f, f->program.p[p]), locality_type_name[types[t]]);
            table_add_column(&f->table, name, label);
            n++;
        }
    f->table.percent = true;
    for (int b = 0; n && b <= last; b++) {
        char label[32];
        snprintf(label, sizeof label, "%llu", 1ull << b);
        double *cell = table_add_row(&f->table, label, "distance");
        for (int c = 0; c < n; c++)
            cell[c] = part[c][b];
    }
}

/* ---- phases ---- */

static void phases(struct lab_figure *f)
{
    f->table.percent = true;
    for (size_t p = 0; p < f->program.n; p++) {
        const struct point *point = point_at(f, p, 0);
        const json_t *lines = point && point->result ? json_object_get(point->result, "timelines") : NULL;
        const json_t *line = json_object_iter_value(json_object_iter((json_t *)lines));
        if (p)
            trouble(f, row_label(f, f->program.p[p]), "", "a phase figure needs exactly one program");
        else if (!point || !point->result)
            complain(f, f->program.p[p], "", point);
        else if (!line)
            trouble(f, row_label(f, f->program.p[p]), "", "no policy of this variant has phases");
        else
            table_add_timeline(&f->table, line, false);
    }
}

/* ---- overview ---- */

static int descending(const void *a, const void *b)
{
    const double x = (*(const struct table_row *const *)a)->cell[0], y = (*(const struct table_row *const *)b)->cell[0];
    return (x < y) - (x > y);
}

/* Each figure's rows as a group, the largest value first. */
static void overview(const struct lab *l, struct lab_figure *f)
{
    table_add_column(&f->table, "value", f->axis);
    for (size_t i = 0; i < l->figure.n; i++) {
        const struct lab_figure *x = &l->figure.p[i];
        VEC(const struct table_row *) row = {0};
        for (size_t k = 0; x->plan.kind == PLAN_BARS && k < x->table.row.n; k++)
            if (!x->table.row.p[k].mean && !isnan(x->table.row.p[k].cell[0]))
                VEC_PUSH(&row, &x->table.row.p[k]);
        if (row.n)
            qsort(row.p, row.n, sizeof *row.p, descending);
        for (size_t k = 0; k < row.n; k++) {
            *table_add_row(&f->table, row.p[k]->label, x->table.column.p[0].label) = row.p[k]->cell[0];
            f->table.row.p[f->table.row.n - 1].idle = row.p[k]->idle;
        }
        VEC_FREE(&row);
    }
}

/* ---- what the values are ---- */

/* Whether the plan's values are parts of a whole, as its own words or the statistic's name say. */
static bool is_share(const struct plan *p)
{
    const char *metric = p->metric ? p->metric : "", *axis = p->axis ? p->axis : "";
    if (is_divided(p))
        return false;
    return text_ends_in(axis, "%") || text_ends_in(axis, "rate") || !strncmp(axis, "share", 5) ||
           !strncmp(axis, "part of", 7) ||
           (!strchr(metric, '/') && (text_ends_in(metric, "_rate") || text_ends_in(metric, ".utilization") ||
                                     text_ends_in(metric, ".efficiency")));
}

/* "IPC / LRR", or the plan's own words. */
static void name_axis(struct lab_figure *f)
{
    const struct plan *p = &f->plan;
    const struct plan_variant *over = p->normalize ? plan_find(p, p->normalize) : NULL;
    const char *metric = !p->metric || !strcmp(p->metric, "ipc") ? "IPC" : p->metric;
    const char *by = over ? plan_label(over) : p->within ? p->within : "";
    if (p->axis)
        snprintf(f->axis, sizeof f->axis, "%.190s", p->axis);
    else
        snprintf(f->axis, sizeof f->axis, "%.100s%s%.90s", metric, *by ? " / " : "", by);
}

void figure_tabulate(struct lab *l, struct lab_figure *f)
{
    table_free(&f->table);
    for (size_t i = 0; i < f->trouble.n; i++)
        free(f->trouble.p[i]);
    f->trouble.n = 0;
    f->table = (struct table){.geometric = f->plan.geometric, .percent = is_share(&f->plan)};
    name_axis(f);
    switch (f->plan.kind) {
    case PLAN_LOADS:
        loads(f);
        break;
    case PLAN_LOCALITY:
        locality(f);
        break;
    case PLAN_COUNTS:
        counts(f);
        break;
    case PLAN_APS:
        aps(f);
        break;
    case PLAN_REUSE:
        reuse(f);
        break;
    case PLAN_ITERATIONS:
        iterations(f);
        break;
    case PLAN_DECISIONS:
        decisions(f);
        break;
    case PLAN_PHASES:
        phases(f);
        break;
    case PLAN_OVERVIEW:
        overview(l, f);
        break;
    case PLAN_BARS:
    case PLAN_INTERACTIONS:
    case PLAN_KINDS:
        bars(l, f);
    }
    size_t n = f->table.row.n;
    for (size_t i = 0; n && i < f->plan.means.word.n; i++) {
        table_add_mean(&f->table, f->plan.means.word.p[i]);
        if (plan_simulates(&f->plan))
            table_add_mean_without_carrier(&f->table, f->plan.means.word.p[i], is_divided(&f->plan) ? 1 : 0);
    }
}

struct plot lab_plot(const struct lab_figure *f)
{
    struct plot p = {.axis = f->axis}; /* the heading around it has the title */
    switch (f->plan.kind) {
    case PLAN_LOCALITY:
    case PLAN_COUNTS:
        p.style = PLOT_STACKED;
        break;
    case PLAN_REUSE:
        p.style = PLOT_LINES;
        p.x_axis = "reuse distance in accesses, from";
        break;
    case PLAN_PHASES:
        p.style = PLOT_AREA;
        p.axis = f->plan.axis ? f->plan.axis : "fraction of SMs";
        p.x_axis = "percent of the run";
        p.x_numeric = true;
        break;
    case PLAN_OVERVIEW:
        p.line_at_one = p.color_by_group = true;
        break;
    default:
        p.line_at_one = is_divided(&f->plan);
    }
    if (f->plan.draw >= 0)
        p.style = (enum plot_style)f->plan.draw;
    if (p.style == PLOT_SORTED)
        p.x_axis = "programs, in the order of each variant's values";
    return p;
}
