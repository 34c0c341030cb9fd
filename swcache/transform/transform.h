/*
 * The source transformer of the software L1: CUDA C++ in, CUDA C++ out.
 *
 * Finds the kernels of a file, splits their main loops into a monitoring slice and a cached slice and sends loads and
 * stores through swcache.cuh ("Resurrecting L1: A Software Cache for GPUs", section 1.1). The output is the person's
 * own text with edits at source offsets: comments and layout stay. What cannot be changed without doubt about its
 * meaning stays as it is, and a note says why, with the line.
 *
 * It lives in a module of its own (libweir-swcache.so) because libclang takes a tenth of a second to load, which no
 * other command should pay; cli/swcache.c loads it.
 */
#ifndef WEIR_TRANSFORM_TRANSFORM_H
#define WEIR_TRANSFORM_TRANSFORM_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Which loop of a nest is split. */
enum swcache_split {
    SWCACHE_SPLIT_AUTO,  /* the outermost one, unless it only hands out records to threads */
    SWCACHE_SPLIT_OUTER, /* always the outermost one that can be split */
    SWCACHE_SPLIT_INNER, /* always the innermost ones */
};

/* A file that is to be read as if it had another text. */
struct swcache_file {
    char *path, *text;
    size_t bytes;
};

struct swcache_options {
    const char *path;       /* the source file */
    const char *const *arg; /* clang's arguments for its device compilation, without the file's name */
    int n_arg;
    const struct swcache_file *mended;
    size_t n_mended;
    bool alias_safe; /* cache pointers without __restrict__ too: every access looks into every line */
    bool keep_all;   /* rewrite every access that may be rewritten, profitable or not */
    bool slices;     /* write the slices of every loop into the text */
    bool no_scans;   /* loops over consecutive elements go through a cache like others */
    enum swcache_split split;
};

enum swcache_note_kind { SWCACHE_CACHED, SWCACHE_LEFT_ALONE };

struct swcache_note {
    enum swcache_note_kind kind;
    char *file; /* NULL: the source itself */
    unsigned line, col;
    char *text;
};

struct swcache_result {
    char *text; /* the whole output file, 0-terminated */
    size_t bytes;
    struct swcache_note *note; /* in the order of the source */
    size_t n_note;
    unsigned n_kernel, n_loop, n_launch; /* changed */
    unsigned long nodes, visits;         /* of the syntax trees; of their nodes by the analyses */
};

/* 0, or -1 with *e filled (the file cannot be read or does not compile). */
typedef int swcache_transform_fn(const struct swcache_options *, struct swcache_result *, struct err *);
#define SWCACHE_TRANSFORM_SYMBOL "swcache_transform"
swcache_transform_fn swcache_transform;

#endif
