/* See tidy.h. */
#include "report/tidy.h"

#include "base/text.h"
#include "engine/config.h"
#include "gpu/gpu.h"
#include "gpu/gpu_config.h"
#include "gpu/result.h"
#include "study/figure.h"

#include <math.h>

static void put_field(FILE *f, const char *s)
{
    fputc('"', f);
    for (; s && *s; s++)
        fputs(*s == '"' ? "\"\"" : (char[]){*s, 0}, f);
    fputs("\",", f);
}

/* ---- policies: a column for each kind ---- */

struct keys {
    VEC(char *) key; /* in the order in which a point lists its policies */
};

static void add_key(void *ctx, const struct cfg_value *v)
{
    struct keys *k = ctx;
    if (v->field->type == CFG_POLICY)
        VEC_PUSH(&k->key, xstrdup(v->key));
}

static struct keys policy_keys(void)
{
    struct keys k = {0};
    struct err e;
    struct cfg *c = cfg_load(gpu_schema(), GPU_DEFAULT, NULL, 0, NULL, &e);
    if (c)
        cfg_each(c, add_key, &k);
    cfg_free(c);
    return k;
}

/* "gto, lru, ..." as fields; empty where there is no point. */
static void put_policies(FILE *f, const struct keys *k, const struct point *p)
{
    const char *at = p ? p->policies : "";
    for (size_t i = 0; i < k->key.n; i++) {
        const size_t n = strcspn(at, ",");
        char *one = xstrndup(at, n);
        put_field(f, one);
        free(one);
        at += n + (at[n] == ',');
        at += strspn(at, " ");
    }
}

/* ---- units ---- */

struct unit {
    const char *name;
    char text[32];
};

static void match_unit(void *ctx, const struct stat_doc *d)
{
    struct unit *u = ctx;
    if (!strcmp(d->name, u->name))
        snprintf(u->text, sizeof u->text, "%s", d->unit);
}

/* Of a single statistic; ratios have none. */
static struct unit unit_of(const struct lab_figure *f)
{
    struct unit u = {.name = f->plan.metric ? f->plan.metric : ""};
    struct err e;
    const bool divided = f->plan.kind == PLAN_BARS && !f->table.quantity;
    if (!divided && !strpbrk(u.name, "+/ ") && result_each_stat(match_unit, &u, &e))
        u.text[0] = 0;
    return u;
}

char *tidy_csv(struct lab *l, const struct lab_figure *f)
{
    const bool simulated = f->plan.kind == PLAN_BARS || f->plan.kind == PLAN_INTERACTIONS;
    struct keys keys = policy_keys();
    const struct unit unit = unit_of(f);
    char *text = NULL, settings[1024];
    size_t bytes = 0;
    FILE *out = text_stream(&text, &bytes);
    fputs("figure,row,class,mean,variant,over,machine,", out);
    for (size_t k = 0; k < keys.key.n; k++)
        put_field(out, keys.key.p[k]);
    fputs("settings,metric,unit,value,half_width_95,n,idle\n", out);
    for (size_t i = 0; i < f->table.row.n; i++)
        for (size_t c = 0; c < f->table.column.n; c++) {
            const struct table_row *r = &f->table.row.p[i];
            const struct plan_variant *v = simulated ? plan_find(&f->plan, f->table.column.p[c].name) : NULL;
            const struct plan_variant *over = v ? plan_divisor(&f->plan, v) : NULL;
            const struct point *p = v && !r->mean ? figure_point(l, f, v, f->program.p[i]) : NULL;
            settings[0] = 0;
            if (p)
                point_settings(p, settings, sizeof settings);
            put_field(out, f->plan.number);
            put_field(out, r->label);
            put_field(out, r->group);
            put_field(out, !r->mean ? "" : f->table.geometric ? "geometric" : "arithmetic");
            put_field(out, f->table.column.p[c].label);
            put_field(out, over ? over->label ? over->label : over->name : "");
            put_field(out, p ? p->machine : "");
            put_policies(out, &keys, p);
            put_field(out, settings);
            put_field(out, f->plan.metric);
            put_field(out, unit.text);
            if (isfinite(r->cell[c]))
                fprintf(out, "%.9g", r->cell[c]);
            const double spread = p ? figure_spread(l, f, v, over, f->program.p[i]) : NAN;
            putc(',', out);
            if (isfinite(spread) && isfinite(r->cell[c]))
                fprintf(out, "%.9g", fabs(spread * r->cell[c]));
            fprintf(out, ",%u,%s\n", r->mean ? r->n : !isnan(r->cell[c]), r->idle ? "yes" : "no");
        }
    fclose(out);
    VEC_FREE_ALL(&keys.key);
    return text;
}
