/* Recordings of what a synth does, for tests of what reads them. Uses cmocka's assertions. */
#ifndef WEIR_TESTS_SYNTH_FILE_H
#define WEIR_TESTS_SYNTH_FILE_H

#include "synth.h"
#include "trace/file.h"

struct recording {
    char path[64];
    struct trace_writer *writer;
    uint32_t launches;
};

void record_begin(struct recording *);
/* One launch, every CTA in one chunk; kernels are numbered by launch.kernel. */
void record_launch(struct recording *, struct synth *);
/* Closes and opens it; the file itself is removed at once. */
struct trace_file *record_end(struct recording *);

#endif
