/*
 * Inside the reader of .wt files: what is kept of an open file. reader.c opens it and gives its parts, journal.c reads
 * what the program did.
 */
#ifndef WEIR_TRACE_READER_H
#define WEIR_TRACE_READER_H

#include "trace/file.h"

#include "base/mem.h"
#include "trace/frame.h"

#include <zstd.h>

enum { CACHE_BLOCKS = 16, CACHE_BYTES = 32 << 20 };

struct chunk_entry {
    uint64_t cta, n_inst;
    uint32_t block, at, bytes; /* bytes [at, at + bytes) of the unpacked block */
    uint32_t seq : 31, last : 1;
};

struct launch_entry {
    struct trace_launch launch;
    size_t first_chunk, n_chunk; /* in trace_file.chunk, sorted by CTA and seq once all is read */
    uint64_t n_inst;
    bool ended;
};

struct cached_block {
    uint8_t *p; /* NULL = free */
    uint32_t block, bytes;
    uint64_t used;
};

struct trace_file {
    char *name;
    int fd;               /* -1: the bytes are in memory */
    const uint8_t *bytes; /* NULL: they are in the file */
    size_t n_bytes;
    byte_vec from_file; /* the part of the file that was read last */
    ZSTD_DCtx *z;
    struct arena *arena; /* kernel tables */
    uint32_t format;
    char *program, *weir, *machine; /* weir, machine: NULL = the file has no origin */
    frame_vec part;                 /* frames that say what was executed, in the order of the file */
    size_t program_bytes;           /* of the record with the command line, at the journal's beginning */
    frame_vec block;                /* frames of kind BLOCK, in order */
    VEC(struct trace_kernel *) kernel;
    VEC(struct launch_entry) launch;
    VEC(struct trace_event) event;
    VEC(struct chunk_entry) chunk;
    uint64_t stream_bytes, n_after; /* n_after: all that events depend on */
    struct cached_block cache[CACHE_BLOCKS];
    size_t cache_bytes;
    uint64_t clock;
};

/* What journal_read knows of the records before the present one; begins as zeros. */
struct journal_state {
    uint64_t prev_cta, prev_block, insts, ordered;
    uint32_t announced; /* launches, by events */
    bool in_launch;
    uint32_t at; /* where the next chunk starts in its block */
};

/*
 * Reads one frame of the journal or of the origin into the tables of `f`. Returns NULL, or what is wrong with it, to be
 * completed by "; the file is corrupt".
 */
const char *journal_read(struct trace_file *f, struct byte_reader *r, struct journal_state *s);
const char *origin_read(struct trace_file *f, struct byte_reader *r);

#endif
