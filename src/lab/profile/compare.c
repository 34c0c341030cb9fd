/* See compare.h. */
#include "profile/compare.h"

#include "base/demangle.h"
#include "base/jsonfile.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { SHOWN_ROWS = 10, SHOWN_KEYS = 16 };

json_t *compare_read(const char *path, struct err *e)
{
    json_t *doc = jsonfile_read(path, e);
    if (!doc)
        return NULL;
    const char *schema = json_string_value(json_object_get(doc, "schema"));
    if (schema && !strcmp(schema, "weir-stats-1") && json_is_object(json_object_get(doc, "total")))
        return doc;
    err_at(e, path, 0, 0, "not a document of weir run or weir replay%s%s", schema ? ": its schema is " : "",
           schema ? schema : "");
    err_hint(e, "write one with --json FILE");
    json_decref(doc);
    return NULL;
}

/* ---- numbers ---- */

static double number(const json_t *o, const char *name)
{
    return json_number_value(json_object_get(o, name));
}

static bool has(const json_t *o, const char *name)
{
    return json_is_number(json_object_get(o, name));
}

/* Core cycles of a scheduler reason: those of all schedulers, over their number. */
static double reason_cycles(const json_t *o, const char *name)
{
    const double all = number(o, "sm.scheduler_cycles");
    return all > 0 ? number(o, name) / all * number(o, "cycles") : 0;
}

static const char *count(char out[24], double v)
{
    if (fabs(v) < 1e4)
        snprintf(out, 24, fabs(v) < 100 && v != floor(v) ? "%.2f" : "%.0f", v);
    else
        snprintf(out, 24, "%.2f %c",
                 fabs(v) < 1e6   ? v / 1e3
                 : fabs(v) < 1e9 ? v / 1e6
                                 : v / 1e9,
                 fabs(v) < 1e6   ? 'k'
                 : fabs(v) < 1e9 ? 'M'
                                 : 'G');
    return out;
}

static const char *change(char out[24], double a, double b)
{
    if (a == b)
        snprintf(out, 24, "same");
    else if (a == 0)
        snprintf(out, 24, "new");
    else
        snprintf(out, 24, "%+.1f%%", 100 * (b / a - 1));
    return out;
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
        fprintf(out, "; sampled, %.1f%% of the warp instructions simulated", 100 * number(sampled, "warp_insts_share"));
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
    const double ia = number(json_object_get(a, "total"), "warp_insts"),
                 ib = number(json_object_get(b, "total"), "warp_insts");
    char ta[24], tb[24];
    if (ia != ib)
        fprintf(out, "   Different work: %s and %s warp instructions.\n", count(ta, ia), count(tb, ib));
}

/* ---- why ---- */

/* Statistics that explain time in the memory hierarchy, from the SM to DRAM. Shares are compared by their points. A
 * mean of 0 is one over nothing. */
static const struct {
    const char *label, *num, *den;
    enum { AMOUNT, SHARE, MEAN } kind;
} explaining[] = {
    {"L1 hit rate", "l1.hits", "l1.accesses", SHARE},
    {"L1 miss rate", "l1.misses", "l1.accesses", SHARE},
    {"loads the L1 did not serve", "l1.unserved_rate", NULL, SHARE},
    {"merged with an in-flight miss", "l1.merges", "l1.accesses", SHARE},
    {"bypassed the L1", "l1.bypasses", "l1.accesses", SHARE},
    {"answered by another L1", "sm.served.remote_l1", "sm.replies", SHARE},
    {"L1 stalled: no free way", "l1.stall_cycles.no_way", "sm.active_cycles", SHARE},
    {"L1 stalled: no MSHR", "l1.stall_cycles.no_mshr", "sm.active_cycles", SHARE},
    {"L1 stalled: no merge slot", "l1.stall_cycles.no_merge_slot", "sm.active_cycles", SHARE},
    {"L1 stalled: queue full", "l1.stall_cycles.miss_queue_full", "sm.active_cycles", SHARE},
    {"prefetches used in time", "prefetch.timely", "prefetch.issued", SHARE},
    {"latency of all loads", "sm.latency.all", NULL, MEAN},
    {"latency of L1 hits", "sm.latency.l1", NULL, MEAN},
    {"latency of L2 hits", "sm.latency.l2", NULL, MEAN},
    {"latency from DRAM", "sm.latency.dram", NULL, MEAN},
    {"requests to the L2", "l2.requests", NULL, AMOUNT},
    {"L2 miss rate", "l2.miss_rate", NULL, SHARE},
    {"network latency", "noc.latency", NULL, MEAN},
    {"network flits", "noc.flits", NULL, AMOUNT},
    {"DRAM reads", "dram.reads", NULL, AMOUNT},
    {"DRAM writes", "dram.writes", NULL, AMOUNT},
    {"DRAM row hit rate", "dram.row_hit_rate", NULL, SHARE},
    {"DRAM utilization", "dram.utilization", NULL, SHARE},
    {"busy DRAM banks", "dram.blp", NULL, MEAN},
    {"warps resident", "sm.warps_resident", NULL, AMOUNT},
    {"shared-memory conflict degree", "sm.shared_conflict_degree", NULL, MEAN},
};

