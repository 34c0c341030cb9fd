/* See report.h. */
#include "report/report.h"

#include "base/out_of_memory.h"
#include "base/infile.h"
#include "base/outfile.h"
#include "base/text.h"
#include "report/claim_table.h"
#include "report/interact.h"
#include "study/curves.h"
#include "study/model.h"
#include "chart/html_page.h"
#include "report/report_page.h"
#include "report/tidy.h"
#include "report/why.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_heading(const struct lab_figure *f, bool markdown, FILE *out)
{
    fputs(markdown ? "\n## " : "\n", out);
    if (f->plan.number)
        fprintf(out, "Figure %s: ", f->plan.number);
    fprintf(out, "%s\n%s", f->plan.title, markdown ? "\n" : "");
    if (f->plan.lead)
        fprintf(out, "%s%s\n%s", markdown ? "" : "  ", f->plan.lead, markdown ? "\n" : "");
}

/* What searches ended with, one line per variant. */
static void put_found(const struct lab *l, const struct lab_figure *f, bool markdown, FILE *out)
{
    const char *bullet = markdown ? "- " : "  ";
    bool climbed = false;
    for (size_t k = 0; plan_simulates(&f->plan) && k < f->plan.variants.word.n; k++) {
        const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[k]);
        if (!v->best.n)
            continue;
        climbed |= v->refine && l->from;
        fprintf(out, "%sBest found, %s:", bullet, plan_label(v));
        for (size_t p = 0; p < f->program.n; p++) {
            char found[200];
            lab_search_outcome(f, p, k, found, sizeof found);
            const struct lab_program *program = f->program.p[p];
            fprintf(out, "%s %s %s", p ? "," : "", f->plan.paper ? program->label : program->name,
                    *found ? found : "-");
        }
        fputc('\n', out);
    }
    if (climbed)
        fprintf(out, "%sSearches started from %s with steps of one eighth\n", bullet, l->from->path);
}

/* The same as a section of found.ini. */
static void put_found_from(const struct lab_figure *f, size_t variant, FILE *out)
{
    const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[variant]);
    char found[200], stem[64];
    bool headed = false;
    plan_stem(&f->plan, stem);
    for (size_t p = 0; v->refine && p < f->program.n; p++) {
        lab_search_outcome(f, p, variant, found, sizeof found);
        if (!*found)
            continue;
        if (!headed)
            fprintf(out, "[%s/%s]\n", stem, v->name);
        headed = true;
        search_results_write(out, f->program.p[p]->name, found);
    }
}

/* What a study of another size can start from (found.h), if anything was searched. */
static int write_found(const struct lab *l, const struct report *r, struct err *e)
{
    char *text = NULL, *path = xasprintf("%s/found.ini", r->folder);
    size_t n = 0;
    FILE *out = text_stream(&text, &n);
    for (size_t i = 0; i < l->figure.n; i++)
        for (size_t k = 0; plan_simulates(&l->figure.p[i].plan) && k < l->figure.p[i].plan.variants.word.n; k++)
            put_found_from(&l->figure.p[i], k, out);
    fclose(out);
    const int bad = n ? outfile_write(path, text, n, e) : 0;
    free(text);
    free(path);
    return bad;
}

static void put_notes(const struct lab_figure *f, bool markdown, FILE *out)
{
    const char *bullet = markdown ? "- " : "  ";
    if (f->plan.note)
        fprintf(out, "%s%s\n", bullet, f->plan.note);
    if (f->absent.n) {
        fprintf(out, "%sNot in the suite:", bullet);
        for (size_t i = 0; i < f->absent.n; i++)
            fprintf(out, " %s", f->absent.p[i]);
        fputc('\n', out);
    }
    table_put_marks(&f->table, bullet, out);
    if (!table_has_values(&f->table))
        fprintf(out, "%sNo figure: no values\n", bullet);
    for (size_t i = 0; i < f->trouble.n && i < 12; i++)
        fprintf(out, "%sMissing: %s\n", bullet, f->trouble.p[i]);
    if (f->trouble.n > 12)
        fprintf(out, "%sMissing: %zu more\n", bullet, f->trouble.n - 12);
}

static void put_why(struct lab *l, const struct lab_figure *f, bool markdown, FILE *out)
{
    for (size_t p = 0; why_has(f) && p < f->program.n; p++)
        for (size_t k = 0; k < f->plan.variants.word.n; k++) {
            char *sentence = why_sentence(l, f, p, k);
            if (sentence)
                fprintf(out, "%s%s\n", markdown ? "- " : "  ", sentence);
            free(sentence);
        }
}

