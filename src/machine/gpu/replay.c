/* Replays a recording; see replay.h. */
#include "gpu/replay.h"

#include "gpu/file_streams.h"
#include "gpu/sampled.h"

enum gpu_end gpu_replay(struct gpu *g, struct trace_file *file, struct err *e)
{
    return gpu_replay_first(g, file, UINT32_MAX, e);
}

enum gpu_end gpu_replay_first(struct gpu *g, struct trace_file *file, uint32_t launches, struct err *e)
{
    if (g->sampling)
        return sampled_replay(g, file, launches, e);
    struct file_streams from;
    file_streams_open(&from, file);
    enum gpu_end end = GPU_DONE;
    uint32_t done = 0;
    for (uint64_t i = 0; i < trace_n_events(file) && end == GPU_DONE && done < launches; i++) {
        const struct trace_event *ev = trace_get_event(file, i);
        if (ev->kind != TRACE_EV_LAUNCH) {
            gpu_event(g, ev);
            continue;
        }
        const struct trace_launch *l = trace_get_launch(file, ev->index);
        file_streams_launch(&from, ev->index);
        done++;
        end = gpu_launch(g, trace_get_kernel(file, l->kernel), l, &from.streams.sm, e);
    }
    if (end == GPU_FAILED && from.failed && e)
        *e = from.err;
    file_streams_close(&from);
    return end;
}
