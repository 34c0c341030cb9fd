/* See tree.h. */
#include "transform/tree.h"

#include <ctype.h>
#include <stdio.h>

/* ---- the file ---- */

const char *source_string(struct source *s, CXString string)
{
    const char *c = clang_getCString(string);
    char *copy = arena_strndup(s->arena, c ? c : "", c ? strlen(c) : 0);
    clang_disposeString(string);
    return copy;
}

/* The text as the compiler saw it: an overlay may have changed the file's. */
static int take_text(struct source *s, struct err *e)
{
    const char *text = clang_getFileContents(s->tu, s->file, &s->bytes);
    if (!text)
        return err_at(e, s->path, 0, 0, "libclang lost this file");
    s->text = xstrndup(text, s->bytes);
    return strlen(s->text) == s->bytes ? 0 : err_at(e, s->path, 0, 0, "not a text file: it has zero bytes");
}

static unsigned offset_of(const struct source *s, CXSourceLocation where, bool *in_file)
{
    CXFile file;
    unsigned offset;
    clang_getFileLocation(where, &file, NULL, NULL, &offset);
    *in_file = file && clang_File_isEqual(file, s->file) && offset <= s->bytes;
    return *in_file ? offset : 0;
}

static enum CXChildVisitResult collect_macro(CXCursor c, CXCursor parent, CXClientData data)
{
    struct source *s = data;
    if (clang_getCursorKind(c) != CXCursor_MacroExpansion)
        return CXChildVisit_Continue;
    CXSourceRange range = clang_getCursorExtent(c);
    bool begins, ends;
    struct macro_use m = {.begin = offset_of(s, clang_getRangeStart(range), &begins),
                          .end = offset_of(s, clang_getRangeEnd(range), &ends)};
    if (begins && ends) {
        m.name = (char *)source_string(s, clang_getCursorSpelling(c));
        VEC_PUSH(&s->macro, m);
    }
    return CXChildVisit_Continue;
}

static int by_begin(const void *a, const void *b)
{
    unsigned x = ((const struct macro_use *)a)->begin, y = ((const struct macro_use *)b)->begin;
    return x < y ? -1 : x > y;
}

static void find_directives(struct source *s)
{
    for (unsigned at = 0; at < s->bytes;) {
        unsigned c = at + (unsigned)strspn(s->text + at, " \t");
        if (s->text[c] == '#') {
            unsigned word = c + 1 + (unsigned)strspn(s->text + c + 1, " \t");
            if (strncmp(s->text + word, "pragma", 6))
                VEC_PUSH(&s->directive, c);
        }
        at += (unsigned)strcspn(s->text + at, "\n") + 1;
    }
}

static int first_error(struct source *s, struct err *e)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(s->tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(s->tu, i);
        bool is_error = clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error;
        if (is_error) {
            CXFile file;
            unsigned line, col;
            clang_getFileLocation(clang_getDiagnosticLocation(d), &file, &line, &col, NULL);
            const char *name = file ? source_string(s, clang_getFileName(file)) : s->path;
            err_at(e, name, (int)line, (int)col, "%s", source_string(s, clang_getDiagnosticSpelling(d)));
            err_hint(e, "the file must compile before it can be transformed; try 'weir cc -c'");
        }
        clang_disposeDiagnostic(d);
        if (is_error)
            return -1;
    }
    return 0;
}

int source_open(struct source *s, const struct swcache_options *o, struct err *e)
{
    const char *path = o->path;
    VEC(struct CXUnsavedFile) unsaved = {0};
    *s = (struct source){.path = xstrdup(path), .arena = arena_new()};
    s->index = clang_createIndex(0, 0);
    for (size_t i = 0; i < o->n_mended; i++)
        VEC_PUSH(&unsaved, (struct CXUnsavedFile){o->mended[i].path, o->mended[i].text, o->mended[i].bytes});
    enum CXErrorCode rc = clang_parseTranslationUnit2(s->index, path, o->arg, o->n_arg, unsaved.p, (unsigned)unsaved.n,
                                                      CXTranslationUnit_DetailedPreprocessingRecord, &s->tu);
    VEC_FREE(&unsaved);
    if (rc != CXError_Success || !s->tu) {
        s->tu = NULL;
        return err_at(e, path, 0, 0, "libclang cannot parse this file (error %d)", (int)rc);
    }
    s->file = clang_getFile(s->tu, path);
    if (first_error(s, e) || take_text(s, e))
        return -1;
    clang_visitChildren(clang_getTranslationUnitCursor(s->tu), collect_macro, s);
    if (s->macro.n)
        qsort(s->macro.p, s->macro.n, sizeof *s->macro.p, by_begin);
    find_directives(s);
    return 0;
}

