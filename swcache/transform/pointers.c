/* See pointers.h. */
#include "transform/pointers.h"

#include <stdio.h>

static const struct bases nothing = {0}, anything = {.unknown = true}, own_memory = {.own = true};

static struct bases join(struct bases a, struct bases b)
{
    return (struct bases){a.structures | b.structures, a.own || b.own, a.unknown || b.unknown};
}

static bool same(struct bases a, struct bases b)
{
    return a.structures == b.structures && a.own == b.own && a.unknown == b.unknown;
}

int bases_structure(struct bases b)
{
    return b.own || b.unknown || __builtin_popcount(b.structures) != 1 ? -1 : __builtin_ctz(b.structures);
}

static bool is_cast(enum CXCursorKind k)
{
    return k == CXCursor_CStyleCastExpr || k == CXCursor_CXXStaticCastExpr || k == CXCursor_CXXReinterpretCastExpr ||
           k == CXCursor_CXXConstCastExpr || k == CXCursor_CXXFunctionalCastExpr;
}

/* The operand of a cast: its last child, after the names of types. */
static struct node *cast_operand(const struct node *n)
{
    struct node *c = n->child;
    while (c && c->next)
        c = c->next;
    return c;
}

static bool is_array(const struct node *n)
{
    enum CXTypeKind k = clang_getCanonicalType(clang_getCursorType(n->cursor)).kind;
    return k == CXType_ConstantArray || k == CXType_IncompleteArray || k == CXType_VariableArray;
}

static bool has_pointer_type(const struct node *n)
{
    return type_is_pointer(clang_getCursorType(n->cursor));
}

/* p[i] may be written i[p]. */
static struct node *subscript_base(const struct node *n)
{
    struct node *a = n->child, *b = a ? a->next : NULL;
    return b && !has_pointer_type(a) && has_pointer_type(b) ? b : a;
}

static bool is_arrow(const struct node *member)
{
    return member->child && has_pointer_type(member->child);
}

/* ---- forward: from an expression to what it is based on ---- */

static struct bases lvalue_bases(const struct pointers *, const struct node *);

static struct bases pointer_bases(const struct pointers *p, const struct node *n)
{
    char op[4];
    if (!n)
        return anything;
    if (is_cast(n->kind))
        return pointer_bases(p, cast_operand(n));
    switch (n->kind) {
    case CXCursor_UnexposedExpr:
        if (!n->child || n->child->next)
            return anything;
        return is_array(n->child) ? lvalue_bases(p, n->child) : pointer_bases(p, n->child);
    case CXCursor_ParenExpr:
        return pointer_bases(p, n->child);
    case CXCursor_DeclRefExpr:
        return n->var && n->var->is_pointer && !n->var->is_reference ? n->var->bases : anything;
    case CXCursor_CompoundAssignOperator:
        return pointer_bases(p, n->child);
    case CXCursor_BinaryOperator: {
        struct node *a = n->child, *b = a ? a->next : NULL;
        node_operator(p->source, n, op);
        if (!b)
            return anything;
        if (!strcmp(op, "+") || !strcmp(op, "-"))
            return pointer_bases(p, has_pointer_type(a) ? a : b);
        return !strcmp(op, "=") || !strcmp(op, ",") ? pointer_bases(p, b) : anything;
    }
    case CXCursor_UnaryOperator:
        node_operator(p->source, n, op);
        if (!strcmp(op, "++") || !strcmp(op, "--") || !strcmp(op, "+"))
            return pointer_bases(p, n->child);
        return !strcmp(op, "&") ? lvalue_bases(p, n->child) : anything;
    case CXCursor_ConditionalOperator: {
        struct node *b = tree_child(n, 1), *c = tree_child(n, 2);
        return b && c ? join(pointer_bases(p, b), pointer_bases(p, c)) : anything;
    }
    case CXCursor_IntegerLiteral:
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_GNUNullExpr:
        return nothing;
    default:
        return anything;
    }
}

