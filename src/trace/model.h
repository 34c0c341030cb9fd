/*
 * What encoder and decoder of a warp's stream both remember, so that what can be foreseen costs one byte.
 *
 * Three memories, all small, direct-mapped and updated by the same functions on both sides:
 *   run     where execution went the last two times a run ended at this place, how long that run was, its mask
 *   addr    of each static memory instruction: last base, last two steps, distance from the record before, lane shape
 *   gather  lane addresses of the last irregular accesses, for accesses that repeat their pattern
 * docs/trace-format.md is the reference for every rule here. Private to trace/.
 */
#ifndef WEIR_TRACE_MODEL_H
#define WEIR_TRACE_MODEL_H

#include "trace/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MODEL_RUNS = 64, MODEL_ADDRS = 64, MODEL_GATHERS = 8, MODEL_MASKS = 4 };

/* ---- bytes ---- */

/* Run head: bit 7 set, bits 0-1 how pc and length are given, bits 2-4 how the mask is given. */
enum { RUN_HEAD = 0x80, RUN_WAY0 = 0, RUN_WAY1 = 1, RUN_NEW = 2, RUN_NEXT = 3 };
enum {
    MASK_PREDICTED, /* that of the way; of the last run for NEW and NEXT */
    MASK_RECENT0,   /* one of the last four distinct masks, the latest first */
    MASK_RECENT1,
    MASK_RECENT2,
    MASK_RECENT3,
    MASK_ELSE,     /* recent[1] without recent[0]: the other side of a branch */
    MASK_EXPLICIT, /* 4 bytes */
    MASK_ONE_LANE, /* 1 byte: the lane */
};

/* Address record: bit 7 clear, bit 6 a byte of flags follows, bits 3-5 shape, bits 0-2 base. */
enum { REC_FLAGS = 0x40 };
enum {
    BASE_STEP0, /* last base + the latest step */
    BASE_STEP1, /* last base + the step before */
    BASE_PREV,  /* base of the record before in this space + the same distance as last time */
    BASE_OWN,   /* last base + varint */
    BASE_NEAR,  /* base of the record before in this space + varint */
    BASE_COUNT
};
enum {
    SHAPE_SAME,        /* as this instruction's last regular access */
    SHAPE_LINE,        /* new: base + stride * lane */
    SHAPE_GRID,        /* new: base + stride * (lane % 2^k) + pitch * (lane / 2^k) */
    SHAPE_GATHER_OWN,  /* lanes of this instruction's remembered gather, all moved by one distance */
    SHAPE_GATHER_LAST, /* lanes of the latest gather of any instruction, moved */
    SHAPE_PACK_MIN,    /* per lane: distance from the lowest lane address */
    SHAPE_PACK_LANE,   /* per lane: step from the active lane before */
    SHAPE_PACK_OWN,    /* per lane: distance moved since this instruction's remembered gather */
};
enum { FLAG_SPACE = 0x01, FLAG_MASK = 0x02 }; /* space in bits 4-6; mask in 4 bytes after the flags */

enum { PACK_RAW = 63 }; /* width field: values of 64 bits */
enum { SHAPE_UNSEEN = 0, SHAPE_WHOLE_WARP = 5 };

struct model_run {
    uint32_t pc, n, mask; /* n == 0: empty */
};

struct model_addr {
    uint64_t base;
    int64_t near;    /* distance from the record before, last time */
    int32_t step[2]; /* latest first; steps that do not fit are remembered as 0 */
    int32_t stride, pitch;
};

struct model_gather {
    uint64_t addr[TRACE_WARP_SIZE];
    uint64_t base;
    uint32_t mem_index;
    uint32_t mask; /* lanes that are known; 0 = free */
};

struct model {
    struct model_run run[MODEL_RUNS][2];
    struct model_addr addr[MODEL_ADDRS];
    uint8_t group_log2[MODEL_ADDRS];    /* SHAPE_UNSEEN, 1..4, or SHAPE_WHOLE_WARP */
    uint8_t space[MODEL_ADDRS];         /* of generic accesses: the last one's */
    uint64_t prev_base[TRACE_SP_COUNT]; /* by space: base of the latest record */
    uint32_t recent[MODEL_MASKS];
    uint32_t end_pc; /* where the last run ended: pc of its last instruction + 1 */
    uint8_t last_gather;
    struct model_gather gather[MODEL_GATHERS]; /* last: a reset need not clear the lanes */
};

