/* Questions about texts and file names that many parts ask. */
#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Does it end in `end`, with something before it? ".ini" alone is no name of a machine. */
static inline bool text_ends_in(const char *s, const char *end)
{
    const size_t n = strlen(s), k = strlen(end);
    return n > k && !strcmp(s + n - k, end);
}

/* Equal, or both absent. */
static inline bool text_same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* How many characters it has on a screen: bytes that continue one in UTF-8 do not count. */
static inline size_t text_width(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += (*s & 0xc0) != 0x80;
    return n;
}

/* Adds to a text that may be NULL, with something between; it moves. */
void text_append(char **text, const char *between, const char *more);
/* Words with `between` after each but the last, owned by the caller; NULL when there are none. */
char *text_join(const char *const *word, size_t n, char between);
/* A stream into memory: open_memstream that does not fail. */
FILE *text_stream(char **text, size_t *n);
/* Whether a control character other than a tab or a line's end is in it. */
bool text_has_control(const char *);
/*
 * Names from files, for a terminal: control characters, with which a name could move the cursor or change the
 * terminal's state, become '?'. In place; returns the text.
 */
char *text_plain(char *);
/* Prints a text in this way, but leaves line ends and tabs. */
void text_put(const char *, FILE *);

#endif
