/* Replays a recording; see replay.h. */
#include "gpu/replay.h"

#include "gpu/file_streams.h"

enum gpu_end gpu_replay(struct gpu *g, struct trace_file *file, struct err *e)
{
    struct file_streams from;
    file_streams_open(&from, file);
    enum gpu_end end = GPU_DONE;
    for (uint64_t i = 0; i < trace_n_events(file) && end == GPU_DONE; i++) {
        const struct trace_event *ev = trace_get_event(file, i);
        if (ev->kind != TRACE_EV_LAUNCH) {
            gpu_event(g, ev);
            continue;
        }
        const struct trace_launch *l = trace_get_launch(file, ev->index);
        file_streams_launch(&from, ev->index);
        end = gpu_launch(g, trace_get_kernel(file, l->kernel), l, &from.streams.sm, e);
    }
    if (end == GPU_FAILED && from.failed && e)
        *e = from.err;
    file_streams_close(&from);
    return end;
}
