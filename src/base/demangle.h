/* Names of C++ functions as C++ writes them, where the C++ runtime is installed; else as they are. */
#ifndef WEIR_BASE_DEMANGLE_H
#define WEIR_BASE_DEMANGLE_H

#include <stddef.h>

void demangle(const char *mangled, char *out, size_t cap);
/* Without result, template arguments and parameters: what fits into a table. */
void demangle_short(const char *mangled, char *out, size_t cap);
/*
 * With template arguments, which tell instances apart, in at most `width` characters: namespaces are left out where the
 * name is longer, and then what is in its middle. `out` has width + 1 bytes.
 */
void demangle_fit(const char *mangled, char *out, size_t width);

#endif
