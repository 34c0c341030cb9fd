/* See transform.h: kernels in the order of the file, then their launches, then the text. */
#include "transform/transform.h"
#include "transform/emit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct job {
    const struct swcache_options *options;
    struct source source;
    struct calls calls;
    struct notes notes;
    struct edits edits;
    changed_list changed;
    unsigned n_loop;
};

static bool has_attribute(const struct node *n, enum CXCursorKind kind)
{
    for (const struct node *c = n->child; c; c = c->next)
        if (c->kind == kind)
            return true;
    return false;
}

/* What makes a kernel as a whole untouchable. */
static const char *kernel_refused(const struct node *f)
{
    for (const struct node *n = f; n; n = tree_next(f, n)) {
        if (n->kind == CXCursor_GotoStmt || n->kind == CXCursor_IndirectGotoStmt || n->kind == CXCursor_LabelStmt)
            return "it jumps with goto";
        if (n->kind == CXCursor_CXXTryStmt)
            return "it handles exceptions";
    }
    return NULL;
}

/* The kernel has dynamic shared memory of its own. */
static bool has_own_shared(const struct node *f)
{
    for (const struct node *n = f; n; n = tree_next(f, n)) {
        if (n->kind == CXCursor_VarDecl && clang_Cursor_getStorageClass(n->cursor) == CX_SC_Extern)
            return true;
        if (n->kind != CXCursor_DeclRefExpr)
            continue;
        CXCursor d = clang_getCursorReferenced(n->cursor);
        if (clang_getCursorKind(d) == CXCursor_VarDecl && clang_Cursor_getStorageClass(d) == CX_SC_Extern &&
            clang_getCanonicalType(clang_getCursorType(d)).kind == CXType_IncompleteArray)
            return true;
    }
    return false;
}

/* Edits are made between tokens; where a line goes on after a backslash they might end up within one. */
static bool has_continued_line(const struct source *s, const struct node *f)
{
    for (const char *at = s->text + f->begin, *end = s->text + f->end; (at = memchr(at, '\\', (size_t)(end - at)));
         at++)
        if (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))
            return true;
    return false;
}

static bool uses_cache_already(const struct source *s, const struct node *f)
{
    return memmem(s->text + f->begin, f->end - f->begin, "swcache::", 9) != NULL;
}

struct same_name {
    const char *name;
    CXCursor kernel, scope;
    bool anywhere; /* `using namespace` brings in other scopes */
    bool found;
};

