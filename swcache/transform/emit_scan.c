/*
 * The scan form: the library hands out the elements, one per turn.
 *
 *     swcache::scan(&text[begin], &text[end], [&](char c) {
 *         ...
 *     });
 *
 * `continue` becomes return; a turn that can end the loop returns whether to go on. Where the loop may end before its
 * bound, or has none, the library must not read ahead beyond the structure, whose end the launch has asked for:
 *
 *     if (in_row)
 *         swcache::scan_while(&text[i], swcache::end_of(text, extents, 0), [&](char c, const char *at) {
 *             long i = at + 1 - text;
 *             ...
 *             return in_row;
 *         });
 */
#include "transform/writer.h"

#include <ctype.h>
#include <stdio.h>

/* The value that the loop's head gives its variable, in the text; 0: none that could be put elsewhere. */
static unsigned start_value(const struct source *s, const struct unit *u)
{
    const struct node *d = u->scan.v->decl;
    if (d->begin < u->init[0] || d->end > u->init[1] || source_find(s, u->init[0], u->init[1], ",") < u->init[1])
        return 0;
    unsigned equals = source_find(s, d->begin, u->init[1], "=");
    return equals < u->init[1] ? source_skip_blank(s, equals + 1) : 0;
}

bool scan_keeps_head(const struct source *s, const struct unit *u)
{
    if (u->init[0] == u->init[1])
        return false;
    return u->scan.variable == SCAN_VARIABLE_COUNTS || !start_value(s, u);
}

const char *writer_free_name(const struct writer *w, const char *const *choice)
{
    for (; choice[1]; choice++) {
        bool used = false;
        for (const struct node *n = w->u->loop; n && !used; n = tree_next(w->u->loop, n))
            if (n->kind == CXCursor_DeclRefExpr || clang_isDeclaration(n->kind)) {
                CXString name = clang_getCursorSpelling(n->cursor);
                used = !strcmp(clang_getCString(name), *choice);
                clang_disposeString(name);
            }
        if (!used)
            break;
    }
    return *choice;
}

void writer_type(CXType type, struct text *out)
{
    CXString string = clang_getTypeSpelling(type);
    const char *name = clang_getCString(string);
    name += strncmp(name, "const ", 6) ? 0 : 6;
    bool plain = *name != 0;
    for (const char *c = name; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("_: *<>,", *c));
    text_addf(out, "%s", !plain ? "auto" : !strcmp(name, "unsigned int") ? "unsigned" : name);
    clang_disposeString(string);
}

/* The sum of something and the variable, which is to be 0. */
static const struct node *zero_added(const struct source *s, const struct node *variable, const char *instead)
{
    const struct node *n = variable, *sum;
    char op[4] = "";
    while (n->parent && n->parent->kind == CXCursor_UnexposedExpr)
        n = n->parent;
    sum = n->parent;
    if (strcmp(instead, "0") || !sum || sum->kind != CXCursor_BinaryOperator || sum->child->next != n)
        return NULL;
    node_operator(s, sum, op);
    return !strcmp(op, "+") ? sum : NULL;
}