static struct bases lvalue_bases(const struct pointers *p, const struct node *n)
{
    char op[4];
    if (!n)
        return anything;
    switch (n->kind) {
    case CXCursor_ParenExpr:
        return lvalue_bases(p, n->child);
    case CXCursor_UnexposedExpr:
        return n->child && !n->child->next ? lvalue_bases(p, n->child) : anything;
    case CXCursor_DeclRefExpr:
        return n->var && !n->var->is_reference ? own_memory : anything;
    case CXCursor_ArraySubscriptExpr:
        return pointer_bases(p, subscript_base(n));
    case CXCursor_MemberRefExpr:
        if (!n->child)
            return anything;
        return is_arrow(n) ? pointer_bases(p, n->child) : lvalue_bases(p, n->child);
    case CXCursor_UnaryOperator:
        node_operator(p->source, n, op);
        if (!strcmp(op, "++") || !strcmp(op, "--"))
            return lvalue_bases(p, n->child);
        return !strcmp(op, "*") ? pointer_bases(p, n->child) : anything;
    case CXCursor_CompoundAssignOperator:
        return lvalue_bases(p, n->child);
    case CXCursor_BinaryOperator:
        node_operator(p->source, n, op);
        return !strcmp(op, "=") ? lvalue_bases(p, n->child) : anything;
    default:
        return anything;
    }
}

struct bases pointers_written(const struct pointers *p, const struct node *lvalue)
{
    return lvalue_bases(p, lvalue);
}

struct bases pointers_pointed(const struct pointers *p, const struct node *n)
{
    return pointer_bases(p, n);
}

bool node_writes(const struct source *s, const struct node *n, struct node **lvalue)
{
    char op[4];
    *lvalue = n->child;
    if (n->kind == CXCursor_CompoundAssignOperator)
        return true;
    if (n->kind == CXCursor_BinaryOperator) {
        node_operator(s, n, op);
        /* An operator hidden in a macro may be an assignment: its type, an lvalue's, cannot tell. */
        return !op[0] || !strcmp(op, "=");
    }
    if (n->kind == CXCursor_UnaryOperator) {
        node_operator(s, n, op);
        return !op[0] || !strcmp(op, "++") || !strcmp(op, "--");
    }
    if (n->kind == CXCursor_CallExpr) {
        CXCursor f = clang_getCursorReferenced(n->cursor);
        CXString name = clang_getCursorSpelling(f);
        const char *c = clang_getCString(name);
        size_t len = c ? strlen(c) : 0;
        bool writes = len > 8 && !strncmp(c, "operator", 8) &&
                      ((c[len - 1] == '=' && strcmp(c, "operator==") && strcmp(c, "operator!=") &&
                        strcmp(c, "operator<=") && strcmp(c, "operator>=")) ||
                       !strcmp(c, "operator++") || !strcmp(c, "operator--"));
        clang_disposeString(name);
        return writes;
    }
    return false;
}

const struct var *node_incremented(const struct source *s, const struct node *n)
{
    char op[4] = "";
    if (n->kind == CXCursor_UnaryOperator && n->child)
        node_operator(s, n, op);
    const struct node *target = strcmp(op, "++") ? NULL : node_strip(n->child);
    return target && target->kind == CXCursor_DeclRefExpr ? target->var : NULL;
}

/* ---- variables ---- */

static struct var *add_var(struct pointers *p, struct node *decl)
{
    struct var *v = arena_alloc(p->source->arena, sizeof *v);
    CXType type = clang_getCanonicalType(clang_getCursorType(decl->cursor));
    v->decl = decl;
    v->name = source_string(p->source, clang_getCursorSpelling(decl->cursor));
    v->is_reference = type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
    v->is_pointer = type.kind == CXType_Pointer;
    decl->var = v;
    VEC_PUSH(&p->var, v);
    return v;
}

static void add_parameter(struct pointers *p, struct var *v)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(v->decl->cursor));
    if (!v->is_pointer)
        return;
    CXType pointee = clang_getCanonicalType(clang_getPointeeType(type));
    enum CXTypeKind k = pointee.kind;
    if (p->n_structure == MAX_STRUCTURES || k == CXType_FunctionProto || k == CXType_FunctionNoProto) {
        v->bases = anything;
        return;
    }
    v->bases.structures = 1u << p->n_structure;
    p->structure[p->n_structure++] = (struct structure){
        .param = v,
        .is_const = clang_isConstQualifiedType(pointee) != 0,
        .is_volatile = clang_isVolatileQualifiedType(pointee) != 0,
        .is_restrict = clang_isRestrictQualifiedType(type) != 0,
    };
}

