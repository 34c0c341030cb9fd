/* See interact.h. */
#include "report/interact.h"

#include "study/figure.h"

#include <math.h>

enum { NOTABLE_PERCENT = 1, SHOWN_PROGRAMS = 4, SHOWN_STATISTICS = 4 };

/* ---- gains ---- */

static unsigned n_parts(const struct lab_figure *f)
{
    return (unsigned)f->plan.parts.word.n;
}

/* The column of a combination; the plan lists combinations by the number of their parts (plan_combine). */
static int column_of(const struct lab_figure *f, unsigned mask)
{
    char name[PLAN_NAME_BYTES];
    plan_combination(&f->plan, mask, name);
    return table_column(&f->table, name);
}

static bool is_whole(const struct lab_figure *f, size_t row)
{
    const struct table_row *r = &f->table.row.p[row];
    bool whole = !r->mean && !r->idle; /* a program that leaves SMs idle tells nothing of the machine */
    for (size_t c = 0; c < f->table.column.n && whole; c++)
        whole = r->cell[c] > 0; /* false for NAN, too */
    return whole;
}

static double gain_at(const struct lab_figure *f, size_t row, unsigned mask)
{
    return mask ? f->table.row.p[row].cell[column_of(f, mask)] : 1;
}

static bool has_programs(const struct lab_figure *f)
{
    for (size_t i = 0; i < f->table.row.n; i++)
        if (is_whole(f, i))
            return true;
    return false;
}

double interact_gain(const struct lab_figure *f, unsigned mask)
{
    double sum = 0;
    unsigned n = 0;
    for (size_t i = 0; i < f->table.row.n; i++)
        if (is_whole(f, i)) {
            sum += log(gain_at(f, i, mask));
            n++;
        }
    return n ? exp(sum / n) : NAN;
}

/* The product of the single gains of a combination's parts. */
static double product(const struct lab_figure *f, unsigned mask)
{
    double p = 1;
    for (unsigned i = 0; i < n_parts(f); i++)
        if (mask & 1u << i)
            p *= interact_gain(f, 1u << i);
    return p;
}

double interact_pair(const struct lab_figure *f, unsigned a, unsigned b)
{
    unsigned mask = 1u << a | 1u << b;
    return interact_gain(f, mask) - product(f, mask);
}

double interact_share(const struct lab_figure *f, unsigned part)
{
    const unsigned n = n_parts(f);
    double sum = 0;
    for (unsigned mask = 0; mask < 1u << n; mask++) {
        if (mask & 1u << part)
            continue;
        /* In how many of the n! orders just these come before the part: |S|! (n-|S|-1)! / n!, one factor at a time. */
        double weight = 1.0 / n;
        const unsigned size = (unsigned)__builtin_popcount(mask);
        for (unsigned i = 0; i < size; i++)
            weight *= (double)(i + 1) / (n - 1 - i);
        sum += weight * (log(interact_gain(f, mask | 1u << part)) - log(interact_gain(f, mask)));
    }
    return exp(sum);
}

struct table interact_means(const struct lab_figure *f)
{
    struct table t = {0};
    table_add_column(&t, "together", "together");
    table_add_column(&t, "product", "product of the individual gains");
    for (size_t c = 0; c < f->plan.variants.word.n && has_programs(f); c++) {
        const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[c]);
        double *cell = table_add_row(&t, plan_label(v), "");
        cell[0] = interact_gain(f, v->mask);
        cell[1] = product(f, v->mask);
    }
    return t;
}

/* ---- statistics that explain ---- */

struct effect {
    const struct plan_statistic *s;
    double base, a, b, both, weight;
};

static double mean_value(struct lab *l, const struct lab_figure *f, const char *variant, const char *metric,
                         const size_t *row, size_t n)
{
    const struct plan_variant *v = plan_find(&f->plan, variant);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += point_value(figure_point(l, f, v, f->program.p[row[i]]), metric);
    return n ? sum / (double)n : NAN;
}

/* What the pair does to a statistic beyond what each does alone. Shares by points, others by the baseline's value. */
static struct effect effect_of(struct lab *l, const struct lab_figure *f, const struct plan_statistic *s, unsigned a,
                               unsigned b, const size_t *row, size_t n)
{
    char both[PLAN_NAME_BYTES];
    plan_combination(&f->plan, 1u << a | 1u << b, both);
    struct effect x = {.s = s,
                       .base = mean_value(l, f, f->plan.normalize, s->metric, row, n),
                       .a = mean_value(l, f, f->plan.parts.word.p[a], s->metric, row, n),
                       .b = mean_value(l, f, f->plan.parts.word.p[b], s->metric, row, n),
                       .both = mean_value(l, f, both, s->metric, row, n)};
    const double beyond = fabs(x.both - (x.a + x.b - x.base));
    x.weight = isnan(beyond) ? 0 : s->percent ? beyond : x.base > 0 ? beyond / x.base : 0;
    return x;
}

