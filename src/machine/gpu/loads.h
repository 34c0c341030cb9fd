/*
 * What is known of each static load beyond its counters: what the policies report about it (engine/load_report.h),
 * summed over their instances and launches, and, when asked for, how the infinite-cache observer (cache/locality.h)
 * classified it in the same run.
 */
#ifndef WEIR_GPU_LOADS_H
#define WEIR_GPU_LOADS_H

#include "engine/policy_registry.h"
#include "gpu/gpu.h"
#include "cache/locality.h"
#include "sm/coalesce.h"
#include "sm/sm.h"

enum { GPU_VERDICTS = 8 };

/* What one policy tells about one load. A report is one row of one instance of the policy at one launch's end. */
struct gpu_load_report {
    uint64_t reports, decided; /* decided: those that gave a text */
    struct {
        const char *text[LOAD_TEXTS]; /* in the order of the text columns; "" = not given */
        uint64_t reports;
    } verdict[GPU_VERDICTS];  /* the most frequent first; ended by 0 reports; combinations beyond these are left out */
    uint64_t n[LOAD_COLUMNS]; /* by column, combined; a mean's sum */
    uint64_t given[LOAD_COLUMNS]; /* how many reports gave a value */
};

struct gpu_loads;
/* `classify`: with the infinite caches. NULL with *e filled when these cannot be had. */
struct gpu_loads *gpu_loads_new(uint32_t n_sm, bool classify, struct err *);
void gpu_loads_free(struct gpu_loads *);
/* A launch of the kernel numbered `kernel`; between begin and end gpu_loads_see gets the SMs' loads. */
void gpu_loads_begin(struct gpu_loads *, uint32_t kernel, const struct trace_kernel *);
void gpu_loads_see(void *loads, const struct sm_load_seen *);
/* At the launch's end, from each instance of each policy (a policy_visit). */
void gpu_loads_take(void *loads, const struct policy_info *, const void *state);
void gpu_loads_end(struct gpu_loads *);

/* The policies that reported something, in the order in which they first did. */
const struct policy_info *const *gpu_loads_reporters(const struct gpu_loads *, unsigned *n);
/* Of memory instruction `mem_index`, by reporter; NULL: nothing is known. */
void gpu_loads_reports(const struct gpu_loads *, uint32_t kernel, uint32_t mem_index,
                       const struct gpu_load_report *out[GPU_REPORTERS]);
const struct locality_load *gpu_loads_truth(const struct gpu_loads *, uint32_t kernel, uint32_t mem_index);

/* Which of the policy's texts is a type of reuse; -1 = none. */
int gpu_loads_reuse_text(const struct policy_info *);
/* In how many of the decided reports the type of reuse found (text `reuse`) is the one that most lines of the load
 * have. */
uint64_t gpu_loads_agreeing(const struct gpu_load_report *, int reuse, const struct locality_load *truth);

#endif
