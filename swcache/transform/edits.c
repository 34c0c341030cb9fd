/* See edits.h. */
#include "transform/edits.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

void text_add(struct text *t, const char *from, size_t n)
{
    VEC_RESERVE(t, t->n + n + 1);
    memcpy(t->p + t->n, from, n);
    t->n += n;
    t->p[t->n] = 0;
}

void text_addf(struct text *t, const char *format, ...)
{
    char *line;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&line, format, ap);
    va_end(ap);
    if (n < 0)
        return;
    text_add(t, line, (size_t)n);
    free(line);
}

void text_free(struct text *t)
{
    VEC_FREE(t);
}

static void push(struct edits *e, struct edit edit)
{
    /* An argument that a macro uses twice is edited once. */
    for (size_t i = 0; i < e->n; i++)
        if (e->p[i].at == edit.at && e->p[i].mate == edit.mate && e->p[i].closes == edit.closes &&
            e->p[i].remove == edit.remove && !strcmp(e->p[i].insert, edit.insert))
            return;
    edit.insert = xstrdup(edit.insert);
    VEC_PUSH(e, edit);
    e->sorted = false;
}

void edits_wrap(struct edits *e, unsigned begin, unsigned remove, unsigned end, const char *before, const char *after)
{
    push(e, (struct edit){.at = begin, .remove = remove, .mate = end, .insert = (char *)before});
    if (*after)
        push(e, (struct edit){.at = end, .mate = begin, .closes = true, .insert = (char *)after});
}

void edits_replace(struct edits *e, unsigned begin, unsigned end, const char *text)
{
    push(e, (struct edit){.at = begin, .remove = end - begin, .mate = UINT_MAX, .insert = (char *)text});
}

void edits_free(struct edits *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->p[i].insert);
    VEC_FREE(e);
}

/* At one place: what ends there before what begins there; inner ends first, outer beginnings first. */
static int in_order(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->closes != y->closes)
        return x->closes ? -1 : 1;
    return x->mate > y->mate ? -1 : x->mate < y->mate;
}

static void add_indented(struct text *out, const char *from, size_t n, const char *indent)
{
    while (n) {
        const char *line_end = memchr(from, '\n', n);
        size_t len = line_end ? (size_t)(line_end - from) + 1 : n;
        text_add(out, from, len);
        from += len;
        n -= len;
        if (line_end && n && *from != '\n' && *from != '\r')
            text_add(out, indent, strlen(indent));
    }
}

void edits_render(const struct source *s, struct edits *e, unsigned begin, unsigned end, const char *indent,
                  struct text *out)
{
    if (e && !e->sorted && e->n)
        qsort(e->p, e->n, sizeof *e->p, in_order);
    if (e)
        e->sorted = true;
    /* Indenting looks at the line's first character, so the range is put together first. */
    struct text flat = {0};
    unsigned at = begin;
    for (size_t i = 0; e && i < e->n; i++) {
        const struct edit *x = &e->p[i];
        bool here = x->closes ? x->at > begin && x->at <= end && x->mate >= begin : x->at >= begin && x->at < end;
        if (!here || x->at < at)
            continue;
        text_add(&flat, s->text + at, x->at - at);
        text_add(&flat, x->insert, strlen(x->insert));
        at = x->at + x->remove;
    }
    if (at < end)
        text_add(&flat, s->text + at, end - at);
    if (flat.n)
        add_indented(out, flat.p, flat.n, indent);
    text_free(&flat);
}
