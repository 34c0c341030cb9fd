/* Device properties from the configuration of a machine; no machine is built. */
#ifndef WEIR_GPU_PROPS_H
#define WEIR_GPU_PROPS_H

#include "base/err.h"
#include "trace/device.h"

struct cfg;

void gpu_props_of(const struct cfg *, struct device_props *);
/*
 * Machine by name or file, with key=value assignments; -1 and *e on a fault. `with` (may be NULL) chooses policies:
 * they do not show in the properties, but their parameters may be among the assignments.
 */
int gpu_props_load(const char *machine, const char *const *set, unsigned n_set, const char *with, struct device_props *,
                   struct err *);

#endif
