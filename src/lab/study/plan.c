/* Reads plans; see plan.h. */
#include "study/plan.h"

#include "base/out_of_memory.h"
#include "base/text.h"
#include "base/nearest.h"
#include "study/axes.h"
#include "study/curves.h"
#include "chart/plot.h"
#include "gpu/gpu.h"
#include "study/search.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

static const char *const kind_names[PLAN_KINDS] = {"bars",   "loads",        "locality", "counts",
                                                   "aps",    "decisions",    "reuse",    "iterations",
                                                   "phases", "interactions", "overview"};

struct reading {
    struct plan *p;
    bool is_base; /* the shared file: its [figure] is not ours */
};

/* ---- keys ---- */

#define COUNT(keys)          (sizeof(keys) / sizeof *(keys))
#define TEXT(of, field)      INIFILE_TEXT, offsetof(struct of, field)
#define PLACED(of, field)    TEXT(of, field), offsetof(struct of, field##_at)
#define WORDS(of, field)     INIFILE_WORDS, offsetof(struct of, field)
#define SWITCH(field, words) INIFILE_SWITCH, offsetof(struct plan, field), 0, words, 2

static const char *const averages[] = {"arithmetic", "geometric"}, *const empties[] = {"zero", "skip"};
static const struct inifile_key figure_keys[] = {
    {"number", PLACED(plan, number)},
    {"title", TEXT(plan, title)},
    {"machine", PLACED(plan, machine)},
    {"metric", PLACED(plan, metric)},
    {"axis", TEXT(plan, axis)},
    {"normalize", PLACED(plan, normalize)},
    {"not_reproduced", TEXT(plan, not_reproduced)},
    {"lead", TEXT(plan, lead)},
    {"note", TEXT(plan, note)},
    {"maximize", PLACED(plan, maximize)},
    {"base", PLACED(plan, base)},
    {"published", PLACED(plan, published)},
    {"programs", WORDS(plan, programs)},
    {"variants", WORDS(plan, variants)},
    {"means", WORDS(plan, means)},
    {"plugin", WORDS(plan, plugins)},
    {"parts", WORDS(plan, parts)},
    {"kind", INIFILE_CHOICE, offsetof(struct plan, kind), 0, kind_names, PLAN_KINDS},
    {"draw", INIFILE_CHOICE, offsetof(struct plan, draw), 0, plot_style_name, PLOT_STYLES},
    {"average", SWITCH(geometric, averages)},
    {"empty", SWITCH(skip_empty, empties)},
};
static const struct inifile_key paper_keys[] = {
    {"name", TEXT(plan, paper)},   {"title", TEXT(plan, paper_title)}, {"programs", WORDS(plan, order)},
    {"first", WORDS(plan, first)}, {"cflags", PLACED(plan, cflags)},   {"published", PLACED(plan, published)},
};
static const struct inifile_key study_keys[] = {
    {"title", TEXT(plan, study_title)},
    {"lead", TEXT(plan, study_lead)},
};
static const struct inifile_key variant_keys[] = {
    {"label", TEXT(plan_variant, label)},
    {"machine", PLACED(plan_variant, machine)},
    {"with", PLACED(plan_variant, with)},
    {"over", PLACED(plan_variant, over)},
    {"set", WORDS(plan_variant, set)},
    {"best"},
    {"refine"},
};
static const struct inifile_key program_keys[] = {
    {"run", PLACED(plan_program, run)},
    {"label", TEXT(plan_program, label)},
    {"first"},
};
static const char key_hint[] = "docs/reproduce.md lists the keys";

/* "swl.limit: 2 4 8" */
static int read_search(struct plan_variant *v, const struct inifile_item *i, struct err *e)
{
    const char *colon = strchr(i->value, ':');
    const char *values = i->value;
    if (!(i->continued && v->best.n && !colon)) {
        if (!colon || colon == i->value)
            return err_at(e, i->file, i->line, 0, "best = %s: write it as KEY: VALUE VALUE ...", i->value);
        size_t n = (size_t)(colon - i->value);
        while (n && isspace((unsigned char)i->value[n - 1]))
            n--;
        VEC_PUSH(&v->best, (struct plan_search){.key = xstrndup(i->value, n), .at = {i->file, i->line}});
        values = colon + 1;
    }
    struct plan_search *s = &v->best.p[v->best.n - 1];
    inifile_split(&s->value, values);
    return s->value.word.n ? 0 : err_at(e, i->file, i->line, 0, "best = %s: no values to try", i->value);
}