static void find_variables(struct pointers *p)
{
    struct node *f = p->function;
    for (struct node *n = f; n; n = tree_next(f, n))
        if (n->kind == CXCursor_ParmDecl && n->parent == f)
            add_parameter(p, add_var(p, n));
        else if (n->kind == CXCursor_VarDecl || n->kind == CXCursor_ParmDecl)
            add_var(p, n);
    for (struct node *n = f; n; n = tree_next(f, n)) {
        if (n->kind != CXCursor_DeclRefExpr)
            continue;
        CXCursor decl = clang_getCursorReferenced(n->cursor);
        for (size_t i = 0; i < p->var.n && !n->var; i++)
            if (clang_equalCursors(p->var.p[i]->decl->cursor, decl))
                n->var = p->var.p[i];
    }
}

/* The node that holds a variable's initial value, NULL: none. */
static struct node *initializer(const struct node *decl)
{
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl->cursor);
    for (struct node *c = decl->child; c; c = c->next)
        if (node_is_at(c, init))
            return c;
    return NULL;
}

/* What every pointer variable may hold, by repetition until nothing changes. */
static void solve_bases(struct pointers *p)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (struct node *n = p->function; n; n = tree_next(p->function, n)) {
            struct var *v = NULL;
            struct node *value = NULL, *target;
            if (n->kind == CXCursor_VarDecl && n->var->is_pointer) {
                v = n->var;
                CXCursor init = clang_Cursor_getVarDeclInitializer(n->cursor);
                value = initializer(n);
                if (clang_Cursor_isNull(init))
                    continue; /* assigned later, or never read */
            } else if (n->kind == CXCursor_BinaryOperator && node_writes(p->source, n, &target)) {
                target = node_strip(target);
                if (!target || target->kind != CXCursor_DeclRefExpr || !target->var || !target->var->is_pointer)
                    continue;
                v = target->var;
                value = n->child->next;
            }
            if (!v)
                continue;
            struct bases b = join(v->bases, pointer_bases(p, value));
            changed = changed || !same(b, v->bases);
            v->bases = b;
        }
    }
}

/* ---- backward: from a pointer to where it is used ---- */

/* The conversion of n to its value, NULL: none. c ? a[i] : b[j] is an lvalue when both are; the whole is converted. */
static struct node *load_of(const struct node *n)
{
    struct node *u = n->parent;
    if (!u || node_is_load(u))
        return u;
    if (u->kind == CXCursor_ParenExpr || (u->kind == CXCursor_ConditionalOperator && u->child != n))
        return load_of(u);
    /* One of the two lvalues is made const like the other. */
    if (u->kind == CXCursor_UnexposedExpr && u->parent && u->parent->kind == CXCursor_ConditionalOperator &&
        clang_getCanonicalType(clang_getCursorType(u->cursor)).kind ==
            clang_getCanonicalType(clang_getCursorType(n->cursor)).kind &&
        type_is_scalar(clang_getCursorType(n->cursor)))
        return load_of(u);
    return NULL;
}

static void add_escape(struct pointers *p, struct bases b, struct node *at, bool keeps_const, const char *why)
{
    for (unsigned s = 0; s < p->n_structure; s++)
        if (b.structures >> s & 1)
            VEC_PUSH(&p->escape, (struct escape){.structure = s, .at = at, .keeps_const = keeps_const, .why = why});
}

static bool is_to_const(CXType pointer)
{
    CXType t = clang_getCanonicalType(pointer);
    return t.kind == CXType_Pointer && clang_isConstQualifiedType(clang_getCanonicalType(clang_getPointeeType(t)));
}

/* Can the library carry this type? Trivial, at most 16 bytes, not volatile. */
static const char *type_refused(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    if (clang_isVolatileQualifiedType(t))
        return "is volatile";
    long long bytes = type_bytes(t);
    if (bytes <= 0)
        return "has a type that depends on a template's parameter";
    if (bytes > 16)
        return "moves more than 16 bytes at once";
    if (!type_is_scalar(t) && !clang_isPODType(t))
        return "moves objects that are not plain data";
    return NULL;
}

