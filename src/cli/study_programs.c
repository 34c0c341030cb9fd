/* Programs of one's own in a study: found, recorded, kept by content. See study.h. */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/study.h"
#include "cli/program_arg.h"
#include "cli/suite_record.h"
#include "study/study.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *word)
{
    return strchr(word, '/') || text_ends_in(word, ".wt");
}

/* ---- the command line of a program ---- */

/* Words separated by blanks; quotes keep blanks. -1: a quote does not end. */
static int split_command(const char *text, struct lab_program *p)
{
    VEC(char) word = {0};
    char quote = 0;
    bool in_word = false;
    for (const char *c = text;; c++) {
        if (quote ? *c == quote : *c == '"' || *c == '\'') {
            quote = quote ? 0 : *c;
            in_word = true;
        } else if (!*c || (!quote && isspace((unsigned char)*c))) {
            if (in_word) {
                VEC_PUSH(&word, 0);
                VEC_PUSH(&p->command, xstrdup(word.p));
            }
            word.n = 0;
            in_word = false;
            if (!*c)
                break;
        } else {
            VEC_PUSH(&word, *c);
            in_word = true;
        }
    }
    VEC_FREE(&word);
    return quote ? -1 : 0;
}

static int fault(struct inifile_place at, struct err *e, const char *what, const char *why)
{
    return at.file ? err_at(e, at.file, at.line, 0, "%s: %s", what, why) : err_set(e, "%s: %s", what, why);
}

/* The first word is an executable with a slash in its name, one in PATH, or a recording. */
static int find_file(const struct plan *plan, struct lab_program *p, struct inifile_place at, struct err *e)
{
    struct stat st;
    char *first = p->command.p[0];
    const bool recording = text_ends_in(first, ".wt");
    if (!recording && !strchr(first, '/'))
        return 0; /* weir record looks it up in PATH */
    char *path = at.file ? plan_beside(plan, first) : xstrdup(first);
    int status = 0;
    if (stat(path, &st))
        status = fault(at, e, path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        status = fault(at, e, path, "is not a file");
    else if (recording && p->command.n > 1)
        status = fault(at, e, path, "is a recording, which takes no arguments");
    else if (!recording && access(path, X_OK)) {
        fault(at, e, path, "is neither an executable nor a recording (.wt)");
        status = err_hint(e, "compile it first: weir cc app.cu -o app");
    }
    if (status) {
        free(path);
        return status;
    }
    /* By its full path, which the recording holds: it is the same wherever weir was started. */
    char *full = realpath(path, NULL);
    if (!full)
        status = fault(at, e, path, strerror(errno));
    free(path);
    if (status)
        return status;
    free(p->command.p[0]);
    p->command.p[0] = full;
    if (recording)
        p->recording = xstrdup(full);
    return 0;
}

/* ---- which ones a plan names ---- */

static const char *recording_machine(const struct plan *p)
{
    const struct plan_variant *v = p->variants.word.n ? plan_find(p, p->variants.word.p[0]) : NULL;
    return v && v->machine ? v->machine : p->machine;
}

static int add_program(struct lab *l, const struct plan *plan, const char *word, struct err *e)
{
    for (size_t i = 0; i < l->program.n; i++)
        if (!strcmp(l->program.p[i].name, word))
            return 0;
    const struct plan_program *own = plan_own_program(plan, word);
    const struct inifile_place at = own ? own->run_at : plan->programs.at;
    struct lab_program p = {
        .name = xstrdup(word), .label = xstrdup(own && own->label ? own->label : ""), .group = xstrdup("")};
    const char *machine = recording_machine(plan);
    p.machine = machine ? xstrdup(machine) : NULL;
    int status = 0;
    if (!own) /* a file, whatever its name holds */
        VEC_PUSH(&p.command, xstrdup(word));
    else if (split_command(own->run, &p))
        status = fault(at, e, own->run, "unterminated quote");
    if (!status && !p.command.n)
        status = fault(at, e, word, "the command is empty");
    if (!status)
        status = find_file(plan, &p, at, e);
    if (status)
        lab_program_free(&p);
    else
        VEC_PUSH(&l->program, p);
    return status;
}

int study_add_programs(struct lab *l, const struct suite *s, const struct plan *plan, struct err *e)
{
    for (size_t i = 0; i < plan->program.n; i++)
        if (suite_find(s, plan->program.p[i].name)) {
            INIFILE_FAULT(plan->program.p[i].at, e, "[program %s]: the suite has a program of this name",
                          plan->program.p[i].name);
            return err_hint(e, "choose another name");
        }
    for (size_t i = 0; i < plan->programs.word.n; i++) {
        const char *word = plan->programs.word.p[i];
        if ((plan_own_program(plan, word) || is_file(word)) && add_program(l, plan, word, e))
            return -1;
    }
    return 0;
}

/* ---- recording ---- */

/* "own-app-0123456789abcdef.wt" in the cache folder. */
static void artifact_name(const struct lab_program *p, const char *folder, char *out, size_t bytes)
{
    const char *slash = strrchr(p->command.p[0], '/');
    snprintf(out, bytes, "%s/own-%.60s-%s.wt", folder, slash ? slash + 1 : p->command.p[0], p->hash);
}

int study_record(struct lab_program *p, const char *cache, struct err *e)
{
    if (p->recording)
        return lab_program_measure(p, e);
    char folder[SUITE_PATH], unfinished[SUITE_PATH + 40], path[SUITE_PATH + 120];
    snprintf(folder, sizeof folder, "%.*s/recordings", PATH_MAX, cache);
    if (artifact_subfolder(folder, e))
        return -1;
    snprintf(unfinished, sizeof unfinished, "%s/.own-%d.wt", folder, (int)getpid());
    VEC(char *) argv = {0};
    if (p->machine) { /* what the program sees when it asks for the device's properties */
        VEC_PUSH(&argv, "--gpu");
        VEC_PUSH(&argv, p->machine);
    }
    for (size_t i = 0; i < p->command.n; i++)
        VEC_PUSH(&argv, p->command.p[i]);
    VEC_PUSH(&argv, NULL);
    const int status = record_program(argv.p, unfinished, RECORD_NOTHING);
    VEC_FREE(&argv);
    if (status) {
        unlink(unfinished);
        return err_set(e, "'%s' could not be recorded (exit status %d)", p->name, status);
    }
    p->recording = xstrdup(unfinished);
    if (lab_program_measure(p, e)) {
        unlink(unfinished);
        return -1;
    }
    artifact_name(p, folder, path, sizeof path);
    if (rename(unfinished, path))
        return err_at(e, path, 0, 0, "cannot keep the recording: %s", strerror(errno));
    free(p->recording);
    p->recording = xstrdup(path);
    return 0;
}