static int read_variant(struct plan *p, const char *name, const struct inifile_item *i, struct err *e)
{
    struct plan_variant *v = (struct plan_variant *)plan_find(p, name);
    if (!v) {
        VEC_PUSH(&p->variant, (struct plan_variant){.name = xstrdup(name), .at = {i->file, i->line}});
        v = &p->variant.p[p->variant.n - 1];
    } else if (strcmp(v->at.file, i->file))
        return err_at(e, i->file, i->line, 0, "variant '%s' is already in %s", name, v->at.file);
    const int status = inifile_take(variant_keys, COUNT(variant_keys), v, i, key_hint, e);
    if (status <= 0)
        return status;
    if (!strcmp(i->key, "best"))
        return read_search(v, i, e);
    v->refine_at = INIFILE_PLACE(i);
    v->refine = !strcmp(i->value, "yes");
    return v->refine || !strcmp(i->value, "no")
               ? 0
               : INIFILE_FAULT(v->refine_at, e, "refine = %s: write yes or no", i->value);
}

const struct plan_program *plan_own_program(const struct plan *p, const char *name)
{
    for (size_t i = 0; i < p->program.n; i++)
        if (!strcmp(p->program.p[i].name, name))
            return &p->program.p[i];
    return NULL;
}

static int read_program(struct plan *p, const char *name, const struct inifile_item *i, struct err *e)
{
    struct plan_program *own = (struct plan_program *)plan_own_program(p, name);
    if (!own) {
        VEC_PUSH(&p->program, (struct plan_program){.name = xstrdup(name), .at = INIFILE_PLACE(i)});
        own = &p->program.p[p->program.n - 1];
    }
    if (!strncmp(i->key, "run ", 4)) {
        const char *variant = i->key + 4 + strspn(i->key + 4, " ");
        if (!own->version.n || strcmp(own->version.p[own->version.n - 1].variant, variant))
            VEC_PUSH(&own->version, (struct plan_version){.variant = xstrdup(variant), .at = INIFILE_PLACE(i)});
        return inifile_text(&own->version.p[own->version.n - 1].run, i, e);
    }
    const int status = inifile_take(program_keys, COUNT(program_keys), own, i, key_hint, e);
    if (status <= 0)
        return status;
    own->first = (unsigned)atoi(i->value);
    return own->first ? 0 : err_at(e, i->file, i->line, 0, "first = %s: write a number of launches", i->value);
}

void plan_add_statistic(struct plan_statistics *all, const struct inifile_item *i)
{
    struct plan_statistic s = {.metric = xstrdup(i->value), .at = INIFILE_PLACE(i)};
    s.percent = text_ends_in(i->key, " %");
    s.label = xstrndup(i->key, strlen(i->key) - (s.percent ? 2 : 0));
    VEC_PUSH(&all->one, s);
}

void plan_free_statistics(struct plan_statistics *all)
{
    for (size_t i = 0; i < all->one.n; i++) {
        free(all->one.p[i].label);
        free(all->one.p[i].metric);
    }
    VEC_FREE(&all->one);
}

static int read_paper(struct plan *p, const struct inifile_item *i, struct err *e)
{
    if (inifile_take(paper_keys, COUNT(paper_keys), p, i, key_hint, e))
        return -1;
    for (size_t k = 0; k < p->first.word.n; k++) {
        const char *colon = strchr(p->first.word.p[k], ':');
        if (!colon || atoi(colon + 1) < 1)
            return err_at(e, i->file, i->line, 0, "first = %s: write it as PROGRAM:LAUNCHES", i->value);
    }
    return 0;
}

