/*
 * What changes outside the kernels' bodies: the twins' signatures, the launches, the library's #include.
 *
 * A launch becomes a choice that the library makes by measuring; the original launch is one of its two branches. A
 * launch that is not changed runs the original kernel, so leaving one alone is always right.
 */
#include "transform/writer.h"

#include <ctype.h>
#include <stdio.h>

/* ---- twins ---- */

struct declarations {
    CXCursor kernel; /* canonical */
    VEC(CXCursor) all;
};

static CXCursor general(CXCursor f)
{
    CXCursor pattern = clang_getSpecializedCursorTemplate(f);
    return clang_getCanonicalCursor(clang_Cursor_isNull(pattern) ? f : pattern);
}

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data)
{
    struct declarations *d = data;
    enum CXCursorKind k = clang_getCursorKind(c);
    if (k == CXCursor_Namespace || k == CXCursor_LinkageSpec || k == CXCursor_UnexposedDecl)
        return CXChildVisit_Recurse;
    if ((k == CXCursor_FunctionDecl || k == CXCursor_FunctionTemplate) &&
        clang_equalCursors(clang_getCanonicalCursor(c), d->kernel) && !clang_isCursorDefinition(c))
        VEC_PUSH(&d->all, c);
    return CXChildVisit_Continue;
}

/* A new name and one more parameter for this declaration of the kernel. NULL, or why not. */
static const char *edit_signature(struct edits *e, const struct source *s, const struct node *declaration,
                                  const struct changed_kernel *k)
{
    const struct node *last = NULL, *first = NULL;
    for (const struct node *c = declaration->child; c; c = c->next)
        if (c->kind == CXCursor_ParmDecl) {
            last = c;
            first = first ? first : c;
        }
    unsigned name;
    size_t name_n = strlen(k->name);
    clang_getFileLocation(clang_getCursorLocation(declaration->cursor), NULL, NULL, NULL, &name);
    if (!declaration->in_file || !last || !last->in_file || name + name_n > s->bytes ||
        strncmp(s->text + name, k->name, name_n) || s->text[source_skip_blank(s, last->end)] != ')')
        return "its head is not plain text";
    if (memmem(s->text + name, last->end - name, "...", 3))
        return "it takes any number of parameters";
    edits_replace(e, name, name + (unsigned)name_n, k->twin);
    struct text t = {0};
    unsigned line = last->end, column = first->begin;
    while (line > 0 && s->text[line - 1] != '\n')
        line--;
    while (column > 0 && s->text[column - 1] != '\n')
        column--;
    size_t longer = strlen(k->twin) - name_n, width = last->end - line + (name >= line ? longer : 0) + 32;
    text_addf(&t, ",");
    if (width > LINE_WIDTH) /* under the first parameter */
        text_addf(&t, "\n%*s", (int)(first->begin - column + longer), "");
    else
        text_addf(&t, " ");
    /* Further lines of parameters move along. */
    for (unsigned at = name; longer && at < last->end; at++)
        if (s->text[at] == '\n' && strspn(s->text + at + 1, " ") + 8 > first->begin - column) {
            char spaces[256];
            snprintf(spaces, sizeof spaces, "%*s", (int)longer, "");
            edits_wrap(e, at + 1, 0, at + 1, spaces, "");
        }
    text_addf(&t, "swcache::Extents<%d> %s", __builtin_popcount(k->cached), emit_extents_name(s));
    if (k->own_shared)
        text_addf(&t, ", unsigned %s", emit_own_bytes_name(s));
    if (k->cached)
        edits_wrap(e, last->end, 0, last->end, t.p, "");
    text_free(&t);
    return NULL;
}

static void add_behind(struct edits *file, const struct source *s, struct edits *e, unsigned begin, unsigned end,
                       const char *before, const char *after)
{
    struct text t = {0};
    text_addf(&t, "%s", before);
    edits_render(s, e, begin, end, "", &t);
    text_addf(&t, "%s", after);
    edits_wrap(file, end, 0, end, t.p, "");
    text_free(&t);
}