static void published(const struct claim *c, char out[48])
{
    switch (c->kind) {
    case CLAIM_LEAST:
        snprintf(out, 48, "≥ %s", c->value);
        break;
    case CLAIM_WITHIN:
        snprintf(out, 48, "±%s", c->value);
        break;
    case CLAIM_AHEAD:
        snprintf(out, 48, "ahead");
        break;
    default:
        snprintf(out, 48, "%s%s", c->kind == CLAIM_GAIN && c->published > 0 ? "+" : "", c->value);
    }
}

/* ---- what it rests on ---- */

const char *report_title(const struct lab *l, const struct report *r)
{
    for (size_t i = 0; i < l->figure.n; i++)
        if (l->figure.p[i].plan.study_title)
            return l->figure.p[i].plan.study_title;
    return l->figure.n && l->figure.p[0].plan.paper_title ? l->figure.p[0].plan.paper_title : r->title;
}

struct distinct {
    VEC(const char *) word;
};

static void add_distinct(struct distinct *all, const char *word)
{
    for (size_t i = 0; i < all->word.n; i++)
        if (!strcmp(all->word.p[i], word))
            return;
    VEC_PUSH(&all->word, word);
}

static void put_distinct(const char *before, struct distinct *all, FILE *out)
{
    for (size_t i = 0; i < all->word.n; i++)
        fprintf(out, "%s%s", i ? ", " : before, all->word.p[i]);
    VEC_FREE(&all->word);
}

char *report_origin(const struct lab *l, const struct report *r)
{
    struct distinct machine = {0}, flags = {0};
    char *text = NULL;
    size_t n = 0;
    FILE *out = text_stream(&text, &n);
    for (size_t i = 0; i < l->figure.n; i++) {
        const struct lab_figure *f = &l->figure.p[i];
        for (size_t k = 0; k < f->program.n * f->n_point; k++)
            if (f->point[k])
                add_distinct(&machine, f->point[k]->machine);
        for (size_t k = 0; k < f->program.n; k++)
            if (f->program.p[k]->cflags && *f->program.p[k]->cflags)
                add_distinct(&flags, f->program.p[k]->cflags);
    }
    fprintf(out, "Simulated by weir %s (commit %s, model %s)", WEIR_VERSION, WEIR_COMMIT, WEIR_MODEL);
    put_distinct(machine.word.n > 1 ? " on the machines " : " on the machine ", &machine, out);
    fputs(".", out);
    if (l->program.n && l->program.p[0].sampled > 0)
        fprintf(
            out,
            " Sampled: every simulation estimates its statistics from a part of the program, to %g%% of the cycles.",
            100 * l->program.p[0].sampled);
    if (lab_has_suite(l)) {
        fprintf(out, " Programs of the suite at size %s, compiled with ", r->size);
        fputs(flags.word.n ? "" : "the suite's own flags", out);
        put_distinct("the suite's own flags and ", &flags, out);
        fputs(".", out);
    }
    fclose(out);
    return text;
}

char *report_profile(const struct report *r, const struct point *p)
{
    if (!p)
        return NULL;
    char *page = point_page_name(p), *name = xasprintf("profiles/%s", page),
         *path = xasprintf("%s/%s", r->folder, name);
    const bool there = !access(path, R_OK);
    free(page);
    free(path);
    if (!there)
        free(name);
    return there ? name : NULL;
}

struct writing {
    struct lab *lab;
    const struct report *report;
    FILE *md, *html; /* the figures' sections, collected; NULL = nothing is written */
    FILE *screen;
    VEC(struct report_claim) claim;
};

/* A published mean is shown beside ours, whether the plan asks for that mean or not. */
static void add_claimed_mean(struct lab_figure *f, const struct claim *c)
{
    const char *rows = c->programs ? c->programs : "all";
    bool there = (c->kind != CLAIM_GAIN && c->kind != CLAIM_MEAN) || f->plan.kind != PLAN_BARS;
    for (size_t i = 0; i < f->table.row.n && !there; i++)
        there = !strcmp(f->table.row.p[i].mean ? f->table.row.p[i].group : f->table.row.p[i].label, rows);
    if (!there)
        table_add_mean(&f->table, rows);
}

/* Judges what is claimed about the figure, at the end of w->claim. */
static int compare_with_published(struct writing *w, struct lab_figure *f, struct err *e)
{
    const struct claims *all = w->report->claims;
    for (size_t i = 0; all && f->plan.number && i < all->claim.n; i++) {
        struct report_claim c = {.claim = &all->claim.p[i], .geometric = f->table.geometric};
        if (strcmp(c.claim->figure, f->plan.number))
            continue;
        if (published_compare(all, c.claim, w->lab, f, &c.judged, e))
            return -1;
        add_claimed_mean(f, c.claim);
        published(c.claim, c.published);
        VEC_PUSH(&w->claim, c);
    }
    return 0;
}

