/*
 * What a profile says first: sentences with a place, a cause and a share of the issue slots, the worst first. A
 * sentence states what was counted; what is small (under 3% of the slots) is not said.
 */
#include "profile/profile.h"

#include <math.h>
#include <stdarg.h>

#define WORTH_SAYING 0.03

static void __attribute__((format(printf, 4, 5)))
add_finding(struct profile *p, double share, const char *place, const char *format, ...)
{
    struct profile_finding f = {.share = share};
    snprintf(f.place, sizeof f.place, "%s", place);
    va_list args;
    va_start(args, format);
    vsnprintf(f.text, sizeof f.text, format, args);
    va_end(args);
    VEC_PUSH(&p->finding, f);
}

static double part(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* ---- memory instructions ---- */

static const char *noun(const struct profile_access *a)
{
    if (!strcmp(a->class, "store"))
        return "store";
    if (!strcmp(a->class, "atom") || !strcmp(a->class, "red"))
        return "atomic";
    return !strcmp(a->class, "tex") ? "texture fetch" : !strcmp(a->class, "surf") ? "surface access" : "load";
}

/* Units that a full use of its lanes needs: lines of a cache, or passes of 32 banks. */
static double needed(const struct profile_access *a, double unit_bytes)
{
    double least = ceil(part(a->lanes, a->executions) * a->width / unit_bytes);
    return least < 1 ? 1 : least;
}

/* "80% from DRAM (812 cycles), 20% from the L1": the largest contributors. */
static void served_words(const struct profile_access *a, char *out, size_t bytes)
{
    size_t n = 0;
    *out = 0;
    for (int k = SERVED_COUNT - 1; k >= 0; k--) {
        double share = part(a->served[k], a->answered);
        if (share < 0.1 || n + 48 > bytes)
            continue;
        n += (size_t)snprintf(out + n, bytes - n, "%s%.0f%% %s (%.0f cycles)", n ? ", " : "", 100 * share,
                              profile_served_name[k], a->latency[k]);
    }
}

/* The memory instructions that a sentence is about: `alike` of the `all` on the line that have this class and space. */
struct accesses {
    struct profile_access sum;
    unsigned alike, all;
};

/* "load", or "load (1 of 5 on this line)" where the others touch memory in other ways. */
static void subject(const struct accesses *g, char *out, size_t bytes)
{
    const char *what = noun(&g->sum);
    if (g->alike == g->all)
        snprintf(out, bytes, "%s", what);
    else
        snprintf(out, bytes, "%s (%u of %u on this line)", what, g->alike, g->all);
}

static void about_access(struct profile *p, const struct accesses *g)
{
    const struct profile_access *a = &g->sum;
    const double share = part(a->cost, p->slots), line = profile_config(p, "l1.line");
    const char *place = p->line.p[a->line].place;
    char from[160], what[64];
    const double each = part(a->lines, a->executions);
    subject(g, what, sizeof what);
    if (!strcmp(a->space, "shared")) {
        const double least = needed(a, 128);
        if (each > 1.5 * least)
            add_finding(p, share, place,
                        "bank conflicts: each shared-memory %s takes %.1f passes instead of %.0f; %.0f%% of issue "
                        "slots wait for it",
                        what, each, least, 100 * share);
        else
            add_finding(p, share, place, "%.0f%% of issue slots wait for this %s in shared memory", 100 * share, what);
        return;
    }
    served_words(a, from, sizeof from);
    const double least = needed(a, line > 0 ? line : 128);
    if (!strcmp(noun(a), "atomic") && each >= 2)
        add_finding(p, share, place,
                    "each %s makes %.*f requests for %.0f lanes because accesses to the same word serialize; %.0f%% of "
                    "issue slots wait for it; served: %s",
                    what, each < 10 ? 1 : 0, each, part(a->lanes, a->executions), 100 * share, from);
    else if (each >= 2 * least && each >= 2)
        add_finding(p, share, place,
                    "each %s touches %.*f lines of %.0f bytes; %.0f would suffice; %.0f%% of issue slots wait for it; "
                    "served: %s",
                    what, each < 10 ? 1 : 0, each, line, least, 100 * share, from);
    else if (!strcmp(a->space, "local"))
        add_finding(
            p, share, place,
            "%.0f%% of issue slots wait for a %s in local memory (spilled registers, or an array of the thread's own); "
            "served: %s",
            100 * share, what, from);
    else
        add_finding(p, share, place, "%.0f%% of issue slots wait for this %s; its lines take %.0f cycles; served: %s",
                    100 * share, what, a->mean_latency, from);
}

/* For accesses of a line that are unlike each other and each too cheap to be named: what they cost together. */
static void about_all(struct profile *p, const struct accesses *g)
{
    const struct profile_access *a = &g->sum;
    const double share = part(a->cost, p->slots);
    char from[160];
    served_words(a, from, sizeof from);
    add_finding(p, share, p->line.p[a->line].place, "%.0f%% of issue slots wait for the %u %s%s of this line%s%s%s",
                100 * share, g->all, noun(a), !strcmp(a->class, "surf") || !strcmp(a->class, "tex") ? "es" : "s",
                !strcmp(a->space, "shared") ? " in shared memory" : "", *from ? "; served: " : "", from);
}

static bool same_class(const struct profile_access *a, const struct profile_access *b)
{
    return a->line == b->line && !strcmp(a->class, b->class) && !strcmp(a->space, b->space);
}

/*
 * Copies that the compiler made of one access, for iterations of an unrolled loop: as wide as each other, and about as
 * many lines. Accesses that differ in these do so for a reason that a mean over them would hide.
 */
static bool alike(const struct profile_access *a, const struct profile_access *b)
{
    const double x = part(a->lines, a->executions), y = part(b->lines, b->executions);
    return same_class(a, b) && a->width == b->width && fabs(x - y) <= fmax(x, y) / 8;
}

static void add_access(struct accesses *g, const struct profile_access *a)
{
    struct profile_access *sum = &g->sum;
    for (int k = 0; k < SERVED_COUNT; k++) {
        sum->latency[k] =
            part(sum->latency[k] * sum->served[k] + a->latency[k] * a->served[k], sum->served[k] + a->served[k]);
        sum->served[k] += a->served[k];
    }
    sum->mean_latency =
        part(sum->mean_latency * sum->answered + a->mean_latency * a->answered, sum->answered + a->answered);
    sum->answered += a->answered;
    sum->executions += a->executions;
    sum->lanes += a->lanes;
    sum->lines += a->lines;
    sum->cost += a->cost;
    g->alike++;
}

static bool is_significant(const struct profile *p, const struct accesses *g)
{
    return part(g->sum.cost, p->slots) >= WORTH_SAYING;
}

/* The accesses of the class of access `first`, which is the first of them: each group of like ones in a sentence. */
static void about_class(struct profile *p, size_t first, bool *spoken)
{
    struct accesses all = {.sum = p->access.p[first], .alike = 1};
    bool said = false;
    for (size_t i = first + 1; i < p->access.n; i++)
        if (same_class(&p->access.p[i], &all.sum))
            add_access(&all, &p->access.p[i]);
    all.all = all.alike;
    for (size_t i = first; i < p->access.n; i++) {
        struct accesses g = {.sum = p->access.p[i], .alike = 1, .all = all.all};
        if (spoken[i] || !same_class(&g.sum, &all.sum))
            continue;
        for (size_t k = i + 1; k < p->access.n; k++)
            /* All are compared with one, the costliest, so that groups do not depend on the order of the others. */
            if (!spoken[k] && alike(&p->access.p[i], &p->access.p[k])) {
                add_access(&g, &p->access.p[k]);
                spoken[k] = true;
            }
        spoken[i] = true;
        if (is_significant(p, &g)) {
            about_access(p, &g);
            said = true;
        }
    }
    if (!said && is_significant(p, &all))
        about_all(p, &all);
}

static void about_accesses(struct profile *p)
{
    bool *spoken = xcalloc(p->access.n + 1, sizeof *spoken);
    for (size_t i = 0; i < p->access.n; i++)
        if (!spoken[i])
            about_class(p, i, spoken);
    free(spoken);
}

/* ---- lines that wait for other things ---- */

static void about_line(struct profile *p, const struct profile_line *l)
{
    const double barrier = part(l->caused[PROFILE_BARRIER], p->slots), alu = part(l->caused[PROFILE_ALU], p->slots);
    const double unit = part(l->caused[PROFILE_UNIT], p->slots), fetch = part(l->caused[PROFILE_FETCH], p->slots);
    if (barrier >= WORTH_SAYING)
        add_finding(p, barrier, l->place, "%.0f%% of issue slots wait at this barrier", 100 * barrier);
    if (alu >= WORTH_SAYING)
        add_finding(p, alu, l->place,
                    "%.0f%% of issue slots wait for the result of its arithmetic; more warps, or independent "
                    "operations, would hide this latency",
                    100 * alu);
    if (unit >= WORTH_SAYING)
        add_finding(p, unit, l->place, "%.0f%% of issue slots find the execution unit of this line busy", 100 * unit);
    if (fetch >= WORTH_SAYING)
        add_finding(p, fetch, l->place, "%.0f%% of issue slots wait for instruction fetch of this line", 100 * fetch);
}

/* ---- kernels and the machine ---- */

static const char *limiter_words(const char *limiter)
{
    static const char *const words[][2] = {{"registers", "its registers"},
                                           {"shared_memory", "its shared memory"},
                                           {"ctas", "the number of CTAs an SM can hold"},
                                           {"warps", "the warps an SM can hold"},
                                           {"grid", "its grid: there are too few CTAs"}};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(limiter, words[i][0]))
            return words[i][1];
    return limiter;
}

