/*
 * The loops of a kernel that are split in two, with all that their text needs.
 *
 * A unit is one loop: first a slice that watches (the monitoring phase), then a slice that goes through the cache, then
 * a flush. Every structure of a unit is either read-only in it or read-write; what may not be cached, and what would
 * gain nothing, is accessed as before.
 */
#ifndef WEIR_TRANSFORM_UNITS_H
#define WEIR_TRANSFORM_UNITS_H

#include "transform/calls.h"
#include "transform/pointers.h"
#include "transform/nest.h"
#include "transform/scan.h"
#include "transform/transform.h"

typedef VEC(struct node *) node_list;

/* A loop inside asks for an element in its condition and again in its body: the body uses what the condition got. */
struct kept_load {
    const struct access *first, *again;
    const struct node *loop;
    unsigned number; /* of the loop */
};

/* How a cached loop is written; forms.h. */
enum unit_form { FORM_SLICES, FORM_RUN, FORM_SCAN, FORM_NEST };
/* The form keeps lines in shared memory. */
static inline bool form_has_cache(enum unit_form form)
{
    return form == FORM_SLICES || form == FORM_RUN;
}

struct unit {
    enum unit_form form;
    bool cond_first; /* in the run form, the condition is the first thing of a turn, not the last */
    bool together;   /* the lanes of a warp meet again after each turn */
    uint32_t window; /* cached structures that lanes walk through at their own pace */
    struct node *loop;
    struct node *outermost; /* the loop of the kernel's own level that holds it; may be the loop itself */
    unsigned end;           /* past the last token, a semicolon included */
    /* text[begin, end) of the parts of its head; empty ones have begin == end */
    unsigned init[2], cond[2], step[2], body[2];
    struct node *cond_node, *body_node;

    uint32_t cached, written; /* structures; written: those of them that may change while the kernel runs */
    bool alias_safe;
    bool has_barrier;                  /* threads of a block must be in the same slice */
    bool cond_changes;                 /* evaluating the condition twice is not the same as once */
    VEC(const struct access *) access; /* to rewrite */
    VEC(const struct access *) atomic; /* on cached structures: their line is flushed before */
    node_list order, leave, give_up;   /* statements before which to flush; return and break statements */
    node_list go_on;                   /* continue statements */
    struct nest nest;                  /* of the nest form */
    struct scan scan;                  /* of the scan form */
    VEC(struct kept_load) kept;        /* of the run form */
};

struct notes {
    struct source *source;
    VEC(struct swcache_note) note;
};
void notes_add(struct notes *, enum swcache_note_kind, unsigned offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

typedef VEC(struct unit) unit_list;

/* Finds the units of a kernel; notes say what is cached and what was left alone. */
void units_find(unit_list *, const struct pointers *, struct calls *, const struct swcache_options *, struct notes *,
                const char *kernel);
void units_free(unit_list *);
/* The threads of a block use the same shared memory for all caches of a kernel, at their own time: windows only where
 * all have the same layout. */
void units_agree(unit_list *);
/* The structures whose extents the unit's text asks for. */
uint32_t unit_extents(const struct unit *);
/* May the structure change while the kernel runs, in this loop or elsewhere? If not, the library reads it on the path
 * for memory that stays the same. */
bool units_is_written(const struct pointers *, struct calls *, unsigned structure);

#endif
