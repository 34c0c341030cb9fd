/* The tables of `weir analyze`. */
#include "cli/analyze.h"

#include "base/demangle.h"

#include <inttypes.h>

enum { LOADS_SHOWN = 16 };

/* 12345678 -> "12.3 M" */
static const char *big(char out[24], uint64_t x)
{
    if (x >= 1000000000)
        snprintf(out, 24, "%.1f G", (double)x * 1e-9);
    else if (x >= 1000000)
        snprintf(out, 24, "%.1f M", (double)x * 1e-6);
    else if (x >= 10000)
        snprintf(out, 24, "%.1f k", (double)x * 1e-3);
    else
        snprintf(out, 24, "%" PRIu64, x);
    return out;
}

static void print_shares(const char *title, const double share[LOCALITY_TYPE_COUNT], const char *behind, FILE *out)
{
    fprintf(out, "  %-14s", title);
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        fprintf(out, "%s%5.1f%% %s", t ? ", " : "", 100 * share[t], locality_type_name[t]);
    fprintf(out, "  %s\n", behind);
}

static void print_histogram(const char *title, const uint64_t *count, FILE *out)
{
    uint64_t all = 0;
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
        all += count[b];
    fprintf(out, "    %-12s", title);
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
        fprintf(out, " %6.1f%%", all ? 100 * (double)count[b] / (double)all : 0.0);
    fputc('\n', out);
}

static void print_counts(const struct analyze_summary *s, FILE *out)
{
    fprintf(out, "  %-14s", "uses per line");
    for (int b = 0; b < LOCALITY_COUNT_BINS; b++)
        fprintf(out, " %7s", locality_count_name[b]);
    fputc('\n', out);
    print_histogram("16 KB L1", s->sum.finite_count, out);
    print_histogram("infinite L1", s->sum.count, out);
}

static void print_distances(const struct analyze_summary *s, FILE *out)
{
    static const double q[] = {0.25, 0.5, 0.75, 0.9};
    fprintf(out, "  reuse distance in accesses; 25%%, 50%%, 75%%, 90%% are below\n");
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++) {
        if (!analyze_distance(&s->sum, (enum locality_type)t, 1))
            continue;
        fprintf(out, "    %-12s", locality_type_name[t]);
        for (int i = 0; i < 4; i++)
            fprintf(out, " %7" PRIu64, analyze_distance(&s->sum, (enum locality_type)t, q[i]));
        fputc('\n', out);
    }
}

static void print_loads(const struct analyze_summary *s, FILE *out)
{
    fprintf(out, "\n  %-24s %-18s %9s %6s %6s %8s  %-11s %5s %6s\n", "kernel", "load", "accesses", "lines/", "times/",
            "lines", "type", "pure", "16 KB");
    fprintf(out, "  %-24s %-18s %9s %6s %6s %8s  %-11s %5s %6s\n", "", "", "", "load", "warp", "brought", "", "",
            "miss");
    for (size_t i = 0; i < s->load.n && i < LOADS_SHOWN; i++) {
        const struct analyze_load *l = &s->load.p[i];
        const struct locality_load *c = l->counters;
        char kernel[128], place[128], a[24], b[24];
        demangle_short(l->kernel->name, kernel, sizeof kernel);
        analyze_load_place(l, place, sizeof place);
        const uint64_t lines = locality_lines(c);
        const enum locality_type type = locality_dominant(c);
        fprintf(out, "  %-24.24s %-18.18s %9s %6.1f %6.1f %8s  %-11s %4.0f%% %5.1f%%\n", kernel, place,
                big(a, c->accesses), (double)c->accesses / (double)c->executions, locality_iterations(c), big(b, lines),
                lines ? locality_type_name[type] : "-", lines ? 100 * (double)c->line[type] / (double)lines : 0.0,
                c->accesses ? 100 * (double)c->finite_misses / (double)c->accesses : 0.0);
    }
    if (s->load.n > LOADS_SHOWN)
        fprintf(out, "  and %zu loads with fewer accesses\n", s->load.n - LOADS_SHOWN);
}

void analyze_print(const struct analysis *a, const struct analyze_summary *s, const char *name, const char *machine,
                   FILE *out)
{
    char x[24], y[24], text[128];
    fprintf(out, "%s: %" PRIu64 " launch%s, %s warp instructions, %s loads through the L1; %u SMs of %s\n", name,
            a->launches, a->launches == 1 ? "" : "es", big(x, a->warp_insts), big(y, s->sum.executions), a->n_sm,
            machine);
    if (!s->sum.executions) {
        fprintf(out, "  no global load goes through the L1\n");
        return;
    }
    snprintf(text, sizeof text, "of %s", big(x, locality_lines(&s->sum)));
    print_shares("lines", s->by_lines, text, out);
    snprintf(text, sizeof text, "of %s", big(x, s->sum.accesses));
    print_shares("accesses", s->by_accesses, text, out);
    fprintf(out, "  similarity     %5.3f (APCM, equation 1)\n", s->aps);
    fprintf(out, "  coalescing     %5.2f lines for %.1f lanes of a warp load\n", s->lines_per_load, s->lanes_per_load);
    fprintf(out, "  misses         %5.1f%% infinite L1, %.1f%% 16 KB L1\n", 100 * s->miss_rate,
            100 * s->finite_miss_rate);
    fprintf(out,
            "  replication    %5.1f%% of the misses find their line in another infinite L1, %.1f%% in a 16 KB one\n",
            100 * s->replication, 100 * s->finite_replication);
    fprintf(out,
            "  iterations     %5.1f per warp (the four most repeated loads); %u of %zu loads repeated, %u in loops\n",
            s->iterations, s->n_repeated, s->load.n, s->n_loop);
    if (s->sum.untracked)
        fprintf(out, "  not tracked    %s accesses to lines beyond the tracking limit\n", big(x, s->sum.untracked));
    print_counts(s, out);
    print_distances(s, out);
    print_loads(s, out);
}

void analyze_print_heading(FILE *out)
{
    fprintf(out, "%-15s %8s %7s %7s %7s %7s %6s %6s %6s %6s %6s %6s %7s\n", "program", "warp", "stream", "inter",
            "intra", "both", "APS", "lines/", "miss", "miss", "repli-", "itera-", "loads");
    fprintf(out, "%-15s %8s %7s %7s %7s %7s %6s %6s %6s %6s %6s %6s %7s\n", "", "insts", "lines", "", "", "", "",
            "load", "inf.", "16 KB", "cated", "tions", "rep/all");
}

void analyze_print_row(const struct analysis *a, const struct analyze_summary *s, const char *name, FILE *out)
{
    char x[24];
    fprintf(out, "%-15s %8s %6.1f%% %6.1f%% %6.1f%% %6.1f%% %6.3f %6.2f %5.1f%% %5.1f%% %5.1f%% %6.1f %3u/%zu\n", name,
            big(x, a->warp_insts), 100 * s->by_lines[LOCALITY_STREAMING], 100 * s->by_lines[LOCALITY_INTER],
            100 * s->by_lines[LOCALITY_INTRA], 100 * s->by_lines[LOCALITY_BOTH], s->aps, s->lines_per_load,
            100 * s->miss_rate, 100 * s->finite_miss_rate, 100 * s->finite_replication, s->iterations, s->n_repeated,
            s->load.n);
}
