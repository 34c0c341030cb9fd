/*
 * Writes a cached loop into the twin of its kernel: the declaration of the cache, the rewritten accesses, and around
 * them the loop in one of its forms.
 */
#include "transform/writer.h"

#include <ctype.h>
#include <stdio.h>

/* ---- names and white space ---- */

static bool is_used(const struct source *s, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = s->text; (at = strstr(at, name)); at += n)
        if ((at == s->text || !char_is_word(at[-1])) && !char_is_word(at[n]))
            return true;
    return false;
}

const char *emit_fresh_name(const struct source *s, const char *const *choice)
{
    while (choice[1] && is_used(s, *choice))
        choice++;
    return *choice;
}

unsigned writer_line_start(const struct source *s, unsigned at)
{
    while (at > 0 && s->text[at - 1] != '\n')
        at--;
    return at;
}

char *emit_indent(const struct source *s, unsigned at)
{
    unsigned begin = writer_line_start(s, at);
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

unsigned writer_pragmas_above(const struct source *s, unsigned at)
{
    unsigned begin = writer_line_start(s, at);
    if (strspn(s->text + begin, " \t") != at - begin)
        return at;
    while (begin > 0) {
        unsigned above = writer_line_start(s, begin - 1);
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

/* "cache.load<0>(" or "memory.load(text_, ": the name of the way, up to the address. */
static void add_way(const struct writer *w, const struct access *a, enum way way, const char *verb, struct text *out)
{
    if (way == WAY_STEP)
        text_addf(out, "%s.%s(%s, ", w->memory, verb, w->id_name[a->structure]);
    else
        text_addf(out, "%s.%s<%d%s>(", w->cache, verb, w->id[a->structure],
                  /* Slice 2 runs when anything is cached: then the only structure is. */
                  way == WAY_CACHE && !strcmp(verb, "load") && __builtin_popcount(w->u->cached) == 1 ? ", true" : "");
}

static const char *verb_of(const struct writer *w, const struct access *a, enum way way)
{
    bool stores = a->kind == ACCESS_STORE || a->kind == ACCESS_UPDATE;
    if (way == WAY_WATCH)
        return !stores && is_written(w, a->structure) ? "watch_load" : "watch";
    return stores ? "ref" : "load";
}

/* The value of an assignment whose two sides may be evaluated in any order, as the arguments of a function are. NULL:
 * another kind of assignment. */
static struct node *free_value(const struct writer *w, const struct access *a)
{
    struct node *site = a->site, *target, *value = a->at->next;
    if (a->kind != ACCESS_STORE || site->kind != CXCursor_BinaryOperator || !node_is_discarded(site) ||
        a->at->parent != site || !value || value->next || site->end != value->end)
        return NULL;
    /* Not where a macro ends it: there would be no place for a bracket. */
    if (source_find(w->s, value->begin, value->end, ",;)]}") < value->end ||
        !strchr(";,)", w->s->text[source_skip_blank(w->s, value->end)]))
        return NULL;
    bool calls = false;
    for (struct node *n = value; n; n = tree_next(value, n)) {
        if (node_writes(w->s, n, &target) || n->kind == CXCursor_InitListExpr)
            return NULL;
        calls |= n->kind == CXCursor_CallExpr;
        /* What a function gets by address or by reference, it may change. */
        if (n->kind == CXCursor_CallExpr)
            for (struct node *c = n->child; c; c = c->next)
                if (node_argument(n, c) >= 0 &&
                    (type_is_pointer(clang_getCursorType(c->cursor)) || c->kind == CXCursor_DeclRefExpr))
                    return NULL;
    }
    for (struct node *n = a->at; n; n = tree_next(a->at, n)) {
        if (n->kind == CXCursor_CallExpr || node_writes(w->s, n, &target))
            return NULL;
        if (calls && node_is_load(n) && node_strip(n)->kind != CXCursor_DeclRefExpr)
            return NULL; /* the function may change it */
    }
    return value;
}

static char *numbered(const char *name, const char *suffix, unsigned number)
{
    char *result, digits[16] = "";
    if (number)
        snprintf(digits, sizeof digits, "%u", number + 1);
    return asprintf(&result, "%s%s%s", name, suffix, digits) < 0 ? xstrdup(name) : result;
}

/* The variable that keeps an element which a loop asks for twice. NULL: the access keeps none. */
static const struct kept_load *kept_by(const struct writer *w, const struct access *a)
{
    for (size_t i = 0; i < w->u->kept.n; i++)
        if (w->u->kept.p[i].first == a || w->u->kept.p[i].again == a)
            return &w->u->kept.p[i];
    return NULL;
}

static void edit_access(const struct writer *w, struct edits *e, const struct access *a, enum way way)
{
    const struct source *s = w->s;
    struct node *at = a->at, *value = way == WAY_STEP ? free_value(w, a) : NULL;
    const struct kept_load *kept = way == WAY_STEP ? kept_by(w, a) : NULL;
    struct text before = {0};
    if (kept) {
        char *name = numbered(w->kept, "", kept->number);
        text_addf(&before, kept->first == a ? "(%s = " : "%s", name);
        free(name);
        if (kept->again == a) {
            edits_replace(e, at->begin, at->end, before.p);
            text_free(&before);
            return;
        }
    }
    add_way(w, a, way, value ? "store" : verb_of(w, a, way), &before);
    if (a->kind == ACCESS_LDG) {
        unsigned open = source_find(s, at->begin, at->end, "(");
        edits_replace(e, at->begin, open + 1, before.p);
        text_free(&before);
        return;
    }
    const char *after = value ? "" : kept ? "))" : ")";
    unsigned remove = 0;
    if (at->kind == CXCursor_UnaryOperator && at->child) {
        /* *p: the pointer itself; *(p + i): its parentheses become those of the call. */
        remove = at->child->begin - at->begin;
        if (!value && !kept && s->text[at->child->begin] == '(' && source_match(s, at->child->begin) + 1 == at->end) {
            remove++;
            after = "";
        }
    } else
        text_addf(&before, "&");
    edits_wrap(e, at->begin, remove, value ? a->site->end : at->end, before.p, value ? ")" : after);
    if (value)
        edits_wrap(e, at->end, value->begin - at->end, at->end, ", ", "");
    text_free(&before);
}

unsigned writer_gap_before(const struct source *s, unsigned at)
{
    unsigned gap = at;
    while (gap > 0 && isspace((unsigned char)s->text[gap - 1]))
        gap--;
    unsigned line = writer_line_start(s, gap);
    return memmem(s->text + line, gap - line, "//", 2) ? at : gap;
}

/* `first` before the statement: as a statement of its own in a block, else both in braces. */
void writer_precede(const struct writer *w, struct edits *e, const struct node *statement, const char *first)
{
    const struct source *s = w->s;
    const struct node *owner = statement->parent;
    char *inner = emit_indent(s, statement->begin), *outer = owner ? emit_indent(s, owner->begin) : xstrdup("");
    struct text before = {0}, after = {0};
    unsigned end = source_skip_blank(s, statement->end), gap = writer_gap_before(s, statement->begin);
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

/* "char c;" before each loop that keeps an element. */
static void declare_kept(const struct writer *w, struct edits *e)
{
    for (size_t i = 0; i < w->u->kept.n; i++) {
        const struct kept_load *k = &w->u->kept.p[i];
        if (i && w->u->kept.p[i - 1].loop == k->loop)
            continue;
        char *name = numbered(w->kept, "", k->number);
        struct text declaration = {0};
        writer_type(clang_getCursorType(k->first->at->cursor), &declaration);
        text_addf(&declaration, " %s;", name);
        writer_precede(w, e, k->loop, declaration.p);
        text_free(&declaration);
        free(name);
    }
}

void writer_edit_accesses(const struct writer *w, struct edits *e, enum way way)
{
    const struct unit *u = w->u;
    if (way == WAY_STEP)
        declare_kept(w, e);
    const char *flushes = way == WAY_STEP ? w->memory : w->cache;
    struct text t = {0};
    for (size_t i = 0; i < u->access.n; i++)
        edit_access(w, e, u->access.p[i], way);
    for (size_t i = 0; i < u->atomic.n; i++) {
        const struct access *a = u->atomic.p[i];
        for (struct node *c = a->site->child; c; c = c->next)
            if (node_argument(a->site, c) == 0) {
                t.n = 0;
                add_way(w, a, way, "flush_line", &t);
                edits_render(w->s, e, c->begin, c->end, "", &t);
                text_addf(&t, ");");
                writer_precede(w, e, a->site, t.p);
                break;
            }
    }
    t.n = 0;
    text_addf(&t, "%s.flush();", flushes);
    for (size_t i = 0; i < u->order.n; i++)
        writer_precede(w, e, u->order.p[i], t.p);
    text_free(&t);
}

bool writer_needs_parentheses(const struct source *s, const struct node *n)
{
    char op[4] = "";
    if (n->kind == CXCursor_UnexposedExpr && n->child && !n->child->next)
        return writer_needs_parentheses(s, n->child);
    if (n->kind == CXCursor_BinaryOperator)
        node_operator(s, n, op);
    return n->kind == CXCursor_ConditionalOperator || n->kind == CXCursor_CompoundAssignOperator ||
           source_in_macro(s, n->begin) || !strcmp(op, "||") || !strcmp(op, "=") || !strcmp(op, ",");
}

void writer_condition(const struct writer *w, struct edits *e, struct text *out)
{
    text_add(out, "", 0);
    edits_render(w->s, e, w->u->cond[0], w->u->cond[1], w->deeper, out);
}

/* ---- the cache ---- */

/* swcache::Cache<swcache::ReadOnly, ...> */
static void add_cache_type(const struct unit *u, struct text *out)
{
    const char *comma = "";
    text_addf(out, "swcache::Cache<%s", u->alias_safe ? "swcache::AliasSafe, " : "");
    for (unsigned k = 0; k < MAX_STRUCTURES; k++)
        if (u->cached >> k & 1) {
            text_addf(out, "%sswcache::%s", comma,
                      u->written >> k & 1  ? "ReadWrite"
                      : u->window >> k & 1 ? "Window"
                                           : "ReadOnly");
            comma = ", ";
        }
    text_addf(out, ">");
}

void emit_name_lines(const struct source *s, struct changed_kernel *k, const unit_list *units)
{
    int most = 0;
    uint32_t window = 0;
    for (unsigned i = 0; i < units->n; i++) {
        const struct unit *u = &units->p[i];
        /* A window is two lines. */
        int lines = !form_has_cache(u->form) ? 0 : __builtin_popcount(u->cached) + __builtin_popcount(u->window);
        window |= form_has_cache(u->form) ? u->window : 0;
        if (lines > most) {
            most = lines;
            k->lines_of = i;
        }
    }
    if (!window)
        return;
    struct text type = {0};
    add_cache_type(&units->p[k->lines_of], &type);
    k->lines_type = type.p;
    static const char *const ending[] = {"_lines", "_cache_lines", "_swcache_lines", NULL};
    for (int i = 0; !k->lines; i++) {
        char *name;
        if (asprintf(&name, "%s%s", k->name, ending[i]) < 0)
            name = xstrdup(k->name);
        if (is_used(s, name) && ending[i + 1])
            free(name);
        else
            k->lines = name;
    }
}

void changed_free(struct changed_kernel *k)
{
    free(k->twin);
    free(k->lines);
    free(k->lines_type);
}

static void add_declaration(const struct writer *w, const char *line, struct text *out)
{
    const struct unit *u = w->u;
    struct text type = {0}, names = {0};
    if (w->lines)
        text_addf(&type, "%s", w->lines);
    else
        add_cache_type(u, &type);
    text_addf(&names, "//");
    for (unsigned k = 0; k < w->p->n_structure; k++)
        if (u->cached >> k & 1)
            text_addf(&names, "%s %d: %s", w->id[k] ? "," : "", w->id[k], w->p->structure[k].param->name);
    if (w->own_shared)
        text_addf(&type, " %s(%s);", w->cache, emit_own_bytes_name(w->s));
    else
        text_addf(&type, " %s;", w->cache);
    if (u->form != FORM_SLICES) /* the numbers get names */
        text_addf(out, "%s", type.p);
    else if (strlen(line) + type.n + names.n < LINE_WIDTH)
        text_addf(out, "%s %s", type.p, names.p);
    else
        text_addf(out, "%s%s%s", names.p, line, type.p);
    text_free(&type);
    text_free(&names);
    if (u->cached == w->kernel_cached)
        text_addf(out, "%sswcache::within(%s, %s);", line, w->cache, w->extents);
    for (unsigned k = 0, n = 0; k < w->p->n_structure; k++) {
        if (u->cached >> k & 1 && u->cached != w->kernel_cached)
            text_addf(out, "%sswcache::within<%d>(%s, %s, %u);", line, w->id[k], w->cache, w->extents, n);
        n += w->kernel_cached >> k & 1;
    }
    for (unsigned k = 0; k < w->p->n_structure; k++)
        if (w->names >> k & 1 && u->form != FORM_SLICES)
            text_addf(out, "%sconst swcache::Id<%d> %s;", line, w->id[k], w->id_name[k]);
}

/* The statement that a loop is a part of; a pragma in front of it is none. */
static const struct node *holder(const struct node *loop)
{
    const struct node *up = loop->parent;
    while (up && up->kind == CXCursor_UnexposedStmt)
        up = up->parent;
    return up;
}

/* Whether a declaration can stand right before the loop. */
static bool in_block(const struct node *loop)
{
    const struct node *up = holder(loop);
    return up && up->kind == CXCursor_CompoundStmt && up->parent && up->parent->kind != CXCursor_SwitchStmt;
}

const char *emit_own_bytes_name(const struct source *s)
{
    static const char *const names[] = {"own_bytes", "swcache_own_bytes", NULL};
    return emit_fresh_name(s, names);
}

const char *emit_extents_name(const struct source *s)
{
    static const char *const names[] = {"extents", "swcache_extents", NULL};
    return emit_fresh_name(s, names);
}

/* Something else of the kernel has the name of a variable that the loop's head declares. */
static bool head_needs_block(const struct pointers *p, const struct unit *u)
{
    for (size_t i = 0; i < p->var.n; i++) {
        const struct node *d = p->var.p[i]->decl;
        if (u->init[0] == u->init[1] || d->begin < u->init[0] || d->end > u->init[1])
            continue;
        for (size_t k = 0; k < p->var.n; k++)
            if (k != i && !strcmp(p->var.p[k]->name, p->var.p[i]->name))
                return true;
        for (const struct node *n = p->function; n; n = tree_next(p->function, n))
            if (n->kind == CXCursor_DeclRefExpr && !n->var && !strcmp(node_callee(p->source, n), p->var.p[i]->name))
                return true;
    }
    return false;
}

/* An element's type is a template's parameter. */
static bool is_guarded(const struct unit *u)
{
    for (size_t i = 0; i < u->access.n; i++)
        if (u->access.p[i]->dependent)
            return true;
    return false;
}

static bool needs_block(const struct pointers *p, const struct unit *u)
{
    if (u->form == FORM_NEST)
        return true;
    if (u->form == FORM_SCAN) {
        /* "if (a) while (b) ... else ..." must not become "if (a) if (b) ... else ...". */
        bool head = scan_keeps_head(p->source, u);
        if (scan_names_first(u))
            return true;
        return !in_block(u->loop) ? head || !u->scan.bounded : head && head_needs_block(p, u);
    }
    return u->form == FORM_SLICES || !in_block(u->loop) || head_needs_block(p, u) || is_guarded(u);
}

/* The cache of a loop inside another lives across the turns of that: it is declared before it. */
static bool is_outside(const struct unit *u)
{
    return u->outermost != u->loop && in_block(u->outermost);
}

/* What unit v declares is in sight of u. */
static bool sees(const struct pointers *p, const struct unit *u, const struct unit *v)
{
    if (!form_has_cache(v->form) || (!is_outside(v) && needs_block(p, v)))
        return false;
    return tree_inside(u->loop, holder(is_outside(v) ? v->outermost : v->loop));
}

/* An earlier loop under the same outer loop, with the same structures: they share one cache. */
static unsigned cache_owner(const unit_list *units, unsigned number)
{
    const struct unit *u = &units->p[number];
    for (unsigned i = 0; i < number && is_outside(u); i++) {
        const struct unit *v = &units->p[i];
        if (form_has_cache(v->form) && v->outermost == u->outermost && v->cached == u->cached &&
            v->written == u->written && v->alias_safe == u->alias_safe &&
            (v->form == FORM_SLICES) == (u->form == FORM_SLICES))
            return i;
    }
    return number;
}

static int id_of(const struct unit *u, unsigned structure)
{
    return __builtin_popcount(u->cached & ((1u << structure) - 1));
}

/* The loop that declares the name of this structure's number; *taken: the plain name means another number. */
static unsigned id_owner(const struct pointers *p, const unit_list *units, unsigned number, unsigned structure,
                         bool *taken)
{
    const struct unit *u = &units->p[number];
    *taken = false;
    for (unsigned i = 0; i < number; i++) {
        const struct unit *v = &units->p[i];
        if (!(v->cached >> structure & 1) || v->form == FORM_SLICES || !sees(p, u, v))
            continue;
        if (id_of(v, structure) == id_of(u, structure))
            return id_owner(p, units, i, structure, taken);
        *taken = true;
    }
    return number;
}

/* The loops before this one that have a cache. */
static unsigned caches_before(const unit_list *units, unsigned number)
{
    unsigned n = 0;
    for (unsigned i = 0; i < number; i++)
        n += form_has_cache(units->p[i].form);
    return n;
}

/* The name of a structure's number: text_, or another where that is taken. */
static char *id_name(const struct source *s, const char *structure, unsigned number)
{
    static const char *const suffix[] = {"_", "_id", "_number", "_swcache", NULL};
    for (int k = 0;; k++) {
        char *name = numbered(structure, suffix[k], number);
        if (!suffix[k + 1] || !is_used(s, name))
            return name;
        free(name);
    }
}

static void declare_outside(const struct writer *w, struct edits *edits, unsigned number)
{
    unsigned where = writer_pragmas_above(w->s, w->u->outermost->begin);
    char *indent = emit_indent(w->s, where);
    struct text line = {0}, declaration = {0};
    text_addf(&line, "\n%s", indent);
    add_declaration(w, line.p, &declaration);
    text_add(&declaration, line.p, line.n);
    edits_wrap(edits, where, 0, ~0u - 1 - number, declaration.p, "");
    text_free(&declaration);
    text_free(&line);
    free(indent);
}

static void name_all(struct writer *w, const unit_list *units, unsigned number)
{
    static const char *const caches[] = {"cache", "line_cache", "swcache_lines", NULL};
    static const char *const mores[] = {"more", "goes_on", "swcache_more", NULL};
    static const char *const keeps[] = {"c", "got", "kept", "swcache_kept", NULL};
    static const char *const memories[] = {"memory", "through", "swcache_memory", NULL};
    const struct unit *u = w->u;
    /* In a block of its own, the cache can have the same name every time. */
    bool own_block = !is_outside(u) && needs_block(w->p, u);
    w->cache =
        numbered(emit_fresh_name(w->s, caches), "", own_block ? 0 : caches_before(units, cache_owner(units, number)));
    w->memory = emit_fresh_name(w->s, memories);
    w->more = emit_fresh_name(w->s, mores);
    w->kept = writer_free_name(w, keeps);
    w->extents = emit_extents_name(w->s);
    for (unsigned k = 0; k < w->p->n_structure; k++)
        if (u->cached >> k & 1) {
            bool taken;
            unsigned owner = id_owner(w->p, units, number, k, &taken);
            w->id[k] = id_of(u, k);
            w->id_name[k] = id_name(w->s, w->p->structure[k].param->name, taken ? caches_before(units, owner) : 0);
            w->names |= owner == number ? 1u << k : 0;
        }
}

/* The forms that have a cache, with its declaration. */
static void write_cached(const struct writer *w, struct edits *edits, const unit_list *units, unsigned number,
                         struct text *out)
{
    const struct unit *u = w->u;
    if (!is_outside(u)) {
        text_addf(out, "%s", w->one.p);
        add_declaration(w, w->one.p, out);
    } else if (cache_owner(units, number) == number)
        declare_outside(w, edits, number);
    if (u->init[0] < u->init[1]) {
        text_addf(out, "%s", w->one.p);
        edits_render(w->s, NULL, u->init[0], u->init[1], w->deeper, out);
        text_addf(out, ";");
    }
    if (u->form == FORM_RUN)
        write_run(w, out);
    else
        write_slices(w, out);
}

/* "swcache::fits<T>": whether the library can carry elements whose type a template's parameter decides; of those that
 * are written, numbers and pointers. */
static bool add_guard(const struct writer *w, struct text *out)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < w->u->access.n; i++)
        seen |= w->u->access.p[i]->dependent ? 1u << w->u->access.p[i]->structure : 0;
    for (unsigned k = 0; k < w->p->n_structure; k++)
        if (seen >> k & 1) {
            struct text type = {0}, known = {0};
            writer_type(clang_getPointeeType(clang_getCursorType(w->p->structure[k].param->decl->cursor)), &type);
            /* What writes a class may be its own operator. */
            text_addf(&known, is_written(w, k) ? "std::is_scalar_v<%s>" : "swcache::fits<%s>", type.p);
            if (!out->n || !strstr(out->p, known.p))
                text_addf(out, "%s%s", out->n ? " && " : "", known.p);
            text_free(&type);
            text_free(&known);
        }
    return out->n > 0;
}

void emit_unit(struct edits *edits, const struct pointers *p, const struct changed_kernel *kernel,
               const unit_list *units, unsigned number)
{
    const struct source *s = p->source;
    const struct unit *u = &units->p[number];
    bool block = needs_block(p, u);
    struct writer w = {
        .s = s, .p = p, .u = u, .kernel_cached = kernel->cached, .begin = writer_pragmas_above(s, u->loop->begin)};
    w.own_shared = kernel->own_shared;
    w.lines = kernel->lines && kernel->lines_of == number ? kernel->lines : NULL;
    name_all(&w, units, number);
    /* As the branch of an if, on a line of its own: the block opens behind the if. */
    unsigned begin = w.begin, gap = writer_gap_before(s, begin);
    bool braces = block && !(is_guarded(u) && in_block(u->loop)); /* the guard has its own */
    bool branch = block && !in_block(u->loop) && memchr(s->text + gap, '\n', begin - gap);
    w.indent = emit_indent(s, u->loop->begin);
    w.step = indent_step(s, p->function);
    w.deeper = braces && !branch ? w.step : "";
    struct text deeper = {0};
    text_addf(&w.one, "\n%s%s", w.indent, w.deeper);
    text_addf(&w.two, "%s%s", w.one.p, w.step);
    size_t margin = w.one.n;

    struct text out = {0}, all = {0};
    struct text guard = {0};
    if (add_guard(&w, &guard)) {
        text_addf(&out, "%sif constexpr (%s) {", w.one.p, guard.p);
        text_addf(&deeper, "%s%s", w.deeper, w.step);
        w.deeper = deeper.p;
        text_addf(&w.one, "%s", w.step);
        text_addf(&w.two, "%s", w.step);
    }
    if (u->form == FORM_SCAN)
        write_scan(&w, &out);
    else if (u->form == FORM_NEST)
        write_nest(&w, &out);
    else
        write_cached(&w, edits, units, number, &out);
    if (guard.n) { /* elements that the library cannot carry: the loop as it was */
        text_addf(&out, "\n%s%s} else {%s", w.indent, braces && !branch ? w.step : "", w.one.p);
        edits_render(s, NULL, w.begin, u->end, w.deeper, &out);
        text_addf(&out, "\n%s%s}", w.indent, braces && !branch ? w.step : "");
    }
    text_free(&guard);
    if (branch) {
        char *outer = emit_indent(s, holder(u->loop)->begin);
        text_addf(&all, " {%s\n%s}", out.p, outer);
        begin = gap;
        free(outer);
    } else if (braces)
        text_addf(&all, "{%s\n%s}", out.p, w.indent);
    else
        text_addf(&all, "%s", out.p + margin);
    if (begin < u->loop->begin && !branch) { /* pragmas may stand further left */
        struct text indented = {0};
        text_addf(&indented, "%s%s", w.indent, all.p);
        edits_replace(edits, writer_line_start(s, begin), u->end, indented.p);
        text_free(&indented);
    } else
        edits_replace(edits, begin, u->end, all.p);
    text_free(&all);
    text_free(&out);
    text_free(&deeper);
    text_free(&w.one);
    text_free(&w.two);
    for (unsigned k = 0; k < p->n_structure; k++)
        free(w.id_name[k]);
    free(w.indent);
    free(w.step);
    free(w.cache);
}
