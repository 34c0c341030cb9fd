/* What was found: for a person, as JSON, and as SARIF 2.1.0 for tools that show findings beside the source. */
#include "check/state.h"

#include "base/jsonfile.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { LIMITS = 5, SHOWN = 10 }; /* findings in full; a screen */

static const char *const severity_word[] = {"note", "warning", "error"};

/* One finding for all allocations that one place of the program made. */
void check_leaks(struct check *c)
{
    if (!(c->opts.tools & CHECK_LEAK))
        return;
    for (size_t i = 0; i < c->place.n; i++) {
        const struct place *p = &c->place.p[i];
        struct finding *f;
        if (!p->live || p->kind == EMU_MEM_MODULE || p->kind == EMU_MEM_REGISTERED ||
            !finding_new(c, LEAK, (uintptr_t)place_frame(p), 1, 0, &f))
            continue;
        char by[256];
        uint64_t bytes = 0;
        unsigned n = 0;
        for (size_t k = i; k < c->place.n; k++)
            if (c->place.p[k].live && place_frame(&c->place.p[k]) == place_frame(p)) {
                bytes += c->place.p[k].bytes;
                n++;
            }
        place_text(p, by, sizeof by);
        f->addr = p->addr;
        f->text = n == 1 ? xasprintf("the %llu bytes of allocation #%u were never freed%s%s", (unsigned long long)bytes,
                                     p->serial, *by ? "; made at " : "", by)
                         : xasprintf("%u allocations with %llu bytes were never freed%s%s; the first is #%u", n,
                                     (unsigned long long)bytes, *by ? "; made at " : "", by, p->serial);
        finding_done(c, f);
    }
}

static int by_weight(const void *pa, const void *pb)
{
    const struct finding *a = pa, *b = pb;
    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return a->count > b->count ? -1 : a->count < b->count;
}

