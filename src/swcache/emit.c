/*
 * Writes a split loop, as section 1.1 of the paper shows it:
 *
 *     {
 *         swcache::Cache<swcache::ReadOnly> cache; // 0: text
 *         swcache::within(cache, extents);
 *         long i = begin;
 *         // Slice 1: measures how often a line of each structure would hit.
 *         for (; i < end && cache.monitoring(); i++)
 *             ... cache.watch<0>(&text[i]) ...
 *         cache.select();
 *         if (cache.active()) {
 *             // Slice 2: the rest, through the cache.
 *             for (; i < end; i++) ...
 *         } else {
 *             // Slice 3: the rest, as it was.
 *             for (; i < end; i++) ...
 *         }
 *         cache.flush();
 *     }
 *
 * A loop with a barrier asks the whole block (__syncthreads_or): all of it must be in the same slice.
 * A loop that can be left by break, and one whose condition changes something, keeps in `more` whether it goes on.
 */
#include "swcache/emit.h"

#include <ctype.h>
#include <stdio.h>

enum { LINE_WIDTH = 120 };

struct writer {
    const struct source *s;
    const struct pointers *p;
    const struct unit *u;
    const char *cache, *more, *extents; /* names */
    uint32_t kernel_cached;
    bool needs_more;
    char *indent, *step;
    int id[MAX_STRUCTURES];
};

/* ---- names and white space ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_used(const struct source *s, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = s->text; (at = strstr(at, name)); at += n)
        if ((at == s->text || !is_word(at[-1])) && !is_word(at[n]))
            return true;
    return false;
}

const char *emit_fresh_name(const struct source *s, const char *const *choice)
{
    while (choice[1] && is_used(s, *choice))
        choice++;
    return *choice;
}

static unsigned line_start(const struct source *s, unsigned at)
{
    while (at > 0 && s->text[at - 1] != '\n')
        at--;
    return at;
}

char *emit_indent(const struct source *s, unsigned at)
{
    unsigned begin = line_start(s, at);
    return xstrndup(s->text + begin, strspn(s->text + begin, " \t"));
}

/* One level of the file's own indentation: what the kernel's first statement has more than the kernel. */
static char *indent_step(const struct source *s, const struct node *function)
{
    const struct node *body = function->child;
    while (body && body->kind != CXCursor_CompoundStmt)
        body = body->next;
    if (body && body->child) {
        char *outer = emit_indent(s, body->end ? body->end - 1 : 0), *inner = emit_indent(s, body->child->begin);
        size_t n = strlen(outer);
        char *step = strlen(inner) > n && !strncmp(inner, outer, n) ? xstrdup(inner + n) : NULL;
        free(outer);
        free(inner);
        if (step)
            return step;
    }
    return xstrdup("    ");
}

/* The pragmas right above the loop: they must stay right above a loop. Returns where they begin. */
static unsigned pragmas_above(const struct source *s, unsigned at)
{
    unsigned begin = line_start(s, at);
    if (strspn(s->text + begin, " \t") != at - begin)
        return at;
    while (begin > 0) {
        unsigned above = line_start(s, begin - 1);
        unsigned word = above + (unsigned)strspn(s->text + above, " \t");
        if (strncmp(s->text + word, "#pragma", 7))
            break;
        at = word;
        begin = above;
    }
    return at;
}

/* ---- the edits inside a slice ---- */

static bool is_written(const struct writer *w, unsigned structure)
{
    return w->u->written >> structure & 1;
}

static const char *verb(const struct writer *w, const struct access *a, bool watching)
{
    bool stores = a->kind == ACCESS_STORE || a->kind == ACCESS_UPDATE;
    if (!watching)
        return stores ? "ref" : "load";
    return !stores && is_written(w, a->structure) ? "watch_load" : "watch";
}

static void edit_access(const struct writer *w, struct edits *e, const struct access *a, bool watching)
{
    const struct source *s = w->s;
    struct node *at = a->at;
    char before[128];
    int n = snprintf(before, sizeof before, "%s.%s<%d>", w->cache, verb(w, a, watching), w->id[a->structure]);
    if (a->kind == ACCESS_LDG) {
        unsigned open = source_find(s, at->begin, at->end, "(");
        edits_replace(e, at->begin, open, before);
        return;
    }
    const char *after = ")";
    unsigned remove = 0;
    if (at->kind == CXCursor_UnaryOperator && at->child) {
        /* *p: the pointer itself; *(p + i): its parentheses become those of the call. */
        remove = at->child->begin - at->begin;
        if (s->text[at->child->begin] == '(' && source_match(s, at->child->begin) + 1 == at->end) {
            remove++;
            after = "";
        }
        snprintf(before + n, sizeof before - (size_t)n, "(");
    } else
        snprintf(before + n, sizeof before - (size_t)n, "(&");
    edits_wrap(e, at->begin, remove, at->end, before, after);
}

