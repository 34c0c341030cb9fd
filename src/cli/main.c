/* The weir command: finds the subcommand, nothing else. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
};

/* In the order a person meets them. */
static const struct command commands[] = {
    {"cc", cli_cc, "compile a CUDA program, with clang or nvcc behind it"},
    {"run", cli_run, "run a CUDA program on a simulated GPU"},
    {"record", cli_record, "run it and write its instruction streams to a file"},
    {"replay", cli_replay, "run a recording on a simulated GPU"},
    {"analyze", cli_analyze, "tell what reuse a program's loads have, and its classes"},
    {"list", cli_list, "list machines, policies, workloads"},
    {"explain", cli_explain, "tell what a statistic, parameter, policy or machine is"},
    {"config", cli_config, "show or check a machine's configuration"},
    {"suite", cli_suite, "list and run the workloads that ship with weir"},
    {"sweep", cli_sweep, "run programs under several policies and settings; compare"},
    {"reproduce", cli_reproduce, "the figures of a paper, with the published values beside"},
    {"report", cli_report, "the same from what is already simulated"},
    {"trace", cli_trace, "look into a recording: info, check, dump"},
    {"swcache", cli_swcache, "give kernels a software cache: transforms CUDA sources"},
    {"ptx", cli_ptx, "check a PTX file, show its kernels, print it back"},
    {0},
};

static void usage(FILE *out)
{
    fputs(
        "usage: weir COMMAND [ARGUMENTS]\n\n"
        "A laboratory for GPU memory hierarchies: runs CUDA programs on a simulated GPU.\n\n",
        out);
    for (const struct command *c = commands; c->name; c++)
        fprintf(out, "  %-10s %s\n", c->name, c->what);
    fputs(
        "\n'weir COMMAND --help' tells more, with an example.\n"
        "Exit status: 0 done, 1 the simulated program failed, 2 bad input, 3 deadlock.\n",
        out);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return CLI_BAD_INPUT;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return CLI_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("weir " WEIR_VERSION);
        return CLI_OK;
    }
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(argv[1], c->name))
            return c->run(argc - 1, argv + 1);
    fprintf(stderr, "weir: '%s' is not a command; 'weir --help' lists them\n", argv[1]);
    return CLI_BAD_INPUT;
}