static const struct earlier_claim *earlier_of(const struct writing *w, const struct report_claim *c)
{
    return earlier_claims_find(w->report->earlier, w->report->title, c->claim->name);
}

static void put_claim(const struct writing *w, const struct report_claim *c)
{
    const struct assessment *j = &c->judged;
    const char *programs = c->claim->programs ? c->claim->programs : "all";
    const int wide = 8 - (int)text_width(c->published); /* not %-8s, which counts bytes */
    const struct earlier_claim *was = earlier_of(w, c);
    fprintf(w->screen, "  %-16s published %s%*s weir %-8s %s\n    \"%s\"\n%s%s%s", j->text_verdict, c->published,
            wide > 0 ? wide : 0, "", j->text, programs, c->claim->quote, *j->because ? "    " : "", j->because,
            *j->because ? "\n" : "");
    if (was)
        fprintf(w->screen, "    before: %s, %s\n", was->value, was->verdict);
    if (w->md)
        fprintf(w->md, "- **%s**: published %s, weir %s, %s. \"%s\"%s%s\n", j->text_verdict, c->published, j->text,
                programs, c->claim->quote, *j->because ? " " : "", j->because);
}

struct marks {
    VEC(struct plot_mark) mark;
};

/* The place of a published value in the picture: at the mean, or the program, that the claim is about. */
static void find_marks(const struct lab_figure *f, const struct report_claim *c, size_t n, struct marks *m)
{
    for (size_t i = 0; i < n; i++) {
        const struct claim *x = c[i].claim;
        const char *rows = x->programs ? x->programs : "all";
        const int column = x->of.word.n == 1 ? table_column(&f->table, x->of.word.p[0]) : -1;
        if ((x->kind != CLAIM_GAIN && x->kind != CLAIM_MEAN) || column < 0)
            continue;
        bool found = false; /* the first: below a mean there may be the one without its carrier */
        for (size_t k = 0; k < f->table.row.n && !found; k++) {
            const struct table_row *r = &f->table.row.p[k];
            if (strcmp(r->mean ? r->group : r->label, rows))
                continue;
            found = true;
            /* What our value would be with the published gain. */
            double value =
                x->kind == CLAIM_MEAN ? x->published : r->cell[column] * (1 + x->published) / (1 + c[i].judged.ours);
            if (isfinite(value))
                VEC_PUSH(&m->mark, (struct plot_mark){k, (size_t)column, value});
        }
    }
}

/* Lines over a parameter: where the plan says so, and where bars would be too many for each program. */
static bool is_curves(const struct lab_figure *f)
{
    enum { MANY = 12 };
    return f->plan.draw == PLOT_CURVES || (f->plan.draw < 0 && f->plan.kind == PLAN_BARS && !f->plan.within &&
                                           f->table.column.n >= MANY && curves_possible(&f->plan));
}

static int write_table(struct lab *l, const struct lab_figure *f, const char *stem, struct err *e)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.txt", stem);
    struct outfile *out = outfile_open(path, e);
    if (!out)
        return -1;
    table_print(&f->table, false, outfile_stream(out));
    table_put_marks(&f->table, "  ", outfile_stream(out));
    if (outfile_commit(out, e))
        return -1;
    char *csv = tidy_csv(l, f);
    snprintf(path, sizeof path, "%s.csv", stem);
    const int bad = outfile_write(path, csv, strlen(csv), e);
    free(csv);
    return bad;
}

/* The first line of the text that is a sentence: it ends in a stop, as no line of a table does. */
static char *first_sentence(char *text)
{
    char *at = text;
    for (char *end = strchr(at, '\n'); end; at = end + 1, end = strchr(at, '\n'))
        if (end > at && end[-1] == '.')
            return at;
    return at + strlen(at);
}

/* The analysis of combinations on the page: the words of the screen, its tables as they are and its sentences, which
 * come last, as text that finds its own lines. */
