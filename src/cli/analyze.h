/* Between the files of `weir analyze`: options, the text it prints, and its suite-wide forms. */
#ifndef WEIR_CLI_ANALYZE_H
#define WEIR_CLI_ANALYZE_H

#include "cli/machine_args.h"
#include "cli/suite_record.h"
#include "profile/analyze_summary.h"
#include "profile/program_classes.h"

#include <stdio.h>

struct analyze_args {
    struct machine_args machine; /* --gpu, --set, --json */
    const char *size, *figures, *results;
    bool all;
    unsigned classes; /* bit per enum class_paper; 0 = none */
    unsigned jobs;
    char **argv; /* what to analyze: a name of the suite, a recording, or a program with its arguments */
    int argc;
    VEC(char *) name; /* with --all and --classes: programs of the suite; none = all of them */
};

static inline const char *analyze_machine(const struct analyze_args *a)
{
    return a->machine.opts.machine ? a->machine.opts.machine : GPU_DEFAULT;
}
static inline struct analyze_opts analyze_options(const struct analyze_args *a)
{
    return (struct analyze_opts){
        .machine = analyze_machine(a), .set = a->machine.opts.set, .n_set = a->machine.opts.n_set};
}

/* One program, one screen. */
void analyze_print(const struct analysis *, const struct analyze_summary *, const char *name, const char *machine,
                   FILE *);
/* One line per program. */
void analyze_print_heading(FILE *);
void analyze_print_row(const struct analysis *, const struct analyze_summary *, const char *name, FILE *);

/* Writes a document and takes it over; "-" is standard output. */
int analyze_write_json(struct json_t *, const char *path, struct err *);

/* Programs of the suite, each recorded and analyzed. */
struct analyze_item {
    const struct suite_program *program;
    char recording[SUITE_PATH];
    struct trace_file *file; /* the summary points into it */
    struct analysis found;
    struct analyze_summary summary;
    struct err err;
    bool done, failed; /* failed: err says why, and it was printed */
};
struct analyze_items {
    struct suite suite;
    char cache[SUITE_PATH];
    VEC(struct analyze_item) item;
    size_t n_failed;
};
/* Those named in the arguments, or all, a->jobs at once; one line each to `rows` (may be NULL). Free in any case. */
int analyze_items_run(struct analyze_items *, const struct analyze_args *, const struct analyze_opts *, FILE *rows,
                      struct err *);
void analyze_items_free(struct analyze_items *);

/* Every program of the suite, or those named; several at once. Exit status. */
int analyze_all(const struct analyze_args *);
/* The classes of the papers, measured: runs the machine. Exit status. */
int analyze_classes(const struct analyze_args *);

#endif