const char *emit_twin(struct edits *file, struct edits *split, struct source *s, const struct node *function,
                      struct changed_kernel *k)
{
    struct declarations d = {.kernel = clang_getCanonicalCursor(k->cursor)};
    const char *why = edit_signature(split, s, function, k);
    if (why)
        return why;
    struct text comment = {0};
    char *indent = emit_indent(s, function->begin);
    struct text lines = {0};
    text_add(&lines, "", 0);
    if (k->lines)
        text_addf(&lines, "using %s = %s;\n%s", k->lines, k->lines_type, indent);
    clang_visitChildren(clang_getTranslationUnitCursor(s->tu), collect, &d);
    text_addf(&comment, "\n\n%s// %s with a software cache; launches choose.\n%s%s", indent, k->name, indent,
              d.all.n ? "" : lines.p);
    add_behind(file, s, split, function->begin, function->end, comment.p, "");
    k->known_from = function->end;
    k->first_use = function->begin;
    for (size_t i = 0; i < d.all.n; i++) {
        struct node *declaration = tree_build(s, d.all.p[i]);
        struct edits e = {0};
        unsigned end = declaration->in_file ? source_skip_blank(s, declaration->end) : 0;
        if (end && s->text[end] == ';' && !edit_signature(&e, s, declaration, k)) {
            struct text t = {0};
            edits_render(s, &e, declaration->begin, declaration->end, "", &t);
            struct text line = {0};
            text_addf(&line, "\n%s%s%s;", indent, i ? "" : lines.p, t.p);
            edits_wrap(file, end + 1, 0, end + 1, line.p, "");
            text_free(&line);
            text_free(&t);
            k->known_from = end < k->known_from ? end : k->known_from;
            k->first_use = declaration->begin < k->first_use ? declaration->begin : k->first_use;
        }
        edits_free(&e);
    }
    text_free(&comment);
    text_free(&lines);
    free(indent);
    VEC_FREE(&d.all);
    return NULL;
}

/* ---- launches ---- */

struct search {
    struct edits *file;
    struct source *s;
    const changed_list *changed;
    struct notes *notes;
    unsigned n;
};

/* The parts of kernel<<<grid, block, bytes, stream>>>(arguments); */
struct launch {
    struct node *call;
    const struct changed_kernel *kernel;
    unsigned callee_end;
    unsigned part[4][2];
    unsigned n_part;
    unsigned past; /* the semicolon */
};

/* Two evaluations are as good as one: constants, variables, arithmetic and dim3. */
static bool is_repeatable(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = text[i], next = i + 1 < n ? text[i + 1] : 0;
        if ((c == '+' && next == '+') || (c == '-' && next == '-'))
            return false;
        if (c == '=' && next != '=' && !(i && strchr("=<>!", text[i - 1])))
            return false;
        if (c != '(')
            continue;
        size_t end = i;
        while (end > 0 && text[end - 1] == ' ')
            end--;
        size_t begin = end;
        while (begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_'))
            begin--;
        static const char *const pure[] = {"dim3",   "min",  "max", "sizeof",           "unsigned", "int",
                                           "size_t", "data", "get", "raw_pointer_cast", NULL};
        /* No name: brackets, or a cast; f<int>(x) is neither. */
        bool known = begin == end && !(end > 0 && text[end - 1] == '>' && !memmem(text, end, "_cast<", 6));
        for (int k = 0; pure[k]; k++)
            known |= end - begin == strlen(pure[k]) && !memcmp(text + begin, pure[k], end - begin);
        if (!known)
            return false;
    }
    return true;
}

static const struct changed_kernel *find_kernel(const struct search *q, CXCursor call, const char *name, size_t n)
{
    CXCursor f = clang_getCursorReferenced(call);
    f = clang_Cursor_isNull(f) ? f : general(f);
    for (size_t i = 0; i < q->changed->n; i++) {
        const struct changed_kernel *k = &q->changed->p[i];
        if (clang_equalCursors(f, clang_getCanonicalCursor(k->cursor)))
            return k;
        /* In a template, the kernel is only a name. */
        if (clang_Cursor_isNull(f) && !k->is_overloaded && strlen(k->name) == n && !strncmp(k->name, name, n))
            return k;
    }
    return NULL;
}

static bool in_macro(const struct source *s, unsigned at)
{
    for (size_t i = 0; i < s->macro.n; i++)
        if (s->macro.p[i].begin <= at && at < s->macro.p[i].end)
            return true;
    return false;
}

/* Reads the configuration; false when this is no launch of a changed kernel. */
static bool read_launch(const struct search *q, struct node *call, struct launch *l)
{
    const struct source *s = q->s;
    const char *open = call->in_file ? memmem(s->text + call->begin, call->end - call->begin, "<<<", 3) : NULL;
    if (!open)
        return false;
    *l = (struct launch){.call = call, .callee_end = (unsigned)(open - s->text)};
    size_t name_n = strcspn(s->text + call->begin, " \t\n<");
    l->kernel = find_kernel(q, call->cursor, s->text + call->begin, name_n);
    for (unsigned from = l->callee_end + 3; l->kernel && l->n_part < 4;) {
        unsigned to = source_find(s, from, call->end, ",>");
        while (to < call->end && s->text[to] == '>' && strncmp(s->text + to, ">>>", 3))
            to = source_find(s, to + 1, call->end, ",>");
        unsigned *part = l->part[l->n_part++], next = to + 1;
        bool last = to >= call->end || s->text[to] == '>';
        part[0] = source_skip_blank(s, from);
        while (to > part[0] && isspace((unsigned char)s->text[to - 1]))
            to--;
        part[1] = to;
        if (last)
            break;
        from = next;
    }
    while (l->callee_end > call->begin && isspace((unsigned char)s->text[l->callee_end - 1]))
        l->callee_end--;
    return l->kernel != NULL;
}

