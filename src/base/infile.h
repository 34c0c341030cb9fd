/*
 * Input files that another file may have named: a machine's base, a plan's published values, a plugin, coefficients.
 * Only plain files of a bounded size are read, so that neither a device without an end nor a pipe without a writer
 * keeps weir from terminating.
 */
#ifndef WEIR_BASE_INFILE_H
#define WEIR_BASE_INFILE_H

#include "base/err.h"

#include <stdint.h>
#include <stdio.h>

#define INFILE_ANY_SIZE UINT64_MAX

/* A descriptor, closed on exec, of a plain file of at most `most_bytes`; -1 and *e otherwise. */
int infile_fd(const char *path, uint64_t most_bytes, struct err *e);
/* The same as a stream; NULL and *e otherwise. */
FILE *infile_open(const char *path, uint64_t most_bytes, struct err *e);
/* All of its bytes, to be freed, with a zero behind them; NULL and *e otherwise. */
char *infile_whole(const char *path, uint64_t most_bytes, size_t *n, struct err *e);
/* The same of a file of our own; NULL and errno otherwise. */
char *infile_bytes(const char *path, size_t *n);
/* The whole text, to be freed, with a zero at its end; NULL and *e if it contains a zero, too. */
char *infile_text(const char *path, uint64_t most_bytes, struct err *e);

#endif