/* Is the text of the node all of it and nothing else? Not when a macro made its first or its last token. */
static bool is_plain_text(const struct source *s, const struct node *n)
{
    if (!n->in_file || n->begin >= n->end || source_in_macro(s, n->begin))
        return false;
    /* A bracket that closes, a comma or a semicolon outside of brackets: the range leaves a macro's argument. */
    unsigned stop = source_find(s, n->begin, n->end, ",;)]}");
    if (stop < n->end)
        return false;
    char first = s->text[n->begin], last = s->text[n->end - 1];
    switch (n->kind) {
    case CXCursor_ArraySubscriptExpr:
        return last == ']';
    case CXCursor_UnaryOperator:
        return first == '*';
    case CXCursor_MemberRefExpr: {
        CXString name = clang_getCursorSpelling(n->cursor);
        size_t len = strlen(clang_getCString(name));
        bool ends = len <= n->end - n->begin && !strncmp(s->text + n->end - len, clang_getCString(name), len);
        clang_disposeString(name);
        return ends;
    }
    case CXCursor_CallExpr:
        return last == ')';
    default:
        return false;
    }
}

/* Its type is not known before the template's parameters are. */
static bool is_dependent(const struct node *n)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(n->cursor));
    if (t.kind != CXType_Unexposed)
        return t.kind == CXType_Dependent;
    /* T itself; to ask for its size is not safe with every version of libclang. */
    CXString name = clang_getTypeSpelling(t);
    bool parameter = strstr(clang_getCString(name), "type-parameter-") != NULL;
    clang_disposeString(name);
    return parameter;
}

static void add_access(struct pointers *p, enum access_kind kind, struct bases b, struct node *at, struct node *site)
{
    int s = bases_structure(b);
    if (s < 0) {
        if (b.structures)
            add_escape(p, b, at, false, "a pointer that may point into several structures");
        return;
    }
    struct access a = {.kind = kind, .structure = (unsigned)s, .at = at, .site = site};
    a.dependent = is_dependent(at) && at->kind == CXCursor_ArraySubscriptExpr && kind != ACCESS_ATOMIC;
    if (kind != ACCESS_ATOMIC && !a.dependent)
        a.why_not = type_refused(clang_getCursorType(at->cursor));
    if (!a.why_not && !is_plain_text(p->source, at))
        a.why_not = "is expanded from a macro";
    if (!a.why_not && (kind == ACCESS_STORE || kind == ACCESS_UPDATE)) {
        const struct node *user = site->parent;
        char op[4] = "";
        if (user && user->kind == CXCursor_BinaryOperator)
            node_operator(p->source, user, op);
        bool is_value = node_is_discarded(site) || (user && node_is_load(user)) || !strcmp(op, ",") ||
                        (site->kind == CXCursor_UnaryOperator && node_is_postfix(site));
        if (!is_value)
            a.why_not = "is used as a reference";
    }
    a.whole = !a.why_not;
    VEC_PUSH(&p->access, a);
}

static void follow_lvalue(struct pointers *p, struct bases b, struct node *n);

/* n: a call that gets the pointer as an argument, `arg`. */
static void follow_call(struct pointers *p, struct bases b, struct node *call, struct node *arg)
{
    const char *name = node_callee(p->source, call);
    CXType type = clang_getCursorType(arg->cursor);
    /* Only CUDA's own functions are taken at their word. */
    CXCursor callee = clang_getCursorReferenced(call->cursor);
    bool known = node_argument(call, arg) == 0 && clang_Location_isInSystemHeader(clang_getCursorLocation(callee));
    if (known && !strcmp(name, "__ldg")) {
        add_access(p, ACCESS_LDG, b, call, call);
        return;
    }
    if (known && !strncmp(name, "atomic", 6)) {
        add_access(p, ACCESS_ATOMIC, b, call, call);
        return;
    }
    add_escape(p, b, call, is_to_const(type), "its address is passed to a function");
}

