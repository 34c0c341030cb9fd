/* `--explain-loads`: what the L1's management decided about each static load, beside the line of the program. */
#include "gpu/result.h"

#include "engine/config.h"
#include "gpu/loads.h"

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

static void print_decision(const struct gpu_decision *d, FILE *out)
{
    if (!d->decided) {
        fprintf(out, "  %-11s %-8s %5s %9s %7s %7s", "-", "-", "", "", "", "");
    } else {
        char by[16], share[16];
        snprintf(by, sizeof by, "%u/%u", d->own, d->total);
        snprintf(share, sizeof share, "%.0f%%", percent(d->verdict[0].instances, d->instances));
        fprintf(out, "  %-11s %-8s %5s %9.0f %7s %7u", d->verdict[0].type, d->verdict[0].method, share,
                (double)d->at_sum / (double)d->decided, by, d->last_pc);
    }
    fprintf(out, " %6.1f%% %6.1f%% %8" PRIu64 " %9" PRIu64, percent(d->bypassed, d->accesses),
            percent(d->refused, d->accesses), d->pinned, d->pinned_hits);
}

static void print_truth(const struct locality_load *t, const struct gpu_decision *d, FILE *out)
{
    enum locality_type type = locality_dominant(t);
    if (!locality_lines(t)) { /* other loads had brought in all it touched */
        fprintf(out, "  %-11s", "-");
        return;
    }
    fprintf(out, "  %-11s %4.0f%%", locality_type_name[type], percent(t->line[type], locality_lines(t)));
    if (d && d->decided)
        fprintf(out, " %5.0f%%", percent(gpu_decision_agrees(d, t), d->decided));
}

static bool is_tracked(const struct gpu_load_result *l)
{
    return l->decision || l->truth;
}

void result_print_loads(struct gpu *g, FILE *out)
{
    const struct gpu_results *r = gpu_get_results(g);
    const struct trace_kernel *kernel = NULL;
    uint64_t loads = 0, agree = 0, accesses = 0, agree_accesses = 0, decided = 0;
    bool any = false;
    for (unsigned i = 0; i < r->n_load; i++)
        any |= r->load[i].decision != NULL;
    fprintf(out, "\nloads of global memory%s%s", any ? ", as decided by " : "; no policy decides about them",
            any ? cfg_chosen(gpu_config(g), "l1-management") : "");
    fputs(any ? ": found and done most often (share of SMs x launches), mean cycle of the decision, accesses by own "
                "warp/all,"
                " pc of the last load,\nsent past the L1 by it and for want of an unprotected way, lines protected and "
                "hits"
                " on them; then what most of the load's lines are in infinite L1s\n"
              : "\n",
          out);
    for (unsigned i = 0; i < r->n_load; i++) {
        const struct gpu_load_result *l = &r->load[i];
        if (!is_tracked(l))
            continue;
        if (l->kernel != kernel) {
            kernel = l->kernel;
            fprintf(out, "\n%s\n  %5s %-24s %4s %11s %6s %6s", kernel->name, "pc", "line", "loop", "accesses", "lines",
                    "hits");
            if (any)
                fprintf(out, "  %-11s %-8s %5s %9s %7s %7s %7s %7s %8s %9s", "found", "method", "share", "cycle",
                        "counts", "last pc", "bypass", "refused", "pinned", "pin hits");
            fprintf(out, "  %-11s %5s%s\n", "infinite", "share", any ? "  agree" : "");
        }
        char place[40];
        where(place, l);
        fprintf(out, "  %5u %-24.24s %4u %11" PRIu64 " %6.1f %5.1f%%", l->pc, place, l->kernel->inst[l->pc].loop,
                l->lines, l->executions ? (double)l->lines / (double)l->executions : 0, percent(l->hits, l->answered));
        if (l->decision)
            print_decision(l->decision, out);
        else if (any)
            fprintf(out, "  %-82s", "not tracked");
        if (l->truth)
            print_truth(l->truth, l->decision, out);
        fputc('\n', out);
        loads++;
        if (l->decision && l->decision->decided && l->truth && locality_lines(l->truth)) {
            bool same = !strcmp(l->decision->verdict[0].type, locality_type_name[locality_dominant(l->truth)]);
            decided++;
            accesses += l->lines;
            agree += same;
            agree_accesses += same ? l->lines : 0;
        }
    }
    if (decided)
        fprintf(out,
                "\n%" PRIu64 " of %" PRIu64 " loads decided; agreement with infinite caches: %" PRIu64
                " loads (%.0f%%), %.0f%% of their accesses\n",
                decided, loads, agree, percent(agree, decided), percent(agree_accesses, accesses));
}
