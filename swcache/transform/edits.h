/*
 * Changes to a text, by offset: insertions and replacements that can be nested, applied when a range is rendered.
 */
#ifndef WEIR_TRANSFORM_EDITS_H
#define WEIR_TRANSFORM_EDITS_H

#include "transform/tree.h"

struct text {
    char *p;
    size_t n, cap;
};
void text_add(struct text *, const char *from, size_t n);
void text_addf(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *);

struct edit {
    unsigned at, remove; /* text[at, at + remove) goes */
    unsigned mate;       /* the other end of what is wrapped: decides who is outside */
    bool closes;
    char *insert;
};

struct edits {
    struct edit *p;
    size_t n, cap;
    bool sorted;
};

/* Puts `before` at begin, after removing `remove` bytes there, and `after` at end. */
void edits_wrap(struct edits *, unsigned begin, unsigned remove, unsigned end, const char *before, const char *after);
void edits_replace(struct edits *, unsigned begin, unsigned end, const char *text);
void edits_free(struct edits *);

/* text[begin, end) with the edits, every line after the first indented further. edits may be NULL. */
void edits_render(const struct source *, struct edits *, unsigned begin, unsigned end, const char *indent,
                  struct text *);

#endif
