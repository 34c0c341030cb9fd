/* See forms.h. */
#include "transform/forms.h"
#include "transform/profit.h"

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
static bool checks_condition_first(const struct unit *u)
{
    if (u->loop->kind == CXCursor_DoStmt || u->cond[0] == u->cond[1])
        return false;
    for (size_t i = 0; i < u->access.n; i++)
        if (tree_inside(u->access.p[i]->at, u->cond_node))
            return true;
    return u->cond_changes;
}

/* ---- lanes that walk at their own pace ---- */

static bool has_load(const struct unit *u, const struct node *root)
{
    for (size_t i = 0; i < u->access.n; i++)
        if (tree_inside(u->access.p[i]->at, root))
            return true;
    return false;
}

/* The variable gets a value from memory in the loop. */
static bool is_loaded(const struct source *s, const struct unit *u, const struct var *v, const struct node *loop)
{
    struct node *target;
    for (const struct node *n = loop; n; n = tree_next(loop, n))
        if (node_writes(s, n, &target) && (target = node_strip(target)) && target->kind == CXCursor_DeclRefExpr &&
            target->var == v && has_load(u, n))
            return true;
    return false;
}

/* How often the loop turns depends on what it loads. */
static bool data_decides(const struct source *s, const struct unit *u, const struct node *loop)
{
    const struct node *body = loop_body(loop);
    for (const struct node *part = loop->child; part; part = part->next) {
        if (part == body)
            continue;
        if (has_load(u, part))
            return true;
        for (const struct node *n = part; n; n = tree_next(part, n))
            if (n->kind == CXCursor_DeclRefExpr && n->var && is_loaded(s, u, n->var, loop))
                return true;
    }
    return false;
}

/* A variable of the address that the loop `inner` moves on, and that keeps its value for the next turn of the loop
 * around it. */
static bool walks_on(const struct pointers *p, const struct access *a, const struct node *inner)
{
    const struct node *around = inner->parent;
    while (!node_is_loop(around))
        around = around->parent;
    for (const struct node *n = a->at; n; n = tree_next(a->at, n)) {
        if (n->kind != CXCursor_DeclRefExpr || !n->var || !var_changes(p, n->var, inner) ||
            tree_inside(n->var->decl, loop_body(around)))
            continue;
        bool starts_anew = false;
        for (const struct node *w = loop_body(around); w && !starts_anew; w = tree_next(loop_body(around), w)) {
            struct node *target;
            starts_anew = w->kind == CXCursor_BinaryOperator && node_writes(p->source, w, &target) &&
                          (target = node_strip(target)) && target->kind == CXCursor_DeclRefExpr &&
                          target->var == n->var;
        }
        if (!starts_anew)
            return true;
    }
    return false;
}

/* Lanes that move on by as much as their data say are soon at different places of their lines. Two lines each, moved
 * together, let them wait for memory together; so does meeting after each turn, if all lanes of the warp are there. */
static void find_pace(struct unit *u, const struct pointers *p)
{
    for (size_t i = 0; i < u->access.n; i++) {
        const struct access *a = u->access.p[i];
        if (u->written >> a->structure & 1 || u->alias_safe)
            continue;
        for (const struct node *n = a->at; n != u->loop; n = n->parent)
            if (node_is_loop(n) && data_decides(p->source, u, n) && walks_on(p, a, n))
                u->window |= 1u << a->structure;
    }
    const struct node *top = u->loop->parent;
    while (top && top->kind == CXCursor_UnexposedStmt)
        top = top->parent;
    u->together = u->window && top && top->parent == p->function;
}

/* ---- elements that a loop asks for twice ---- */

/* Nothing that the address is made of changes in the body before the statement of `again` ends. */
static bool stays_until(const struct pointers *p, const struct node *address, const struct node *body,
                        const struct node *again)
{
    while (again != body && !kind_is_statement(again->kind) && !kind_is_statement(again->parent->kind))
        again = again->parent;
    for (const struct node *n = body; n; n = tree_next(body, n))
        if (node_is_loop(n) && tree_inside(again, n))
            return false; /* comes by again */
    for (const struct node *v = address; v; v = tree_next(address, v)) {
        struct node *target;
        if (node_writes(p->source, v, &target) || v->kind == CXCursor_CallExpr)
            return false;
        if (v->kind != CXCursor_DeclRefExpr || !v->var)
            continue;
        for (const struct node *n = body; n; n = tree_next(body, n))
            if (n->kind == CXCursor_DeclRefExpr && n->var == v->var && n->begin < again->end &&
                !node_is_load(n->parent))
                return false; /* changed, or its address is taken */
        if (v->var->is_reference)
            return false;
    }
    return true;
}

static void find_kept(struct unit *u, const struct pointers *p)
{
    unsigned loops = 0;
    for (struct node *loop = u->body_node; loop; loop = tree_next(u->body_node, loop)) {
        const struct node *body = node_is_loop(loop) && loop->kind != CXCursor_DoStmt ? loop_body(loop) : NULL;
        size_t before = u->kept.n;
        if (!body || !loop->parent || loop->parent->kind != CXCursor_CompoundStmt ||
            source_in_macro(p->source, loop->begin))
            continue;
        for (size_t i = 0; i < u->access.n; i++) {
            const struct access *a = u->access.p[i];
            const struct node *cond = a->at;
            while (cond != loop && cond->parent != loop && tree_inside(cond, loop))
                cond = cond->parent;
            char op[4] = "";
            if (cond->kind == CXCursor_BinaryOperator)
                node_operator(p->source, cond, op);
            /* Not what a for loop begins with, or its step. */
            bool asks = tree_inside(a->at, loop) && cond != body && op[0] && strcmp(op, "=") && strcmp(op, ",") &&
                        node_always_in(p->source, a->at, cond);
            if (!asks || a->kind != ACCESS_LOAD || u->written >> a->structure & 1 || u->kept.n > before ||
                !type_is_scalar(clang_getCursorType(a->at->cursor)))
                continue;
            for (size_t k = 0; k < u->access.n; k++) {
                const struct access *b = u->access.p[k];
                if (b->kind == ACCESS_LOAD && b->structure == a->structure && tree_inside(b->at, body) &&
                    node_same_text(p->source, a->at, b->at) && stays_until(p, a->at, body, b->at))
                    VEC_PUSH(&u->kept, (struct kept_load){a, b, loop, loops});
            }
        }
        loops += u->kept.n > before;
    }
}

void forms_choose(struct unit *u, const struct pointers *p, struct calls *calls, const struct swcache_options *options)
{
    u->form = !options->slices && can_run(u, p->source) ? FORM_RUN : FORM_SLICES;
    u->cond_first = checks_condition_first(u);
    if (u->form == FORM_RUN && !options->no_scans && scan_find(&u->scan, u, p, calls))
        u->form = FORM_SCAN;
    else
        scan_free(&u->scan);
    if (u->form == FORM_RUN && !options->no_scans && nest_find(&u->nest, u, p)) {
        u->form = FORM_NEST;
        u->cached = 1u << u->nest.structure;
        u->written = 0;
    }
    if (u->form == FORM_RUN)
        find_pace(u, p);
    if (u->form == FORM_RUN && !u->alias_safe)
        find_kept(u, p);
}
