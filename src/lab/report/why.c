/* See why.h. */
#include "report/why.h"

#include "base/text.h"
#include "study/figure.h"

#include <math.h>

enum { SHOWN = 2 };
#define LEAST 0.02 /* what moves by less is not named: points of a share, part of the larger of two amounts */

struct move {
    const struct plan_statistic *of;
    double before, after, size;
};

bool why_has(const struct lab_figure *f)
{
    return f->plan.explain.one.n && f->plan.kind == PLAN_BARS && f->program.n <= f->table.row.n;
}

static int larger(const void *a, const void *b)
{
    const double x = ((const struct move *)a)->size, y = ((const struct move *)b)->size;
    return (x < y) - (x > y);
}

static void put_amount(const struct plan_statistic *s, double v, FILE *out)
{
    const double size = fabs(v);
    if (s->percent)
        fprintf(out, "%.*f%%", size > 0 && size < 0.0995 ? 1 : 0, 100 * v);
    else if (size >= 1e6)
        fprintf(out, "%.2f million", v * 1e-6);
    else
        fprintf(out, "%.*f", size < 10 ? 2 : size < 100 ? 1 : 0, v);
}

static void put_speed(const char *row, double ratio, bool is_speed, FILE *out)
{
    if (!is_speed)
        fprintf(out, "%s is at %.2f of the baseline", row, ratio);
    else if (fabs(ratio - 1) < 0.005)
        fprintf(out, "%s runs as fast", row);
    else if (ratio >= 1.5)
        fprintf(out, "%s runs %.*f times as fast", row, ratio < 10 ? 2 : 1, ratio);
    else if (ratio <= 0.67)
        fprintf(out, "%s takes %.*f times as long", row, ratio > 0.1 ? 2 : 1, 1 / ratio);
    else
        fprintf(out, "%s runs %.1f%% %s", row, 100 * fabs(ratio - 1), ratio > 1 ? "faster" : "slower");
}

char *why_sentence(struct lab *l, const struct lab_figure *f, size_t program, size_t variant)
{
    const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[variant]);
    const struct plan_variant *over = plan_divisor(&f->plan, v);
    const struct point *after = figure_point(l, f, v, f->program.p[program]);
    const struct point *before = over ? figure_point(l, f, over, f->program.p[program]) : NULL;
    const struct table_row *r = &f->table.row.p[program];
    if (over == v || !before || isnan(r->cell[variant]))
        return NULL;
    const size_t n = f->plan.explain.one.n;
    struct move *all = xcalloc(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        const struct plan_statistic *s = &f->plan.explain.one.p[i];
        const double a = point_value(before, s->metric), b = point_value(after, s->metric);
        const double scale = s->percent ? 1 : fmax(fabs(a), fabs(b));
        all[i] = (struct move){s, a, b, scale > 0 ? fabs(b - a) / scale : 0};
        if (isnan(a) || isnan(b))
            all[i].size = -1;
    }
    qsort(all, n, sizeof *all, larger);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = text_stream(&text, &bytes);
    const char *metric = f->plan.metric;
    put_speed(r->label, r->cell[variant], !strcmp(metric, "ipc") || !strcmp(metric, "1 / cycles"), out);
    if (f->plan.variants.word.n > 1)
        fprintf(out, " under %s", f->table.column.p[variant].label);
    for (size_t i = 0; i < n && i < SHOWN && all[i].size >= LEAST; i++) {
        fprintf(out, "%s%s %s from ", i ? ", and " : ": ", all[i].of->label,
                all[i].after < all[i].before ? "falls" : "rises");
        put_amount(all[i].of, all[i].before, out);
        fputs(" to ", out);
        put_amount(all[i].of, all[i].after, out);
    }
    fputs(!n || all[0].size < LEAST ? ": no statistic that the plan names moves by 2%." : ".", out);
    fclose(out);
    free(all);
    return text;
}