/* ", swcache::extents(a, b)": the arguments that are cached structures, once more. NULL, or why not. */
static const char *add_extents(const struct search *q, const struct launch *l, struct text *out)
{
    const struct source *s = q->s;
    const char *comma = "";
    if (clang_Cursor_getNumArguments(l->call->cursor) < (int)l->kernel->n_param)
        return "not all of its arguments are given";
    text_add(out, "", 0);
    if (!l->kernel->cached)
        return NULL;
    text_addf(out, ", swcache::extents(");
    for (unsigned i = 0; i < MAX_STRUCTURES; i++) {
        if (!(l->kernel->cached >> i & 1))
            continue;
        CXCursor arg = clang_Cursor_getArgument(l->call->cursor, l->kernel->param[i]);
        CXSourceRange range = clang_getCursorExtent(arg);
        CXFile file;
        unsigned begin, end;
        clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
        clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
        if (!file || !clang_File_isEqual(file, s->file) || begin >= end || end > s->bytes || source_in_macro(s, begin))
            return "its arguments are not plain text";
        if (!is_repeatable(s->text + begin, end - begin))
            return "an argument would be computed twice";
        if ((end - begin == 1 && s->text[begin] == '0') || !strncmp(s->text + begin, "nullptr", 7))
            return "an argument is a null pointer";
        text_addf(out, "%s%.*s", comma, (int)(end - begin), s->text + begin);
        comma = ", ";
    }
    text_addf(out, ")");
    return NULL;
}

/* The names of namespaces before the kernel's. */
static size_t qualifier_bytes(const struct source *s, const struct launch *l)
{
    const char *text = s->text + l->call->begin;
    size_t n = l->callee_end - l->call->begin, name_n = strlen(l->kernel->name), before = strcspn(text, "<");
    before = before < n ? before : n;
    while (before > 0 && isspace((unsigned char)text[before - 1]))
        before--;
    return before - (name_n < before ? name_n : before);
}

/* Why the launch cannot become a choice; NULL: it can. */
static const char *launch_refused(const struct search *q, struct launch *l)
{
    const struct source *s = q->s;
    const struct node *n = l->call;
    if (in_macro(s, n->begin))
        return "it is a macro's argument";
    if (strncmp(s->text + n->begin + qualifier_bytes(s, l), l->kernel->name, strlen(l->kernel->name)))
        return "the kernel's name does not stand right before its configuration";
    while (n->parent && n->parent->kind == CXCursor_UnexposedExpr)
        n = n->parent;
    l->past = source_skip_blank(s, l->call->end);
    if (!n->parent || !kind_is_statement(n->parent->kind) || s->text[l->past] != ';')
        return "it is a part of an expression";
    if (l->n_part < 2)
        return "its configuration is not plain text";
    bool asks = l->n_part > 2 && (l->part[2][1] != l->part[2][0] + 1 || s->text[l->part[2][0]] != '0');
    if (asks && l->kernel->structures && !l->kernel->own_shared)
        return "it asks for dynamic shared memory already";
    if (asks && l->kernel->structures && !is_repeatable(s->text + l->part[2][0], l->part[2][1] - l->part[2][0]))
        return "its shared memory would be computed twice";
    if (l->kernel->is_template && l->kernel->structures &&
        !memchr(s->text + l->call->begin, '<', l->callee_end - l->call->begin))
        return "which instance of the template it means is not in the text";
    if (l->kernel->known_from > l->call->begin)
        return "the cached kernel is defined after it";
    if (!is_repeatable(s->text + l->part[1][0], l->part[1][1] - l->part[1][0]))
        return "its block size would be computed twice";
    return NULL;
}

/* The callee of the twin: the kernel's own text with the other name, template arguments included. */
static void add_callee(const struct source *s, const struct launch *l, struct text *out)
{
    const char *text = s->text + l->call->begin;
    size_t n = l->callee_end - l->call->begin, name_n = strlen(l->kernel->name), before = qualifier_bytes(s, l);
    text_addf(out, "%.*s%s%.*s", (int)before, text, l->kernel->twin, (int)(n - before - name_n),
              text + before + name_n);
}

