/*
 * A user-facing error: where it is, what is wrong, what to do.
 *
 * Functions that can fail on bad input return -1 (or NULL) after filling a `struct err`; only the command line and the
 * CUDA runtime shim print one. Bugs of weir itself are BUG(), never an err.
 */
#ifndef WEIR_BASE_ERR_H
#define WEIR_BASE_ERR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct err {
    char file[256];  /* "" when the error belongs to no file */
    int line;        /* 1-based; 0 = unknown */
    int col;         /* 1-based; 0 = unknown */
    uint64_t offset; /* byte offset in a binary file; UINT64_MAX = none */
    char msg[512];   /* what is wrong */
    char hint[256];  /* what to do; "" = none */
};

/* Clears *e. A NULL `e` is allowed everywhere below and means "I only need to know that it failed". */
void err_clear(struct err *e);

/* Fills *e and returns -1, so that callers write `return err_at(...)`. `file` may be NULL. */
int err_at(struct err *e, const char *file, int line, int col, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* The same for a place in a binary file. */
int err_offset(struct err *e, const char *file, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with no place. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds what the person can do about it. Returns -1. */
int err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints "weir: FILE:LINE:COL: msg; hint" and a newline. */
void err_print(const struct err *e, FILE *out);

/* A broken invariant of weir itself: says where and aborts. */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
