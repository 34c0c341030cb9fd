/*
 * The nest form: two loops that walk with one index are one scan (nest.h).
 *
 *     long start;
 *     bool inside = false; // the inner loop
 *     if (begin < end)
 *         swcache::scan_while(&html[begin], swcache::end_of(html, extents, 0), [&](char c, const char *at) {
 *             long i = at - html;
 *             if (!inside) {
 *                 ...
 *                 start = i + 1;
 *                 inside = true;
 *                 return true;
 *             }
 *             if (c != '"') {
 *                 hash = hash * 31 + c;
 *                 return true;
 *             }
 *             inside = false;
 *             ...
 *             return i + 1 < end;
 *         });
 */
#include "transform/writer.h"

#include <ctype.h>

/* What was declared before the inner loop and lives on is only assigned there. */
static void edit_kept(const struct writer *w, struct edits *e)
{
    const struct nest *t = &w->u->nest;
    for (size_t i = 0; i < t->keep.n; i++) {
        const struct node *d = t->keep.p[i];
        unsigned name;
        clang_getFileLocation(clang_getCursorLocation(d->cursor), NULL, NULL, NULL, &name);
        if (clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(d->cursor)))
            writer_edit_away(w, e, d->parent);
        else
            edits_replace(e, d->parent->begin, name, "");
    }
}

static void edit_turn(const struct writer *w, struct edits *e, const char *name, const char *next)
{
    const struct unit *u = w->u;
    const struct nest *t = &u->nest;
    struct text value = {0};
    for (size_t i = 0; i < t->name.n; i++)
        edits_replace(e, t->name.p[i]->begin, t->name.p[i]->end, name);
    if (t->declares)
        writer_edit_away(w, e, t->declares->parent);
    edit_kept(w, e);
    text_addf(&value, node_is_postfix(t->advance) ? "%s" : "%s + 1", t->v->name);
    if (node_is_discarded(t->advance))
        writer_edit_away(w, e, t->advance);
    else
        edits_replace(e, t->advance->begin, t->advance->end, value.p);
    for (size_t i = 0; i < u->go_on.n; i++) {
        const struct node *n = u->go_on.p[i];
        edits_wrap(e, n->begin, n->end - n->begin, n->end, next, "");
    }
    writer_edit_breaks(w, e);
    text_free(&value);
}

/* text[begin, end) without the white space around it, but for the line's beginning. */
static void add_part(const struct writer *w, struct edits *e, unsigned begin, unsigned end, const char *deeper,
                     struct text *out)
{
    while (end > begin && isspace((unsigned char)w->s->text[end - 1]))
        end--;
    edits_render(w->s, e, begin, end, deeper, out);
}

void write_nest(const struct writer *outer, struct text *out)
{
    static const char *const names[] = {"c", "element", "swcache_element", NULL};
    static const char *const places[] = {"at", "where", "swcache_at", NULL};
    static const char *const states[] = {"inside", "in_inner", "swcache_inside", NULL};
    struct writer inner = *outer, *w = &inner;
    const struct unit *u = w->u;
    const struct nest *t = &u->nest;
    const struct node *body = u->body_node, *turn = loop_body(t->inner), *base = t->name.p[0]->child;
    CXType type = clang_getCursorType(t->name.p[0]->cursor);
    const char *at = writer_free_name(w, places), *inside = writer_free_name(w, states), *i = t->v->name;
    const char *name = t->declares ? t->declares->var->name : writer_free_name(w, names);
    struct text deeper = {0}, deepest = {0}, next = {0}, index = {0}, element = {0}, three = {0};
    struct edits e = {0};
    int bound_n = (int)(t->bound->end - t->bound->begin), base_n = (int)(base->end - base->begin);
    unsigned start = source_skip_blank(w->s, source_find(w->s, t->v->decl->begin, u->init[1], "=") + 1);
    const char *bound = w->s->text + t->bound->begin, *structure = w->s->text + base->begin;
    text_addf(&deeper, "%s%s", outer->deeper, w->step);
    text_addf(&deepest, "%s%s", deeper.p, w->step);
    text_addf(&next, "return %s + 1 < %.*s", i, bound_n, bound);
    edit_turn(w, &e, name, next.p);
    for (size_t k = 0; k < t->keep.n; k++) {
        text_addf(out, "%s", outer->one.p);
        writer_type(clang_getCursorType(t->keep.p[k]->cursor), out);
        text_addf(out, " %s;", t->keep.p[k]->var->name);
    }
    text_addf(out, "%sbool %s = false; // the inner loop", outer->one.p, inside);
    text_addf(out, "%sif (%.*s < %.*s)", outer->one.p, (int)(u->init[1] - start), w->s->text + start, bound_n, bound);
    w->one = (struct text){0};
    w->two = (struct text){0};
    text_addf(&w->one, "%s%s", outer->one.p, w->step);
    text_addf(&w->two, "%s%s", w->one.p, w->step);
    text_addf(&three, "%s%s", w->two.p, w->step);
    w->deeper = deepest.p;
    writer_type(type, &element);
    writer_type(clang_getCursorType(t->v->decl->cursor), &index);
    text_addf(out, "%sswcache::scan_while(&%.*s[%.*s], swcache::end_of(%.*s, %s, %d), [&](%s %s, const %s *%s) {",
              w->one.p, base_n, structure, (int)(u->init[1] - start), w->s->text + start, base_n, structure, w->extents,
              __builtin_popcount(w->kernel_cached & ((1u << t->structure) - 1)), element.p, name, element.p, at);
    bool is_long = !strcmp(index.p, "long") || !strcmp(index.p, "long long");
    text_addf(out, is_long ? "%s%s %s = " : "%s%s %s = (int)(", w->two.p, index.p, i);
    text_addf(out, "%s - %.*s%s;", at, base_n, structure, is_long ? "" : ")");
    text_addf(out, "%sif (!%s) {", w->two.p, inside);
    add_part(w, &e, body->begin + 1, t->inner->begin, deepest.p, out);
    text_addf(out, "%s%s = true;%sreturn true;%s}%sif (", three.p, inside, three.p, w->two.p, w->two.p);
    edits_render(w->s, &e, t->cond->begin, t->cond->end, deeper.p, out);
    text_addf(out, ") {");
    bool block = turn->kind == CXCursor_CompoundStmt;
    unsigned past = source_skip_blank(w->s, t->inner->end);
    past = !block && w->s->text[past] == ';' ? past + 1 : t->inner->end;
    if (turn->kind != CXCursor_NullStmt) {
        if (!block)
            text_addf(out, "%s", three.p);
        add_part(w, &e, turn->begin + block, block ? turn->end - 1 : past, deeper.p, out);
    }
    text_addf(out, "%sreturn true;%s}%s%s = false;", three.p, w->two.p, w->two.p, inside);
    add_part(w, &e, past, body->end - 1, deeper.p, out);
    text_addf(out, "%s%s;%s});", w->two.p, next.p, w->one.p);
    struct text *const all[] = {&deeper, &deepest, &next, &index, &element, &three, &w->one, &w->two};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        text_free(all[k]);
    edits_free(&e);
}
