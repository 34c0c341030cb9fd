/* A profile as a page: the screen's contents with everything that did not fit, pictures, and the annotated source. */
#include "chart/html_page.h"
#include "profile/memory_chart.h"
#include "profile/profile.h"
#include "profile/profile_figures.h"

#include <math.h>

static double share(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void put_fact(FILE *f, const char *name, const char *value, const char *more)
{
    fputs("<div>", f);
    page_element(f, "dt", name);
    fputs("<dd>", f);
    page_text(f, value);
    if (more)
        page_element(f, "small", more);
    fputs("</dd></div>\n", f);
}

static void put_facts(const struct profile *p, FILE *f)
{
    char v[64], m[96], a[24];
    const json_t *total = json_object_get(p->doc, "total");
    fputs("<dl class=\"facts\">\n", f);
    snprintf(v, sizeof v, "%.3f ms", 1e3 * p->seconds);
    snprintf(m, sizeof m, "%s cycles", profile_big(a, p->cycles));
    put_fact(f, "Simulated time", v, m);
    snprintf(v, sizeof v, "%.1f", p->ipc);
    snprintf(m, sizeof m, "of %.0f thread instructions/cycle", p->peak_ipc);
    put_fact(f, "IPC", v, m);
    snprintf(v, sizeof v, "%.1f%%", 100 * share(p->issued, p->slots));
    put_fact(f, "Slots that issue", v, "of all scheduler cycles");
    snprintf(v, sizeof v, "%.1f%%", 100 * profile_number(total, "l1.hit_rate"));
    snprintf(m, sizeof m, "%s accesses", profile_big(a, profile_number(total, "l1.accesses")));
    put_fact(f, "L1 hits", v, m);
    snprintf(v, sizeof v, "%.1f%%",
             100 * share(profile_number(total, "l2.hits"), profile_number(total, "l2.accesses")));
    snprintf(m, sizeof m, "%s accesses", profile_big(a, profile_number(total, "l2.accesses")));
    put_fact(f, "L2 hits", v, m);
    snprintf(v, sizeof v, "%.1f GB/s", share(p->dram_bytes, p->seconds) * 1e-9);
    snprintf(m, sizeof m, "of %.0f GB/s (%.0f%%)", p->peak_bytes * 1e-9,
             100 * share(p->dram_bytes, p->seconds * p->peak_bytes));
    put_fact(f, "DRAM", v, m);
    if (profile_number(total, "energy.total_j") > 0) {
        snprintf(v, sizeof v, "%.3g mJ", 1e3 * profile_number(total, "energy.total_j"));
        snprintf(m, sizeof m, "%.1f W", profile_number(total, "energy.power_w"));
        put_fact(f, "Energy", v, m);
    }
    fputs("</dl>\n", f);
}

static void put_findings(const struct profile *p, FILE *f)
{
    fputs("<h2 id=\"findings\">Findings</h2>\n", f);
    if (!p->complete)
        page_element(f, "p", "The run was stopped; the numbers are partial.");
    if (!p->counted)
        page_element(f, "p", "No per-instruction counts, so no findings by line; use weir run --profile.");
    if (!p->finding.n) {
        page_element(f, "p", "No kernel or unit stands out.");
        return;
    }
    fputs("<ol class=\"findings\">\n", f);
    for (size_t i = 0; i < p->finding.n && i < 12; i++) {
        const struct profile_finding *x = &p->finding.p[i];
        fputs("<li>", f);
        if (*x->place) {
            page_element(f, "b", x->place);
            fputs(": ", f);
        }
        page_text(f, x->text);
        fputs("</li>\n", f);
    }
    fputs("</ol>\n", f);
    page_element(f, "p class=\"lead\"",
                 "An issue slot is one cycle of one warp scheduler. A slot that does not issue waits for one reason; "
                 "it is charged to the instruction that the oldest waiting warp waits for.");
}

static void put_kernels(const struct profile *p, FILE *f)
{
    static const char *const heads[] = {"<kernel",          "launches",   "cycles",   "time",    "IPC",
                                        "slots that issue", "DRAM GB/s",  "L1 hits",  "L2 hits", "<grid",
                                        "<block",           "registers",  "shared B", "CTAs/SM", "occupancy",
                                        "<limited by",      "warps held", NULL};
    const double clock = profile_config(p, "clock.core");
    fputs("<h2 id=\"kernels\">Kernels</h2>\n", f);
    page_table_begin(f);
    page_heads(f, heads);
    for (size_t i = 0; i < p->kernel.n; i++) {
        const struct profile_kernel *k = &p->kernel.p[i];
        char text[64];
        page_row(f, false);
        page_cell(f, k->name);
        page_number(f, k->launches, 0, "");
        page_number(f, k->cycles, 0, "");
        page_share(f, share(k->cycles, p->cycles));
        page_number(f, share(k->thread_insts, k->cycles), 1, "");
        page_share(f, share(k->issued, k->slots));
        page_number(f, share(k->dram_bytes, k->cycles / clock) * 1e-9, 1, "");
        page_share(f, k->l1_accesses > 0 ? k->l1_hits / k->l1_accesses : NAN);
        page_share(f, k->l2_accesses > 0 ? k->l2_hits / k->l2_accesses : NAN);
        snprintf(text, sizeof text, "%u × %u × %u", k->grid[0], k->grid[1], k->grid[2]);
        page_cell(f, text);
        snprintf(text, sizeof text, "%u × %u × %u", k->block[0], k->block[1], k->block[2]);
        page_cell(f, text);
        page_number(f, k->registers, 0, "");
        page_number(f, k->shared_bytes, 0, "");
        page_number(f, k->ctas_per_sm, 0, "");
        page_share(f, k->limiter ? k->occupancy : NAN);
        page_cell(f, k->limiter ? k->limiter : "–");
        page_number(f, k->warps_resident, 1, "");
        page_row_end(f);
    }
    page_table_end(f);
    page_element(f, "p class=\"lead\"",
                 "Summed over launches; grid, block and what they occupy are of the longest launch.");
}

static void put_parts(const struct profile *p, const char *head, const struct profile_part *part, unsigned n,
                      unsigned times, FILE *f)
{
    const char *const heads[] = {head, "<kernel", "cycles", "time", "IPC", "DRAM GB/s", "L2 hits", NULL};
    const double clock = profile_config(p, "clock.core");
    page_table_begin(f);
    page_heads(f, heads);
    for (unsigned i = 0; i < n; i++) {
        page_row(f, false);
        page_number(f, i + 1, 0, "");
        page_cell(f, part[i].kernel ? part[i].kernel : "all");
        page_number(f, part[i].cycles / times, 0, "");
        page_share(f, share(part[i].cycles, p->cycles));
        page_number(f, share(part[i].thread_insts, part[i].cycles), 1, "");
        page_number(f, share(part[i].dram_bytes, part[i].cycles / clock) * 1e-9, 1, "");
        page_share(f, part[i].l2_accesses > 0 ? part[i].l2_hits / part[i].l2_accesses : NAN);
        page_row_end(f);
    }
    page_table_end(f);
}

/* Repeated launches: each launch of a round as a mean of all rounds, and each round. */
static void put_rounds(const struct profile *p, FILE *f)
{
    for (size_t i = 0; i < p->rounds.n; i++) {
        const struct profile_rounds *r = &p->rounds.p[i];
        char text[128];
        if (i == 0)
            fputs("<h2 id=\"rounds\">Launches that repeat</h2>\n", f);
        snprintf(text, sizeof text,
                 "Launches %u to %u: %u rounds of %u. Cycles of a launch are the mean of the rounds.", r->first + 1,
                 r->first + r->length * r->times, r->times, r->length);
        page_element(f, "p", text);
        put_parts(p, "launch", r->step, r->length, r->times, f);
        put_parts(p, "round", r->round, r->times, 1, f);
    }
}

static void put_memory_charts(const struct profile *p, FILE *f)
{
    enum { SHOWN = 8 };
    const char *caption =
        "What moved between the levels, and how much of each link's peak that is, mean over the time. Arrows to the "
        "left carry data to the SMs.";
    struct memory_chart c = memory_chart_of(p, -1);
    fputs("<h2 id=\"chart\">Memory chart</h2>\n", f);
    memory_chart_draw(&c, NULL, "memory", caption, f);
    for (size_t i = 0; p->kernel.n > 1 && i < p->kernel.n && i < SHOWN; i++) {
        char name[32];
        snprintf(name, sizeof name, "memory-%zu", i + 1);
        fputs("<details>", f);
        page_element(f, "summary", p->kernel.p[i].brief);
        c = memory_chart_of(p, (int)i);
        memory_chart_draw(&c, NULL, name, p->kernel.p[i].name, f);
        fputs("</details>\n", f);
    }
}

static void put_stalls(const struct profile *p, FILE *f, struct err *e)
{
    static const char *const heads[] = {"<reason", "slots", "cycles", "<a warp", NULL};
    fputs("<h2 id=\"stalls\">Issue slot breakdown</h2>\n", f);
    profile_draw_stalls(p, f, e);
    page_table_begin(f);
    page_heads(f, heads);
    page_row(f, false);
    page_cell(f, "issue");
    page_share(f, share(p->issued, p->slots));
    page_number(f, p->issued, 0, "");
    page_cell(f, "issues");
    page_row_end(f);
    for (int i = 0; i < PROFILE_STALL_COUNT; i++) {
        if (p->stall[i] <= 0)
            continue;
        page_row(f, false);
        page_cell(f, profile_stall_name[i]);
        page_share(f, share(p->stall[i], p->slots));
        page_number(f, p->stall[i], 0, "");
        page_cell(f, profile_stall_doc[i]);
        page_row_end(f);
    }
    page_table_end(f);
}

/* ---- lines ---- */

/* "lsu_full 77.7%, drain 7.6%": the reasons that make up most. */
static void reasons(const double *stall, double slots, char *out, size_t bytes)
{
    size_t n = 0;
    bool used[PROFILE_STALL_COUNT] = {false};
    *out = 0;
    for (int round = 0; round < 3; round++) {
        int most = -1;
        for (int i = 0; i < PROFILE_STALL_COUNT; i++)
            if (!used[i] && stall[i] > 0 && (most < 0 || stall[i] > stall[most]))
                most = i;
        if (most < 0 || share(stall[most], slots) < 0.001 || n + 40 > bytes)
            return;
        used[most] = true;
        n += (size_t)snprintf(out + n, bytes - n, "%s%s %.1f%%", n ? ", " : "", profile_stall_name[most],
                              100 * share(stall[most], slots));
    }
}

static void put_lines(const struct profile *p, FILE *f)
{
    static const char *const heads[] = {"<line",  "slots", "<stalls caused", "<stalls before it",
                                        "issued", "lanes", "<source",        NULL};
    fputs("<h2 id=\"lines\">Source lines</h2>\n", f);
    page_element(f, "p",
                 "Slots: those that issue the line's instructions and those that are lost because of them. A wait "
                 "before a line is charged to the line that causes it.");
    page_table_begin(f);
    page_heads(f, heads);
    for (size_t i = 0; i < p->line.n && i < 100; i++) {
        const struct profile_line *l = &p->line.p[i];
        char text[160];
        page_row(f, false);
        page_cell(f, l->place);
        page_share(f, share(l->cost, p->slots));
        reasons(l->caused, p->slots, text, sizeof text);
        page_cell(f, text);
        reasons(l->waited, p->slots, text, sizeof text);
        page_cell(f, text);
        page_number(f, l->issues, 0, "");
        page_number(f, l->issues > 0 ? l->lanes / l->issues : NAN, 1, "");
        page_element(f, "td class=\"src\"", l->text ? l->text + strspn(l->text, " \t") : "");
        page_row_end(f);
    }
    page_table_end(f);
}

/* ---- memory instructions ---- */

static void put_accesses(const struct profile *p, FILE *f)
{
    static const char *const heads[] = {"<line",
                                        "<access",
                                        "<pointer",
                                        "PTX line",
                                        "<space",
                                        "slots lost",
                                        "executions",
                                        "lanes",
                                        "lines or passes each",
                                        "sectors each",
                                        "bytes used",
                                        "L1",
                                        "merged",
                                        "other L1",
                                        "L2",
                                        "DRAM",
                                        "mean wait",
                                        "<waits, by where served",
                                        NULL};
    static const int where[] = {SERVED_L1, SERVED_MERGE, SERVED_REMOTE, SERVED_L2, SERVED_DRAM};
    fputs("<h2 id=\"memory\">Memory instructions</h2>\n", f);
    page_element(
        f, "p",
        "Loads, stores and atomics. Lines are requests to the L1 after coalescing, or passes over the banks of shared "
        "memory (1 without conflicts); sectors are 32 bytes; bytes used is the requested share of the transferred "
        "sectors. L1 to DRAM: which level served the lines. Waits are cycles from the SM's request to the reply. "
        "Copies "
        "of an access in an unrolled loop are one row.");
    page_table_begin(f);
    page_heads(f, heads);
    size_t n_group;
    struct profile_access *group = profile_group_copies(p, &n_group);
    for (size_t i = 0; i < n_group; i++) {
        const struct profile_access *a = &group[i];
        char pointer[PROFILE_POINTER];
        const bool global = a->answered > 0;
        char text[160] = "";
        page_row(f, false);
        page_cell(f, p->line.p[a->line].place);
        page_cell(f, a->inst);
        profile_pointer(a, pointer);
        page_cell(f, pointer);
        page_number(f, a->ptx_line, 0, "");
        page_cell(f, a->space);
        page_share(f, p->counted ? share(a->cost, p->slots) : NAN);
        page_number(f, a->executions, 0, "");
        page_number(f, share(a->lanes, a->executions), 1, "");
        page_number(f, share(a->lines, a->executions), 2, "");
        page_number(f, global ? share(a->sectors, a->executions) : NAN, 2, "");
        page_share(f, global && a->sectors > 0 ? fmin(1, a->lanes * a->width / (32 * a->sectors)) : NAN);
        size_t n = 0;
        for (unsigned k = 0; k < sizeof where / sizeof *where; k++) {
            const double part = share(a->served[where[k]], a->answered);
            page_share(f, global ? part : NAN);
            if (part > 0 && n < sizeof text - 40)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %.0f", n ? ", " : "",
                                      profile_served_name[where[k]], a->latency[where[k]]);
        }
        page_number(f, global ? a->mean_latency : NAN, 0, "");
        page_cell(f, text);
        page_row_end(f);
    }
    page_table_end(f);
    free(group);
}

