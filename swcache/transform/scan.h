/*
 * Loops that visit consecutive elements of a structure that nobody writes, once each and in order: the library's
 * swcache::scan() holds a line of them in registers, without tag and without shared memory.
 *
 *     for (long i = begin; i < end; i++) { ... text[i] ... }
 *     while (p < end) { char c = *p++; ... }
 *     while (in_row) { char c = text[i++]; ... }           // no end in sight: swcache::scan_while()
 *     for (long i = begin; i < end; i++) { ... text[i + k] ... }    // 0 <= k < a constant: swcache::slide()
 */
#ifndef WEIR_TRANSFORM_SCAN_H
#define WEIR_TRANSFORM_SCAN_H

#include "transform/calls.h"
#include "transform/pointers.h"

struct unit;

/* Where the loop goes on to the next element. */
enum scan_step {
    SCAN_STEP_HEAD,    /* for (...; ...; i++) */
    SCAN_STEP_LAST,    /* i++ is the body's last statement */
    SCAN_STEP_ELEMENT, /* the element itself is text[i++] */
};

/* What becomes of the variable that walks. */
enum scan_variable {
    SCAN_VARIABLE_GOES,  /* nobody else uses it */
    SCAN_VARIABLE_LOCAL, /* the turn computes it from the element's address */
    SCAN_VARIABLE_COUNTS /* it is counted as before */
};

/* An element in the text. */
struct scan_name {
    const struct node *at;   /* text[i], *p; the object of p->x */
    const struct node *call; /* __ldg() around it, or NULL */
    const struct node *add;  /* k of text[i + k], NULL: nothing */
};

struct scan {
    unsigned structure;
    const struct var *v; /* the index, or the pointer itself */
    enum scan_step step;
    enum scan_variable variable;
    bool wide;                      /* a copy of v may as well be a long: it only ever is a part of subscripts */
    bool exact;                     /* the element is p[v] or *v, nothing else in the address */
    bool bounded;                   /* ends at a place known before: v < e */
    bool inclusive;                 /* v <= e */
    bool limited;                   /* the structure's end must be known: the loop may end before its bound */
    int ahead;                      /* elements that a turn looks at, this one included; 0: only this one */
    unsigned bound[2];              /* the text of e */
    unsigned rest[2];               /* what else the loop's condition asks: rest of v < e && rest; empty: nothing */
    const struct node *rest_node;   /* the first of that */
    struct node *element;           /* the first one: text[i], *p; the object of p->x */
    struct node *index;             /* what of it moves: i, the p of *p */
    struct node *advance;           /* the node i++ in the body; NULL: in the head */
    struct node *declares;          /* the variable of `char c = text[i];`, whose statement goes; NULL: none */
    VEC(struct scan_name) name;     /* where the element's name goes */
    VEC(const struct node *) inner; /* the loops over what is ahead */
};

/* Is the unit's loop a scan of its only cached structure? Fills *out, whose list the caller frees. */
bool scan_find(struct scan *out, const struct unit *, const struct pointers *, struct calls *);
void scan_free(struct scan *);
/* The address of v is taken, or a reference to it: it may change unseen. */
bool var_is_exposed(const struct pointers *, const struct var *);
/* A lambda may have captured what changes. */
bool scan_has_lambda(const struct node *function);
CXType scan_element_type(const struct scan *);
long long scan_element_bytes(const struct scan *);
/* It has so few turns, known from the text, that lines in registers are no gain. */
bool scan_is_short(const struct unit *);
/* The pointer that the element's text is based on. */
struct node *scan_base(const struct node *element);

#endif
