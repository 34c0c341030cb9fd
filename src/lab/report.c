/* See report.h. */
#include "lab/report.h"

#include "base/outfile.h"
#include "lab/model.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>

/* "fig12", or the plan's file name without .ini. */
static void stem_of(const struct lab_figure *f, char out[64])
{
    if (f->plan.number && strlen(f->plan.number) < 20) {
        snprintf(out, 64, "fig%s", f->plan.number);
        return;
    }
    const char *slash = strrchr(f->plan.path, '/'), *name = slash ? slash + 1 : f->plan.path;
    snprintf(out, 64, "%.50s", name);
    char *dot = strrchr(out, '.');
    if (dot)
        *dot = 0;
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
            *c = '_';
}

static void put_heading(const struct lab_figure *f, bool markdown, FILE *out)
{
    fputs(markdown ? "\n## " : "\n", out);
    if (f->plan.number)
        fprintf(out, "Figure %s: ", f->plan.number);
    fprintf(out, "%s\n%s", f->plan.title, markdown ? "\n" : "");
}

/* What searches ended with, one line per variant. */
static void put_found(const struct lab_figure *f, bool markdown, FILE *out)
{
    for (size_t k = 0; plan_simulates(&f->plan) && k < f->plan.variants.word.n; k++) {
        const struct plan_variant *v = plan_find(&f->plan, f->plan.variants.word.p[k]);
        if (!v->best.n)
            continue;
        fprintf(out, "%sBest found, %s:", markdown ? "- " : "  ", v->label ? v->label : v->name);
        for (size_t p = 0; p < f->program.n; p++) {
            char found[200];
            lab_found(f, p, k, found, sizeof found);
            const struct lab_program *program = f->program.p[p];
            fprintf(out, "%s %s %s", p ? "," : "", f->plan.paper ? program->label : program->name,
                    *found ? found : "-");
        }
        fputc('\n', out);
    }
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
    for (size_t i = 0; i < f->trouble.n && i < 12; i++)
        fprintf(out, "%sMissing: %s\n", bullet, f->trouble.p[i]);
    if (f->trouble.n > 12)
        fprintf(out, "%sMissing: %zu more\n", bullet, f->trouble.n - 12);
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

struct writing {
    struct lab *lab;
    const struct report *report;
    FILE *md, *summary; /* summary: rows of the verdict table, collected */
    FILE *screen;
    unsigned count[VERDICT_UNKNOWN + 1];
};

static int put_claims(struct writing *w, struct lab_figure *f, struct err *e)
{
    const struct claims *all = w->report->claims;
    for (size_t i = 0; all && f->plan.number && i < all->claim.n; i++) {
        const struct claim *c = &all->claim.p[i];
        if (strcmp(c->figure, f->plan.number))
            continue;
        struct judgement j;
        if (claims_judge(all, c, w->lab, f, &j, e))
            return -1;
        char value[48], rows[64] = "";
        published(c, value);
        if (j.missing)
            snprintf(rows, sizeof rows, " (%u of %u programs)", j.n, j.n + j.missing);
        w->count[j.verdict]++;
        fprintf(w->screen, "  %-16s published %-8s weir %-8s %s%s\n    \"%s\"\n%s%s%s", verdict_name[j.verdict], value,
                j.text, c->programs ? c->programs : "all", rows, c->says, *j.because ? "    " : "", j.because,
                *j.because ? "\n" : "");
        if (w->md)
            fprintf(w->md, "- **%s**: published %s, weir %s%s, %s. \"%s\"%s%s\n", verdict_name[j.verdict], value,
                    j.text, rows, c->programs ? c->programs : "all", c->says, *j.because ? " " : "", j.because);
        if (w->summary)
            fprintf(w->summary, "| %s | %s | %s | %s | %s |\n", c->figure, c->says, value, j.text,
                    verdict_name[j.verdict]);
    }
    return 0;
}

static int write_table(const struct lab_figure *f, const char *stem, struct err *e)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.txt", stem);
    struct outfile *out = outfile_open(path, e);
    if (!out)
        return -1;
    table_print(&f->table, false, outfile_stream(out));
    return outfile_commit(out, e);
}

