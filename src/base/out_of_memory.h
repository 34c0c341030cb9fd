/*
 * No memory, where the allocation is not mem.h's own: in a function of the C library or of another library, whose
 * failure would otherwise pass for an empty answer.
 */
#ifndef WEIR_BASE_EXHAUST_H
#define WEIR_BASE_EXHAUST_H

#include <stddef.h>

/* Says that there is no memory and ends the process with status 2, as xmalloc does. `bytes`: 0 = not known. */
_Noreturn void out_of_memory(size_t bytes);
/* What out_of_memory does first, without allocating: removing a temporary folder, say. NULL = nothing. */
void at_out_of_memory(void (*)(void));
/* asprintf that does not fail. */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
