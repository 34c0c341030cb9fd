/*
 * The command line: one function per subcommand, each in a file of its own, listed once in main.c.
 *
 * Exit status, the same for every subcommand: 0 done, 1 the simulated program failed, 2 bad input, 3 deadlock.
 */
#ifndef WEIR_CLI_CLI_H
#define WEIR_CLI_CLI_H

enum { CLI_OK = 0, CLI_PROGRAM_FAILED = 1, CLI_BAD_INPUT = 2, CLI_DEADLOCK = 3 };

/* argv[0] is the subcommand's name; parse with argp. */
int cli_cc(int argc, char **argv);  /* cc.c */
int cli_run(int argc, char **argv); /* run.c: run and record */
int cli_record(int argc, char **argv);
int cli_trace(int argc, char **argv);   /* trace.c: info, dump, check */
int cli_replay(int argc, char **argv);  /* replay.c */
int cli_analyze(int argc, char **argv); /* analyze.c */
int cli_list(int argc, char **argv);    /* list.c: list, explain */
int cli_explain(int argc, char **argv);
int cli_config(int argc, char **argv);    /* config.c: show, check */
int cli_suite(int argc, char **argv);     /* suite.c */
int cli_ptx(int argc, char **argv);       /* ptx.c: check, dump, info of a PTX file */
int cli_reproduce(int argc, char **argv); /* reproduce.c: reproduce, sweep, report */
int cli_sweep(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_swcache(int argc, char **argv); /* swcache.c: transform */

#endif