static int on_item(void *ctx, const struct inifile_item *i, struct err *e)
{
    struct reading *r = ctx;
    struct plan *p = r->p;
    if (!strcmp(i->section, "figure"))
        return r->is_base ? err_at(e, i->file, i->line, 0, "a base file has variants and a [paper], no [figure]")
                          : inifile_take(figure_keys, COUNT(figure_keys), p, i, key_hint, e);
    if (!strcmp(i->section, "paper"))
        return read_paper(p, i, e);
    if (!strncmp(i->section, "variant ", 8) && i->section[8])
        return read_variant(p, i->section + 8, i, e);
    if (!strncmp(i->section, "program ", 8) && i->section[8])
        return read_program(p, i->section + 8, i, e);
    if (!strcmp(i->section, "sweep"))
        return axes_read(p, i, e);
    if (!strcmp(i->section, "study"))
        return inifile_take(study_keys, COUNT(study_keys), p, i, key_hint, e);
    if (!strcmp(i->section, "explain")) {
        plan_add_statistic(&p->explain, i);
        return 0;
    }
    err_at(e, i->file, i->line, 0, "there is no section [%s]", i->section);
    static const char *const sections[] = {"figure", "variant", "sweep", "program", "explain", "study", "paper"};
    const size_t n = strcspn(i->section, " ");
    char *word = xstrndup(i->section, n);
    const char *near = nearest_name(word, sections, COUNT(sections));
    free(word);
    return near ? err_hint(e, "did you mean [%s%s]?", near, i->section + n)
                : err_hint(
                      e,
                      "sections are [figure], [variant NAME], [sweep], [program NAME], [explain], [study] and [paper]");
}

/* ---- files ---- */

static char *keep(struct plan *p, char *text)
{
    VEC_PUSH(&p->text, text);
    return text;
}

static char *beside_file(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    const int folder = name[0] != '/' && slash ? (int)(slash - file) + 1 : 0;
    return xasprintf("%.*s%s", folder, file, name);
}

char *plan_beside(const struct plan *p, const char *name)
{
    return beside_file(p->path, name);
}

/* The path of a file that the plan or its base names. NULL: it cannot be read. */
static char *beside(struct plan *p, const char *key, const char *name, struct inifile_place at, struct err *e)
{
    char *path = keep(p, beside_file(at.file, name));
    if (access(path, R_OK) == 0)
        return path;
    INIFILE_FAULT(at, e, "%s = %s: there is no file %s", key, name, path);
    return NULL;
}

static int read_base(struct reading *r, struct err *e)
{
    const char *path = beside(r->p, "base", r->p->base, r->p->base_at, e);
    r->is_base = true;
    return path ? inifile_read(path, on_item, r, e) : -1;
}

const struct plan_variant *plan_find(const struct plan *p, const char *name)
{
    for (size_t i = 0; i < p->variant.n; i++)
        if (!strcmp(p->variant.p[i].name, name))
            return &p->variant.p[i];
    return NULL;
}

bool plan_simulates(const struct plan *p)
{
    return p->kind == PLAN_BARS || p->kind == PLAN_LOADS || p->kind == PLAN_DECISIONS || p->kind == PLAN_PHASES ||
           p->kind == PLAN_INTERACTIONS;
}

bool plan_analyses(const struct plan *p)
{
    return p->kind == PLAN_DECISIONS || (!plan_simulates(p) && p->kind != PLAN_OVERVIEW);
}

unsigned plan_launches(const struct plan *p, const char *label)
{
    size_t n = strlen(label);
    for (size_t i = 0; i < p->first.word.n; i++)
        if (!strncmp(p->first.word.p[i], label, n) && p->first.word.p[i][n] == ':')
            return (unsigned)atoi(p->first.word.p[i] + n + 1);
    return 0;
}

