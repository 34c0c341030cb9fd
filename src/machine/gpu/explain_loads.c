/*
 * `--explain-loads`: each memory instruction beside the line of the program, in the order of how long its lines waited,
 * and what the policies tell about those they know.
 */
#include "gpu/result.h"

#include "base/demangle.h"
#include "base/mem.h"
#include "gpu/loads.h"
#include "gpu/result_priv.h"

#include <inttypes.h>
#include <string.h>

/* "bfs.cu:42", or the line of the PTX. */
static void where(char out[40], const struct gpu_load_result *l)
{
    const struct trace_inst *i = &l->kernel->inst[l->pc];
    if (i->src_line && i->src_file < l->kernel->n_file) {
        const char *file = l->kernel->file[i->src_file], *slash = strrchr(file, '/');
        snprintf(out, 40, "%.28s:%u", slash ? slash + 1 : file, i->src_line);
    } else {
        snprintf(out, 40, "ptx:%u", i->ptx_line);
    }
}

static double percent(uint64_t a, uint64_t b)
{
    return b ? 100.0 * (double)a / (double)b : 0;
}

/* ---- the columns of a policy ---- */

static int width(const struct load_column *c)
{
    int least = c->combine == LOAD_TEXT ? 11 : 7, n = (int)strlen(c->heading);
    return n > least ? n : least;
}

/* The last text is followed by its share. */
static bool is_last_text(const struct load_column *c)
{
    if (c->combine != LOAD_TEXT)
        return false;
    for (c++; c->name; c++)
        if (c->combine == LOAD_TEXT && c->heading)
            return false;
    return true;
}

static void print_headings(const struct policy_info *p, FILE *out)
{
    fputc(' ', out);
    for (const struct load_column *c = p->load_columns; c->name; c++) {
        if (c->heading)
            fprintf(out, " %*s", c->combine == LOAD_TEXT ? -width(c) : width(c), c->heading);
        if (is_last_text(c))
            fprintf(out, " %5s", "share");
    }
}

/* A text with a line break where the line would become too long. */
static void print_wrapped(const char *text, int *at, FILE *out)
{
    int n = (int)strlen(text);
    if (*at + n > 120) {
        fputs("\n   ", out);
        *at = 3;
    }
    *at += fprintf(out, " %s", text);
}

static void print_legend(const struct policy_info *p, FILE *out)
{
    bool any_text = false;
    int at = fprintf(out, "  %s:", p->name);
    for (const struct load_column *c = p->load_columns; c->name; c++) {
        if (!c->heading)
            continue;
        char text[256];
        snprintf(text, sizeof text, "%s = %s%s%s;", c->heading, c->doc, c->share_of ? ", part of " : "",
                 c->share_of ? c->share_of : "");
        print_wrapped(text, &at, out);
        any_text |= c->combine == LOAD_TEXT;
    }
    if (any_text)
        print_wrapped("share = fraction of instances x launches that report this;", &at, out);
    fputc('\n', out);
}

static uint64_t value_of(const struct policy_info *p, const struct gpu_load_report *r, const char *name)
{
    for (unsigned i = 0; p->load_columns[i].name; i++)
        if (!strcmp(p->load_columns[i].name, name))
            return r->n[i];
    return 0;
}

static void print_number(char text[32], const struct policy_info *p, const struct gpu_load_report *r, unsigned i)
{
    const struct load_column *c = &p->load_columns[i];
    if (!r->given[i])
        snprintf(text, 32, "-");
    else if (c->share_of)
        snprintf(text, 32, "%.1f%%", percent(r->n[i], value_of(p, r, c->share_of)));
    else if (c->combine == LOAD_MEAN)
        snprintf(text, 32, "%.0f", (double)r->n[i] / (double)r->given[i]);
    else
        snprintf(text, 32, "%" PRIu64, r->n[i]);
}

