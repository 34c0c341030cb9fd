/* Kernel tables as bytes, and what a table or a launch must obey to be stored or believed. Private to trace/. */
#ifndef WEIR_TRACE_TABLE_H
#define WEIR_TRACE_TABLE_H

#include "base/mem.h"
#include "trace/bytes.h"
#include "trace/kernel.h"

/* NULL, or what is wrong with it. Both the writer and the reader ask, so a file that was written can be read. */
const char *table_check(const struct trace_kernel *);
const char *launch_check(const struct trace_launch *);

void table_put(byte_vec *, const struct trace_kernel *);
/* Memory comes from the arena. Returns NULL, or what is wrong. */
const char *table_get(struct byte_reader *, struct arena *, struct trace_kernel *);

#endif
