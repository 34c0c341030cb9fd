/*
 * Per-warp instruction streams: what a warp executed, in a few bits per instruction.
 *
 * The emulator encodes (struct stream_enc), the machine decodes (struct stream_dec). The same bytes travel three ways:
 * straight to the machine (`weir run`), into a .wt file (`weir record`) and back from it (`weir replay`), which is why
 * the three give identical statistics.
 *
 * A stream is a list of runs. A run is a straight piece of code executed under one active mask: start pc, number of
 * instructions, mask. After a run's head come the address records of its memory instructions, in program order. An
 * instruction whose guard switches lanes off forms a run of its own with the effective mask (which may be 0).
 * Both sides predict (the next run from the last time this run ended; an address from the last one of the same static
 * instruction), so that a loop over an array costs about one byte for the run and one per memory instruction, before
 * zstd.
 */
#ifndef WEIR_TRACE_STREAM_H
#define WEIR_TRACE_STREAM_H

#include "trace/kernel.h"

#include <stddef.h>

/*
 * Whether executing this instruction (under a mask that is not 0) leaves an address record: memory instructions do,
 * except loads of kernel parameters, which have no mem_index. Encoder, decoder, emulator and machine all ask here.
 */
static inline bool trace_has_addresses(const struct trace_inst *i)
{
    return i->mem_index != UINT32_MAX;
}

/*
 * Lane addresses of one executed memory instruction. Which lanes: the run's mask.
 *   GLOBAL, TEX, CONST: device address (CONST: offset in the constant bank)
 *   SHARED: byte offset in the CTA's shared memory; in that of another CTA of the cluster, rank + 1 << STREAM_RANK_AT is
 *           added
 *   LOCAL:  byte offset in the thread's own local memory; the machine lays threads' words side by side
 *   ASYNC:  addr[] holds numbers, the mask says how many; it need not be a subset of the instruction's mask.
 *     An MBARRIER that arrives: per lane, the barrier, STREAM_MBARRIER(rank + 1, number); rank + 1 is 0 for the own CTA.
 *     One that waits: in lane 0, the barrier << 32 | how many events the barrier must have seen. Events are arrivals and
 *     completed copies, counted from the CTA's start; what was needed to complete the phase is known when it is recorded.
 *     A BARRIER whose number or count is a run-time value: in lane 0, STREAM_BARRIER(number, warps it waits for; 0 = all).
 *     An ASYNC: struct stream_copy.
 * A generic access that lanes of one warp make to different spaces is emitted as one instruction with the space of its
 * first active lane; lanes of other spaces are left out of `mask` (rare; the emulator counts them).
 */
struct stream_mem {
    uint8_t space;  /* enum trace_space, resolved: never GENERIC */
    uint8_t affine; /* 1: addr[lane] = base + stride * lane for active lanes, and addr[] is filled all the same */
    /* Not 0: addr[lane] = base + stride * (lane % group) + pitch * (lane / group), a power of two; 32 when affine. */
    uint8_t group;
    uint32_t mask; /* lanes that access memory: a subset of the instruction's mask */
    int64_t stride, pitch;
    uint64_t base;
    uint64_t addr[TRACE_WARP_SIZE]; /* inactive lanes: unspecified */
};

enum { STREAM_RANK_AT = 24 };
#define STREAM_MBARRIER(rank1, number) ((uint64_t)(rank1) << 16 | (number))
#define STREAM_MBARRIER_LOST           STREAM_MBARRIER(0x1f, 0) /* of a CTA that has exited: no cluster has so many */
enum { STREAM_MBARRIER_CLUSTER = 0xffff }; /* barrier.cluster; the number of an mbarrier is its shared offset / 8 */

#define STREAM_BARRIER(number, warps) ((uint64_t)(warps) << 8 | (number))
enum { STREAM_BARRIERS = 16 };

/* A bulk or tensor copy, as the numbers of an ASYNC record: a box of rows in global memory, without what is out of range. */
enum stream_copy_kind { STREAM_COPY_LOAD, STREAM_COPY_STORE, STREAM_COPY_PREFETCH, STREAM_COPY_CLUSTER };
enum { STREAM_COPY_DIMS = 4, STREAM_COPY_WORDS = 5 + 2 * STREAM_COPY_DIMS };
enum {
    STREAM_COPY_KIND,     /* enum stream_copy_kind */
    STREAM_COPY_MBARRIER, /* number of the barrier that counts it */
    STREAM_COPY_CTAS,     /* bit per rank: where that barrier is; 0 = the copy is counted nowhere */
    STREAM_COPY_BASE,
    STREAM_COPY_ROW, /* bytes; 0 = nothing is in range */
    STREAM_COPY_BOX, /* for each dimension of rows: how many, and the bytes from one to the next; trailing ones are left
                        out, as the mask says */
};
/*
 * No more than this is in one record: 32 lanes with boxes of a CTA's shared memory, rows of 16 bytes; of longer
 * prefetches, more than the L2 of any GPU holds.
 */
enum { STREAM_COPY_ROWS_MOST = 1 << 19, STREAM_COPY_BYTES_MOST = 1 << 26 };

