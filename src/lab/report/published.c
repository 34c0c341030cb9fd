/* See published.h. */
#include "report/published.h"

#include "base/text.h"
#include "base/nearest.h"
#include "base/renamed.h"
#include "study/figure.h"
#include "study/metric.h"

#include <math.h>
#include <stdarg.h>

static const char *const verdict_name[] = {"holds", "direction holds", "does not hold", "not judged"};
static const char *const kind_name[CLAIM_KINDS] = {"gain", "mean", "at_least", "within", "above"};

/* ---- reading ---- */

static const struct inifile_key claim_keys[] = {
    {"figure", INIFILE_TEXT, offsetof(struct claim, figure)},
    {"quote", INIFILE_TEXT, offsetof(struct claim, quote)},
    {"programs", INIFILE_TEXT, offsetof(struct claim, programs)},
    {"of", INIFILE_WORDS, offsetof(struct claim, of)},
    {"over", INIFILE_WORDS, offsetof(struct claim, over)},
    {"published"},
    {"kind"},
};
enum { CLAIM_KEYS = sizeof claim_keys / sizeof *claim_keys };

static int read_number(struct claim *c, const struct inifile_item *i, struct err *e)
{
    char *end;
    c->published = strtod(i->value, &end);
    c->percent = *end == '%';
    if (end == i->value || (*end && strcmp(end, "%")))
        return err_at(e, i->file, i->line, 0, "published = %s: write a number, or one with %%", i->value);
    if (c->percent)
        c->published /= 100;
    c->value = xstrdup(i->value);
    return 0;
}

static int read_kind(struct claim *c, const struct inifile_item *i, struct err *e)
{
    for (int k = 0; k < CLAIM_KINDS; k++)
        if (!strcmp(i->value, kind_name[k])) {
            c->kind = (enum claim_kind)k;
            return 0;
        }
    err_at(e, i->file, i->line, 0, "kind = %s is not known", i->value);
    char full[64];
    snprintf(full, sizeof full, "kind=%s", i->value);
    if (err_hint_renamed(e, RENAMED_PLAN, full))
        return -1;
    return err_hint_names(e, i->value, kind_name, CLAIM_KINDS);
}

static int on_item(void *ctx, const struct inifile_item *i, struct err *e)
{
    struct claims *all = ctx;
    if (!strcmp(i->section, "explain")) {
        plan_add_statistic(&all->explain, i);
        return 0;
    }
    if (strncmp(i->section, "claim ", 6) || !i->section[6]) {
        err_at(e, i->file, i->line, 0, "there is no section [%s]", i->section);
        return err_hint(e, "sections are [claim NAME] and [explain]");
    }
    const char *name = i->section + 6;
    if (!all->claim.n || strcmp(all->claim.p[all->claim.n - 1].name, name))
        VEC_PUSH(&all->claim, (struct claim){.name = xstrdup(name), .published = NAN, .at = {i->file, i->line}});
    struct claim *c = &all->claim.p[all->claim.n - 1];
    const int status =
        inifile_take(claim_keys, CLAIM_KEYS, c, i, "keys are figure, kind, of, over, programs, published and quote", e);
    return status <= 0 ? status : !strcmp(i->key, "kind") ? read_kind(c, i, e) : read_number(c, i, e);
}

static int check(const struct claims *all, struct err *e)
{
    for (size_t i = 0; i < all->claim.n; i++) {
        const struct claim *c = &all->claim.p[i];
        if (!c->figure || !c->quote || !c->of.word.n)
            return INIFILE_FAULT(c->at, e, "claim %s needs figure, of and quote", c->name);
        if (c->kind != CLAIM_AHEAD && isnan(c->published))
            return INIFILE_FAULT(c->at, e, "claim %s needs a published value", c->name);
        if (c->kind != CLAIM_MEAN && !c->over.word.n)
            return INIFILE_FAULT(c->at, e, "claim %s needs 'over', the reference column", c->name);
    }
    return 0;
}

int claims_read(struct claims *all, const char *path, struct err *e)
{
    memset(all, 0, sizeof *all);
    all->path = xstrdup(path);
    if (inifile_read(all->path, on_item, all, e) || check(all, e) || metric_check_statistics(&all->explain, e)) {
        claims_free(all);
        return -1;
    }
    return 0;
}