/* ---- the source ---- */

enum { CONTEXT = 4, SOURCE_LINES = 600 };

static const struct profile_line *line_of(const struct profile *p, const char *file, unsigned number, size_t *index)
{
    for (size_t i = 0; i < p->line.n; i++)
        if (p->line.p[i].file && p->line.p[i].number == number && !strcmp(p->line.p[i].file, file)) {
            *index = i;
            return &p->line.p[i];
        }
    return NULL;
}

/* Sums over the memory instructions of a line. */
struct accesses {
    double executions, lines, sectors, hits, answered, waited;
};
static struct accesses accesses_of(const struct profile *p, size_t line)
{
    struct accesses s = {0};
    for (size_t i = 0; i < p->access.n; i++) {
        const struct profile_access *a = &p->access.p[i];
        if (a->line != line)
            continue;
        s.executions += a->executions;
        s.lines += a->lines;
        s.sectors += a->answered > 0 ? a->sectors : 0;
        s.hits += a->served[SERVED_L1];
        s.answered += a->answered;
        s.waited += a->answered * a->mean_latency;
    }
    return s;
}

static void put_source_line(const struct profile *p, const struct profile_source *s, unsigned number, FILE *f)
{
    size_t at = 0;
    const struct profile_line *l = line_of(p, s->file, number, &at);
    page_row(f, false);
    page_number(f, number, 0, "");
    page_element(f, "td class=\"src\"", s->line.p[number - 1]);
    if (l) {
        const struct accesses a = accesses_of(p, at);
        page_share(f, share(l->cost, p->slots));
        page_number(f, l->issues, 0, "");
        page_number(f, l->n_access ? a.executions : NAN, 0, "");
        page_number(f, l->n_access ? share(a.lines, a.executions) : NAN, 1, "");
        page_number(f, a.answered > 0 ? share(a.sectors, a.executions) : NAN, 1, "");
        page_share(f, a.answered > 0 ? a.hits / a.answered : NAN);
        page_number(f, a.answered > 0 ? a.waited / a.answered : NAN, 0, "");
    } else {
        for (int i = 0; i < 7; i++)
            fputs("<td data-v=\"\"></td>", f);
    }
    page_row_end(f);
}

