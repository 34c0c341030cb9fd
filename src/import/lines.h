/*
 * Lines of a text file that may be compressed by xz, one after the other, in bounded memory: traces of other tools are
 * text of many gigabytes. Compression is recognised by the file's first bytes, not by its name.
 */
#ifndef WEIR_IMPORT_LINES_H
#define WEIR_IMPORT_LINES_H

#include "base/err.h"

struct lines;

/* NULL and *e when the file cannot be opened. */
struct lines *lines_open(const char *path, struct err *e);
/* The same from memory, which must outlive it; `name` is for errors. */
struct lines *lines_mem(const void *bytes, size_t n, const char *name);
void lines_close(struct lines *);

/* 1: *line is the next line, without its end, valid until the next call; 0: there is none; -1: *e says why. */
int lines_next(struct lines *, char **line, struct err *e);

/* Fills *e with the file and the number of the line that lines_next gave last. Returns -1. */
int lines_err(const struct lines *, struct err *e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Bytes of the file that have been read, as stored. */
uint64_t lines_read_bytes(const struct lines *);

#endif
