/*
 * The .wt file: recorded streams of a whole program. docs/trace-format.md is the reference.
 *
 * Written front to back in one pass (writing needs no seek, so a recording that is cut short loses only its index and
 * is reported as truncated), read by mmap: any kernel, launch and CTA is reached through the index at the end.
 * Every frame is zstd with its checksum; corrupt, truncated or newer files give an err with the byte offset, and so
 * does a recording that is not whole, because a program failed in the middle of a kernel.
 */
#ifndef WEIR_TRACE_FILE_H
#define WEIR_TRACE_FILE_H

#include "base/err.h"
#include "trace/kernel.h"
#include "trace/stream.h"

/* 2: kernel tables hold the scheduled code; 3: an origin; 4: clusters and the asynchronous proxy; 5: what events depend on;
 * 6: launches that begin early. Files of all earlier formats are read: what they cannot say did not happen. */
#define TRACE_VERSION 6

/* Where a recording comes from. There is no date in it: two recordings of one program are equal, byte for byte. */
struct trace_origin {
    const char *weir;    /* the version that recorded; "" = not recorded */
    const char *machine; /* what the program was told that it runs on, and settings: "gtx480 machine.sms=4" */
};

/* ---- writing: a sink that stores everything ---- */
struct trace_writer;
/* origin: NULL = it says nothing of it. */
struct trace_writer *trace_writer_open(const char *path, const char *program, const struct trace_origin *origin,
                                       struct err *);
/* A sink whose calls store into the file; valid until close. */
struct stream_sink *trace_writer_sink(struct trace_writer *);
/* Writes the index and gives the file its name; until then, and after an error, an older file stays. NULL is allowed.
 */
int trace_writer_close(struct trace_writer *, struct err *);
void trace_writer_abandon(struct trace_writer *); /* forgets what was written */

/* ---- reading: one thread at a time for each trace_file ---- */
struct trace_file;
struct trace_file *trace_open(const char *path, struct err *);
/* Reads from memory; `name` is for errors. The bytes must outlive the file. For tests and the fuzzer. */
struct trace_file *trace_open_mem(const void *bytes, size_t n, const char *name, struct err *);
void trace_close(struct trace_file *);

uint32_t trace_format(const struct trace_file *);
const char *trace_program(const struct trace_file *); /* command line that was recorded */
struct trace_origin trace_get_origin(const struct trace_file *);
/* Calls fn with all that says what was executed, the journal unpacked: not the origin, the index and the command line.
 * Equal recordings of one program under two versions of weir, for two machines that it cannot tell apart, or of copies
 * of it in two folders have equal parts. */
int trace_each_part(struct trace_file *, void (*fn)(void *ctx, const void *bytes, size_t n), void *ctx, struct err *);
uint32_t trace_n_kernels(const struct trace_file *);
const struct trace_kernel *trace_get_kernel(const struct trace_file *, uint32_t);
uint32_t trace_n_launches(const struct trace_file *);
const struct trace_launch *trace_get_launch(const struct trace_file *, uint32_t);
uint64_t trace_n_events(const struct trace_file *);
const struct trace_event *trace_get_event(const struct trace_file *, uint64_t);
/* Totals known from the index alone. */
uint64_t trace_launch_insts(const struct trace_file *, uint32_t launch); /* warp instructions */
uint64_t trace_stream_bytes(const struct trace_file *);                  /* compressed, all chunks */

/* The launch's share of trace_stream_bytes: blocks that hold several launches are divided by unpacked size. */
uint64_t trace_launch_bytes(const struct trace_file *, uint32_t launch);
/* The same, unpacked. */
uint64_t trace_launch_unpacked_bytes(const struct trace_file *, uint32_t launch);

/* Number of chunks of one CTA; 0 when the grid does not have it. */
uint32_t trace_cta_chunks(const struct trace_file *, uint32_t launch, uint64_t cta);
/* Warp instructions of all CTAs before CTA i, into out[i] for i = 0 .. CTAs of the launch. */
void trace_insts_before(const struct trace_file *, uint32_t launch, uint64_t *out);
/* Reads one chunk. `buf` is scratch owned by the caller (stream_buf_free); the chunk points into it. */
struct stream_buf {
    uint8_t *p;
    size_t cap;
};
void stream_buf_free(struct stream_buf *);
int trace_read_chunk(struct trace_file *, uint32_t launch, uint64_t cta, uint32_t seq, struct stream_buf *buf,
                     struct stream_chunk *out, struct err *);

/* The first recorded CTA of the launch that is not below `from`; UINT64_MAX = none. */
uint64_t trace_next_cta(const struct trace_file *, uint32_t launch, uint64_t from);

/*
 * Decodes all of one CTA, chunk after chunk and in each chunk warp after warp, and calls `visit` for every executed
 * instruction (mem->mask is 0 when it has no addresses). A non-zero return of visit stops and is returned; -1 with
 * *e filled when the streams are corrupt. `visit` may be NULL: then it only checks.
 */
typedef int trace_visit(void *ctx, uint32_t warp, const struct stream_step *, const struct stream_mem *mem);
int trace_walk_cta(struct trace_file *, uint32_t launch, uint64_t cta, trace_visit *visit, void *ctx, struct err *);

#endif
