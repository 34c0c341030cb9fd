/*
 * Which memory each expression of a kernel touches: the data structures are the kernel's pointer parameters, as in the
 * paper ("the compiler identifies individual data structures by extracting the pointers from kernel arguments").
 *
 * Local pointers belong to a structure when everything ever assigned to them is computed from it (p = text + i; p++).
 * Every use of such a pointer is followed to where it ends: a load, a store, an atomic, a comparison - or an escape,
 * which is anything not understood. Nothing here depends on the order of statements.
 */
#ifndef WEIR_TRANSFORM_POINTERS_H
#define WEIR_TRANSFORM_POINTERS_H

#include "transform/tree.h"

#include <stdint.h>

enum { MAX_STRUCTURES = 32 };

/* What a pointer may point into. */
struct bases {
    uint32_t structures; /* bit = index of the structure */
    bool own;            /* local and __shared__ variables */
    bool unknown;
};

struct var {
    struct node *decl;
    const char *name;
    struct bases bases; /* of a pointer */
    bool is_pointer, is_reference;
    bool per_thread; /* its value may differ between the threads of a warp */
    /* The last answer of var_changes, which is asked of the same loop for every term of an expression. */
    const struct node *asked_inside;
    bool changes;
};

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_UPDATE, ACCESS_LDG, ACCESS_ATOMIC };

struct access {
    enum access_kind kind;
    unsigned structure;
    struct node *at;   /* the lvalue; of LDG and ATOMIC, the call */
    struct node *site; /* the whole assignment, increment or call; the lvalue itself for a load */
    bool whole;        /* a type the library takes, not a bit-field, no macro in the way: may be rewritten */
    bool dependent;    /* its type is a template's parameter, or made of one */
    const char *why_not;
};

struct escape {
    unsigned structure;
    struct node *at;
    bool keeps_const; /* where it goes, it is a pointer to const */
    const char *why;
};

struct structure {
    struct var *param;
    bool is_const, is_restrict, is_volatile;
};

struct pointers {
    struct source *source;
    struct node *function;
    VEC(struct var *) var;
    struct structure structure[MAX_STRUCTURES];
    unsigned n_structure;
    VEC(struct access) access;
    VEC(struct escape) escape;
};

void pointers_find(struct pointers *, struct source *, struct node *function);
void pointers_free(struct pointers *);

/* What a store, an update or an increment changes; own = nothing but variables of the thread and shared memory. */
struct bases pointers_written(const struct pointers *, const struct node *lvalue);
/* What this expression, a pointer, may point into. */
struct bases pointers_pointed(const struct pointers *, const struct node *);
/* The one structure of these bases, -1: none or not for sure. */
int bases_structure(struct bases);
/* Is n an assignment, a compound assignment or an increment? *lvalue: what it changes. */
bool node_writes(const struct source *, const struct node *n, struct node **lvalue);
/* The variable v of v++ and ++v; NULL: n is another expression. */
const struct var *node_incremented(const struct source *, const struct node *n);

#endif
