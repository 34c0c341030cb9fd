/*
 * The slices form: the loop three times, as section 1.1 of the paper shows it.
 *
 *     long i = begin;
 *     // Slice 1: measures how often a line of each structure would hit.
 *     for (; i < end && cache.monitoring(); i++)
 *         ... cache.watch<0>(&text[i]) ...
 *     cache.select();
 *     if (cache.active()) {
 *         // Slice 2: the rest, through the cache.
 *         for (; i < end; i++) ...
 *     } else {
 *         // Slice 3: the rest, as it was.
 *         for (; i < end; i++) ...
 *     }
 *     cache.flush();
 *
 * A loop with a barrier asks the whole block (__syncthreads_or): all of it must be in the same slice.
 * A loop that can be left by break, and one whose condition changes something, keeps in `more` whether it goes on.
 */
#include "transform/writer.h"

#include <stdio.h>

static bool needs_more(const struct unit *u)
{
    return u->give_up.n || u->cond_changes || u->loop->kind == CXCursor_DoStmt;
}

/* A question to the cache; where threads of a block wait for each other, they must all get the same answer. */
static void together(const struct writer *w, const char *question, char *out, size_t bytes)
{
    snprintf(out, bytes, w->u->has_barrier ? "__syncthreads_or(%s.%s())" : "%s.%s()", w->cache, question);
}

static void edit_slice(const struct writer *w, struct edits *e, bool watching)
{
    const struct unit *u = w->u;
    struct text t = {0};
    writer_edit_accesses(w, e, watching ? WAY_WATCH : WAY_CACHE);
    text_addf(&t, "%s.flush();", w->cache);
    for (size_t i = 0; i < u->leave.n && u->written; i++)
        writer_precede(w, e, u->leave.p[i], t.p);
    t.n = 0;
    text_addf(&t, "%s = false;", w->more);
    for (size_t i = 0; i < u->give_up.n && watching; i++)
        writer_precede(w, e, u->give_up.p[i], t.p);
    text_free(&t);
}

static void add_condition(const struct writer *w, struct edits *e, bool watching, struct text *out)
{
    const struct unit *u = w->u;
    struct text cond = {0};
    writer_condition(w, e, &cond);
    bool wrap = cond.n && writer_needs_parentheses(w->s, u->cond_node);
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
        add_condition(w, e, watching, out);
        edits_render(w->s, e, u->cond[1], u->end, deeper, out);
        return;
    }
    bool empty = !watching && u->cond[0] == u->cond[1];
    text_addf(out, loop->kind != CXCursor_ForStmt ? "while (" : empty ? "for (;" : "for (; ");
    add_condition(w, e, watching, out);
    unsigned close = u->cond[1];
    if (loop->kind == CXCursor_ForStmt) {
        text_addf(out, u->step[0] < u->step[1] ? "; " : ";");
        edits_render(w->s, e, u->step[0], u->step[1], deeper, out);
        close = u->step[1];
    }
    close = source_skip_blank(w->s, close); /* the head's ')' */
    edits_render(w->s, e, close, u->end, deeper, out);
}

void write_slices(const struct writer *w, struct text *out)
{
    const struct unit *u = w->u;
    struct edits watching = {0}, cached = {0};
    struct text pragma = {0}, twice = {0};
    const char *one = w->one.p, *two = w->two.p, *more = needs_more(u) ? w->more : "";
    edit_slice(w, &watching, true);
    edit_slice(w, &cached, false);
    text_addf(&twice, "%s%s", w->deeper, w->step);
    text_add(&pragma, "", 0);
    if (w->begin < u->loop->begin) {
        edits_render(w->s, NULL, w->begin, writer_line_start(w->s, u->loop->begin), w->step, &pragma);
        text_addf(&pragma, "%s%s", w->indent, twice.p);
    }
    if (*more)
        text_addf(out, "%sbool %s = true;", one, more);
    text_addf(out, "%s// Slice 1: measures how often a line of each structure would hit.%s", one, one);
    add_loop(w, &watching, true, w->deeper, out);
    text_addf(out, "%s%s.select();", one, w->cache);
    char active[96];
    together(w, "active", active, sizeof active);
    text_addf(out, "%sif (%s%s%s) {%s// Slice 2: the rest, through the cache.%s%s", one, more, *more ? " && " : "",
              active, two, two, pragma.p);
    add_loop(w, &cached, false, twice.p, out);
    text_addf(out, "%s} else%s%s%s {%s// Slice 3: the rest, as it was.%s%s", one, *more ? " if (" : "", more,
              *more ? ")" : "", two, two, pragma.p);
    add_loop(w, NULL, false, twice.p, out);
    text_addf(out, "%s}%s%s.flush();", one, one, w->cache);
    text_free(&pragma);
    text_free(&twice);
    edits_free(&watching);
    edits_free(&cached);
}
