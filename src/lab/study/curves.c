/* See curves.h. */
#include "study/curves.h"

#include "base/out_of_memory.h"

#include <math.h>
#include <string.h>

/* The parameter along the axis: of those whose values are numbers of one unit, the one with most values; -1 = none. */
static int numeric_axis(const struct plan *p)
{
    int found = -1;
    for (size_t i = 0; i < p->sweep.n; i++) {
        const struct plan_axis *a = &p->sweep.p[i];
        char *end, *first = NULL;
        bool numbers = a->kind == PLAN_AXIS_SET && a->value.word.n > 1;
        for (size_t k = 0; k < a->value.word.n && numbers; k++) {
            strtod(a->value.word.p[k], &end);
            first = first ? first : end;
            numbers = end != a->value.word.p[k] && !strcmp(end, first);
        }
        if (numbers && (found < 0 || a->value.word.n > p->sweep.p[found].value.word.n))
            found = (int)i;
    }
    return found;
}

bool curves_possible(const struct plan *p)
{
    return numeric_axis(p) >= 0;
}

/* What a combination is called without the axis: "gto l1.assoc=4". */
static void line_name(const struct plan *p, const struct plan_variant *v, int axis, char out[256])
{
    size_t n = 0;
    *out = 0;
    for (size_t k = 0; k < p->sweep.n && n < 200; k++) {
        const struct plan_axis *a = &p->sweep.p[k];
        if ((int)k == axis || a->value.word.n < 2 || v->choice.p[k] == PLAN_WITHOUT)
            continue;
        const char *value = a->value.word.p[v->choice.p[k]];
        n += (size_t)snprintf(out + n, 256 - n, "%s%s%s%.100s", n ? " " : "", a->key ? a->key : "", a->key ? "=" : "",
                              value);
    }
    if (!*out)
        snprintf(out, 256, "%s", p->sweep.p[axis].key);
}

/* Over the programs; the value itself where there is one program, idle or not. */
static double mean_of(const struct table *t, unsigned column, unsigned *n)
{
    size_t programs = 0, last = 0;
    for (size_t i = 0; i < t->row.n; i++)
        if (!t->row.p[i].mean) {
            programs++;
            last = i;
        }
    *n = 1;
    return programs == 1 ? t->row.p[last].cell[column] : table_mean(t, column, "all", n, NULL);
}

char *curves_of(const struct lab_figure *f, struct table *out, struct plot *plot)
{
    const struct plan *p = &f->plan;
    const int axis = numeric_axis(p);
    const struct plan_axis *a = &p->sweep.p[axis];
    double least = INFINITY, most = 0;
    unsigned n_program = 0;
    char name[256], *unit = NULL;
    *out = (struct table){.percent = f->table.percent, .geometric = f->table.geometric, .quantity = f->table.quantity};
    for (size_t i = 0; i < p->variant.n; i++) {
        line_name(p, &p->variant.p[i], axis, name);
        if (table_column(out, name) < 0)
            table_add_column(out, name, name);
    }
    for (size_t k = 0; k < a->value.word.n; k++) {
        const double x = strtod(a->value.word.p[k], &unit);
        char label[32];
        snprintf(label, sizeof label, "%.9g", x);
        double *cell = table_add_row(out, label, "");
        least = fmin(least, x);
        most = fmax(most, x);
        for (size_t i = 0; i < p->variant.n; i++) {
            const struct plan_variant *v = &p->variant.p[i];
            const int column = table_column(&f->table, v->name);
            if (v->choice.p[axis] != k || column < 0)
                continue;
            line_name(p, v, axis, name);
            cell[table_column(out, name)] = mean_of(&f->table, (unsigned)column, &n_program);
        }
    }
    plot->style = PLOT_LINES;
    plot->x_numeric = true;
    plot->x_log = least > 0 && most / least >= 4;
    char *over = n_program > 1
                     ? xasprintf("; %s mean of %u programs", f->table.geometric ? "geometric" : "arithmetic", n_program)
                     : xstrdup("");
    char *words = xasprintf("%s%s%s%s", a->key, unit && *unit ? ", " : "", unit ? unit : "", over);
    free(over);
    plot->x_axis = words;
    return words;
}
