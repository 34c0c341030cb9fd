/* Two runs side by side as a page: the memory chart with differences first. */
#include "chart/html_page.h"
#include "profile/compare_priv.h"
#include "profile/memory_chart.h"

#include "base/demangle.h"

#include <math.h>

static double share(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

/* What was run, and the parameters that differ. */
static void put_runs(const struct profile *a, const struct profile *b, FILE *f)
{
    const struct profile *side[] = {a, b};
    const char *key;
    json_t *v;
    page_table_begin(f);
    page_heads(f, (const char *const[]){"<run", "<a", "<b", NULL});
    page_row(f, false);
    page_cell(f, "program");
    for (int i = 0; i < 2; i++) {
        char name[256];
        profile_name(side[i], name, sizeof name);
        page_cell(f, name);
    }
    page_row_end(f);
    page_row(f, false);
    page_cell(f, "machine");
    for (int i = 0; i < 2; i++)
        page_cell(f, side[i]->machine);
    page_row_end(f);
    json_object_foreach(json_object_get(a->doc, "config"), key, v)
    {
        const char *x = json_string_value(v),
                   *y = json_string_value(json_object_get(json_object_get(b->doc, "config"), key));
        if (!x || !y || !strcmp(x, y) || !strcmp(key, "machine.name"))
            continue;
        page_row(f, false);
        page_cell(f, key);
        page_cell(f, x);
        page_cell(f, y);
        page_row_end(f);
    }
    page_table_end(f);
}

static void put_sentence(const struct profile *a, const struct profile *b, FILE *f)
{
    fputs("<p>", f);
    if (a->cycles == b->cycles)
        page_printf(f, "Both take %.0f cycles.", a->cycles);
    else
        page_printf(f, "b takes %.0f cycles, a takes %.0f: %.2fx as %s. IPC %.2f → %.2f.", b->cycles, a->cycles,
                    b->cycles < a->cycles ? a->cycles / b->cycles : b->cycles / a->cycles,
                    b->cycles < a->cycles ? "fast" : "slow", a->ipc, b->ipc);
    fputs("</p>\n", f);
}

static void put_charts(const struct profile *a, const struct profile *b, FILE *f)
{
    struct memory_chart x = memory_chart_of(a, -1), y = memory_chart_of(b, -1);
    fputs("<h2 id=\"chart\">Memory chart</h2>\n", f);
    memory_chart_draw(&x, &y, "memory",
                      "a → b, with the change. Below the arrows: how much of its peak a link is used. Colors are of b.",
                      f);
    for (size_t i = 0; a->kernel.n > 1 && i < a->kernel.n && i < 8; i++) {
        size_t k = 0;
        while (k < b->kernel.n && strcmp(b->kernel.p[k].mangled, a->kernel.p[i].mangled))
            k++;
        if (k == b->kernel.n)
            continue;
        char name[32];
        snprintf(name, sizeof name, "memory-%zu", i + 1);
        fputs("<details>", f);
        page_element(f, "summary", a->kernel.p[i].brief);
        x = memory_chart_of(a, (int)i);
        y = memory_chart_of(b, (int)k);
        memory_chart_draw(&x, &y, name, a->kernel.p[i].name, f);
        fputs("</details>\n", f);
    }
}

static void put_reasons(const json_t *a, const json_t *b, FILE *f)
{
    struct compare_reasons all = {0};
    const double cycles = compare_number(a, "cycles");
    compare_read_reasons(a, b, &all);
    fputs("<h2 id=\"reasons\">Cycle breakdown</h2>\n", f);
    page_element(f, "p", "Cycles of all schedulers over their number. The differences add up to that in cycles.");
    page_table_begin(f);
    page_heads(f, (const char *const[]){"<reason", "a", "b", "b − a", "of a's cycles, %", NULL});
    for (size_t i = 0; i < all.r.n; i++) {
        const struct compare_reason *r = &all.r.p[i];
        if (r->a == 0 && r->b == 0)
            continue;
        page_row(f, false);
        page_cell(f, r->name);
        page_number(f, r->a, 0, "");
        page_number(f, r->b, 0, "");
        page_number(f, r->b - r->a, 0, "");
        page_number(f, 100 * share(r->b - r->a, cycles), 1, "");
        page_row_end(f);
    }
    page_table_end(f);
    VEC_FREE(&all.r);
}

static void put_rows(const struct compare_rows *rows, const char *id, const char *title, FILE *f)
{
    if (!rows->row.n)
        return;
    fprintf(f, "<h2 id=\"%s\">", id);
    page_text(f, title);
    fputs("</h2>\n", f);
    page_table_begin(f);
    page_heads(f, (const char *const[]){"<statistic", "<a", "<b", "<change", NULL});
    for (size_t i = 0; i < rows->row.n; i++) {
        page_row(f, false);
        page_cell(f, rows->row.p[i].label);
        page_cell(f, rows->row.p[i].a);
        page_cell(f, rows->row.p[i].b);
        page_cell(f, rows->row.p[i].change);
        page_row_end(f);
    }
    page_table_end(f);
}

static void put_kernels(const json_t *a, const json_t *b, FILE *f)
{
    struct compare_kernels all = {0};
    compare_take_kernels(a, b, &all);
    fputs("<h2 id=\"kernels\">Kernels</h2>\n", f);
    page_table_begin(f);
    page_heads(f, (const char *const[]){"<kernel", "cycles a", "cycles b", "change, %", "<largest part",
                                        "of a's cycles, %", "L1 hits a", "L1 hits b", "L2 hits a", "L2 hits b", NULL});
    for (size_t i = 0; i < all.k.n; i++) {
        json_t *const *s = all.k.p[i].sum;
        const double ca = compare_number(s[0], "cycles"), cb = compare_number(s[1], "cycles");
        struct compare_reasons r = {0};
        char name[512];
        demangle(all.k.p[i].name, name, sizeof name);
        compare_read_reasons(s[0], s[1], &r);
        page_row(f, false);
        page_cell(f, name);
        page_number(f, ca > 0 ? ca : NAN, 0, "");
        page_number(f, cb > 0 ? cb : NAN, 0, "");
        page_number(f, ca > 0 && cb > 0 ? 100 * (cb / ca - 1) : NAN, 1, "");
        page_cell(f, ca != cb && ca > 0 ? r.r.p[0].name : "");
        page_number(f, ca != cb ? 100 * share(r.r.p[0].b - r.r.p[0].a, ca) : NAN, 1, "");
        for (int level = 0; level < 2; level++)
            for (int side = 0; side < 2; side++)
                page_share(f, share(compare_number(s[side], level ? "l2.hits" : "l1.hits"),
                                    compare_number(s[side], level ? "l2.accesses" : "l1.accesses")));
        page_row_end(f);
        VEC_FREE(&r.r);
    }
    page_table_end(f);
    compare_free_kernels(&all);
}

/* The same line of both, the largest difference in slots first. */
static void put_lines(const struct profile *a, const struct profile *b, FILE *f)
{
    if (!a->counted || !b->counted)
        return;
    fputs("<h2 id=\"lines\">Source lines</h2>\n", f);
    page_element(f, "p", "Issue slots that each line takes or loses, as cycles of all schedulers over their number.");
    page_table_begin(f);
    page_heads(f, (const char *const[]){"<line", "cycles a", "cycles b", "b − a", "<source", NULL});
    for (size_t i = 0; i < a->line.n && i < 60; i++) {
        const struct profile_line *x = &a->line.p[i], *y = b->line.p;
        while (y < b->line.p + b->line.n && strcmp(y->place, x->place))
            y++;
        const double ca = share(x->cost, a->slots) * a->cycles;
        const double cb = y < b->line.p + b->line.n ? share(y->cost, b->slots) * b->cycles : NAN;
        page_row(f, false);
        page_cell(f, x->place);
        page_number(f, ca, 0, "");
        page_number(f, cb, 0, "");
        page_number(f, cb - ca, 0, "");
        page_element(f, "td class=\"src\"", x->text ? x->text + strspn(x->text, " \t") : "");
        page_row_end(f);
    }
    page_table_end(f);
}

void compare_page(const struct profile *a, const struct profile *b, const char *name_a, const char *name_b,
                  const struct compare_opts *o, FILE *f)
{
    const json_t *ta = json_object_get(a->doc, "total"), *tb = json_object_get(b->doc, "total");
    struct compare_rows memory = {0}, policies = {0};
    char title[256];
    snprintf(title, sizeof title, "%.100s and %.100s", name_a, name_b);
    page_begin(f, title, "Two runs side by side, by weir compare. a is the first, b the second.");
    put_sentence(a, b, f);
    put_runs(a, b, f);
    put_charts(a, b, f);
    put_reasons(ta, tb, f);
    compare_take_statistics(ta, tb, o->threshold, &memory);
    compare_take_policies(ta, tb, o->threshold, &policies);
    put_rows(&memory, "statistics", "Statistics that changed", f);
    put_rows(&policies, "policies", "Statistics of policies that changed", f);
    put_kernels(a->doc, b->doc, f);
    put_lines(a, b, f);
    page_end(f, "Made by weir compare. This page is self-contained.");
    VEC_FREE(&memory.row);
    VEC_FREE(&policies.row);
}
