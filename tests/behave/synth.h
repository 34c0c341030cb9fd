/*
 * Kernels and streams written by a test: a table of static instructions, and a function that says what each warp does.
 * For tests of the SM and of the whole machine that must not depend on PTX.
 */
#ifndef WEIR_TESTS_SYNTH_H
#define WEIR_TESTS_SYNTH_H

#include "base/mem.h"
#include "sm/sm.h"
#include "trace/stream.h"

#include <pthread.h>

struct synth;

/* Emits the instructions of one warp, through synth_do and synth_mem. */
typedef void synth_warp(struct synth *, void *ctx, uint64_t cta, uint32_t warp);

struct synth {
    struct trace_kernel kernel;
    VEC(struct trace_inst) inst;
    VEC(uint16_t) reg;
    VEC(struct trace_loop) loop;
    struct trace_launch launch;
    struct sm_streams streams;
    synth_warp *warp;
    void *ctx;
    pthread_mutex_t lock; /* of the encoder: a machine of several threads reads several streams at once */
    struct stream_enc *enc;
    VEC(uint8_t *) kept; /* encoded streams */
};

void synth_init(struct synth *, uint32_t ctas, uint32_t threads, synth_warp *, void *ctx);
void synth_free(struct synth *);
/* Adds a static instruction and returns its pc. `dst` and `src`: registers, ended by -1; NULL = none. */
uint32_t synth_inst(struct synth *, enum trace_class, const int *dst, const int *src);
/* A memory instruction. */
uint32_t synth_mem_inst(struct synth *, enum trace_class, enum trace_space, unsigned width, const int *dst,
                        const int *src);
void synth_seal(struct synth *); /* the table is complete */

/* In the warp function: */
void synth_do(struct synth *, uint32_t pc, uint32_t n, uint32_t mask); /* n instructions that access no memory */
void synth_access(struct synth *, uint32_t pc, uint32_t mask, enum trace_space, const uint64_t addr[32]);
void synth_affine(struct synth *, uint32_t pc, uint32_t mask, enum trace_space, uint64_t base, int64_t stride);

#define REGS(...) ((const int[]){__VA_ARGS__, -1})

#endif
