/* See scan.h. */
#include "transform/scan.h"
#include "transform/profit.h"
#include "transform/units.h"

#include <ctype.h>

/* A turn is copied for every element of a line: larger ones, and those with loops, are not. */
enum { MOST_NODES = 600, MOST_AHEAD_BYTES = 16 };

struct search {
    struct scan *scan;
    const struct unit *u;
    const struct pointers *p;
    struct calls *calls;
};

/* ---- what does not change while the loop runs ---- */

static bool is_builtin_variable(const char *name)
{
    return !strcmp(name, "threadIdx") || !strcmp(name, "blockIdx") || !strcmp(name, "blockDim") ||
           !strcmp(name, "gridDim");
}

static bool in_init(const struct unit *u, const struct node *n)
{
    return n->begin >= u->init[0] && n->begin < u->init[1];
}

/* The variable changes once the loop has begun. */
static bool changes(const struct search *q, const struct var *v)
{
    for (const struct node *c = q->u->loop->child; c; c = c->next)
        if (!in_init(q->u, c) && var_changes(q->p, v, c))
            return true;
    return v->is_reference;
}

bool var_is_exposed(const struct pointers *p, const struct var *v)
{
    if (v->is_reference)
        return true;
    for (const struct node *n = p->function; n; n = tree_next(p->function, n)) {
        if (n->kind != CXCursor_DeclRefExpr || n->var != v || !n->parent)
            continue;
        const struct node *up = n->parent;
        struct node *target;
        while (up->parent && (up->kind == CXCursor_ParenExpr || up->kind == CXCursor_MemberRefExpr))
            up = up->parent;
        /* In a template, where types are not known yet, values are not converted. */
        bool is_value = node_is_load(up) || up->kind == CXCursor_ArraySubscriptExpr ||
                        up->kind == CXCursor_BinaryOperator || up->kind == CXCursor_UnaryExpr;
        if (!is_value && !node_writes(p->source, up, &target) && !node_is_discarded(n))
            return true;
    }
    return false;
}

/* A name that means the same in every turn. */
static bool is_fixed_name(const struct search *q, const struct node *n)
{
    if (n->var)
        return !changes(q, n->var) && !var_is_exposed(q->p, n->var);
    CXCursor d = clang_getCursorReferenced(n->cursor);
    enum CXCursorKind k = clang_getCursorKind(d);
    return k == CXCursor_EnumConstantDecl || k == CXCursor_NonTypeTemplateParameter || k == CXCursor_FunctionDecl ||
           is_builtin_variable(node_callee(q->p->source, n)) ||
           (k == CXCursor_VarDecl && clang_isConstQualifiedType(clang_getCanonicalType(clang_getCursorType(d))));
}

/* The expression has the same value whenever it is computed in the loop. except: this variable may be in it. */
static bool is_fixed(const struct search *q, const struct node *root, const struct var *except)
{
    struct node *target;
    for (const struct node *n = root; n; n = tree_next(root, n)) {
        if (n->kind == CXCursor_DeclRefExpr && n->var && n->var == except)
            continue;
        if (n->kind == CXCursor_DeclRefExpr && !is_fixed_name(q, n))
            return false;
        if (node_writes(q->p->source, n, &target))
            return false;
        if (n->kind == CXCursor_CallExpr && (calls_effects(q->calls, n) || node_callee(q->p->source, n)[0] == 0 ||
                                             !strncmp(node_callee(q->p->source, n), "clock", 5)))
            return false;
        char op[4] = "";
        if (n->kind == CXCursor_UnaryOperator)
            node_operator(q->p->source, n, op);
        bool arrow =
            n->kind == CXCursor_MemberRefExpr && n->child && type_is_pointer(clang_getCursorType(n->child->cursor));
        if (n->kind == CXCursor_ArraySubscriptExpr || arrow || !strcmp(op, "*")) {
            /* Memory: only of a structure that nobody writes. */
            int s = bases_structure(pointers_written(q->p, n));
            if (s < 0 || units_is_written(q->p, q->calls, (unsigned)s))
                return false;
        }
    }
    return true;
}

/* ---- the element ---- */