/* NAN = there is none: nothing was counted that it is a mean or a share of. */
static double value_of(const json_t *o, size_t i)
{
    const double n = number(o, explaining[i].num);
    if (!explaining[i].den)
        return explaining[i].kind == MEAN && n == 0 ? NAN : n;
    const double d = number(o, explaining[i].den);
    return d > 0 ? n / d : NAN;
}

static void put_side(size_t i, double v, FILE *out)
{
    char text[24];
    if (isnan(v))
        fprintf(out, " %10s", "-");
    else if (explaining[i].kind == SHARE)
        fprintf(out, " %9.1f%%", 100 * v);
    else
        fprintf(out, " %10s", count(text, v));
}

static bool is_small(size_t i, double x, double y, double threshold)
{
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return explaining[i].kind == SHARE ? fabs(y - x) < threshold : fabs(y - x) <= threshold * fmax(fabs(x), fabs(y));
}

static void put_statistics(const json_t *a, const json_t *b, double threshold, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < sizeof explaining / sizeof *explaining; i++) {
        const double x = value_of(a, i), y = value_of(b, i);
        if (!has(a, explaining[i].num) && !has(b, explaining[i].num))
            continue;
        if (is_small(i, x, y, threshold))
            continue;
        char tc[24];
        if (!any)
            fputs("\nStatistics that changed\n", out);
        any = true;
        fprintf(out, "  %-26s", explaining[i].label);
        put_side(i, x, out);
        put_side(i, y, out);
        if (isnan(x) || isnan(y))
            fprintf(out, " %10s\n", "-");
        else if (explaining[i].kind == SHARE)
            fprintf(out, " %+9.1f points\n", 100 * (y - x));
        else
            fprintf(out, " %10s\n", change(tc, x, y));
    }
    if (!any)
        fputs("\nNo statistic of the memory hierarchy changed by more than the threshold.\n", out);
}

struct reason {
    const char *name; /* "memory"; "issue" */
    double a, b;
};

static int by_difference(const void *x, const void *y)
{
    const struct reason *p = x, *q = y;
    const double a = fabs(p->b - p->a), b = fabs(q->b - q->a);
    return a < b ? 1 : a > b ? -1 : strcmp(p->name, q->name);
}

struct reasons {
    VEC(struct reason) r;
};

/* Issue and every stall reason, the largest difference first. */
static void read_reasons(const json_t *a, const json_t *b, struct reasons *out)
{
    const char *key;
    json_t *v;
    VEC_PUSH(&out->r,
             (struct reason){"issue", reason_cycles(a, "sm.issue_cycles"), reason_cycles(b, "sm.issue_cycles")});
    json_object_foreach((json_t *)a, key, v) if (!strncmp(key, "sm.stall.", 9))
        VEC_PUSH(&out->r, (struct reason){key + 9, reason_cycles(a, key), reason_cycles(b, key)});
    qsort(out->r.p, out->r.n, sizeof *out->r.p, by_difference);
}

