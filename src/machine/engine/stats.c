/* Named counters; see stats.h. Registration happens while a machine is built, reading at kernel ends and samples. */
#include "engine/stats.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Counters that are adjacent, in the component and in a reading. */
struct span {
    size_t offset;
    unsigned at, n;
};

struct table {
    const struct stat_def *def;
    unsigned first; /* index of its first name */
    VEC(struct span) sum;
    VEC(struct span) max;
};

struct instance {
    const char *base;
    unsigned table;
};

struct stats {
    VEC(struct stat_name) name;
    VEC(struct table) table;
    VEC(struct instance) instance;
};

struct stats *stats_new(void)
{
    return xcalloc(1, sizeof(struct stats));
}

void stats_free(struct stats *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->table.n; i++) {
        VEC_FREE(&s->table.p[i].sum);
        VEC_FREE(&s->table.p[i].max);
    }
    VEC_FREE(&s->name);
    VEC_FREE(&s->table);
    VEC_FREE(&s->instance);
    free(s);
}

/* Places in a reading that one statistic takes. */
static unsigned width(const struct stat_def *d)
{
    return d->kind == STAT_HIST ? d->n_bound + 1 : 1;
}

void stat_bucket_name(const struct stat_def *d, unsigned bucket, char out[STAT_BUCKET])
{
    out[0] = 0;
    if (d->kind == STAT_HIST && bucket < d->n_bound)
        snprintf(out, STAT_BUCKET, ".le_%" PRIu64, d->bound[bucket]);
    else if (d->kind == STAT_HIST)
        snprintf(out, STAT_BUCKET, ".above_%" PRIu64, d->bound[d->n_bound - 1]);
}

static struct stat_name name_of(const char *prefix, const struct stat_def *d, unsigned bucket)
{
    struct stat_name n = {.def = d, .bucket = bucket};
    char suffix[STAT_BUCKET];
    stat_bucket_name(d, bucket, suffix);
    int base = snprintf(n.name, sizeof n.name, "%s%s%s", prefix, *prefix ? "." : "", d->name);
    if ((size_t)base + strlen(suffix) >= sizeof n.name)
        BUG("statistic name too long: %s", n.name);
    n.base_len = (unsigned)base;
    memcpy(n.name + base, suffix, strlen(suffix) + 1);
    return n;
}

/* The table that begins with this name, whose counters a reading of every instance runs through. */
static void table_add(struct stats *s, const struct stat_def *def, unsigned first)
{
    struct table t = {.def = def, .first = first};
    unsigned at = 0;
    for (const struct stat_def *d = def; d->name; at += width(d), d++) {
        if (d->kind == STAT_RATIO)
            continue;
        const struct span one = {d->offset, at, width(d)};
        struct span *last = t.sum.n ? &t.sum.p[t.sum.n - 1] : NULL;
        if (d->kind == STAT_MAX)
            VEC_PUSH(&t.max, one);
        else if (last && last->at + last->n == at && last->offset + last->n * sizeof(uint64_t) == d->offset)
            last->n += one.n;
        else
            VEC_PUSH(&t.sum, one);
    }
    VEC_PUSH(&s->table, t);
}

void stats_add(struct stats *s, const char *prefix, const struct stat_def *def, const void *base)
{
    int at = stats_find(s, name_of(prefix, def, 0).name);
    if (at < 0) {
        at = (int)s->name.n;
        table_add(s, def, (unsigned)at);
        for (const struct stat_def *d = def; d->name; d++)
            for (unsigned b = 0; b < width(d); b++) {
                struct stat_name n = name_of(prefix, d, b);
                if (stats_find(s, n.name) >= 0)
                    BUG("two statistics are named %s", n.name);
                VEC_PUSH(&s->name, n);
            }
    } else if (s->name.p[at].def != def) {
        BUG("two statistics are named %s", s->name.p[at].name);
    }
    unsigned table = 0;
    while (s->table.p[table].first != (unsigned)at)
        table++;
    VEC_PUSH(&s->instance, (struct instance){.base = base, .table = table});
}

unsigned stats_count(const struct stats *s)
{
    return (unsigned)s->name.n;
}

const struct stat_name *stats_name(const struct stats *s, unsigned i)
{
    return &s->name.p[i];
}

int stats_find(const struct stats *s, const char *name)
{
    for (size_t i = 0; i < s->name.n; i++)
        if (!strcmp(s->name.p[i].name, name))
            return (int)i;
    return -1;
}

void stats_read(const struct stats *s, uint64_t *out)
{
    memset(out, 0, s->name.n * sizeof *out);
    for (size_t i = 0; i < s->instance.n; i++) {
        const char *base = s->instance.p[i].base;
        const struct table *t = &s->table.p[s->instance.p[i].table];
        for (size_t k = 0; k < t->sum.n; k++) {
            const uint64_t *v = (const uint64_t *)(base + t->sum.p[k].offset);
            uint64_t *sum = &out[t->first + t->sum.p[k].at];
            for (unsigned b = 0; b < t->sum.p[k].n; b++)
                sum[b] += v[b];
        }
        for (size_t k = 0; k < t->max.n; k++) {
            const uint64_t *v = (const uint64_t *)(base + t->max.p[k].offset);
            uint64_t *most = &out[t->first + t->max.p[k].at];
            *most = *v > *most ? *v : *most;
        }
    }
}

void stats_delta(const struct stats *s, const uint64_t *later, const uint64_t *earlier, uint64_t *out)
{
    for (size_t i = 0; i < s->name.n; i++)
        out[i] = s->name.p[i].def->kind == STAT_MAX ? later[i] : later[i] - earlier[i];
}

/* Where an instance has value i; NULL: its table has none. */
static const uint64_t *place_of(const struct stats *s, const struct instance *x, unsigned i)
{
    const struct table *t = &s->table.p[x->table];
    unsigned at = t->first;
    for (const struct stat_def *d = t->def; d->name && at <= i; at += width(d), d++)
        if (i < at + width(d))
            return (const uint64_t *)(x->base + d->offset) + (i - at);
    return NULL;
}

unsigned stats_read_each(const struct stats *s, unsigned i, uint64_t *out)
{
    unsigned n = 0;
    for (size_t k = 0; k < s->instance.n; k++) {
        const uint64_t *v = place_of(s, &s->instance.p[k], i);
        if (v && out)
            out[n] = *v;
        n += v != NULL;
    }
    return n;
}

/* "a+b-c": a sum of names. */
static double sum_of(const struct stats *s, const uint64_t *raw, const char *expr)
{
    double total = 0, sign = 1;
    while (*expr) {
        size_t n = strcspn(expr, "+-");
        char name[96];
        if (n >= sizeof name)
            BUG("statistic name too long in '%s'", expr);
        memcpy(name, expr, n);
        name[n] = 0;
        int i = stats_find(s, name);
        if (i >= 0) /* a component that this machine lacks counts nothing */
            total += sign * (double)raw[i];
        expr += n;
        sign = *expr == '-' ? -1 : 1;
        expr += *expr != 0;
    }
    return total;
}

void stats_ratio_parts(const struct stats *s, const uint64_t *raw, unsigned i, double *num, double *den)
{
    *num = sum_of(s, raw, s->name.p[i].def->num);
    *den = sum_of(s, raw, s->name.p[i].def->den);
}

double stats_value(const struct stats *s, const uint64_t *raw, unsigned i)
{
    if (s->name.p[i].def->kind != STAT_RATIO)
        return (double)raw[i];
    double num, den;
    stats_ratio_parts(s, raw, i, &num, &den);
    return den ? num / den : 0;
}