void claims_free(struct claims *all)
{
    for (size_t i = 0; i < all->claim.n; i++) {
        struct claim *c = &all->claim.p[i];
        free(c->name);
        free(c->value);
        inifile_free(claim_keys, CLAIM_KEYS, c);
    }
    VEC_FREE(&all->claim);
    plan_free_statistics(&all->explain);
    free(all->path);
    memset(all, 0, sizeof *all);
}

/* ---- what they need ---- */

static bool has_word(const struct inifile_words *w, const char *word)
{
    for (size_t i = 0; i < w->word.n; i++)
        if (!strcmp(w->word.p[i], word))
            return true;
    return false;
}

static bool is_about(const struct claim *c, const struct plan *p)
{
    return p->number && !strcmp(c->figure, p->number);
}

bool claims_narrow(const struct claims *all, struct plan *p)
{
    struct inifile_words programs = {.at = p->programs.at};
    bool any = false, every_program = false;
    for (size_t i = 0; i < all->claim.n; i++) {
        const struct claim *c = &all->claim.p[i];
        if (!is_about(c, p))
            continue;
        any = true;
        every_program |= !c->programs || !strcmp(c->programs, "all");
        char *words = xstrdup(c->programs ? c->programs : "");
        for (char *save, *w = strtok_r(words, "+", &save); w; w = strtok_r(NULL, "+", &save))
            if (!has_word(&programs, w))
                VEC_PUSH(&programs.word, xstrdup(w));
        free(words);
    }
    if (!any || p->kind != PLAN_BARS || p->sweep.n) {
        inifile_free_words(&programs);
        return any;
    }
    size_t kept = 0;
    for (size_t k = 0; k < p->variants.word.n; k++) {
        bool keep = false;
        for (size_t i = 0; i < all->claim.n && !keep; i++)
            keep = is_about(&all->claim.p[i], p) && (has_word(&all->claim.p[i].of, p->variants.word.p[k]) ||
                                                     has_word(&all->claim.p[i].over, p->variants.word.p[k]));
        if (keep)
            p->variants.word.p[kept++] = p->variants.word.p[k];
        else
            free(p->variants.word.p[k]);
    }
    p->variants.word.n = kept;
    if (every_program) {
        inifile_free_words(&programs);
        return true;
    }
    inifile_free_words(&p->programs);
    p->programs = programs;
    kept = 0; /* a mean over programs that are left out says nothing */
    for (size_t k = 0; k < p->means.word.n; k++)
        if (!strcmp(p->means.word.p[k], "all") || has_word(&p->programs, p->means.word.p[k]))
            p->means.word.p[kept++] = p->means.word.p[k];
        else
            free(p->means.word.p[k]);
    p->means.word.n = kept;
    return true;
}

/* ---- judging ---- */

struct side {   /* one column, or a variant that others are divided by */
    int column; /* -1 = it has none */
    const struct plan_variant *variant;
};

/* Only these kinds of figures divide their values. */
static bool is_divided(const struct plan *p)
{
    return p->kind == PLAN_BARS || p->kind == PLAN_INTERACTIONS;
}

static int find_side(const struct claim *c, const struct lab_figure *f, const char *name, struct side *s, struct err *e)
{
    /* Whatever divides others can be compared with; a mean needs a column. */
    const bool may_divide = is_divided(&f->plan) && c->kind != CLAIM_MEAN;
    s->column = table_column(&f->table, name);
    s->variant = plan_find(&f->plan, name);
    if (s->column >= 0)
        return 0;
    for (size_t i = 0; s->variant && may_divide && i < f->plan.variants.word.n; i++)
        if (plan_divisor(&f->plan, plan_find(&f->plan, f->plan.variants.word.p[i])) == s->variant)
            return 0;
    return INIFILE_FAULT(c->at, e, "claim %s: figure %s has no column '%s'", c->name, c->figure, name);
}

/*
 * Two sides on one scale: a table of the figure's rows with the columns OF and OVER. Cells of the figure's table cannot
 * be compared where their columns have different divisors. `over` keeps the scale that it has there, and `of` is
 * divided by what divides `over`; but where the plan divides `of` by `over`, its cells are the comparison.
 */
enum { OF, OVER };

static const struct plan_variant *scale_of(const struct lab_figure *f, const struct side *of, const struct side *over)
{
    const struct plan_variant *by = over->column < 0 ? over->variant : plan_divisor(&f->plan, over->variant);
    return plan_divisor(&f->plan, of->variant) == over->variant ? over->variant : by;
}

