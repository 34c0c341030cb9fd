/*
 * weir's statistics under the names of Nsight Compute's metrics.
 *
 * A metric is here when weir counts the same thing, or nearly: docs/correlation.md says where the two differ.
 */
#ifndef WEIR_GPU_NCU_NAMES_H
#define WEIR_GPU_NCU_NAMES_H

struct ncu_metric {
    const char *name, *unit; /* as Nsight Compute prints them with --print-units base */
    const char *num, *den;   /* sums and differences of weir's statistics: "l1.hits+l1.merges"; den NULL = 1 */
    double scale;            /* 100 for a percentage; 0 = nanoseconds of so many core cycles */
};
/* Ends with a name of NULL. */
extern const struct ncu_metric ncu_metrics[];

/* The value of one of weir's statistics; NaN when there is none of that name. */
typedef double ncu_stat(void *ctx, const char *name);
/* The metric's value from weir's statistics; NaN when one of them is missing or the denominator is 0. */
double ncu_value(const struct ncu_metric *, double core_hz, ncu_stat *, void *ctx);

#endif
