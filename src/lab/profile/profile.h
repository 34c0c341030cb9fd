/*
 * A run as a performance engineer looks at it: by kernel, by source line, by memory instruction, over time; and plain
 * sentences about what costs most. Made from the statistics document of a run with --profile (docs/statistics.md);
 * without it what needs counts by instruction is left out.
 *
 * The unit of cost is the issue slot: one cycle of one scheduler. A slot issues, has no warp, or waits for one reason
 * because of one instruction.
 */
#ifndef WEIR_PROFILE_PROFILE_H
#define WEIR_PROFILE_PROFILE_H

#include "base/err.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Why a slot does not issue, in the order of the screen: name in the document, what it says to a person. */
#define PROFILE_STALLS(X)                                                                                              \
    X(MEMORY, "memory", "waits for loaded data")                                                                       \
    X(LSU, "lsu_full", "waits for the load/store unit")                                                                \
    X(ALU, "alu", "waits for an arithmetic result")                                                                    \
    X(UNIT, "unit_busy", "waits for a busy execution unit")                                                            \
    X(TENSOR, "tensor", "waits for products of its warpgroup")                                                         \
    X(MBARRIER, "mbarrier", "waits at an mbarrier or for its cluster")                                                 \
    X(BARRIER, "barrier", "waits at a barrier")                                                                        \
    X(FENCE, "fence", "waits at a fence")                                                                              \
    X(FETCH, "fetch", "waits for its next instruction")                                                                \
    X(THROTTLE, "throttle", "is throttled by the scheduling policy")                                                   \
    X(DRAIN, "drain", "has ended, and its stores are in flight")                                                       \
    X(NO_WARP, "no_warp", "there is no resident warp")
enum { PROFILE_KERNEL = 26 }; /* characters of a kernel's name in tables */
enum profile_stall {
#define X(name, text, doc) PROFILE_##name,
    PROFILE_STALLS(X)
#undef X
        PROFILE_STALL_COUNT
};
extern const char *const profile_stall_name[], *const profile_stall_doc[];

/* Where a line request was answered. */
enum profile_served { SERVED_L1, SERVED_MERGE, SERVED_REMOTE, SERVED_L2, SERVED_DRAM, SERVED_OTHER, SERVED_COUNT };
extern const char *const profile_served_name[]; /* for people */

struct profile_kernel { /* summed over its launches */
    const char *mangled;
    char name[512], brief[128]; /* with parameters, and for tables */
    unsigned launches;
    double cycles, slots, issued, stall[PROFILE_STALL_COUNT];
    double warp_insts, thread_insts, dram_bytes, l1_hits, l1_accesses, l2_hits, l2_accesses;
    double flops, tensor_flops; /* floating-point work, and that of the tensor cores in it; 0 without such counts */
    json_t *sum;                /* its counters by name */
    double warps_resident;
    /* of the launch with the most cycles */
    double longest, occupancy;
    unsigned grid[3], block[3], registers, shared_bytes, ctas_per_sm;
    const char *limiter; /* NULL = not known */
};

/* A line of a source file, or of PTX where there is no line information. */
struct profile_line {
    const char *file; /* NULL = PTX of `kernel` */
    unsigned number, kernel;
    char place[96]; /* "transpose.cu:7" */
    double issues, lanes;
    double waited[PROFILE_STALL_COUNT], caused[PROFILE_STALL_COUNT];
    double cost;       /* slots: issues and what it caused */
    unsigned n_access; /* memory instructions on it */
    const char *text;  /* NULL = the file is not there */
};

