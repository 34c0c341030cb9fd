/*
 * Writes a .wt file: chunks are gathered into blocks of about 256 KiB, compressed together and appended; what the
 * reader must know of them (the journal) follows in frames of its own, so memory stays bounded whatever the length of
 * the recording. Only the list of frames waits for the end.
 */
#include "trace/file.h"

#include "base/out_of_memory.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "trace/frame.h"
#include "trace/table.h"

#include <errno.h>
#include <unistd.h>
#include <zstd.h>

enum { BLOCK_RAW_BYTES = 256 << 10, JOURNAL_RAW_BYTES = 256 << 10, ZSTD_LEVEL = 3 };

struct trace_writer {
    struct outfile *file;
    int fd; /* of `file` */
    char *path;
    struct err err;
    bool failed;
    uint64_t offset; /* bytes written so far */
    ZSTD_CCtx *z;
    byte_vec packed, block, journal, scratch;
    frame_vec frame;
    uint32_t n_kernels, n_launches, n_blocks;
    uint64_t n_events, n_chunks, n_insts, n_ordered;
    /* The launch that is open. */
    bool in_launch;
    struct trace_launch launch;
    uint64_t ctas_ended, prev_cta;
    uint32_t prev_block;
    struct stream_sink sink;
};

static int give_up(struct trace_writer *w)
{
    w->failed = true;
    return -1;
}

static int write_all(struct trace_writer *w, const void *p, size_t n)
{
    const char *b = p;
    while (n) {
        ssize_t got = write(w->fd, b, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            err_offset(&w->err, w->path, w->offset, "cannot write: %s", strerror(got < 0 ? errno : EIO));
            if (got < 0 && errno == ENOSPC)
                err_hint(&w->err, "not enough space for the recording; choose another path with -o");
            return give_up(w);
        }
        b += got;
        n -= (size_t)got;
        w->offset += (uint64_t)got;
    }
    return 0;
}

static int write_frame(struct trace_writer *w, enum frame_kind kind, byte_vec *raw)
{
    if (raw->n > FRAME_MAX_RAW) {
        err_offset(&w->err, w->path, w->offset, "a frame of %zu bytes is beyond the format's limit of %d", raw->n,
                   FRAME_MAX_RAW);
        return give_up(w);
    }
    w->packed.n = 0;
    if (frame_pack(w->z, &w->packed, kind, raw->p, raw->n, &w->err))
        return give_up(w);
    struct frame f = {w->offset, (uint32_t)w->packed.n, (uint32_t)raw->n, (uint8_t)kind};
    VEC_PUSH(&w->frame, f);
    raw->n = 0;
    return write_all(w, w->packed.p, w->packed.n);
}

static int flush_block(struct trace_writer *w)
{
    if (!w->block.n)
        return 0;
    w->n_blocks++;
    return write_frame(w, FRAME_BLOCK, &w->block);
}

static int flush_journal_if_full(struct trace_writer *w)
{
    return w->journal.n < JOURNAL_RAW_BYTES ? 0 : write_frame(w, FRAME_JOURNAL, &w->journal);
}

/* ---- the sink ---- */
static int on_event(void *ctx, const struct trace_event *ev)
{
    struct trace_writer *w = ctx;
    if (w->failed)
        return -1;
    put_le(&w->journal, JRN_EVENT, 1);
    put_le(&w->journal, ev->kind | (ev->ordered ? JRN_EVENT_ORDERED : 0) | (ev->early ? JRN_EVENT_EARLY : 0), 1);
    put_var(&w->journal, ev->stream);
    put_var(&w->journal, ev->index);
    put_var(&w->journal, ev->address);
    put_var(&w->journal, ev->address2);
    put_var(&w->journal, ev->bytes);
    if (ev->ordered) {
        w->n_ordered++;
        put_var(&w->journal, zigzag(ev->priority));
        put_var(&w->journal, ev->n_after);
        for (uint32_t i = 0; i < ev->n_after; i++)
            put_var(&w->journal, w->n_events - ev->after[i]);
    }
    if (ev->early)
        put_var(&w->journal, w->n_events - ev->primary);
    w->n_events++;
    return flush_journal_if_full(w);
}