/* The numbers of an ASYNC record; 0 where it has none. */
static inline void stream_copy_numbers(const struct stream_mem *mem, uint64_t number[STREAM_COPY_WORDS])
{
    for (unsigned k = 0; k < STREAM_COPY_WORDS; k++)
        number[k] = mem->mask >> k & 1 ? mem->addr[k] : 0;
}

/* ---- encoder ---- */
struct stream_enc;
struct stream_enc *stream_enc_new(void);
void stream_enc_free(struct stream_enc *);
/* Starts a warp's stream at its first instruction: forgets all predictions. The kernel must stay alive meanwhile. */
void stream_enc_begin(struct stream_enc *, const struct trace_kernel *);
/*
 * Adds instructions [pc, pc + n) under `mask`, n >= 1. Memory instructions among them must have been announced by
 * stream_enc_mem in order, before this call: the emulator learns a run's length only at its end.
 */
void stream_enc_mem(struct stream_enc *, uint32_t pc, uint8_t space, uint32_t mask,
                    const uint64_t addr[TRACE_WARP_SIZE]);
void stream_enc_run(struct stream_enc *, uint32_t pc, uint32_t n, uint32_t mask);
/* Bytes encoded since the last take. */
size_t stream_enc_bytes(const struct stream_enc *);
/* Appends the encoded bytes to *buf (grown with xrealloc; *len, *cap updated) and empties the encoder's buffer, keeping
 * predictions. */
void stream_enc_take(struct stream_enc *, uint8_t **buf, size_t *len, size_t *cap);

/* ---- chunks: a piece of one CTA's streams ---- */
/*
 * A CTA's streams travel as one or more chunks, so that a CTA of any length needs bounded memory. Each chunk holds,
 * for every warp of the CTA, the next (possibly empty) piece of its stream. A piece ends between runs.
 */
struct stream_chunk {
    uint64_t cta;  /* linear index in the grid */
    uint32_t seq;  /* 0, 1, ... within the CTA */
    uint32_t last; /* 1: no more chunks for this CTA */
    uint32_t n_warp;
    uint64_t n_inst; /* warp instructions in all pieces */
    const uint32_t
        *end; /* n_warp entries: where each warp's piece ends in bytes[]; it starts where the previous ends */
    const uint8_t *bytes;
};

/*
 * Where the emulator sends what it produces. Calls come from one thread, in program order; data is only valid during
 * the call. A non-zero return stops the launch (the sink has failed and keeps its own error).
 * CTAs may finish in any order and chunks of several CTAs may interleave, but seq is in order within one CTA, and
 * CTAs appear for the first time in increasing order.
 */
struct stream_sink {
    void *ctx;
    int (*event)(void *ctx, const struct trace_event *);
    int (*launch_begin)(void *ctx, const struct trace_kernel *, const struct trace_launch *, uint32_t launch_index);
    int (*chunk)(void *ctx, uint32_t launch_index, const struct stream_chunk *);
    int (*launch_end)(void *ctx, uint32_t launch_index);
};

/* ---- decoder ---- */
struct stream_dec;             /* per-warp state: predictions and position */
size_t stream_dec_bytes(void); /* size to allocate; the state holds no pointers of its own */
void stream_dec_begin(struct stream_dec *, const struct trace_kernel *);
/* Gives it the next piece of the warp's stream; the previous one must be used up. */
void stream_dec_feed(struct stream_dec *, const uint8_t *bytes, size_t n);

struct stream_step {
    uint32_t pc;
    uint32_t mask; /* effective mask of this execution; may be 0 */
};
/*
 * Next instruction. Returns 1 and fills *step (and *mem when the instruction accesses memory in a traced space and
 * step->mask is not 0; otherwise it only sets mem->mask to 0), 0 when the piece is used up (feed the next one, or the
 * warp is done), -1 when the bytes are corrupt (then it keeps returning -1).
 */
int stream_dec_next(struct stream_dec *, struct stream_step *step, struct stream_mem *mem);
/* The same, but of an access to global memory whose lanes follow a rule (mem->group) it leaves addr[] as it was. */
int stream_dec_next_rule(struct stream_dec *, struct stream_step *step, struct stream_mem *mem);
/* The addresses of the lanes by that rule. */
static inline void stream_mem_fill(const struct stream_mem *mem, uint64_t addr[TRACE_WARP_SIZE])
{
    uint64_t row = mem->base;
    for (unsigned lane = 0; lane < TRACE_WARP_SIZE; row += (uint64_t)mem->pitch) {
        uint64_t at = row;
        for (unsigned end = lane + mem->group; lane < end; at += (uint64_t)mem->stride)
            addr[lane++] = at;
    }
}

/* What is left of the present run: instructions [pc, pc + left) under `mask`, left >= 1. */
struct stream_run {
    uint32_t pc, left, mask;
};
/* The present run, or the next one when it is used up. Returns as stream_dec_next does; takes no instruction. */
int stream_dec_run(struct stream_dec *, struct stream_run *);
/* Takes n instructions of the present run that have no address records: no accesses, or a mask of 0. */
void stream_dec_skip(struct stream_dec *, uint32_t n);

#endif
