/* See report_page.h. */
#include "report/report_page.h"

#include "base/text.h"
#include "base/out_of_memory.h"
#include "chart/html_page.h"
#include "report/tidy.h"
#include "report/why.h"
#include "study/figure.h"

static const char *const verdict_class[] = {"holds", "direction", "fails", "unknown"};
static const char *const verdict_sign[] = {"✓", "≈", "✗", "?"};

static void put_verdict(FILE *f, const struct assessment *j)
{
    fprintf(f, "<span class=\"verdict %s\">%s ", verdict_class[j->verdict], verdict_sign[j->verdict]);
    page_text(f, j->text_verdict);
    fputs("</span>", f);
}

static void put_heading(FILE *f, const struct lab_figure *figure)
{
    if (figure->plan.number)
        page_printf(f, "Figure %s: ", figure->plan.number);
    page_text(f, figure->plan.title);
}

/* ---- a figure ---- */

static void put_claims(FILE *f, const struct report_claim *c, size_t n)
{
    if (!n)
        return;
    fputs("<ul class=\"claims\">\n", f);
    for (size_t i = 0; i < n; i++) {
        const struct assessment *j = &c[i].judged;
        fputs("<li>", f);
        put_verdict(f, j);
        page_printf(f, ": published %s, weir %s, %s. “%s”", c[i].published, j->text,
                    c[i].claim->programs ? c[i].claim->programs : "all", c[i].claim->quote);
        if (*j->because) {
            fputs("<br><small>", f);
            page_text(f, j->because);
            fputs("</small>", f);
        }
        fputs("</li>\n", f);
    }
    fputs("</ul>\n", f);
}

static void put_variants(FILE *f, const struct plan *p)
{
    static const char *const heads[] = {"<variant", "<machine", "<with", "<set", "<searched", NULL};
    page_table_begin(f);
    page_heads(f, heads);
    for (size_t i = 0; i < p->variants.word.n; i++) {
        const struct plan_variant *v = plan_find(p, p->variants.word.p[i]);
        char best[600] = "", *set = text_join((const char *const *)v->set.word.p, v->set.word.n, ' ');
        for (size_t k = 0; k < v->best.n && strlen(best) + 40 < sizeof best; k++)
            snprintf(best + strlen(best), sizeof best - strlen(best), "%s%.200s", k ? ", " : "", v->best.p[k].key);
        page_row(f, false);
        page_cell(f, plan_label(v));
        page_cell(f, plan_machine_of(p, v));
        page_cell(f, v->with ? v->with : "");
        page_cell(f, set ? set : "");
        free(set);
        page_cell(f, best);
        page_row_end(f);
    }
    page_table_end(f);
}

/* How to make it again, and from what. */
static void put_origin(FILE *f, const struct report *r, struct lab *l, const struct lab_figure *figure)
{
    const struct plan *p = &figure->plan;
    char stem[64], name[80], *csv = tidy_csv(l, figure);
    plan_stem(&figure->plan, stem);
    fputs("<details><summary>The command, the variants and the data</summary>\n", f);
    if (r->command) {
        fputs("<pre>", f);
        page_text(f, r->command);
        fputs("</pre>\n", f);
    }
    fputs("<p>Plan <code>", f);
    page_text(f, p->path);
    fputs("</code>; values are <code>", f);
    page_text(f, p->metric ? p->metric : "");
    fputs("</code>", f);
    if (p->normalize)
        page_printf(f, ", divided by those of %s", p->normalize);
    page_printf(f, "; means are %s. ", p->geometric ? "geometric" : "arithmetic");
    snprintf(name, sizeof name, "%s.csv", stem);
    page_download(f, name, "text/csv", csv, "The data as CSV");
    page_printf(f, "; %s.gp redraws the figure.", stem);
    fputs("</p>\n", f);
    if (plan_simulates(p))
        put_variants(f, p);
    fputs("</details>\n", f);
    free(csv);
}

