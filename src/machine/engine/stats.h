/*
 * Statistics: plain counters in the components, described by tables, collected by name.
 *
 * Hot code only does `c->stats.hits++` on a uint64_t. A component type has one table of stat_def; each instance is
 * registered once under a prefix ("l1"), and instances under the same prefix are summed (or their maximum taken).
 * Ratios are computed when values are shown. Differences of two readings give per-kernel and interval values.
 */
#ifndef WEIR_ENGINE_STATS_H
#define WEIR_ENGINE_STATS_H

#include <stddef.h>
#include <stdint.h>

enum stat_kind {
    STAT_COUNT, /* uint64_t, only grows; instances are added */
    STAT_MAX,   /* uint64_t high-water mark; the largest instance; not differenced */
    STAT_RATIO, /* computed: num / den, each a sum of full names: "l1.misses+l1.merges"; 0 when den is 0 */
    STAT_HIST,  /* uint64_t[n_bound + 1]: how many values lay in each bucket; each bucket is a count */
};

struct stat_def {
    const char *name; /* within the prefix: "hits" is shown as l1.hits; NULL ends a table */
    const char *unit; /* "requests", "cycles", "flits", "" */
    enum stat_kind kind;
    const char *doc;
    size_t offset;         /* COUNT, MAX, HIST: of the uint64_t (the first) in the instance's struct */
    const char *num, *den; /* RATIO */
    /* HIST: bucket i holds values up to and including bound[i] (and above the one before); the last holds the rest. */
    const uint64_t *bound;
    unsigned n_bound;
};

#define STAT_ROW(T, member, unit_, doc_)                                                                               \
    {                                                                                                                  \
        .name = #member, .unit = unit_, .kind = STAT_COUNT, .doc = doc_, .offset = offsetof(T, member)                 \
    }
/* When the shown name has dots or differs from the member's. */
#define STAT_NAMED(T, member, name_, unit_, doc_)                                                                      \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .kind = STAT_COUNT, .doc = doc_, .offset = offsetof(T, member)                   \
    }
#define STAT_MAXIMUM(T, member, unit_, doc_)                                                                           \
    {                                                                                                                  \
        .name = #member, .unit = unit_, .kind = STAT_MAX, .doc = doc_, .offset = offsetof(T, member)                   \
    }
#define STAT_QUOTIENT(name_, unit_, num_, den_, doc_)                                                                  \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .kind = STAT_RATIO, .doc = doc_, .num = num_, .den = den_                        \
    }
/* `member` is an array of one counter more than `bounds` (an array of uint64_t, ascending). */
#define STAT_HISTOGRAM(T, member, name_, unit_, bounds, doc_)                                                          \
    {                                                                                                                  \
        .name = name_, .unit = unit_, .kind = STAT_HIST, .doc = doc_, .offset = offsetof(T, member), .bound = bounds,  \
        .n_bound = sizeof(bounds) / sizeof *(bounds)                                                                   \
    }
#define STAT_END                                                                                                       \
    {                                                                                                                  \
        0                                                                                                              \
    }

/* Counts a value in a histogram's buckets. */
static inline void stat_hist_add(uint64_t *bucket, const uint64_t *bound, unsigned n_bound, uint64_t value)
{
    unsigned i = 0;
    while (i < n_bound && value > bound[i])
        i++;
    bucket[i]++;
}

/* What a bucket's name adds to its histogram's: ".le_100", ".above_1000"; nothing where it is no histogram. */
#define STAT_BUCKET 32
void stat_bucket_name(const struct stat_def *, unsigned bucket, char out[STAT_BUCKET]);

/* ---- a set of registered counters: one per machine ---- */
struct stats;
struct stats *stats_new(void);
void stats_free(struct stats *);
/* Registers one instance: its counters are at `base` + offset. `prefix` may be "" and must outlive the set. */
void stats_add(struct stats *, const char *prefix, const struct stat_def *, const void *base);

/*
 * All names, in order of registration; each once, however many instances. A histogram has a name per bucket, one after
 * the other: "x.held.le_100", "x.held.le_1000", "x.held.above_1000".
 */
unsigned stats_count(const struct stats *);
struct stat_name {
    char name[96]; /* full: "l1.hits" */
    const struct stat_def *def;
    unsigned bucket;   /* HIST */
    unsigned base_len; /* characters of the name without its bucket */
};
const struct stat_name *stats_name(const struct stats *, unsigned i);
int stats_find(const struct stats *, const char *name); /* -1 when absent */

/* Reads all raw values into out[stats_count()] (ratios: 0). */
void stats_read(const struct stats *, uint64_t *out);
/* out = later - earlier for counters, later for maxima. */
void stats_delta(const struct stats *, const uint64_t *later, const uint64_t *earlier, uint64_t *out);
/* Counter i of each instance, in order of registration; returns how many there are. `out` NULL: only that. */
unsigned stats_read_each(const struct stats *, unsigned i, uint64_t *out);
/* The two sums of a ratio, from a reading or difference. */
void stats_ratio_parts(const struct stats *, const uint64_t *raw, unsigned i, double *num, double *den);
/* Value i of a reading or difference as a number; evaluates ratios from `raw`. */
double stats_value(const struct stats *, const uint64_t *raw, unsigned i);

#endif
