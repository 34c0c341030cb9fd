/* See profit.h. */
#include "transform/profit.h"

enum { LINE_BYTES = 32 }; /* SWCACHE_LINE_BYTES unless told */

/* The variable that an lvalue is a part of: a of a.b[i], but not p of p->b or p[i]; NULL: none. */
static const struct var *root_variable(struct node *n)
{
    n = node_strip(n);
    while (n && n->child && (n->kind == CXCursor_MemberRefExpr || n->kind == CXCursor_ArraySubscriptExpr)) {
        n = node_strip(n->child);
        if (n && type_is_pointer(clang_getCursorType(n->cursor)))
            return NULL;
    }
    return n && n->kind == CXCursor_DeclRefExpr ? n->var : NULL;
}

static bool find_changes(const struct pointers *p, const struct var *v, const struct node *inside)
{
    for (const struct node *n = inside; n; n = tree_next(inside, n)) {
        struct node *target;
        if (n->kind == CXCursor_VarDecl && n->var == v)
            return true;
        if (node_writes(p->source, n, &target) && target && root_variable(target) == v)
            return true;
        /* Its address is taken, or a reference: it may change anywhere. */
        if (n->kind == CXCursor_UnaryOperator && n->child && root_variable(n->child) == v) {
            char op[4];
            node_operator(p->source, n, op);
            if (!strcmp(op, "&"))
                return true;
        }
    }
    return v->is_reference;
}

bool var_changes(const struct pointers *p, const struct var *v, const struct node *inside)
{
    struct var *memo = (struct var *)v;
    if (memo->asked_inside != inside) {
        memo->changes = find_changes(p, v, inside);
        memo->asked_inside = inside;
    }
    return memo->changes;
}

static const struct node *innermost_loop(const struct node *n, const struct node *unit)
{
    while (n != unit && !node_is_loop(n))
        n = n->parent;
    return n;
}

static struct node *for_part(const struct node *loop, const struct node *before_body)
{
    /* The step, if there is one, is the last child before the body; a condition or an initial value may be there too.
     */
    struct node *last = NULL;
    for (struct node *c = loop->child; c && c != before_body; c = c->next)
        last = c;
    return last;
}

/* i += step, i++, i = i + step at the end of a for loop's head: its variable and the step's node (NULL: 1). */
static const struct var *induction(const struct pointers *p, const struct node *loop, struct node **step)
{
    struct node *target, *inc;
    if (loop->kind != CXCursor_ForStmt || !(inc = for_part(loop, loop_body(loop))))
        return NULL;
    inc = node_strip(inc);
    if (!node_writes(p->source, inc, &target))
        return NULL;
    target = node_strip(target);
    if (!target || target->kind != CXCursor_DeclRefExpr)
        return NULL;
    *step = inc->kind == CXCursor_UnaryOperator ? NULL : inc->child->next;
    return target->var;
}

static bool mentions_grid(const struct pointers *p, const struct node *root, int depth)
{
    for (const struct node *n = root; n; n = tree_next(root, n)) {
        if (n->kind != CXCursor_DeclRefExpr)
            continue;
        if (n->var) {
            if (n->var->decl->kind == CXCursor_ParmDecl || (depth < 3 && mentions_grid(p, n->var->decl, depth + 1)))
                return true;
            continue;
        }
        const char *name = node_callee(p->source, n);
        if (!strcmp(name, "blockDim") || !strcmp(name, "gridDim"))
            return true;
    }
    return false;
}

bool profit_deals_out(const struct pointers *p, const struct node *loop)
{
    struct node *step = NULL;
    return induction(p, loop, &step) && step && mentions_grid(p, step, 0);
}

bool profit_constant(const struct node *n, long long *value)
{
    CXEvalResult r = clang_Cursor_Evaluate(n->cursor);
    if (!r)
        return false;
    bool is_int = clang_EvalResult_getKind(r) == CXEval_Int;
    *value = is_int ? clang_EvalResult_getAsLongLong(r) : 0;
    clang_EvalResult_dispose(r);
    return is_int;
}

static bool mentions(const struct node *root, const struct var *v)
{
    for (const struct node *n = root; n; n = tree_next(root, n))
        if (n->kind == CXCursor_DeclRefExpr && n->var == v)
            return true;
    return false;
}