/* Lines with counts and their neighbors; short files whole. */
static void put_source(const struct profile *p, const struct profile_source *s, FILE *f)
{
    static const char *const heads[] = {"<line",      "<source",      "slots",   "issued", "accesses",
                                        "lines each", "sectors each", "L1 hits", "wait",   NULL};
    const char *slash = strrchr(s->file, '/');
    size_t at;
    bool *shown = xcalloc(s->line.n + 1, sizeof *shown);
    bool all = s->line.n <= 60;
    unsigned n = 0;
    for (unsigned i = 1; i <= s->line.n; i++)
        if (line_of(p, s->file, i, &at))
            for (unsigned k = i > CONTEXT ? i - CONTEXT : 1; k <= i + CONTEXT && k <= s->line.n; k++)
                shown[k] = true;
    page_element(f, "h3", slash ? slash + 1 : s->file);
    page_table_begin(f);
    page_heads(f, heads);
    for (unsigned i = 1; i <= s->line.n && n < SOURCE_LINES; i++)
        if (all || shown[i]) {
            put_source_line(p, s, i, f);
            n++;
        }
    page_table_end(f);
    free(shown);
}

static void put_sources(const struct profile *p, FILE *f)
{
    bool any = false;
    for (size_t i = 0; i < p->source.n; i++) {
        double cost = 0;
        for (size_t k = 0; k < p->line.n; k++)
            cost += p->line.p[k].file && !strcmp(p->line.p[k].file, p->source.p[i].file) ? p->line.p[k].cost : 0;
        if (share(cost, p->slots) < 0.02)
            continue;
        if (!any)
            fputs("<h2 id=\"source\">Annotated source</h2>\n", f);
        any = true;
        if (p->source.p[i].line.n) {
            put_source(p, &p->source.p[i], f);
            continue;
        }
        fputs("<p>", f);
        page_printf(f, "%s cannot be read; use weir profile --source DIR.", p->source.p[i].file);
        fputs("</p>\n", f);
    }
}