/* Where the white space before a statement begins, if nothing but white space parts it from what it belongs to. */
static unsigned gap_before(const struct source *s, unsigned at)
{
    unsigned gap = at;
    while (gap > 0 && isspace((unsigned char)s->text[gap - 1]))
        gap--;
    unsigned line = line_start(s, gap);
    return memmem(s->text + line, gap - line, "//", 2) ? at : gap;
}

/* `first` before the statement: as a statement of its own in a block, else both in braces. */
static void precede(const struct writer *w, struct edits *e, const struct node *statement, const char *first)
{
    const struct source *s = w->s;
    const struct node *owner = statement->parent;
    char *inner = emit_indent(s, statement->begin), *outer = owner ? emit_indent(s, owner->begin) : xstrdup("");
    struct text before = {0}, after = {0};
    unsigned end = source_skip_blank(s, statement->end), gap = gap_before(s, statement->begin);
    end = s->text[end] == ';' ? end + 1 : statement->end;
    if (owner && owner->kind == CXCursor_CompoundStmt) {
        text_addf(&before, "%s\n%s", first, inner);
        edits_wrap(e, statement->begin, 0, ~0u - 1, before.p, "");
    } else if (memchr(s->text + gap, '\n', statement->begin - gap)) {
        text_addf(&before, " {\n%s%s\n%s", inner, first, inner);
        text_addf(&after, "\n%s}", outer);
        edits_wrap(e, gap, statement->begin - gap, end, before.p, after.p);
    } else {
        text_addf(&before, "{ %s ", first);
        edits_wrap(e, statement->begin, 0, end, before.p, " }");
    }
    text_free(&before);
    text_free(&after);
    free(inner);
    free(outer);
}

static void edit_slice(const struct writer *w, struct edits *e, bool watching)
{
    const struct unit *u = w->u;
    struct text t = {0};
    for (size_t i = 0; i < u->access.n; i++)
        edit_access(w, e, u->access.p[i], watching);
    for (size_t i = 0; i < u->atomic.n; i++) {
        const struct access *a = u->atomic.p[i];
        for (struct node *c = a->site->child; c; c = c->next)
            if (node_argument(a->site, c) == 0) {
                t.n = 0;
                text_addf(&t, "%s.flush_line<%d>(", w->cache, w->id[a->structure]);
                edits_render(w->s, e, c->begin, c->end, "", &t);
                text_addf(&t, ");");
                precede(w, e, a->site, t.p);
                break;
            }
    }
    t.n = 0;
    text_addf(&t, "%s.flush();", w->cache);
    for (size_t i = 0; i < u->order.n; i++)
        precede(w, e, u->order.p[i], t.p);
    for (size_t i = 0; i < u->leave.n && u->written; i++)
        precede(w, e, u->leave.p[i], t.p);
    t.n = 0;
    text_addf(&t, "%s = false;", w->more);
    for (size_t i = 0; i < u->give_up.n && watching; i++)
        precede(w, e, u->give_up.p[i], t.p);
    text_free(&t);
}

/* ---- the slices ---- */

static bool needs_parentheses(const struct source *s, const struct node *n)
{
    char op[4] = "";
    if (n->kind == CXCursor_UnexposedExpr && n->child && !n->child->next)
        return needs_parentheses(s, n->child);
    if (n->kind == CXCursor_BinaryOperator)
        node_operator(s, n, op);
    return n->kind == CXCursor_ConditionalOperator || n->kind == CXCursor_CompoundAssignOperator ||
           source_in_macro(s, n->begin) || !strcmp(op, "||") || !strcmp(op, "=") || !strcmp(op, ",");
}

/* A question to the cache; where threads of a block wait for each other, they must all get the same answer. */
static void together(const struct writer *w, const char *question, char *out, size_t bytes)
{
    snprintf(out, bytes, w->u->has_barrier ? "__syncthreads_or(%s.%s())" : "%s.%s()", w->cache, question);
}