static void about_kernel(struct profile *p, const struct profile_kernel *k)
{
    const double none = part(k->stall[PROFILE_NO_WARP], p->slots),
                 throttle = part(k->stall[PROFILE_THROTTLE], p->slots);
    const double wait = part(k->stall[PROFILE_MEMORY] + k->stall[PROFILE_ALU], p->slots);
    const double ctas = (double)k->grid[0] * k->grid[1] * k->grid[2], sms = profile_config(p, "machine.sms");
    if (none >= WORTH_SAYING)
        add_finding(p, none, k->brief,
                    "%.0f%% of issue slots have no warp: %.0f CTA%s of %u threads on %.0f SMs that hold %u each; %s",
                    100 * none, ctas, ctas == 1 ? "" : "s", k->block[0] * k->block[1] * k->block[2], sms,
                    k->ctas_per_sm, ctas < sms ? "there are fewer CTAs than SMs" : "the last wave leaves SMs idle");
    if (throttle >= WORTH_SAYING)
        add_finding(p, throttle, k->brief, "%.0f%% of issue slots are lost to throttling by the scheduling policy",
                    100 * throttle);
    if (k->limiter && k->occupancy > 0 && k->occupancy <= 0.5 && wait >= 0.2)
        add_finding(
            p, wait / 2, k->brief,
            "an SM holds %.0f%% of the warps it could, limited by %s; %.0f%% of issue slots wait for loads or results",
            100 * k->occupancy, limiter_words(k->limiter), 100 * wait);
}

