/*
 * What a plan makes weir execute: plugins, programs, and compilations with flags of its own. Plans may come from
 * others, so those that did not come with weir do it only with the user's word: --trust, or an answer on the terminal.
 * Where nothing is run (weir report) they are never executed, and a plugin is loaded only by name on the command line.
 * What the command line names is the user's own.
 */
#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/study.h"
#include "gpu/plugin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static bool came_with_weir(const struct plan *p)
{
    char plans[PATH_MAX], ours[PATH_MAX], real[PATH_MAX];
    if (paths_find(PATHS_PLANS, plans, sizeof plans) || !realpath(plans, ours) || !realpath(p->path, real))
        return false;
    const size_t n = strlen(ours);
    return !strncmp(real, ours, n) && real[n] == '/';
}

struct deeds {
    FILE *out;
    size_t n;
};

static void add(struct deeds *d, const struct inifile_place *at, const char *what, const char *object)
{
    fprintf(d->out, "%s%s '", d->n++ ? ", " : "", what);
    text_put(object, d->out);
    fprintf(d->out, "' (%s:%d)", at->file, at->line);
}

/* A recording alone: behind its first word, a program may have arguments of any name. */
static bool is_recording(const char *run)
{
    return text_ends_in(run, ".wt") && !strpbrk(run, " \t\"'");
}

static void add_deeds(struct deeds *d, const struct study *a, const struct plan *p)
{
    for (size_t i = 0; i < p->plugins.word.n; i++)
        add(d, &p->plugins.at, "load", p->plugins.word.p[i]);
    for (size_t i = 0; i < p->program.n; i++)
        if (p->program.p[i].run && p->program.p[i].run_at.file && !is_recording(p->program.p[i].run))
            add(d, &p->program.p[i].run_at, "run", p->program.p[i].run);
    for (size_t i = 0; i < p->program.n; i++)
        for (size_t k = 0; k < p->program.p[i].version.n; k++)
            if (!is_recording(p->program.p[i].version.p[k].run))
                add(d, &p->program.p[i].version.p[k].at, "run", p->program.p[i].version.p[k].run);
    for (size_t i = 0; p->programs.at.file && i < p->programs.word.n; i++)
        if (strchr(p->programs.word.p[i], '/') && !text_ends_in(p->programs.word.p[i], ".wt"))
            add(d, &p->programs.at, "run", p->programs.word.p[i]);
    if (p->cflags && !a->cflags)
        add(d, &p->cflags_at, "compile with", p->cflags);
}

static int ask(const char *deeds, struct err *e)
{
    char answer[16] = "";
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        err_set(e, "the plan would %.400s", deeds);
        return err_hint(e, "if you trust it, add --trust");
    }
    fprintf(stderr, "weir: the plan will %s; continue? [y/N] ", deeds);
    if (fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y'))
        return 0;
    return err_set(e, "nothing was run");
}

int study_ask(const struct study *a, struct err *e)
{
    char *text = NULL;
    size_t bytes = 0;
    struct deeds d = {.out = text_stream(&text, &bytes)};
    for (size_t i = 0; i < a->plan.n; i++)
        if (!came_with_weir(&a->plan.p[i]))
            add_deeds(&d, a, &a->plan.p[i]);
    fclose(d.out);
    const int status = d.n && !a->trust && !a->no_run ? ask(text, e) : 0;
    free(text);
    return status;
}

static bool is_loaded(const char *path)
{
    char real[PATH_MAX];
    for (unsigned i = 0; realpath(path, real) && i < plugin_count(); i++)
        if (!strcmp(plugin_path(i), real))
            return true;
    return false;
}

int study_load_plugins(const struct study *a, struct err *e)
{
    for (size_t i = 0; i < a->plan.n; i++) {
        const struct plan *p = &a->plan.p[i];
        for (size_t k = 0; k < p->plugins.word.n; k++) {
            const char *path = p->plugins.word.p[k];
            if (a->no_run && !is_loaded(path)) {
                INIFILE_FAULT(p->plugins.at, e, "plugin = %s: a report loads no plugin that only the plan names", path);
                return err_hint(e, "name it on the command line, too: --plugin %s", path);
            }
            if (plugin_load(path, e))
                return -1;
        }
    }
    return 0;
}
