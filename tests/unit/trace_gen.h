/*
 * Random kernels and random executions of them, for the tests of the stream encoding and of the file.
 *
 * gen_kernel makes a static table with every class of memory instruction; gen_warp walks it as a warp would (loops,
 * skips, shrinking and returning masks) and makes lane addresses of many kinds. What was executed is kept as plain
 * records, so that tests can compare what a decoder gives with it.
 */
#ifndef WEIR_TESTS_TRACE_GEN_H
#define WEIR_TESTS_TRACE_GEN_H

#include "base/mem.h"
#include "trace/file.h"
#include "trace/stream.h"

#include <stdio.h>

struct gen_rng {
    uint64_t s;
};
static inline uint64_t gen_u64(struct gen_rng *r)
{
    r->s ^= r->s << 13;
    r->s ^= r->s >> 7;
    r->s ^= r->s << 17;
    return r->s * 0x2545f4914f6cdd1dull;
}
static inline uint32_t gen_below(struct gen_rng *r, uint32_t n)
{
    return (uint32_t)((gen_u64(r) >> 32) * n >> 32);
}

struct gen_kernel {
    struct trace_kernel k;
    struct trace_inst *inst;
    uint16_t *reg;
    struct trace_loop loop[2];
    const char *file[2];
    char name[32];
    struct trace_code code; /* of every second kernel: one region for each instruction, some unrolled */
    struct trace_op *op;
    struct trace_region *region;
};

static inline void gen_code_make(struct gen_kernel *g, uint32_t n_inst)
{
    g->op = xcalloc(4 * n_inst, sizeof *g->op);
    g->region = xcalloc(n_inst, sizeof *g->region);
    for (uint32_t i = 0; i < n_inst; i++) {
        bool access = g->inst[i].mem_index != UINT32_MAX;
        for (uint32_t k = 0; k < 4; k++)
            g->op[4 * i + k] = (struct trace_op){.pc = i,
                                                 .regs_at = 3 * i,
                                                 .cls = g->inst[i].cls,
                                                 .flags = access ? TRACE_OP_ACCESS : 0,
                                                 .n_dst = 1,
                                                 .n_src = 2,
                                                 .width = access ? 4 : 0,
                                                 .copy = k == 3};
        g->region[i] = (struct trace_region){.pc = i, .n_pc = 1, .op = 4 * i, .n_op = 1};
        if (i % 3 == 0) {
            g->region[i].copies = 2;
            g->region[i].all.op = 4 * i + 2;
            g->region[i].all.n_op = 2;
            g->region[i].half.op = 4 * i;
            g->region[i].half.n_op = 1;
        }
    }
    g->code = (struct trace_code){.n_op = 4 * n_inst,
                                  .n_reg_entries = 3 * n_inst,
                                  .n_region = n_inst,
                                  .n_scoreboard = 40,
                                  .op = g->op,
                                  .reg = g->reg,
                                  .region = g->region};
    g->k.code = &g->code;
}

