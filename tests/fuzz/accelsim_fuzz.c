/*
 * Fuzzes the reader of Accel-Sim's kernel traces, plain or compressed. What it accepts must make a table that a
 * recording may hold and streams that decode to as many instructions as were announced.
 */
#include "base/mem.h"
#include "import/import.h"
#include "trace/table.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int on_event(void *ctx, const struct trace_event *e)
{
    (void)ctx;
    (void)e;
    return 0;
}

static int on_begin(void *ctx, const struct trace_kernel *k, const struct trace_launch *l, uint32_t index)
{
    (void)index;
    if (table_check(k) || launch_check(l))
        abort();
    *(const struct trace_kernel **)ctx = k;
    return 0;
}

static int on_chunk(void *ctx, uint32_t index, const struct stream_chunk *c)
{
    struct stream_dec *d = xcalloc(1, stream_dec_bytes());
    uint64_t insts = 0;
    (void)index;
    for (uint32_t w = 0; w < c->n_warp && !c->seq && c->last; w++) {
        const uint32_t from = w ? c->end[w - 1] : 0;
        struct stream_step s;
        struct stream_mem m;
        int got;
        stream_dec_begin(d, *(const struct trace_kernel **)ctx);
        stream_dec_feed(d, c->bytes + from, c->end[w] - from);
        while ((got = stream_dec_next(d, &s, &m)) == 1)
            insts++;
        if (got)
            abort();
    }
    if (!c->seq && c->last && insts != c->n_inst)
        abort();
    free(d);
    return 0;
}

static int on_end(void *ctx, uint32_t index)
{
    (void)ctx;
    (void)index;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct trace_kernel *k = NULL;
    struct stream_sink sink = {&k, on_event, on_begin, on_chunk, on_end};
    struct err e;
    import_mem(data, n, "fuzz", &sink, &e);
    return 0;
}
