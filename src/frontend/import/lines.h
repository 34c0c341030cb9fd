/*
 * Reads a text file, plain or compressed by xz, line by line in bounded memory, because traces of other tools are many
 * gigabytes of text. Compression is recognized by the file's first bytes, not by its name.
 */
#ifndef WEIR_IMPORT_LINES_H
#define WEIR_IMPORT_LINES_H

#include "base/err.h"

struct lines;

/* NULL and *e if the file cannot be opened. */
struct lines *lines_open(const char *path, struct err *e);
/* Reads bytes in memory, which must outlive the reader; `name` is for error messages. */
struct lines *lines_mem(const void *bytes, size_t n, const char *name);
void lines_close(struct lines *);

/* 1: *line is the next line without blanks around it and without its newline, valid until the next call; 0: end of the
 * file; -1 and *e: error. */
int lines_next(struct lines *, char **line, struct err *e);

/* Fills *e with the message, the file and the number of the line that lines_next returned last. Returns -1. */
int lines_err(const struct lines *, struct err *e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Bytes of the file read so far, before decompression. */
uint64_t lines_read_bytes(const struct lines *);

#endif
