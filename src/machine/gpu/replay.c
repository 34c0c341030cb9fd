/* Replays a recording; see replay.h. */
#include "gpu/replay.h"

#include "gpu/file_streams.h"
#include "gpu/sampled.h"
#include "gpu/work.h"

/* Launches that are read: one, unless several run at the same time. */
struct reading {
    struct trace_file *file;
    VEC(struct file_streams *) of;
    bool failed;
    struct err err;
};

static const struct sm_streams *open_launch(void *ctx, uint32_t launch)
{
    struct reading *r = ctx;
    struct file_streams *f = xcalloc(1, sizeof *f);
    file_streams_open(f, r->file);
    file_streams_launch(f, launch);
    VEC_PUSH(&r->of, f);
    return &f->streams.sm;
}

static void close_streams(struct reading *r, size_t i)
{
    struct file_streams *f = r->of.p[i];
    if (f->failed) {
        r->failed = true;
        r->err = f->err;
    }
    file_streams_close(f);
    free(f);
    r->of.p[i] = r->of.p[--r->of.n];
}

static void close_launch(void *ctx, uint32_t launch)
{
    struct reading *r = ctx;
    for (size_t i = 0; i < r->of.n; i++)
        if (r->of.p[i]->launch == launch) {
            close_streams(r, i);
            return;
        }
}

enum gpu_end gpu_replay(struct gpu *g, struct trace_file *file, struct err *e)
{
    return gpu_replay_first(g, file, UINT32_MAX, e);
}

enum gpu_end gpu_replay_first(struct gpu *g, struct trace_file *file, uint32_t launches, struct err *e)
{
    if (g->sampling)
        return sampled_replay(g, file, launches, e);
    struct reading r = {.file = file};
    const struct gpu_source source = {&r, open_launch, close_launch};
    enum gpu_end end = GPU_DONE;
    uint32_t done = 0;
    for (uint64_t i = 0; i < trace_n_events(file) && end == GPU_DONE && done < launches; i++) {
        const struct trace_event *ev = trace_get_event(file, i);
        uint64_t work;
        if (ev->kind == TRACE_EV_LAUNCH) {
            const struct trace_launch *l = trace_get_launch(file, ev->index);
            done++;
            work = gpu_submit(g, ev, trace_get_kernel(file, l->kernel), l, &source);
        } else {
            work = gpu_submit(g, ev, NULL, NULL, NULL);
        }
        /* What depends on everything before it needs no later work to be known, but for a launch that overlaps it. */
        const struct trace_event *next = i + 1 < trace_n_events(file) ? trace_get_event(file, i + 1) : NULL;
        const bool overlapped = next && next->early && next->primary == i && done < launches;
        if (!ev->ordered && !overlapped)
            end = gpu_run_until(g, work, e);
    }
    if (end == GPU_DONE)
        end = gpu_run_until(g, UINT64_MAX, e);
    while (r.of.n)
        close_streams(&r, r.of.n - 1);
    VEC_FREE(&r.of);
    if (end == GPU_FAILED && r.failed && e)
        *e = r.err;
    return end;
}