/* ---- PTX ---- */

struct ordered {
    const json_t *inst;
    double at;
};

static int by_order(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    const double dx = x->at - y->at, pc = profile_number(x->inst, "pc") - profile_number(y->inst, "pc");
    return dx != 0 ? (dx > 0) - (dx < 0) : (pc > 0) - (pc < 0);
}

static const struct profile_access *access_at(const struct profile *p, unsigned kernel, double pc)
{
    for (size_t i = 0; i < p->access.n; i++)
        if (p->access.p[i].kernel == kernel && p->access.p[i].pc == pc)
            return &p->access.p[i];
    return NULL;
}

static double sum_of(const json_t *stalls)
{
    double sum = 0;
    for (int i = 0; i < PROFILE_STALL_COUNT; i++)
        sum += profile_number(stalls, profile_stall_name[i]);
    return sum;
}

static void put_instruction(const struct profile *p, unsigned kernel, const json_t *inst, FILE *f)
{
    const char *name = json_string_value(json_object_get(inst, "inst"));
    const double line = profile_number(inst, "src_line"), ptx = profile_number(inst, "ptx_line");
    const double caused = sum_of(json_object_get(inst, "caused")), waited = sum_of(json_object_get(inst, "waited"));
    const struct profile_access *a = access_at(p, kernel, profile_number(inst, "pc"));
    const char *file = json_string_value(json_object_get(inst, "src_file")), *text = NULL;
    char pointer[PROFILE_POINTER] = "";
    for (size_t i = 0; file && !text && i < p->line.n; i++)
        if (p->line.p[i].file && p->line.p[i].number == line && !strcmp(p->line.p[i].file, file))
            text = p->line.p[i].text;
    if (a)
        profile_pointer(a, pointer);
    page_row(f, false);
    page_number(f, json_object_get(inst, "scheduled") ? profile_number(inst, "scheduled") : NAN, 0, "");
    page_number(f, ptx > 0 ? ptx : NAN, 0, "");
    page_element(f, "td class=\"src\"", name ? name : "");
    page_cell(f, pointer);
    page_number(f, profile_number(inst, "issues"), 0, "");
    page_share(f, share(profile_number(inst, "issues") + caused, p->slots));
    page_share(f, share(waited, p->slots));
    page_number(f, line > 0 ? line : NAN, 0, "");
    page_element(f, "td class=\"src\"", text ? text + strspn(text, " \t") : "");
    page_row_end(f);
}