struct node *scan_base(const struct node *element)
{
    struct node *n = node_strip((struct node *)element);
    if (n->kind == CXCursor_ArraySubscriptExpr)
        return node_strip(n->child);
    if (n->kind == CXCursor_UnaryOperator)
        return node_strip(n->child);
    return n; /* the object of an arrow */
}

/* The element that an access reads, whole or in part: text[i] of text[i].x, *p, and p of p->x. */
static struct node *element_of(const struct access *a)
{
    struct node *n = a->at;
    if (a->kind == ACCESS_LDG) {
        for (struct node *c = a->at->child; c; c = c->next)
            if (node_argument(a->at, c) == 0)
                n = node_strip(c);
        if (n->kind != CXCursor_UnaryOperator || !n->child)
            return NULL;
        n = n->child; /* of &text[i] */
    }
    for (n = node_strip(n); n && n->kind == CXCursor_MemberRefExpr && n->child; n = node_strip(n->child))
        if (type_is_pointer(clang_getCursorType(n->child->cursor)))
            return node_strip(n->child);
    if (!n || (n->kind != CXCursor_ArraySubscriptExpr && n->kind != CXCursor_UnaryOperator) || !n->child)
        return NULL;
    /* Not an array inside of a record. */
    return type_is_pointer(clang_getCursorType(n->child->cursor)) &&
                   (n->kind == CXCursor_UnaryOperator || node_strip(n->child)->kind != CXCursor_MemberRefExpr)
               ? n
               : NULL;
}

static CXType element_type(const struct node *element)
{
    CXType t = clang_getCursorType(element->cursor);
    return type_is_pointer(t) ? clang_getPointeeType(t) : t;
}

static bool fits(CXType type)
{
    long long bytes = type_bytes(type);
    return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) &&
           !clang_isVolatileQualifiedType(clang_getCanonicalType(type)) &&
           (type_is_scalar(type) || clang_isPODType(clang_getCanonicalType(type)));
}

/* Is n reached in every turn that begins? Conditions come before what they decide, and no jump may come before it. */
static bool in_every_turn(const struct search *q, const struct node *n)
{
    const struct unit *u = q->u;
    for (size_t i = 0; i < u->give_up.n; i++)
        if (u->give_up.p[i]->begin < n->begin)
            return false;
    for (size_t i = 0; i < u->go_on.n; i++)
        if (u->go_on.p[i]->begin < n->begin)
            return false;
    for (const struct node *c = n, *up = n->parent; c != u->body_node && c != q->scan->rest_node;
         c = up, up = up->parent) {
        if (node_is_decided(q->p->source, c))
            return false;
        if (up->kind == CXCursor_CaseStmt || up->kind == CXCursor_DefaultStmt || node_is_loop(up))
            return false;
    }
    return true;
}

/* ---- views: p[i + k] ---- */

static struct node *index_in(struct node *element)
{
    struct node *n = node_strip(element);
    return n->kind == CXCursor_ArraySubscriptExpr ? n->child->next : n->kind == CXCursor_UnaryOperator ? n->child : n;
}

static struct node *next_write(const struct search *q, const struct node *after, const struct var *v)
{
    const struct node *loop = q->u->loop;
    for (struct node *n = after ? tree_next(loop, after) : (struct node *)loop; n; n = tree_next(loop, n)) {
        struct node *target;
        if (node_writes(q->p->source, n, &target) && (target = node_strip(target)) &&
            target->kind == CXCursor_DeclRefExpr && target->var == v && !in_init(q->u, n))
            return n;
    }
    return NULL;
}

/* The first of a chain of conditions joined by &&, and what follows it. */
static struct node *first_condition(const struct source *s, struct node *cond, struct node **next)
{
    char op[4] = "";
    *next = NULL;
    for (cond = node_strip(cond); cond && cond->kind == CXCursor_BinaryOperator; cond = node_strip(cond->child)) {
        node_operator(s, cond, op);
        if (strcmp(op, "&&"))
            break;
        *next = cond->child->next;
    }
    return cond;
}

