/* weir compare: two runs side by side. */
#include "cli/cli.h"
#include "profile/compare.h"

#include <string.h>

struct args {
    const char *file[2];
    unsigned n;
    struct compare_opts opts;
};

static void take_threshold(struct argp_state *state, void *args, char *percent)
{
    struct args *a = args;
    char *end;
    a->opts.threshold = strtod(percent, &end) / 100;
    if (end == percent || (*end && strcmp(end, "%")) || !(a->opts.threshold >= 0))
        argp_error(state, "--threshold %s: expected a percentage, e.g. 2", percent);
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    if (a->n == 2)
        argp_error(state, "two documents expected");
    a->file[a->n++] = word;
}

static void check_options(struct argp_state *state, void *args)
{
    if (((struct args *)args)->n < 2)
        argp_error(state, "give two documents");
}

static const struct cli_option options[] = {
    {"all", NULL, "show all kernels and loads, not only the largest changes", CLI_FLAG(struct args, opts.all),
     .letter = 'a'},
    {"threshold", "PERCENT", "hide smaller changes (default: 1)", .call = take_threshold, .letter = 't'},
    {0}};

static const struct cli_syntax syntax = {.option = options,
                                         .usage = "A.json B.json",
                                         .doc =
                                             "Compare two runs: what changed, and the statistics that explain it, by "
                                             "kernel and by load.\vThe files are what "
                                             "--json wrote. Every cycle of every scheduler is an issue or one stall, "
                                             "so the difference in cycles is a sum over "
                                             "the stall reasons. The memory-hierarchy statistics that changed follow.\n"
                                             "\n"
                                             "Examples:\n"
                                             "  weir run -q --json base.json ./app\n"
                                             "  weir run -q --with apcm --json apcm.json ./app\n"
                                             "  weir compare base.json apcm.json\n",
                                         .word = take_word,
                                         .end = check_options};

int cli_compare(int argc, char **argv)
{
    struct args a = {.opts = {.threshold = 0.01}};
    struct err e;
    cli_parse(&syntax, argc, argv, 0, &a);
    json_t *doc_a = compare_read(a.file[0], &e), *doc_b = doc_a ? compare_read(a.file[1], &e) : NULL;
    const bool fit = doc_b && !compare_check(doc_a, doc_b, a.file[0], a.file[1], &e);
    const int status = fit ? CLI_OK : cli_fail(&e);
    if (fit)
        compare_print(doc_a, doc_b, a.file[0], a.file[1], &a.opts, stdout);
    json_decref(doc_a);
    json_decref(doc_b);
    return status;
}
