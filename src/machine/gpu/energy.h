/* Energy coefficients of a machine, applied to what it counted; see energy/energy.h. */
#ifndef WEIR_GPU_ENERGY_H
#define WEIR_GPU_ENERGY_H

#include "energy/energy.h"
#include "engine/stats.h"
#include "gpu/result.h"

struct json_t;

/* For `weir explain`, as result_each_stat: energy.*, with the components of all machines and policies. */
int gpu_energy_each_stat(void (*fn)(void *ctx, const struct stat_doc *), void *ctx, struct err *);

/* The coefficients that the configuration names. `s`: the statistics of the machine at hand, or NULL. */
struct energy_model *gpu_energy_open(const struct cfg *, const struct stats *s, struct err *);
/* From an object of statistics by name ("total", or one of "kernels"). Counts that it lacks are 0. */
void gpu_energy_of_json(const struct energy_model *, const struct json_t *counts, struct energy_result *out);
/* The same, added to the object as energy.total_j and so on. */
void gpu_energy_put_json(const struct energy_model *, struct json_t *counts);
/* From a reading of the machine's counters. */
void gpu_energy_of_stats(const struct energy_model *, const struct stats *, const uint64_t *value,
                         struct energy_result *out);

#endif
