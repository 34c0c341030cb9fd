/* Inside the configuration reader: one value as text and as bytes in a struct. */
#ifndef WEIR_ENGINE_CONFIG_VALUE_H
#define WEIR_ENGINE_CONFIG_VALUE_H

#include "engine/config.h"

/*
 * Parses `text` for field `f` into the member at values + f->offset. TEXT members keep the pointer `text` itself.
 * On a fault writes a message and, where there is one, a remedy; returns -1.
 */
int cfg_value_parse(const struct cfg_schema *, const struct cfg_field *f, const char *text, void *values, char *msg,
                    size_t msg_bytes, char *hint, size_t hint_bytes);
/* The canonical text of the member. */
void cfg_value_print(const struct cfg_schema *, const struct cfg_field *f, const void *values, char *out, size_t bytes);
/* The kind with that name; BUG() when the schema has none. */
const struct policy_kind *cfg_kind(const struct cfg_schema *, const char *name);

#endif
