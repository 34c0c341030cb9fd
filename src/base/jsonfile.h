/* A JSON document as a file that appears when it is whole (base/outfile.h). */
#ifndef WEIR_BASE_JSONFILE_H
#define WEIR_BASE_JSONFILE_H

#include "base/err.h"

#include <jansson.h>

/* Writes the document and a newline, and takes it over. "-" is standard output; `flags` are json_dumpf's. */
int jsonfile_write(json_t *doc, const char *path, size_t flags, struct err *e);

/* Reads the document of a run; "-" is standard input. NULL: *e says why, and how one is made. */
json_t *jsonfile_read(const char *path, struct err *e);

/* A string for a document. Names from files and command lines need not be UTF-8, JSON must be: other bytes become '?'.
 */
json_t *jsonfile_text(const char *);

/* Takes the control characters out of all strings of a document that is anybody's, since what it names is printed. */
void jsonfile_plain(json_t *);

#endif
