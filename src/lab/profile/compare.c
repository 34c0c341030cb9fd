/* See compare.h. */
#include "profile/compare.h"

#include "base/demangle.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "profile/compare_priv.h"

#include <math.h>
#include <string.h>

enum { SHOWN_ROWS = 10, SHOWN_KEYS = 16 };

json_t *compare_take(json_t *doc, const char *path, struct err *e)
{
    const char *schema = json_string_value(json_object_get(doc, "schema"));
    if (schema && !strcmp(schema, "weir-stats-1") && json_is_object(json_object_get(doc, "total")))
        return doc;
    err_at(e, path, 0, 0, "not a document of weir run or weir replay%s%s", schema ? ": its schema is " : "",
           schema ? schema : "");
    err_hint(e, "write one with --json FILE");
    json_decref(doc);
    return NULL;
}

json_t *compare_read(const char *path, struct err *e)
{
    json_t *doc = jsonfile_read(path, e);
    return doc ? compare_take(doc, path, e) : NULL;
}

/* ---- what was run ---- */

static const char *text_of(const json_t *o, const char *name)
{
    const char *s = json_string_value(json_object_get(o, name));
    return s ? s : "";
}

static void put_head(const json_t *d, char mark, const char *name, FILE *out)
{
    const json_t *p = json_object_get(d, "provenance");
    fprintf(out, "%c  %s: %s%s%s on %s", mark, name, text_of(p, "program"), *text_of(p, "arguments") ? " " : "",
            text_of(p, "arguments"), text_of(d, "machine"));
    const char *key, *between = "; ";
    json_t *v;
    json_object_foreach(json_object_get(d, "policies"), key, v)
    {
        fprintf(out, "%s%s", between, json_string_value(v) ? json_string_value(v) : "");
        between = ", ";
    }
    if (*text_of(p, "date"))
        fprintf(out, " (weir %s, %s)", text_of(p, "weir"), text_of(p, "date"));
    const json_t *sampled = json_object_get(d, "sampled");
    if (sampled)
        fprintf(out, "; sampled, %.1f%% of the warp instructions simulated",
                100 * compare_number(sampled, "warp_insts_share"));
    fputs(json_is_false(json_object_get(d, "complete")) ? "; PARTIAL\n" : "\n", out);
}

static void put_config(const json_t *a, const json_t *b, FILE *out)
{
    const char *key;
    json_t *v;
    size_t n = 0;
    const json_t *ca = json_object_get(a, "config"), *cb = json_object_get(b, "config");
    json_object_foreach((json_t *)ca, key, v)
    {
        const json_t *w = json_object_get(cb, key);
        if (w && !json_equal(v, (json_t *)w) && strcmp(key, "machine.name") && n++ < SHOWN_KEYS)
            fprintf(out, "   %s: %s -> %s\n", key, json_string_value(v), json_string_value(w));
    }
    const size_t other = n > SHOWN_KEYS ? n - SHOWN_KEYS : 0;
    if (other)
        fprintf(out, "   and %zu more; 'weir config diff' shows what machines differ in\n", other);
    const double ia = compare_number(json_object_get(a, "total"), "warp_insts"),
                 ib = compare_number(json_object_get(b, "total"), "warp_insts");
    char ta[24], tb[24];
    if (ia != ib)
        fprintf(out, "   Different work: %s and %s warp instructions.\n", compare_count(ta, ia), compare_count(tb, ib));
}

/* ---- why ---- */

/* At most `most` rows below a heading; 0 = all. */
static void put_rows(const struct compare_rows *rows, const char *heading, int width, size_t most, FILE *out)
{
    for (size_t i = 0; i < rows->row.n && (!most || i < most); i++) {
        const struct compare_row *r = &rows->row.p[i];
        fprintf(out, "%s%s%s  %-*s %10s %10s %13s\n", i ? "" : "\n", i ? "" : heading, i ? "" : "\n", width, r->label,
                r->a, r->b, r->change);
    }
    if (most && rows->row.n > most)
        fprintf(out, "  and %zu more; --all shows them\n", rows->row.n - most);
}

static void put_statistics(const json_t *a, const json_t *b, const struct compare_opts *o, FILE *out)
{
    struct compare_rows memory = {0}, policies = {0};
    compare_take_statistics(a, b, o->threshold, &memory);
    compare_take_policies(a, b, o->threshold, &policies);
    put_rows(&memory, "Statistics that changed", 26, 0, out);
    if (!memory.row.n)
        fputs("\nNo statistic of the memory hierarchy changed by more than the threshold.\n", out);
    put_rows(&policies, "Statistics of policies that changed", 40, o->all ? 0 : SHOWN_ROWS, out);
    VEC_FREE(&memory.row);
    VEC_FREE(&policies.row);
}