/* Each kernel's instructions beside the source, in the order in which the machine issues them. */
static void put_ptx(const struct profile *p, FILE *f)
{
    enum { KERNELS = 6, MOST = 2000 };
    static const char *const heads[] = {"order", "PTX line",        "<instruction", "<pointer", "issued",
                                        "slots", "waits before it", "line",         "<source",  NULL};
    fputs("<h2 id=\"ptx\">PTX beside the source</h2>\n", f);
    page_element(f, "p",
                 "Order: the place in the code that an assembler would make of the PTX, where the machine issues that "
                 "(sm.code = scheduled); what has none was folded into another instruction. Else in PTX order. Slots: "
                 "issued, and lost because of the instruction.");
    for (unsigned k = 0; k < p->kernel.n && k < KERNELS; k++) {
        VEC(struct ordered) all = {0};
        size_t i;
        json_t *inst;
        bool scheduled = false;
        json_array_foreach(json_object_get(p->doc, "instructions"), i, inst)
        {
            const char *name = json_string_value(json_object_get(inst, "kernel"));
            const json_t *order = json_object_get(inst, "scheduled");
            if (name && !strcmp(name, p->kernel.p[k].mangled) && all.n < MOST)
                VEC_PUSH(&all, (struct ordered){inst, order ? json_number_value(order) : NAN});
            scheduled |= order != NULL;
        }
        /* A folded instruction is listed where its neighbor in the PTX is. */
        for (i = 0; i < all.n; i++)
            if (isnan(all.p[i].at))
                all.p[i].at = scheduled ? (i ? all.p[i - 1].at : 0) : profile_number(all.p[i].inst, "pc");
        if (!all.n)
            continue;
        qsort(all.p, all.n, sizeof *all.p, by_order);
        fprintf(f, "<details%s>", k ? "" : " open");
        page_element(f, "summary", p->kernel.p[k].name);
        page_table_begin(f);
        page_heads(f, heads);
        for (i = 0; i < all.n; i++)
            put_instruction(p, k, all.p[i].inst, f);
        page_table_end(f);
        fputs("</details>\n", f);
        VEC_FREE(&all);
    }
}

