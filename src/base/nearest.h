/* What a misspelled word was probably meant to be. */
#ifndef WEIR_BASE_NEAREST_H
#define WEIR_BASE_NEAREST_H

#include "base/err.h"

/* The name in `names` (n of them) nearest to `word`, or NULL when none is near enough to be meant. */
const char *nearest_name(const char *word, const char *const *names, unsigned n);
/* "did you mean 'b'? choose from: a b c" */
void nearest_print_names(char *out, size_t bytes, const char *word, const char *const *names, unsigned n);
/* The hint for a word that is none of the names: the nearest, if one is near, and all of them. Returns -1. */
int err_hint_names(struct err *, const char *word, const char *const *names, unsigned n);

/* The same where the names are many: the nearest, or `otherwise` (NULL = no hint). Returns -1. */
int err_hint_nearest(struct err *, const char *word, const char *const *names, unsigned n, const char *otherwise);

#endif