/* The loop inside the turn in which k counts from 0 to less than a constant while n is computed; NULL: none. */
static const struct node *view_loop(const struct search *q, const struct node *n, const struct var *k, long long *most)
{
    const struct node *loop = n, *body;
    while (loop != q->u->body_node && !node_is_loop(loop))
        loop = loop->parent;
    body = loop_body(loop);
    struct node *write = next_write(q, NULL, k), *start = k->decl->child, *cond = NULL, *next;
    while (start && start->next)
        start = start->next;
    long long from = -1;
    if (loop == q->u->body_node || loop->kind == CXCursor_DoStmt || !tree_inside(k->decl, q->u->body_node) || !start ||
        !profit_constant(start, &from) || from != 0 || !write || !node_incremented(q->p->source, write) ||
        next_write(q, write, k) || !tree_inside(write, loop) || var_is_exposed(q->p, k))
        return NULL;
    for (struct node *c = loop->child; c && c != body; c = c->next)
        if (c->kind == CXCursor_BinaryOperator)
            cond = c;
    cond = cond ? first_condition(q->p->source, cond, &next) : NULL;
    char op[4] = "";
    if (cond && cond->kind == CXCursor_BinaryOperator)
        node_operator(q->p->source, cond, op);
    const struct node *left = cond && cond->child ? node_strip(cond->child) : NULL;
    if (strcmp(op, "<") || !left || left->kind != CXCursor_DeclRefExpr || left->var != k ||
        !profit_constant(cond->child->next, most))
        return NULL;
    /* k must still be below its bound: it moves on after the body. */
    bool in_body = tree_inside(n, body);
    if (tree_inside(write, body) ? in_body || write != node_strip((struct node *)body) : write->parent != loop)
        return NULL;
    return !in_body && !tree_inside(n, loop) ? NULL : loop;
}

/* n is made whenever the loop over k is met: in its first turn, where k is below its bound. */
static bool in_first_view(const struct search *q, const struct node *n, const struct node *loop)
{
    const struct node *body = loop_body(loop), *bound = NULL;
    struct node *next = NULL;
    for (struct node *c = loop->child; c && c != body; c = c->next)
        if (c->kind == CXCursor_BinaryOperator)
            bound = first_condition(q->p->source, c, &next);
    if (tree_inside(n, body) && next)
        return false; /* another condition decides */
    for (const struct node *c = n, *up = n->parent; c != loop; c = up, up = up->parent) {
        /* The bound is only ever joined by &&, and holds. */
        if (node_is_decided(q->p->source, c) && node_strip(up->child) != bound)
            return false;
        if (up->kind == CXCursor_CaseStmt || up->kind == CXCursor_DefaultStmt || (node_is_loop(up) && up != loop))
            return false;
    }
    for (const struct node *x = body; x; x = tree_next(body, x))
        if ((x->kind == CXCursor_BreakStmt || x->kind == CXCursor_ContinueStmt) && x->begin < n->begin)
            return false;
    return in_every_turn(q, loop);
}

/* An access to p[x + k]: its x, and where k goes. *zero: p[x] itself is read in every turn. */
static struct node *find_view(const struct search *q, const struct node *element, bool views, struct scan_name *name,
                              bool *zero)
{
    struct scan *scan = q->scan;
    struct node *index = node_strip(index_in((struct node *)element)), *add;
    char op[4] = "";
    long long most = 0, constant;
    *zero = in_every_turn(q, element);
    if (index->kind != CXCursor_BinaryOperator || !views)
        return index;
    node_operator(q->p->source, index, op);
    add = node_strip(index->child->next);
    if (strcmp(op, "+"))
        return index;
    if (add->kind == CXCursor_IntegerLiteral && profit_constant(add, &constant)) {
        most = constant + 1;
        *zero = false;
    } else if (add->kind == CXCursor_DeclRefExpr && add->var && changes(q, add->var) &&
               tree_inside(add->var->decl, q->u->body_node)) {
        const struct node *loop = view_loop(q, element, add->var, &most);
        if (!loop || most < 1)
            return NULL;
        *zero = in_first_view(q, element, loop);
        VEC_PUSH(&scan->inner, loop);
    } else
        return index;
    long long bytes = type_bytes(element_type(element));
    if (most < 1 || (most - 1) * bytes > MOST_AHEAD_BYTES)
        return NULL;
    scan->ahead = (int)most > scan->ahead ? (int)most : scan->ahead;
    name->add = add;
    return node_strip(index->child);
}

