/*
 * What a policy tells about each static load: declared columns, from which the JSON document, `--explain-loads` and
 * `weir explain` follow.
 *
 * Every kind of policy may declare such columns in its struct policy_info. At the end of each launch the machine asks
 * every instance of the policy (one per SM, per scheduler or per L2 slice) for its rows, one per load it has data about; a
 * row has one value per column. Over instances and launches the values of a column combine as the column says.
 * A value that is not given counts nowhere. Not for counters of the whole policy: these are statistics (stats.h).
 */
#ifndef WEIR_ENGINE_LOAD_REPORT_H
#define WEIR_ENGINE_LOAD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/* How the values of several instances become one. */
enum load_combine {
    LOAD_SUM,
    LOAD_MAX,
    LOAD_WITH_MAX, /* the value given together with the largest of the nearest LOAD_MAX column before it */
    LOAD_MEAN,     /* over the instances that gave one */
    LOAD_TEXT,     /* by majority. A policy's texts form one verdict: the most frequent combination is shown */
};

struct load_column {
    const char *name;    /* member of the policy's object in the JSON document: "bypassed"; NULL ends a table */
    const char *heading; /* in the table of --explain-loads; NULL = not shown there */
    const char *unit;    /* "requests", "cycles", "" */
    enum load_combine combine;
    const char *doc;
    const char *share_of; /* the table shows it as a percentage of this column; NULL = as it is */
    bool reuse_type;      /* a text of locality_type_name: reports compare it with what infinite caches see */
};
enum { LOAD_COLUMNS = 16, LOAD_TEXTS = 4 }; /* most columns of one policy, and most texts among them */
#define LOAD_COLUMN_END                                                                                                \
    {                                                                                                                  \
        0                                                                                                              \
    }

struct load_value {
    bool given;
    uint64_t n;
    const char *text; /* a constant: it is kept as a pointer */
};
#define LOAD_NUMBER(x)                                                                                                 \
    (struct load_value)                                                                                                \
    {                                                                                                                  \
        .given = true, .n = (x)                                                                                        \
    }
#define LOAD_WORD(x)                                                                                                   \
    (struct load_value)                                                                                                \
    {                                                                                                                  \
        .given = true, .text = (x)                                                                                     \
    }

/* Takes one row: `pc` in the present kernel, and a value for each column in the order of the table. */
typedef void load_row(void *ctx, uint32_t pc, const struct load_value *value);

#endif
