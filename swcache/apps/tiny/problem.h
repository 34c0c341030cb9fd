/* A scan too short to be worth a cache: a hundred bytes per thread, one launch of a few microseconds. */
#ifndef TINY_PROBLEM_H
#define TINY_PROBLEM_H

#include "../common.h"

struct problem {
    const char *text;
    int per_thread, threads;
    unsigned *sums; /* per thread */
};

#endif
