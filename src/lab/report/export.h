/*
 * Statistics as CSV, one row per thing and one column per number, for spreadsheets and data frames. From a document
 * of weir run or weir replay: its total, kernels, loads, samples or phases. From a store of results (store.h): a row
 * for each simulation. Columns that some rows lack are empty there; objects (histograms, what policies tell about
 * loads) become columns with dotted names.
 */
#ifndef WEIR_REPORT_EXPORT_H
#define WEIR_REPORT_EXPORT_H

#include "base/err.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdio.h>

/* The tables of a document. NULL ends them. */
extern const char *const export_tables[];

/* Rows of a table, as flat objects. -1: *e. */
struct export_rows {
    VEC(json_t *) row;
};
void export_free(struct export_rows *);
int export_document(struct export_rows *, const json_t *doc, const char *table, struct err *);
/* `path`: the store. Rows have program, size, machine, policies, settings and the total's statistics. */
int export_store(struct export_rows *, const char *path, struct err *);

/* `column`: those to write, in this order; none = all, as they are first met. -1: one is in no row (*e). */
int export_write(const struct export_rows *, const char *const *column, size_t n_column, FILE *, struct err *);

#endif
