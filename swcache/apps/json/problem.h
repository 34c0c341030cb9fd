/*
 * Reads JSON lines: each thread parses its own documents (their offsets are known, as in a column of a data frame) and
 * counts objects, keys, array elements and the deepest nesting.
 */
#ifndef JSON_PROBLEM_H
#define JSON_PROBLEM_H

#include "../common.h"

struct json_counts {
    unsigned objects, keys, elements, depth;
};

struct problem {
    const char *text;
    const long *offsets; /* documents + 1 */
    int documents, per_thread;
    json_counts *counts; /* per thread */
};

#endif
