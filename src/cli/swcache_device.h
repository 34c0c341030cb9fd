/* The applications of the software L1 on the GPU of this computer. */
#ifndef WEIR_CLI_SWCACHE_DEVICE_H
#define WEIR_CLI_SWCACHE_DEVICE_H

#include "cli/swcache_results.h"

/*
 * Compiles every application with nvcc and runs it; medians of its launches, variants in turns, each as its tuner
 * chooses. A failing application is told in its outcome. -1: there is no nvcc or no GPU.
 */
int swcache_on_device(const struct swcache_apps *, const char *size, struct swcache_results *, struct err *);

#endif
