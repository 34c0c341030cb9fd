/*
 * The path of memory accesses as one picture: SM, shared memory, L1, L2 and DRAM as boxes with their hit rates, the
 * links between them with the bytes they moved and the part of their peak that is; of one run or kernel, or of two with
 * the differences. Made from the statistics of a run (docs/statistics.md).
 *
 * Peaks: the L1's data path (32 banks of 4 bytes where they are modeled, else sm.lsu_lines lines a cycle), the ports of
 * the network on the side that has fewer, the L2's data arrays (l2.port_bytes), the DRAM bus. Left out: links between
 * SMs, and what the constant and texture caches move.
 */
#ifndef WEIR_PROFILE_MEMORY_CHART_H
#define WEIR_PROFILE_MEMORY_CHART_H

#include "profile/profile.h"

/* X(enumerator, name, kind): bytes and counts are amounts; rates and uses parts of 1; a degree is a mean. */
#define MEMORY_CHART(X)                                                                                                \
    X(INSTS, "memory instructions of the SMs", COUNT)                                                                  \
    X(SHARED_INSTS, "shared-memory instructions", COUNT)                                                               \
    X(SHARED_DEGREE, "passes of each over the banks", DEGREE)                                                          \
    X(SHARED_USE, "shared memory in use", SHARE)                                                                       \
    X(LINES, "line requests to the L1s", COUNT)                                                                        \
    X(L1_LOADED, "bytes from the L1s to the SMs", BYTES)                                                               \
    X(L1_STORED, "bytes from the SMs to the L1s", BYTES)                                                               \
    X(L1_USE, "L1 data path in use", SHARE)                                                                            \
    X(L1_HITS, "L1 hit rate", SHARE)                                                                                   \
    X(L1_REMOTE, "line requests answered by other L1s", COUNT)                                                         \
    X(NOC_REPLY, "bytes from the L2 to the L1s", BYTES)                                                                \
    X(NOC_REQUEST, "bytes from the L1s to the L2", BYTES)                                                              \
    X(NOC_REPLY_USE, "reply network in use", SHARE)                                                                    \
    X(NOC_REQUEST_USE, "request network in use", SHARE)                                                                \
    X(L2_ACCESSES, "L2 accesses", COUNT)                                                                               \
    X(L2_HITS, "L2 hit rate", SHARE)                                                                                   \
    X(L2_USE, "L2 data arrays in use", SHARE)                                                                          \
    X(DRAM_READ, "bytes from DRAM", BYTES)                                                                             \
    X(DRAM_WRITTEN, "bytes to DRAM", BYTES)                                                                            \
    X(DRAM_USE, "DRAM bus in use", SHARE)                                                                              \
    X(DRAM_ROW_HITS, "DRAM row hit rate", SHARE)

enum memory_chart_value {
#define X(name, text, kind) MEMORY_##name,
    MEMORY_CHART(X)
#undef X
        MEMORY_CHART_COUNT
};

struct memory_chart {
    double value[MEMORY_CHART_COUNT]; /* NAN = not known: bytes at the L1 without counts by instruction */
};

/* Of a kernel, by its index in the profile, or of the whole run (-1). */
struct memory_chart memory_chart_of(const struct profile *, int kernel);
/* As a figure of a page with its data; `b` NULL: one run. `name`: of the data's file. */
void memory_chart_draw(const struct memory_chart *a, const struct memory_chart *b, const char *name,
                       const char *caption, FILE *);
/* In two lines of text. */
void memory_chart_print(const struct memory_chart *, FILE *);

/* Peak bytes per second at a level: what rooflines are drawn with. */
double memory_chart_l1_peak(const struct profile *), memory_chart_l2_peak(const struct profile *);

#endif
