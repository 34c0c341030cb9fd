/* See forms.h. */
#include "swcache/forms.h"

/* The loop that a continue goes on with. */
static const struct node *continued_loop(const struct node *n)
{
    for (const struct node *u = n->parent; u; u = u->parent)
        if (node_is_loop(u) || u->kind == CXCursor_CXXForRangeStmt)
            return u;
    return NULL;
}

static bool in_head(const struct unit *u, const struct node *n)
{
    return (n->begin >= u->cond[0] && n->end <= u->cond[1]) || (n->begin >= u->step[0] && n->end <= u->step[1]);
}

/* Something declared in the body has the name of something in the head. In the lambda, condition and step stand behind
 * the body. */
static bool body_hides_head(const struct unit *u)
{
    for (struct node *n = u->body_node; n; n = tree_next(u->body_node, n)) {
        if (!clang_isDeclaration(n->kind))
            continue;
        CXString name = clang_getCursorSpelling(n->cursor);
        const char *word = clang_getCString(name);
        bool hides = false;
        for (const struct node *h = u->loop; h && !hides; h = tree_next(u->loop, h))
            if (h->kind == CXCursor_DeclRefExpr && in_head(u, h)) {
                CXString used = clang_getCursorSpelling(h->cursor);
                hides = !strcmp(word, clang_getCString(used));
                clang_disposeString(used);
            }
        clang_disposeString(name);
        if (hides)
            return true;
    }
    return false;
}

/* One of the names of a structured binding: a lambda cannot capture it. */
static bool names_binding(const struct unit *u)
{
    for (const struct node *n = u->loop; n; n = tree_next(u->loop, n))
        if (n->kind == CXCursor_DeclRefExpr && !n->var &&
            clang_getCursorKind(clang_getCursorReferenced(n->cursor)) == CXCursor_UnexposedDecl)
            return true;
    return false;
}

/* Can one turn of the loop be a lambda? Collects what ends a turn. */
static bool can_run(struct unit *u, const struct source *s)
{
    if (u->has_barrier || u->leave.n || names_binding(u) || body_hides_head(u))
        return false;
    for (struct node *n = u->body_node; n; n = tree_next(u->body_node, n))
        if (n->kind == CXCursor_ContinueStmt && continued_loop(n) == u->loop) {
            if (source_in_macro(s, n->begin))
                return false;
            VEC_PUSH(&u->go_on, n);
        }
    return true;
}

/* The condition opens the turn: it has accesses that need the lambda, or changes something. */
static bool asks_first(const struct unit *u)
{
    if (u->loop->kind == CXCursor_DoStmt || u->cond[0] == u->cond[1])
        return false;
    for (size_t i = 0; i < u->access.n; i++)
        if (tree_inside(u->access.p[i]->at, u->cond_node))
            return true;
    return u->cond_changes;
}

void forms_choose(struct unit *u, const struct pointers *p, struct calls *calls, const struct swcache_options *options)
{
    u->form = !options->slices && can_run(u, p->source) ? FORM_RUN : FORM_SLICES;
    u->cond_first = asks_first(u);
    if (u->form == FORM_RUN && !options->no_scans && scan_find(&u->scan, u, p, calls))
        u->form = FORM_SCAN;
}
