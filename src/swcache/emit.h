/* The text of a split loop, and of the kernels' launches. */
#ifndef WEIR_SWCACHE_EMIT_H
#define WEIR_SWCACHE_EMIT_H

#include "swcache/edits.h"
#include "swcache/units.h"

/* Adds the edits that split the loop to those of the file. n_before: split loops of the same kernel before it. */
void emit_unit(struct edits *file, const struct pointers *, const struct unit *, unsigned n_before);

struct changed_kernel {
    CXCursor cursor;
    const char *name;
    unsigned structures; /* the most that one of its loops caches */
    bool is_template, is_overloaded;
};
typedef VEC(struct changed_kernel) changed_list;

/* Gives every launch of a changed kernel the shared memory its lines need. Returns how many were changed. */
unsigned emit_launches(struct edits *file, struct source *, const changed_list *, struct notes *);
/* #include <swcache.cuh>, unless it is there. */
void emit_include(struct edits *file, const struct source *);

#endif
