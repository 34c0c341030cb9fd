/*
 * What a sample says of what was skipped, and how sure that is.
 *
 * A series is a list of units that were simulated one after the other (launches of one kind, or windows of one long
 * launch), each with its work in warp instructions, and with the work that was skipped behind it. A statistic's rate in
 * a unit is its value per warp instruction; a gap has the mean of the rates on both sides (of all units up to the next
 * gap), so that a slow drift is followed. This is systematic sampling with a ratio estimator (Cochran, Sampling
 * Techniques, chapters 6 and 8). Its variance is that of successive differences (Wolter, Introduction to Variance
 * Estimation, chapter 8) or, where it is larger, that about the mean. Intervals have Student's factor.
 *
 * Left out: the covariance between series, and errors of the state that a unit starts with; a unit that starts cold is
 * marked and gives no rate.
 */
#ifndef WEIR_GPU_ESTIMATE_H
#define WEIR_GPU_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

struct estimate_unit {
    double work;        /* simulated */
    double gap;         /* skipped behind it, before the next */
    double gap_squares; /* the sum of the squares of the skipped units' work */
    bool cold;          /* begins with caches or neighbors that the skipped units would not have had */
};

/*
 * Adds to `weight` what each unit's values must be multiplied with, so that their sum is what `work` within the gap
 * behind unit `k` is worth.
 */
void estimate_gap(const struct estimate_unit *, size_t n, size_t k, double work, double *weight);
/* The same for all gaps: the sum is the estimate for everything skipped. */
void estimate_weights(const struct estimate_unit *, size_t n, double *weight);

struct estimate_variance {
    double variance, freedom; /* freedom: of Student's distribution; 0 = unknown, too few units */
};
/* Of the sum of weight * value, as an estimate of what was skipped. */
struct estimate_variance estimate_variance(const struct estimate_unit *, size_t n, const double *weight,
                                           const double *value);
/* Of a sum of independent estimates (Satterthwaite's degrees of freedom). */
struct estimate_variance estimate_add(struct estimate_variance, struct estimate_variance);
/* Half of the interval that covers the truth in 95 of 100 samples. INFINITY where the freedom is unknown. */
double estimate_half_width(struct estimate_variance);

/* Half of the 95% interval of the mean rate, relative to it; INFINITY with fewer than three units that are not cold. */
double estimate_spread(const struct estimate_unit *, size_t n, const double *value);

#endif
