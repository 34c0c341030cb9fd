/* weir config: shows a machine's every value with unit, origin and meaning; compares two machines; checks a file. */
#include "base/mem.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/machine_args.h"

#include "engine/config.h"
#include "gpu/derived.h"
#include "gpu/gpu_config.h"

#include <stdio.h>
#include <string.h>

struct args {
    struct machine_args machine;
    const char *verb, *name, *other, *only;
    bool changed;
};

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (!a->verb)
        a->verb = word;
    else if (!a->name)
        a->name = word;
    else if (!a->other && !strcmp(a->verb, "diff"))
        a->other = word;
    else
        argp_error(state, a->other ? "two machines expected" : "one machine expected");
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    cli_choose(state, NULL, a->verb, (const char *const[]){"show", "diff", "check", NULL});
    if (!strcmp(a->verb, "diff") && !a->other)
        argp_error(state, "give two machines");
    if (!a->name && !a->machine.opts.machine && !strcmp(a->verb, "check"))
        argp_error(state, "no file given");
}

static const struct cli_option options[] = {
    {"only", "SECTION", "show one section", CLI_TEXT(struct args, only)},
    {"changed", NULL, "show only values that differ from the defaults", CLI_FLAG(struct args, changed)},
    {0}};

static const struct cli_syntax syntax = {
    options,
    {{&machine_syntax, offsetof(struct args, machine), "The machine:"}},
    "show MACHINE\ndiff MACHINE MACHINE\ncheck FILE",
    "Show every parameter of a machine with its unit, the origin of its value and its meaning; show the differences "
    "between two machines; or check a machine file: every fault, "
    "then its capacities and bandwidths in all, what limits occupancy, and values that no GPU has.\vExamples:\n"
    "  weir config show gtx480\n"
    "  weir config show gtx480 --set l1.size=32KiB --only l1\n"
    "  weir config diff gtx480 gtx780\n"
    "  weir config check my.ini\n"
    "\n"
    "A machine file starts from another one and overrides parameters:\n"
    "  base = gtx480\n"
    "  [l1]\n"
    "  size = 32KiB\n",
    take_word,
    check_options};

static void print_value(void *ctx, const struct cfg_value *v)
{
    static const char *const kind[] = {[CFG_BYTES] = "bytes", [CFG_FREQ] = "frequency", [CFG_BOOL] = "yes/no",
                                       [CFG_ENUM] = "choice", [CFG_POLICY] = "policy",  [CFG_TEXT] = "text"};
    const struct args *a = ctx;
    if ((a->only && strcmp(a->only, v->section)) || (a->changed && v->is_default))
        return;
    const char *unit = v->field->type == CFG_INT ? v->field->unit : kind[v->field->type];
    printf("%-26s %-16s %-13s %-24s %s\n", v->key, *v->text ? v->text : "\"\"", *unit ? unit : "-", v->origin,
           v->field->doc);
}

/* ---- --only ---- */

struct sections {
    VEC(const char *) name;
};

static void add_section(void *ctx, const struct cfg_value *v)
{
    struct sections *s = ctx;
    for (size_t i = 0; i < s->name.n; i++)
        if (!strcmp(s->name.p[i], v->section))
            return;
    VEC_PUSH(&s->name, v->section);
}

/* Sections of policies are there when the policies are chosen. */
static int check_section(const struct cfg *c, const char *only, struct err *e)
{
    struct sections s = {0};
    cfg_each(c, add_section, &s);
    int status = -1;
    for (size_t i = 0; i < s.name.n && status; i++)
        status = strcmp(s.name.p[i], only) ? -1 : 0;
    if (status) {
        err_set(e, "--only %s: there is no such section", only);
        err_hint_names(e, only, s.name.p, (unsigned)s.name.n);
    }
    VEC_FREE(&s.name);
    return status;
}

/* ---- two machines ---- */

