/*
 * Sampled simulation: part of a recording in time, the rest from its counts.
 *
 * Launches are divided into strata: kernel, shape, and warp instructions and stream bytes per instruction on a
 * logarithmic scale, all of which the recording's index has, whatever the machine (Sieve, ISPASS 2023, stratifies by
 * kernel and instruction count; STEM+ROOT, MICRO 2025, sizes samples by spread). They run in the recording's order, and
 * within a stratum simulation continues until the 95% interval of its cycles per warp instruction is narrow enough; then
 * launches are skipped, twice as many each time a further one confirms the estimate (sampled.c). Within a long launch
 * waves of CTAs are the units: when they have settled the dispatcher passes over CTAs while those that run stay, so that
 * no pipeline drains, and the last wave runs as the tail (sampled_ctas.c; stopping early is PKA's, MICRO 2021, which
 * does not look again). The accesses of skipped launches warm the L2 (warm.c). Every statistic is extrapolated per warp
 * instruction and has an interval (estimate.h, sampled_result.c).
 *
 * The tolerance of a stratum is the error asked for divided by the square root of its share of the warp instructions,
 * so that the errors of all, independent of each other, add up to it: small strata need not be as exact.
 *
 * Left out: CTAs behind a gap find the caches as those before it left them; policies learn from what is simulated only;
 * copies between launches are not skipped.
 */
#ifndef WEIR_GPU_SAMPLED_H
#define WEIR_GPU_SAMPLED_H

#include "gpu/estimate.h"
#include "gpu/gpu_priv.h"
#include "trace/file.h"

/* Units in the order in which they ran; unit k has value[k], stats_count() differences. */
struct sampled_series {
    VEC(struct estimate_unit) unit;
    VEC(uint64_t *) value;
};

/* Launches that are alike. */
struct sampled_stratum {
    uint32_t launches, seen;
    double work;        /* warp instructions of all */
    uint32_t gap, skip; /* launches to skip after the next unit that agrees; those still to be skipped now */
    struct sampled_series series;
    VEC(size_t) windows; /* of each unit: its windows, an index in sampling.windows + 1; 0 = it ran whole */
};

struct sampled_skipped { /* a launch that was not simulated */
    size_t kernel;       /* in gpu.kernel */
    uint32_t stratum;
    size_t unit; /* of the stratum, before it */
    double work;
};

struct sampling {
    double error;
    struct trace_file *file;
    uint32_t n_launch;
    uint32_t *stratum_of; /* by launch */
    VEC(struct sampled_stratum) stratum;
    VEC(struct sampled_series *) windows;
    VEC(struct sampled_skipped) skipped;
    unsigned cycles; /* the statistic */
    /* the present launch */
    uint32_t launch;
    double tolerance;
    struct sampled_series *present; /* its windows; NULL = it runs whole */
    /* the outcome */
    uint64_t skipped_insts, all_insts;
    double *half; /* of each statistic's 95% interval */
    struct gpu_sampled told;
};

struct sampling *sampling_new(struct gpu *, double error);
void sampling_free(struct sampling *);
/* The first `launches` launches of a recording; as gpu_replay_first. */
enum gpu_end sampled_replay(struct gpu *, struct trace_file *, uint32_t launches, struct err *);

/* sampled_ctas.c: runs the launch that the dispatcher has started, and passes over CTAs where it may. */
enum gpu_end sampled_run(struct gpu *, const struct trace_launch *, uint32_t cluster, uint32_t per_sm, struct err *);
/* Adds what the CTAs that were passed over would have counted. */
void sampled_extrapolate(const struct gpu *, const struct trace_launch *, uint64_t *value);

/* The spread of a series' cycles per warp instruction, from a unit on (estimate.h). */
double sampled_spread(const struct gpu *, const struct sampled_series *, size_t from);
/* Numbers that are known whatever was skipped. */
void sampled_set_known(const struct gpu *, const struct trace_launch *, uint64_t *value);

/* sampled_result.c: gives skipped launches their values, and every statistic its interval. */
void sampled_conclude(struct gpu *);

#endif