/* What the launch asks for already. */
static void add_own_bytes(const struct source *s, const struct launch *l, struct text *out)
{
    if (l->kernel->own_shared)
        text_addf(out, ", %.*s", l->n_part > 2 ? (int)(l->part[2][1] - l->part[2][0]) : 1,
                  l->n_part > 2 ? s->text + l->part[2][0] : "0");
}

/* Shared memory for the twin's lines; empty: it has none. */
static void add_room(const struct source *s, const struct launch *l, const char *callee, struct text *out)
{
    const struct changed_kernel *k = l->kernel;
    int block_n = (int)(l->part[1][1] - l->part[1][0]);
    const char *block = s->text + l->part[1][0];
    text_add(out, "", 0);
    if (!k->structures) {
        if (l->n_part > 2)
            text_add(out, s->text + l->part[2][0], l->part[2][1] - l->part[2][0]);
        return;
    }
    if (k->lines)
        text_addf(out, "swcache::shared_bytes<%.*s%s>(%s, %.*s", (int)qualifier_bytes(s, l), s->text + l->call->begin,
                  k->lines, callee, block_n, block);
    else
        text_addf(out, "swcache::shared_bytes(%s, %.*s, %u", callee, block_n, block, k->structures);
    add_own_bytes(s, l, out);
    text_addf(out, ")");
}

/* The launch of the twin: *head up to the bracket of its arguments, *arguments the rest. */
static void add_twin_launch(const struct source *s, const struct launch *l, const char *extents, struct text *head,
                            struct text *arguments)
{
    struct text callee = {0}, room = {0};
    add_callee(s, l, &callee);
    add_room(s, l, callee.p, &room);
    text_addf(head, "%s<<<%.*s%s%s", callee.p, (int)(l->part[1][1] - l->part[0][0]), s->text + l->part[0][0],
              room.n ? ", " : "", room.p);
    unsigned rest = l->n_part > 2 ? l->part[2][1] : l->part[1][1];
    unsigned close =
        rest + (unsigned)((const char *)memmem(s->text + rest, l->call->end - rest, ">>>", 3) - (s->text + rest));
    unsigned open = source_skip_blank(s, close + 3);
    text_addf(head, "%.*s>>>(", (int)(close - rest), s->text + rest);
    text_addf(arguments, "%.*s%s", (int)(l->call->end - 1 - (open + 1)), s->text + open + 1, extents);
    add_own_bytes(s, l, arguments);
    text_addf(arguments, ");");
    text_free(&callee);
    text_free(&room);
}

/* [&] { launch; } on one line, or on several. */
static void add_lambda(const char *two, const char *step, const struct text *head, const struct text *arguments,
                       size_t before, struct text *out)
{
    size_t one_line = strlen(two) + head->n + arguments->n;
    if (one_line + before + strlen("[&] {  });") < LINE_WIDTH)
        text_addf(out, "[&] { %s%s }", head->p, arguments->p);
    else if (one_line + strlen(step) < LINE_WIDTH)
        text_addf(out, "[&] {%s%s%s%s%s}", two, step, head->p, arguments->p, two);
    else
        text_addf(out, "[&] {%s%s%s%s%s%s%s%s}", two, step, head->p, two, step, step, arguments->p, two);
}

static void write_choice(const struct source *s, const struct launch *l, const char *extents, struct text *out)
{
    static const char *const tuners[] = {"tuner", "swcache_tuner", NULL};
    const struct node *call = l->call;
    const char *tuner = emit_fresh_name(s, tuners);
    char *indent = emit_indent(s, call->begin);
    const char *step = strchr(indent, '\t') ? "\t" : "    ";
    struct text head = {0}, arguments = {0}, plain = {0}, rest = {0}, two = {0}, stream = {0};
    add_twin_launch(s, l, extents, &head, &arguments);
    unsigned open = call->end;
    while (open > call->begin && strncmp(s->text + open, ">>>", 3))
        open--;
    open = source_skip_blank(s, open + 3) + 1;
    text_add(&plain, s->text + call->begin, open - call->begin);
    text_addf(&rest, "%.*s;", (int)(call->end - open), s->text + open);
    text_addf(&stream, "%.*s, ", l->n_part > 3 ? (int)(l->part[3][1] - l->part[3][0]) : 1,
              l->n_part > 3 ? s->text + l->part[3][0] : "0");
    text_addf(&two, "\n%s%s%s", indent, step, step);
    text_addf(out, "{\n%s%sstatic thread_local swcache::Tuner %s; // measures both, then takes the faster one\n",
              indent, step, tuner);
    text_addf(out, "%s%s%s.launch(%s%s", indent, step, tuner, two.p, stream.p);
    add_lambda(two.p, step, &plain, &rest, stream.n, out);
    text_addf(out, ",%s", two.p);
    add_lambda(two.p, step, &head, &arguments, 0, out);
    text_addf(out, ");\n%s}", indent);
    struct text *const all[] = {&head, &arguments, &plain, &rest, &two, &stream};
    for (int i = 0; i < 6; i++)
        text_free(all[i]);
    free(indent);
}

