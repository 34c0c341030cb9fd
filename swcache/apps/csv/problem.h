/*
 * Reads comma-separated values: each thread takes the rows that begin in its chunk, counts rows and fields and adds up
 * one numeric column. Quoted fields may hold commas and doubled quotes, but no line ends.
 */
#ifndef CSV_PROBLEM_H
#define CSV_PROBLEM_H

#include "../common.h"

enum { SUMMED_COLUMN = 2 };

struct csv_totals {
    unsigned rows, fields;
    unsigned long long sum; /* of SUMMED_COLUMN, an integer */
};

struct problem {
    const char *text;
    long bytes;
    int chunk; /* bytes per thread */
    int threads;
    csv_totals *totals; /* per thread */
};

#endif
