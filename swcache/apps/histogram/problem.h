/*
 * A histogram over records: each thread reads a run of sales records and adds each one's price to the bin of its
 * category; a block collects its bins in shared memory.
 */
#ifndef HISTOGRAM_PROBLEM_H
#define HISTOGRAM_PROBLEM_H

#include "../common.h"

enum { CATEGORIES = 64 };

struct sale {
    unsigned customer;
    unsigned short category;
    unsigned short store;
    unsigned price;
    unsigned quantity;
};

struct problem {
    const sale *sales;
    long count;
    int per_thread;
    unsigned long long *revenue; /* CATEGORIES */
};

#endif