static void put_reasons(const json_t *a, const json_t *b, double threshold, FILE *out)
{
    struct compare_reasons all = {0};
    const double cycles = compare_number(a, "cycles");
    double rest = compare_number(b, "cycles") - cycles;
    char ta[24], tb[24];
    compare_read_reasons(a, b, &all);
    fputs("\nCycle breakdown                       a          b      b - a, of a's cycles\n", out);
    for (size_t i = 0; i < compare_reasons_shown(&all, cycles, threshold); i++) {
        const struct compare_reason *r = &all.r.p[i];
        rest -= r->b - r->a;
        fprintf(out, "  %-26s %10s %10s %+9.1f%%\n", r->name, compare_count(ta, r->a), compare_count(tb, r->b),
                100 * (r->b - r->a) / cycles);
    }
    if (cycles > 0)
        fprintf(out, "  %-26s %10s %10s %+9.1f%%\n", "everything else", "", "", 100 * rest / cycles);
    VEC_FREE(&all.r);
}

/*
 * The largest parts of the difference, in the numbers of the table below. Schedulers without a warp wait for the others,
 * so where they are the largest part, what those wait for is reported, too.
 */
static void put_largest(const json_t *a, const json_t *b, FILE *out)
{
    struct compare_reasons all = {0};
    const double cycles = compare_number(a, "cycles");
    compare_read_reasons(a, b, &all);
    const struct compare_reason *first = all.r.p, *waited = first;
    if (!strcmp(first->name, "no_warp"))
        waited++;
    if (cycles > 0 && first->b != first->a) {
        fprintf(out, "The largest part is %s, %+.1f%% of a's cycles", first->name,
                100 * (first->b - first->a) / cycles);
        if (waited != first && waited->b != waited->a)
            fprintf(out, " (schedulers without a warp); of what warps wait for, it is %s, %+.1f%%", waited->name,
                    100 * (waited->b - waited->a) / cycles);
        fprintf(out, " (see 'weir explain %s%s').\n", strcmp(waited->name, "issue") ? "sm.stall." : "sm.issue_cycles",
                strcmp(waited->name, "issue") ? waited->name : "");
    }
    VEC_FREE(&all.r);
}

static void put_sentence(const json_t *a, const json_t *b, FILE *out)
{
    const double ca = compare_number(a, "cycles"), cb = compare_number(b, "cycles");
    char ta[24], tb[24];
    fprintf(out, "\nb takes %s cycles, a takes %s: ", compare_count(tb, cb), compare_count(ta, ca));
    if (ca == cb)
        fputs("the same.\n", out);
    else
        fprintf(out, "%.2fx as %s. IPC %.2f -> %.2f.\n", cb < ca ? ca / cb : cb / ca, cb < ca ? "fast" : "slow",
                compare_number(a, "ipc"), compare_number(b, "ipc"));
    put_largest(a, b, out);
}

/* ---- by kernel ---- */

static double rate(const json_t *o, const char *num, const char *den)
{
    const double d = compare_number(o, den);
    return d > 0 ? 100 * compare_number(o, num) / d : 0;
}

static void put_kernels(const json_t *a, const json_t *b, bool every, FILE *out)
{
    struct compare_kernels all = {0};
    compare_take_kernels(a, b, &all);
    fputs("\nBy kernel (all launches)          cycles a   cycles b     change  largest part            L1 misses\n",
          out);
    for (size_t i = 0; i < all.k.n; i++) {
        const struct compare_kernel *k = &all.k.p[i];
        char name[200], ta[24], tb[24], tc[24];
        demangle_short(k->name, name, sizeof name);
        const double ca = compare_number(k->sum[0], "cycles"), cb = compare_number(k->sum[1], "cycles");
        if (i < SHOWN_ROWS || every) {
            struct compare_reasons r = {0};
            compare_read_reasons(k->sum[0], k->sum[1], &r);
            fprintf(out, "  %-30.30s %10s %10s %10s", name, compare_count(ta, ca), compare_count(tb, cb),
                    k->launches[0] && k->launches[1] ? compare_change(tc, ca, cb)
                    : k->launches[0]                 ? "only in a"
                                                     : "only in b");
            if (r.r.n && ca > 0 && cb != ca)
                fprintf(out, "  %-12s %+9.1f%%", r.r.p[0].name, 100 * (r.r.p[0].b - r.r.p[0].a) / ca);
            else
                fprintf(out, "  %-22s", "");
            fprintf(out, "  %5.1f%% -> %.1f%%\n", rate(k->sum[0], "l1.misses", "l1.accesses"),
                    rate(k->sum[1], "l1.misses", "l1.accesses"));
            VEC_FREE(&r.r);
        }
    }
    if (all.k.n > SHOWN_ROWS && !every)
        fprintf(out, "  and %zu more; --all shows them\n", all.k.n - SHOWN_ROWS);
    compare_free_kernels(&all);
}

/* ---- by load ---- */