void source_close(struct source *s)
{
    if (s->tu)
        clang_disposeTranslationUnit(s->tu);
    if (s->index)
        clang_disposeIndex(s->index);
    VEC_FREE(&s->macro);
    VEC_FREE(&s->directive);
    free(s->text);
    free(s->path);
    arena_free(s->arena);
}

void source_place(const struct source *s, unsigned offset, unsigned *line, unsigned *col)
{
    clang_getFileLocation(clang_getLocationForOffset(s->tu, s->file, offset), NULL, line, col, NULL);
}

static const struct macro_use *macro_at(const struct source *s, unsigned offset)
{
    struct macro_use key = {.begin = offset};
    return s->macro.n ? bsearch(&key, s->macro.p, s->macro.n, sizeof key, by_begin) : NULL;
}

bool source_in_macro(const struct source *s, unsigned offset)
{
    return macro_at(s, offset) != NULL;
}

const char *source_macro_at(const struct source *s, unsigned offset)
{
    const struct macro_use *m = macro_at(s, offset);
    return m ? m->name : NULL;
}

bool source_has_directive(const struct source *s, unsigned begin, unsigned end)
{
    for (size_t i = 0; i < s->directive.n; i++)
        if (s->directive.p[i] >= begin && s->directive.p[i] < end)
            return true;
    return false;
}

/* ---- text ---- */

/* Past one comment, string or character literal that begins at `at`; `at` itself when none does. */
static unsigned skip_literal(const struct source *s, unsigned at)
{
    const char *t = s->text;
    if (t[at] == '/' && t[at + 1] == '/')
        return at + (unsigned)strcspn(t + at, "\n");
    if (t[at] == '/' && t[at + 1] == '*') {
        const char *close = strstr(t + at + 2, "*/");
        return close ? (unsigned)(close - t) + 2 : (unsigned)s->bytes;
    }
    if (t[at] != '"' && t[at] != '\'')
        return at;
    /* 1'000'000 is no character literal. */
    if (t[at] == '\'' && at && isalnum((unsigned char)t[at - 1]))
        return at + 1;
    char quote = t[at++];
    while (at < s->bytes && t[at] != quote && t[at] != '\n')
        at += t[at] == '\\' ? 2 : 1;
    return at < s->bytes ? at + 1 : (unsigned)s->bytes;
}

unsigned source_skip_blank(const struct source *s, unsigned at)
{
    for (;;) {
        at += (unsigned)strspn(s->text + at, " \t\r\n\\");
        if (s->text[at] != '/' || (s->text[at + 1] != '/' && s->text[at + 1] != '*'))
            return at;
        at = skip_literal(s, at);
    }
}

unsigned source_find(const struct source *s, unsigned from, unsigned to, const char *stops)
{
    int depth = 0;
    while (from < to) {
        unsigned past = skip_literal(s, from);
        if (past != from) {
            from = past;
            continue;
        }
        char c = s->text[from];
        if (depth == 0 && strchr(stops, c))
            return from;
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth < 0)
            return to;
        from++;
    }
    return to;
}

unsigned source_match(const struct source *s, unsigned open)
{
    const char *stop = s->text[open] == '(' ? ")" : s->text[open] == '[' ? "]" : "}";
    unsigned close = source_find(s, open + 1, (unsigned)s->bytes, stop);
    return close < s->bytes ? close : 0;
}

/* ---- nodes ---- */

struct builder {
    struct source *s;
    struct node *parent, *last;
};

static enum CXChildVisitResult add_child(CXCursor c, CXCursor parent, CXClientData data)
{
    struct builder *b = data;
    struct node *n = tree_build(b->s, c);
    n->parent = b->parent;
    if (b->last)
        b->last->next = n;
    else
        b->parent->child = n;
    b->last = n;
    return CXChildVisit_Continue;
}

