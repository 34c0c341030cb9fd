/*
 * A study: plans (study/plan.h), the programs they name, their simulations and the report. What `weir sweep`, `weir
 * reproduce` and `weir report` have in common.
 *
 * Programs of the suite are compiled and recorded once for each size, into the cache folder. Programs of one's own are
 * recorded at the beginning of each study, since what decides their results is not known (files they read, libraries);
 * recordings are kept by their content, so the results of one that did the same again are found.
 */
#ifndef WEIR_CLI_STUDY_H
#define WEIR_CLI_STUDY_H

#include "cli/cli.h"
#include "cli/suite_programs.h"
#include "report/claim_table.h"
#include "report/report.h"

struct study {
    const char *title; /* of the report */
    char *command;     /* as it was typed; NULL = not known */
    const char *size, *out, *results, *cflags, *formats;
    unsigned jobs, threads;
    double sampled;          /* the error of --sampled; 0 = everything is simulated */
    const char *search_from; /* found.ini of another study; NULL = none */
    const char *before;      /* claims.tsv of another run; NULL = none */
    FILE *all_claims;        /* where the rows of claims.tsv go, too; NULL = nowhere */
    bool slurm;              /* simulate on a cluster; on this computer if not */
    const char *slurm_options;
    bool profiles; /* also a page with the profile of each simulation */
    bool no_run;   /* only what the store has: nothing is simulated, executed or loaded */
    bool trust;    /* do what the plans say without asking */
    VEC(struct plan) plan;
    /* the outcome */
    size_t simulated, reused, failed;
    unsigned verdict[VERDICT_NOT_JUDGED + 1];
};

/* --size, --jobs, --output, --format, --cflags, --results, ..., for a struct study. */
extern const struct cli_syntax study_syntax;
/* argc, argv: the command line, for the report. */
void study_init(struct study *, int argc, char **argv);
void study_free(struct study *);

/* Runs all and writes the report. An exit status; errors are printed. */
int study_run(struct study *);
/* The default of --output: "weir-NAME", of a name or a path; owned by the caller. */
char *study_folder(const char *name);

/* Keeps the rows of claims.tsv, and says which verdicts differ from those of other sizes (study_verdicts.c). */
void study_tell_verdicts(const struct study *, const char *cache, const char *rows, size_t bytes);

/* ---- programs of one's own (study_programs.c) ---- */

/* Adds those that the plan names to the list, each once. -1: a file is missing, a name unknown. */
struct lab;
int study_add_programs(struct lab *, const struct suite *, const struct plan *, struct err *);
/* Records an executable, or takes the recording; fills in what the laboratory wants to know. */
int study_record(struct lab_program *, const char *cache, struct err *);
/* The same with the latest recording of this command line that is kept; nothing is run. */
int study_record_kept(struct lab_program *, const char *cache, struct err *);

/* ---- what plans make weir execute (study_trust.c) ---- */

/* -1: a plan that did not come with weir would execute something, and the user did not agree. */
int study_ask(const struct study *, struct err *);
/* Loads the plans' plugins; where nothing is run, -1 unless the command line has named them. */
int study_load_plugins(const struct study *, struct err *);

#endif