static void put_reasons(const json_t *a, const json_t *b, double threshold, FILE *out)
{
    struct reasons all = {0};
    const double cycles = number(a, "cycles"), difference = number(b, "cycles") - cycles;
    char ta[24], tb[24];
    read_reasons(a, b, &all);
    fputs("\nCycle breakdown                       a          b      b - a, of a's cycles\n", out);
    double rest = difference;
    for (size_t i = 0; i < all.r.n; i++) {
        const struct reason *r = &all.r.p[i];
        if (cycles <= 0 || fabs(r->b - r->a) < threshold * cycles)
            break;
        rest -= r->b - r->a;
        fprintf(out, "  %-26s %10s %10s %+9.1f%%\n", r->name, count(ta, r->a), count(tb, r->b),
                100 * (r->b - r->a) / cycles);
    }
    if (cycles > 0)
        fprintf(out, "  %-26s %10s %10s %+9.1f%%\n", "everything else", "", "", 100 * rest / cycles);
    VEC_FREE(&all.r);
}

static void put_sentence(const json_t *a, const json_t *b, FILE *out)
{
    struct reasons all = {0};
    const double ca = number(a, "cycles"), cb = number(b, "cycles");
    char ta[24], tb[24];
    fprintf(out, "\nb takes %s cycles, a takes %s: ", count(tb, cb), count(ta, ca));
    if (ca == cb)
        fputs("the same.\n", out);
    else
        fprintf(out, "%.2fx as %s. IPC %.2f -> %.2f.\n", cb < ca ? ca / cb : cb / ca, cb < ca ? "fast" : "slow",
                number(a, "ipc"), number(b, "ipc"));
    read_reasons(a, b, &all);
    /* Schedulers without a warp wait for the others; what those wait for is the reason. */
    const struct reason *first = NULL;
    double difference = 0;
    for (size_t i = 0; i < all.r.n; i++)
        if (strcmp(all.r.p[i].name, "no_warp")) {
            first = first ? first : &all.r.p[i];
            difference += all.r.p[i].b - all.r.p[i].a;
        }
    if (first && difference != 0 && (first->b - first->a) / difference > 0.3) {
        const bool stall = strcmp(first->name, "issue") != 0;
        fprintf(
            out,
            "The largest difference in scheduler cycles (%.0f%%) is %s: %s -> %s cycles (see 'weir explain %s%s').\n",
            fmin(100, 100 * (first->b - first->a) / difference), first->name, count(ta, first->a), count(tb, first->b),
            stall ? "sm.stall." : "sm.issue_cycles", stall ? first->name : "");
    }
    VEC_FREE(&all.r);
}

/* ---- by kernel ---- */

/* All launches of a kernel, summed: counters of the document, whose ratios are not used. */
struct kernel {
    const char *name;
    json_t *sum[2];
    double launches[2];
};
struct kernels {
    VEC(struct kernel) k;
};

static struct kernel *kernel_of(struct kernels *all, const char *name)
{
    for (size_t i = 0; i < all->k.n; i++)
        if (!strcmp(all->k.p[i].name, name))
            return &all->k.p[i];
    VEC_PUSH(&all->k, (struct kernel){.name = name, .sum = {json_object(), json_object()}});
    return &all->k.p[all->k.n - 1];
}

static void add_kernels(struct kernels *all, const json_t *doc, int side)
{
    size_t i;
    json_t *launch, *v;
    const char *key;
    json_array_foreach(json_object_get(doc, "kernels"), i, launch)
    {
        struct kernel *k = kernel_of(all, text_of(launch, "kernel"));
        k->launches[side]++;
        json_object_foreach(launch, key, v) if (json_is_integer(v)) json_object_set_new(
            k->sum[side], key,
            json_integer(json_integer_value(v) + json_integer_value(json_object_get(k->sum[side], key))));
    }
}

static int by_cycles(const void *x, const void *y)
{
    const struct kernel *p = x, *q = y;
    const double a = fabs(number(p->sum[1], "cycles") - number(p->sum[0], "cycles")),
                 b = fabs(number(q->sum[1], "cycles") - number(q->sum[0], "cycles"));
    return a < b ? 1 : a > b ? -1 : strcmp(p->name, q->name);
}

