/* What changed between two runs, as numbers and words; see compare_priv.h. */
#include "profile/compare_priv.h"

#include "profile/profile.h"

#include <math.h>
#include <string.h>

enum { ALWAYS_SHOWN = 3 /* reasons, however small */ };

double compare_number(const json_t *o, const char *name)
{
    return json_number_value(json_object_get(o, name));
}

bool compare_has(const json_t *o, const char *name)
{
    return json_is_number(json_object_get(o, name));
}

/* Core cycles of a scheduler reason: those of all schedulers, over their number. */
static double reason_cycles(const json_t *o, const char *name)
{
    const double all = compare_number(o, "sm.scheduler_cycles");
    return all > 0 ? compare_number(o, name) / all * compare_number(o, "cycles") : 0;
}

const char *compare_count(char out[24], double v)
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

const char *compare_change(char out[24], double a, double b)
{
    if (a == b)
        snprintf(out, 24, "same");
    else if (a == 0)
        snprintf(out, 24, "new");
    else
        snprintf(out, 24, "%+.1f%%", 100 * (b / a - 1));
    return out;
}

/* ---- reasons ---- */

static int by_difference(const void *x, const void *y)
{
    const struct compare_reason *p = x, *q = y;
    const double a = fabs(p->b - p->a), b = fabs(q->b - q->a);
    return a < b ? 1 : a > b ? -1 : strcmp(p->name, q->name);
}

void compare_read_reasons(const json_t *a, const json_t *b, struct compare_reasons *out)
{
    const char *key;
    json_t *v;
    VEC_PUSH(&out->r, (struct compare_reason){"issue", reason_cycles(a, "sm.issue_cycles"),
                                              reason_cycles(b, "sm.issue_cycles")});
    json_object_foreach((json_t *)a, key, v) if (!strncmp(key, "sm.stall.", 9))
        VEC_PUSH(&out->r, (struct compare_reason){key + 9, reason_cycles(a, key), reason_cycles(b, key)});
    qsort(out->r.p, out->r.n, sizeof *out->r.p, by_difference);
}

size_t compare_reasons_shown(const struct compare_reasons *all, double cycles, double threshold)
{
    size_t n = 0;
    while (cycles > 0 && n < all->r.n && all->r.p[n].a != all->r.p[n].b &&
           (n < ALWAYS_SHOWN || fabs(all->r.p[n].b - all->r.p[n].a) >= threshold * cycles))
        n++;
    return n;
}

/* ---- statistics ---- */

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
    {"missed in the SM's TLB", "tlb.misses", "tlb.accesses", SHARE},
    {"missed in the shared TLB", "mmu.walks", "mmu.accesses", SHARE},
    {"wait for translations", "tlb.wait_per_request", NULL, MEAN},
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
    const double n = compare_number(o, explaining[i].num);
    if (!explaining[i].den)
        return explaining[i].kind == MEAN && n == 0 ? NAN : n;
    const double d = compare_number(o, explaining[i].den);
    return d > 0 ? n / d : NAN;
}

static void put_side(size_t i, double v, char out[COMPARE_TEXT])
{
    char text[24];
    if (isnan(v))
        snprintf(out, COMPARE_TEXT, "-");
    else if (explaining[i].kind == SHARE)
        snprintf(out, COMPARE_TEXT, "%.1f%%", 100 * v);
    else
        snprintf(out, COMPARE_TEXT, "%s", compare_count(text, v));
}

static bool is_small(size_t i, double x, double y, double threshold)
{
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return explaining[i].kind == SHARE ? fabs(y - x) < threshold : fabs(y - x) <= threshold * fmax(fabs(x), fabs(y));
}

void compare_take_statistics(const json_t *a, const json_t *b, double threshold, struct compare_rows *out)
{
    for (size_t i = 0; i < sizeof explaining / sizeof *explaining; i++) {
        const double x = value_of(a, i), y = value_of(b, i);
        struct compare_row row;
        char text[24];
        if ((!compare_has(a, explaining[i].num) && !compare_has(b, explaining[i].num)) || is_small(i, x, y, threshold))
            continue;
        snprintf(row.label, sizeof row.label, "%s", explaining[i].label);
        put_side(i, x, row.a);
        put_side(i, y, row.b);
        if (isnan(x) || isnan(y))
            snprintf(row.change, sizeof row.change, "-");
        else if (explaining[i].kind == SHARE)
            snprintf(row.change, sizeof row.change, "%+.1f points", 100 * (y - x));
        else
            snprintf(row.change, sizeof row.change, "%s", compare_change(text, x, y));
        VEC_PUSH(&out->row, row);
    }
}