bool profit_growth(const struct pointers *p, struct node *n, const struct var *v, long long *out)
{
    n = node_strip(n);
    *out = 0;
    if (!n || !mentions(n, v))
        return n != NULL;
    if (n->kind == CXCursor_DeclRefExpr) {
        *out = 1;
        return true;
    }
    if (n->kind == CXCursor_CStyleCastExpr || n->kind == CXCursor_CXXStaticCastExpr ||
        n->kind == CXCursor_CXXFunctionalCastExpr) {
        struct node *operand = n->child;
        while (operand && operand->next)
            operand = operand->next;
        return profit_growth(p, operand, v, out);
    }
    long long a, b, factor;
    if (n->kind != CXCursor_BinaryOperator || !n->child || !n->child->next)
        return false;
    char op[4];
    node_operator(p->source, n, op);
    if (!strcmp(op, "+") || !strcmp(op, "-")) {
        if (!profit_growth(p, n->child, v, &a) || !profit_growth(p, n->child->next, v, &b))
            return false;
        *out = op[0] == '+' ? a + b : a - b;
        return true;
    }
    if (!strcmp(op, "*")) {
        struct node *with = mentions(n->child, v) ? n->child : n->child->next;
        struct node *other = with == n->child ? n->child->next : n->child;
        if (mentions(other, v) || !profit_constant(other, &factor) || !profit_growth(p, with, v, &a))
            return false;
        *out = a * factor;
        return true;
    }
    return false;
}

/* p[i], *(p + i): the node whose value moves the address; NULL: another form. */
static struct node *index_of(const struct access *a)
{
    struct node *n = node_strip(a->at);
    if (n && n->kind == CXCursor_ArraySubscriptExpr && n->child)
        return n->child->next;
    if (n && n->kind == CXCursor_UnaryOperator && n->child)
        return n->child;
    return NULL;
}

struct address {
    bool varies;  /* a variable of it changes in the loop, or memory is read for it */
    bool differs; /* between the threads of a warp, as far as known */
    bool others;  /* besides v, something varies */
};

static struct address look(const struct pointers *p, const struct access *a, const struct node *loop,
                           const struct var *v)
{
    struct address r = {0};
    for (const struct node *n = a->at; n; n = tree_next(a->at, n)) {
        if (n->kind == CXCursor_CallExpr && n != a->at)
            r.varies = r.differs = r.others = true;
        if (node_is_load(n) && n->parent != a->at && node_strip((struct node *)n)->kind != CXCursor_DeclRefExpr)
            r.varies = r.differs = r.others = true; /* text[offsets[i]] */
        struct node *target;
        if (node_writes(p->source, n, &target))
            r.varies = r.others = true; /* *p++, a[i++] */
        if (n->kind != CXCursor_DeclRefExpr)
            continue;
        if (n->var) {
            bool changes = var_changes(p, n->var, loop);
            r.varies |= changes;
            r.others |= changes && n->var != v;
            r.differs |= n->var->per_thread;
        } else {
            r.differs |= !strcmp(node_callee(p->source, n), "threadIdx");
        }
    }
    return r;
}

const char *profit_refused(const struct pointers *p, const struct access *a, const struct node *unit, bool only)
{
    const struct node *loop = innermost_loop(a->at, unit);
    struct node *step = NULL, *index = index_of(a);
    const struct var *v = induction(p, loop, &step);
    struct address address = look(p, a, loop, v);
    if (!address.varies)
        return "the same element in every iteration";
    if (!address.differs)
        return "the same element for every thread of a warp";
    if (!v || !only || !index || address.others || !mentions(index, v))
        return NULL;
    long long per_turn, stride = 1, bytes = type_bytes(clang_getCursorType(a->at->cursor));
    if (!profit_growth(p, index, v, &per_turn))
        return "each iteration advances by a stride that only the run knows";
    if (step && !profit_constant(step, &stride))
        return profit_deals_out(p, loop) ? "each iteration advances by the grid's size" : NULL;
    per_turn *= stride * (bytes > 0 ? bytes : 1);
    return per_turn >= LINE_BYTES || per_turn <= -LINE_BYTES ? "each iteration advances by a line or more" : NULL;
}
