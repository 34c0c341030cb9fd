/*
 * Runs programs of the workload suite, several at a time, each by `weir run` in a process of its own, and tells how
 * they did: a row per program in the order asked for, as soon as it and all before it are done.
 */
#ifndef WEIR_CLI_SUITE_RUN_H
#define WEIR_CLI_SUITE_RUN_H

#include "cli/machine_args.h"
#include "cli/suite_programs.h"

#include <stdbool.h>

struct suite_plan {
    bool functional;             /* execute only */
    const char *size;            /* tiny, small, paper */
    unsigned parallel;           /* programs at a time, at least 1 */
    struct machine_args machine; /* what each run is given; its json is for the statistics of all */
    VEC(const struct suite_program *) program;
};

/* The worst exit status of all; errors and the output of failed programs go to stderr. */
int suite_run(const struct suite *, const struct suite_plan *);

#endif
