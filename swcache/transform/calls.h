/*
 * What a called function does that a cached loop must know of: fences and barriers (the cache is flushed before them),
 * what threads do together (they must then be in the same slice of the loop), writes to memory (which matter to
 * pointers without __restrict__), and what cannot be seen at all.
 *
 * A function whose body is in sight is searched, with all that it calls. CUDA's own functions are searched in weir's
 * headers, where barriers and atomics are inline PTX whose text tells them apart.
 */
#ifndef WEIR_TRANSFORM_CALLS_H
#define WEIR_TRANSFORM_CALLS_H

#include "transform/tree.h"

enum {
    CALL_ORDERS = 1, /* has a fence or a barrier */
    CALL_WRITES = 2, /* may write memory that is not its own: stores through pointers, globals, atomics */
    CALL_OPAQUE = 4, /* no body in sight, inline assembly, a function pointer: may do anything */
    CALL_BLOCK = 8,  /* the threads of a block wait for each other */
    CALL_WARP = 16,  /* the threads of a warp act together: shuffles, votes, matrix instructions, __syncwarp */
};

struct call_memo {
    CXCursor function;
    unsigned effects;
    bool done;
};

struct calls {
    struct source *source;
    VEC(struct call_memo) memo;
};

/* The effects of a call expression. */
unsigned calls_effects(struct calls *, const struct node *call);
void calls_free(struct calls *);

#endif
