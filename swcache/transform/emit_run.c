/*
 * The run form: one turn of the loop is a lambda, and the library repeats it in its slices.
 *
 *     long i = begin;
 *     swcache::run(cache, i < end, [&](auto &memory) {
 *         ... memory.load(text_, &text[i]) ...
 *         return ++i < end;
 *     });
 *
 * The turn ends with the loop's step and says whether there is another one; so does every `continue`. `break` says no.
 * A condition that has cached accesses, or that changes something, opens the turn instead:
 *
 *     swcache::run(cache, true, [&](auto &memory) {
 *         if (memory.load(text_, &text[i]) == 'x')
 *             return false;
 *         ...
 *         return true;
 *     });
 */
#include "transform/writer.h"

#include <ctype.h>

bool writer_is_bool(const struct node *n)
{
    const struct node *inner = n ? node_strip((struct node *)n) : NULL;
    return inner && clang_getCanonicalType(clang_getCursorType(inner->cursor)).kind == CXType_Bool;
}

/* i++ or ++i as the step of a loop: the variable's name, in the text; NULL: another step. */
static const struct node *stepped(const struct writer *w)
{
    const struct unit *u = w->u;
    for (const struct node *c = u->loop->child; c; c = c->next)
        if (u->step[0] < u->step[1] && c->begin == u->step[0] && c->end == u->step[1] &&
            c->kind == CXCursor_UnaryOperator && c->child && c->child->kind == CXCursor_DeclRefExpr) {
            char op[4];
            node_operator(w->s, c, op);
            return !strcmp(op, "++") && type_is_scalar(clang_getCursorType(c->child->cursor)) ? c->child : NULL;
        }
    return NULL;
}

/* "++i < end" for a step i++ and a condition i < end; false: the two do not fit into one. */
static bool join_step(const struct writer *w, const struct text *cond, struct text *out)
{
    const struct node *v = stepped(w);
    size_t n = v ? v->end - v->begin : 0;
    const char *name = v ? w->s->text + v->begin : NULL;
    if (!v || !cond->n || w->u->cond_first || strncmp(cond->p, name, n) || char_is_word(cond->p[n]))
        return false;
    const char *rest = cond->p + n + strspn(cond->p + n, " ");
    if (!strchr("<!>=", *rest) || (*rest == '=' && rest[1] != '=') || rest[0] == rest[1])
        return false;
    for (const char *at = rest; (at = memmem(at, strlen(at), name, n)); at += n)
        if (!char_is_word(at[-1]) && !char_is_word(at[n]))
            return false;
    text_addf(out, "return ++%s", cond->p);
    return true;
}

/* The last statements of a turn: *first is the step (empty: none), *last the return, without its semicolon. */
static void end_of_turn(const struct writer *w, struct edits *e, struct text *first, struct text *last)
{
    const struct unit *u = w->u;
    struct text cond = {0};
    text_add(first, "", 0);
    writer_condition(w, e, &cond);
    if (!join_step(w, &cond, last)) {
        if (u->step[0] < u->step[1]) {
            edits_render(w->s, e, u->step[0], u->step[1], w->deeper, first);
            text_addf(first, ";");
        }
        text_addf(last, "return %s", cond.n && !u->cond_first ? cond.p : "true");
    }
    text_free(&cond);
}

/* The comparison that is true when this one is false; NULL: none, as with numbers that may be no numbers. */
static const char *opposite(const struct writer *w, const struct node *cond)
{
    static const char *const pair[][2] = {{"==", "!="}, {"!=", "=="}, {"<", ">="},
                                          {">=", "<"},  {">", "<="},  {"<=", ">"}};
    char op[4] = "";
    if (cond->kind != CXCursor_BinaryOperator || !cond->child || !cond->child->next)
        return NULL;
    node_operator(w->s, cond, op);
    for (const struct node *c = cond->child; c; c = c->next) {
        enum CXTypeKind k = clang_getCanonicalType(clang_getCursorType(c->cursor)).kind;
        if (!type_is_scalar(clang_getCursorType(c->cursor)) || k == CXType_Float || k == CXType_Double ||
            k == CXType_LongDouble || k == CXType_Half || k == CXType_Float16)
            return NULL;
    }
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        if (!strcmp(op, pair[i][0]))
            return pair[i][1];
    return NULL;
}

