/*
 * Launches and the library's #include. A launch that is not changed is still right: without shared memory the kernel
 * finds no room for lines and goes to memory.
 */
#include "swcache/emit.h"

#include <ctype.h>
#include <stdio.h>

struct search {
    struct edits *file;
    struct source *s;
    const changed_list *changed;
    struct notes *notes;
    unsigned n;
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
        static const char *const pure[] = {"dim3", "min", "max", "sizeof", "unsigned", "int", "size_t", NULL};
        bool known = begin == end;
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
    CXCursor general = clang_getSpecializedCursorTemplate(f);
    f = clang_getCanonicalCursor(clang_Cursor_isNull(general) ? f : general);
    for (size_t i = 0; i < q->changed->n; i++) {
        const struct changed_kernel *k = &q->changed->p[i];
        if (clang_equalCursors(f, clang_getCanonicalCursor(k->cursor)))
            return k;
        /* In a template, the kernel is only a name. */
        if (clang_Cursor_isNull(f) && strlen(k->name) == n && !strncmp(k->name, name, n))
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

static void leave(struct search *q, unsigned at, const char *kernel, const char *why)
{
    notes_add(q->notes, SWCACHE_LEFT_ALONE, at,
              "%s: this launch is left alone: %s; without shared memory the cache is off", kernel, why);
}

static void change_launch(struct search *q, CXCursor call, unsigned begin, unsigned end)
{
    const struct source *s = q->s;
    const char *open = memmem(s->text + begin, end - begin, "<<<", 3);
    if (!open)
        return;
    unsigned callee_end = (unsigned)(open - s->text), at = callee_end + 3, cut[4], n = 0;
    size_t name_n = strcspn(s->text + begin, " \t\n<");
    const struct changed_kernel *k = find_kernel(q, call, s->text + begin, name_n);
    if (!k)
        return;
    while (callee_end > begin && isspace((unsigned char)s->text[callee_end - 1]))
        callee_end--;
    for (unsigned from = at; n < 4;) {
        cut[n] = source_find(s, from, end, ",>");
        while (cut[n] < end && s->text[cut[n]] == '>' && strncmp(s->text + cut[n], ">>>", 3))
            cut[n] = source_find(s, cut[n] + 1, end, ",>");
        if (cut[n] >= end || s->text[cut[n++]] == '>')
            break;
        from = cut[n - 1] + 1;
    }
    if (in_macro(s, begin)) {
        leave(q, begin, k->name, "it is a macro's argument");
        return;
    }
    if (n < 2 || cut[n - 1] >= end || s->text[cut[n - 1]] != '>') {
        leave(q, begin, k->name, "its configuration is not plain text");
        return;
    }
    if (k->is_overloaded || (k->is_template && !memchr(s->text + begin, '<', callee_end - begin))) {
        leave(q, begin, k->name, "the kernel's name alone does not say which one it is");
        return;
    }
    unsigned block = source_skip_blank(s, cut[0] + 1);
    size_t block_n = cut[1] - block;
    while (block_n && isspace((unsigned char)s->text[block + block_n - 1]))
        block_n--;
    if (!is_repeatable(s->text + block, block_n)) {
        leave(q, begin, k->name, "its block size would be computed twice");
        return;
    }
    struct text t = {0};
    text_addf(&t, "swcache::shared_bytes(%.*s, %.*s, %u)", (int)(callee_end - begin), s->text + begin, (int)block_n,
              s->text + block, k->structures);
    if (n == 2) {

        struct text with_comma = {0};
        text_addf(&with_comma, ", %s", t.p);
        edits_wrap(q->file, cut[1], 0, cut[1], with_comma.p, "");
        text_free(&with_comma);
        q->n++;
    } else {
        unsigned from = source_skip_blank(s, cut[1] + 1), to = cut[2];
        while (to > from && isspace((unsigned char)s->text[to - 1]))
            to--;
        if (to == from + 1 && s->text[from] == '0') {
            edits_replace(q->file, from, to, t.p);
            q->n++;
        } else
            leave(q, begin, k->name, "it asks for dynamic shared memory already");
    }
    text_free(&t);
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct search *q = data;
    CXSourceRange range = clang_getCursorExtent(c);
    CXFile file;
    unsigned begin, end;
    clang_getSpellingLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getSpellingLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    bool here = file && clang_File_isEqual(file, q->s->file);
    if (!here && clang_getCursorKind(parent) == CXCursor_TranslationUnit)
        return CXChildVisit_Continue;
    if (here && clang_getCursorKind(c) == CXCursor_CallExpr && end <= q->s->bytes && begin < end)
        change_launch(q, c, begin, end);
    return CXChildVisit_Recurse;
}

unsigned emit_launches(struct edits *file, struct source *s, const changed_list *changed, struct notes *notes)
{
    struct search q = {file, s, changed, notes, 0};
    clang_visitChildren(clang_getTranslationUnitCursor(s->tu), visit, &q);
    return q.n;
}

void emit_include(struct edits *file, const struct source *s)
{
    unsigned after = 0;
    int depth = 0;
    if (strstr(s->text, "swcache.cuh"))
        return;
    /* After the last #include that no condition holds. */
    for (size_t i = 0; i < s->directive.n; i++) {
        const char *word = s->text + s->directive.p[i] + 1;
        word += strspn(word, " \t");
        depth += !strncmp(word, "if", 2);
        depth -= !strncmp(word, "endif", 5);
        if (depth == 0 && !strncmp(word, "include", 7))
            after = (unsigned)(word - s->text) + (unsigned)strcspn(word, "\n");
    }
    if (after && after < s->bytes) {
        edits_wrap(file, after, 0, after, "\n#include <swcache.cuh>", "");
        return;
    }
    /* No include: after the comment that opens the file. */
    unsigned at = source_skip_blank(s, 0);
    while (at > 0 && s->text[at - 1] != '\n')
        at--;
    edits_wrap(file, at, 0, at, "#include <swcache.cuh>\n", "");
}