static enum CXChildVisitResult find_name(CXCursor c, CXCursor parent, CXClientData data)
{
    struct same_name *q = data;
    enum CXCursorKind k = clang_getCursorKind(c);
    if (k == CXCursor_FunctionDecl || k == CXCursor_FunctionTemplate) {
        CXString name = clang_getCursorSpelling(c);
        if (!strcmp(clang_getCString(name), q->name) && !clang_equalCursors(clang_getCanonicalCursor(c), q->kernel) &&
            (q->anywhere || clang_equalCursors(clang_getCursorSemanticParent(c), q->scope)))
            q->found = true;
        clang_disposeString(name);
    }
    return k == CXCursor_Namespace || k == CXCursor_LinkageSpec ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

/* Other functions have the kernel's name, so that the name alone is no function. */
static bool is_overloaded(const struct source *s, CXCursor kernel, const char *name)
{
    struct same_name q = {.name = name,
                          .kernel = clang_getCanonicalCursor(kernel),
                          .scope = clang_getCursorSemanticParent(kernel),
                          .anywhere = strstr(s->text, "using namespace") != NULL};
    clang_visitChildren(clang_getTranslationUnitCursor(s->tu), find_name, &q);
    return q.found;
}

static void describe(struct job *j, const struct pointers *p, const struct unit *u, const char *name)
{
    struct text t = {0};
    const char *comma = "";
    for (unsigned k = 0; k < p->n_structure; k++)
        if (u->cached >> k & 1) {
            text_addf(&t, "%s'%s' (%s)", comma, p->structure[k].param->name,
                      u->written >> k & 1 ? "read and written" : "read only");
            comma = ", ";
        }
    notes_add(&j->notes, SWCACHE_CACHED, u->loop->begin, "%s: this loop %s; cached%s: %s", name,
              u->form == FORM_SLICES                         ? "is split"
              : u->form == FORM_SCAN || u->form == FORM_NEST ? "is a scan"
                                                             : "goes through the cache",
              u->alias_safe ? ", safe for aliases" : "", t.p);
    text_free(&t);
}

/* kernel_cached, or with a number where that is taken. */
static char *twin_name(const struct job *j, const char *kernel)
{
    for (unsigned i = 1;; i++) {
        char *name, number[16];
        snprintf(number, sizeof number, "%u", i);
        if (asprintf(&name, "%s_cached%s", kernel, i > 1 ? number : "") < 0)
            return xstrdup(kernel);
        const char *const choice[] = {name, "", NULL};
        bool taken = emit_fresh_name(&j->source, choice) != name;
        for (size_t k = 0; k < j->changed.n; k++)
            taken |= !strcmp(j->changed.p[k].twin, name);
        if (!taken)
            return name;
        free(name);
    }
}

static void transform_kernel(struct job *j, struct node *f)
{
    struct source *s = &j->source;
    const char *name = source_string(s, clang_getCursorSpelling(f->cursor)), *why = kernel_refused(f);
    if (!f->in_file)
        why = "not all of it is in this file";
    if (source_in_macro(s, f->begin))
        for (const struct node *c = f->child; c && !why; c = c->next)
            if (c->kind == CXCursor_CompoundStmt && source_in_macro(s, c->begin))
                why = "it is expanded from a macro";
    if (f->in_file && has_continued_line(s, f))
        why = "a line of it ends in a backslash";
    if (uses_cache_already(s, f))
        why = "it uses the cache already";
    if (!clang_Cursor_isNull(clang_getSpecializedCursorTemplate(f->cursor)))
        why = "it is a special case of a template";
    if (why) {
        notes_add(&j->notes, SWCACHE_LEFT_ALONE, f->begin, "%s: kernel not transformed: %s", name, why);
        return;
    }
    struct pointers p;
    pointers_find(&p, s, f);
    unit_list units = {0};
    size_t n_note = j->notes.note.n;
    units_find(&units, &p, &j->calls, j->options, &j->notes, name);
    units_agree(&units);
    struct changed_kernel changed = {
        .cursor = f->cursor, .name = name, .is_template = f->kind == CXCursor_FunctionTemplate};
    for (size_t i = 0; i < units.n; i++) {
        const struct unit *u = &units.p[i];
        unsigned n = form_has_cache(u->form) ? (unsigned)__builtin_popcount(u->cached) : 0;
        changed.structures = n > changed.structures ? n : changed.structures;
        changed.cached |= unit_extents(u);
    }
    for (struct node *c = f->child; c; c = c->next)
        if (c->kind == CXCursor_ParmDecl) {
            for (unsigned k = 0; k < p.n_structure; k++)
                if (p.structure[k].param->decl == c)
                    changed.param[k] = changed.n_param;
            changed.n_param++;
        }
    changed.own_shared = changed.structures && has_own_shared(f);
    changed.is_overloaded = is_overloaded(s, f->cursor, name);
    changed.twin = twin_name(j, name);
    emit_name_lines(s, &changed, &units);
    struct edits split = {0};
    for (size_t i = 0; i < units.n; i++)
        emit_unit(&split, &p, &changed, &units, (unsigned)i);
    if (units.n)
        why = emit_twin(&j->edits, &split, s, f, &changed);
    else if (j->notes.note.n == n_note)
        why = "none of its loops streams through memory via its pointer parameters";
    if (why)
        notes_add(&j->notes, SWCACHE_LEFT_ALONE, f->begin, "%s: kernel not transformed: %s", name, why);
    if (units.n && !why) {
        for (size_t i = 0; i < units.n; i++)
            describe(j, &p, &units.p[i], name);
        j->n_loop += (unsigned)units.n;
        VEC_PUSH(&j->changed, changed);
    } else
        changed_free(&changed);
    edits_free(&split);
    units_free(&units);
    pointers_free(&p);
}

static bool in_main_file(const struct source *s, CXCursor c)
{
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
    return file && clang_File_isEqual(file, s->file);
}

/* A kernel of a file that the source includes. */
static void note_elsewhere(struct job *j, CXCursor kernel)
{
    struct swcache_note n = {.kind = SWCACHE_LEFT_ALONE};
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(kernel), &file, &n.line, &n.col, NULL);
    n.file = xstrdup(file ? source_string(&j->source, clang_getFileName(file)) : "");
    if (asprintf(&n.text, "%s: kernel not transformed: it is in another file; transform that one",
                 source_string(&j->source, clang_getCursorSpelling(kernel))) < 0)
        n.text = xstrdup("");
    VEC_PUSH(&j->notes.note, n);
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct job *j = data;
    enum CXCursorKind k = clang_getCursorKind(c);
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
        return CXChildVisit_Continue;
    if (k == CXCursor_FunctionDecl || k == CXCursor_FunctionTemplate) {
        struct node *f = clang_isCursorDefinition(c) ? tree_build(&j->source, c) : NULL;
        if (!f || !has_attribute(f, CXCursor_CUDAGlobalAttr))
            return CXChildVisit_Continue;
        if (in_main_file(&j->source, c))
            transform_kernel(j, f);
        else
            note_elsewhere(j, c);
        return CXChildVisit_Continue;
    }
    return k == CXCursor_Namespace || k == CXCursor_LinkageSpec || k == CXCursor_UnexposedDecl ? CXChildVisit_Recurse
                                                                                               : CXChildVisit_Continue;
}