/* All accesses to the structure are to one element per turn and some behind it; the one itself is read in every turn.
 */
static bool find_elements(const struct search *q, bool views)
{
    struct scan *scan = q->scan;
    bool always = false;
    scan->element = NULL;
    scan->name.n = scan->inner.n = 0;
    scan->ahead = 0;
    for (size_t i = 0; i < q->p->access.n; i++) {
        const struct access *a = &q->p->access.p[i];
        if (a->structure != scan->structure || !tree_inside(a->at, q->u->loop))
            continue;
        struct node *element = element_of(a);
        if (!a->whole || !element || !fits(element_type(element)) ||
            !(tree_inside(element, q->u->body_node) || (scan->rest_node && tree_inside(element, q->u->cond_node))) ||
            (a->kind != ACCESS_LOAD && a->kind != ACCESS_LDG))
            return false;
        struct scan_name name = {.at = element, .call = a->kind == ACCESS_LDG ? a->at : NULL};
        bool zero;
        struct node *index = find_view(q, element, views, &name, &zero);
        if (!scan->element) {
            scan->element = element;
            scan->index = index;
        }
        if (!index || element->kind != scan->element->kind || !node_same_text(q->p->source, index, scan->index) ||
            !node_same_text(q->p->source, scan_base(element), scan_base(scan->element)))
            return false;
        if (name.call && source_find(q->p->source, element->end, name.call->end - 1, ")") < name.call->end - 1)
            return false; /* brackets around it */
        VEC_PUSH(&scan->name, name);
        always |= zero;
    }
    /* A view is indexed; records and pointers that move are not. */
    for (size_t i = 0; i < scan->name.n && scan->ahead; i++) {
        const struct scan_name *n = &scan->name.p[i];
        if (n->at->kind != CXCursor_ArraySubscriptExpr || n->call)
            return false;
    }
    return always;
}

/* ---- the variable that walks ---- */

/* v++ is met in every turn, before v is used for anything else. */
static bool opens_turn(const struct search *q, const struct node *write)
{
    const struct node *body = q->u->body_node, *statement = write;
    const struct var *v = node_strip(write->child)->var;
    while (statement != body && statement->parent != body)
        statement = statement->parent;
    for (const struct node *n = body; n; n = tree_next(body, n))
        if (n->kind == CXCursor_DeclRefExpr && n->var == v && !tree_inside(n, write) && n->begin < statement->end)
            return false;
    return in_every_turn(q, write);
}

/* Finds the variable in the element's address and the one place where the loop moves it on by one. */
static bool find_variable(const struct search *q)
{
    struct scan *scan = q->scan;
    const struct unit *u = q->u;
    const struct var *v = NULL;
    for (struct node *n = scan->index; n; n = tree_next(scan->index, n))
        if (n->kind == CXCursor_DeclRefExpr && n->var && changes(q, n->var)) {
            if (v && v != n->var)
                return false;
            v = n->var;
        }
    struct node *write = v ? next_write(q, NULL, v) : NULL;
    if (!write || next_write(q, write, v) || !node_incremented(q->p->source, write) || var_is_exposed(q->p, v))
        return false;
    CXType type = clang_getCursorType(v->decl->cursor);
    if (!v->is_pointer && (!type_is_scalar(type) || type_bytes(type) < 4))
        return false; /* narrow ones come round */
    scan->v = v;
    if (tree_inside(write, scan->element)) {
        if (!node_is_postfix(write) || scan->name.n != 1 || scan->ahead || !tree_inside(write, u->body_node) ||
            !opens_turn(q, write))
            return false;
        scan->rest_node = NULL; /* what the condition asks comes after v has moved on */
        scan->rest[0] = scan->rest[1] = 0;
        scan->step = SCAN_STEP_ELEMENT;
        scan->advance = write;
        return u->loop->kind != CXCursor_ForStmt || u->step[0] == u->step[1];
    }
    if (write->begin == u->step[0] && write->end == u->step[1]) {
        scan->step = SCAN_STEP_HEAD;
        return true;
    }
    const struct node *last = u->body_node->kind == CXCursor_CompoundStmt ? u->body_node->child : u->body_node;
    while (last && last != u->body_node && last->next)
        last = last->next;
    scan->step = SCAN_STEP_LAST;
    scan->advance = write;
    return last == write && node_is_discarded(write) && !u->go_on.n && u->step[0] == u->step[1];
}

