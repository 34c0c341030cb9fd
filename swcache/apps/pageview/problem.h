/*
 * Counts page views in a web server's log: each thread reads the lines that begin in its chunk, hashes the path of each
 * request and counts it in a table.
 */
#ifndef PAGEVIEW_PROBLEM_H
#define PAGEVIEW_PROBLEM_H

#include "../common.h"

enum { TABLE_BITS = 16 };

struct problem {
    const char *log;
    long bytes;
    int chunk; /* bytes per thread */
    int threads;
    unsigned *views; /* 1 << TABLE_BITS */
};

#endif
