/*
 * A function of the source as a tree with parents: what the transformer asks of libclang, in one place.
 *
 * libclang shows an AST through cursors without parents, without operators' names and without value categories. Here a
 * function becomes nodes that know their parent and their place in the file; operators are read from the text, and
 * conversions from lvalue to value are recognized by their types. Offsets are bytes in the main file; a token that
 * a macro's body produced has the offset of the macro's name.
 */
#ifndef WEIR_TRANSFORM_TREE_H
#define WEIR_TRANSFORM_TREE_H

#include "base/err.h"
#include "base/mem.h"
#include "transform/transform.h"

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>

struct macro_use {
    unsigned begin, end; /* of the whole invocation */
    char *name;
};

struct source {
    CXIndex index;
    CXTranslationUnit tu;
    CXFile file;
    char *path;
    char *text; /* 0-terminated */
    size_t bytes;
    struct arena *arena;
    VEC(struct macro_use) macro; /* sorted by begin */
    VEC(unsigned) directive;     /* offsets of lines that begin with #, pragmas left out */
    unsigned depth;              /* of the node that tree_build is at */
    unsigned too_deep;           /* offset + 1 of a node that lies deeper than TREE_DEPTH; 0 = none */
    unsigned long nodes, visits; /* made by tree_build; looked at by walks over them: what the analyses cost */
};

/* Deeper expressions are refused: libclang's visitors and the analyses here descend by recursion, about 2 KB a level.
 */
enum { TREE_DEPTH = 10000, TREE_STACK_BYTES = 256 << 20 };

struct var; /* pointers.h */

struct node {
    CXCursor cursor;
    enum CXCursorKind kind;
    struct node *parent, *child, *next; /* child: the first one; next: the next sibling */
    unsigned begin, end;                /* text[begin, end) */
    bool in_file;                       /* both ends lie in the main file */
    char op[4];                         /* of an operator: how it is spelled; see node_operator */
    struct var *var;                    /* of a DeclRefExpr or VarDecl of this function; set by pointers.c */
    unsigned long number, last;         /* in pre-order; of the last node below it */
    unsigned long *visits;              /* the source's count */
};

/* Parses the file. 0, or -1 with *e filled from the first error of the compiler. */
int source_open(struct source *, const struct swcache_options *, struct err *e);
void source_close(struct source *);

/* The tree below a cursor, allocated in the source's arena. Sets too_deep, and leaves out what lies deeper. */
struct node *tree_build(struct source *, CXCursor);

/* The next node in source order (pre-order) below `root`, or NULL. */
struct node *tree_next(const struct node *root, const struct node *at);
bool tree_inside(const struct node *n, const struct node *ancestor); /* true for the ancestor itself */
struct node *tree_child(const struct node *n, unsigned index);       /* NULL when there are fewer */

void source_place(const struct source *, unsigned offset, unsigned *line, unsigned *col);
bool source_in_macro(const struct source *, unsigned offset);        /* a macro's name is there */
const char *source_macro_at(const struct source *, unsigned offset); /* its name, or NULL */
bool source_has_directive(const struct source *, unsigned begin, unsigned end);
unsigned source_skip_blank(const struct source *, unsigned offset); /* over white space and comments */
unsigned source_match(const struct source *, unsigned open);        /* the bracket that closes text[open]; 0: none */
unsigned source_find(const struct source *, unsigned from, unsigned to,
                     const char *stops); /* outside brackets; `to`: none */

/* An assignment's operator, such as "+=", into out; "" when the text does not show it (macros). */
void node_operator(const struct source *, const struct node *, char out[4]);
bool node_is_postfix(const struct node *); /* of a unary operator */

/* A character of names and numbers. */
bool char_is_word(char);
bool kind_is_statement(enum CXCursorKind);
bool node_is_loop(const struct node *);
struct node *loop_body(const struct node *loop);
/* The node is an expression whose value nobody uses. */
bool node_is_discarded(const struct node *);
/* The node is the conversion of its only child, an lvalue of scalar type, to its value. */
bool node_is_load(const struct node *);
/* The node below parentheses and implicit conversions. */
struct node *node_strip(struct node *);
/* The node is what this cursor shows. */
bool node_is_at(const struct node *, CXCursor);
/* The argument's index of n in the call, -1: none. */
int node_argument(const struct node *call, const struct node *n);
/* The name of the function a call names; "" when it is not a plain call. The result lives in the arena. */
const char *node_callee(struct source *, const struct node *call);
const char *source_string(struct source *, CXString);

/* Whether the node's parent decides if it is met: a branch of if, switch and ?:, the right side of && and ||. */
bool node_is_decided(const struct source *, const struct node *);
/* n, a part of the expression or statement `root`, is computed whenever that is. */
bool node_always_in(const struct source *, const struct node *n, const struct node *root);
/* The same text but for white space. */
bool node_same_text(const struct source *, const struct node *, const struct node *);

bool type_is_pointer(CXType);
bool type_is_scalar(CXType);
/* -1: not known, as of a template's parameter, of which libclang must not be asked. */
long long type_bytes(CXType);

#endif