static int by_weight(const void *a, const void *b)
{
    const struct effect *x = a, *y = b;
    return x->weight < y->weight ? 1 : x->weight > y->weight ? -1 : strcmp(x->s->label, y->s->label);
}

static void put_value(const struct effect *x, double v, FILE *out)
{
    if (x->s->percent)
        fprintf(out, "%.1f%%", 100 * v);
    else
        fprintf(out, fabs(v) < 100 ? "%.2f" : "%.0f", v);
}

static void put_effects(struct lab *l, const struct lab_figure *f, const struct claims *explain, unsigned a, unsigned b,
                        const size_t *row, size_t n, FILE *out)
{
    if (!explain || !explain->explain.one.n)
        return;
    struct effect *all = xcalloc(explain->explain.one.n, sizeof *all);
    for (size_t i = 0; i < explain->explain.one.n; i++)
        all[i] = effect_of(l, f, &explain->explain.one.p[i], a, b, row, n);
    qsort(all, explain->explain.one.n, sizeof *all, by_weight);
    const char *between = "; their means with both (baseline; each alone): ";
    for (size_t i = 0; i < explain->explain.one.n && i < SHOWN_STATISTICS && all[i].weight > 0.005; i++) {
        fprintf(out, "%s%s ", between, all[i].s->label);
        put_value(&all[i], all[i].both, out);
        fputs(" (", out);
        put_value(&all[i], all[i].base, out);
        fputs("; ", out);
        put_value(&all[i], all[i].a, out);
        fputs(", ", out);
        put_value(&all[i], all[i].b, out);
        fputc(')', out);
        between = ", ";
    }
    free(all);
}

/* ---- for people ---- */

static const char *label_of(const struct lab_figure *f, unsigned part)
{
    const struct plan_variant *v = plan_find(&f->plan, f->plan.parts.word.p[part]);
    return plan_label(v);
}

static void put_table(const struct table *t, const char *head, bool markdown, FILE *out)
{
    fprintf(out, markdown ? "\n**%s**\n\n" : "\n  %s\n", head);
    table_print(t, markdown, out);
}

static void put_parts(const struct lab_figure *f, bool markdown, FILE *out)
{
    const unsigned n = n_parts(f), all = (1u << n) - 1;
    struct table t = {0};
    static const char *const column[] = {"alone", "marginal gain over the others", "share of all", "gains", "loses"};
    for (unsigned i = 0; i < sizeof column / sizeof *column; i++)
        table_add_column(&t, column[i], column[i]);
    t.column.p[3].count = t.column.p[4].count = true;
    for (unsigned p = 0; p < n; p++) {
        double *cell = table_add_row(&t, label_of(f, p), "");
        cell[0] = interact_gain(f, 1u << p);
        cell[1] = interact_gain(f, all) / interact_gain(f, all & ~(1u << p));
        cell[2] = interact_share(f, p);
        cell[3] = cell[4] = 0;
        for (size_t i = 0; i < f->table.row.n; i++)
            if (is_whole(f, i)) {
                cell[3] += gain_at(f, i, 1u << p) > 1 + NOTABLE_PERCENT / 100.0;
                cell[4] += gain_at(f, i, 1u << p) < 1 - NOTABLE_PERCENT / 100.0;
            }
    }
    put_table(&t, "Each mechanism alone: geometric means; programs with more than 1% gain or loss", markdown, out);
    table_free(&t);
}

/* Rows whose interaction is beyond the notable in that direction, the strongest first. */
static size_t notable(const struct lab_figure *f, unsigned a, unsigned b, bool helps, size_t *row)
{
    const unsigned mask = 1u << a | 1u << b;
    size_t n = 0;
    double *by = xcalloc(f->table.row.n + 1, sizeof *by);
    for (size_t i = 0; i < f->table.row.n; i++) {
        if (!is_whole(f, i))
            continue;
        double x = gain_at(f, i, mask) - gain_at(f, i, 1u << a) * gain_at(f, i, 1u << b);
        if ((helps ? x : -x) <= NOTABLE_PERCENT / 100.0)
            continue;
        size_t at = n++;
        for (; at > 0 && fabs(by[at - 1]) < fabs(x); at--) {
            by[at] = by[at - 1];
            row[at] = row[at - 1];
        }
        by[at] = x;
        row[at] = i;
    }
    free(by);
    return n;
}

