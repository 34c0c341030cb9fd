/*
 * Words of the command line. A misspelled option or word is answered with the nearest one that the command has. Of
 * options argp says only that it does not know them, so the command line is looked through before argp sees it, by the
 * same rules: long options may be abbreviated, values may stand in the next word, "--" ends the options.
 */
#include "base/out_of_memory.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

struct known {
    VEC(const struct argp_option *) option;
    VEC(const char *) name; /* of those that may be meant */
};

static void collect(struct known *k, const struct argp *argp)
{
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc || o->group); o++) {
        VEC_PUSH(&k->option, o);
        if (o->name && !(o->flags & OPTION_HIDDEN) && !(o->flags & OPTION_DOC))
            VEC_PUSH(&k->name, o->name);
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        collect(k, c->argp);
}

/* An alias has the value of the option that it stands for. */
static bool takes_value(const struct known *k, size_t i)
{
    while (i && (k->option.p[i]->flags & OPTION_ALIAS))
        i--;
    return k->option.p[i]->arg && !(k->option.p[i]->flags & OPTION_ARG_OPTIONAL);
}

/* The option of this name, or that it abbreviates; -1 = there is none. */
static int find_long(const struct known *k, const char *name, size_t n)
{
    int found = -1;
    for (size_t i = 0; i < k->option.n; i++) {
        const char *o = k->option.p[i]->name;
        if (!o || strncmp(o, name, n))
            continue;
        if (!o[n])
            return (int)i;
        found = (int)i;
    }
    return found;
}

/* Whether the last of some short options ("-qo") has its value in the next word. */
static bool short_needs_word(const struct known *k, const char *letters)
{
    for (; *letters; letters++)
        for (size_t i = 0; i < k->option.n; i++)
            if (k->option.p[i]->key == *letters && takes_value(k, i))
                return !letters[1];
    return false;
}

static bool is_argps_own(const char *name, size_t n)
{
    static const char *const own[] = {"help", "usage", "version"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (n && !strncmp(own[i], name, n))
            return true;
    return false;
}

const char *cli_misspelled(const struct argp *argp, int argc, char **argv, unsigned flags, const char **near)
{
    struct known k = {0};
    collect(&k, argp);
    const char *wrong = NULL;
    *near = NULL;
    for (int i = 1; i < argc && !wrong; i++) {
        const char *w = argv[i];
        if (!strcmp(w, "--") || (*w != '-' && (flags & ARGP_IN_ORDER))) /* the rest may be a program's own */
            break;
        if (*w != '-' || !w[1])
            continue;
        if (w[1] != '-') {
            i += short_needs_word(&k, w + 1);
            continue;
        }
        const size_t n = strcspn(w + 2, "=");
        const int at = find_long(&k, w + 2, n);
        if (at >= 0) {
            i += !w[2 + n] && takes_value(&k, (size_t)at);
            continue;
        }
        if (is_argps_own(w + 2, n))
            continue;
        char *word = xstrndup(w + 2, n);
        *near = nearest_name(word, k.name.p, (unsigned)k.name.n);
        free(word);
        wrong = *near ? w : NULL;
        break; /* argp has a word for what nothing is near to */
    }
    VEC_FREE(&k.option);
    VEC_FREE(&k.name);
    return wrong;
}

/* ---- words with few choices ---- */

char *cli_not_among(const char *option, const char *word, const char *const *words)
{
    unsigned n = 0;
    for (; words[n]; n++)
        if (word && !strcmp(word, words[n]))
            return NULL;
    const char *near = word ? nearest_name(word, words, n) : NULL;
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        out_of_memory(0);
    if (word)
        fprintf(f, "%s%sthere is no '%s'; ", option ? option : "", option ? ": " : "", word);
    if (near)
        fprintf(f, "did you mean '%s'?", near);
    else
        fputs("say", f);
    for (unsigned i = 0; i < n && !near; i++)
        fprintf(f, "%s%s", i == 0 ? " " : i + 1 < n ? ", " : " or ", words[i]);
    fclose(f);
    return text;
}

void cli_choose(const struct argp_state *state, const char *option, const char *word, const char *const *words)
{
    char *wrong = cli_not_among(option, word, words);
    if (wrong)
        argp_error(state, "%s", wrong);
}

unsigned cli_jobs(const struct argp_state *state, const char *arg)
{
    char *end;
    const long n = strtol(arg, &end, 10);
    if (end == arg || *end || n < 1 || n > 4096)
        argp_error(state, "-j %s: expected a number from 1 to 4096", arg);
    return (unsigned)n;
}

unsigned cli_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}