void writer_negate(const struct writer *w, struct edits *e, const struct node *cond, const unsigned range[2],
                   struct text *out)
{
    const char *op = cond ? opposite(w, cond) : NULL;
    if (op && cond->begin == range[0] && cond->end == range[1]) {
        edits_render(w->s, e, range[0], cond->child->end, w->deeper, out);
        text_addf(out, " %s ", op);
        edits_render(w->s, e, cond->child->next->begin, range[1], w->deeper, out);
        return;
    }
    text_addf(out, "!(");
    edits_render(w->s, e, range[0], range[1], w->deeper, out);
    text_addf(out, ")");
}

void writer_edit_breaks(const struct writer *w, struct edits *e)
{
    for (size_t i = 0; i < w->u->give_up.n; i++) {
        const struct node *n = w->u->give_up.p[i];
        edits_wrap(e, n->begin, n->end - n->begin, n->end, "return false", "");
    }
}

static void edit_ends(const struct writer *w, struct edits *e, const struct text *first, const struct text *last)
{
    const struct unit *u = w->u;
    for (size_t i = 0; i < u->go_on.n; i++) {
        const struct node *n = u->go_on.p[i];
        if (first->n)
            writer_precede(w, e, n, first->p);
        edits_wrap(e, n->begin, n->end - n->begin, n->end, last->p, "");
    }
    writer_edit_breaks(w, e);
}

void writer_body(const struct writer *w, struct edits *e, struct text *out)
{
    const struct unit *u = w->u;
    const struct node *body = u->body_node;
    unsigned begin = u->body[0], end = u->body[1];
    if (body->kind == CXCursor_NullStmt)
        return;
    if (body->kind != CXCursor_CompoundStmt) {
        text_addf(out, "%s", w->two.p);
        edits_render(w->s, e, begin, end, w->deeper, out);
        return;
    }
    begin = body->begin + 1;
    end = body->end - 1;
    while (end > begin && isspace((unsigned char)w->s->text[end - 1]))
        end--;
    unsigned blank = (unsigned)strspn(w->s->text + begin, " \t\r");
    if (begin + blank >= end)
        return;
    if (w->s->text[begin + blank] != '\n') { /* { on; one; line; } */
        text_addf(out, "%s", w->two.p);
        begin += blank;
    }
    edits_render(w->s, e, begin, end, w->deeper, out);
}

void write_run(const struct writer *w, struct text *out)
{
    const struct unit *u = w->u;
    const char *one = w->one.p, *two = w->two.p;
    struct edits e = {0};
    struct text first = {0}, last = {0}, more = {0};
    writer_edit_accesses(w, &e, WAY_STEP);
    end_of_turn(w, &e, &first, &last);
    edit_ends(w, &e, &first, &last);
    if (!u->cond_first && u->loop->kind != CXCursor_DoStmt)
        writer_condition(w, NULL, &more);
    bool only_asks = u->cond_first && !first.n && u->body_node->kind == CXCursor_NullStmt;
    text_addf(out, "%sswcache::run%s(%s, %s, [&](auto &%s)%s {", one, u->together ? "_together" : "", w->cache,
              more.n ? more.p : "true", w->memory,
              !u->cond_node || writer_is_bool(u->cond_node) || (u->cond_first && !only_asks) ? "" : " -> bool");
    if (only_asks) {
        text_addf(out, "%sreturn ", two);
        edits_render(w->s, &e, u->cond[0], u->cond[1], w->deeper, out);
        text_addf(out, ";");
    } else {
        if (u->cond_first) {
            text_addf(out, "%sif (", two);
            writer_negate(w, &e, u->cond_node, u->cond, out);
            text_addf(out, ")%s%sreturn false;", two, w->step);
        }
        writer_body(w, &e, out);
        text_addf(out, "%s%s%s%s;", first.n ? two : "", first.p, two, last.p);
    }
    text_addf(out, "%s});", one);
    text_free(&first);
    text_free(&last);
    text_free(&more);
    edits_free(&e);
}
