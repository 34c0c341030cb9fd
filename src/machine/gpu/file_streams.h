/* The streams of a recording, read chunk by chunk when a warp first needs them: for replay.h and for analyses. */
#ifndef WEIR_GPU_FILE_STREAMS_H
#define WEIR_GPU_FILE_STREAMS_H

#include "gpu/streams.h"
#include "trace/file.h"

struct file_streams {
    struct streams streams; /* streams.sm is what a machine takes */
    struct trace_file *file;
    uint32_t launch;
    struct stream_buf buf;
    struct err err; /* of the file, when `failed` */
    bool failed;
};

/* The file must stay open meanwhile. The struct must not move. */
void file_streams_open(struct file_streams *, struct trace_file *);
/* Forgets what is held and serves the CTAs of this launch from now on. */
void file_streams_launch(struct file_streams *, uint32_t launch);
void file_streams_close(struct file_streams *);

#endif
