/*
 * An output file that appears under its name only when it is whole.
 *
 * The bytes go into a nameless file of the same folder (a hidden one, `.weir-PID-N`, where the file system cannot do
 * that) and get their name by a rename at the end. So a full disk, an error or a kill leaves what was there before;
 * no reader ever meets half a file. What is not a plain file (a device, a pipe, standard output) is written directly.
 *
 *     struct outfile *o = outfile_open(path, e);
 *     if (!o)
 *         return -1;
 *     fprintf(outfile_stream(o), ...);   or: write(outfile_fd(o), ...), or hand the descriptor to another program
 *     return outfile_commit(o, e);       or: outfile_abandon(o)
 *
 * Not durable: nothing is forced to the disk, so a loss of power may lose a file that was just committed.
 */
#ifndef WEIR_BASE_OUTFILE_H
#define WEIR_BASE_OUTFILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct outfile;

/*
 * Opens `path` for writing; "-" is standard output. NULL and *e when the file could not be written: its folder is
 * missing or may not be written, it is a folder itself or write-protected. A link is followed. Relative names are
 * resolved here: a later chdir does not matter.
 */
struct outfile *outfile_open(const char *path, struct err *e);

/* Whether outfile_open would succeed, so that a bad name is reported before hours of work. Leaves no trace. */
int outfile_check(const char *path, struct err *e);

/* Write through one of the two, not both. The stream is buffered and belongs to the outfile. */
FILE *outfile_stream(struct outfile *);
int outfile_fd(const struct outfile *);

/* After a stream to `fd` has failed: why, also where an earlier call failed whose errno is lost. */
int outfile_why_failed(int fd);

/* The permissions that the file appears with; otherwise those of the file that it replaces, or the customary ones. */
void outfile_set_mode(struct outfile *, mode_t);

/* Flushes and gives the file its name. -1 and *e when anything could not be written; the old file then stays. Frees. */
int outfile_commit(struct outfile *, struct err *e);
void outfile_abandon(struct outfile *); /* forgets what was written; frees; NULL is allowed */

/* The whole file from memory. */
int outfile_write(const char *path, const void *bytes, size_t n, struct err *e);

#endif