/* n is the k of text[i + k]. */
static bool is_added(const struct scan *scan, const struct node *n)
{
    for (size_t i = 0; i < scan->name.n; i++)
        if (scan->name.p[i].add == n)
            return true;
    return false;
}

/* The address grows by one element when v does, and nothing else in it changes. */
static bool check_address(const struct search *q)
{
    struct scan *scan = q->scan;
    struct node *inner = node_strip(scan->index);
    long long by;
    for (struct node *n = scan->element; n; n = tree_next(scan->element, n)) {
        if (n->kind == CXCursor_DeclRefExpr && n->parent && is_added(scan, n))
            continue;
        if (n->kind == CXCursor_ArraySubscriptExpr && n != node_strip(scan->element))
            return false;
        if (n->kind == CXCursor_CallExpr && !is_fixed(q, n, NULL))
            return false;
        if (n->kind == CXCursor_DeclRefExpr && n->var != scan->v && !is_fixed_name(q, n))
            return false;
        /* (unsigned char)i comes round. */
        if (n->kind == CXCursor_CStyleCastExpr || n->kind == CXCursor_CXXStaticCastExpr ||
            n->kind == CXCursor_CXXFunctionalCastExpr)
            if (type_bytes(clang_getCursorType(n->cursor)) < 4)
                return false;
    }
    if (scan->step == SCAN_STEP_ELEMENT) { /* exactly p[i++] or *p++ */
        scan->exact = inner == scan->advance;
        return scan->exact && (scan->v->is_pointer || scan_base(scan->element)->kind == CXCursor_DeclRefExpr);
    }
    scan->exact = inner->kind == CXCursor_DeclRefExpr && inner->var == scan->v &&
                  (scan->v->is_pointer || scan_base(scan->element)->kind == CXCursor_DeclRefExpr);
    return profit_growth(q->p, scan->index, scan->v, &by) && by == 1;
}

/* ---- the bound ---- */

static bool is_signed(CXType type)
{
    enum CXTypeKind k = clang_getCanonicalType(type).kind;
    return k == CXType_Int || k == CXType_Long || k == CXType_LongLong || k == CXType_Short || k == CXType_SChar ||
           k == CXType_Char_S;
}

static bool is_of_head(const struct search *q)
{
    return in_init(q->u, q->scan->v->decl);
}

/* The loop's condition is a comparison of a variable, and perhaps more. */
static void find_rest(const struct search *q)
{
    struct scan *scan = q->scan;
    const struct unit *u = q->u;
    struct node *next, *first = u->cond_node ? first_condition(q->p->source, u->cond_node, &next) : NULL;
    if (!first || !next || first->kind != CXCursor_BinaryOperator || first->begin != u->cond[0] ||
        node_strip(first->child)->kind != CXCursor_DeclRefExpr || u->loop->kind == CXCursor_DoStmt)
        return;
    unsigned at = source_skip_blank(q->p->source, first->end);
    if (strncmp(q->p->source->text + at, "&&", 2))
        return;
    scan->rest[0] = source_skip_blank(q->p->source, at + 2);
    scan->rest[1] = u->cond[1];
    scan->rest_node = next;
}

