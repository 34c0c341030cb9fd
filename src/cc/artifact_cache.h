/*
 * What weir makes once and keeps: compiled programs, recordings, results.
 *
 * A kept file's name holds a key, the hash of everything that decides its content: sources, headers, options, versions,
 * the code that made it. The folder of the tree is not among it. So nothing is ever out of date, and two weirs
 * of different age share one folder. A file is made aside, under a name of its own, and gets its name when it is whole;
 * a sum beside it (NAME.sum) tells a file that was damaged later, which is then made again.
 *
 * The programs kept here are executed, so the folder must belong to the user alone.
 */
#ifndef WEIR_CC_ARTIFACT_CACHE_H
#define WEIR_CC_ARTIFACT_CACHE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- keys ---- */

struct key {
    unsigned __int128 hash; /* FNV-1a */
};
enum { KEY_TEXT = 33 };

void key_begin(struct key *);
void key_add(struct key *, const char *text); /* NULL is allowed, and differs from "" */
void key_add_file(struct key *, const char *path);
/* All files of the folder and of the folders in it: their names below it and their content. Hidden ones are left out.
 */
void key_add_folder(struct key *, const char *folder);
void key_text(const struct key *, char out[KEY_TEXT]);

/* ---- files ---- */

/*
 * The folder: $XDG_CACHE_HOME/weir, or .cache/weir in the home folder. Creates it. -1 and *e when it belongs to
 * somebody else or others may write there.
 */
int artifact_folder(char *out, size_t bytes, struct err *);
/* A folder in it, of any depth. Creates it. */
int artifact_subfolder(const char *path, struct err *);

/* Whether the file is there and is what was kept. */
bool artifact_is_whole(const char *path);
/* Gives a finished file the name it is kept under. On failure the unfinished file is removed. */
int artifact_publish(const char *unfinished, const char *path, struct err *);

#endif
