/*
 * Temporary folders that do not pile up. A folder is TMPDIR/weir-WHAT-XXXXXX; its process holds a lock on it. Whoever
 * makes the next one removes those without a lock: their process was killed.
 */
#ifndef WEIR_BASE_SCRATCH_H
#define WEIR_BASE_SCRATCH_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>

struct temp_folder {
    char path[PATH_MAX]; /* "" = there is none */
    int lock;            /* a descriptor that is closed at exec */
};

/* `what`: "cc". 0, or -1 with *e filled. The folder is for plain files and pipes, without folders in it. It also goes
 * when there is no memory (at_out_of_memory). One at a time. */
int temp_folder_make(struct temp_folder *, const char *what, struct err *e);
void temp_folder_remove(struct temp_folder *); /* with what is in it; nothing when there is none */

#endif