/* Statistics of policies, in the tree or in a plug-in: all that no part of the machine counts. */
static bool is_of_a_policy(const char *key)
{
    static const char *const parts[] = {"sm",   "l1",  "const", "tex",      "noc",   "l2",
                                        "dram", "tlb", "mmu",   "prefetch", "energy"};
    const char *dot = strchr(key, '.');
    for (size_t i = 0; dot && i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i]) == (size_t)(dot - key) && !strncmp(key, parts[i], (size_t)(dot - key)))
            return false;
    return dot != NULL;
}

struct policy_stat {
    const char *key;
    double a, b;
};
struct policy_stats {
    VEC(struct policy_stat) s;
};

static int by_change(const void *x, const void *y)
{
    const struct policy_stat *p = x, *q = y;
    const double a = fabs(p->b - p->a) / fmax(fabs(p->a), fabs(p->b)),
                 b = fabs(q->b - q->a) / fmax(fabs(q->a), fabs(q->b));
    return a < b ? 1 : a > b ? -1 : strcmp(p->key, q->key);
}

void compare_take_policies(const json_t *a, const json_t *b, double threshold, struct compare_rows *out)
{
    struct policy_stats all = {0};
    const char *key;
    json_t *v;
    for (int side = 0; side < 2; side++)
        json_object_foreach((json_t *)(side ? b : a), key, v)
        {
            const double x = compare_number(a, key), y = compare_number(b, key);
            if (is_of_a_policy(key) && json_is_number(v) && !(side && compare_has(a, key)) &&
                fabs(y - x) > threshold * fmax(fabs(x), fabs(y)))
                VEC_PUSH(&all.s, (struct policy_stat){key, x, y});
        }
    if (all.s.n)
        qsort(all.s.p, all.s.n, sizeof *all.s.p, by_change);
    for (size_t i = 0; i < all.s.n; i++) {
        const struct policy_stat *s = &all.s.p[i];
        const bool in_a = compare_has(a, s->key), in_b = compare_has(b, s->key);
        struct compare_row row;
        char text[24];
        snprintf(row.label, sizeof row.label, "%.47s", s->key);
        snprintf(row.a, sizeof row.a, "%s", in_a ? compare_count(text, s->a) : "-");
        snprintf(row.b, sizeof row.b, "%s", in_b ? compare_count(text, s->b) : "-");
        snprintf(row.change, sizeof row.change, "%s", in_a && in_b ? compare_change(text, s->a, s->b) : "-");
        VEC_PUSH(&out->row, row);
    }
    VEC_FREE(&all.s);
}

/* ---- kernels ---- */

static struct compare_kernel *kernel_of(struct compare_kernels *all, const char *name)
{
    for (size_t i = 0; i < all->k.n; i++)
        if (!strcmp(all->k.p[i].name, name))
            return &all->k.p[i];
    VEC_PUSH(&all->k, (struct compare_kernel){.name = name, .sum = {json_object(), json_object()}});
    return &all->k.p[all->k.n - 1];
}

static void add_kernels(struct compare_kernels *all, const json_t *doc, int side)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(doc, "kernels"), i, launch)
    {
        struct compare_kernel *k = kernel_of(all, json_string_value(json_object_get(launch, "kernel")));
        k->launches[side]++;
        profile_add_launch(k->sum[side], launch);
    }
}

static int by_cycles(const void *x, const void *y)
{
    const struct compare_kernel *p = x, *q = y;
    const double a = fabs(compare_number(p->sum[1], "cycles") - compare_number(p->sum[0], "cycles")),
                 b = fabs(compare_number(q->sum[1], "cycles") - compare_number(q->sum[0], "cycles"));
    return a < b ? 1 : a > b ? -1 : strcmp(p->name, q->name);
}

void compare_take_kernels(const json_t *a, const json_t *b, struct compare_kernels *all)
{
    add_kernels(all, a, 0);
    add_kernels(all, b, 1);
    if (all->k.n)
        qsort(all->k.p, all->k.n, sizeof *all->k.p, by_cycles);
}

void compare_free_kernels(struct compare_kernels *all)
{
    for (size_t i = 0; i < all->k.n; i++) {
        json_decref(all->k.p[i].sum[0]);
        json_decref(all->k.p[i].sum[1]);
    }
    VEC_FREE(&all->k);
}