static double value_of(struct lab *l, const struct lab_figure *f, const struct side *s, size_t row,
                       const struct plan_variant *scale)
{
    if (s->column >= 0 && (!is_divided(&f->plan) || plan_divisor(&f->plan, s->variant) == scale))
        return f->table.row.p[row].cell[s->column];
    if (s->variant == scale)
        return 1;
    return figure_value(l, f, s->variant, scale, f->program.p[row]);
}

static struct table compare(struct lab *l, const struct lab_figure *f, const struct side *of, const struct side *over)
{
    struct table t = {.geometric = f->table.geometric};
    const struct plan_variant *scale = is_divided(&f->plan) ? scale_of(f, of, over) : NULL;
    table_add_column(&t, "of", "of");
    table_add_column(&t, "over", "over");
    for (size_t i = 0; i < f->table.row.n; i++) {
        const struct table_row *r = &f->table.row.p[i];
        if (r->mean)
            continue;
        double *cell = table_add_row_as(&t, r);
        cell[OF] = value_of(l, f, of, i, scale);
        cell[OVER] = value_of(l, f, over, i, scale);
    }
    return t;
}

/* The mean of `of` over that of `over`, less 1. */
static double gain_of(const struct table *t, const char *rows)
{
    return table_mean(t, OF, rows, NULL, NULL) / table_mean(t, OVER, rows, NULL, NULL) - 1;
}

static void append(char *out, size_t bytes, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void append(char *out, size_t bytes, const char *fmt, ...)
{
    size_t at = strlen(out);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out + at, bytes - at, fmt, ap);
    va_end(ap);
}

/* The mean of a statistic over the claim's programs, for one side. */
static double statistic(struct lab *l, const struct lab_figure *f, const struct side *s, const char *rows,
                        const char *metric)
{
    double sum = 0;
    unsigned n = 0;
    for (size_t p = 0; p < f->program.n; p++) {
        struct table_row r = {.label = (char *)(f->plan.paper ? f->program.p[p]->label : f->program.p[p]->name),
                              .group = f->program.p[p]->group,
                              .idle = figure_is_idle(l, f, f->program.p[p])};
        double v = table_row_is(&r, rows) ? point_value(figure_point(l, f, s->variant, f->program.p[p]), metric) : NAN;
        if (!isnan(v)) {
            sum += v;
            n++;
        }
    }
    return n ? sum / n : NAN;
}

static void explain_statistics(const struct claims *all, struct lab *l, const struct lab_figure *f,
                               const struct side *of, const struct side *over, const char *rows, struct assessment *j)
{
    for (size_t i = 0; i < all->explain.one.n; i++) {
        const struct plan_statistic *s = &all->explain.one.p[i];
        double a = over ? statistic(l, f, over, rows, s->metric) : NAN, b = statistic(l, f, of, rows, s->metric);
        if (isnan(b) || (b == 0 && (isnan(a) || a == 0)))
            continue;
        double scale = s->percent ? 100 : 1;
        append(j->because, sizeof j->because, "%s%s ", *j->because ? "; " : "", s->label);
        if (!isnan(a))
            append(j->because, sizeof j->because, "%.*f → ", s->percent ? 1 : 0, a * scale);
        append(j->because, sizeof j->because, "%.*f%s", s->percent ? 1 : 0, b * scale, s->percent ? "%" : "");
    }
}

/* Where it is strongest and weakest: a column of the figure, or how two sides compare. */
static void explain_extremes(const struct table *t, int column, const char *rows, bool relative, struct assessment *j)
{
    const struct table_row *low = NULL, *high = NULL;
    double least = 0, most = 0;
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        if (!table_row_is(r, rows))
            continue;
        const double v = relative ? r->cell[OF] / r->cell[OVER] : r->cell[column];
        if (isnan(v))
            continue;
        if (!low || v < least) {
            low = r;
            least = v;
        }
        if (!high || v > most) {
            high = r;
            most = v;
        }
    }
    if (!low || low == high)
        return;
    if (relative)
        append(j->because, sizeof j->because, "from %s %+.1f%% to %s %+.1f%%", low->label, 100 * (least - 1),
               high->label, 100 * (most - 1));
    else
        append(j->because, sizeof j->because, "from %s %.2f to %s %.2f", low->label, least, high->label, most);
}

