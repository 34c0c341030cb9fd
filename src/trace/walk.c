/* Goes through all that a recorded CTA executed: for checks, dumps and tests. The machine reads chunks by itself. */
#include "trace/file.h"

#include "base/mem.h"

static int walk_piece(struct stream_dec *dec, const struct stream_chunk *c, uint32_t warp, trace_visit *visit,
                      void *ctx, uint64_t *n_inst)
{
    uint32_t from = warp ? c->end[warp - 1] : 0;
    struct stream_step step;
    struct stream_mem mem;
    int more;
    stream_dec_feed(dec, c->bytes + from, c->end[warp] - from);
    while ((more = stream_dec_next(dec, &step, &mem)) == 1) {
        ++*n_inst;
        int stop = visit ? visit(ctx, warp, &step, &mem) : 0;
        if (stop)
            return stop;
    }
    return more;
}

int trace_walk_cta(struct trace_file *f, uint32_t launch, uint64_t cta, trace_visit *visit, void *ctx, struct err *e)
{
    const struct trace_launch *l = trace_get_launch(f, launch);
    const struct trace_kernel *k = trace_get_kernel(f, l->kernel);
    uint32_t n_warp = trace_warps_per_cta(l), n_chunk = trace_cta_chunks(f, launch, cta);
    size_t stride = (stream_dec_bytes() + 63) & ~(size_t)63;
    char *decs = xaligned(stride * n_warp);
    struct stream_buf buf = {0};
    int rc = 0;
    for (uint32_t w = 0; w < n_warp; w++)
        stream_dec_begin((void *)(decs + w * stride), k);
    for (uint32_t seq = 0; !rc && seq < n_chunk; seq++) {
        struct stream_chunk c;
        uint64_t n_inst = 0;
        rc = trace_read_chunk(f, launch, cta, seq, &buf, &c, e);
        for (uint32_t w = 0; !rc && w < n_warp; w++) {
            rc = walk_piece((void *)(decs + w * stride), &c, w, visit, ctx, &n_inst);
            if (rc == -1)
                err_set(e,
                        "launch %u, CTA %llu, warp %u: corrupt instruction stream after %llu instructions of chunk %u",
                        launch, (unsigned long long)cta, w, (unsigned long long)n_inst, seq);
        }
        if (!rc && n_inst != c.n_inst)
            rc = err_set(e, "launch %u, CTA %llu: chunk %u holds %llu instructions, the journal says %llu", launch,
                         (unsigned long long)cta, seq, (unsigned long long)n_inst, (unsigned long long)c.n_inst);
    }
    stream_buf_free(&buf);
    free(decs);
    return rc;
}
