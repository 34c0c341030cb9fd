/* weir compare: two runs side by side. */
#include "cli/cli.h"
#include "profile/compare.h"

#include <argp.h>
#include <string.h>

struct args {
    const char *file[2];
    unsigned n;
    struct compare_opts opts;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    switch (key) {
    case 'a':
        a->opts.all = true;
        return 0;
    case 't': {
        char *end;
        a->opts.threshold = strtod(arg, &end) / 100;
        if (end == arg || (*end && strcmp(end, "%")) || !(a->opts.threshold >= 0))
            argp_error(state, "--threshold %s: expected a percentage, e.g. 2", arg);
        return 0;
    }
    case ARGP_KEY_ARG:
        if (a->n == 2)
            argp_error(state, "two documents expected");
        a->file[a->n++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (a->n < 2)
            argp_error(state, "give two documents");
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
    {"all", 'a', NULL, 0, "show all kernels and loads, not only the largest changes", 0},
    {"threshold", 't', "PERCENT", 0, "hide smaller changes (default: 1)", 0},
    {0},
};

static const char doc[] =
    "Compare two runs: what changed, and the statistics that explain it, by kernel and by load.\vThe files are what "
    "--json wrote. Every cycle of every scheduler is an issue or one stall, so the difference in cycles is a sum over "
    "the stall reasons. The memory-hierarchy statistics that changed follow.\n"
    "\n"
    "Examples:\n"
    "  weir run -q --json base.json ./app\n"
    "  weir run -q --with apcm --json apcm.json ./app\n"
    "  weir compare base.json apcm.json\n";

int cli_compare(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "A.json B.json", doc, NULL, NULL, NULL};
    struct args a = {.opts = {.threshold = 0.01}};
    struct err e;
    if (cli_parse(&argp, argc, argv, 0, &a))
        return CLI_BAD_INPUT;
    json_t *doc_a = compare_read(a.file[0], &e), *doc_b = doc_a ? compare_read(a.file[1], &e) : NULL;
    const bool fit = doc_b && !compare_check(doc_a, doc_b, a.file[0], a.file[1], &e);
    if (fit)
        compare_print(doc_a, doc_b, a.file[0], a.file[1], &a.opts, stdout);
    else
        err_print(&e, stderr);
    const int status = fit ? CLI_OK : CLI_BAD_INPUT;
    json_decref(doc_a);
    json_decref(doc_b);
    return status;
}