static const char *short_file(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static void print_end(FILE *out, const char *what, const struct end *e)
{
    if (!what)
        what = "at";
    fprintf(out, "  %-6s ", what);
    if (e->file && *e->file)
        fprintf(out, "%s:%u", short_file(e->file), e->line);
    if (e->has_thread)
        fprintf(out, "  by thread (%u,%u,%u) of CTA (%u,%u,%u)", e->thread[0], e->thread[1], e->thread[2], e->cta[0],
                e->cta[1], e->cta[2]);
    fprintf(out, "%s%s\n", *e->inst ? ": " : "", e->inst);
}

static void print_finding(FILE *out, const struct finding *f)
{
    static const char *const space[] = {
        [PTX_S_GLOBAL] = "global ", [PTX_S_SHARED] = "shared ", [PTX_S_LOCAL] = "local "};
    const char *where = f->space < sizeof space / sizeof *space && space[f->space] ? space[f->space] : "";
    fprintf(out, "\n%s: %s%s%s", severity_word[f->severity], class_word[f->class], *where ? " in " : "",
            *where ? where : "");
    if (*where)
        fprintf(out, "memory");
    if (f->a.kernel)
        fprintf(out, ", kernel %s", f->a.kernel);
    if (f->count > 1 && f->class != LEAK)
        fprintf(out, " (%llu times)", (unsigned long long)f->count);
    fputc('\n', out);
    if (f->a.has_thread || f->a.file)
        print_end(out, f->a.what, &f->a);
    else if (f->a.what)
        fprintf(out, "  by     %s\n", f->a.what);
    if (f->b.has_thread || f->b.file)
        print_end(out, f->b.what, &f->b);
    else if (f->b.kernel)
        fprintf(out, "  %-6s by %s\n", f->b.what ? f->b.what : "", f->b.kernel);
    if (f->b.kernel && f->a.kernel && strcmp(f->a.kernel, f->b.kernel))
        fprintf(out, "  the second in %s\n", f->b.kernel);
    if (f->where)
        fprintf(out, "  %s\n", f->where);
    if (f->text)
        fprintf(out, "  %s\n", f->text);
    if (f->advice)
        fprintf(out, "  -> %s\n", f->advice);
}

static unsigned count(const struct check *c, enum severity s)
{
    unsigned n = 0;
    for (size_t i = 0; i < c->finding.n; i++)
        n += c->finding.p[i].severity == s && !c->finding.p[i].suppressed;
    return n;
}

static unsigned suppressed(const struct check *c)
{
    unsigned n = 0;
    for (size_t i = 0; i < c->finding.n; i++)
        n += c->finding.p[i].suppressed;
    return n;
}

/* What could not be looked at. */
static unsigned limits(const struct check *c, const char *out[LIMITS])
{
    unsigned n = 0;
    if (c->full)
        out[n++] =
            "the limit of shadow memory was reached: later accesses to further memory were not checked for races";
    if (c->unexpected)
        out[n++] =
            "a kernel wrote memory that none of its pointers to be written leads to: its earlier reads of that "
            "memory were not checked for races";
    if (c->clock_stopped)
        out[n++] = "a CTA had more than half a million synchronizations: later races in it may be missed";
    if (c->many_ctas)
        out[n++] = "a launch had more than four million CTAs: those beyond were not checked for races";
    if (c->know_full)
        out[n++] = "fences and flags of a launch needed more than 1 GiB: later races between CTAs may be missed";
    return n;
}

static void plural(FILE *out, unsigned n, const char *word, const char *end)
{
    fprintf(out, "%u %s%s%s", n, word, n == 1 ? "" : "s", end);
}

static void print(const struct check *c, FILE *out)
{
    unsigned shown = 0, more = 0;
    for (size_t i = 0; i < c->finding.n; i++) {
        const struct finding *f = &c->finding.p[i];
        if (f->suppressed || (f->severity == NOTE && !c->opts.notes))
            continue;
        if (shown < SHOWN)
            print_finding(out, f);
        else
            more++;
        shown++;
    }
    fputs(shown ? "\nweir check: " : "weir check: ", out);
    plural(out, count(c, ERROR), "error", ", ");
    plural(out, count(c, WARNING), "warning", ", ");
    plural(out, count(c, NOTE), "note", "");
    if (suppressed(c))
        fprintf(out, ", %u suppressed", suppressed(c));
    if (count(c, NOTE) && !c->opts.notes)
        fputs("; --notes shows the notes", out);
    if (more)
        fprintf(out, "; %u more than fit here, --json FILE has all", more);
    fputc('\n', out);
    const char *limit[LIMITS];
    for (unsigned i = 0, n = limits(c, limit); i < n; i++)
        fprintf(out, "weir check: %s\n", limit[i]);
}

/* ---- documents ---- */

static json_t *end_json(const struct end *e)
{
    json_t *o = json_object();
    if (e->what)
        json_object_set_new(o, "access", jsonfile_text(e->what));
    if (e->kernel)
        json_object_set_new(o, "kernel", jsonfile_text(e->kernel));
    if (e->file && *e->file) {
        json_object_set_new(o, "file", jsonfile_text(e->file));
        json_object_set_new(o, "line", json_integer(e->line));
    }
    if (*e->inst)
        json_object_set_new(o, "instruction", jsonfile_text(e->inst));
    if (e->has_thread) {
        json_object_set_new(o, "cta", json_pack("[i,i,i]", e->cta[0], e->cta[1], e->cta[2]));
        json_object_set_new(o, "thread", json_pack("[i,i,i]", e->thread[0], e->thread[1], e->thread[2]));
    }
    return o;
}

static void set_text(json_t *o, const char *key, const char *text)
{
    if (text)
        json_object_set_new(o, key, jsonfile_text(text));
}

static json_t *to_json(const struct check *c)
{
    json_t *all = json_array(), *limit = json_array();
    for (size_t i = 0; i < c->finding.n; i++) {
        const struct finding *f = &c->finding.p[i];
        json_t *o = json_pack("{s:s, s:s, s:s, s:I}", "class", class_word[f->class], "tool", class_tool[f->class],
                              "severity", severity_word[f->severity], "count", (json_int_t)f->count);
        json_object_set_new(o, "access", end_json(&f->a));
        if (f->b.kernel)
            json_object_set_new(o, "other", end_json(&f->b));
        set_text(o, "where", f->where);
        set_text(o, "text", f->text);
        set_text(o, "advice", f->advice);
        if (f->suppressed)
            json_object_set_new(o, "suppressed", json_true());
        json_array_append_new(all, o);
    }
    const char *words[LIMITS];
    for (unsigned i = 0, n = limits(c, words); i < n; i++)
        json_array_append_new(limit, json_string(words[i]));
    return json_pack("{s:s, s:o, s:{s:i, s:i, s:i, s:i}, s:o, s:o}", "schema", "weir-check-1", "program",
                     jsonfile_text(c->opts.program ? c->opts.program : ""), "total", "errors", count(c, ERROR),
                     "warnings", count(c, WARNING), "notes", count(c, NOTE), "suppressed", suppressed(c), "limits",
                     limit, "findings", all);
}

/* Relative to the working directory, where that is possible: GitHub looks for files below the repository's root. */
static char *uri_of(const char *file)
{
    static const char kept[] = "-._~/";
    char cwd[PATH_MAX];
    const size_t n = getcwd(cwd, sizeof cwd) ? strlen(cwd) : 0;
    if (n && !strncmp(file, cwd, n) && file[n] == '/')
        file += n + 1;
    while (!strncmp(file, "./", 2))
        file += 2;
    char *uri = xmalloc(3 * strlen(file) + 1), *to = uri;
    for (; *file; file++)
        if (isalnum((unsigned char)*file) || strchr(kept, *file))
            *to++ = *file;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*file);
    *to = '\0';
    return uri;
}

