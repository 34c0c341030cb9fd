/*
 * The checker: finds what is wrong with the way a program uses the GPU's memory, while the emulator executes it.
 *
 * It observes through emu/watch.h, and cudart/ reports the program's CUDA calls to it. What it finds is independent of
 * the order in which the emulator ran things: two accesses race when nothing in the program orders them, whatever
 * happened this time. docs/check.md says what counts as order and what is left out.
 */
#ifndef WEIR_CHECK_CHECK_H
#define WEIR_CHECK_CHECK_H

#include "base/err.h"
#include "emu/emu.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum check_tool {
    CHECK_MEM = 1,
    CHECK_RACE = 2,
    CHECK_INIT = 4,
    CHECK_SYNC = 8,
    CHECK_LEAK = 16,
    CHECK_ALL = 31,
};
/* "memcheck,racecheck" -> bits; 0 = a word is wrong, and *wrong (free it) says which. */
unsigned check_tools_of(const char *words, char **wrong);

struct check_opts {
    unsigned tools;        /* enum check_tool */
    bool leaks_fail;       /* leaks are errors: leakcheck was asked for by name */
    bool strict;           /* warnings count as errors do */
    bool notes;            /* print notes, too */
    bool fail_fast;        /* end the process at the first error */
    const char *kernel;    /* extended regular expression; NULL = all kernels */
    const char *suppress;  /* file; NULL = none */
    const char *program;   /* command line, for the documents */
    uint64_t shadow_bytes; /* at most, for shadow memory; 0 = 8 GiB */
    void (*ended)(void *); /* fail_fast: ends the process after the report */
    void *ended_ctx;
};

struct check;
struct check *check_open(const struct check_opts *, struct err *);
const struct emu_watch *check_watch(const struct check *);
/* The device whose executions it watches: after emu_new. */
void check_attach(struct check *, struct emu *);

/* ---- what the program asks of the runtime ---- */
void check_stream(struct check *); /* it makes a stream: operations may run at the same time from now on */
void check_alloc(struct check *, uint64_t addr, uint64_t bytes, enum emu_mem_kind);
void check_free(struct check *, uint64_t addr, uint64_t bytes);
/* An operation begins on a stream: everything reported from here on is part of it. `barrier`: the default stream, which
 * waits for all streams that are not `apart`, and they for it. */
void check_op(struct check *, uint32_t stream, bool apart, bool barrier);
void check_host_waits_stream(struct check *, uint32_t stream);
void check_host_waits_all(struct check *);
void check_event_record(struct check *, const void *event, uint32_t stream);
void check_event_forget(struct check *, const void *event);
void check_host_waits_event(struct check *, const void *event);
void check_stream_waits_event(struct check *, uint32_t stream, const void *event);
/* Device memory is written from the host or by a memset, read by the host, copied. One row of a copy each. */
void check_write(struct check *, uint64_t addr, uint64_t bytes, const char *call);
void check_read(struct check *, uint64_t addr, uint64_t bytes, const char *call);
void check_copy(struct check *, uint64_t to, uint64_t from, uint64_t bytes, const char *call);
/* Memory begins or ends in an operation of a stream, whose other uses must be ordered behind or before it. */
void check_span(struct check *, uint64_t addr, uint64_t bytes, const char *call);
void check_fault(struct check *, const struct emu_fault *);
void check_call(struct check *, const char *text); /* a CUDA call names memory that is not there */
/* At the end: streams or events that were never destroyed; memory that was never freed. */
void check_left(struct check *, const char *what, unsigned n);
void check_leaks(struct check *);

/* Prints the report, and writes the documents (NULL = not wanted); how many findings are errors. */
unsigned check_finish(struct check *, FILE *, const char *json, const char *sarif, struct err *);
void check_close(struct check *);

#endif