/* "fig12", or the plan's file name without .ini. */
void plan_stem(const struct plan *p, char out[64])
{
    if (p->number && strlen(p->number) < 20 &&
        strspn(p->number, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == strlen(p->number)) {
        snprintf(out, 64, "fig%s", p->number);
        return;
    }
    const char *slash = strrchr(p->path, '/'), *name = slash ? slash + 1 : p->path;
    snprintf(out, 64, "%.50s", name);
    char *dot = strrchr(out, '.');
    if (dot)
        *dot = 0;
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
            *c = '_';
}

const char *plan_label(const struct plan_variant *v)
{
    return v->label ? v->label : v->name;
}

const char *plan_machine_of(const struct plan *p, const struct plan_variant *v)
{
    return v && v->machine ? v->machine : p->machine ? p->machine : GPU_DEFAULT;
}

const struct plan_variant *plan_divisor(const struct plan *p, const struct plan_variant *v)
{
    const char *name = v->over ? v->over : p->normalize;
    return name ? plan_find(p, name) : NULL;
}

static int check_name(const struct plan *p, const char *name, struct inifile_place at, struct err *e)
{
    if (plan_find(p, name))
        return 0;
    INIFILE_FAULT(at, e, "there is no variant '%s'", name);
    const char *names[256] = {"first"};
    unsigned n = at.line ? 0 : 1; /* on the command line the first may be called so */
    for (size_t i = 0; i < p->variant.n && n < 256; i++)
        names[n++] = p->variant.p[i].name;
    const char *near = nearest_name(name, names, n);
    if (near)
        return err_hint(e, "did you mean '%s'?", near);
    return at.line ? err_hint(e, "write a section [variant %s]", name) : err_hint_names(e, name, names, n);
}

/* A search can only be refined between whole numbers. */
static int check_refine(const struct plan_variant *v, struct err *e)
{
    if (!v->best.n || v->best.n > SEARCH_KNOBS)
        return INIFILE_FAULT(v->refine_at, e, "refine = yes needs one to %d 'best' lines to start from", SEARCH_KNOBS);
    for (size_t i = 0; i < v->best.n; i++) {
        const struct plan_search *s = &v->best.p[i];
        if (s->value.word.n > SEARCH_VALUES / 2)
            return INIFILE_FAULT(s->at, e, "refine = yes: more than %d values of %s", SEARCH_VALUES / 2, s->key);
        long before = 0;
        for (size_t k = 0; k < s->value.word.n; k++) {
            char *end;
            long value = strtol(s->value.word.p[k], &end, 10);
            if (*end || !isdigit((unsigned char)*s->value.word.p[k]) || (k && value <= before)) {
                INIFILE_FAULT(s->at, e, "refine = yes: %s: %s is not a whole number above the one before it", s->key,
                              s->value.word.p[k]);
                return err_hint(e, "list them in ascending order, as in best = swl.limit: 1 2 4 8 24");
            }
            before = value;
        }
    }
    return 0;
}

void plan_combination(const struct plan *p, unsigned mask, char out[PLAN_NAME_BYTES])
{
    size_t at = 0;
    out[0] = 0;
    for (size_t i = 0; i < p->parts.word.n && at < PLAN_NAME_BYTES; i++)
        if (mask & 1u << i)
            at += (size_t)snprintf(out + at, PLAN_NAME_BYTES - at, "%s%s", at ? "+" : "", p->parts.word.p[i]);
}

static void add_combination(struct plan *p, unsigned mask)
{
    char name[PLAN_NAME_BYTES];
    plan_combination(p, mask, name);
    struct plan_variant v = {.name = xstrdup(name), .mask = mask};
    for (size_t i = 0; i < p->parts.word.n; i++) {
        if (!(mask & 1u << i))
            continue;
        const struct plan_variant *part = plan_find(p, p->parts.word.p[i]);
        v.at = part->at;
        text_append(&v.label, "+", plan_label(part));
        if (part->with) {
            text_append(&v.with, ",", part->with);
            v.with_at = part->with_at;
        }
        for (size_t k = 0; k < part->set.word.n; k++)
            VEC_PUSH(&v.set.word, xstrdup(part->set.word.p[k]));
        if (part->set.word.n)
            v.set.at = part->set.at;
    }
    VEC_PUSH(&p->variant, v);
}

/* The variants of a plan of interactions: its parts, then their pairs, triples and so on. */
static int combine(struct plan *p, struct err *e)
{
    const unsigned n = (unsigned)p->parts.word.n;
    if (n < 2 || n > PLAN_PARTS) {
        err_at(e, p->path, 0, 0, "kind = interactions needs 2 to %d parts, found %u", PLAN_PARTS, n);
        return err_hint(e, "write parts = apcm cart, the names of variants");
    }
    if (!p->normalize) {
        err_at(e, p->path, 0, 0, "kind = interactions needs the variant without any of its parts");
        return err_hint(e, "write normalize = NAME");
    }
    for (unsigned i = 0; i < n; i++) {
        if (check_name(p, p->parts.word.p[i], p->parts.at, e))
            return -1;
        struct plan_variant *v = (struct plan_variant *)plan_find(p, p->parts.word.p[i]);
        if (v->best.n || v->mask || v->machine)
            return INIFILE_FAULT(p->parts.at, e, "parts: '%s' is listed twice, has a search, or sets its own machine",
                                 v->name);
        v->mask = 1u << i;
    }
    for (unsigned size = 2; size <= n; size++)
        for (unsigned mask = 1; mask < 1u << n; mask++)
            if ((unsigned)__builtin_popcount(mask) == size)
                add_combination(p, mask);
    inifile_free_words(&p->variants);
    for (unsigned size = 1; size <= n; size++)
        for (unsigned mask = 1; mask < 1u << n; mask++)
            if ((unsigned)__builtin_popcount(mask) == size) {
                char name[PLAN_NAME_BYTES];
                plan_combination(p, mask, name);
                VEC_PUSH(&p->variants.word, xstrdup(name));
            }
    return 0;
}

char *plan_machine(const struct plan *p, const char *machine, struct inifile_place at)
{
    const bool is_file = strchr(machine, '/') || text_ends_in(machine, ".ini");
    return at.file && is_file ? plan_beside(p, machine) : xstrdup(machine);
}

static void find_machine(const struct plan *p, char **machine, struct inifile_place at)
{
    char *path = *machine ? plan_machine(p, *machine, at) : NULL;
    free(*machine);
    *machine = path;
}

static int check(struct plan *p, struct err *e)
{
    if (!p->title)
        return err_at(e, p->path, 0, 0, "[figure] needs a title");
    /* It becomes part of file names. */
    for (const char *c = p->number ? p->number : ""; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) {
            err_at(e, p->number_at.file, p->number_at.line, 0, "number = %s: letters, digits and - _ . only",
                   p->number);
            return err_hint(e, "the figure's files are named after it");
        }
    if (p->not_reproduced)
        return 0;
    for (size_t i = 0; i < p->program.n; i++)
        if (!p->program.p[i].run) {
            INIFILE_FAULT(p->program.p[i].at, e, "[program %s] needs a run key", p->program.p[i].name);
            return err_hint(e, "write run = ./app arguments, or run = app.wt");
        }
    for (size_t i = 0; i < p->program.n; i++)
        for (size_t k = 0; k < p->program.p[i].version.n; k++)
            if (check_name(p, p->program.p[i].version.p[k].variant, p->program.p[i].version.p[k].at, e))
                return -1;
    find_machine(p, &p->machine, p->machine_at);
    for (size_t i = 0; i < p->variant.n; i++) {
        struct plan_variant *v = &p->variant.p[i];
        find_machine(p, &v->machine, v->machine_at);
        if (v->with && !strcmp(v->with, "baseline")) { /* the machine's own policies, as in a sweep */
            free(v->with);
            v->with = NULL;
        }
    }
    if (p->sweep.n && axes_expand(p, e))
        return -1;
    if (p->draw == PLOT_CURVES && !curves_possible(p)) {
        err_at(e, p->path, 0, 0, "draw = curves needs a parameter with two or more numbers of one unit in [sweep]");
        return err_hint(e, "for example: set = l1.size: 16KiB 32KiB 64KiB");
    }
    if (p->kind == PLAN_INTERACTIONS && combine(p, e))
        return -1;
    if (p->kind != PLAN_INTERACTIONS && p->parts.word.n)
        return INIFILE_FAULT(p->parts.at, e, "parts needs kind = interactions");
    if (p->kind == PLAN_OVERVIEW)
        return 0;
    if (!p->programs.word.n) {
        err_at(e, p->path, 0, 0, "[figure] needs a programs key");
        return err_hint(e, "write programs = bfs spmv, or programs = all");
    }
    if (plan_simulates(p) && !p->variants.word.n)
        return err_at(e, p->path, 0, 0, "there is no [variant NAME] to run");
    for (size_t i = 0; i < p->variants.word.n; i++)
        if (check_name(p, p->variants.word.p[i], p->variants.at, e))
            return -1;
    for (size_t i = 0; i < p->variants.word.n; i++) {
        const struct plan_variant *v = plan_find(p, p->variants.word.p[i]);
        if ((v->over && check_name(p, v->over, v->over_at, e)) || (v->refine && check_refine(v, e)))
            return -1;
    }
    return p->normalize ? check_name(p, p->normalize, p->normalize_at, e) : 0;
}

int plan_read(struct plan *p, const char *path, struct err *e)
{
    memset(p, 0, sizeof *p);
    p->draw = -1;
    p->path = keep(p, xstrdup(path));
    struct reading r = {.p = p};
    int status = inifile_read(p->path, on_item, &r, e);
    if (!status && !p->variants.word.n) /* those of this file */
        for (size_t i = 0; i < p->variant.n; i++)
            VEC_PUSH(&p->variants.word, xstrdup(p->variant.p[i].name));
    if (!status && p->base)
        status = read_base(&r, e);
    if (!status && p->published) {
        const char *file = beside(p, "published", p->published, p->published_at, e);
        status = file ? 0 : -1;
        free(p->published);
        p->published = file ? xstrdup(file) : NULL;
    }
    for (size_t i = 0; !status && i < p->plugins.word.n; i++) {
        const char *plugin = beside(p, "plugin", p->plugins.word.p[i], p->plugins.at, e);
        status = plugin ? 0 : -1;
        free(p->plugins.word.p[i]);
        p->plugins.word.p[i] = xstrdup(plugin ? plugin : "");
    }
    if (!status)
        return plan_complete(p, e);
    plan_free(p);
    return -1;
}

int plan_complete(struct plan *p, struct err *e)
{
    if (!p->metric)
        p->metric = xstrdup("ipc");
    if (!p->maximize)
        p->maximize = xstrdup("ipc");
    if (!check(p, e))
        return 0;
    plan_free(p);
    return -1;
}

static void free_variant(struct plan_variant *v)
{
    free(v->name);
    free(v->panel);
    free(v->in_panel);
    inifile_free(variant_keys, COUNT(variant_keys), v);
    VEC_FREE(&v->choice);
    for (size_t i = 0; i < v->best.n; i++) {
        inifile_free_words(&v->best.p[i].value);
        free(v->best.p[i].key);
    }
    VEC_FREE(&v->best);
}

static void free_program(struct plan_program *p)
{
    free(p->name);
    inifile_free(program_keys, COUNT(program_keys), p);
    for (size_t k = 0; k < p->version.n; k++) {
        free(p->version.p[k].variant);
        free(p->version.p[k].run);
    }
    VEC_FREE(&p->version);
}

void plan_free(struct plan *p)
{
    free(p->within);
    inifile_free(figure_keys, COUNT(figure_keys), p);
    p->published = NULL; /* which papers may have, too */
    inifile_free(paper_keys, COUNT(paper_keys), p);
    inifile_free(study_keys, COUNT(study_keys), p);
    for (size_t i = 0; i < p->variant.n; i++)
        free_variant(&p->variant.p[i]);
    VEC_FREE(&p->variant);
    for (size_t i = 0; i < p->sweep.n; i++) {
        free(p->sweep.p[i].key);
        inifile_free_words(&p->sweep.p[i].value);
        VEC_FREE(&p->sweep.p[i].value_at);
    }
    VEC_FREE(&p->sweep);
    for (size_t i = 0; i < p->program.n; i++)
        free_program(&p->program.p[i]);
    VEC_FREE(&p->program);
    plan_free_statistics(&p->explain);
    VEC_FREE_ALL(&p->text);
    memset(p, 0, sizeof *p);
}