static void add_condition(const struct writer *w, struct edits *e, bool watching, const char *indent, struct text *out)
{
    const struct unit *u = w->u;
    struct text cond = {0};
    text_add(&cond, "", 0);
    edits_render(w->s, e, u->cond[0], u->cond[1], indent, &cond);
    bool wrap = cond.n && needs_parentheses(w->s, u->cond_node);
    const char *open = wrap ? "(" : "", *close = wrap ? ")" : "";
    char watches[96];
    together(w, "monitoring", watches, sizeof watches);
    if (!watching)
        text_add(out, cond.p, cond.n);
    else if (!cond.n)
        text_addf(out, "%s", watches);
    else if (u->loop->kind == CXCursor_DoStmt)
        text_addf(out, "(%s = %s%s%s) && %s", w->more, open, cond.p, close, watches);
    else if (u->cond_changes)
        text_addf(out, "%s && (%s = %s%s%s)", watches, w->more, open, cond.p, close);
    else
        text_addf(out, "%s%s%s && %s", open, cond.p, close, watches);
    text_free(&cond);
}

static void add_loop(const struct writer *w, struct edits *e, bool watching, const char *deeper, struct text *out)
{
    const struct unit *u = w->u;
    const struct node *loop = u->loop;
    if (loop->kind == CXCursor_DoStmt) {
        edits_render(w->s, e, loop->begin, u->cond[0], deeper, out);
        add_condition(w, e, watching, deeper, out);
        edits_render(w->s, e, u->cond[1], u->end, deeper, out);
        return;
    }
    bool empty = !watching && u->cond[0] == u->cond[1];
    text_addf(out, loop->kind != CXCursor_ForStmt ? "while (" : empty ? "for (;" : "for (; ");
    add_condition(w, e, watching, deeper, out);
    unsigned close = u->cond[1];
    if (loop->kind == CXCursor_ForStmt) {
        text_addf(out, u->step[0] < u->step[1] ? "; " : ";");
        edits_render(w->s, e, u->step[0], u->step[1], deeper, out);
        close = u->step[1];
    }
    close = source_skip_blank(w->s, close); /* the head's ')' */
    edits_render(w->s, e, close, u->end, deeper, out);
}

static void add_declaration(const struct writer *w, const char *line, struct text *out)
{
    const struct unit *u = w->u;
    struct text type = {0}, names = {0};
    const char *comma = "";
    text_addf(&type, "swcache::Cache<%s", u->alias_safe ? "swcache::AliasSafe, " : "");
    text_addf(&names, "//");
    for (unsigned k = 0; k < w->p->n_structure; k++)
        if (u->cached >> k & 1) {
            text_addf(&type, "%sswcache::%s", comma, is_written(w, k) ? "ReadWrite" : "ReadOnly");
            text_addf(&names, "%s %d: %s", *comma ? "," : "", w->id[k], w->p->structure[k].param->name);
            comma = ", ";
        }
    text_addf(&type, "> %s;", w->cache);
    if (strlen(line) + type.n + names.n < LINE_WIDTH)
        text_addf(out, "%s %s", type.p, names.p);
    else
        text_addf(out, "%s%s%s", names.p, line, type.p);
    text_free(&type);
    text_free(&names);
    if (u->cached == w->kernel_cached) {
        text_addf(out, "%sswcache::within(%s, %s);", line, w->cache, w->extents);
        return;
    }
    for (unsigned k = 0, n = 0; k < w->p->n_structure; k++) {
        if (u->cached >> k & 1)
            text_addf(out, "%sswcache::within<%d>(%s, %s, %u);", line, w->id[k], w->cache, w->extents, n);
        n += w->kernel_cached >> k & 1;
    }
}

/* Whether a declaration can stand right before the statement. */
static bool in_block(const struct node *n)
{
    return n->parent && n->parent->kind == CXCursor_CompoundStmt && n->parent->parent &&
           n->parent->parent->kind != CXCursor_SwitchStmt;
}

const char *emit_extents_name(const struct source *s)
{
    static const char *const names[] = {"extents", "swcache_extents", NULL};
    return emit_fresh_name(s, names);
}