static int by_place(const void *a, const void *b)
{
    const struct swcache_note *x = a, *y = b;
    if (!x->file != !y->file)
        return x->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->col < y->col ? -1 : x->col > y->col;
}

static int too_deep(const struct source *s, struct err *e)
{
    unsigned line, col;
    source_place(s, s->too_deep - 1, &line, &col);
    err_at(e, s->path, (int)line, (int)col, "nested deeper than %d levels", TREE_DEPTH);
    return err_hint(e, "split it into several statements");
}

static int transform(const struct swcache_options *options, struct swcache_result *result, struct err *e)
{
    struct job j = {.options = options};
    *result = (struct swcache_result){0};
    int rc = source_open(&j.source, options, e);
    if (rc == 0) {
        j.calls.source = j.notes.source = &j.source;
        clang_visitChildren(clang_getTranslationUnitCursor(j.source.tu), visit, &j);
        if (j.changed.n) {
            result->n_launch = emit_launches(&j.edits, &j.source, &j.changed, &j.notes);
            emit_include(&j.edits, &j.source, &j.changed);
        }
        rc = j.source.too_deep ? too_deep(&j.source, e) : 0;
    }
    if (rc == 0) {
        struct text out = {0};
        text_add(&out, "", 0);
        edits_render(&j.source, &j.edits, 0, (unsigned)j.source.bytes, "", &out);
        if (j.notes.note.n)
            qsort(j.notes.note.p, j.notes.note.n, sizeof *j.notes.note.p, by_place);
        result->text = out.p;
        result->bytes = out.n;
        result->note = j.notes.note.p;
        result->n_note = j.notes.note.n;
        result->n_kernel = (unsigned)j.changed.n;
        result->n_loop = j.n_loop;
        result->nodes = j.source.nodes;
        result->visits = j.source.visits;
    }
    edits_free(&j.edits);
    calls_free(&j.calls);
    for (size_t i = 0; i < j.changed.n; i++)
        changed_free(&j.changed.p[i]);
    VEC_FREE(&j.changed);
    source_close(&j.source);
    return rc;
}

struct call {
    const struct swcache_options *options;
    struct swcache_result *result;
    struct err *e;
    int rc;
};

static void *on_own_stack(void *data)
{
    struct call *c = data;
    c->rc = transform(c->options, c->result, c->e);
    return NULL;
}

/* On a thread, for the sake of its stack: the main thread's holds about 5,000 levels. */
__attribute__((visibility("default"))) int swcache_transform(const struct swcache_options *options,
                                                             struct swcache_result *result, struct err *e)
{
    struct call c = {options, result, e, -1};
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, TREE_STACK_BYTES);
    const int failed = pthread_create(&thread, &attr, on_own_stack, &c);
    pthread_attr_destroy(&attr);
    if (failed)
        return err_set(e, "cannot start the transformer's thread: %s", strerror(failed));
    pthread_join(thread, NULL);
    return c.rc;
}
