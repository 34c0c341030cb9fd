/* The results of the software L1's applications on one machine after the other: tables, JSON, pictures. */
#ifndef WEIR_CLI_SWCACHE_RESULTS_H
#define WEIR_CLI_SWCACHE_RESULTS_H

#include "cli/swcache_apps.h"

#include <stdio.h>

struct json_t;

/* One application on one machine. */
struct swcache_outcome {
    const struct swcache_app *app;
    char *failure; /* NULL = all went well */
    bool left_alone;
    double time[SWCACHE_VARIANTS];               /* cycles or ms */
    struct json_t *statistics[SWCACHE_VARIANTS]; /* of the machine (docs/statistics.md), or of the device's timing */
};

struct swcache_results {
    char *machine;
    const char *says;                    /* more about the machine; NULL = nothing */
    const char *size, *unit;             /* unit: of the times */
    bool simulated;                      /* there are statistics of caches and memory */
    VEC(struct swcache_outcome) outcome; /* in the order of the applications */
};

void swcache_results_free(struct swcache_results *);
/* The table, and what must be known to read it. */
void swcache_results_print(const struct swcache_results *, bool markdown, FILE *);
int swcache_results_json(const struct swcache_results *, size_t n, const char *path, struct err *);
/* FOLDER/report.md, and for each machine a bar chart. Creates the folder. */
int swcache_results_report(const struct swcache_results *, size_t n, const char *folder, struct err *);

/* ---- on the GPU of this computer (swcache_device.c) ---- */

/*
 * Compiles every application with nvcc and runs it; medians of its launches, variants in turns, each as its tuner
 * chooses. A failing application is reported in its outcome. -1: there is no nvcc or no GPU.
 */
int swcache_on_device(const struct swcache_apps *, const char *size, struct swcache_results *, struct err *);

#endif