static int put_figure(struct writing *w, struct lab_figure *f, struct err *e)
{
    put_heading(f, false, w->screen);
    if (w->md)
        put_heading(f, true, w->md);
    if (f->plan.refused) {
        fprintf(w->screen, "  Not reproduced: %s\n", f->plan.refused);
        if (w->md)
            fprintf(w->md, "Not reproduced: %s\n", f->plan.refused);
        return 0;
    }
    table_print(&f->table, false, w->screen);
    put_found(f, false, w->screen);
    put_notes(f, false, w->screen);
    int drawn = 0;
    if (w->md) {
        char name[64], stem[PATH_MAX];
        stem_of(f, name);
        if (snprintf(stem, sizeof stem, "%s/%s", w->report->folder, name) >= (int)sizeof stem - 8)
            return err_at(e, w->report->folder, 0, 0, "the name is too long");
        table_print(&f->table, true, w->md);
        fprintf(w->md, "\n![%s](%s.svg)\n\n", f->plan.title, name);
        put_found(f, true, w->md);
        put_notes(f, true, w->md);
        if (write_table(f, stem, e))
            return -1;
        struct plot plot = lab_plot(f);
        if (f->table.row.n && f->table.column.n)
            drawn = plot_write(&f->table, &plot, stem, e) ? 1 : 0;
    }
    struct err claim_e;
    if (put_claims(w, f, &claim_e)) {
        if (e)
            *e = claim_e;
        return -1;
    }
    return drawn;
}

static void put_summary(const struct writing *w, FILE *out)
{
    fprintf(out, "%u claims hold, %u hold in direction only, %u do not hold", w->count[VERDICT_HOLDS],
            w->count[VERDICT_DIRECTION], w->count[VERDICT_FAILS]);
    if (w->count[VERDICT_UNKNOWN])
        fprintf(out, ", %u are not known yet", w->count[VERDICT_UNKNOWN]);
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

int report_write(struct lab *l, const struct report *r, FILE *screen, struct err *e)
{
    struct writing w = {.lab = l, .report = r, .screen = screen};
    char path[PATH_MAX] = "", *body = NULL, *rows = NULL;
    size_t body_n = 0, rows_n = 0;
    if (r->folder) {
        if (report_folder(r->folder, e))
            return -1;
        snprintf(path, sizeof path, "%.4000s/report.md", r->folder);
        w.md = open_memstream(&body, &body_n);
        w.summary = open_memstream(&rows, &rows_n);
    }
    int status = 0;
    for (size_t i = 0; i < l->figure.n && status >= 0; i++) {
        int s = put_figure(&w, &l->figure.p[i], e);
        status = s < 0 ? s : status | s;
    }
    bool judged = w.count[0] + w.count[1] + w.count[2] + w.count[3] > 0;
    if (judged && status >= 0) {
        fputc('\n', screen);
        put_summary(&w, screen);
    }
    if (r->folder) {
        fclose(w.md);
        fclose(w.summary);
        struct outfile *file = status < 0 ? NULL : outfile_open(path, e);
        if (file) {
            FILE *out = outfile_stream(file);
            fprintf(out, "# %s\n\nSize of the programs: %s. Model of the machine: %s.\n", r->title, r->size,
                    WEIR_MODEL);
            if (judged) {
                fputc('\n', out);
                put_summary(&w, out);
                fprintf(out, "\n| figure | claim | published | weir | verdict |\n|---|---|--:|--:|---|\n%s", rows);
            }
            fputs(body, out);
            if (outfile_commit(file, e))
                status = -1;
        } else {
            status = -1;
        }
        free(body);
        free(rows);
    }
    return status ? -1 : 0;
}
