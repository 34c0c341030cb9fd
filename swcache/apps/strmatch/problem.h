/* Finds a pattern in a text by trying every position: each thread counts the matches that begin in its chunk. */
#ifndef STRMATCH_PROBLEM_H
#define STRMATCH_PROBLEM_H

#include "../common.h"

enum { PATTERN_BYTES = 8 };
struct pattern {
    char text[PATTERN_BYTES];
};

struct problem {
    const char *text;
    long bytes;
    pattern wanted;
    int chunk; /* positions per thread */
    int threads;
    unsigned *matches; /* per thread */
};

#endif
