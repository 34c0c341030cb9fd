/*
 * What is known of each static load beyond its counters: what the L1's management decided about it (l1/policy.h:
 * struct l1_decision), put together over SMs and launches, and, when asked for, what the infinite caches of
 * locality/locality.h saw of it on the same run.
 */
#ifndef WEIR_GPU_LOADS_H
#define WEIR_GPU_LOADS_H

#include "gpu/gpu.h"
#include "l1/policy.h"
#include "locality/locality.h"
#include "sm/coalesce.h"
#include "sm/sm.h"

enum { GPU_VERDICTS = 8 };

/* One load; an instance is the load in one SM during one launch. */
struct gpu_decision {
    uint64_t instances, decided;
    struct {
        const char *type, *method;
        uint64_t instances;
    } verdict[GPU_VERDICTS]; /* the most frequent first; ended by a type of NULL */
    uint64_t at_sum;         /* of the decided ones: core cycles from the kernel's begin to the decision */
    uint32_t total, own;     /* the largest counts any decision was taken by */
    uint32_t last_pc;        /* with them: the load that ends a line's life */
    uint64_t accesses, bypassed, refused, pinned, pinned_hits;
};

struct gpu_loads;
/* `classify`: with the infinite caches. NULL with *e filled when these cannot be had. */
struct gpu_loads *gpu_loads_new(uint32_t n_sm, bool classify, struct err *);
void gpu_loads_free(struct gpu_loads *);
/* A launch of the kernel numbered `kernel`; between begin and end gpu_loads_see gets the SMs' loads. */
void gpu_loads_begin(struct gpu_loads *, uint32_t kernel, const struct trace_kernel *);
void gpu_loads_see(void *loads, const struct sm_load_seen *);
void gpu_loads_take(struct gpu_loads *, const struct l1 *); /* at the launch's end, from each L1 */
void gpu_loads_end(struct gpu_loads *);

/* Of memory instruction `mem_index`; NULL: nothing is known. */
const struct gpu_decision *gpu_loads_decision(const struct gpu_loads *, uint32_t kernel, uint32_t mem_index);
const struct locality_load *gpu_loads_truth(const struct gpu_loads *, uint32_t kernel, uint32_t mem_index);

/* In how many of the decided instances the type found is the one that most lines of the load have. */
static inline uint64_t gpu_decision_agrees(const struct gpu_decision *d, const struct locality_load *truth)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < GPU_VERDICTS && d->verdict[i].type; i++)
        if (!strcmp(d->verdict[i].type, locality_type_name[locality_dominant(truth)]))
            n += d->verdict[i].instances;
    return n;
}

#endif