static inline void model_reset(struct model *m)
{
    memset(m, 0, offsetof(struct model, gather));
    for (int i = 0; i < MODEL_GATHERS; i++)
        m->gather[i].mask = 0;
    m->recent[0] = UINT32_MAX;
}

/* ---- runs ---- */
static inline struct model_run *model_ways(struct model *m)
{
    return m->run[m->end_pc * 0x9e3779b1u >> 26];
}

/* The run was coded as way `w` (0 or 1) or as something else (2). */
static inline void model_run_seen(struct model *m, struct model_run *way, unsigned w, struct model_run r)
{
    if (w != 0)
        way[1] = way[0];
    way[0] = r;
    m->end_pc = r.pc + r.n;
    if (r.mask == m->recent[0])
        return;
    unsigned i = 1;
    while (i < MODEL_MASKS - 1 && m->recent[i] != r.mask)
        i++;
    for (; i > 0; i--)
        m->recent[i] = m->recent[i - 1];
    m->recent[0] = r.mask;
}

/* ---- addresses ---- */
static inline bool fits_i32(int64_t v)
{
    return v == (int32_t)v;
}

/* First use of an entry: expect neighboring lanes at neighboring words. */
static inline void model_addr_first(struct model *m, unsigned slot, const struct trace_inst *inst)
{
    m->group_log2[slot] = SHAPE_WHOLE_WARP;
    m->addr[slot].stride = inst->width;
}

static inline void model_base_seen(struct model *m, struct model_addr *a, unsigned space, unsigned how, uint64_t base)
{
    if (how != BASE_STEP0) {
        int64_t step = (int64_t)(base - a->base);
        a->step[1] = a->step[0];
        a->step[0] = fits_i32(step) ? (int32_t)step : 0;
    }
    a->near = (int64_t)(base - m->prev_base[space]);
    a->base = base;
    m->prev_base[space] = base;
}

/* Two lanes at once: 64-bit products have no vector form on plain x86-64, so lanes are reached by adding. */
typedef uint64_t lane_pair __attribute__((vector_size(16)));

static inline void line_fill(uint64_t addr[TRACE_WARP_SIZE], uint64_t base, uint64_t stride)
{
    lane_pair at = {base, base + stride}, step = {2 * stride, 2 * stride};
    for (unsigned i = 0; i < TRACE_WARP_SIZE; i += 2, at += step)
        memcpy(addr + i, &at, sizeof at);
}

/* base + stride * (lane % 2^k) + pitch * (lane / 2^k), k >= 1 */
static inline void grid_fill(uint64_t addr[TRACE_WARP_SIZE], uint64_t base, uint64_t stride, uint64_t pitch, unsigned k)
{
    lane_pair step = {2 * stride, 2 * stride};
    for (unsigned lane = 0; lane < TRACE_WARP_SIZE; base += pitch) {
        lane_pair at = {base, base + stride};
        for (unsigned i = 0; i < 1u << k; i += 2, lane += 2, at += step)
            memcpy(addr + lane, &at, sizeof at);
    }
}

static inline bool lanes_equal(const uint64_t a[TRACE_WARP_SIZE], const uint64_t b[TRACE_WARP_SIZE])
{
    lane_pair wrong = {0, 0}, x, y;
    for (unsigned i = 0; i < TRACE_WARP_SIZE; i += 2) {
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        wrong |= x ^ y;
    }
    return !(wrong[0] | wrong[1]);
}

static inline struct model_gather *model_gather_of(struct model *m, uint32_t mem_index)
{
    return &m->gather[mem_index % MODEL_GATHERS];
}

static inline bool model_gather_knows(const struct model_gather *g, uint32_t mem_index, uint32_t mask)
{
    return g->mem_index == mem_index && g->mask && !(mask & ~g->mask);
}

static inline void model_gather_seen(struct model *m, uint32_t mem_index, uint64_t base, uint32_t mask,
                                     const uint64_t addr[TRACE_WARP_SIZE])
{
    struct model_gather *g = model_gather_of(m, mem_index);
    if (g->mem_index != mem_index || !g->mask) {
        g->mem_index = mem_index;
        g->mask = 0;
    }
    g->mask |= mask;
    g->base = base;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        g->addr[lane] = addr[lane];
    }
    m->last_gather = (uint8_t)(g - m->gather);
}

#endif