struct load {
    const json_t *a, *b;
    double waited; /* cycles that its lines waited, b - a */
};
struct loads {
    VEC(struct load) l;
};

/* Without an index: documents have hundreds of loads, not thousands. */
static const json_t *same_load(const json_t *doc, const json_t *load)
{
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(doc, "loads"), i, x)
    {
        if (compare_number(x, "pc") == compare_number(load, "pc") &&
            !strcmp(text_of(x, "kernel"), text_of(load, "kernel")))
            return x;
    }
    return NULL;
}

static double waited(const json_t *load)
{
    return compare_number(load, "lines") * compare_number(load, "mean_latency");
}

static int by_waited(const void *x, const void *y)
{
    const struct load *p = x, *q = y;
    return fabs(p->waited) < fabs(q->waited) ? 1 : fabs(p->waited) > fabs(q->waited) ? -1 : 0;
}

/* "hist.cu:9 ld p2+64": the second parameter, and its constant part; or a variable. */
static void place_of(const json_t *load, char *out, size_t bytes)
{
    const char *path = text_of(load, "src_file"), *slash = strrchr(path, '/'), *inst = text_of(load, "inst");
    char base[128] = "";
    if (json_object_get(load, "argument"))
        snprintf(base, sizeof base, " p%.0f%+.0f", compare_number(load, "argument") + 1,
                 compare_number(load, "offset"));
    else if (json_object_get(load, "variable")) {
        char name[200];
        demangle(text_of(load, "variable"), name, sizeof name);
        const char *colon = strrchr(name, ':');
        snprintf(base, sizeof base, " %.60s%+.0f", colon ? colon + 1 : name, compare_number(load, "offset"));
    }
    if (compare_number(load, "src_line") > 0)
        snprintf(out, bytes, "%s:%.0f %.*s%s", slash ? slash + 1 : path, compare_number(load, "src_line"),
                 (int)strcspn(inst, "."), inst, base);
    else
        snprintf(out, bytes, "ptx:%.0f %s%s", compare_number(load, "ptx_line"), inst, base);
}

static void put_loads(const json_t *a, const json_t *b, bool every, FILE *out)
{
    struct loads all = {0};
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(a, "loads"), i, x)
    {
        const json_t *y = same_load(b, x);
        if (y && (waited(x) != waited(y) || compare_number(x, "l1_hits") != compare_number(y, "l1_hits")))
            VEC_PUSH(&all.l, (struct load){x, y, waited(y) - waited(x)});
    }
    if (!all.l.n) {
        fputs("\nNo load changed, or the runs are of different programs.\n", out);
        return;
    }
    qsort(all.l.p, all.l.n, sizeof *all.l.p, by_waited);
    fputs(
        "\nBy load, the largest change in cycles waited first\n"
        "  kernel               where                              lines     L1 hits a -> b     latency a -> b     "
        "waited\n",
        out);
    for (i = 0; i < all.l.n && (i < SHOWN_ROWS || every); i++) {
        const struct load *l = &all.l.p[i];
        char name[200], where[300], ta[24], tc[24];
        demangle_short(text_of(l->a, "kernel"), name, sizeof name);
        place_of(l->a, where, sizeof where);
        fprintf(out, "  %-20.20s %-30.30s %9s   %6.1f%% -> %5.1f%%   %7.0f -> %5.0f  %9s\n", name, where,
                compare_count(ta, compare_number(l->b, "lines")), 100 * compare_number(l->a, "l1_hit_rate"),
                100 * compare_number(l->b, "l1_hit_rate"), compare_number(l->a, "mean_latency"),
                compare_number(l->b, "mean_latency"), compare_change(tc, waited(l->a), waited(l->b)));
    }
    if (all.l.n > SHOWN_ROWS && !every)
        fprintf(out, "  and %zu more; --all shows them\n", all.l.n - SHOWN_ROWS);
    VEC_FREE(&all.l);
}

int compare_check(const json_t *a, const json_t *b, const char *name_a, const char *name_b, struct err *e)
{
    const bool of_a = json_object_get(a, "sampled"), of_b = json_object_get(b, "sampled");
    if (of_a == of_b)
        return 0;
    err_set(e, "%s is sampled and %s is not", of_a ? name_a : name_b, of_a ? name_b : name_a);
    return err_hint(e, "compare two runs with --sampled, or two without");
}

void compare_print(const json_t *a, const json_t *b, const char *name_a, const char *name_b,
                   const struct compare_opts *o, FILE *out)
{
    const json_t *ta = json_object_get(a, "total"), *tb = json_object_get(b, "total");
    put_head(a, 'a', name_a, out);
    put_head(b, 'b', name_b, out);
    put_config(a, b, out);
    put_sentence(ta, tb, out);
    put_reasons(ta, tb, o->threshold, out);
    put_statistics(ta, tb, o, out);
    put_kernels(a, b, o->all, out);
    put_loads(a, b, o->all, out);
}