static inline void gen_kernel_make(struct gen_kernel *g, struct gen_rng *r, uint32_t n_inst, uint32_t serial)
{
    static const char text[] = "add.s32\0ld.global.f32\0st.shared.b32\0bra";
    static const uint32_t text_at[] = {0, 8, 22, 36};
    static const uint8_t space[] = {TRACE_SP_GLOBAL, TRACE_SP_SHARED, TRACE_SP_LOCAL,
                                    TRACE_SP_CONST,  TRACE_SP_TEX,    TRACE_SP_GENERIC};
    memset(g, 0, sizeof *g);
    snprintf(g->name, sizeof g->name, "_Z6kernel%u", serial);
    g->inst = xcalloc(n_inst, sizeof *g->inst);
    g->reg = xcalloc(3 * n_inst, sizeof *g->reg);
    uint32_t n_mem = 0;
    for (uint32_t i = 0; i < n_inst; i++) {
        struct trace_inst *t = &g->inst[i];
        t->cls = (uint8_t)gen_below(r, TRACE_CLASS_COUNT);
        t->mem_index = UINT32_MAX;
        t->opcode_at = text_at[0];
        if (gen_below(r, 3) == 0) {
            t->cls = TRACE_LOAD;
            t->space = space[gen_below(r, 6)];
            t->width = (uint8_t)(1 << gen_below(r, 5));
            t->mem_index = n_mem++;
            t->opcode_at = text_at[1];
        } else if (gen_below(r, 8) == 0) {
            t->cls = TRACE_LOAD;
            t->space = TRACE_SP_PARAM;
            t->width = 8;
        }
        t->n_dst = 1;
        t->n_src = 2;
        t->regs_at = 3 * i;
        t->loop = (uint16_t)gen_below(r, 3);
        t->ptx_line = 10 + i;
        t->src_line = gen_below(r, 2) ? 3 + i / 4 : 0;
        t->src_file = (uint16_t)gen_below(r, 2);
        for (int j = 0; j < 3; j++)
            g->reg[3 * i + (uint32_t)j] = (uint16_t)gen_below(r, 40);
    }
    g->loop[0] = (struct trace_loop){0, 1, 0};
    g->loop[1] = (struct trace_loop){1, 2, n_inst / 2};
    g->file[0] = "a.cu";
    g->file[1] = "inc/b.h";
    g->k = (struct trace_kernel){.name = g->name,
                                 .n_inst = n_inst,
                                 .n_reg_entries = 3 * n_inst,
                                 .n_loop = 2,
                                 .n_file = 2,
                                 .n_str = sizeof text,
                                 .n_mem = n_mem,
                                 .inst = g->inst,
                                 .reg = g->reg,
                                 .loop = g->loop,
                                 .file = g->file,
                                 .str = text,
                                 .n_scoreboard = 40,
                                 .regs_per_thread = 24,
                                 .smem_static_bytes = 4096,
                                 .local_bytes_per_thread = 16,
                                 .max_threads_per_cta = 256};
    if (serial % 2)
        gen_code_make(g, n_inst);
}
static inline void gen_kernel_free(struct gen_kernel *g)
{
    free(g->inst);
    free(g->reg);
    free(g->op);
    free(g->region);
}

/* One executed instruction, as the test remembers it. */
struct gen_step {
    uint32_t pc, mask;
    uint8_t space;
    uint32_t mem_mask;
    uint64_t addr[TRACE_WARP_SIZE];
};
typedef VEC(struct gen_step) gen_steps;

/* Lane addresses of one of several kinds; `site` makes repeated executions of one instruction related. */
static inline void gen_addresses(struct gen_rng *r, uint64_t *addr, uint32_t site, uint32_t time)
{
    uint64_t base = 0x200000000000ull + site * 0x100000ull + time * 128ull;
    uint32_t kind = gen_below(r, 16) == 0 ? gen_below(r, 12) : site % 12;
    for (unsigned i = 0; i < TRACE_WARP_SIZE; i++) {
        uint64_t scatter = (i * 2654435761u) >> 12;
        switch (kind) {
        case 0:
            addr[i] = base + 4 * i;
            break;
        case 1:
            addr[i] = base;
            break;
        case 2:
            addr[i] = base + 4 * (i & 15) + 4096 * (i >> 4);
            break;
        case 3:
            addr[i] = base + 1024 * (i & 7) - 64 * (i >> 3);
            break;
        case 4:
            addr[i] = base + 4 * gen_below(r, 1 << 20);
            break;
        case 5:
            addr[i] = base + (scatter & ~3ull);
            break; /* a gather that moves as a whole */
        case 6:
            addr[i] = base + (scatter & ~3ull) + gen_below(r, 4) * 4;
            break; /* lanes that wander */
        case 7:
            addr[i] = gen_u64(r);
            break;
        case 8:
            addr[i] = base - 8 * (uint64_t)i;
            break;
        case 9:
            addr[i] = base + (uint64_t)i * i * 4;
            break;
        case 10:
            addr[i] = 4 * gen_below(r, 64);
            break;
        default:
            addr[i] = i < 16 ? base + 16 * i : base ^ (16 * i);
            break;
        }
    }
}