static void put_interactions(const struct writing *w, const struct lab_figure *f)
{
    char *text = NULL, *next = NULL;
    size_t n = 0;
    FILE *out = text_stream(&text, &n);
    interact_print(w->lab, f, w->report->claims, false, out);
    fclose(out);
    char *sentence = first_sentence(text);
    char *tables = xstrndup(text, (size_t)(sentence - text));
    if (tables[strspn(tables, " \n")])
        page_element(w->html, "pre", tables);
    for (char *line = strtok_r(sentence, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
        page_element(w->html, "p", line + strspn(line, " "));
    free(tables);
    free(text);
}

/* The figure's files and its places in the reports. 1: it could not be drawn (*e). */
static int write_figure(struct writing *w, struct lab_figure *f, const struct report_claim *c, size_t n, struct err *e)
{
    char name[64], stem[PATH_MAX];
    int drawn = 0;
    plan_stem(&f->plan, name);
    if (snprintf(stem, sizeof stem, "%s/%s", w->report->folder, name) >= (int)sizeof stem - 8)
        return err_at(e, w->report->folder, 0, 0, "the name is too long");
    table_print(&f->table, true, w->md);
    if (table_has_values(&f->table))
        fprintf(w->md, "\n![%s](%s.svg)\n\n", f->plan.title, name);
    if (f->plan.kind == PLAN_INTERACTIONS)
        interact_print(w->lab, f, w->report->claims, true, w->md);
    put_found(w->lab, f, true, w->md);
    put_why(w->lab, f, true, w->md);
    put_notes(f, true, w->md);
    if (write_table(w->lab, f, stem, e))
        return -1;
    struct marks marks = {0};
    struct plot plot = lab_plot(f);
    find_marks(f, c, n, &marks);
    if (plot.style == PLOT_BARS) {
        plot.mark = marks.mark.p;
        plot.n_mark = marks.mark.n;
    }
    plot.formats = w->report->formats;
    char *svg = NULL;
    size_t bytes = 0;
    /* All programs under all combinations are no picture; the means of the combinations are. */
    struct table means = f->plan.kind == PLAN_INTERACTIONS ? interact_means(f) : (struct table){0};
    char *words = is_curves(f) ? curves_of(f, &means, &plot) : NULL;
    if (table_has_values(&f->table)) {
        drawn = plot_write(means.row.n ? &means : &f->table, &plot, stem, e) ? 1 : 0;
        char *path = xasprintf("%s.svg", stem);
        svg = drawn ? NULL : infile_bytes(path, &bytes);
        free(path);
    }
    table_free(&means);
    free(words);
    report_page_figure(w->html, w->report, w->lab, f, svg, bytes, c, n);
    if (f->plan.kind == PLAN_INTERACTIONS)
        put_interactions(w, f);
    free(svg);
    VEC_FREE(&marks.mark);
    return drawn;
}

/* A hundred rows over time are no reading for a screen; their means are. */
static void put_course(const struct lab_figure *f, FILE *screen)
{
    for (unsigned c = 0; c < f->table.column.n; c++)
        fprintf(screen, "  %-16s %5.1f%% of the SMs, on average\n", f->table.column.p[c].label,
                100 * table_mean(&f->table, c, "all", NULL, NULL));
}

static int put_figure(struct writing *w, struct lab_figure *f, struct err *e)
{
    const size_t first = w->claim.n;
    put_heading(f, false, w->screen);
    if (w->md)
        put_heading(f, true, w->md);
    if (f->plan.not_reproduced) {
        fprintf(w->screen, "  Not reproduced: %s\n", f->plan.not_reproduced);
        if (w->md) {
            fprintf(w->md, "Not reproduced: %s\n", f->plan.not_reproduced);
            report_page_figure(w->html, w->report, w->lab, f, NULL, 0, NULL, 0);
        }
        return 0;
    }
    if (compare_with_published(w, f, e))
        return -1;
    if (f->plan.kind == PLAN_PHASES)
        put_course(f, w->screen);
    else
        table_print(&f->table, false, w->screen);
    if (f->plan.kind == PLAN_INTERACTIONS)
        interact_print(w->lab, f, w->report->claims, false, w->screen);
    put_found(w->lab, f, false, w->screen);
    put_why(w->lab, f, false, w->screen);
    put_notes(f, false, w->screen);
    const int drawn = w->md ? write_figure(w, f, w->claim.n ? w->claim.p + first : NULL, w->claim.n - first, e) : 0;
    for (size_t i = first; i < w->claim.n; i++)
        put_claim(w, &w->claim.p[i]);
    return drawn;
}

static void put_summary(const struct writing *w, FILE *out)
{
    unsigned count[VERDICT_NOT_JUDGED + 1] = {0};
    for (size_t i = 0; i < w->claim.n; i++)
        count[w->claim.p[i].judged.verdict]++;
    fprintf(out, "%u claims hold, %u hold in direction only, %u do not hold", count[VERDICT_HOLDS],
            count[VERDICT_DIRECTION], count[VERDICT_FAILS]);
    if (count[VERDICT_NOT_JUDGED])
        fprintf(out, ", %u are not judged", count[VERDICT_NOT_JUDGED]);
    fputs(".\n", out);
}

int report_folder(const char *path, struct err *e)
{
    char part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part)
        return err_at(e, path, 0, 0, "the name is too long");
    for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = 0;
        if (mkdir(part, 0777) && errno != EEXIST)
            return err_at(e, part, 0, 0, "cannot create the folder: %s", strerror(errno));
        if (!slash)
            return 0;
        *slash = '/';
    }
}