/* v < e, with e fixed, and compared as numbers are. */
static void find_bound(const struct search *q)
{
    struct scan *scan = q->scan;
    const struct unit *u = q->u;
    struct node *next, *cond = u->cond_node ? first_condition(q->p->source, u->cond_node, &next) : NULL;
    struct node *left = cond ? node_strip(cond->child) : NULL;
    char op[4] = "";
    if (!cond || cond->kind != CXCursor_BinaryOperator || !cond->child || !cond->child->next ||
        u->loop->kind == CXCursor_DoStmt || (next && !scan->rest_node))
        return;
    struct node *right = cond->child->next;
    node_operator(q->p->source, cond, op);
    bool pointer = scan->v->is_pointer;
    if (!left || left->kind != CXCursor_DeclRefExpr || left->var != scan->v || left->begin != u->cond[0] ||
        left->end - left->begin != strlen(scan->v->name) || !is_fixed(q, right, NULL))
        return;
    if (strcmp(op, "<") && (pointer || strcmp(op, "<=")) && (!pointer || strcmp(op, "!=")))
        return;
    if (!pointer) {
        struct node *e = node_strip(right);
        CXType a = clang_getCursorType(scan->v->decl->cursor), b = clang_getCursorType(e->cursor);
        /* A negative number becomes a large one beside an unsigned one. */
        struct node *start = is_of_head(q) ? node_strip(scan->v->decl->child) : NULL;
        struct node *from_zero = is_signed(a) ? start : e;
        if (!type_is_scalar(a) || !type_is_scalar(b) ||
            (is_signed(a) != is_signed(b) && (!from_zero || from_zero->kind != CXCursor_IntegerLiteral)))
            return;
    }
    scan->bounded = true;
    scan->inclusive = !strcmp(op, "<=");
    scan->bound[0] = right->begin;
    scan->bound[1] = next ? right->end : u->cond[1];
}

/* ---- who else uses the variable ---- */

static bool in_element(const struct scan *scan, const struct node *n)
{
    for (size_t i = 0; i < scan->name.n; i++)
        if (tree_inside(n, scan->name.p[i].at) && !(scan->name.p[i].add && tree_inside(n, scan->name.p[i].add)))
            return true;
    return false;
}

/* n is v in a subscript, or in a sum there. */
static bool is_subscript(const struct source *s, const struct node *n)
{
    const struct node *up = n->parent;
    for (; up; n = up, up = up->parent) {
        char op[4] = "";
        if (up->kind == CXCursor_BinaryOperator)
            node_operator(s, up, op);
        if (up->kind == CXCursor_ArraySubscriptExpr)
            return n == up->child->next;
        if (up->kind != CXCursor_UnexposedExpr && up->kind != CXCursor_ParenExpr && strcmp(op, "+") && strcmp(op, "-"))
            return false;
    }
    return false;
}

/* The loop's variable starts at 0. */
static bool starts_at_zero(const struct search *q)
{
    const struct node *start = q->scan->v->decl->child;
    long long value = -1;
    while (start && start->next)
        start = start->next;
    return is_of_head(q) && start && profit_constant(start, &value) && value == 0;
}

static void find_uses(const struct search *q)
{
    struct scan *scan = q->scan;
    const struct unit *u = q->u;
    CXType type = clang_getCanonicalType(clang_getCursorType(scan->v->decl->cursor));
    bool inside = false, after = false, repeats = false;
    scan->wide = type.kind == CXType_Int;
    /* A loop around this one comes by again, with the same variable. */
    for (const struct node *up = u->loop->parent; up && !repeats; up = up->parent)
        repeats = node_is_loop(up) && !tree_inside(scan->v->decl, loop_body(up));
    for (const struct node *n = q->p->function; n; n = tree_next(q->p->function, n)) {
        if (n->kind != CXCursor_DeclRefExpr || n->var != scan->v)
            continue;
        bool uses = false;
        if (!tree_inside(n, u->loop))
            after |= !is_of_head(q) && (repeats || n->begin > u->loop->begin);
        else if (tree_inside(n, u->body_node) || (!scan->bounded && tree_inside(n, u->cond_node)) ||
                 (n->begin >= scan->rest[0] && n->end <= scan->rest[1]))
            uses = !in_element(scan, n) && !(scan->advance && tree_inside(n, scan->advance));
        inside |= uses;
        scan->wide &= !uses || is_subscript(q->p->source, n);
    }
    bool local = scan->v->is_pointer ? scan->exact && clang_isConstQualifiedType(clang_getPointeeType(type))
                                     : scan->exact || starts_at_zero(q);
    scan->variable = !inside && !after ? SCAN_VARIABLE_GOES
                     : local && !after ? SCAN_VARIABLE_LOCAL
                                       : SCAN_VARIABLE_COUNTS;
}

/* The type's name without const. */
static bool same_type(CXType a, CXType b)
{
    CXString x = clang_getTypeSpelling(clang_getCanonicalType(a)), y = clang_getTypeSpelling(clang_getCanonicalType(b));
    const char *p = clang_getCString(x), *q = clang_getCString(y);
    bool same = !strcmp(p + (strncmp(p, "const ", 6) ? 0 : 6), q + (strncmp(q, "const ", 6) ? 0 : 6));
    clang_disposeString(x);
    clang_disposeString(y);
    return same;
}