static void put_pairs(const struct lab_figure *f, bool markdown, FILE *out)
{
    struct table t = {0};
    static const char *const column[] = {"first", "second", "product", "together", "interaction", "help", "fight"};
    for (unsigned i = 0; i < sizeof column / sizeof *column; i++)
        table_add_column(&t, column[i], column[i]);
    t.column.p[5].count = t.column.p[6].count = true;
    size_t *row = xcalloc(f->table.row.n + 1, sizeof *row);
    for (unsigned a = 0; a < n_parts(f); a++)
        for (unsigned b = a + 1; b < n_parts(f); b++) {
            char label[2 * PLAN_NAME_BYTES];
            snprintf(label, sizeof label, "%s + %s", label_of(f, a), label_of(f, b));
            double *cell = table_add_row(&t, label, "");
            cell[0] = interact_gain(f, 1u << a);
            cell[1] = interact_gain(f, 1u << b);
            cell[2] = cell[0] * cell[1];
            cell[3] = interact_gain(f, 1u << a | 1u << b);
            cell[4] = cell[3] - cell[2];
            cell[5] = (double)notable(f, a, b, true, row);
            cell[6] = (double)notable(f, a, b, false, row);
        }
    put_table(
        &t,
        "Pairs: individual and combined gains; programs whose combined gain differs from the product by more than 1%",
        markdown, out);
    table_free(&t);
    free(row);
}

static void put_why(struct lab *l, const struct lab_figure *f, const struct claims *explain, unsigned a, unsigned b,
                    bool helps, bool markdown, FILE *out)
{
    size_t *row = xcalloc(f->table.row.n + 1, sizeof *row);
    const size_t n = notable(f, a, b, helps, row);
    if (n) {
        fprintf(out, "%s%s and %s %s in %zu program%s:", markdown ? "- " : "  ", label_of(f, a), label_of(f, b),
                helps ? "help each other" : "fight", n, n == 1 ? "" : "s");
        for (size_t i = 0; i < n && i < SHOWN_PROGRAMS; i++)
            fprintf(out, "%s %s %.3f, product %.3f", i ? "," : "", f->table.row.p[row[i]].label,
                    gain_at(f, row[i], 1u << a | 1u << b), gain_at(f, row[i], 1u << a) * gain_at(f, row[i], 1u << b));
        put_effects(l, f, explain, a, b, row, n, out);
        fputs(".\n", out);
    }
    free(row);
}

/* The best for each program, and how far one choice for all is from that. */
static void put_best(const struct lab_figure *f, bool markdown, FILE *out)
{
    const unsigned all = 1u << n_parts(f);
    unsigned best = 0, n = 0, rows = 0;
    double sum = 0, at_best = 0;
    unsigned *wins = xcalloc(all, sizeof *wins);
    for (unsigned mask = 1; mask < all; mask++)
        if (!best || interact_gain(f, mask) > interact_gain(f, best))
            best = mask;
    for (size_t i = 0; i < f->table.row.n; i++) {
        if (!is_whole(f, i))
            continue;
        unsigned mine = 0;
        for (unsigned mask = 1; mask < all; mask++)
            if (gain_at(f, i, mask) > gain_at(f, i, mine))
                mine = mask;
        sum += log(gain_at(f, i, mine));
        at_best += gain_at(f, i, best) >= gain_at(f, i, mine) * (1 - NOTABLE_PERCENT / 100.0);
        wins[mine]++;
        rows++;
    }
    char name[PLAN_NAME_BYTES];
    plan_combination(&f->plan, best, name);
    if (rows)
        fprintf(
            out,
            "%sThe best combination over all %u programs is %s, with a mean gain of %.3f; all mechanisms together "
            "reach %.3f. Choosing the best per program would reach %.3f; %s is within 1%% of it for %.0f programs.\n",
            markdown ? "\n- " : "\n  ", rows, name, interact_gain(f, best), interact_gain(f, all - 1), exp(sum / rows),
            name, at_best);
    fprintf(out, "%sBest of a program:", markdown ? "- " : "  ");
    for (unsigned mask = 0; mask < all; mask++) {
        if (!wins[mask])
            continue;
        plan_combination(&f->plan, mask, name);
        fprintf(out, "%s %s %u", n++ ? "," : "", mask ? name : "none of them", wins[mask]);
    }
    fputs(".\n", out);
    free(wins);
}

void interact_print(struct lab *l, const struct lab_figure *f, const struct claims *explain, bool markdown, FILE *out)
{
    if (!has_programs(f)) {
        fprintf(out, "%sNo program has all its values and keeps most SMs busy, so combinations are not reported.\n",
                markdown ? "\n- " : "\n  ");
        return;
    }
    struct table means = interact_means(f);
    put_parts(f, markdown, out);
    put_table(&means, "Every combination: geometric mean gain, and the product of its parts' gains", markdown, out);
    table_free(&means);
    put_pairs(f, markdown, out);
    put_best(f, markdown, out);
    for (unsigned a = 0; a < n_parts(f); a++)
        for (unsigned b = a + 1; b < n_parts(f); b++) {
            put_why(l, f, explain, a, b, true, markdown, out);
            put_why(l, f, explain, a, b, false, markdown, out);
        }
}
