/*
 * Temporary folders that do not pile up. A folder is TMPDIR/weir-WHAT-XXXXXX; its process holds a lock on it. Whoever
 * makes the next one removes those without a lock: their process was killed.
 */
#ifndef WEIR_BASE_SCRATCH_H
#define WEIR_BASE_SCRATCH_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>

struct scratch {
    char path[PATH_MAX]; /* "" = there is none */
    int lock;            /* a descriptor that is closed at exec */
};

/* `what`: "cc". 0, or -1 with *e filled. The folder is for plain files and pipes, without folders in it. It also goes
 * when there is no memory (mem_at_exhaustion). One at a time. */
int scratch_make(struct scratch *, const char *what, struct err *e);
void scratch_remove(struct scratch *); /* with what is in it; nothing when there is none */

#endif
