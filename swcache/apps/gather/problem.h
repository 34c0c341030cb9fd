/* Each thread follows its own list of indices into a table: no two accesses meet a line. Caching the table must stay
 * off. */
#ifndef GATHER_PROBLEM_H
#define GATHER_PROBLEM_H

#include "../common.h"

struct problem {
    const unsigned *table;
    unsigned mask; /* the table's size, a power of two, minus one */
    int threads, per_thread;
    unsigned *sums; /* per thread */
};

#endif
