/*
 * Energy of a run: events x energy per event + power x time, by component. A pure function of a run's statistics and
 * configuration, so it is applied after the run, or to a stored one, and the simulator does not know of it.
 *
 * The coefficients are in a file of configs/energy that the machine names (machine.energy), each with its source:
 *
 *     base = fermi40                     # start from another file; a section given here replaces that of the base
 *     [technology]
 *     node = 40nm
 *     [l1_data]                          # a component: energy.l1_data_j
 *     doc = L1 data arrays ...
 *     l1.load_hits = l1.data read        # so many reads of the SRAM array of that name (structures.h)
 *     l1.load_hits = 2.87nJ per 128B     # and this much per 128 bytes of a look-up
 *     l1.store_hits + l1.fills = l1.data write
 *     static = l1.data                   # the array's leakage
 *     static = 0.61W per sm              # power; per sm, idle_sm, slice, channel or chip; of the machine if not said
 *
 * The left side of '=' is a sum of statistics (+ and -). Every fault is reported with file and line; a name that is
 * no statistic of weir is one. A statistic that the machine at hand does not count (const.* without a constant cache)
 * is 0. The structures that the chosen policies add (policy_info.cost) form a component of each policy, with their
 * leakage and the accesses that the policy declares.
 */
#ifndef WEIR_ENERGY_ENERGY_H
#define WEIR_ENERGY_ENERGY_H

#include "base/err.h"
#include "engine/config.h"

enum { ENERGY_COMPONENTS = 64 };

struct energy_model;

/* Is there such a statistic, in this or any other machine? */
typedef bool energy_known(void *ctx, const char *name);
/* The coefficients of a machine; NULL and *e where it names none or they are faulty. */
struct energy_model *energy_open(const struct cfg_schema *, const struct cfg *, energy_known *, void *ctx,
                                 struct err *e);
void energy_free(struct energy_model *);

/* Components in the order of the file, then those of the policies. */
unsigned energy_count(const struct energy_model *);
const char *energy_name(const struct energy_model *, unsigned i); /* "l1_data"; its statistic is energy.l1_data_j */
const char *energy_doc(const struct energy_model *, unsigned i);
const char *energy_file(const struct energy_model *);

/* A statistic's value; 0 where the run has none of that name. */
typedef double energy_stat(void *ctx, const char *name);

struct energy_result {
    double seconds;
    struct energy_part {
        double dynamic_j, static_j;
    } total, component[ENERGY_COMPONENTS];
};
void energy_evaluate(const struct energy_model *, energy_stat *, void *ctx, struct energy_result *out);

/* Every energy statistic of a result, by name: energy.total_j, energy.dynamic_j, energy.static_j, energy.power_w, and
 * energy.COMPONENT_j. */
void energy_each(const struct energy_model *, const struct energy_result *,
                 void (*fn)(void *ctx, const char *name, double value), void *ctx);

#endif
