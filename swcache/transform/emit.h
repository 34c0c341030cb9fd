/* The text of a split loop, and of the kernels' launches. */
#ifndef WEIR_TRANSFORM_EMIT_H
#define WEIR_TRANSFORM_EMIT_H

#include "transform/edits.h"
#include "transform/units.h"

/*
 * A kernel with split loops gets a twin: the kernel itself stays, so that who launches it elsewhere, or takes its
 * address, has what they had, and each launch can take the faster one. The twin's last parameter says where the memory
 * of its cached structures begins and ends.
 */
struct changed_kernel {
    CXCursor cursor;
    const char *name;
    char *twin;                     /* its name */
    unsigned known_from;            /* the offset from which on the twin is declared */
    unsigned first_use;             /* the offset of its first declaration */
    unsigned structures;            /* the most that one of its loops keeps in shared memory; 0: none */
    uint32_t cached;                /* those whose extents the twin wants to know */
    unsigned param[MAX_STRUCTURES]; /* the number of the parameter that each structure is */
    unsigned n_param;
    char *lines;       /* the name of a type for its cache, NULL: none is needed */
    char *lines_type;  /* what that is */
    unsigned lines_of; /* the loop that uses it */
    bool own_shared;   /* it has dynamic shared memory of its own; lines come behind that */
    bool is_template, is_overloaded;
};
typedef VEC(struct changed_kernel) changed_list;

/* A kernel whose lines are not all of one size gets a name for the type of its largest cache: the launch asks that for
 * its room. */
void emit_name_lines(const struct source *, struct changed_kernel *, const unit_list *);
void changed_free(struct changed_kernel *);

/* Adds the edits that put one of the kernel's loops through the cache. */
void emit_unit(struct edits *, const struct pointers *, const struct changed_kernel *, const unit_list *,
               unsigned number);

/* Puts the twin behind the kernel, and its declarations behind the kernel's. NULL, or why it cannot be. `split` has the
 * edits of its loops. */
const char *emit_twin(struct edits *file, struct edits *split, struct source *, const struct node *function,
                      struct changed_kernel *);
/* Launches of changed kernels choose between kernel and twin. Returns how many were changed. */
unsigned emit_launches(struct edits *file, struct source *, const changed_list *, struct notes *);
/* #include <swcache.cuh>, unless it is there. */
void emit_include(struct edits *file, const struct source *, const changed_list *);

/* The first of these names that the file does not use. */
const char *emit_fresh_name(const struct source *, const char *const *choice);
const char *emit_extents_name(const struct source *);
const char *emit_own_bytes_name(const struct source *);
/* The white space that the line of this offset begins with; to be freed. */
char *emit_indent(const struct source *, unsigned at);

#endif
