/*
 * When each CTA ran on which SM: what --timeline draws. At most CTA_TIMES are kept, so that the file of a long run can
 * still be opened: when there are more, only those of every second, fourth ... SM are, and on the last SM left those of
 * the beginning.
 */
#ifndef WEIR_GPU_CTA_TIMES_H
#define WEIR_GPU_CTA_TIMES_H

#include "gpu/dispatch.h"

enum { CTA_TIMES = 50000, CTA_LANES = 64 /* CTAs that an SM can hold */ };

struct cta_time {
    uint64_t cta, begin, end; /* core cycles; end: NEVER = it had not ended */
    uint32_t launch;
    uint16_t sm;
    uint8_t lane; /* of the SM's places, the lowest that was free */
};

struct cta_times;
struct cta_times *cta_times_new(uint32_t n_sm);
void cta_times_free(struct cta_times *);
dispatch_watch cta_times_watch; /* ctx: a struct cta_times */
/* The CTAs that are kept; of those that run, the beginning. */
const struct cta_time *cta_times_all(const struct cta_times *, size_t *n);
uint64_t cta_times_seen(const struct cta_times *);
/* CTAs are kept of the SMs whose number this divides. */
uint32_t cta_times_every(const struct cta_times *);

#endif