static void about_machine(struct profile *p)
{
    const json_t *total = json_object_get(p->doc, "total");
    const double dram = part(p->dram_bytes, p->seconds * p->peak_bytes), issue = part(p->issued, p->slots);
    const double efficiency = profile_number(total, "dram.efficiency");
    if (dram >= 0.6)
        add_finding(p, dram / 2, "", "DRAM bandwidth is the limit: %.0f of %.0f GB/s (%.0f%%)",
                    p->dram_bytes / p->seconds * 1e-9, p->peak_bytes * 1e-9, 100 * dram);
    else if (profile_number(total, "dram.utilization") > 0.05 && efficiency > 0 && efficiency < 0.5)
        add_finding(p, dram / 2, "", "DRAM efficiency is %.0f%%: %.0f%% of requests hit an open row", 100 * efficiency,
                    100 * profile_number(total, "dram.row_hit_rate"));
    if (issue >= 0.7)
        add_finding(p, issue / 2, "", "the schedulers issue in %.0f%% of their slots: the program is instruction bound",
                    100 * issue);
}

/* Waits for translations, as a part of the stalls on memory: as large as their part of the latency of an L1 miss. */
static void about_translation(struct profile *p)
{
    const json_t *total = json_object_get(p->doc, "total");
    const double replies = profile_number(total, "sm.replies") * profile_number(total, "sm.latency.all");
    const double share = part(profile_number(total, "tlb.wait_cycles"), replies) *
                         part(profile_number(total, "sm.stall.memory"), profile_number(total, "sm.scheduler_cycles"));
    if (share >= WORTH_SAYING)
        add_finding(
            p, share, "",
            "%.0f%% of issue slots wait for address translation: %.1f%% of requests to the L2 find none in their "
            "SM's TLB, and a page table walk takes %.0f cycles",
            100 * share, 100 * profile_number(total, "tlb.miss_rate"), profile_number(total, "mmu.walk"));
}

/* Kernels of products of warpgroups: is it the tensor cores that limit, or what feeds them? */
static void about_products(struct profile *p)
{
    const json_t *total = json_object_get(p->doc, "total");
    const double cycles = profile_number(total, "sm.scheduler_cycles");
    const double tensor = part(profile_number(total, "sm.wgmma_cycles"), cycles);
    const double copies = part(profile_number(total, "sm.stall.mbarrier"), cycles);
    const double products = part(profile_number(total, "sm.stall.tensor"), cycles);
    if (tensor >= WORTH_SAYING)
        add_finding(p, 1 - tensor, "",
                    "tensor cores busy %.0f%% with products of warpgroups; warps wait for a copy or an empty slot "
                    "(mbarrier) in "
                    "%.0f%% of issue slots, for products in %.0f%%",
                    100 * tensor, 100 * copies, 100 * products);
}

static int by_share(const void *a, const void *b)
{
    const struct profile_finding *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

void profile_find(struct profile *p)
{
    about_accesses(p);
    for (size_t i = 0; i < p->line.n; i++)
        about_line(p, &p->line.p[i]);
    for (size_t i = 0; i < p->kernel.n; i++)
        about_kernel(p, &p->kernel.p[i]);
    about_machine(p);
    about_translation(p);
    about_products(p);
    if (p->finding.n)
        qsort(p->finding.p, p->finding.n, sizeof *p->finding.p, by_share);
}
