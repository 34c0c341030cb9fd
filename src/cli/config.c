/* weir config: shows a machine's every value with unit, origin and meaning; checks a file. */
#include "cli/cli.h"
#include "cli/machine_args.h"

#include "engine/config.h"
#include "gpu/gpu_config.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

static const char doc[] =
    "Show every parameter of a machine with its unit, where its value comes from and what it means; or check a machine "
    "file."
    "\vExamples:\n"
    "  weir config show gtx480\n"
    "  weir config show gtx480 --set l1.size=32KiB --only l1\n"
    "  weir config check my.ini\n\n"
    "A machine file starts from another one and changes what differs:\n"
    "  base = gtx480\n"
    "  [l1]\n"
    "  size = 32KiB\n";

enum { OPT_ONLY = 300, OPT_CHANGED };
static const struct argp_option options[] = {{"only", OPT_ONLY, "SECTION", 0, "show one section", 0},
                                             {"changed", OPT_CHANGED, NULL, 0, "leave out values that are defaults", 0},
                                             {0}};

struct args {
    struct machine_args machine;
    const char *verb, *name, *only;
    bool changed;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->machine;
        return 0;
    case OPT_ONLY:
        a->only = arg;
        return 0;
    case OPT_CHANGED:
        a->changed = true;
        return 0;
    case ARGP_KEY_ARG:
        if (!a->verb)
            a->verb = arg;
        else if (!a->name)
            a->name = arg;
        else
            argp_error(state, "one machine at a time");
        return 0;
    case ARGP_KEY_END:
        if (!a->verb || (strcmp(a->verb, "show") && strcmp(a->verb, "check")))
            argp_error(state, "say 'show MACHINE' or 'check FILE'");
        if (!a->name && !a->machine.opts.machine && !strcmp(a->verb, "check"))
            argp_error(state, "which file?");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static void print_value(void *ctx, const struct cfg_value *v)
{
    static const char *const kind[] = {[CFG_BYTES] = "bytes", [CFG_FREQ] = "frequency", [CFG_BOOL] = "yes/no",
                                       [CFG_ENUM] = "choice", [CFG_POLICY] = "policy",  [CFG_TEXT] = "text"};
    const struct args *a = ctx;
    if ((a->only && strcmp(a->only, v->section)) || (a->changed && v->is_default))
        return;
    const char *unit = v->field->type == CFG_INT ? v->field->unit : kind[v->field->type];
    printf("%-26s %-14s %-13s %-24s %s\n", v->key, *v->text ? v->text : "\"\"", *unit ? unit : "-", v->origin,
           v->field->doc);
}

int cli_config(int argc, char **argv)
{
    struct args a = {0};
    static const struct argp_child children[] = {{&machine_argp, 0, "The machine:", 1}, {0}};
    static const struct argp argp = {options, parse, "show MACHINE\ncheck FILE", doc, children, NULL, NULL};
    machine_args_init(&a.machine);
    if (cli_parse(&argp, argc, argv, 0, &a)) {
        machine_args_free(&a.machine);
        return CLI_BAD_INPUT;
    }
    const struct gpu_opts *o = &a.machine.opts;
    const char *name = a.name ? a.name : o->machine ? o->machine : "gtx480";
    struct err e;
    struct cfg *c = cfg_load(gpu_schema(), name, o->set, o->n_set, o->with, &e);
    int status = CLI_OK;
    if (c && !strcmp(a.verb, "check")) {
        /* Some faults show only when the parts are put together. */
        struct gpu_opts all = *o;
        all.machine = name;
        struct gpu *g = gpu_new(&all, &e);
        if (g)
            printf("%s: the configuration is valid\n", name);
        else
            status = CLI_BAD_INPUT;
        gpu_free(g);
    } else if (c) {
        printf("%-26s %-14s %-13s %-24s %s\n", "key", "value", "unit", "origin", "meaning");
        cfg_each(c, print_value, &a);
    } else {
        status = CLI_BAD_INPUT;
    }
    if (status != CLI_OK)
        err_print(&e, stderr);
    cfg_free(c);
    machine_args_free(&a.machine);
    return status;
}
