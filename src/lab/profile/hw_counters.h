/*
 * What a real GPU counted, read from files that Nsight Compute or we wrote.
 *
 *   ncu --csv --page raw       a row per launch, a column per metric; units in the row below the header
 *   ncu --csv --page details   a row per launch and metric
 *   a table of sums            separated by tabs, header "program kernel launches METRIC...", comments begin with '#':
 *                              each row the sums over the launches of a kernel of a program
 *
 * Of the metrics those are kept that weir can give a value for (gpu/ncu_names.h), in base units. Lines that no table
 * has, such as the program's output and ncu's own remarks, are passed over; a row that does not fit its header is an
 * error with its line.
 */
#ifndef WEIR_PROFILE_HW_COUNTERS_H
#define WEIR_PROFILE_HW_COUNTERS_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

enum { BOARD_METRICS = 32 }; /* at least as many as ncu_metrics has */

struct hw_row {
    char *program; /* tables of sums; else NULL */
    char *kernel;  /* as the file has it */
    char *id;      /* of the launch; NULL in tables of sums */
    unsigned launches;
    int line;
    double value[BOARD_METRICS]; /* by index in ncu_metrics; NAN = not in the file */
};

struct hw_counters {
    VEC(struct hw_row) row;
    bool summed; /* a table of sums */
};

int hw_read(struct hw_counters *, const char *path, struct err *);
void hw_free(struct hw_counters *);

/* Index of a metric in ncu_metrics; -1 = weir has none of that name. */
int hw_metric(const char *name);

#endif