/* The element's address, with something else in the place of the variable; NULL: with the variable. */
static void add_address(const struct writer *w, const char *instead, struct text *out)
{
    const struct scan *scan = &w->u->scan;
    const struct node *element = scan->element, *index = scan->index;
    struct edits e = {0};
    struct text value = {0};
    size_t word = instead ? strspn(instead, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
    text_addf(&value, instead && !scan->exact && instead[word] ? "(%s)" : "%s", instead ? instead : scan->v->name);
    if (scan->step == SCAN_STEP_ELEMENT)
        edits_replace(&e, scan->advance->begin, scan->advance->end, value.p);
    for (const struct node *n = index; n && instead && !e.n; n = tree_next(index, n))
        if (n->kind == CXCursor_DeclRefExpr && n->var == scan->v) {
            const struct node *sum = tree_inside(n->parent, index) ? zero_added(w->s, n, instead) : NULL;
            unsigned begin = sum ? sum->child->end : n->begin;
            edits_replace(&e, begin, n->end, sum ? "" : value.p);
            break;
        }
    if (element->kind == CXCursor_ArraySubscriptExpr) {
        text_addf(out, "&");
        edits_render(w->s, &e, element->begin, element->child->end, w->deeper, out);
        text_addf(out, "[");
        edits_render(w->s, &e, index->begin, index->end, w->deeper, out);
        text_addf(out, "]");
    } else
        edits_render(w->s, &e, index->begin, index->end, w->deeper, out);
    text_free(&value);
    edits_free(&e);
}

/* Where the scan ends: the address of the loop's bound, or the end of the structure. */
static void add_end(const struct writer *w, struct text *out)
{
    const struct scan *scan = &w->u->scan;
    int number = __builtin_popcount(w->kernel_cached & ((1u << scan->structure) - 1));
    if (!scan->bounded) {
        const struct node *base = scan_base(scan->element);
        text_addf(out, "swcache::end_of(%.*s, %s, %d)",
                  scan->v->is_pointer ? (int)strlen(scan->v->name) : (int)(base->end - base->begin),
                  scan->v->is_pointer ? scan->v->name : w->s->text + base->begin, w->extents, number);
        return;
    }
    struct text bound = {0};
    edits_render(w->s, NULL, scan->bound[0], scan->bound[1], w->deeper, &bound);
    if (scan->inclusive)
        text_addf(&bound, " + 1");
    add_address(w, bound.p, out);
    if (scan->limited)
        text_addf(out, ", %s, %d", w->extents, number);
    text_free(&bound);
}

void writer_edit_away(const struct writer *w, struct edits *e, const struct node *statement)
{
    const char *text = w->s->text;
    unsigned end = source_skip_blank(w->s, statement->end), line = writer_line_start(w->s, statement->begin);
    unsigned begin = writer_gap_before(w->s, statement->begin);
    end = text[end] == ';' ? end + 1 : statement->end;
    bool alone = line + strspn(text + line, " \t") == statement->begin && strchr("\r\n", text[end]);
    edits_replace(e, alone && line ? line - 1 : begin, end, "");
}

/* Registers have no addresses: the loop over what the turn looks at must be unrolled. */
static void edit_unroll(const struct writer *w, struct edits *e, const struct node *loop)
{
    unsigned line = writer_line_start(w->s, loop->begin);
    if (line + strspn(w->s->text + line, " \t") == loop->begin &&
        writer_pragmas_above(w->s, loop->begin) == loop->begin)
        edits_wrap(e, line, 0, ~0u - 1, "#pragma unroll\n", "");
}

/* All that names the element gets its name, and what the turn's end needs. */
static void edit_turn(const struct writer *w, struct edits *e, const char *name, const char *last)
{
    const struct unit *u = w->u;
    const struct scan *scan = &u->scan;
    struct text dotted = {0}, counts = {0}, view = {0};
    text_addf(&dotted, "%s.", name);
    text_addf(&counts, "%s++;", scan->v->name);
    for (size_t i = 0; i < scan->name.n; i++) {
        const struct node *n = scan->name.p[i].at, *call = scan->name.p[i].call;
        unsigned begin = call ? call->begin : n->begin, past = source_skip_blank(w->s, n->end);
        const struct node *add = scan->name.p[i].add;
        if (scan->ahead) { /* text[i + k] */
            text_addf(&view, "%s[%.*s]", name, add ? (int)(add->end - add->begin) : 1,
                      add ? w->s->text + add->begin : "0");
            edits_replace(e, begin, n->end, view.p);
            view.n = 0;
        } else if (type_is_pointer(clang_getCursorType(n->cursor))) /* p->x */
            edits_replace(e, begin, source_skip_blank(w->s, past + 2), dotted.p);
        else
            edits_replace(e, begin, n->end, name);
        if (call)
            edits_replace(e, call->end - 1, call->end, "");
    }
    const struct node *goes[] = {scan->declares ? scan->declares->parent : NULL,
                                 scan->step == SCAN_STEP_LAST && scan->variable != SCAN_VARIABLE_COUNTS ? scan->advance
                                                                                                        : NULL};
    for (int i = 0; i < 2; i++)
        if (goes[i])
            writer_edit_away(w, e, goes[i]);
    for (size_t i = 0; i < u->go_on.n; i++) {
        const struct node *n = u->go_on.p[i];
        if (scan->variable == SCAN_VARIABLE_COUNTS && scan->step == SCAN_STEP_HEAD)
            writer_precede(w, e, n, counts.p);
        edits_wrap(e, n->begin, n->end - n->begin, n->end, last, "");
    }
    writer_edit_breaks(w, e);
    for (size_t i = 0; i < scan->inner.n; i++)
        edit_unroll(w, e, scan->inner.p[i]);
    text_free(&view);
    text_free(&dotted);
    text_free(&counts);
}

/* A scan whose turns count from the first element's address has a name for that. */
static const char *first_name(const struct writer *w)
{
    static const char *const names[] = {"first", "from", "begin", "swcache_first", NULL};
    return emit_fresh_name(w->s, names);
}

bool scan_names_first(const struct unit *u)
{
    return u->scan.variable == SCAN_VARIABLE_LOCAL && !u->scan.exact;
}

/* The turn's own copy of the variable: "long i = at - text;". */
static void add_variable(const struct writer *w, const char *at, struct text *out)
{
    const struct scan *scan = &w->u->scan;
    const char *next = scan->step == SCAN_STEP_ELEMENT ? " + 1" : "";
    struct text type = {0};
    if (scan->variable == SCAN_VARIABLE_COUNTS && scan->step == SCAN_STEP_ELEMENT)
        text_addf(out, "%s%s++;", w->two.p, scan->v->name);
    if (scan->variable != SCAN_VARIABLE_LOCAL || (scan->v->is_pointer && !*next))
        return;
    if (scan->v->is_pointer) {
        text_addf(out, "%sconst ", w->two.p);
        writer_type(scan_element_type(scan), out);
        text_addf(out, " *%s = %s%s;", scan->v->name, at, next);
        return;
    }
    const struct node *base = scan_base(scan->element);
    if (scan->wide)
        text_addf(&type, "long");
    else
        writer_type(clang_getCursorType(scan->v->decl->cursor), &type);
    bool cast = strcmp(type.p, "long") && strcmp(type.p, "long long") && strcmp(type.p, "auto");
    text_addf(out, cast ? "%s%s %s = (%s)(" : "%s%s %s = ", w->two.p, type.p, scan->v->name, type.p);
    if (scan->exact)
        text_addf(out, "%s%s - %.*s%s;", at, next, (int)(base->end - base->begin), w->s->text + base->begin,
                  cast ? ")" : "");
    else
        text_addf(out, "%s%s - %s%s;", at, next, first_name(w), cast ? ")" : "");
    text_free(&type);
}

/* swcache::scan(first, last, [&](char c, const char *at) { */
static void add_head(const struct writer *w, const char *name, const char *at, struct text *out)
{
    const struct unit *u = w->u;
    const struct scan *scan = &u->scan;
    struct text first = {0}, last = {0}, lambda = {0};
    unsigned start = start_value(w->s, u);
    if (u->init[0] < u->init[1] && !scan_keeps_head(w->s, u)) {
        struct text value = {0};
        edits_render(w->s, NULL, start, u->init[1], w->deeper, &value);
        add_address(w, value.p, &first);
        text_free(&value);
    } else
        add_address(w, NULL, &first);
    if (scan_names_first(u)) {
        text_addf(out, "%sconst ", w->one.p);
        writer_type(scan_element_type(scan), out);
        text_addf(out, " *%s = %s;", first_name(w), first.p);
        first.n = 0;
        text_addf(&first, "%s", first_name(w));
    }
    add_end(w, &last);
    text_addf(&lambda, "[&](");
    if (scan->ahead)
        text_addf(&lambda, "auto");
    else if (scan->declares && clang_isConstQualifiedType(clang_getCursorType(scan->declares->cursor)))
        text_addf(&lambda, "const ");
    if (!scan->ahead)
        writer_type(scan_element_type(scan), &lambda);
    text_addf(&lambda, " %s", name);
    if (at) {
        text_addf(&lambda, ", const ");
        writer_type(scan_element_type(scan), &lambda);
        text_addf(&lambda, " *%s", at);
    }
    bool is_bool = scan->bounded || writer_is_bool(u->cond_node);
    text_addf(&lambda, ")%s {", is_bool ? "" : " -> bool");
    char call[48];
    if (scan->ahead)
        snprintf(call, sizeof call, "swcache::slide<%d>(", scan->ahead);
    else
        snprintf(call, sizeof call, scan->bounded ? "swcache::scan(" : "swcache::scan_while(");
    size_t width = strlen(w->one.p) + strlen(call) + first.n + last.n + lambda.n + 4;
    text_addf(out, "%s%s%s,", w->one.p, call, first.p);
    if (width > LINE_WIDTH)
        text_addf(out, "%s%*s", w->one.p, (int)strlen(call), "");
    else
        text_addf(out, " ");
    text_addf(out, "%s, %s", last.p, lambda.p);
    text_free(&first);
    text_free(&last);
    text_free(&lambda);
}

void write_scan(const struct writer *outer, struct text *out)
{
    static const char *const small[] = {"c", "byte", "element", "swcache_element", NULL};
    static const char *const large[] = {"element", "value", "swcache_element", NULL};
    static const char *const views[] = {"ahead", "view", "swcache_ahead", NULL};
    static const char *const places[] = {"at", "where", "swcache_at", NULL};
    struct writer inner = *outer, *w = &inner;
    const struct unit *u = w->u;
    const struct scan *scan = &u->scan;
    bool asks = !scan->bounded && u->loop->kind != CXCursor_DoStmt;
    bool counts = scan->variable == SCAN_VARIABLE_COUNTS && scan->step == SCAN_STEP_HEAD;
    struct text deeper = {0}, cond = {0}, last = {0};
    struct edits e = {0};
    writer_condition(w, NULL, &cond);
    if (u->init[0] < u->init[1] && scan_keeps_head(w->s, u)) {
        text_addf(out, "%s", w->one.p);
        edits_render(w->s, NULL, u->init[0], u->init[1], w->deeper, out);
        text_addf(out, ";");
    }
    text_addf(&deeper, "%s%s", w->deeper, asks ? w->step : "");
    if (asks) {
        text_addf(out, "%sif (%s)", w->one.p, cond.p);
        w->deeper = deeper.p;
        w->one = (struct text){0};
        w->two = (struct text){0};
        text_addf(&w->one, "%s%s", outer->one.p, w->step);
        text_addf(&w->two, "%s%s", w->one.p, w->step);
    }
    const char *name = scan->ahead      ? writer_free_name(w, views)
                       : scan->declares ? scan->declares->var->name
                                        : writer_free_name(w, scan_element_bytes(scan) == 1 ? small : large);
    const char *at = scan->variable != SCAN_VARIABLE_LOCAL                    ? NULL
                     : scan->v->is_pointer && scan->step != SCAN_STEP_ELEMENT ? scan->v->name
                                                                              : writer_free_name(w, places);
    text_addf(&last, "return%s%s", scan->limited ? " " : "", !scan->bounded ? cond.p : scan->limited ? "true" : "");
    edit_turn(w, &e, name, last.p);
    size_t line = out->n + 1;
    add_head(w, name, at, out);
    line = scan_names_first(u) ? line + strcspn(out->p + line, "\n") + 1 : line;
    struct text body = {0};
    add_variable(w, at, &body);
    if (scan->rest_node) {
        text_addf(&body, "%sif (", w->two.p);
        writer_negate(w, &e, scan->rest_node, scan->rest, &body);
        text_addf(&body, ")%s%sreturn false;", w->two.p, w->step);
    }
    writer_body(w, &e, &body);
    if (counts)
        text_addf(&body, "%s%s++;", w->two.p, scan->v->name);
    if (scan->limited)
        text_addf(&body, "%s%s;", w->two.p, last.p);
    bool short_line = body.n > w->two.n && !strchr(body.p + w->two.n, '\n') && !memmem(body.p, body.n, "//", 2) &&
                      !strchr(out->p + line, '\n') && out->n - line + body.n - w->two.n + strlen("  });") <= LINE_WIDTH;
    if (short_line)
        text_addf(out, " %s });", body.p + w->two.n);
    else
        text_addf(out, "%s%s});", body.n ? body.p : "", w->one.p);
    text_free(&body);
    if (asks) {
        text_free(&w->one);
        text_free(&w->two);
    }
    text_free(&deeper);
    text_free(&cond);
    text_free(&last);
    edits_free(&e);
}