/* `r` NULL: the policy does not know the load. */
static void print_report(const struct policy_info *p, const struct gpu_load_report *r, FILE *out)
{
    unsigned text = 0;
    fputc(' ', out);
    for (unsigned i = 0; p->load_columns[i].name; i++) {
        const struct load_column *c = &p->load_columns[i];
        bool is_text = c->combine == LOAD_TEXT;
        char cell[32] = "-";
        if (r && is_text && r->decided)
            snprintf(cell, sizeof cell, "%s", r->verdict[0].text[text]);
        else if (r && !is_text)
            print_number(cell, p, r, i);
        text += is_text;
        if (c->heading)
            fprintf(out, " %*s", is_text ? -width(c) : width(c), cell);
        if (is_last_text(c)) {
            if (r && r->decided)
                snprintf(cell, sizeof cell, "%.0f%%", percent(r->verdict[0].reports, r->reports));
            fprintf(out, " %5s", r && r->decided ? cell : "");
        }
    }
}

/* ---- the truth ---- */

/* A report whose type of reuse can be compared with the truth. */
struct comparable_report {
    const struct gpu_load_report *report;
    int reuse;
};
static struct comparable_report comparable_report(const struct gpu_results *r, const struct gpu_load_result *l)
{
    for (unsigned i = 0; i < r->n_reporter; i++) {
        int reuse = gpu_loads_reuse_text(r->reporter[i]);
        if (reuse >= 0 && l->report[i] && l->report[i]->decided)
            return (struct comparable_report){l->report[i], reuse};
    }
    return (struct comparable_report){NULL, -1};
}

static void print_truth(const struct locality_load *t, struct comparable_report j, FILE *out)
{
    enum locality_type type = locality_dominant(t);
    if (!locality_lines(t)) { /* other loads had brought in all it touched */
        fprintf(out, "  %-11s", "-");
        return;
    }
    fprintf(out, "  %-11s %4.0f%%", locality_type_name[type], percent(t->line[type], locality_lines(t)));
    if (j.report)
        fprintf(out, " %5.0f%%", percent(gpu_loads_agreeing(j.report, j.reuse, t), j.report->decided));
}

/* ---- the table ---- */

/* Those that send lines to the caches, and those that a policy or the observer knows. */
static bool is_shown(const struct gpu_results *r, const struct gpu_load_result *l)
{
    bool yes = l->truth != NULL || result_answered(l);
    for (unsigned i = 0; i < r->n_reporter; i++)
        yes |= l->report[i] != NULL;
    return yes;
}

static void print_title(const struct gpu_results *r, FILE *out)
{
    fprintf(out, "\nmemory instructions%s", r->n_reporter ? ", as decided by " : "; no policy reports on loads");
    for (unsigned i = 0; i < r->n_reporter; i++)
        fprintf(out, "%s%s", i ? ", " : "", r->reporter[i]->name);
    fputc('\n', out);
    for (unsigned i = 0; i < r->n_reporter; i++)
        print_legend(r->reporter[i], out);
    fputs(
        "  lines = lines per execution; wait = mean cycles from request to reply; of all = share of the wait cycles of "
        "all lines;\n"
        "  infinite = locality type of most of the load's lines in infinite L1s\n",
        out);
}

static const char *kind(const struct gpu_load_result *l)
{
    switch (l->kernel->inst[l->pc].cls) {
    case TRACE_STORE:
        return "store";
    case TRACE_ATOM:
    case TRACE_RED:
        return "atom";
    case TRACE_TEX:
        return "tex";
    case TRACE_SURF:
        return "surf";
    default:
        return "load";
    }
}