static double rate(const json_t *o, const char *num, const char *den)
{
    const double d = number(o, den);
    return d > 0 ? 100 * number(o, num) / d : 0;
}

static void put_kernels(const json_t *a, const json_t *b, bool every, FILE *out)
{
    struct kernels all = {0};
    add_kernels(&all, a, 0);
    add_kernels(&all, b, 1);
    qsort(all.k.p, all.k.n, sizeof *all.k.p, by_cycles);
    fputs("\nBy kernel (all launches)          cycles a   cycles b     change  largest part            L1 misses\n",
          out);
    for (size_t i = 0; i < all.k.n; i++) {
        const struct kernel *k = &all.k.p[i];
        char name[200], ta[24], tb[24], tc[24];
        demangle_short(k->name, name, sizeof name);
        const double ca = number(k->sum[0], "cycles"), cb = number(k->sum[1], "cycles");
        if (i < SHOWN_ROWS || every) {
            struct reasons r = {0};
            read_reasons(k->sum[0], k->sum[1], &r);
            fprintf(out, "  %-30.30s %10s %10s %10s", name, count(ta, ca), count(tb, cb),
                    k->launches[0] && k->launches[1] ? change(tc, ca, cb)
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
        json_decref(k->sum[0]);
        json_decref(k->sum[1]);
    }
    if (all.k.n > SHOWN_ROWS && !every)
        fprintf(out, "  and %zu more; --all shows them\n", all.k.n - SHOWN_ROWS);
    VEC_FREE(&all.k);
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
        if (number(x, "pc") == number(load, "pc") && !strcmp(text_of(x, "kernel"), text_of(load, "kernel")))
            return x;
    }
    return NULL;
}

static double waited(const json_t *load)
{
    return number(load, "lines") * number(load, "mean_latency");
}

static int by_waited(const void *x, const void *y)
{
    const struct load *p = x, *q = y;
    return fabs(p->waited) < fabs(q->waited) ? 1 : fabs(p->waited) > fabs(q->waited) ? -1 : 0;
}

static void put_loads(const json_t *a, const json_t *b, bool every, FILE *out)
{
    struct loads all = {0};
    size_t i;
    json_t *x;
    json_array_foreach(json_object_get(a, "loads"), i, x)
    {
        const json_t *y = same_load(b, x);
        if (y && (waited(x) != waited(y) || number(x, "l1_hits") != number(y, "l1_hits")))
            VEC_PUSH(&all.l, (struct load){x, y, waited(y) - waited(x)});
    }
    if (!all.l.n) {
        fputs("\nNo load changed, or the runs are of different programs.\n", out);
        return;
    }
    qsort(all.l.p, all.l.n, sizeof *all.l.p, by_waited);
    fputs(
        "\nBy load, the largest change in cycles waited first\n"
        "  kernel               where                      lines     L1 hits a -> b     latency a -> b     waited\n",
        out);
    for (i = 0; i < all.l.n && (i < SHOWN_ROWS || every); i++) {
        const struct load *l = &all.l.p[i];
        char name[200], where[300], ta[24], tc[24];
        demangle_short(text_of(l->a, "kernel"), name, sizeof name);
        const char *file = strrchr(text_of(l->a, "src_file"), '/');
        if (number(l->a, "src_line") > 0)
            snprintf(where, sizeof where, "%s:%.0f", file ? file + 1 : text_of(l->a, "src_file"),
                     number(l->a, "src_line"));
        else
            snprintf(where, sizeof where, "ptx:%.0f %s", number(l->a, "ptx_line"), text_of(l->a, "inst"));
        fprintf(out, "  %-20.20s %-22.22s %9s   %6.1f%% -> %5.1f%%   %7.0f -> %5.0f  %9s\n", name, where,
                count(ta, number(l->b, "lines")), 100 * number(l->a, "l1_hit_rate"), 100 * number(l->b, "l1_hit_rate"),
                number(l->a, "mean_latency"), number(l->b, "mean_latency"), change(tc, waited(l->a), waited(l->b)));
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
    put_statistics(ta, tb, o->threshold, out);
    put_kernels(a, b, o->all, out);
    put_loads(a, b, o->all, out);
}