static int refuse(struct trace_writer *w, uint32_t launch, const char *why)
{
    err_offset(&w->err, w->path, w->offset, "launch %u cannot be recorded: %s", launch, why);
    return give_up(w);
}

static int on_launch_begin(void *ctx, const struct trace_kernel *k, const struct trace_launch *l, uint32_t index)
{
    struct trace_writer *w = ctx;
    if (w->failed)
        return -1;
    const char *why = launch_check(l);
    if (w->in_launch)
        why = "the previous launch has not ended";
    else if (index != w->n_launches)
        why = "launches are not announced in order";
    else if (!why && l->kernel > w->n_kernels)
        why = "its kernel's number is not the next";
    else if (!why && l->kernel == w->n_kernels)
        why = table_check(k);
    if (why)
        return refuse(w, index, why);
    if (l->kernel == w->n_kernels) {
        w->scratch.n = 0;
        table_put(&w->scratch, k);
        if (write_frame(w, FRAME_KERNEL, &w->scratch))
            return -1;
        w->n_kernels++;
    }
    byte_vec *j = &w->journal;
    put_le(j, JRN_LAUNCH, 1);
    put_var(j, l->kernel);
    for (int i = 0; i < 3; i++)
        put_var(j, l->grid[i]);
    for (int i = 0; i < 3; i++)
        put_var(j, l->block[i]);
    put_var(j, l->smem_dynamic_bytes);
    put_var(j, l->stream);
    put_le(j, l->cooperative != 0, 1);
    put_le(j, l->cluster_ctas, 1);
    w->n_launches++;
    w->in_launch = true;
    w->launch = *l;
    w->ctas_ended = w->prev_cta = 0;
    return 0;
}

static int on_chunk(void *ctx, uint32_t index, const struct stream_chunk *c)
{
    struct trace_writer *w = ctx;
    if (w->failed)
        return -1;
    if (!w->in_launch || index + 1 != w->n_launches)
        return refuse(w, index, "a chunk is outside its launch");
    if (c->cta >= trace_ctas(&w->launch) || c->n_warp != trace_warps_per_cta(&w->launch) || c->seq >= 1u << 31)
        return refuse(w, index, "a chunk does not fit the launch's grid and block");
    size_t start = w->block.n;
    uint32_t before = 0;
    put_var(&w->block, c->n_warp);
    for (uint32_t i = 0; i < c->n_warp; i++) {
        put_var(&w->block, c->end[i] - before);
        before = c->end[i];
    }
    put_bytes(&w->block, c->bytes, before);

    byte_vec *j = &w->journal;
    put_le(j, JRN_CHUNK, 1);
    put_var(j, zigzag((int64_t)(c->cta - w->prev_cta)));
    put_var(j, (uint64_t)c->seq << 1 | (c->last != 0));
    put_var(j, w->n_blocks - w->prev_block);
    put_var(j, w->block.n - start);
    put_var(j, c->n_inst);
    w->prev_cta = c->cta;
    w->prev_block = w->n_blocks;
    w->ctas_ended += c->last != 0;
    w->n_chunks++;
    w->n_insts += c->n_inst;
    if (w->block.n >= BLOCK_RAW_BYTES && flush_block(w))
        return -1;
    return flush_journal_if_full(w);
}

static int on_launch_end(void *ctx, uint32_t index)
{
    struct trace_writer *w = ctx;
    if (w->failed)
        return -1;
    if (!w->in_launch || index + 1 != w->n_launches)
        return refuse(w, index, "it ended without having begun");
    if (w->ctas_ended != trace_ctas(&w->launch))
        return refuse(w, index, "it ended before all of its CTAs");
    put_le(&w->journal, JRN_LAUNCH_END, 1);
    w->in_launch = false;
    return flush_journal_if_full(w);
}