static void first_operator(const struct source *s, unsigned from, unsigned to, char out[4])
{
    unsigned at = source_skip_blank(s, from), n = 0;
    while (at < to && n < 3 && strchr("+-*/%&|^~!<>=,", s->text[at]))
        out[n++] = s->text[at++];
    out[n] = 0;
    /* A comment may follow at once: "a */
    char *comment = strstr(out, "/*");
    comment = comment ? comment : strstr(out, "//");
    if (comment)
        *comment = 0;
}

bool node_is_postfix(const struct node *n)
{
    return n->child && n->child->begin == n->begin;
}

static void find_operator(const struct source *s, const struct node *n, char out[4])
{
    const struct node *a = n->child, *b = a ? a->next : NULL;
    out[0] = 0;
    if (!n->in_file || !a || source_in_macro(s, n->begin) || source_in_macro(s, a->begin))
        return;
    if (n->kind == CXCursor_UnaryOperator) {
        if (node_is_postfix(n))
            first_operator(s, a->end, n->end, out);
        else {
            first_operator(s, n->begin, a->begin, out);
            /* "-*p": the sign only; the operators of two characters are ++, --, && of labels. */
            if (out[0] && out[1] != out[0])
                out[1] = 0;
            else
                out[out[0] ? 2 : 0] = 0;
            if (out[0] == '*' || out[0] == '!' || out[0] == '~')
                out[1] = 0;
        }
    } else if (b && a->end <= b->begin) {
        first_operator(s, a->end, b->begin, out);
        /* "a = *p", "a + -b": the operators of one character end before the operand's own. */
        static const char *const known[] = {"<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>",
                                            "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", NULL};
        for (int i = 0; known[i]; i++)
            if (!strncmp(out, known[i], strlen(known[i]))) {
                out[strlen(known[i])] = 0;
                return;
            }
        out[1] = out[0] ? 0 : out[1];
    }
}

struct node *tree_build(struct source *s, CXCursor c)
{
    struct node *n = arena_alloc(s->arena, sizeof *n);
    CXSourceRange range = clang_getCursorExtent(c);
    bool begins, ends;
    n->cursor = c;
    n->kind = clang_getCursorKind(c);
    n->begin = offset_of(s, clang_getRangeStart(range), &begins);
    n->end = offset_of(s, clang_getRangeEnd(range), &ends);
    n->in_file = begins && ends && n->begin <= n->end;
    n->visits = &s->visits;
    n->number = ++s->nodes;
    struct builder b = {.s = s, .parent = n};
    if (s->depth == TREE_DEPTH) {
        s->too_deep = n->begin + 1;
    } else {
        s->depth++;
        clang_visitChildren(c, add_child, &b);
        s->depth--;
    }
    n->last = s->nodes;
    find_operator(s, n, n->op); /* once: analyses ask it of every node for every term of an expression */
    return n;
}

struct node *tree_next(const struct node *root, const struct node *at)
{
    ++*at->visits;
    if (at->child)
        return at->child;
    for (; at != root; at = at->parent)
        if (at->next)
            return at->next;
    return NULL;
}

bool tree_inside(const struct node *n, const struct node *ancestor)
{
    if (!n || !ancestor)
        return false;
    ++*n->visits;
    return n->number >= ancestor->number && n->number <= ancestor->last;
}

struct node *tree_child(const struct node *n, unsigned index)
{
    struct node *c = n->child;
    while (c && index--)
        c = c->next;
    return c;
}

void node_operator(const struct source *s, const struct node *n, char out[4])
{
    memcpy(out, n->op, sizeof n->op);
}

bool char_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool kind_is_statement(enum CXCursorKind k)
{
    switch (k) {
    case CXCursor_CompoundStmt:
    case CXCursor_IfStmt:
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
    case CXCursor_DeclStmt:
    case CXCursor_ReturnStmt:
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_NullStmt:
        return true;
    default:
        return false;
    }
}

bool node_is_loop(const struct node *n)
{
    ++*n->visits;
    return n->kind == CXCursor_ForStmt || n->kind == CXCursor_WhileStmt || n->kind == CXCursor_DoStmt;
}

struct node *loop_body(const struct node *loop)
{
    struct node *c = loop->child;
    while (c && c->next && loop->kind != CXCursor_DoStmt)
        c = c->next;
    return c;
}

/* A statement's child that is its condition: a value somebody uses. Only scalars converted to bool stand there, so the
 * conversion (an unexposed node) is what tells: an assignment itself never does. */