/* What the marks of rows mean: the words of the screen. */
static void put_marks(FILE *f, const struct table *t)
{
    char *text = NULL, *next = NULL;
    size_t n = 0;
    FILE *out = text_stream(&text, &n);
    table_put_marks(t, "", out);
    fclose(out);
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
        page_element(f, "p", line);
    free(text);
}

static void put_notes(FILE *f, const struct lab_figure *figure)
{
    if (figure->plan.note)
        page_element(f, "p", figure->plan.note);
    put_marks(f, &figure->table);
    if (figure->absent.n) {
        fputs("<p>Not in the suite:", f);
        for (size_t i = 0; i < figure->absent.n; i++)
            page_printf(f, " %s", figure->absent.p[i]);
        fputs("</p>\n", f);
    }
    if (!table_has_values(&figure->table))
        page_element(f, "p", "No figure: no values.");
    if (!figure->trouble.n)
        return;
    page_printf(f, "%zu %s missing:", figure->trouble.n, figure->trouble.n == 1 ? "value is" : "values are");
    fputs("<ul>\n", f);
    for (size_t i = 0; i < figure->trouble.n && i < 12; i++)
        page_element(f, "li", figure->trouble.p[i]);
    fputs("</ul>\n", f);
}

static void put_found(FILE *f, const struct lab_figure *figure)
{
    for (size_t k = 0; plan_simulates(&figure->plan) && k < figure->plan.variants.word.n; k++) {
        const struct plan_variant *v = plan_find(&figure->plan, figure->plan.variants.word.p[k]);
        if (!v->best.n)
            continue;
        fputs("<p>", f);
        page_printf(f, "Best found, %s:", plan_label(v));
        for (size_t p = 0; p < figure->program.n; p++) {
            char found[200];
            lab_search_outcome(figure, p, k, found, sizeof found);
            page_printf(f, "%s %s %s", p ? "," : "",
                        figure->plan.paper ? figure->program.p[p]->label : figure->program.p[p]->name,
                        *found ? found : "–");
        }
        fputs("</p>\n", f);
    }
}

/* ---- the simulations behind the values ---- */

static void put_profile_link(FILE *f, const struct report *r, const struct point *p, const char *before,
                             const char *text)
{
    char *page = report_profile(r, p);
    if (page) {
        fputs(before, f);
        page_link_begin(f, page);
        page_text(f, text);
        fputs("</a>", f);
    }
    free(page);
}

/* Why each row gains or loses, with the profiles of both runs where they were made. */
static void put_why(FILE *f, const struct report *r, struct lab *l, const struct lab_figure *figure)
{
    if (!why_has(figure))
        return;
    fputs("<ul>\n", f);
    for (size_t p = 0; p < figure->program.n; p++)
        for (size_t k = 0; k < figure->plan.variants.word.n; k++) {
            const struct plan_variant *v = plan_find(&figure->plan, figure->plan.variants.word.p[k]);
            char *sentence = why_sentence(l, figure, p, k);
            if (!sentence)
                continue;
            fputs("<li>", f);
            page_text(f, sentence);
            free(sentence);
            put_profile_link(f, r, figure_point(l, figure, plan_divisor(&figure->plan, v), figure->program.p[p]),
                             " Profiles: ", "without");
            put_profile_link(f, r, figure->point[p * figure->n_point + k], ", ", "with");
            fputs("</li>\n", f);
        }
    fputs("</ul>\n", f);
}

static void put_command(FILE *f, const struct report *r, const struct point *p, const struct plan_variant *v)
{
    if (!p)
        return;
    char *command = point_command(p, r->size);
    page_row(f, false);
    page_cell(f, plan_label(v));
    fputs("<td class=\"left\">", f);
    page_element(f, "code", command);
    put_profile_link(f, r, p, " ", "profile");
    fputs("</td>", f);
    page_row_end(f);
    free(command);
}

