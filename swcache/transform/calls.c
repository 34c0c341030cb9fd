/* See calls.h. */
#include "transform/calls.h"
#include "transform/pointers.h"

struct search {
    struct calls *calls;
    unsigned effects;
    bool ours; /* the function is CUDA's own */
};

struct tell_tale {
    const char *word;
    unsigned effects;
};

/* The text of an asm statement says what it is. Words that stand for nothing but arithmetic have none of these. */
static unsigned asm_effects(struct calls *c, CXCursor statement)
{
    static const struct tell_tale tell[] = {
        {"bar.sync", CALL_ORDERS | CALL_BLOCK},
        {"bar.red", CALL_ORDERS | CALL_BLOCK},
        {"bar.arrive", CALL_ORDERS | CALL_BLOCK},
        {"barrier", CALL_ORDERS | CALL_BLOCK}, /* mbarrier too */
        {"bar.warp", CALL_ORDERS | CALL_WARP},
        {"fence", CALL_ORDERS},
        {"membar", CALL_ORDERS},
        {"cp.async", CALL_ORDERS},
        {"griddep", CALL_ORDERS},
        {"shfl", CALL_WARP},
        {"vote", CALL_WARP},
        {"match.", CALL_WARP},
        {"redux", CALL_WARP},
        {"activemask", CALL_WARP},
        {"elect", CALL_WARP},
        {"mma", CALL_WARP},
        {"matrix", CALL_WARP},
        {"st.", CALL_WRITES},
        {"atom", CALL_WRITES},
        {"red.", CALL_WRITES},
        {"exit", CALL_OPAQUE},
        {"call", CALL_OPAQUE},
        {"bra", CALL_OPAQUE},
        {"volatile.", CALL_OPAQUE},
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
    return n ? effects : CALL_ORDERS | CALL_WRITES | CALL_BLOCK | CALL_WARP;
}

static unsigned look_up(const char *name, const struct tell_tale *tell, bool anywhere)
{
    unsigned effects = 0;
    for (; tell->word; tell++)
        if (anywhere ? strstr(name, tell->word) != NULL : !strncmp(name, tell->word, strlen(tell->word)))
            effects |= tell->effects;
    return effects;
}

/* What is compiled into clang has no body; names tell. */
static unsigned builtin_effects(const char *name)
{
    static const struct tell_tale warp[] = {
        {"shfl", CALL_WARP},       {"vote", CALL_WARP}, {"match", CALL_WARP},  {"redux", CALL_WARP},
        {"activemask", CALL_WARP}, {"mma", CALL_WARP},  {"ballot", CALL_WARP}, {NULL, 0}};
    static const struct tell_tale others[] = {{"bar", CALL_ORDERS | CALL_BLOCK | CALL_WRITES},
                                              {"sync", CALL_ORDERS | CALL_BLOCK | CALL_WRITES},
                                              {"wait", CALL_ORDERS | CALL_BLOCK | CALL_WRITES},
                                              {"arrive", CALL_ORDERS | CALL_BLOCK | CALL_WRITES},
                                              {"fence", CALL_ORDERS | CALL_WRITES},
                                              {"pipeline", CALL_ORDERS | CALL_WRITES},
                                              {"cp_async", CALL_ORDERS | CALL_WRITES},
                                              {"atom", CALL_WRITES},
                                              {"mem", CALL_WRITES},
                                              {"store", CALL_WRITES},
                                              {"__st", CALL_WRITES},
                                              {NULL, 0}};
    unsigned effects = look_up(name, warp, true);
    return effects ? effects : look_up(name, others, true);
}

/* By name, whatever weir's headers make of it. */
static unsigned named_effects(const char *name)
{
    static const struct tell_tale known[] = {{"__syncthreads", CALL_ORDERS | CALL_BLOCK},
                                             {"weir_syncthreads", CALL_ORDERS | CALL_BLOCK},
                                             {"__barrier_sync", CALL_ORDERS | CALL_BLOCK},
                                             {"__syncwarp", CALL_ORDERS | CALL_WARP},
                                             {"__threadfence", CALL_ORDERS},
                                             {"__nv_fence", CALL_ORDERS},
                                             {"__pipeline_", CALL_ORDERS},
                                             {"__shfl", CALL_WARP},
                                             {"__ballot", CALL_WARP},
                                             {"__all", CALL_WARP},
                                             {"__any", CALL_WARP},
                                             {"__activemask", CALL_WARP},
                                             {"__match_", CALL_WARP},
                                             {"__reduce_", CALL_WARP},
                                             {NULL, 0}};
    /* Cooperative groups and barriers of the standard library. */
    static const struct tell_tale members[] = {{"sync", CALL_ORDERS | CALL_BLOCK | CALL_WARP},
                                               {"wait", CALL_ORDERS | CALL_BLOCK | CALL_WARP},
                                               {"arrive", CALL_ORDERS | CALL_BLOCK | CALL_WARP},
                                               {NULL, 0}};
    return look_up(name, known, false) | look_up(name, members, false);
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

/* In a template, before its parameters are known: T(x), or a function's name, of which any that has it may be meant. */
static unsigned unresolved_effects(struct calls *c, const struct node *call)
{
    const struct node *first = call->child;
    if (first && (first->kind == CXCursor_TypeRef || first->kind == CXCursor_TemplateRef))
        return 0;
    first = first ? first->child : NULL;
    if (!first || first->kind != CXCursor_OverloadedDeclRef)
        return CALL_OPAQUE; /* a function pointer, a member */
    unsigned effects = 0, n = clang_getNumOverloadedDecls(first->cursor);
    for (unsigned i = 0; i < n; i++) {
        CXCursor f = clang_getOverloadedDecl(first->cursor, i);
        enum CXCursorKind k = clang_getCursorKind(f);
        effects |= k == CXCursor_FunctionDecl || k == CXCursor_FunctionTemplate ? function_effects(c, f) : CALL_OPAQUE;
    }
    return n ? effects : CALL_OPAQUE;
}

unsigned calls_effects(struct calls *c, const struct node *call)
{
    CXCursor f = clang_getCursorReferenced(call->cursor);
    enum CXCursorKind k = clang_getCursorKind(f);
    if (clang_Cursor_isNull(f))
        return unresolved_effects(c, call);
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