void emit_unit(struct edits *edits, const struct pointers *p, const struct changed_kernel *kernel, const struct unit *u,
               unsigned n_before)
{
    static const char *const caches[] = {"cache", "line_cache", "swcache_lines", NULL};
    static const char *const mores[] = {"more", "goes_on", "swcache_more", NULL};
    const struct source *s = p->source;
    char numbered[32];
    struct writer w = {.s = s,
                       .p = p,
                       .u = u,
                       .cache = emit_fresh_name(s, caches),
                       .more = emit_fresh_name(s, mores),
                       .extents = emit_extents_name(s),
                       .kernel_cached = kernel->cached};
    bool outside = u->outermost != u->loop && in_block(u->outermost);
    /* Declared in a block of its own, every cache can have the same name; outside, it is seen by those that follow. */
    if (outside && n_before) {
        snprintf(numbered, sizeof numbered, "%s%u", w.cache, n_before + 1);
        w.cache = numbered;
    }
    for (unsigned k = 0, n = 0; k < p->n_structure; k++)
        if (u->cached >> k & 1)
            w.id[k] = (int)n++;
    unsigned begin = pragmas_above(s, u->loop->begin);
    w.needs_more = u->give_up.n || u->cond_changes || u->loop->kind == CXCursor_DoStmt;
    w.indent = emit_indent(s, begin);
    w.step = indent_step(s, p->function);
    struct edits watching = {0}, cached = {0};
    edit_slice(&w, &watching, true);
    edit_slice(&w, &cached, false);

    struct text out = {0}, declaration = {0}, one = {0}, two = {0}, pragma = {0};
    text_addf(&one, "\n%s%s", w.indent, w.step);
    text_addf(&two, "%s%s", one.p, w.step);
    text_add(&pragma, "", 0);
    if (begin < u->loop->begin) {
        edits_render(s, NULL, begin, line_start(s, u->loop->begin), w.step, &pragma);
        text_addf(&pragma, "%s%s%s", w.indent, w.step, w.step);
    }
    text_addf(&out, "{");
    if (!outside) {
        add_declaration(&w, one.p, &declaration);
        text_addf(&out, "%s%s", one.p, declaration.p);
    }
    if (u->init[0] < u->init[1]) {
        text_addf(&out, "%s", one.p);
        edits_render(s, NULL, u->init[0], u->init[1], w.step, &out);
        text_addf(&out, ";");
    }
    if (w.needs_more)
        text_addf(&out, "%sbool %s = true;", one.p, w.more);
    text_addf(&out, "%s// Slice 1: measures how often a line of each structure would hit.%s", one.p, one.p);
    add_loop(&w, &watching, true, w.step, &out);
    text_addf(&out, "%s%s.select();", one.p, w.cache);
    char *twice;
    if (asprintf(&twice, "%s%s", w.step, w.step) < 0)
        twice = xstrdup("");
    char active[96];
    together(&w, "active", active, sizeof active);
    text_addf(&out, "%sif (%s%s%s) {%s// Slice 2: the rest, through the cache.%s%s", one.p, w.needs_more ? w.more : "",
              w.needs_more ? " && " : "", active, two.p, two.p, pragma.p);
    add_loop(&w, &cached, false, twice, &out);
    text_addf(&out, "%s} else%s%s%s {%s// Slice 3: the rest, as it was.%s%s", one.p, w.needs_more ? " if (" : "",
              w.needs_more ? w.more : "", w.needs_more ? ")" : "", two.p, two.p, pragma.p);
    add_loop(&w, NULL, false, twice, &out);
    text_addf(&out, "%s}%s%s.flush();\n%s}", one.p, one.p, w.cache, w.indent);

    edits_replace(edits, begin, u->end, out.p);
    if (outside) {
        unsigned where = pragmas_above(s, u->outermost->begin);
        char *indent = emit_indent(s, where);
        struct text line = {0};
        text_addf(&line, "\n%s", indent);
        add_declaration(&w, line.p, &declaration);
        text_add(&declaration, line.p, line.n);
        edits_wrap(edits, where, 0, ~0u - 1 - n_before, declaration.p, "");
        text_free(&line);
        free(indent);
    }
    text_free(&out);
    text_free(&declaration);
    text_free(&one);
    text_free(&two);
    text_free(&pragma);
    edits_free(&watching);
    edits_free(&cached);
    free(twice);
    free(w.indent);
    free(w.step);
}