static void change_launch(struct search *q, struct node *call)
{
    struct launch l;
    if (!read_launch(q, call, &l))
        return;
    struct text extents = {0}, out = {0};
    const char *why = launch_refused(q, &l);
    if (!why)
        why = add_extents(q, &l, &extents);
    if (why)
        notes_add(q->notes, SWCACHE_LEFT_ALONE, call->begin, "%s: this launch is not changed: %s", l.kernel->name, why);
    else {
        write_choice(q->s, &l, extents.p, &out);
        edits_replace(q->file, call->begin, l.past + 1, out.p);
        q->n++;
    }
    text_free(&extents);
    text_free(&out);
}

static bool runs_on_device(const struct node *function)
{
    for (const struct node *c = function->child; c; c = c->next)
        if (c->kind == CXCursor_CUDAGlobalAttr || c->kind == CXCursor_CUDADeviceAttr)
            return true;
    return false;
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct search *q = data;
    enum CXCursorKind k = clang_getCursorKind(c);
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
    if (!file || !clang_File_isEqual(file, q->s->file))
        return CXChildVisit_Continue;
    bool is_function = k == CXCursor_FunctionDecl || k == CXCursor_FunctionTemplate || k == CXCursor_CXXMethod ||
                       k == CXCursor_Constructor || k == CXCursor_Destructor || k == CXCursor_ConversionFunction;
    if (!is_function)
        return clang_isDeclaration(k) ? CXChildVisit_Recurse : CXChildVisit_Continue;
    struct node *f = tree_build(q->s, c);
    if (!runs_on_device(f))
        for (struct node *n = f; n; n = tree_next(f, n))
            if (n->kind == CXCursor_CallExpr)
                change_launch(q, n);
    return CXChildVisit_Continue;
}

unsigned emit_launches(struct edits *file, struct source *s, const changed_list *changed, struct notes *notes)
{
    struct search q = {file, s, changed, notes, 0};
    clang_visitChildren(clang_getTranslationUnitCursor(s->tu), visit, &q);
    return q.n;
}

/* ---- the library ---- */

/* Is this place outside of all braces? */
static bool at_top_level(const struct source *s, unsigned at)
{
    for (unsigned from = 0; from < at;) {
        unsigned open = source_find(s, from, at, "{"), close = open < at ? source_match(s, open) : at;
        if (open < at && (close == 0 || close > at))
            return false;
        from = close + 1;
    }
    return true;
}

void emit_include(struct edits *file, const struct source *s, const changed_list *changed)
{
    unsigned after = 0, before = (unsigned)s->bytes;
    int depth = 0;
    if (strstr(s->text, "swcache_auto.cuh"))
        return;
    for (size_t i = 0; i < changed->n; i++)
        before = changed->p[i].first_use < before ? changed->p[i].first_use : before;
    /* After the last #include before the kernels that stands alone: under no condition, in no namespace. */
    for (size_t i = 0; i < s->directive.n && s->directive.p[i] < before; i++) {
        const char *word = s->text + s->directive.p[i] + 1;
        word += strspn(word, " \t");
        depth += !strncmp(word, "if", 2);
        depth -= !strncmp(word, "endif", 5);
        if (depth == 0 && !strncmp(word, "include", 7) && at_top_level(s, s->directive.p[i]))
            after = (unsigned)(word - s->text) + (unsigned)strcspn(word, "\n");
    }
    if (after) {
        edits_wrap(file, after, 0, after, "\n#include <swcache_auto.cuh>", "");
        return;
    }
    /* No include: after the comment that opens the file, and after a byte-order mark, which is no text elsewhere. */
    const unsigned mark = strncmp(s->text, "\xef\xbb\xbf", 3) ? 0 : 3;
    unsigned at = source_skip_blank(s, mark);
    while (at > mark && s->text[at - 1] != '\n')
        at--;
    edits_wrap(file, at, 0, at, "#include <swcache_auto.cuh>\n", "");
}
