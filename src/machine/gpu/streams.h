/*
 * Holds the chunks of CTA streams between their source (a file, a running emulator) and the SMs.
 *
 * The machine asks for pieces per CTA, warp and number; a chunk is kept until all its warps have moved on to the next
 * one. A missing chunk is fetched through `fetch`, which reads a file or waits for the emulator. Calls may come from
 * several threads at once: the machine's and the emulator's.
 */
#ifndef WEIR_GPU_STREAMS_H
#define WEIR_GPU_STREAMS_H

#include "sm/sm.h"
#include "trace/stream.h"

#include <pthread.h>

struct streams {
    struct sm_streams sm; /* what the SMs use; sm.ctx is the struct itself */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* chunks were added or removed */
    void *ctx;
    /*
     * Makes chunk (cta, seq) available by streams_put, with the lock held. 1 done; 0 the CTA has no such chunk; -1
     * failed.
     */
    int (*fetch)(void *ctx, struct streams *, uint64_t cta, uint32_t seq);
    struct stream_cta *bucket[1024];
    uint64_t bytes, peak_bytes; /* held now, most ever */
    unsigned starving;          /* threads of the machine that wait for a chunk that is not there */
};

void streams_init(struct streams *, int (*fetch)(void *ctx, struct streams *, uint64_t cta, uint32_t seq), void *ctx);
void streams_destroy(struct streams *);
/* Copies a chunk in; the lock is held by the caller. */
void streams_put(struct streams *, const struct stream_chunk *);
/* Is the chunk there; is it known that the CTA has none of that number? With the lock held. */
bool streams_has(struct streams *, uint64_t cta, uint32_t seq);
bool streams_ended(struct streams *, uint64_t cta, uint32_t seq);
/* Forgets all CTAs: a launch has ended or was given up. */
void streams_clear(struct streams *);

#endif
