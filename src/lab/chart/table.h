/*
 * A table of numbers with names: what a figure shows. Rows are programs (or loads, or bins), in groups; below them
 * are the means over groups.
 */
#ifndef WEIR_CHART_TABLE_H
#define WEIR_CHART_TABLE_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdio.h>

struct json_t;

struct table_row {
    char *label, *group;
    bool mean;    /* computed from other rows */
    unsigned n;   /* of a mean: how many */
    bool idle;    /* shown with a mark, and in no mean: most SMs had no CTA */
    bool partial; /* shown with a mark, and in no mean: it lacks a value that others have (figure.c) */
    char *link;   /* where its label leads on a page; NULL = nowhere */
    double *cell; /* NAN = missing */
};
struct table_column {
    char *name, *label; /* name: as claims call it */
    char *over; /* what its values are divided by, where that is not what others are divided by; NULL = nothing */
    char *panel, *in_panel; /* a picture of its own with others of its name, and what it is called there; NULL = none */
    bool reference;         /* what others are divided by: 1 everywhere, and in no panel */
    bool count;             /* whole numbers, shown as such */
};
struct table {
    VEC(struct table_column) column; /* all before the first row */
    VEC(struct table_row) row;
    bool percent;   /* cells are shown as per cent */
    bool geometric; /* means */
    bool quantity;  /* cells are amounts, not ratios: small ones are shown with significant digits */
};

void table_add_column(struct table *, const char *name, const char *label);
double *table_add_row(struct table *, const char *label, const char *group); /* its cells, all NAN */
/* A row of the same label, group and marks. */
double *table_add_row_as(struct table *, const struct table_row *);
void table_free(struct table *);
/* Is there a number that can be drawn? */
bool table_has_values(const struct table *);
int table_column(const struct table *, const char *name); /* -1 = there is none */

/*
 * The mean of a column over the rows that `of` names: "all", groups or labels joined by '+' ("CS+CM", "MM"). NAN when
 * there are none. Rows that are means or idle are not named. Missing cells and partial rows are left out; *n and
 * *missing count the rows that are in the mean and those left out (may be NULL).
 */
double table_mean(const struct table *, unsigned column, const char *of, unsigned *n, unsigned *missing);
bool table_row_is(const struct table_row *, const char *of);
/* The same for rows that are idle, too: what a claim is about, whether it ran well or not. */
bool table_row_is_named(const struct table_row *, const char *of);
/* A row of means below the others, named with its kind and how many rows are in it; its group is `of`. */
void table_add_mean(struct table *, const char *of);
/*
 * The row that carries a mean: without it the mean's distance from `neutral` (1 for ratios, 0 for amounts) changes by
 * more than a third, and by 0.02 of the mean at least. Of three rows or more; -1 = none does.
 */
int table_carrier(const struct table *, unsigned column, const char *of, double neutral);
/* A row of means without the row that carries one of them, where one does: that which moves its mean most. */
void table_add_mean_without_carrier(struct table *, const char *of, double neutral);

/* A value as it is shown: with how many decimals (-1: four significant digits), and as text; "-" = missing. */
int table_decimals(const struct table *, size_t column, double v);
void table_cell(const struct table *, size_t column, double v, char out[32]);
/* What a row's label is marked with where it is shown; "" = nothing. */
const char *table_mark(const struct table_row *);
/* A line for each mark that the table has, after `bullet`: what it means; and for each column with a divisor of its
 * own. */
void table_put_marks(const struct table *, const char *bullet, FILE *);
void table_print(const struct table *, bool markdown, FILE *);

/*
 * A member of "timelines" (docs/statistics.md) as a table: a row per hundredth of the run, labeled with the cycle in
 * its middle, or with its part of the run in per cent; a column per phase, with its share of the SMs.
 */
void table_add_timeline(struct table *, const struct json_t *line, bool in_cycles);

#endif