/* ---- open and close ---- */
static int write_origin(struct trace_writer *w, const struct trace_origin *o)
{
    byte_vec *raw = &w->scratch;
    raw->n = 0;
    put_str(raw, o ? o->weir : "");
    put_str(raw, o ? o->machine : "");
    return write_frame(w, FRAME_ORIGIN, raw);
}

struct trace_writer *trace_writer_open(const char *path, const char *program, const struct trace_origin *origin,
                                       struct err *e)
{
    struct outfile *file = outfile_open(path, e);
    if (!file)
        return NULL;
    struct trace_writer *w = xcalloc(1, sizeof *w);
    w->file = file;
    w->fd = outfile_fd(file);
    w->path = xstrdup(path);
    err_clear(&w->err);
    w->z = ZSTD_createCCtx();
    if (!w->z)
        out_of_memory(0);
    ZSTD_CCtx_setParameter(w->z, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(w->z, ZSTD_c_checksumFlag, 1);
    w->sink = (struct stream_sink){w, on_event, on_launch_begin, on_chunk, on_launch_end};

    byte_vec *head = &w->scratch;
    put_bytes(head, file_magic, sizeof file_magic);
    put_le(head, TRACE_VERSION, 4);
    put_le(head, 0, 4);
    if (write_all(w, head->p, head->n) || write_origin(w, origin)) {
        if (e)
            *e = w->err;
        trace_writer_abandon(w);
        return NULL;
    }
    put_le(&w->journal, JRN_PROGRAM, 1);
    put_str(&w->journal, program ? program : "");
    return w;
}

struct stream_sink *trace_writer_sink(struct trace_writer *w)
{
    return &w->sink;
}

static void writer_free(struct trace_writer *w)
{
    outfile_abandon(w->file);
    ZSTD_freeCCtx(w->z);
    VEC_FREE(&w->packed);
    VEC_FREE(&w->block);
    VEC_FREE(&w->journal);
    VEC_FREE(&w->scratch);
    VEC_FREE(&w->frame);
    free(w->path);
    free(w);
}

void trace_writer_abandon(struct trace_writer *w)
{
    if (w)
        writer_free(w);
}

static int write_index(struct trace_writer *w)
{
    byte_vec *x = &w->scratch;
    x->n = 0;
    put_var(x, w->frame.n);
    for (size_t i = 0; i < w->frame.n; i++) {
        put_le(x, w->frame.p[i].kind, 1);
        put_var(x, w->frame.p[i].stored);
        put_var(x, w->frame.p[i].raw);
    }
    put_var(x, w->n_kernels);
    put_var(x, w->n_launches);
    put_var(x, w->n_events);
    put_var(x, w->n_chunks);
    put_var(x, w->n_insts);
    put_var(x, w->n_ordered);
    uint64_t index_at = w->offset;
    uint32_t raw = (uint32_t)x->n;
    if (write_frame(w, FRAME_INDEX, x))
        return -1;
    put_le(x, index_at, 8);
    put_le(x, w->offset + FOOTER_BYTES, 8);
    put_le(x, raw, 4);
    put_le(x, crc32_of(0, x->p, x->n), 4);
    put_bytes(x, footer_magic, sizeof footer_magic);
    return write_all(w, x->p, x->n);
}

int trace_writer_close(struct trace_writer *w, struct err *e)
{
    if (!w)
        return 0;
    int rc = w->failed ? -1 : 0;
    if (!rc && w->in_launch)
        rc = refuse(w, w->n_launches - 1, "it has not ended");
    if (!rc)
        rc = flush_block(w);
    if (!rc)
        rc = write_frame(w, FRAME_JOURNAL, &w->journal);
    if (!rc)
        rc = write_index(w);
    if (!rc) {
        rc = outfile_commit(w->file, &w->err);
        w->file = NULL;
    }
    if (rc && e)
        *e = w->err;
    writer_free(w);
    return rc;
}
