/* See synth_file.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "synth_file.h"

#include <stdio.h>
#include <unistd.h>

void record_begin(struct recording *r)
{
    struct err e;
    snprintf(r->path, sizeof r->path, "/tmp/weir-synth-%d.wt", (int)getpid());
    r->writer = trace_writer_open(r->path, "test", NULL, &e);
    r->launches = 0;
    assert_non_null(r->writer);
}

static uint64_t count_insts(const struct trace_kernel *k, const uint8_t *bytes, size_t n)
{
    struct stream_dec *d = xcalloc(1, stream_dec_bytes());
    struct stream_step step;
    struct stream_mem mem;
    uint64_t insts = 0;
    stream_dec_begin(d, k);
    stream_dec_feed(d, bytes, n);
    while (stream_dec_next(d, &step, &mem) == 1)
        insts++;
    free(d);
    return insts;
}

void record_launch(struct recording *r, struct synth *s)
{
    const struct stream_sink *sink = trace_writer_sink(r->writer);
    const uint32_t index = r->launches++, n_warp = trace_warps_per_cta(&s->launch);
    assert_int_equal(sink->event(sink->ctx, &(struct trace_event){.kind = TRACE_EV_LAUNCH, .index = index}), 0);
    assert_int_equal(sink->launch_begin(sink->ctx, &s->kernel, &s->launch, index), 0);
    for (uint64_t cta = 0; cta < trace_ctas(&s->launch); cta++) {
        VEC(uint8_t) bytes = {0};
        uint32_t end[32];
        uint64_t n_inst = 0;
        for (uint32_t w = 0; w < n_warp; w++) {
            const uint8_t *piece;
            size_t n;
            assert_int_equal(s->streams.piece(s->streams.ctx, cta, w, 0, &piece, &n), 1);
            n_inst += count_insts(&s->kernel, piece, n);
            for (size_t i = 0; i < n; i++)
                VEC_PUSH(&bytes, piece[i]);
            end[w] = (uint32_t)bytes.n;
        }
        const struct stream_chunk c = {
            .cta = cta, .last = 1, .n_warp = n_warp, .n_inst = n_inst, .end = end, .bytes = bytes.p};
        assert_int_equal(sink->chunk(sink->ctx, index, &c), 0);
        VEC_FREE(&bytes);
    }
    assert_int_equal(sink->launch_end(sink->ctx, index), 0);
}

struct trace_file *record_end(struct recording *r)
{
    struct err e;
    assert_int_equal(trace_writer_close(r->writer, &e), 0);
    struct trace_file *f = trace_open(r->path, &e);
    assert_non_null(f);
    unlink(r->path);
    return f;
}
