/*
 * How much of an SM's memory a kernel's shared memory takes, where shared memory and L1 are one array.
 *
 * The driver chooses one of a few sizes for each launch; what is left is the L1. Nothing documents its rule. On an H200
 * (silicon/probes/h200_carveouts.tsv: what Nsight Compute reports for kernels of the suite and of the
 * microbenchmarks) it gives more than the resident CTAs need, so that a kernel with less occupancy could follow:
 * with shared memory twice their need, but beyond 132 KiB no more than they need; without any four times what the
 * system keeps for them, at most 32 KiB. Of 100 different launches 94 get the size that this rule gives.
 */
#ifndef WEIR_GPU_CARVE_OUT_H
#define WEIR_GPU_CARVE_OUT_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { CARVE_OUTS = 16 };
struct carveouts {
    uint32_t kib[CARVE_OUTS]; /* ascending */
    unsigned n;               /* 0 = shared memory is an array of its own */
};

/* Reads a list such as "8 16 32 64"; the first size may be 0. */
int carve_outs_parse(struct carveouts *, const char *list, struct err *);
/*
 * Bytes taken out for CTAs of `smem_bytes` each, of which `per_sm` are resident and for each of which the system keeps
 * `reserved`; shared memory comes in multiples of `unit`.
 */
uint64_t carveout(const struct carveouts *, uint64_t smem_bytes, uint32_t per_sm, uint32_t reserved, uint32_t unit);

#endif