static json_t *location(const char *file, uint32_t line, int id)
{
    char *uri = uri_of(file);
    json_t *o = json_pack("{s:{s:{s:o}, s:{s:i}}}", "physicalLocation", "artifactLocation", "uri", jsonfile_text(uri),
                          "region", "startLine", line ? line : 1);
    if (id)
        json_object_set_new(o, "id", json_integer(id));
    free(uri);
    return o;
}

/* What happened, and the other side of a race as a link to the related location. */
static char *sarif_text(const struct finding *f)
{
    char *other = f->b.file && *f->b.file ? xasprintf(", and [%s at %s:%u](1)", f->b.what ? f->b.what : "the other",
                                                      short_file(f->b.file), f->b.line)
                                          : xasprintf("%s", "");
    char *text =
        xasprintf("%s: %s%s%s%s%s%s%s%s%s%s", class_word[f->class], f->a.what ? f->a.what : "found",
                  f->a.kernel && f->a.file ? " in "
                  : f->a.kernel            ? " by "
                                           : "",
                  f->a.kernel ? f->a.kernel : "", other, f->where ? ", at " : "", f->where ? f->where : "",
                  f->text ? ". " : "", f->text ? f->text : "", f->advice ? ". " : "", f->advice ? f->advice : "");
    free(other);
    return text;
}

static json_t *to_sarif(const struct check *c)
{
    json_t *rules = json_array(), *results = json_array();
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    for (unsigned i = 0; i < N_CLASS; i++)
        json_array_append_new(rules, json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", class_word[i], "shortDescription",
                                               "text", class_text[i], "properties", "tool", class_tool[i]));
    for (size_t i = 0; i < c->finding.n; i++) {
        const struct finding *f = &c->finding.p[i];
        if (f->suppressed)
            continue;
        char *text = sarif_text(f);
        /* Each result needs a place: what has no source line is the program's. */
        const bool source = f->a.file && *f->a.file;
        json_t *o = json_pack("{s:s, s:s, s:{s:o}, s:[o]}", "ruleId", class_word[f->class], "level",
                              severity_word[f->severity], "message", "text", jsonfile_text(text), "locations",
                              location(source ? f->a.file : program, source ? f->a.line : 1, 0));
        free(text);
        if (f->b.file && *f->b.file)
            json_object_set_new(o, "relatedLocations", json_pack("[o]", location(f->b.file, f->b.line, 1)));
        json_array_append_new(results, o);
    }
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool", "driver",
                     "name", "weir check", "informationUri", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/", "rules",
                     rules, "results", results);
}

/* A filter that nothing passes would report success of what it did not look at. */
static void check_kernel_matched(const struct check *c, struct err *e)
{
    enum { NAMED = 5 };
    char *names = xstrdup("");
    for (size_t i = 0; i < c->codes.n; i++) {
        const struct code *k = c->codes.p[i];
        if (k->wanted) {
            free(names);
            return;
        }
        if (i > NAMED)
            continue;
        char *longer = xasprintf("%s%s%s", names, i ? ", " : "", i < NAMED ? k->kernel : "...");
        free(names);
        names = longer;
    }
    if (c->codes.n) {
        err_set(e, "--kernel %s: no kernel that was launched has such a name", c->opts.kernel);
        err_hint(e, "launched were: %s", names);
    }
    free(names);
}

unsigned check_finish(struct check *c, FILE *out, const char *json, const char *sarif, struct err *e)
{
    if (c->finding.n)
        qsort(c->finding.p, c->finding.n, sizeof *c->finding.p, by_weight);
    print(c, out);
    /* The program may use jansson, too; a document must not lose a part in silence. */
    json_malloc_t its_malloc;
    json_free_t its_free;
    json_get_alloc_funcs(&its_malloc, &its_free);
    json_set_alloc_funcs(xmalloc, free);
    if (json)
        jsonfile_write(to_json(c), json, JSON_INDENT(2), e);
    if (sarif && !e->msg[0])
        jsonfile_write(to_sarif(c), sarif, JSON_INDENT(2), e);
    json_set_alloc_funcs(its_malloc, its_free);
    if (c->has_kernel && !e->msg[0])
        check_kernel_matched(c, e);
    return count(c, ERROR) + (c->opts.strict ? count(c, WARNING) : 0);
}
