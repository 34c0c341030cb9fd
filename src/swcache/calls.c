/* See calls.h. */
#include "swcache/calls.h"
#include "swcache/pointers.h"

struct search {
    struct calls *calls;
    unsigned effects;
    bool ours; /* the function is CUDA's own */
};

static unsigned function_effects(struct calls *c, CXCursor function);

/* The text of an asm statement says what it is. Words that stand for nothing but arithmetic have none of these. */
static unsigned asm_effects(struct calls *c, CXCursor statement)
{
    static const struct {
        const char *word;
        unsigned effects;
    } tell[] = {
        {"bar.", CALL_ORDERS},     {"barrier", CALL_ORDERS},   {"fence", CALL_ORDERS},   {"membar", CALL_ORDERS},
        {"mbarrier", CALL_ORDERS}, {"cp.async", CALL_ORDERS},  {"griddep", CALL_ORDERS}, {"exit", CALL_OPAQUE},
        {"st.", CALL_WRITES},      {"atom", CALL_WRITES},      {"red.", CALL_WRITES},    {"call", CALL_OPAQUE},
        {"bra", CALL_OPAQUE},      {"volatile.", CALL_OPAQUE},
    };
    unsigned effects = 0, n = 0;
    CXToken *token;
    clang_tokenize(c->source->tu, clang_getCursorExtent(statement), &token, &n);
    for (unsigned i = 0; i < n; i++) {
        if (clang_getTokenKind(token[i]) != CXToken_Literal)
            continue;
        CXString text = clang_getTokenSpelling(c->source->tu, token[i]);
        for (size_t k = 0; k < sizeof tell / sizeof *tell; k++)
            if (strstr(clang_getCString(text), tell[k].word))
                effects |= tell[k].effects;
        clang_disposeString(text);
    }
    clang_disposeTokens(c->source->tu, token, n);
    /* Built by a macro: nothing to read. */
    return n ? effects : CALL_ORDERS | CALL_WRITES;
}

/* What is compiled into clang has no body; names tell. */
static unsigned builtin_effects(const char *name)
{
    static const char *const orders[] = {"bar",    "sync",     "fence",    "membar", "wait",
                                         "arrive", "pipeline", "cp_async", NULL};
    /* Exchanges within a warp order no memory. */
    if (strstr(name, "shfl") || strstr(name, "vote") || strstr(name, "match") || strstr(name, "redux"))
        return 0;
    for (int i = 0; orders[i]; i++)
        if (strstr(name, orders[i]))
            return CALL_ORDERS | CALL_WRITES;
    if (strstr(name, "atom") || strstr(name, "memcpy") || strstr(name, "memset") || strstr(name, "memmove") ||
        strstr(name, "store") || strstr(name, "__st"))
        return CALL_WRITES;
    return 0;
}

/* A fence by name, whatever weir's headers make of it. */
static unsigned named_effects(const char *name)
{
    static const char *const orders[] = {"__syncthreads",    "__syncwarp",  "__threadfence", "__barrier_sync",
                                         "weir_syncthreads", "__pipeline_", "__nv_fence",    NULL};
    for (int i = 0; orders[i]; i++)
        if (!strncmp(name, orders[i], strlen(orders[i])))
            return CALL_ORDERS;
    return !strcmp(name, "sync") || !strcmp(name, "wait") || !strncmp(name, "arrive", 6) ||
                   !strcmp(name, "barrier_wait") || !strcmp(name, "thread_block_barrier")
               ? CALL_ORDERS
               : 0;
}

static bool is_local(CXCursor declaration)
{
    CXCursor parent = clang_getCursorSemanticParent(declaration);
    enum CXCursorKind k = clang_getCursorKind(parent);
    return (k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_FunctionTemplate ||
            k == CXCursor_Constructor || k == CXCursor_ConversionFunction || k == CXCursor_LambdaExpr) &&
           clang_Cursor_getStorageClass(declaration) != CX_SC_Static;
}