/* n: an expression whose value is a pointer into b. */
static void follow_pointer(struct pointers *p, struct bases b, struct node *n)
{
    struct node *u = n->parent, *target;
    char op[4];
    if (!u)
        return;
    CXType type = clang_getCursorType(u->cursor);
    if (is_cast(u->kind) || u->kind == CXCursor_UnexposedExpr || u->kind == CXCursor_ParenExpr) {
        enum CXTypeKind k = clang_getCanonicalType(type).kind;
        if (k == CXType_Pointer)
            follow_pointer(p, b, u);
        else if (k != CXType_Bool && k != CXType_Void)
            add_escape(p, b, u, false, "its address is converted to a number");
        return;
    }
    switch (u->kind) {
    case CXCursor_ArraySubscriptExpr:
        follow_lvalue(p, b, u);
        return;
    case CXCursor_MemberRefExpr:
        follow_lvalue(p, b, u);
        return;
    case CXCursor_UnaryOperator:
        node_operator(p->source, u, op);
        if (!strcmp(op, "*"))
            follow_lvalue(p, b, u);
        else if (!strcmp(op, "+"))
            follow_pointer(p, b, u);
        else if (strcmp(op, "!"))
            add_escape(p, b, u, false, "its use is not understood");
        return;
    case CXCursor_BinaryOperator:
        node_operator(p->source, u, op);
        if (!strcmp(op, "+") || !strcmp(op, "-") || !strcmp(op, ",")) {
            if (has_pointer_type(u) && (op[0] != ',' || !n->next))
                follow_pointer(p, b, u);
            return;
        }
        if (!strcmp(op, "=")) {
            target = node_strip(u->child);
            if (target && target->kind == CXCursor_DeclRefExpr && target->var && target->var->is_pointer) {
                if (u->parent && node_is_load(u->parent))
                    follow_pointer(p, b, u->parent);
                else if (!node_is_discarded(u))
                    add_escape(p, b, u, false, "its use is not understood");
            } else
                add_escape(p, b, u, false, "its address is stored");
            return;
        }
        if (!op[0] || (strncmp(op, "==", 2) && strncmp(op, "!=", 2) && op[0] != '<' && op[0] != '>'))
            add_escape(p, b, u, false, "its use is not understood");
        return;
    case CXCursor_ConditionalOperator:
        follow_pointer(p, b, u);
        return;
    case CXCursor_VarDecl:
        if (!u->var || !u->var->is_pointer)
            add_escape(p, b, u, false, "its address is stored");
        return;
    case CXCursor_CallExpr:
        follow_call(p, b, u, n);
        return;
    case CXCursor_UnaryExpr: /* sizeof */
        return;
    default:
        if (!node_is_discarded(n))
            add_escape(p, b, u, false, "its use is not understood");
    }
}

static bool is_copy_of(const struct node *call, const struct node *n)
{
    CXCursor f = clang_getCursorReferenced(call->cursor);
    return clang_getCursorKind(f) == CXCursor_Constructor && clang_CXXConstructor_isCopyConstructor(f) &&
           clang_isPODType(clang_getCanonicalType(clang_getCursorType(n->cursor)));
}

static bool is_plain_assignment(struct source *s, const struct node *call, const struct node *n)
{
    return !strcmp(node_callee(s, call), "operator=") && clang_Cursor_getNumArguments(call->cursor) == 2 &&
           clang_isPODType(clang_getCanonicalType(clang_getCursorType(n->cursor)));
}

/* n: an lvalue in the memory of b, in a template, where values are not converted yet. */
static void follow_dependent(struct pointers *p, struct bases b, struct node *n, struct node *at)
{
    struct node *u = at->parent, *target;
    char op[4] = "";
    switch (u->kind) {
    case CXCursor_ParenExpr:
        follow_dependent(p, b, n, u);
        return;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
    case CXCursor_UnaryOperator:
        node_operator(p->source, u, op);
        if (node_writes(p->source, u, &target) && op[0] && target == n)
            add_access(p, u->kind == CXCursor_BinaryOperator ? ACCESS_STORE : ACCESS_UPDATE, b, n, u);
        else if (op[0] && strcmp(op, ",") && !(u->kind == CXCursor_UnaryOperator && strchr("&*+", op[0])))
            add_access(p, ACCESS_LOAD, b, n, n);
        else
            break;
        return;
    case CXCursor_VarDecl:
        if (!u->var || u->var->is_reference)
            break;
        add_access(p, ACCESS_LOAD, b, n, n);
        return;
    case CXCursor_CallExpr: /* T(x), f(x): a value will do where an element that nobody writes did */
        if (!(b.structures && p->structure[__builtin_ctz(b.structures)].is_const))
            break;
        add_access(p, ACCESS_LOAD, b, n, n);
        return;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        if (clang_getCanonicalType(clang_getCursorType(u->cursor)).kind == CXType_LValueReference)
            break;
        add_access(p, ACCESS_LOAD, b, n, n);
        return;
    case CXCursor_IfStmt:
        add_access(p, ACCESS_LOAD, b, n, n);
        return;
    default:
        break;
    }
    add_escape(p, b, n, p->structure[__builtin_ctz(b.structures)].is_const, "a reference to it may be taken");
}

