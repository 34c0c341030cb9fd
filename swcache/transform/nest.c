/* See nest.h. */
#include "transform/nest.h"
#include "transform/profit.h"
#include "transform/units.h"

/* The variable that the node names, NULL: none. */
static const struct var *named(const struct node *n)
{
    n = n ? node_strip((struct node *)n) : NULL;
    return n && n->kind == CXCursor_DeclRefExpr ? n->var : NULL;
}

static bool uses(const struct node *root, const struct var *v)
{
    for (const struct node *n = root; n; n = tree_next(root, n))
        if (n->kind == CXCursor_DeclRefExpr && n->var == v)
            return true;
    return false;
}

/* for (long i = b; i < e; i++), with e a variable of the same type that stays as it is. */
static bool read_outer(struct nest *t, const struct unit *u, const struct pointers *p)
{
    const struct node *cond = u->cond_node, *step = NULL;
    char op[4] = "";
    if (u->loop->kind != CXCursor_ForStmt || !cond || cond->kind != CXCursor_BinaryOperator || !cond->child)
        return false;
    node_operator(p->source, cond, op);
    t->v = named(cond->child);
    t->bound = cond->child->next;
    const struct var *e = named(t->bound);
    for (const struct node *c = u->loop->child; c; c = c->next)
        if (c->begin == u->step[0] && c->end == u->step[1])
            step = c;
    if (strcmp(op, "<") || !t->v || !e || !step || node_incremented(p->source, step) != t->v || e->is_reference ||
        var_changes(p, e, u->loop) || t->v->is_pointer)
        return false;
    const struct node *d = t->v->decl;
    struct node *target;
    for (const struct node *n = d->child; n; n = tree_next(d, n))
        if (n->kind == CXCursor_CallExpr || node_writes(p->source, n, &target))
            return false; /* would be computed twice */
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(d->cursor)).kind;
    return (kind == CXType_Long || kind == CXType_LongLong || kind == CXType_Int) &&
           clang_getCanonicalType(clang_getCursorType(e->decl->cursor)).kind == kind && d->begin >= u->init[0] &&
           d->end <= u->init[1] && source_find(p->source, u->init[0], u->init[1], ",") == u->init[1] &&
           source_find(p->source, d->begin, u->init[1], "=") < u->init[1];
}

/* for (; cond; i++) statement, or while (cond) { ...; i++; } without another way out. */
static bool read_inner(struct nest *t, const struct unit *u, const struct pointers *p)
{
    const struct node *loop = NULL, *body, *before = NULL, *step = NULL;
    for (const struct node *c = u->body_node->child; c; c = c->next) {
        if (node_is_loop(c)) {
            if (loop)
                return false;
            loop = c;
        } else if (!loop)
            before = c;
    }
    if (u->body_node->kind != CXCursor_CompoundStmt || !loop || !before || loop->kind != CXCursor_ForStmt)
        return false;
    body = loop_body(loop);
    /* No initial value: condition, step, body. */
    unsigned open = source_find(p->source, loop->begin + 3, loop->end, "(");
    if (p->source->text[source_skip_blank(p->source, open + 1)] != ';' || !loop->child || !loop->child->next ||
        loop->child->next->next != body)
        return false;
    t->cond = loop->child;
    step = loop->child->next;
    if (node_incremented(p->source, step) != t->v || source_in_macro(p->source, loop->begin))
        return false;
    t->inner = loop;
    for (const struct node *n = loop; n; n = tree_next(loop, n))
        if ((n != loop && node_is_loop(n)) || n->kind == CXCursor_BreakStmt || n->kind == CXCursor_ContinueStmt ||
            n->kind == CXCursor_SwitchStmt)
            return false;
    /* i is moved on once more, in the statement before, whose other parts do not use it. */
    unsigned writes = 0;
    for (struct node *n = u->body_node; n; n = tree_next(u->body_node, n)) {
        struct node *target;
        if (!node_writes(p->source, n, &target) || named(target) != t->v)
            continue;
        if (tree_inside(n, before) && node_incremented(p->source, n) == t->v)
            t->advance = n;
        writes++;
    }
    unsigned mentions = 0;
    for (const struct node *n = before; n; n = tree_next(before, n))
        mentions += n->kind == CXCursor_DeclRefExpr && n->var == t->v;
    bool plain = before->kind == CXCursor_DeclStmt || before == t->advance;
    return t->advance && writes == 2 && mentions == 1 && plain;
}

