/* A profile on one screen: findings, kernels, stalls, source lines, the course of the run. */
#include "profile/memory_chart.h"
#include "profile/profile.h"

#include <math.h>

enum { FINDINGS_SHOWN = 5, KERNELS_SHOWN = 6, LINES_SHOWN = 8, ROUNDS_SHOWN = 2, SPARKS = 64 };

static double share(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Breaks a sentence at words; lines after the first are indented. */
static void print_wrapped(FILE *out, const char *text, int indent, int at, int width)
{
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (at > indent && at + 1 + n > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", n, text);
        at += n;
        text += n + (text[n] == ' ');
    }
    fputc('\n', out);
}

static void print_head(const struct profile *p, FILE *out)
{
    char name[256], policies[256], a[24];
    profile_name(p, name, sizeof name);
    profile_policies(p, policies, sizeof policies);
    fprintf(out, "%s%s%s on %s%s\n", name, *p->arguments ? " " : "", p->arguments, p->machine,
            p->complete ? "" : " (PARTIAL: the run was stopped)");
    fprintf(out, "  %s\n", policies);
    fprintf(out, "  %s cycles, %.3f ms; IPC %.1f of %.0f; DRAM %.1f of %.0f GB/s\n", profile_big(a, p->cycles),
            1e3 * p->seconds, p->ipc, p->peak_ipc, p->seconds > 0 ? p->dram_bytes / p->seconds * 1e-9 : 0,
            p->peak_bytes * 1e-9);
    const json_t *total = json_object_get(p->doc, "total");
    if (profile_number(total, "energy.total_j") > 0)
        fprintf(out, "  %.3g mJ, %.1f W\n", 1e3 * profile_number(total, "energy.total_j"),
                profile_number(total, "energy.power_w"));
}

static void print_findings(const struct profile *p, FILE *out)
{
    fputs("\nFindings\n", out);
    if (!p->counted)
        fputs("  No per-instruction counts, so no findings by line; run with --profile.\n", out);
    else if (!p->finding.n)
        fputs("  No line, kernel or unit stands out.\n", out);
    for (size_t i = 0; i < p->finding.n && i < FINDINGS_SHOWN; i++) {
        const struct profile_finding *f = &p->finding.p[i];
        char text[512];
        snprintf(text, sizeof text, "%s%s%s", f->place, *f->place ? ": " : "", f->text);
        int at = fprintf(out, "  %zu. ", i + 1);
        print_wrapped(out, text, at, at, 110);
    }
}

static void print_kernels(const struct profile *p, FILE *out)
{
    fprintf(out, "\n%-28s %8s %8s %6s %7s %7s %6s %6s %10s %s\n", "Kernels", "launches", "cycles", "time", "IPC",
            "GB/s", "L1 hit", "L2 hit", "occupancy", "limited by");
    const double clock = profile_config(p, "clock.core");
    for (size_t i = 0; i < p->kernel.n && i < KERNELS_SHOWN; i++) {
        const struct profile_kernel *k = &p->kernel.p[i];
        char a[24];
        double s = clock > 0 ? k->cycles / clock : 0;
        fprintf(out, "  %-26.26s %8u %8s %5.1f%% %7.1f %7.1f %5.1f%% %5.1f%% %9.0f%% %s\n", k->brief, k->launches,
                profile_big(a, k->cycles), 100 * share(k->cycles, p->cycles), share(k->thread_insts, k->cycles),
                share(k->dram_bytes, s) * 1e-9, 100 * share(k->l1_hits, k->l1_accesses),
                100 * share(k->l2_hits, k->l2_accesses), 100 * k->occupancy, k->limiter ? k->limiter : "-");
    }
    if (p->kernel.n > KERNELS_SHOWN)
        fprintf(out, "  and %zu more\n", p->kernel.n - KERNELS_SHOWN);
}

static void print_rounds(const struct profile *p, FILE *out)
{
    const double clock = profile_config(p, "clock.core");
    for (size_t i = 0; i < p->rounds.n && i < ROUNDS_SHOWN; i++) {
        const struct profile_rounds *r = &p->rounds.p[i];
        fprintf(out, "\nLaunches %u to %u: %u rounds of %u, %.1f%% of the time\n", r->first + 1,
                r->first + r->length * r->times, r->times, r->length, 100 * share(r->cycles, p->cycles));
        fprintf(out, "  %-29s %8s %6s %7s %7s %6s\n", "each, mean of the rounds", "cycles", "time", "IPC", "GB/s",
                "L2 hit");
        for (unsigned j = 0; j < r->length; j++) {
            const struct profile_part *s = &r->step[j];
            char a[24];
            const double seconds = clock > 0 ? s->cycles / clock : 0;
            fprintf(out, "  %2u %-26.26s %8s %5.1f%% %7.1f %7.1f %5.1f%%\n", j + 1, s->kernel,
                    profile_big(a, s->cycles / r->times), 100 * share(s->cycles, p->cycles),
                    share(s->thread_insts, s->cycles), share(s->dram_bytes, seconds) * 1e-9,
                    100 * share(s->l2_hits, s->l2_accesses));
        }
    }
}

static void print_stalls(const struct profile *p, FILE *out)
{
    fprintf(out, "\nIssue slots: %.1f%% issue", 100 * share(p->issued, p->slots));
    for (int i = 0; i < PROFILE_STALL_COUNT; i++)
        if (share(p->stall[i], p->slots) >= 0.0005)
            fprintf(out, ", %.1f%% %s", 100 * share(p->stall[i], p->slots), profile_stall_name[i]);
    fputc('\n', out);
}

/* The reason that the line causes most. */
static int main_reason(const struct profile_line *l)
{
    int most = 0;
    for (int i = 1; i < PROFILE_STALL_COUNT; i++)
        most = l->caused[i] > l->caused[most] ? i : most;
    return most;
}

/* The access of a line that costs most, with its unrolled copies. */
static const struct profile_access *main_access(const struct profile_access *group, size_t n, unsigned line)
{
    for (size_t i = 0; i < n; i++)
        if (group[i].line == line)
            return &group[i];
    return NULL;
}

/* file:line in so many characters: of a long name the beginning, and the line always. `out` has width + 1 bytes. */
static void fit_place(const char *place, char *out, size_t width)
{
    const char *colon = strrchr(place, ':');
    const size_t len = strlen(place), tail = colon ? strlen(colon) : 0;
    if (len <= width || tail + 3 > width)
        snprintf(out, width + 1, "%.*s", (int)width, place);
    else
        snprintf(out, width + 1, "%.*s..%s", (int)(width - tail - 2), place, colon);
}

static void print_lines(const struct profile *p, FILE *out)
{
    enum { PLACE_WIDTH = 24 };
    size_t n_group;
    struct profile_access *group = profile_group_copies(p, &n_group);
    fprintf(out, "\n%-26s %6s  %-18s %-6s %6s %7s %7s %6s %6s  %s\n", "Lines", "slots", "mostly", "access", "times",
            "lines/", "sectors/", "L1 hit", "wait", "pointer");
    for (size_t i = 0; i < p->line.n && i < LINES_SHOWN; i++) {
        const struct profile_line *l = &p->line.p[i];
        const struct profile_access *a = main_access(group, n_group, (unsigned)i);
        char mostly[32], n[24], place[PLACE_WIDTH + 1], pointer[PROFILE_POINTER];
        int why = main_reason(l);
        if (i && share(l->cost, p->slots) < 0.005)
            break;
        if (l->caused[why] > l->issues)
            snprintf(mostly, sizeof mostly, "%s %.1f%%", profile_stall_name[why],
                     100 * share(l->caused[why], p->slots));
        else
            snprintf(mostly, sizeof mostly, "issue %.1f%%", 100 * share(l->issues, p->slots));
        fit_place(l->place, place, PLACE_WIDTH);
        fprintf(out, "  %-*s %5.1f%%  %-18s", PLACE_WIDTH, place, 100 * share(l->cost, p->slots), mostly);
        if (a) {
            fprintf(out, " %-6.6s %6s %7.1f", a->class, profile_big(n, a->executions), share(a->lines, a->executions));
            if (a->answered > 0)
                fprintf(out, " %7.1f  %5.1f%% %6.0f", share(a->sectors, a->executions),
                        100 * share(a->served[SERVED_L1], a->answered), a->mean_latency);
            else
                fprintf(out, " %7s  %6s %6s", "-", a->space, "-");
            profile_pointer(a, pointer);
            fprintf(out, "  %s", *a->pointer ? pointer : "");
        }
        fputc('\n', out);
    }
    free(group);
}

/* ---- the course of the run ---- */

static void print_spark(const struct profile *p, const char *title, const char *a, const char *b, double factor,
                        double most, const char *unit, FILE *out)
{
    static const char *const block[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double top[SPARKS] = {0}, bottom[SPARKS] = {0}, highest = 0, value[SPARKS];
    size_t i;
    json_t *s;
    json_array_foreach(json_object_get(p->doc, "samples"), i, s)
    {
        double at = profile_number(s, "cycle") / p->cycles * SPARKS;
        unsigned k = at < 1 ? 0 : at >= SPARKS ? SPARKS - 1 : (unsigned)(at - 1e-9);
        top[k] += profile_number(s, a);
        bottom[k] += profile_number(s, b);
    }
    for (unsigned k = 0; k < SPARKS; k++) {
        value[k] = bottom[k] > 0 ? factor * top[k] / bottom[k] : k ? value[k - 1] : 0;
        highest = value[k] > highest ? value[k] : highest;
    }
    if (highest <= 0)
        return;
    fprintf(out, "  %-12s ", title);
    for (unsigned k = 0; k < SPARKS; k++) {
        const double level = 8 * value[k] / (most > highest ? most : highest);
        fputs(block[level >= 7 ? 7 : level > 0 ? (int)level : 0], out);
    }
    fprintf(out, "  up to %.3g%s\n", highest, unit);
}

static void print_time(const struct profile *p, FILE *out)
{
    if (json_array_size(json_object_get(p->doc, "samples")) < 2 || p->cycles <= 0)
        return;
    fputs("\nOver time\n", out);
    print_spark(p, "IPC", "thread_insts", "cycles", 1, 0, "", out);
    print_spark(p, "L1 misses", "l1.misses", "l1.accesses", 100, 100, "%", out);
    print_spark(p, "L2 misses", "l2.misses", "l2.accesses", 100, 100, "%", out);
    print_spark(p, "NoC", "noc.flits", "cycles", 1, 0, " flits/cycle", out);
    print_spark(p, "DRAM use", "dram.data_cycles", "dram.cycles", 100, 100, "%", out);
}

void profile_print(const struct profile *p, FILE *out)
{
    print_head(p, out);
    print_findings(p, out);
    print_kernels(p, out);
    print_rounds(p, out);
    print_stalls(p, out);
    const struct memory_chart chart = memory_chart_of(p, -1);
    memory_chart_print(&chart, out);
    if (p->counted)
        print_lines(p, out);
    print_time(p, out);
}