/* ---- energy ---- */

/* By component: "energy.l1_data_j" is what the data arrays of the L1s take. */
static void put_energy(const struct profile *p, FILE *f)
{
    static const char *const heads[] = {"<component", "of all", "mJ", NULL};
    json_t *total = json_object_get(p->doc, "total"), *value;
    const double all = profile_number(total, "energy.total_j");
    const char *key;
    if (!(all > 0))
        return;
    fputs("<h2 id=\"energy\">Energy</h2>\n", f);
    page_table_begin(f);
    page_heads(f, heads);
    json_object_foreach(total, key, value)
    {
        char name[64];
        if (!profile_energy_component(key, name))
            continue;
        page_row(f, false);
        page_cell(f, name);
        page_share(f, json_number_value(value) / all);
        page_number(f, 1e3 * json_number_value(value), 4, "");
        page_row_end(f);
    }
    page_table_end(f);
}

/* ---- the rest ---- */

static void put_origin(const struct profile *p, const char *command, FILE *f)
{
    const char *key;
    json_t *value;
    char policies[256];
    fputs("<h2 id=\"origin\">Provenance</h2>\n<pre>", f);
    page_text(f, command);
    fputs("</pre>\n", f);
    profile_policies(p, policies, sizeof policies);
    page_element(f, "p", policies);
    fputs("<details><summary>All parameters of the machine</summary>\n", f);
    page_table_begin(f);
    page_heads(f, (const char *const[]){"<parameter", "<value", NULL});
    json_object_foreach(json_object_get(p->doc, "config"), key, value)
    {
        page_row(f, false);
        page_cell(f, key);
        page_cell(f, json_string_value(value) ? json_string_value(value) : "");
        page_row_end(f);
    }
    page_table_end(f);
    fputs("</details>\n<details><summary>All statistics</summary>\n", f);
    page_table_begin(f);
    page_heads(f, (const char *const[]){"<statistic", "value", NULL});
    json_object_foreach(json_object_get(p->doc, "total"), key, value)
    {
        if (!json_is_number(value) || json_number_value(value) == 0)
            continue;
        page_row(f, false);
        page_cell(f, key);
        page_number(f, json_number_value(value), json_is_integer(value) ? 0 : 4, "");
        page_row_end(f);
    }
    page_table_end(f);
    fputs("</details>\n", f);
}

int profile_page(const struct profile *p, const char *command, FILE *f, struct err *e)
{
    char name[256], title[600], lead[256], footer[160];
    profile_name(p, name, sizeof name);
    snprintf(title, sizeof title, "%s%s%.200s on %.60s", name, *p->arguments ? " " : "", p->arguments, p->machine);
    snprintf(lead, sizeof lead, "Simulated by weir %.40s%s%.40s", p->weir, *p->date ? ", " : "", p->date);
    snprintf(footer, sizeof footer, "Made by weir profile. This page is self-contained.");
    err_clear(e);
    page_begin(f, title, lead);
    put_facts(p, f);
    put_findings(p, f);
    put_kernels(p, f);
    put_rounds(p, f);
    put_memory_charts(p, f);
    put_stalls(p, f, e);
    if (p->counted)
        put_lines(p, f);
    put_accesses(p, f);
    put_sources(p, f);
    if (p->counted)
        put_ptx(p, f);
    profile_draw_time(p, f, e);
    profile_draw_roofline(p, f, e);
    put_energy(p, f);
    put_origin(p, command, f);
    page_end(f, footer);
    return *e->msg ? -1 : 0;
}
