/*
 * weir check: runs a program under the checker (frontend/check), which lives in the program's process as the emulator
 * does. Here is the command line; the report is printed by the program's process when it ends.
 */
#include "base/out_of_memory.h"
#include "check/check.h"
#include "cli/cli.h"
#include "cli/run.h"

#include <stdbool.h>
#include <stdio.h>

struct args {
    unsigned tools;
    bool leaks_fail, strict, notes, fail_fast;
    struct check_args check;
    struct machine_args machine;
    const char *max_insn;
    char **argv;
    int argc;
};

enum {
    KEY_TOOL = 256,
    KEY_KERNEL,
    KEY_FAIL_FAST,
    KEY_JSON,
    KEY_SARIF,
    KEY_SUPPRESS,
    KEY_STRICT,
    KEY_NOTES,
    KEY_MAX_INSN
};

static const struct argp_option options[] = {
    {"tool", KEY_TOOL, "LIST", 0,
     "memcheck, racecheck, initcheck, synccheck, leakcheck (default: all; leaks are warnings then)", 0},
    {"kernel", KEY_KERNEL, "REGEX", 0, "only kernels whose name this extended regular expression matches", 0},
    {"fail-fast", KEY_FAIL_FAST, 0, 0, "end the program at the first error", 0},
    {"strict", KEY_STRICT, 0, 0, "warnings count as errors", 0},
    {"notes", KEY_NOTES, 0, 0, "print notes, too: equal values written by several threads, for one", 0},
    {"suppressions", KEY_SUPPRESS, "FILE", 0,
     "lines of a finding's class (or *) and a text that it names; not reported", 0},
    {"json", KEY_JSON, "FILE", 0, "write all findings (- = standard output)", 0},
    {"sarif", KEY_SARIF, "FILE", 0, "write all findings as SARIF 2.1.0, for annotations of source lines", 0},
    {"max-insn", KEY_MAX_INSN, "N", 0, "stop a launch after N warp instructions: a runaway kernel", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    char *wrong;
    switch (key) {
    case KEY_TOOL:
        a->tools = check_tools_of(arg, &wrong);
        if (wrong || !a->tools)
            argp_failure(state, CLI_BAD_INPUT, 0,
                         "--tool %s: there is no tool '%s'; say memcheck, racecheck, initcheck, synccheck or leakcheck",
                         arg, wrong ? wrong : "");
        a->leaks_fail = a->tools & CHECK_LEAK;
        break;
    case KEY_KERNEL:
        a->check.kernel = arg;
        break;
    case KEY_FAIL_FAST:
        a->fail_fast = true;
        break;
    case KEY_STRICT:
        a->strict = true;
        break;
    case KEY_NOTES:
        a->notes = true;
        break;
    case KEY_SUPPRESS:
        a->check.suppress = arg;
        break;
    case KEY_JSON:
        a->machine.json = arg;
        break;
    case KEY_SARIF:
        a->check.sarif = arg;
        break;
    case KEY_MAX_INSN:
        if (!*arg || strspn(arg, "0123456789") != strlen(arg) || strlen(arg) > 19)
            argp_failure(state, CLI_BAD_INPUT, 0, "--max-insn %s: not a number of warp instructions", arg);
        a->max_insn = arg;
        break;
    case ARGP_KEY_ARG:
        a->argv = &state->argv[state->next - 1];
        a->argc = state->argc - (state->next - 1);
        state->next = state->argc;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_failure(state, CLI_BAD_INPUT, 0, "no program given; 'weir check --help' shows how");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    options,
    parse,
    "./PROGRAM [ARGUMENTS]",
    "Runs a CUDA program without a GPU and reports what is wrong with its kernels: races in shared and global memory "
    "within a block, between blocks and between streams, reads of memory that was never written, barriers and masks "
    "that "
    "are not what the instruction demands, addresses out of bounds, memory that is never freed.\n\n"
    "A race is found although nothing went wrong: what counts is whether barriers, fences, atomics, streams and events "
    "order the accesses. Compile with -lineinfo (weir cc does) to see source lines."
    "\vExamples:\n"
    "  weir check ./app\n"
    "  weir check --tool racecheck --kernel 'scan.*' ./app\n"
    "  weir check --sarif check.sarif ./app\n\n"
    "docs/check.md tells what each class means.\n"
    "Exit status: 0 no errors found, 1 errors found, or the program failed, 2 bad input.",
    0,
    0,
    0};

int cli_check(int argc, char **argv)
{
    struct args a = {.tools = CHECK_ALL};
    machine_args_init(&a.machine);
    if (cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &a))
        return CLI_BAD_INPUT;
    char *words = xasprintf("%u%s%s%s%s", a.tools, a.leaks_fail ? " leaks" : "", a.strict ? " strict" : "",
                            a.notes ? " notes" : "", a.fail_fast ? " fail-fast" : "");
    a.check.words = words;
    const int result = run_checked(&a.machine, &a.check, a.max_insn, a.argc, a.argv);
    free(words);
    machine_args_free(&a.machine);
    return result;
}