bool node_is_discarded(const struct node *n)
{
    const struct node *p = n->parent;
    if (!p)
        return false;
    if (p->kind == CXCursor_UnexposedExpr && p->begin == n->begin && p->end == n->end &&
        clang_getCursorType(p->cursor).kind == CXType_Void)
        return true;
    if (p->kind == CXCursor_CStyleCastExpr)
        return clang_getCursorType(p->cursor).kind == CXType_Void;
    /* Wrappers for temporaries of the full expression. */
    if (p->kind == CXCursor_UnexposedExpr && p->parent && kind_is_statement(p->parent->kind) && !node_is_load(p) &&
        clang_equalTypes(clang_getCursorType(p->cursor), clang_getCursorType(n->cursor)))
        return p->parent->kind != CXCursor_ReturnStmt && p->parent->kind != CXCursor_DeclStmt;
    return kind_is_statement(p->kind) && p->kind != CXCursor_ReturnStmt && p->kind != CXCursor_DeclStmt;
}

bool type_is_pointer(CXType t)
{
    return clang_getCanonicalType(t).kind == CXType_Pointer;
}

bool type_is_scalar(CXType t)
{
    enum CXTypeKind k = clang_getCanonicalType(t).kind;
    return (k >= CXType_FirstBuiltin + 1 && k <= CXType_LastBuiltin && k != CXType_Dependent && k != CXType_Overload) ||
           k == CXType_Pointer || k == CXType_Enum;
}

long long type_bytes(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    return t.kind == CXType_Unexposed || t.kind == CXType_Dependent ? -1 : clang_Type_getSizeOf(t);
}

bool node_is_load(const struct node *n)
{
    const struct node *c = n->child;
    if (n->kind != CXCursor_UnexposedExpr || !c || c->next || n->begin != c->begin || n->end != c->end)
        return false;
    CXType to = clang_getCanonicalType(clang_getCursorType(n->cursor));
    CXType from = clang_getCanonicalType(clang_getCursorType(c->cursor));
    /* A value of scalar type has no qualifiers; an lvalue bound to a reference to const has. */
    return type_is_scalar(to) && to.kind == from.kind && !clang_isConstQualifiedType(to) &&
           !clang_isVolatileQualifiedType(to);
}

struct node *node_strip(struct node *n)
{
    while (n && (n->kind == CXCursor_UnexposedExpr || n->kind == CXCursor_ParenExpr) && n->child && !n->child->next)
        n = n->child;
    return n;
}

bool node_is_at(const struct node *n, CXCursor c)
{
    return !clang_Cursor_isNull(c) && clang_equalRanges(clang_getCursorExtent(n->cursor), clang_getCursorExtent(c)) &&
           n->kind == clang_getCursorKind(c);
}

int node_argument(const struct node *call, const struct node *n)
{
    int count = clang_Cursor_getNumArguments(call->cursor);
    /* By place: cursors also remember how they were come by. */
    for (int i = 0; i < count; i++)
        if (node_is_at(n, clang_Cursor_getArgument(call->cursor, (unsigned)i)))
            return i;
    return -1;
}

const char *node_callee(struct source *s, const struct node *call)
{
    CXCursor f = clang_getCursorReferenced(call->cursor);
    return clang_Cursor_isNull(f) ? "" : source_string(s, clang_getCursorSpelling(f));
}

bool node_same_text(const struct source *s, const struct node *a, const struct node *b)
{
    unsigned x = a->begin, y = b->begin;
    for (;;) {
        while (x < a->end && isspace((unsigned char)s->text[x]))
            x++;
        while (y < b->end && isspace((unsigned char)s->text[y]))
            y++;
        if (x == a->end || y == b->end)
            return x == a->end && y == b->end;
        if (s->text[x++] != s->text[y++])
            return false;
    }
}

bool node_is_decided(const struct source *s, const struct node *n)
{
    const struct node *up = n->parent;
    char op[4] = "";
    ++*n->visits;
    if (up->kind == CXCursor_BinaryOperator)
        node_operator(s, up, op);
    bool decides = up->kind == CXCursor_IfStmt || up->kind == CXCursor_SwitchStmt ||
                   up->kind == CXCursor_ConditionalOperator || !strcmp(op, "&&") || !strcmp(op, "||");
    return decides && n != up->child;
}

bool node_always_in(const struct source *s, const struct node *n, const struct node *root)
{
    for (; n != root; n = n->parent)
        if (node_is_decided(s, n))
            return false;
    return true;
}