/* Where one program carries the gain: the gain without it. */
static void explain_carrier(const struct table *t, const char *rows, struct assessment *j)
{
    struct table gain = {.geometric = t->geometric};
    table_add_column(&gain, "gain", "gain");
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        *table_add_row_as(&gain, r) = r->cell[OF] / r->cell[OVER];
    }
    const int carrier = table_carrier(&gain, 0, rows, 1);
    if (carrier >= 0) {
        struct table without = *t; /* the same rows; one of them marked */
        const bool idle = t->row.p[carrier].idle;
        without.row.p[carrier].idle = true;
        append(j->because, sizeof j->because, "; without %s %+.1f%%", t->row.p[carrier].label,
               100 * gain_of(&without, rows));
        without.row.p[carrier].idle = idle;
    }
    table_free(&gain);
}

/* `ours` against `published`, both differences from "no change". */
static enum verdict verdict_of_gain(double ours, double published)
{
    if (fabs(ours - published) <= fabs(published) / 3)
        return VERDICT_HOLDS;
    bool seen = fabs(ours) >= 0.01 && fabs(ours) >= fabs(published) / 10;
    return ours * published > 0 && seen ? VERDICT_DIRECTION : VERDICT_FAILS;
}

static void write_value(struct assessment *j, bool percent, bool sign, const char *subject)
{
    if (percent)
        snprintf(j->text, sizeof j->text, sign ? "%+.1f%%" : "%.1f%%", 100 * j->ours);
    else
        snprintf(j->text, sizeof j->text, "%.2f", j->ours);
    if (subject)
        append(j->text, sizeof j->text, " (%.40s)", subject);
}

/* How many of the claim's programs ran and kept the machine busy. A plan may leave a value out on purpose: that is no
 * lack. */
static void count_rows(const struct table *t, const char *rows, struct assessment *j)
{
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        if (!table_row_is_named(r, rows))
            continue;
        j->all++;
        j->n += !r->idle && !r->partial;
    }
}

static void write_verdict(const struct claim *c, struct assessment *j)
{
    if (j->n < j->all || !j->all)
        j->verdict = VERDICT_NOT_JUDGED;
    snprintf(j->text_verdict, sizeof j->text_verdict, "%s", verdict_name[j->verdict]);
    if (j->verdict == VERDICT_NOT_JUDGED)
        append(j->text_verdict, sizeof j->text_verdict, " (%u of %u programs)", j->n, j->all);
    if (c->kind == CLAIM_GAIN && j->verdict == VERDICT_DIRECTION && fabs(j->ours) > 2 * fabs(c->published))
        append(j->text_verdict, sizeof j->text_verdict, ", %.1f times as much", j->ours / c->published);
    if (!isfinite(j->ours))
        snprintf(j->text, sizeof j->text, "-");
}

static void judge_gain(const struct claim *c, const struct table *t, const char *rows, struct assessment *j)
{
    j->ours = gain_of(t, rows);
    j->verdict = isnan(j->ours) ? VERDICT_NOT_JUDGED : verdict_of_gain(j->ours, c->published);
    explain_extremes(t, OF, rows, true, j);
    explain_carrier(t, rows, j);
}

static void judge_mean(const struct claim *c, const struct table *t, int column, const char *rows, struct assessment *j)
{
    j->ours = table_mean(t, (unsigned)column, rows, NULL, NULL);
    j->verdict = isnan(j->ours)                                             ? VERDICT_NOT_JUDGED
                 : fabs(j->ours - c->published) <= 0.1 * fabs(c->published) ? VERDICT_HOLDS
                 : fabs(j->ours - c->published) <= fabs(c->published) / 3   ? VERDICT_DIRECTION
                                                                            : VERDICT_FAILS;
    explain_extremes(t, column, rows, false, j);
}

