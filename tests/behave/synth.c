/* Kernels and streams written by a test; see synth.h. */
#include "synth.h"

static int piece(void *ctx, uint64_t cta, uint32_t warp, uint32_t seq, const uint8_t **bytes, size_t *n)
{
    struct synth *s = ctx;
    if (seq)
        return 0;
    pthread_mutex_lock(&s->lock);
    stream_enc_begin(s->enc, &s->kernel);
    s->warp(s, s->ctx, cta, warp);
    uint8_t *buf = NULL;
    size_t len = 0, cap = 0;
    stream_enc_take(s->enc, &buf, &len, &cap);
    VEC_PUSH(&s->kept, buf);
    pthread_mutex_unlock(&s->lock);
    *bytes = buf;
    *n = len;
    return 1;
}

static void cta_done(void *ctx, uint64_t cta)
{
    (void)ctx, (void)cta;
}

void synth_init(struct synth *s, uint32_t ctas, uint32_t threads, synth_warp *warp, void *ctx)
{
    memset(s, 0, sizeof *s);
    s->kernel.name = "synth";
    s->kernel.str = "";
    s->kernel.n_str = 1;
    s->kernel.regs_per_thread = 16;
    s->launch = (struct trace_launch){.grid = {ctas, 1, 1}, .block = {threads, 1, 1}};
    s->streams = (struct sm_streams){.ctx = s, .piece = piece, .cta_done = cta_done};
    s->warp = warp;
    s->ctx = ctx;
    pthread_mutex_init(&s->lock, NULL);
    s->enc = stream_enc_new();
}

void synth_free(struct synth *s)
{
    for (size_t i = 0; i < s->kept.n; i++)
        free(s->kept.p[i]);
    VEC_FREE(&s->kept);
    VEC_FREE(&s->inst);
    VEC_FREE(&s->reg);
    VEC_FREE(&s->loop);
    stream_enc_free(s->enc);
    pthread_mutex_destroy(&s->lock);
}

uint32_t synth_inst(struct synth *s, enum trace_class cls, const int *dst, const int *src)
{
    struct trace_inst i = {.cls = (uint8_t)cls, .mem_index = UINT32_MAX, .regs_at = (uint32_t)s->reg.n};
    for (; dst && *dst >= 0; dst++, i.n_dst++) {
        VEC_PUSH(&s->reg, (uint16_t)*dst);
        if ((uint32_t)*dst >= s->kernel.n_scoreboard)
            s->kernel.n_scoreboard = (uint32_t)*dst + 1;
    }
    for (; src && *src >= 0; src++, i.n_src++) {
        VEC_PUSH(&s->reg, (uint16_t)*src);
        if ((uint32_t)*src >= s->kernel.n_scoreboard)
            s->kernel.n_scoreboard = (uint32_t)*src + 1;
    }
    VEC_PUSH(&s->inst, i);
    return (uint32_t)s->inst.n - 1;
}

uint32_t synth_mem_inst(struct synth *s, enum trace_class cls, enum trace_space space, unsigned width, const int *dst,
                        const int *src)
{
    uint32_t pc = synth_inst(s, cls, dst, src);
    s->inst.p[pc].space = (uint8_t)space;
    s->inst.p[pc].width = (uint8_t)width;
    if (space != TRACE_SP_PARAM)
        s->inst.p[pc].mem_index = s->kernel.n_mem++;
    return pc;
}

void synth_seal(struct synth *s)
{
    s->kernel.inst = s->inst.p;
    s->kernel.n_inst = (uint32_t)s->inst.n;
    s->kernel.reg = s->reg.p;
    s->kernel.n_reg_entries = (uint32_t)s->reg.n;
    s->kernel.loop = s->loop.p;
    s->kernel.n_loop = (uint32_t)s->loop.n;
}

void synth_do(struct synth *s, uint32_t pc, uint32_t n, uint32_t mask)
{
    stream_enc_run(s->enc, pc, n, mask);
}

void synth_access(struct synth *s, uint32_t pc, uint32_t mask, enum trace_space space, const uint64_t addr[32])
{
    stream_enc_mem(s->enc, pc, (uint8_t)space, mask, addr);
    stream_enc_run(s->enc, pc, 1, mask);
}

void synth_affine(struct synth *s, uint32_t pc, uint32_t mask, enum trace_space space, uint64_t base, int64_t stride)
{
    uint64_t addr[32];
    for (int i = 0; i < 32; i++)
        addr[i] = base + (uint64_t)(stride * i);
    synth_access(s, pc, mask, space, addr);
}
