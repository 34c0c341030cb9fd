/*
 * Words of the command line. A command's syntax becomes argp's tables. A misspelled option or word is answered with the
 * nearest one that the command has. Of options argp says only that it does not know them, so the command line is looked
 * through before argp sees it, by the same rules: long options may be abbreviated, values may be the next word,
 * "--" ends the options.
 */
#include "base/text.h"
#include "base/out_of_memory.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "base/nearest.h"
#include "base/renamed.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* ---- misspelled options ---- */

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

/* An alias has the value of the option it abbreviates. */
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

/* A long option that the command does not have while one is near; NULL = all are known, or none is near. */
static const char *misspelled(const struct argp *argp, int argc, char **argv, unsigned flags, const char **near)
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
        break; /* argp reports a word without near matches */
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
    FILE *f = text_stream(&text, &bytes);
    if (word)
        fprintf(f, "%s%sthere is no '%s'; ", option ? option : "", option ? ": " : "", word);
    if (near)
        fprintf(f, "did you mean '%s'?", near);
    else
        fputs("choose", f);
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

unsigned cli_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}

/* ---- parsing ---- */

static unsigned jobs(const struct argp_state *state, const char *value)
{
    char *end;
    const long n = strtol(value, &end, 10);
    if (end == value || *end || n < 1 || n > 4096)
        argp_error(state, "-j %s: expected a number from 1 to 4096", value);
    return (unsigned)n;
}

/* A syntax as argp has it, with the arguments that it fills. */
struct bound {
    const struct cli_syntax *syntax;
    void *args;
    struct bound *part[CLI_PARTS];
    struct argp_option *option;
    struct argp_child child[CLI_PARTS + 1];
    struct argp argp;
};

static int key_of(const struct cli_syntax *s, const struct cli_option *o)
{
    enum { NO_LETTER = 0x100 };
    return o->letter ? o->letter : NO_LETTER + (int)(o - s->option);
}

static void take_option(const struct cli_option *o, struct argp_state *state, void *args, char *value)
{
    void *at = (char *)args + o->at;
    switch (o->sets) {
    case CLI_SETS_FLAG:
        *(bool *)at = true;
        break;
    case CLI_SETS_SIZE:
        cli_choose(state, "--size", value, (const char *const[]){"tiny", "small", "paper", NULL});
        *(const char **)at = value;
        break;
    case CLI_SETS_TEXT:
        *(const char **)at = value;
        break;
    case CLI_SETS_JOBS:
        *(unsigned *)at = jobs(state, value);
        break;
    case CLI_SETS_NOTHING:
        break;
    }
    if (o->call)
        o->call(state, args, value);
}

static error_t on_key(int key, char *value, struct argp_state *state)
{
    const struct bound *b = state->input;
    const struct cli_syntax *s = b->syntax;
    for (const struct cli_option *o = s->option; o && o->name; o++)
        if (key_of(s, o) == key) {
            take_option(o, state, b->args, value);
            return 0;
        }
    for (int i = 0; key == ARGP_KEY_INIT && i < CLI_PARTS && b->part[i]; i++)
        state->child_inputs[i] = b->part[i];
    if (key == ARGP_KEY_ARG && s->word)
        s->word(state, b->args, value);
    else if (key == ARGP_KEY_END && s->end)
        s->end(state, b->args);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static struct bound *bind(struct arena *arena, const struct cli_syntax *s, void *args)
{
    struct bound *b = arena_alloc(arena, sizeof *b);
    size_t n = 0;
    while (s->option && s->option[n].name)
        n++;
    b->option = arena_alloc(arena, (n + 1) * sizeof *b->option);
    for (size_t i = 0; i < n; i++) {
        const struct cli_option *o = &s->option[i];
        b->option[i] = (struct argp_option){o->name, key_of(s, o), o->value, o->flags, o->doc, 0};
    }
    for (int i = 0; i < CLI_PARTS && s->part[i].syntax; i++) {
        b->part[i] = bind(arena, s->part[i].syntax, (char *)args + s->part[i].at);
        b->child[i] = (struct argp_child){&b->part[i]->argp, 0, s->part[i].heading, s->part[i].heading ? i + 1 : 0};
    }
    b->syntax = s;
    b->args = args;
    /* NULL where there is none: glibc's help leaks the copy that it makes of an empty table. */
    b->argp = (struct argp){n ? b->option : NULL, on_key, s->usage, s->doc, b->child, NULL, NULL};
    return b;
}

void cli_parse(const struct cli_syntax *syntax, int argc, char **argv, unsigned flags, void *args)
{
    struct arena *arena = arena_new();
    struct bound *b = bind(arena, syntax, args);
    const char *near, *wrong = misspelled(&b->argp, argc, argv, flags, &near);
    if (wrong) {
        char now[128], *option = xstrndup(wrong, strcspn(wrong, "="));
        if (renamed_hint(RENAMED_OPTION, option, now, sizeof now))
            fprintf(stderr, "%s: there is no option '%s'; %s\n", argv[0], option, now);
        else
            fprintf(stderr, "%s: unknown option '%s'; did you mean '--%s'?\n", argv[0], wrong, near);
        exit(CLI_BAD_INPUT);
    }
    /* What is wrong with a line argp says itself, and then it ends the program. */
    if (argp_parse(&b->argp, argc, argv, flags, NULL, b) == ENOMEM)
        out_of_memory(0);
    arena_free(arena);
}

int cli_fail(const struct err *e)
{
    err_print(e, stderr);
    return CLI_BAD_INPUT;
}
