/*
 * INI files with places: what inih reads, plus the line of each value and whether it continues the one above. Plans,
 * papers and published values are such files; every fault in them is reported with file and line.
 */
#ifndef WEIR_BASE_INIFILE_H
#define WEIR_BASE_INIFILE_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

struct inifile_item {
    const char *file;
    int line;
    const char *section; /* "variant swl" */
    const char *key, *value;
    bool continued; /* an indented line: belongs to the key above */
};
/* Returns 0, or -1 with *e filled; then the reading stops. */
typedef int inifile_fn(void *ctx, const struct inifile_item *, struct err *);

int inifile_read(const char *path, inifile_fn *, void *ctx, struct err *);

/* Where a value came from, for faults that are found after reading. */
struct inifile_place {
    const char *file;
    int line;
};
#define INIFILE_PLACE(item)          ((struct inifile_place){(item)->file, (item)->line})
#define INIFILE_FAULT(place, e, ...) err_at(e, (place).file, (place).line, 0, __VA_ARGS__)

/* A value that is one text: an indented line adds to it, giving it again is a fault, so is an empty one. */
int inifile_text(char **at, const struct inifile_item *, struct err *);
/* A value that is a list of words, separated by blanks or commas; further lines add to it. */
struct inifile_words {
    VEC(char *) word;
    struct inifile_place at;
};
void inifile_add_words(struct inifile_words *, const struct inifile_item *);
/* The same from a text: words are separated by blanks and commas; one that contains these is in quotes. */
void inifile_split(struct inifile_words *, const char *text);
void inifile_free_words(struct inifile_words *);

/* ---- sections whose keys fill a struct ---- */

struct inifile_key {
    const char *key;
    enum inifile_kind {
        INIFILE_OTHER,  /* read by the caller */
        INIFILE_TEXT,   /* a char *, as inifile_text reads it */
        INIFILE_WORDS,  /* a struct inifile_words */
        INIFILE_CHOICE, /* one of some words: an int or an enum */
        INIFILE_SWITCH  /* one of two words: a bool, true for the second */
    } kind;
    size_t at, place_at; /* in the struct: the value, and the struct inifile_place of it (0 = it is not kept) */
    const char *const *choice;
    unsigned n_choice;
};
/*
 * Reads an item into `to`. 1: the key's kind is INIFILE_OTHER, so it is the caller's. -1: *e; of a key that is not there it
 * says which one may be meant, or `hint`.
 */
int inifile_take(const struct inifile_key *, unsigned n, void *to, const struct inifile_item *, const char *hint,
                 struct err *);
/* Frees the texts and words of a struct. */
void inifile_free(const struct inifile_key *, unsigned n, void *of);

#endif
