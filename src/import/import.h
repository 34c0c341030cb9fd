/*
 * Traces of other tools as weir's own streams: what a .wt file holds, or what the machine takes live.
 *
 * Accel-Sim's traces are read twice. The first time gathers the static table of each kernel, because a table stands
 * before the first launch; the second time encodes the streams. A CTA is held in memory, a launch is not.
 */
#ifndef WEIR_IMPORT_IMPORT_H
#define WEIR_IMPORT_IMPORT_H

#include "base/err.h"
#include "import/lines.h"
#include "trace/stream.h"

#include <stdbool.h>

struct import;

/*
 * Reads the list of commands: kernelslist.g, the folder that holds it, or one kernel's trace. Files that it names are
 * looked for beside it. NULL and *e when it cannot be read or names what is not there.
 */
struct import *import_open(const char *path, struct err *e);
void import_close(struct import *);

/*
 * All of it into the sink. `poll`, if not NULL, is told how many of how many stored bytes have been read; non-zero
 * stops. -1 and *e; an empty *e means that the sink has failed, which keeps its own error.
 */
typedef int import_poll(void *ctx, uint64_t done, uint64_t all);
int import_run(struct import *, struct stream_sink *, import_poll *poll, void *ctx, struct err *e);

/* After import_run. Remarks: opcodes that are not known and timed as moves, or whose accesses traces do not show. */
struct import_counts {
    uint32_t kernels, launches, copies;
    uint64_t ctas, insts;
    unsigned binary_version; /* 70 = sm_70; 0 = not told */
};
struct import_counts import_counts(const struct import *);
void import_each_remark(const struct import *, void (*fn)(void *ctx, const char *opcode, bool known), void *ctx);

/* One kernel's trace from memory, for tests and the fuzzer. */
int import_mem(const void *bytes, size_t n, const char *name, struct stream_sink *, struct err *e);

#endif
