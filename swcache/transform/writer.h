/* What the forms of a cached loop share while their text is written: names, white space, rewritten accesses. */
#ifndef WEIR_TRANSFORM_WRITER_H
#define WEIR_TRANSFORM_WRITER_H

#include "transform/emit.h"

enum { LINE_WIDTH = 120 };

/* By which way an access goes. */
enum way {
    WAY_WATCH, /* cache.watch<0>(p): slice 1 */
    WAY_CACHE, /* cache.load<0>(p): slice 2 */
    WAY_STEP,  /* memory.load(text_, p): the step that swcache::run() repeats */
};

struct writer {
    const struct source *s;
    const struct pointers *p;
    const struct unit *u;
    bool own_shared;   /* the kernel's */
    const char *lines; /* the name of the cache's type, NULL: none */
    char *cache;
    const char *memory, *more, *extents, *kept; /* names */
    char *id_name[MAX_STRUCTURES];
    uint32_t names; /* the structures whose numbers get their names here */
    int id[MAX_STRUCTURES];
    uint32_t kernel_cached;
    char *indent, *step;  /* of the loop; one level of the file's own */
    const char *deeper;   /* what the loop's text moves to the right: the step inside a block of its own, or nothing */
    struct text one, two; /* "\n" and the indentation of what stands for the loop, and of what stands in that */
    unsigned begin;       /* of the loop, with the pragmas that belong to it */
};

/* The edits inside the loop that send accesses through the cache, with the flushes they need. */
void writer_edit_accesses(const struct writer *, struct edits *, enum way);
/* `first` before the statement: as a statement of its own in a block, else both in braces. */
void writer_precede(const struct writer *, struct edits *, const struct node *statement, const char *first);
/* The text of the loop's condition; empty when there is none. */
void writer_condition(const struct writer *, struct edits *, struct text *out);
/* What the lambdas of the run and the scan form share: break, and the statements of the body. */
void writer_edit_breaks(const struct writer *, struct edits *);
/* The statement goes, with its line if that has nothing else. */
void writer_edit_away(const struct writer *, struct edits *, const struct node *statement);
void writer_body(const struct writer *, struct edits *, struct text *out);
/* "!(condition)", or the opposite comparison. */
void writer_negate(const struct writer *, struct edits *, const struct node *cond, const unsigned range[2],
                   struct text *out);
/* A name that the loop does not use for anything else. */
const char *writer_free_name(const struct writer *, const char *const *choice);
/* The type's name, without const; `auto` for what has none. */
void writer_type(CXType, struct text *out);
bool writer_is_bool(const struct node *);
bool writer_needs_parentheses(const struct source *, const struct node *);
/* The pragmas right above a loop: they must stay right above a loop. Returns where they begin. */
unsigned writer_pragmas_above(const struct source *, unsigned at);
unsigned writer_line_start(const struct source *, unsigned at);
/* Where the white space before a statement begins, if nothing but white space parts it from what it belongs to. */
unsigned writer_gap_before(const struct source *, unsigned at);

/* The forms: what stands for the loop, after the cache was declared. Each line begins with w->one or further right. */
void write_slices(const struct writer *, struct text *out);
void write_run(const struct writer *, struct text *out);
void write_scan(const struct writer *, struct text *out);
void write_nest(const struct writer *, struct text *out);
/* The scan's text declares what the loop's head does. */
bool scan_keeps_head(const struct source *, const struct unit *);
/* It has a variable of its own. */
bool scan_names_first(const struct unit *);

#endif