struct compared {
    const struct args *args;
    const struct cfg *other;
    bool only_missing; /* show what the other one does not have at all: parameters of policies */
    const char *key;   /* sought in the other one; what find_value has found */
    char text[96];
    bool found, any;
};

static void find_value(void *ctx, const struct cfg_value *v)
{
    struct compared *x = ctx;
    if (strcmp(v->key, x->key))
        return;
    x->found = true;
    snprintf(x->text, sizeof x->text, "%s", v->text);
}

static void compare_value(void *ctx, const struct cfg_value *v)
{
    struct compared *x = ctx;
    if (x->args->only && strcmp(x->args->only, v->section))
        return;
    x->key = v->key;
    x->found = false;
    cfg_each(x->other, find_value, x);
    if (x->only_missing ? x->found : x->found && !strcmp(v->text, x->text))
        return;
    x->any = true;
    const char *mine = *v->text ? v->text : "\"\"", *theirs = !x->found ? "-" : *x->text ? x->text : "\"\"";
    printf("%-26s %-20s %-20s %s\n", v->key, x->only_missing ? theirs : mine, x->only_missing ? mine : theirs,
           v->field->doc);
}

static int diff(const struct args *a, const struct cfg *c, struct err *e)
{
    const struct gpu_opts *o = &a->machine.opts;
    struct cfg *other = cfg_load(gpu_schema(), a->other, o->set, o->n_set, o->with, e);
    if (!other)
        return CLI_BAD_INPUT;
    printf("%-26s %-20s %-20s %s\n", "key", a->name, a->other, "meaning");
    struct compared x = {.args = a, .other = other};
    cfg_each(c, compare_value, &x);
    x.only_missing = true;
    x.other = c;
    cfg_each(other, compare_value, &x);
    if (!x.any)
        printf("the machines are identical\n");
    cfg_free(other);
    return CLI_OK;
}

/* ---- a file that is being written ---- */

static void tell(void *ctx, const struct err *e)
{
    (void)ctx;
    err_print(e, stderr);
}

/* Every fault; of a machine without one, what it amounts to and what no GPU has. */
static int check(const char *name, const struct gpu_opts *o)
{
    struct cfg *c = cfg_load_all(gpu_schema(), name, o->set, o->n_set, o->with, tell, NULL);
    if (!c)
        return CLI_BAD_INPUT;
    /* Some faults show only when the parts are put together. */
    struct gpu_opts all = *o;
    struct err e;
    all.machine = name;
    struct gpu *g = gpu_new(&all, &e);
    if (g) {
        printf("%s: the configuration is valid\n", name);
        derived_print(c, stdout);
        derived_doubts(c, stdout);
    } else {
        err_print(&e, stderr);
    }
    gpu_free(g);
    cfg_free(c);
    return g ? CLI_OK : CLI_BAD_INPUT;
}

int cli_config(int argc, char **argv)
{
    struct args a = {0};
    cli_parse(&syntax, argc, argv, 0, &a);
    const struct gpu_opts *o = &a.machine.opts;
    const char *name = a.name ? a.name : o->machine ? o->machine : GPU_DEFAULT;
    if (!strcmp(a.verb, "check")) {
        const int checked = check(name, o);
        machine_args_free(&a.machine);
        return checked;
    }
    struct err e;
    struct cfg *c = cfg_load(gpu_schema(), name, o->set, o->n_set, o->with, &e);
    int status = CLI_OK;
    if (c && !strcmp(a.verb, "diff")) {
        status = diff(&a, c, &e);
    } else if (c && a.only && check_section(c, a.only, &e)) {
        status = CLI_BAD_INPUT;
    } else if (c) {
        printf("%-26s %-16s %-13s %-24s %s\n", "key", "value", "unit", "origin", "meaning");
        cfg_each(c, print_value, &a);
    } else {
        status = CLI_BAD_INPUT;
    }
    if (status != CLI_OK)
        cli_fail(&e);
    cfg_free(c);
    machine_args_free(&a.machine);
    return status;
}
