/*
 * weir check: runs a program under the checker (frontend/check), which lives in the program's process as the emulator
 * does. Here is the command line; the report is printed by the program's process when it ends.
 */
#include "base/out_of_memory.h"
#include "check/check.h"
#include "cli/cli.h"
#include "cli/program_arg.h"
#include "cli/run.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct args {
    unsigned tools;
    bool leaks_fail, strict, notes, fail_fast;
    struct check_args check;
    struct machine_args machine;
    char **argv;
    int argc;
};

static void take_tools(struct argp_state *state, void *args, char *list)
{
    struct args *a = args;
    char *wrong;
    a->tools = check_tools_of(list, &wrong);
    if (wrong || !a->tools)
        argp_failure(state, CLI_BAD_INPUT, 0,
                     "--tool %s: there is no tool '%s'; choose memcheck, racecheck, initcheck, synccheck or leakcheck",
                     list, wrong ? wrong : "");
    a->leaks_fail = a->tools & CHECK_LEAK;
}

static void take_max_insn(struct argp_state *state, void *args, char *n)
{
    ((struct args *)args)->check.max_insn = run_max_insn(state, n);
}

static void take_word(struct argp_state *state, void *args, char *word)
{
    struct args *a = args;
    (void)word;
    program_arg_take(state, true, &a->argc, &a->argv);
}

static void check_options(struct argp_state *state, void *args)
{
    const struct args *a = args;
    if (a->machine.json && a->check.sarif && !strcmp(a->machine.json, "-") && !strcmp(a->check.sarif, "-"))
        argp_failure(state, CLI_BAD_INPUT, 0,
                     "--json - and --sarif -: standard output takes one document; name a file");
    if (!a->argc)
        argp_failure(state, CLI_BAD_INPUT, 0, "no program given; 'weir check --help' shows how");
}

static const struct cli_option options[] = {
    {"tool", "LIST", "memcheck, racecheck, initcheck, synccheck, leakcheck (default: all; leaks are warnings then)",
     .call = take_tools},
    {"kernel", "REGEX", "only kernels whose name this extended regular expression matches",
     CLI_TEXT(struct args, check.kernel)},
    {"fail-fast", NULL, "end the program at the first error", CLI_FLAG(struct args, fail_fast)},
    {"strict", NULL, "warnings count as errors", CLI_FLAG(struct args, strict)},
    {"notes", NULL, "also print notes, such as several threads writing equal values", CLI_FLAG(struct args, notes)},
    {"suppressions", "FILE", "do not report these findings: lines of a class (or *) and a text that the finding names",
     CLI_TEXT(struct args, check.suppress)},
    {"json", "FILE", "write all findings (- = standard output)", CLI_TEXT(struct args, machine.json)},
    {"sarif", "FILE", "write all findings as SARIF 2.1.0, for annotations of source lines (- = standard output)",
     CLI_TEXT(struct args, check.sarif)},
    {"max-insn", "N", "stop a launch after N warp instructions: a runaway kernel", .call = take_max_insn},
    {0}};

static const struct cli_syntax syntax = {
    .option = options,
    .usage = "./PROGRAM [ARGUMENTS]",
    .doc =
        "Runs a CUDA program without a GPU and reports what is wrong with its kernels: races in shared and global "
        "memory "
        "within a CTA, between CTAs and between streams, reads of memory that was never written, barriers and "
        "masks "
        "that do not meet the instruction's requirements, addresses out of bounds, memory that is never freed.\n\n"
        "A race is reported even if the result was right: what counts is whether barriers, fences, atomics, streams "
        "and "
        "events "
        "order the accesses. Compile with -lineinfo (weir cc does) to see source lines."
        "\vExamples:\n"
        "  weir check ./app\n"
        "  weir check --tool racecheck --kernel 'gather.*' ./app\n"
        "  weir check --sarif check.sarif ./app\n\n"
        "docs/check.md explains each class.\n"
        "Exit status: 0 no errors found, 1 errors found, or the program failed, 2 bad input.",
    .word = take_word,
    .end = check_options};

int cli_check(int argc, char **argv)
{
    struct args a = {.tools = CHECK_ALL};
    cli_parse(&syntax, argc, argv, ARGP_IN_ORDER, &a);
    char *words = xasprintf("%u%s%s%s%s", a.tools, a.leaks_fail ? " leaks" : "", a.strict ? " strict" : "",
                            a.notes ? " notes" : "", a.fail_fast ? " fail-fast" : "");
    a.check.words = words;
    const int result = run_checked(&a.machine, &a.check, a.argc, a.argv);
    free(words);
    machine_args_free(&a.machine);
    return result;
}
