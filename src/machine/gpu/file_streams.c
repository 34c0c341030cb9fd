/* Chunks from a recording; see file_streams.h. */
#include "gpu/file_streams.h"

static int read_chunk(void *ctx, struct streams *s, uint64_t cta, uint32_t seq)
{
    struct file_streams *f = ctx;
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

void file_streams_open(struct file_streams *f, struct trace_file *file)
{
    *f = (struct file_streams){.file = file};
    streams_init(&f->streams, read_chunk, f);
}

void file_streams_launch(struct file_streams *f, uint32_t launch)
{
    streams_clear(&f->streams);
    f->launch = launch;
}

void file_streams_close(struct file_streams *f)
{
    stream_buf_free(&f->buf);
    streams_destroy(&f->streams);
}
