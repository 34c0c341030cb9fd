/*
 * What passes between `weir run` and the runtime inside the program: options as environment variables, and a shared
 * page range in which the runtime keeps its counts while the program runs.
 *
 * Shared memory rather than a message at exit, so that the counts survive a program that dies by a signal or leaves
 * through _exit, and so that the parent can show progress. Every process of the run that uses CUDA has a slot.
 */
#ifndef WEIR_CUDART_REPORT_H
#define WEIR_CUDART_REPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define REPORT_BETWEEN '\x1f' /* between the words of a list: a path may hold any other character */

#define REPORT_ENV_PREFIX   "WEIR_"          /* of all of the following */
#define REPORT_ENV_FD       "WEIR_REPORT_FD" /* number of the inherited descriptor of struct report */
#define REPORT_ENV_MODE     "WEIR_MODE"      /* functional (default), record, timing */
#define REPORT_ENV_TRACE    "WEIR_TRACE"     /* record: the file to write */
#define REPORT_ENV_PROGRAM  "WEIR_PROGRAM"   /* command line, for the trace and the statistics */
#define REPORT_ENV_MAX_INSN "WEIR_MAX_INSN"  /* warp instructions per launch */
#define REPORT_ENV_GPU      "WEIR_GPU"       /* machine: name or file */
#define REPORT_ENV_SET      "WEIR_SET"       /* key=value assignments, REPORT_BETWEEN between them */
#define REPORT_ENV_WITH     "WEIR_WITH"      /* timing: policies, comma between them */
#define REPORT_ENV_PLUGINS  "WEIR_PLUGINS"   /* absolute paths, REPORT_BETWEEN between them */
#define REPORT_ENV_ENGINE   "WEIR_ENGINE"    /* skip or tick */
#define REPORT_ENV_THREADS  "WEIR_THREADS"   /* host threads that simulate the machine */
#define REPORT_ENV_SAMPLE   "WEIR_SAMPLE"    /* core cycles between samples */
#define REPORT_ENV_SHOW                                                                                                \
    "WEIR_SHOW" /* what to print at the end: summary, loads, gpgpusim, ncu; or make: profile, energy */
#define REPORT_ENV_JSON     "WEIR_JSON"     /* file for the statistics; "-" = REPORT_ENV_STDOUT */
#define REPORT_ENV_TIMELINE "WEIR_TIMELINE" /* file for the timeline */
#define REPORT_ENV_CHECK    "WEIR_CHECK"    /* weir check: bits of the tools, and words: leaks strict notes fail-fast */
#define REPORT_ENV_KERNEL   "WEIR_KERNEL"   /* weir check: regular expression */
#define REPORT_ENV_SUPPRESS "WEIR_SUPPRESS"
#define REPORT_ENV_SARIF    "WEIR_SARIF"
#define REPORT_ENV_STDOUT   "WEIR_STDOUT" /* descriptor of weir's standard output where the program has another */

#define REPORT_VERSION 2
enum { REPORT_SLOTS = 16, REPORT_KERNELS = 256, REPORT_NAME_BYTES = 200 };

struct report_kernel {
    char name[REPORT_NAME_BYTES]; /* without template arguments and parameters */
    uint64_t launches, ctas, warp_insts;
    uint64_t host_ns; /* time spent emulating it */
};

struct report_slot { /* one process; written by it alone */
    uint32_t pid;
    uint32_t finished;  /* the runtime saw the end of the process */
    uint32_t not_whole; /* a kernel failed, so there is no recording */
    uint64_t launches, ctas, warp_insts, thread_insts;
    uint64_t copies, copied_bytes;
    uint64_t host_ns;                      /* in launches */
    uint64_t machine_cycle, machine_insts; /* how far the machine is behind the emulator */
    uint32_t n_kernel;                     /* the last one gathers all further kernels */
    struct report_kernel kernel[REPORT_KERNELS];
};

struct report {
    uint32_t version, bytes;
    atomic_uint n_slot;      /* processes that used CUDA; may exceed REPORT_SLOTS */
    atomic_uint faults;      /* device faults, whether or not the program noticed */
    atomic_uint unsimulated; /* a static CUDA runtime tried to load the driver */
    atomic_uint deadlocks;   /* of the simulated machine */
    atomic_uint bad_input;   /* configuration that cannot be used, trace that cannot be written */
    atomic_uint found;       /* errors that weir check reports */
    atomic_uint line;        /* enum report_line */
    struct report_slot slot[REPORT_SLOTS];
};

/* The line of progress that weir keeps on a terminal: the code that prints the summary removes it first, and no other
 * follows. */
enum report_line { REPORT_LINE_NONE, REPORT_LINE_SHOWN, REPORT_LINE_OVER };

#endif