/* All accesses are html[i], the first of them in every turn. */
static bool find_elements(struct nest *t, const struct unit *u, const struct pointers *p)
{
    for (size_t i = 0; i < p->access.n; i++) {
        const struct access *a = &p->access.p[i];
        if (a->structure != t->structure || !tree_inside(a->at, u->loop))
            continue;
        const struct node *n = a->at;
        if (a->kind != ACCESS_LOAD || !a->whole || n->kind != CXCursor_ArraySubscriptExpr || !named(n->child) ||
            named(n->child->next) != t->v || var_changes(p, named(n->child), u->loop) ||
            !type_is_scalar(clang_getCursorType(n->cursor)) || type_bytes(clang_getCursorType(n->cursor)) > 8 ||
            (t->name.n && named(t->name.p[0]->child) != named(n->child)))
            return false;
        VEC_PUSH(&t->name, n);
    }
    /* The first one opens the turn: nothing is read that was not. */
    const struct node *first = t->name.n ? t->name.p[0] : NULL, *statement = u->body_node->child;
    if (!first || !tree_inside(first, statement) || statement->kind != CXCursor_DeclStmt ||
        !node_always_in(p->source, first, statement) || var_is_exposed(p, named(first->child)))
        return false;
    /* So does the inner loop's condition. */
    for (size_t i = 0; i < t->name.n; i++)
        if (tree_inside(t->name.p[i], t->cond) && node_always_in(p->source, t->name.p[i], t->cond))
            return true;
    return false;
}

/* What is declared before and used by the inner loop or after it must live from one turn to the next. */
static bool find_kept(struct nest *t, const struct unit *u)
{
    const struct node *first = u->body_node->child;
    bool before = true;
    for (const struct node *st = first; st; st = st->next) {
        before = before && st != t->inner;
        if (st->kind != CXCursor_DeclStmt || !before)
            continue;
        for (const struct node *d = st->child; d; d = d->next) {
            bool lives = false;
            if (d->kind != CXCursor_VarDecl || !d->var)
                return false;
            for (const struct node *later = t->inner; later; later = later->next)
                lives |= uses(later, d->var);
            if (st == first && !lives && !d->next && st->child == d && d->child &&
                node_strip((struct node *)d->child) == t->name.p[0])
                t->declares = d;
            CXType type = clang_getCanonicalType(clang_getCursorType(d->cursor));
            if (lives && (st->child->next || !type_is_scalar(type) || clang_isConstQualifiedType(type)))
                return false;
            if (lives)
                VEC_PUSH(&t->keep, d);
        }
    }
    return true;
}

bool nest_find(struct nest *t, const struct unit *u, const struct pointers *p)
{
    *t = (struct nest){0};
    if (u->alias_safe || u->has_barrier || u->leave.n || u->order.n || scan_has_lambda(p->function) ||
        !read_outer(t, u, p) || !read_inner(t, u, p) || var_is_exposed(p, t->v) || var_is_exposed(p, named(t->bound)))
        return false;
    for (unsigned k = 0; k < p->n_structure; k++) {
        if (!((u->cached & ~u->written) >> k & 1))
            continue;
        t->structure = k;
        t->name.n = 0;
        if (find_elements(t, u, p))
            return find_kept(t, u);
    }
    return false;
}

void nest_free(struct nest *t)
{
    VEC_FREE(&t->name);
    VEC_FREE(&t->keep);
}