/* Walks the kernel for about `insts` instructions; feeds the encoder and remembers every step. */
static inline void gen_warp(struct gen_rng *r, const struct trace_kernel *k, struct stream_enc *enc, uint32_t insts,
                            gen_steps *steps)
{
    uint32_t mask = gen_below(r, 4) ? UINT32_MAX : (uint32_t)gen_u64(r), outer = mask, pc = 0, time = 0;
    uint32_t loop_at = 0, loop_n = 1, loop_left = 0;
    stream_enc_begin(enc, k);
    for (uint32_t done = 0; done < insts;) {
        uint32_t n;
        if (loop_left) {
            pc = loop_at;
            n = loop_n;
            loop_left--;
            time++;
        } else {
            pc = gen_below(r, 4) ? pc : gen_below(r, k->n_inst);
            pc = pc < k->n_inst ? pc : 0;
            n = 1 + gen_below(r, gen_below(r, 2) ? 4 : 20);
            n = n > k->n_inst - pc ? k->n_inst - pc : n;
            if (gen_below(r, 3) == 0) {
                loop_at = pc;
                loop_n = n;
                loop_left = gen_below(r, 30);
            }
        }
        switch (gen_below(r, 12)) {
        case 0:
            mask = outer & (uint32_t)gen_u64(r);
            break;
        case 1:
            mask = outer & ~mask;
            break;
        case 2:
            mask = 1u << gen_below(r, 32);
            break;
        case 3:
            mask = gen_below(r, 8) ? outer : 0;
            break;
        case 4:
            outer = mask = (uint32_t)gen_u64(r) | 1u;
            break;
        default:
            break;
        }
        for (uint32_t i = 0; i < n; i++) {
            struct gen_step s = {.pc = pc + i, .mask = mask};
            const struct trace_inst *t = &k->inst[pc + i];
            if (trace_has_addresses(t) && mask) {
                s.space = t->space == TRACE_SP_GENERIC ? (uint8_t)(1 + gen_below(r, 4)) : t->space;
                s.mem_mask = mask;
                if (t->space == TRACE_SP_GENERIC && gen_below(r, 8) == 0)
                    s.mem_mask = mask & (uint32_t)gen_u64(r) ? mask & (uint32_t)gen_u64(r) : mask;
                if (!s.mem_mask)
                    s.mem_mask = mask;
                gen_addresses(r, s.addr, t->mem_index, time);
                stream_enc_mem(enc, s.pc, s.space, s.mem_mask, s.addr);
            }
            VEC_PUSH(steps, s);
        }
        stream_enc_run(enc, pc, n, mask);
        pc += n;
        done += n;
    }
}

/* Compares one decoded step with what was executed. Returns NULL, or what differs. */
static inline const char *gen_compare(const struct gen_step *want, const struct stream_step *got,
                                      const struct stream_mem *mem)
{
    if (want->pc != got->pc)
        return "pc";
    if (want->mask != got->mask)
        return "mask";
    if (want->mem_mask != mem->mask)
        return "memory mask";
    if (!want->mem_mask)
        return NULL;
    if (want->space != mem->space)
        return "space";
    for (unsigned i = 0; i < TRACE_WARP_SIZE; i++)
        if (want->mem_mask >> i & 1) {
            if (want->addr[i] != mem->addr[i])
                return "address";
            if (mem->group &&
                mem->base + (uint64_t)mem->stride * (i % mem->group) + (uint64_t)mem->pitch * (i / mem->group) !=
                    mem->addr[i])
                return "affine form";
        }
    return NULL;
}

#endif
