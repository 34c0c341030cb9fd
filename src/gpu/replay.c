/* Replays a recording; see replay.h. Chunks are read when a warp first needs them. */
#include "gpu/replay.h"

#include "gpu/streams.h"

struct from_file {
    struct trace_file *file;
    uint32_t launch;
    struct stream_buf buf;
    struct err err;
    bool failed;
};

static int read_chunk(void *ctx, struct streams *s, uint64_t cta, uint32_t seq)
{
    struct from_file *f = ctx;
    if (seq >= trace_cta_chunks(f->file, f->launch, cta))
        return 0;
    struct stream_chunk k;
    if (trace_read_chunk(f->file, f->launch, cta, seq, &f->buf, &k, &f->err)) {
        f->failed = true;
        return -1;
    }
    streams_put(s, &k);
    return 1;
}

enum gpu_end gpu_replay(struct gpu *g, struct trace_file *file, struct err *e)
{
    struct from_file from = {.file = file};
    struct streams streams;
    streams_init(&streams, read_chunk, &from);
    enum gpu_end end = GPU_DONE;
    for (uint64_t i = 0; i < trace_n_events(file) && end == GPU_DONE; i++) {
        const struct trace_event *ev = trace_get_event(file, i);
        if (ev->kind != TRACE_EV_LAUNCH) {
            gpu_event(g, ev);
            continue;
        }
        const struct trace_launch *l = trace_get_launch(file, ev->index);
        from.launch = ev->index;
        end = gpu_launch(g, trace_get_kernel(file, l->kernel), l, &streams.sm, e);
        streams_clear(&streams);
    }
    if (end == GPU_FAILED && from.failed && e)
        *e = from.err;
    stream_buf_free(&from.buf);
    streams_destroy(&streams);
    return end;
}