static enum CXChildVisitResult first_child(CXCursor c, CXCursor parent, CXClientData data)
{
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

/* Does this lvalue lie in a variable of the function itself? */
static bool is_own(CXCursor lvalue)
{
    for (;;) {
        enum CXCursorKind k = clang_getCursorKind(lvalue);
        CXCursor inner = clang_getNullCursor();
        if (k == CXCursor_DeclRefExpr) {
            CXCursor decl = clang_getCursorReferenced(lvalue);
            enum CXTypeKind t = clang_getCanonicalType(clang_getCursorType(decl)).kind;
            return is_local(decl) && t != CXType_LValueReference && t != CXType_RValueReference;
        }
        clang_visitChildren(lvalue, first_child, &inner);
        if (clang_Cursor_isNull(inner))
            return false;
        if (k == CXCursor_MemberRefExpr && type_is_pointer(clang_getCursorType(inner)))
            return false;
        if (k == CXCursor_ArraySubscriptExpr) {
            /* An array's own element, unless the base is a pointer variable. */
            CXCursor array = clang_getNullCursor();
            clang_visitChildren(inner, first_child, &array);
            if (clang_Cursor_isNull(array) ||
                clang_getCanonicalType(clang_getCursorType(array)).kind != CXType_ConstantArray)
                return false;
            lvalue = array;
            continue;
        }
        if (k != CXCursor_ParenExpr && k != CXCursor_MemberRefExpr && k != CXCursor_UnexposedExpr)
            return false;
        lvalue = inner;
    }
}

static enum CXChildVisitResult search_body(CXCursor c, CXCursor parent, CXClientData data)
{
    struct search *s = data;
    switch (clang_getCursorKind(c)) {
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
        s->effects |= s->ours ? asm_effects(s->calls, c) : CALL_OPAQUE;
        break;
    case CXCursor_CallExpr: {
        struct node call = {.cursor = c, .kind = CXCursor_CallExpr};
        s->effects |= calls_effects(s->calls, &call);
        break;
    }
    case CXCursor_CompoundAssignOperator:
    case CXCursor_BinaryOperator:
    case CXCursor_UnaryOperator: {
        /* The text of another file is not at hand: any operator whose operand is not the function's own variable may
         * be a write, unless its type is a value's. */
        CXCursor left = clang_getNullCursor();
        clang_visitChildren(c, first_child, &left);
        enum CXCursorKind k = clang_getCursorKind(left);
        bool converted = k == CXCursor_UnexposedExpr;
        bool lvalue = k == CXCursor_DeclRefExpr || k == CXCursor_ArraySubscriptExpr || k == CXCursor_MemberRefExpr ||
                      k == CXCursor_UnaryOperator || k == CXCursor_ParenExpr;
        if (!converted && lvalue && !is_own(left))
            s->effects |= CALL_WRITES;
        break;
    }
    default:
        break;
    }
    return CXChildVisit_Recurse;
}

static unsigned function_effects(struct calls *c, CXCursor function)
{
    const char *name = source_string(c->source, clang_getCursorSpelling(function));
    bool ours = clang_Location_isInSystemHeader(clang_getCursorLocation(function)) != 0;
    unsigned known = named_effects(name);
    for (size_t i = 0; i < c->memo.n; i++)
        if (clang_equalCursors(c->memo.p[i].function, function))
            return c->memo.p[i].done ? c->memo.p[i].effects : CALL_OPAQUE; /* recursion is not followed */
    size_t slot = c->memo.n;
    VEC_PUSH(&c->memo, (struct call_memo){.function = function, .effects = known});
    CXCursor body = clang_getCursorDefinition(function);
    unsigned effects;
    if (clang_Cursor_isNull(body))
        effects = known | (ours || !strncmp(name, "__builtin", 9) || !strncmp(name, "__nv", 4) ? builtin_effects(name)
                                                                                               : CALL_OPAQUE);
    else {
        struct search s = {.calls = c, .effects = known, .ours = ours};
        clang_visitChildren(body, search_body, &s);
        effects = s.effects;
    }
    c->memo.p[slot].effects = effects;
    c->memo.p[slot].done = true;
    return effects;
}

unsigned calls_effects(struct calls *c, const struct node *call)
{
    CXCursor f = clang_getCursorReferenced(call->cursor);
    enum CXCursorKind k = clang_getCursorKind(f);
    if (clang_Cursor_isNull(f))
        return CALL_OPAQUE; /* a call that depends on a template's parameter, a function pointer */
    if (k == CXCursor_Constructor || k == CXCursor_CXXMethod || k == CXCursor_ConversionFunction ||
        k == CXCursor_FunctionDecl || k == CXCursor_FunctionTemplate || k == CXCursor_Destructor) {
        if (clang_CXXMethod_isVirtual(f))
            return CALL_OPAQUE;
        /* Members that the compiler writes copy or move; they have no body to search. */
        if (clang_CXXMethod_isDefaulted(f))
            return CALL_WRITES;
        if (k == CXCursor_Constructor && clang_Cursor_isNull(clang_getCursorDefinition(f)) &&
            clang_isPODType(clang_getCanonicalType(clang_getCursorType(call->cursor))))
            return 0;
        return function_effects(c, f);
    }
    return CALL_OPAQUE;
}

void calls_free(struct calls *c)
{
    VEC_FREE(&c->memo);
}