/* `all`: cycles that all lines of the run waited together. */
static void print_load(const struct gpu_results *r, const struct gpu_load_result *l, uint64_t all, FILE *out)
{
    char place[40];
    where(place, l);
    const struct sm_load_stats *c = l->count;
    const uint64_t answered = result_answered(l);
    fprintf(out, "  %5u %-24.24s %-5.5s %4u %11" PRIu64 " %6.1f %5.1f%% %6.0f %5.1f%%", l->pc, place, kind(l),
            l->kernel->inst[l->pc].loop, c->lines, c->executions ? (double)c->lines / (double)c->executions : 0,
            percent(c->served[REQ_AT_L1], answered), answered ? (double)result_waited(l) / (double)answered : 0,
            percent(result_waited(l), all));
    for (unsigned i = 0; i < r->n_reporter; i++)
        print_report(r->reporter[i], l->report[i], out);
    if (l->truth)
        print_truth(l->truth, comparable_report(r, l), out);
    fputc('\n', out);
}

struct order {
    unsigned load;
    uint64_t waited;
};

/* Kernels in the order of their first launch, and in each the instruction first whose lines waited longest. */
static int by_wait(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    return a->waited != b->waited ? (a->waited < b->waited ? 1 : -1) : (a->load > b->load) - (a->load < b->load);
}

static struct order *order_loads(const struct gpu_results *r, uint64_t *all)
{
    struct order *o = xmalloc((r->n_load + 1) * sizeof *o);
    *all = 0;
    for (unsigned i = 0; i < r->n_load; i++) {
        o[i] = (struct order){i, result_waited(&r->load[i])};
        *all += o[i].waited;
    }
    for (unsigned first = 0, end; first < r->n_load; first = end) {
        for (end = first + 1; end < r->n_load && r->load[end].kernel == r->load[first].kernel; end++)
            ;
        qsort(o + first, end - first, sizeof *o, by_wait);
    }
    return o;
}

static void print_kernel(const struct gpu_results *r, const struct trace_kernel *k, bool can_agree, FILE *out)
{
    char name[512];
    demangle(k->name, name, sizeof name);
    fprintf(out, "\n%s\n  %5s %-24s %-5s %4s %11s %6s %6s %6s %6s", name, "pc", "line", "kind", "loop", "accesses",
            "lines", "hits", "wait", "of all");
    for (unsigned i = 0; i < r->n_reporter; i++)
        print_headings(r->reporter[i], out);
    fprintf(out, "  %-11s %5s%s\n", "infinite", "share", can_agree ? "  agree" : "");
}

void result_print_loads(struct gpu *g, FILE *out)
{
    const struct gpu_results *r = gpu_get_results(g);
    const struct trace_kernel *kernel = NULL;
    uint64_t loads = 0, agree = 0, accesses = 0, agree_accesses = 0, decided = 0;
    bool can_agree = false;
    for (unsigned i = 0; i < r->n_reporter; i++)
        can_agree |= gpu_loads_reuse_text(r->reporter[i]) >= 0;
    print_title(r, out);
    uint64_t waited;
    struct order *order = order_loads(r, &waited);
    for (unsigned i = 0; i < r->n_load; i++) {
        const struct gpu_load_result *l = &r->load[order[i].load];
        if (!is_shown(r, l))
            continue;
        if (l->kernel != kernel) {
            kernel = l->kernel;
            print_kernel(r, kernel, can_agree, out);
        }
        print_load(r, l, waited, out);
        loads += l->truth != NULL || comparable_report(r, l).report;
        struct comparable_report j = comparable_report(r, l);
        if (j.report && l->truth && locality_lines(l->truth)) {
            bool same = !strcmp(j.report->verdict[0].text[j.reuse], locality_type_name[locality_dominant(l->truth)]);
            decided++;
            accesses += l->count->lines;
            agree += same;
            agree_accesses += same ? l->count->lines : 0;
        }
    }
    if (decided)
        fprintf(out,
                "\n%" PRIu64 " of %" PRIu64 " loads decided; agreement with infinite caches: %" PRIu64
                " loads (%.0f%%), %.0f%% of their accesses\n",
                decided, loads, agree, percent(agree, decided), percent(agree_accesses, accesses));
    free(order);
}
