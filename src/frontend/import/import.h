/*
 * Converts traces of other tools to weir's own streams, for a .wt file or directly for the machine.
 *
 * Accel-Sim's traces are read twice. The first pass gathers the static table of each kernel, because the sink needs the
 * table before the first launch; the second pass encodes the streams. One CTA is held in memory at a time.
 */
#ifndef WEIR_IMPORT_IMPORT_H
#define WEIR_IMPORT_IMPORT_H

#include "base/err.h"
#include "import/lines.h"
#include "trace/stream.h"

#include <stdbool.h>

struct import;

/*
 * Reads the list of commands: kernelslist.g, the folder that holds it, or one kernel's trace. Relative names in the
 * list are relative to its folder. NULL and *e if the list cannot be read or a file that it names does not exist.
 */
struct import *import_open(const char *path, struct err *e);
void import_close(struct import *);

/*
 * Imports everything into the sink. `poll`, if not NULL, gets the number of stored bytes read so far and of all to be
 * read; if it returns non-zero, the import stops. -1 and *e on errors; an empty *e means that the sink has failed and
 * keeps its own error.
 */
typedef int import_poll(void *ctx, uint64_t done, uint64_t all);
int import_run(struct import *, struct stream_sink *, import_poll *poll, void *ctx, struct err *e);

/* Valid after import_run. Remarks: opcodes that are unknown and timed as moves, or whose accesses are not traced. */
struct import_counts {
    uint32_t kernels, launches, copies;
    uint64_t ctas, insts;
    unsigned binary_version; /* 70 = sm_70; 0 = not stated */
};
struct import_counts import_counts(const struct import *);
void import_each_remark(const struct import *, void (*fn)(void *ctx, const char *opcode, bool known), void *ctx);

/* Imports one kernel's trace from memory, for tests and the fuzzer. */
int import_mem(const void *bytes, size_t n, const char *name, struct stream_sink *, struct err *e);

#endif
