/* A line of comma-separated values (RFC 4180, without line breaks in fields). */
#ifndef WEIR_BASE_CSV_H
#define WEIR_BASE_CSV_H

#include "base/mem.h"

struct csv_fields {
    VEC(char *) field;
};
/* Cuts the line at its commas, in place. A field in quotes may hold commas, and a quote written twice. -1: what is
 * wrong is in *why. */
int csv_cut(char *line, struct csv_fields *, char why[64]);

#endif
