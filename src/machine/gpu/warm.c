/*
 * Functional warming: what skipped CTAs would have left in the L2, from their recorded addresses.
 *
 * CTAs are walked one after the other, each warp after warp, and every line that an access touches is one access of the
 * L2. Left out: the L1s, which would have served some of it; the order in which CTAs that run at the same time
 * interleave; local and constant memory, whose addresses depend on the SM.
 */
#include "gpu/warm.h"

#include "cache/tags.h"
#include "gpu/gpu_priv.h"
#include "l1/l1_config.h"
#include "sm/coalesce.h"

#include <string.h>

struct warming {
    struct gpu *g;
    const struct trace_kernel *kernel;
    uint32_t line_bytes;
};

/* The rows of a bulk or tensor copy (enum stream_copy_kind). */
static void copy(const struct warming *w, const struct stream_mem *mem)
{
    uint64_t number[STREAM_COPY_WORDS], at[STREAM_COPY_DIMS] = {0};
    stream_copy_numbers(mem, number);
    const uint64_t *box = &number[STREAM_COPY_BOX];
    for (unsigned d = 0; number[STREAM_COPY_ROW] && d < STREAM_COPY_DIMS;) {
        uint64_t from = number[STREAM_COPY_BASE];
        for (unsigned k = 0; k < STREAM_COPY_DIMS; k++)
            from += at[k] * box[2 * k + 1];
        const uint64_t lines = (from % SECTOR_BYTES + number[STREAM_COPY_ROW] + SECTOR_BYTES - 1) / SECTOR_BYTES;
        for (uint64_t line = 0; line < lines; line++)
            l2_warm(w->g->l2, w->g->n_slice, (from / SECTOR_BYTES + line) * SECTOR_BYTES, 0xff,
                    number[STREAM_COPY_KIND] == STREAM_COPY_STORE);
        for (d = 0; d < STREAM_COPY_DIMS && ++at[d] >= (box[2 * d] ? box[2 * d] : 1); d++)
            at[d] = 0;
    }
}

static int visit(void *ctx, uint32_t warp, const struct stream_step *step, const struct stream_mem *mem)
{
    const struct warming *w = ctx;
    (void)warp;
    if (!mem->mask)
        return 0;
    const struct trace_inst *i = &w->kernel->inst[step->pc];
    if (mem->space == TRACE_SP_ASYNC && i->cls == TRACE_ASYNC)
        copy(w, mem);
    if (mem->space != TRACE_SP_GLOBAL && mem->space != TRACE_SP_TEX)
        return 0;
    struct line_access line[COALESCE_MAX];
    const unsigned n = coalesce(mem, i->width, w->line_bytes, false, line);
    const bool write = i->cls == TRACE_STORE || i->cls == TRACE_ATOM || i->cls == TRACE_RED;
    for (unsigned k = 0; k < n; k++)
        l2_warm(w->g->l2, w->g->n_slice, line[k].addr, line[k].words, write);
    return 0;
}

int warm_ctas(struct gpu *g, struct trace_file *file, uint32_t launch, uint64_t from, uint64_t to, struct err *e)
{
    struct warming w = {g, trace_get_kernel(file, trace_get_launch(file, launch)->kernel),
                        (uint32_t)l1_setup_of(g->cfg).cache[L1_DATA]->line};
    for (uint64_t cta = from; cta < to; cta++)
        if (trace_walk_cta(file, launch, cta, visit, &w, e) < 0)
            return -1;
    return 0;
}