int report_check(const char *folder, struct err *e)
{
    char path[PATH_MAX + 16];
    if (report_folder(folder, e))
        return -1;
    snprintf(path, sizeof path, "%.4000s/report.md", folder);
    return outfile_check(path, e);
}

static void put_markdown(const struct writing *w, const char *body, FILE *out)
{
    char *origin = report_origin(w->lab, w->report);
    fprintf(out, "# %s\n\n%s\n", report_title(w->lab, w->report), origin);
    free(origin);
    if (w->claim.n) {
        fputc('\n', out);
        put_summary(w, out);
        fputs(w->report->earlier ? "\n| figure | claim | published | before | its verdict | weir | verdict |\n"
                                   "|---|---|--:|--:|---|--:|---|\n"
                                 : "\n| figure | claim | published | weir | verdict |\n|---|---|--:|--:|---|\n",
              out);
    }
    for (size_t i = 0; i < w->claim.n; i++) {
        const struct report_claim *c = &w->claim.p[i];
        const struct earlier_claim *was = earlier_of(w, c);
        fprintf(out, "| %s | %s | %s |", c->claim->figure, c->claim->quote, c->published);
        if (w->report->earlier)
            fprintf(out, " %s | %s |", was ? was->value : "", was ? was->verdict : "");
        fprintf(out, " %s | %s |\n", c->judged.text, c->judged.text_verdict);
    }
    fputs(body, out);
}

/* report.md or report.html in the folder. */
static int write_report(const struct writing *w, const char *name, const char *body, struct err *e)
{
    char *path = xasprintf("%s/%s", w->report->folder, name);
    struct outfile *file = outfile_open(path, e);
    free(path);
    if (!file)
        return -1;
    if (!strcmp(name, "report.html"))
        report_page(outfile_stream(file), w->report, w->lab, w->claim.p, w->claim.n, body);
    else
        put_markdown(w, body, outfile_stream(file));
    return outfile_commit(file, e);
}

/* claims.tsv in the folder, and the rows for whoever collects them. */
static int write_claims(const struct writing *w, struct err *e)
{
    const struct report *r = w->report;
    if (r->all_claims)
        claim_table_rows(r->all_claims, r->earlier, r->title, w->claim.p, w->claim.n);
    char *path = xasprintf("%s/claims.tsv", r->folder);
    struct outfile *file = outfile_open(path, e);
    free(path);
    if (!file)
        return -1;
    char *origin = report_origin(w->lab, r);
    fprintf(outfile_stream(file), "# %s\n", origin);
    free(origin);
    claim_table_head(outfile_stream(file));
    claim_table_rows(outfile_stream(file), r->earlier, r->title, w->claim.p, w->claim.n);
    return outfile_commit(file, e);
}

int report_write(struct lab *l, const struct report *r, FILE *screen, struct err *e)
{
    struct writing w = {.lab = l, .report = r, .screen = screen};
    char *body = NULL, *sections = NULL;
    size_t body_n = 0, sections_n = 0;
    if (r->folder) {
        if (report_folder(r->folder, e))
            return -1;
        w.md = text_stream(&body, &body_n);
        w.html = text_stream(&sections, &sections_n);
    }
    int status = 0;
    for (size_t i = 0; i < l->figure.n && status >= 0; i++) {
        int s = put_figure(&w, &l->figure.p[i], e);
        status = s < 0 ? s : status | s;
    }
    for (size_t i = 0; r->verdict && i < w.claim.n; i++)
        r->verdict[w.claim.p[i].judged.verdict]++;
    if (w.claim.n && status >= 0) {
        fputc('\n', screen);
        put_summary(&w, screen);
    }
    if (r->folder) {
        fclose(w.md);
        fclose(w.html);
        /* What could not be drawn is reported; everything else is written. */
        if (status >= 0 &&
            (write_found(l, r, status ? NULL : e) || (w.claim.n && write_claims(&w, status ? NULL : e)) ||
             write_report(&w, "report.md", body, status ? NULL : e) ||
             write_report(&w, "report.html", sections, status ? NULL : e)))
            status = -1;
        free(body);
        free(sections);
    }
    VEC_FREE(&w.claim);
    return status ? -1 : 0;
}