/* `char c = text[i];` at the beginning of the body: the element's name. */
static void find_declaration(const struct search *q)
{
    struct scan *scan = q->scan;
    const struct node *body = q->u->body_node;
    struct node *first = body->kind == CXCursor_CompoundStmt ? body->child : NULL, *decl = first ? first->child : NULL;
    if (!first || first->kind != CXCursor_DeclStmt || !decl || decl->next || decl->kind != CXCursor_VarDecl ||
        !decl->var || decl->var->is_reference || !tree_inside(scan->element, decl))
        return;
    struct node *value = NULL;
    for (struct node *c = decl->child; c; c = c->next)
        value = c;
    /* Only the element itself, not a part of it, and not converted. */
    value = node_strip(value);
    while (value && value->kind == CXCursor_CallExpr && value != scan->name.p[0].call && value->child &&
           !value->child->next)
        value = node_strip(value->child); /* a copy */
    if (value && (value == scan->element || value == scan->name.p[0].call) &&
        !source_in_macro(q->p->source, first->begin) &&
        same_type(clang_getCursorType(decl->cursor), element_type(scan->element)))
        scan->declares = decl;
}

bool scan_has_lambda(const struct node *function)
{
    for (const struct node *n = function; n; n = tree_next(function, n))
        if (n->kind == CXCursor_LambdaExpr)
            return true;
    return false;
}

/* The loops in the turn are all over what it looks at, and the turn is not too large to be copied. */
static bool check_size(const struct search *q)
{
    const struct node *body = q->u->body_node;
    int nodes = 0;
    for (const struct node *n = body; n; n = tree_next(body, n), nodes++) {
        bool known = !node_is_loop(n);
        for (size_t i = 0; i < q->scan->inner.n && !known; i++)
            known = q->scan->inner.p[i] == n;
        if (!known)
            return false;
    }
    return nodes <= MOST_NODES;
}

bool scan_find(struct scan *scan, const struct unit *u, const struct pointers *p, struct calls *calls)
{
    struct search q = {scan, u, p, calls};
    *scan = (struct scan){0};
    if (__builtin_popcount(u->cached) != 1 || u->written || u->alias_safe || u->has_barrier || u->leave.n)
        return false;
    scan->structure = (unsigned)__builtin_ctz(u->cached);
    find_rest(&q);
    if (scan_has_lambda(p->function) || !(find_elements(&q, false) || find_elements(&q, true)) || !check_size(&q) ||
        !find_variable(&q) || !check_address(&q))
        return false;
    find_bound(&q);
    if (!scan->bounded && (scan->rest_node || scan->ahead))
        return false;
    /* Without a bound, the loop's own condition ends it; then it must be worth it: not a loop inside another. */
    if (!scan->bounded &&
        (scan->step != SCAN_STEP_ELEMENT || u->cond_changes || !u->cond_node || u->outermost != u->loop))
        return false;
    scan->limited = !scan->bounded || u->give_up.n || scan->rest_node;
    if (scan->limited && scan->ahead)
        return false;
    find_uses(&q);
    if (!scan->ahead)
        find_declaration(&q);
    return true;
}

CXType scan_element_type(const struct scan *scan)
{
    return element_type(scan->element);
}

long long scan_element_bytes(const struct scan *scan)
{
    return type_bytes(element_type(scan->element));
}

void scan_free(struct scan *scan)
{
    VEC_FREE(&scan->name);
    VEC_FREE(&scan->inner);
}

bool scan_is_short(const struct unit *u)
{
    enum { SHORT_BYTES = 64 };
    const struct scan *scan = &u->scan;
    const struct node *last = scan->bounded && !scan->rest_node ? u->cond_node->child->next : NULL,
                      *first = scan->v->decl->child;
    long long from = 0, to;
    while (first && first->next)
        first = first->next;
    if (!last || !profit_constant(last, &to) || (first && !profit_constant(first, &from)))
        return false;
    return (to - from) * type_bytes(element_type(scan->element)) < SHORT_BYTES;
}