/* n: an lvalue in the memory of b. */
static void follow_lvalue(struct pointers *p, struct bases b, struct node *n)
{
    struct node *u = n->parent, *target;
    char op[4];
    if (!u)
        return;
    if (is_dependent(n) && b.structures) {
        follow_dependent(p, b, n, n);
        return;
    }
    if (n->kind == CXCursor_MemberRefExpr) {
        CXCursor member = clang_getCursorReferenced(n->cursor);
        enum CXCursorKind k = clang_getCursorKind(member);
        if (k != CXCursor_FieldDecl || clang_Cursor_isBitField(member) ||
            clang_getCanonicalType(clang_getCursorType(member)).kind == CXType_LValueReference) {
            add_escape(p, b, n, false,
                       k == CXCursor_FieldDecl ? "a bit-field of it is used" : "a member function of it is called");
            return;
        }
    }
    if (load_of(n)) {
        add_access(p, ACCESS_LOAD, b, n, n);
        return;
    }
    switch (u->kind) {
    case CXCursor_ParenExpr:
        follow_lvalue(p, b, u);
        return;
    case CXCursor_UnexposedExpr:
        if (is_array(n)) {
            follow_pointer(p, b, u);
            return;
        }
        if (u->parent && u->parent->kind == CXCursor_CallExpr &&
            ((is_copy_of(u->parent, n) && node_argument(u->parent, u) == 0) ||
             (is_plain_assignment(p->source, u->parent, n) && node_argument(u->parent, u) == 1))) {
            add_access(p, ACCESS_LOAD, b, n, n);
            return;
        }
        break;
    case CXCursor_CallExpr:
        if (is_copy_of(u, n)) {
            add_access(p, ACCESS_LOAD, b, n, n);
            return;
        }
        if (is_plain_assignment(p->source, u, n) && node_argument(u, n) >= 0) {
            bool stores = node_argument(u, n) == 0;
            add_access(p, stores ? ACCESS_STORE : ACCESS_LOAD, b, n, stores ? u : n);
            return;
        }
        break;
    case CXCursor_MemberRefExpr:
        follow_lvalue(p, b, u);
        return;
    case CXCursor_UnaryExpr: /* sizeof */
        return;
    case CXCursor_UnaryOperator:
        node_operator(p->source, u, op);
        if (!strcmp(op, "&")) {
            follow_pointer(p, b, u);
            return;
        }
        if (!strcmp(op, "++") || !strcmp(op, "--")) {
            add_access(p, ACCESS_UPDATE, b, n, u);
            return;
        }
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        if (node_writes(p->source, u, &target) && target == n) {
            node_operator(p->source, u, op);
            if (op[0]) {
                add_access(p, u->kind == CXCursor_BinaryOperator ? ACCESS_STORE : ACCESS_UPDATE, b, n, u);
                return;
            }
        }
        break;
    default:
        break;
    }
    if (!node_is_discarded(n))
        add_escape(p, b, n, clang_isConstQualifiedType(clang_getCursorType(n->cursor)) != 0,
                   "a reference to it is taken");
}

/* Every place that names a pointer variable. */
static void follow_variable(struct pointers *p, struct node *n)
{
    struct bases b = n->var->bases;
    struct node *at = n, *load = load_of(n);
    char op[4];
    while (at->parent && at->parent->kind == CXCursor_ParenExpr)
        at = at->parent;
    struct node *u = at->parent;
    if (!b.structures || !u || node_is_discarded(at) || u->kind == CXCursor_UnaryExpr)
        return;
    if (load) {
        follow_pointer(p, b, load);
        return;
    }
    /* In a template, p[i] is an element of type T, which nobody has asked for yet. */
    if (u->kind == CXCursor_ArraySubscriptExpr && is_dependent(u) && u->child == at) {
        follow_lvalue(p, b, u);
        return;
    }
    struct node *target;
    if (u->kind == CXCursor_UnaryOperator || u->kind == CXCursor_CompoundAssignOperator ||
        u->kind == CXCursor_BinaryOperator) {
        node_operator(p->source, u, op);
        if (op[0] && node_writes(p->source, u, &target) && target == at) {
            if (u->kind == CXCursor_UnaryOperator && node_is_postfix(u))
                follow_pointer(p, b, u);
            else if (u->parent && node_is_load(u->parent))
                follow_pointer(p, b, u->parent);
            else if (!node_is_discarded(u))
                add_escape(p, b, u, false, "the pointer itself is passed by reference");
            return;
        }
    }
    /* &p, a reference to p, a capture: from now on p may hold anything. */
    n->var->bases.unknown = true;
    add_escape(p, b, u, false, "the pointer itself is passed by reference");
}

