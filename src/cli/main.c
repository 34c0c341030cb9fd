/*
 * The weir command: finds the command that is named, and checks at the end, however the command ends, that standard
 * output accepted all that was printed.
 */
#include "base/mem.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "base/nearest.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name, *title; /* "run", "weir run" */
    int (*run)(int argc, char **argv);
    const char *what;
};

static const struct command commands[] = {
#define COMMAND(name, what) {#name, "weir " #name, cli_##name, what},
#include "cli/commands.def"
#undef COMMAND
    {0},
};

/* At exit: a full disk or a closed descriptor is an error, also of --help. */
static void check_stdout(void)
{
    const bool failed = ferror(stdout) != 0;
    errno = 0;
    if (!fflush(stdout) && !failed)
        return;
    fprintf(stderr, "weir: standard output: cannot write: %s\n", strerror(outfile_why_failed(STDOUT_FILENO)));
    _exit(CLI_BAD_INPUT);
}

static void usage(FILE *out)
{
    fputs(
        "Usage: weir COMMAND [ARGUMENTS]\n\n"
        "A laboratory for GPU memory hierarchies: runs CUDA programs on a simulated GPU.\n\n"
        "Commands:\n",
        out);
    for (const struct command *c = commands; c->name; c++)
        fprintf(out, "  %-10s %s\n", c->name, c->what);
    fputs(
        "\nRun 'weir help COMMAND' or 'weir COMMAND --help' for details and examples.\n"
        "\n"
        "Exit status: 0 done, 1 the simulated program failed, 2 bad input, 3 deadlock.\n",
        out);
}

/* argv[0] is the command's name. */
static int run_command(int argc, char **argv)
{
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(argv[0], c->name)) {
            argv[0] = (char *)c->title;
            return c->run(argc, argv);
        }
    const char *names[sizeof commands / sizeof *commands];
    unsigned n = 0;
    for (const struct command *c = commands; c->name; c++)
        names[n++] = c->name;
    const char *near = nearest_name(argv[0], names, n);
    fprintf(stderr, "weir: '%s' is not a command; ", argv[0]);
    if (near)
        fprintf(stderr, "did you mean '%s'?\n", near);
    else
        fputs("see 'weir --help'\n", stderr);
    return CLI_BAD_INPUT;
}

int main(int argc, char **argv)
{
    argp_err_exit_status = CLI_BAD_INPUT;
    json_set_alloc_funcs(xmalloc, free); /* a document without one of its parts would look whole */
    atexit(check_stdout);
    const char *slash = strrchr(argv[0], '/');
    if (!strcmp(slash ? slash + 1 : argv[0], "nvcc")) /* for build systems that want a compiler of that name */
        return cli_cc(argc, argv);
    if (argc < 2) {
        usage(stderr);
        return CLI_BAD_INPUT;
    }
    if (!strcmp(argv[1], "help") && argc > 2)
        return run_command(2, (char *[]){argv[2], "--help", NULL});
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return CLI_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        puts("weir " WEIR_VERSION);
        return CLI_OK;
    }
    return run_command(argc - 1, argv + 1);
}