/* `ahead`: by how much the best of the others is left behind. */
static const char *judge_ahead(const struct claim *c, struct lab *l, const struct lab_figure *f, const struct side *of,
                               const struct side *over, const char *rows, struct assessment *j)
{
    const char *closest = NULL;
    char behind[400] = "";
    j->ours = INFINITY;
    for (size_t i = 0; i < c->over.word.n; i++) {
        struct table t = compare(l, f, of, &over[i]);
        const double margin = gain_of(&t, rows);
        table_free(&t);
        if (isnan(margin) || margin < j->ours) {
            j->ours = margin;
            closest = c->over.word.p[i];
        }
        if (!(margin > 0))
            append(behind, sizeof behind, "%s%s (%+.1f%%)", *behind ? ", " : "not above ", c->over.word.p[i],
                   100 * margin);
    }
    j->verdict = isnan(j->ours) ? VERDICT_NOT_JUDGED : j->ours > 0 ? VERDICT_HOLDS : VERDICT_FAILS;
    append(j->because, sizeof j->because, "%s", behind);
    return c->over.word.n > 1 ? closest : NULL;
}

static const char *judge_within(const struct claim *c, struct lab *l, const struct lab_figure *f, const struct side *of,
                                const struct side *over, const char *rows, struct assessment *j)
{
    const char *farthest = NULL;
    j->ours = 0;
    for (size_t i = 0; i < c->of.word.n; i++) {
        struct table t = compare(l, f, &of[i], over);
        const double d = gain_of(&t, rows);
        table_free(&t);
        if (isnan(d) || fabs(d) > fabs(j->ours)) {
            j->ours = d;
            farthest = c->of.word.p[i];
        }
    }
    j->verdict = isnan(j->ours) ? VERDICT_NOT_JUDGED : fabs(j->ours) <= c->published ? VERDICT_HOLDS : VERDICT_FAILS;
    return c->of.word.n > 1 ? farthest : NULL;
}

static void judge_least(const struct claim *c, const struct table *t, const char *rows, struct assessment *j)
{
    j->ours = INFINITY;
    const char *worst = "";
    char below[300] = "";
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        if (!table_row_is(r, rows))
            continue;
        double v = r->cell[OF] / r->cell[OVER] - 1;
        if (v < j->ours) {
            j->ours = v;
            worst = r->label;
        }
        if (v < c->published)
            append(below, sizeof below, "%s%s %+.1f%%", *below ? ", " : "", r->label, 100 * v);
    }
    j->verdict = isinf(j->ours) ? VERDICT_NOT_JUDGED : j->ours >= c->published ? VERDICT_HOLDS : VERDICT_FAILS;
    append(j->because, sizeof j->because, *below ? "below: %s" : "lowest: %s", *below ? below : worst);
}

int published_compare(const struct claims *all, const struct claim *c, struct lab *l, struct lab_figure *f,
                      struct assessment *j, struct err *e)
{
    memset(j, 0, sizeof *j);
    const char *rows = c->programs ? c->programs : "all";
    struct side of[16], over[16];
    if (c->of.word.n > 16 || c->over.word.n > 16)
        return INIFILE_FAULT(c->at, e, "claim %s: more than 16 columns", c->name);
    for (size_t i = 0; i < c->of.word.n; i++)
        if (find_side(c, f, c->of.word.p[i], &of[i], e))
            return -1;
    for (size_t i = 0; i < c->over.word.n; i++)
        if (find_side(c, f, c->over.word.p[i], &over[i], e))
            return -1;
    struct side *by = c->over.word.n ? &over[0] : NULL;
    const char *subject = NULL; /* which of several columns the value is of */
    bool simulated = of[0].variant && f->plan.kind == PLAN_BARS;
    struct table t = by ? compare(l, f, of, by) : (struct table){0};
    switch (c->kind) {
    case CLAIM_GAIN:
        judge_gain(c, &t, rows, j);
        break;
    case CLAIM_MEAN:
    case CLAIM_KINDS:
        judge_mean(c, &f->table, of->column, rows, j);
        break;
    case CLAIM_LEAST:
        judge_least(c, &t, rows, j);
        break;
    case CLAIM_WITHIN:
        subject = judge_within(c, l, f, of, by, rows, j);
        break;
    case CLAIM_AHEAD:
        subject = judge_ahead(c, l, f, of, over, rows, j);
        break;
    }
    table_free(&t);
    write_value(j, c->percent || c->kind == CLAIM_AHEAD, c->kind != CLAIM_MEAN, subject);
    count_rows(&f->table, rows, j);
    write_verdict(c, j);
    if (simulated && j->verdict != VERDICT_NOT_JUDGED)
        explain_statistics(all, l, f, of, by, rows, j);
    return 0;
}
