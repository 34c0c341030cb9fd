/* Recordings of the suite's programs, made when they are first needed and kept beside the compiled programs. */
#ifndef WEIR_CLI_SUITE_RECORD_H
#define WEIR_CLI_SUITE_RECORD_H

#include "cli/suite_programs.h"

/*
 * Compiles the program if need be, runs it at `size` (tiny, small, paper) and gives the path of its recording, which is
 * used again as long as the compiled program is older. -1: it did not compile or failed; *e says which. May be called
 * from several threads and processes at once. The program's own output is not shown.
 */
int suite_record(const struct suite *, const struct suite_program *, const char *size, const char *cache,
                 char path[SUITE_PATH], struct err *);
/* The same where nothing may be compiled or run: -1 also where no recording is kept. */
int suite_record_kept(const struct suite *, const struct suite_program *, const char *size, const char *cache,
                      char path[SUITE_PATH], struct err *);
/* The same for the one program of this name, compiled with `cflags`, too (NULL = none), with progress on standard error.
 * -1 also: the suite has none. */
int suite_record_named(const char *name, const char *size, const char *cflags, char path[SUITE_PATH], struct err *);

/* What is seen of a program that is recorded: errors only; progress too; and its own output, on standard error. */
enum record_shows { RECORD_NOTHING, RECORD_PROGRESS, RECORD_OUTPUT };
/* Records any program: runs `weir record` with argv (program and arguments, NULL at the end) into `path`. weir's exit
 * status. */
int record_program(char *const *argv, const char *path, enum record_shows);

#endif