/* The command behind each value; rows of the table lead here. */
static void put_commands(FILE *f, const struct report *r, struct lab *l, struct lab_figure *figure)
{
    char stem[64];
    plan_stem(&figure->plan, stem);
    fputs("<details><summary>The command behind each value</summary>\n", f);
    for (size_t p = 0; p < figure->program.n; p++) {
        struct table_row *row = &figure->table.row.p[p];
        fprintf(f, "<h4 id=\"%s-%zu\">", stem, p);
        page_text(f, row->label);
        fputs("</h4>\n<div class=\"scroll\"><table><tbody>\n", f);
        const struct plan_variant *shown = NULL;
        for (size_t k = 0; k < figure->plan.variants.word.n; k++) {
            const struct plan_variant *v = plan_find(&figure->plan, figure->plan.variants.word.p[k]);
            const struct plan_variant *over = plan_divisor(&figure->plan, v);
            if (over && over != shown && over != v)
                put_command(f, r, figure_point(l, figure, over, figure->program.p[p]), over);
            shown = over;
            put_command(f, r, figure->point[p * figure->n_point + k], v);
        }
        page_table_end(f);
        free(row->link);
        row->link = xasprintf("#%s-%zu", stem, p);
    }
    fputs("</details>\n", f);
}

/* One figure says better what the page is than its folder: the page then has the figure's title. */
static bool is_alone(const struct lab *l, const struct report *r)
{
    return l->figure.n == 1 && report_title(l, r) == r->title;
}

void report_page_figure(FILE *f, const struct report *r, struct lab *l, struct lab_figure *figure, const char *svg,
                        size_t svg_bytes, const struct report_claim *claim, size_t n_claim)
{
    char stem[64], alt[300];
    plan_stem(&figure->plan, stem);
    fprintf(f, "<section id=\"%s\">\n", stem);
    if (figure->plan.number || !is_alone(l, r)) {
        fputs("<h2>", f);
        put_heading(f, figure);
        fputs("</h2>\n", f);
    }
    if (figure->plan.not_reproduced) {
        page_printf(f, "Not reproduced: %s", figure->plan.not_reproduced);
        fputs("</section>\n", f);
        return;
    }
    if (figure->plan.lead)
        page_element(f, "p", figure->plan.lead);
    if (svg) {
        snprintf(alt, sizeof alt, "%.140s: %.140s", figure->plan.title, figure->axis);
        fputs("<figure>\n", f);
        page_picture(f, svg, svg_bytes, alt);
        fputs("</figure>\n", f);
    }
    put_claims(f, claim, n_claim);
    put_why(f, r, l, figure);
    char *commands = NULL; /* written first, since rows of the table lead to them */
    size_t commands_n = 0;
    FILE *later = text_stream(&commands, &commands_n);
    if (figure->plan.kind == PLAN_BARS || figure->plan.kind == PLAN_INTERACTIONS)
        put_commands(later, r, l, figure);
    fclose(later);
    /* The picture shows a curve, and the few values printed in it. */
    const bool folded = figure->table.row.n > 40 || figure->plan.kind == PLAN_OVERVIEW || why_has(figure);
    if (figure->table.row.n) {
        fputs(folded ? "<details><summary>The table</summary>\n" : "", f);
        page_table(f, &figure->table, figure->plan.kind == PLAN_BARS ? "program" : "");
        fputs(folded ? "</details>\n" : "", f);
    }
    put_found(f, figure);
    put_notes(f, figure);
    fputs(commands, f);
    free(commands);
    put_origin(f, r, l, figure);
    fputs("</section>\n", f);
}

/* ---- the page ---- */

static void put_fact(FILE *f, unsigned count, const char *what)
{
    fputs("<div>", f);
    page_element(f, "dt", what);
    fprintf(f, "<dd>%u</dd></div>\n", count);
}