/* Pointers whose own address is taken hold anything; this must be known before any use is followed. */
static void find_uses(struct pointers *p)
{
    bool changed = true;
    while (changed) {
        changed = false;
        solve_bases(p);
        p->access.n = p->escape.n = 0;
        for (struct node *n = p->function; n; n = tree_next(p->function, n))
            if (n->kind == CXCursor_DeclRefExpr && n->var && n->var->is_pointer && !n->var->is_reference) {
                bool before = n->var->bases.unknown;
                follow_variable(p, n);
                changed = changed || before != n->var->bases.unknown;
            }
    }
}

/* ---- do threads of a warp differ? ---- */

static bool is_thread_index(struct source *s, const struct node *n)
{
    if (n->kind != CXCursor_DeclRefExpr && n->kind != CXCursor_CallExpr)
        return false;
    const char *name = node_callee(s, n);
    return !strcmp(name, "threadIdx") || (n->kind == CXCursor_CallExpr && !n->var);
}

/* May the value of this expression differ between the threads of a warp? Memory counts as different. */
static bool differs(struct pointers *p, const struct node *root)
{
    for (const struct node *n = root; n; n = tree_next(root, n)) {
        if (n->kind == CXCursor_DeclRefExpr && n->var && (n->var->per_thread || is_array(n)))
            return true;
        if (n->kind == CXCursor_ArraySubscriptExpr || is_thread_index(p->source, n))
            return true;
        if (n->kind == CXCursor_UnaryOperator) {
            char op[4];
            node_operator(p->source, n, op);
            if (!op[0] || !strcmp(op, "*"))
                return true;
        }
    }
    return false;
}

/* Is `n` executed or repeated under a condition that differs, which began after the variable did? */
static bool controlled(struct pointers *p, const struct node *n, const struct node *decl)
{
    for (const struct node *c = n, *u = n->parent; u && u != p->function; c = u, u = u->parent) {
        if (u->kind != CXCursor_IfStmt && u->kind != CXCursor_SwitchStmt && u->kind != CXCursor_ConditionalOperator &&
            !node_is_loop(u))
            continue;
        /* A variable that is born in the loop's body starts anew in each turn. */
        if (tree_inside(decl, u) && !(u->kind == CXCursor_ForStmt && decl->parent && decl->parent->parent == u))
            return false;
        /* Of a loop, all but the body; of the others, the condition. */
        const struct node *body = node_is_loop(u) ? loop_body(u) : NULL;
        for (const struct node *part = u->child; part; part = body ? part->next : NULL)
            if (part != c && part != body && !kind_is_statement(part->kind) && differs(p, part))
                return true;
    }
    return false;
}

static void find_differences(struct pointers *p)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (struct node *n = p->function; n; n = tree_next(p->function, n)) {
            struct node *target = NULL;
            struct var *v = NULL;
            const struct node *value = n;
            if (n->kind == CXCursor_VarDecl) {
                v = n->var;
                value = initializer(n);
                if (!value && clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(n->cursor)))
                    continue;
            } else if (node_writes(p->source, n, &target)) {
                target = node_strip(target);
                while (target && target->child && target->kind == CXCursor_MemberRefExpr)
                    target = node_strip(target->child);
                v = target && target->kind == CXCursor_DeclRefExpr ? target->var : NULL;
                value = n->kind == CXCursor_BinaryOperator && n->child ? n->child->next : n;
            }
            if (!v || v->per_thread)
                continue;
            v->per_thread = v->is_reference || !value || differs(p, value) || controlled(p, n, v->decl);
            changed = changed || v->per_thread;
        }
    }
}

void pointers_find(struct pointers *p, struct source *s, struct node *function)
{
    *p = (struct pointers){.source = s, .function = function};
    find_variables(p);
    find_uses(p);
    find_differences(p);
}

void pointers_free(struct pointers *p)
{
    VEC_FREE(&p->var);
    VEC_FREE(&p->access);
    VEC_FREE(&p->escape);
}