struct profile_access {    /* one memory instruction */
    unsigned kernel, line; /* indices */
    unsigned pc, width;
    unsigned ptx_line, copies; /* copies: unrolled ones that this sums (profile_group_copies) */
    const char *variable;      /* its address begins from: a variable (mangled), */
    int argument;              /* or the kernel's parameter; -1 = neither is known */
    double offset, last_offset;
    char pointer[64];                                   /* what the source calls it; "" = not known */
    const char *inst, *class, *space;                   /* class: load, store, atom, red, tex, surf */
    double executions, lanes, lines, sectors;           /* lines: passes in shared memory; sectors: NAN = not counted */
    double served[SERVED_COUNT], latency[SERVED_COUNT]; /* lines, mean cycles */
    double answered, mean_latency;
    double caused[PROFILE_STALL_COUNT], cost; /* slots lost because of it */
};

struct profile_finding {
    double share; /* of all slots; what it is sorted by */
    char text[400];
    char place[96]; /* what the text begins with; "" = the whole run */
};

/* Launches that repeat, as a network's layers do (rounds.c). */
struct profile_part {   /* sums */
    const char *kernel; /* brief; of a step */
    double cycles, thread_insts, dram_bytes, l2_hits, l2_accesses;
};
struct profile_rounds {
    unsigned first, length, times; /* launches from 0; of a round; rounds */
    double cycles;
    struct profile_part *step, *round; /* each launch of a round, over all of them; each round */
};

struct profile_source {
    const char *file;
    char *text; /* NULL = not found; lines end in NUL */
    VEC(const char *) line;
};

struct profile {
    json_t *doc;
    const char *machine, *program, *arguments, *weir, *date;
    bool complete, counted; /* counted: there are counts by instruction */
    double cycles, seconds, slots, issued, stall[PROFILE_STALL_COUNT];
    double ipc, peak_ipc, peak_flops, peak_bytes, dram_bytes; /* peaks per cycle, per second, per second */
    VEC(struct profile_kernel) kernel;                        /* the most cycles first */
    VEC(struct profile_line) line;                            /* the most costly first */
    VEC(struct profile_access) access;   /* the most costly first; those of lines that waited longest without counts */
    VEC(struct profile_finding) finding; /* the worst first */
    VEC(struct profile_source) source;
    VEC(struct profile_rounds) rounds; /* in the order in which they were found: the longest first */
};

/* Takes over the document. `sources`: a folder in which sources are looked for, too; NULL = none. -1: it is none of a
 * run; `name` is how messages call it. */
int profile_read(struct profile *, json_t *doc, const char *name, const char *sources, struct err *);
void profile_free(struct profile *);
/* A number of an object of the document ("total", a launch, a sample); 0 where it has none. */
double profile_number(const json_t *, const char *name);
/* Adds the counters of a launch; ratios are left out. */
void profile_add_launch(json_t *sum, const json_t *launch);
/* A parameter of the machine in its base unit (Hz, bytes); 0 where it has none. */
double profile_config(const struct profile *, const char *key);
/* The program's name without folders and, of the suite's, without the key it is kept under; "a run" = not known. */
void profile_name(const struct profile *, char *out, size_t bytes);
/* "scheduler lrr, L1 management lru, ..." */
void profile_policies(const struct profile *, char *out, size_t bytes);

/* pointers.c */
void profile_name_pointers(struct profile *);
/* "in +64"; of copies "in +0 … +448 (8 copies)". */
enum { PROFILE_POINTER = 128 };
void profile_pointer(const struct profile_access *, char out[PROFILE_POINTER]);
/* The accesses with unrolled copies summed, in the order of the most costly of each; owned by the caller. */
struct profile_access *profile_group_copies(const struct profile *, size_t *n);

/* rounds.c */
void profile_find_rounds(struct profile *);
void profile_free_rounds(struct profile *);

/* profile_findings.c */
void profile_find(struct profile *);
/* About one screen. */
void profile_print(const struct profile *, FILE *);
/* The page. `command`: how it was made. A picture that cannot be drawn is left out, which the page says; -1 then, with
 * *e filled. */
int profile_page(const struct profile *, const char *command, FILE *, struct err *);

/* 12345678 -> "12.3 M" */
const char *profile_big(char out[24], double);

#endif