static void put_summary(FILE *f, const struct report_claim *c, size_t n)
{
    static const char *const heads[] = {"<figure", "<claim", "published", "weir", "<verdict", NULL};
    unsigned count[VERDICT_NOT_JUDGED + 1] = {0};
    for (size_t i = 0; i < n; i++)
        count[c[i].judged.verdict]++;
    fputs("<dl class=\"facts\">\n", f);
    put_fact(f, count[VERDICT_HOLDS], "claims hold");
    put_fact(f, count[VERDICT_DIRECTION], "hold in direction only");
    put_fact(f, count[VERDICT_FAILS], "do not hold");
    if (count[VERDICT_NOT_JUDGED])
        put_fact(f, count[VERDICT_NOT_JUDGED], "are not judged");
    fputs("</dl>\n", f);
    fputs("<div class=\"scroll\"><table class=\"sortable cards\">\n", f);
    page_heads(f, heads);
    for (size_t i = 0; i < n; i++) {
        page_row(f, false);
        page_element(f, "td class=\"left\" data-name=\"figure\"", c[i].claim->figure);
        page_element(f, "td class=\"wide\"", c[i].claim->quote);
        page_element(f, "td data-name=\"published\"", c[i].published);
        page_element(f, "td data-name=\"weir\"", c[i].judged.text);
        fputs("<td class=\"left\">", f);
        put_verdict(f, &c[i].judged);
        fputs("</td>", f);
        page_row_end(f);
    }
    page_table_end(f);
}

static void put_mean(FILE *f, const struct table *t, const struct table_row *r)
{
    fputs("<dl class=\"facts\">\n", f);
    for (size_t c = 0; c < t->column.n; c++) {
        fputs("<div>", f);
        page_element(f, "dt", t->column.p[c].label);
        fputs("<dd>", f);
        char text[32];
        table_cell(t, c, r->cell[c], text);
        page_text(f, text);
        fputs("</dd></div>\n", f);
    }
    fputs("</dl>\n", f);
}

/* What a sweep without published values begins with: the means. */
static void put_means(FILE *f, const struct lab *l)
{
    for (size_t i = 0; i < l->figure.n; i++) {
        const struct lab_figure *x = &l->figure.p[i];
        for (size_t k = 0; k < x->table.row.n; k++) {
            if (!x->table.row.p[k].mean)
                continue;
            fputs("<p>", f);
            page_printf(f, "%s%s%s, %s:", l->figure.n > 1 ? x->plan.title : "", l->figure.n > 1 ? ": " : "", x->axis,
                        x->table.row.p[k].label);
            fputs("</p>\n", f);
            put_mean(f, &x->table, &x->table.row.p[k]);
        }
    }
}

static void put_contents(FILE *f, const struct lab *l)
{
    if (l->figure.n < 2)
        return;
    fputs("<nav class=\"toc\"><ul>\n", f);
    for (size_t i = 0; i < l->figure.n; i++) {
        char stem[64];
        if (l->figure.p[i].plan.kind == PLAN_OVERVIEW)
            continue;
        plan_stem(&l->figure.p[i].plan, stem);
        fprintf(f, "<li><a href=\"#%s\">", stem);
        put_heading(f, &l->figure.p[i]);
        fputs("</a></li>\n", f);
    }
    fputs("</ul></nav>\n", f);
}

void report_page(FILE *f, const struct report *r, const struct lab *l, const struct report_claim *c, size_t n,
                 const char *sections)
{
    const char *lead = NULL;
    for (size_t i = 0; i < l->figure.n && !lead; i++)
        lead = l->figure.p[i].plan.study_lead;
    char *origin = report_origin(l, r);
    page_begin(f, is_alone(l, r) ? l->figure.p[0].plan.title : report_title(l, r), lead);
    if (n)
        put_summary(f, c, n);
    else
        put_means(f, l);
    /* The overview precedes the list of figures. */
    const char *rest = strstr(sections, "</section>\n");
    rest = rest && l->figure.p[0].plan.kind == PLAN_OVERVIEW ? rest + strlen("</section>\n") : sections;
    fwrite(sections, 1, (size_t)(rest - sections), f);
    put_contents(f, l);
    fputs(rest, f);
    page_element(f, "p class=\"origin\"", origin);
    free(origin);
    page_end(f, "Made by weir. This page is self-contained.");
}
