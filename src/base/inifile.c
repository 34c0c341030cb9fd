/* See inifile.h. */
#include "base/inifile.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <string.h>

struct reader {
    FILE *in;
    const char *path;
    int line;
    int empty_at; /* line of a section that has nothing so far; 0 = none */
    bool indented, failed;
    inifile_fn *fn;
    void *ctx;
    struct err *e;
};

/* inih does not tell of a section without keys, so what it should choose would be left out without a word. */
static bool is_empty(struct reader *r)
{
    if (!r->empty_at)
        return false;
    err_at(r->e, r->path, r->empty_at, 0, "the section is empty");
    err_hint(r->e, "give it a key (label = NAME), or remove it");
    r->failed = true;
    return true;
}

/* One line for inih, counted. A line that inih would cut in two is refused. */
static char *next_line(char *out, int room, void *stream)
{
    struct reader *r = stream;
    if (r->failed || !fgets(out, room, r->in))
        return NULL;
    r->line++;
    size_t n = strlen(out);
    if ((int)n + 1 == room && out[n - 1] != '\n') {
        err_at(r->e, r->path, r->line, 0, "the line is longer than %d characters", room - 2);
        err_hint(r->e, "continue it on an indented line");
        r->failed = true;
        return NULL;
    }
    r->indented = isspace((unsigned char)out[0]) != 0;
    if (out[strspn(out, " \t")] == '[') {
        if (is_empty(r))
            return NULL;
        if (!strchr(out, ']')) {
            err_at(r->e, r->path, r->line, 0, "a section's name ends with ]");
            r->failed = true;
            return NULL;
        }
        r->empty_at = r->line;
    }
    return out;
}

static int on_item(void *ctx, const char *section, const char *key, const char *value)
{
    struct reader *r = ctx;
    r->empty_at = 0;
    struct inifile_item item = {r->path, r->line, section, key, value, r->indented};
    if (r->fn(r->ctx, &item, r->e))
        r->failed = true;
    return !r->failed;
}

int inifile_read(const char *path, inifile_fn *fn, void *ctx, struct err *e)
{
    struct reader r = {.in = fopen(path, "re"), .path = path, .fn = fn, .ctx = ctx, .e = e};
    if (!r.in)
        return err_at(e, path, 0, 0, "cannot read: %s", strerror(errno));
    int line = ini_parse_stream(next_line, &r, on_item, &r);
    bool bad = ferror(r.in) != 0;
    fclose(r.in);
    if (r.failed || (!line && !bad && is_empty(&r)))
        return -1;
    if (line > 0) {
        err_at(e, path, line, 0, "expected [section] or 'key = value'");
        return -1;
    }
    return bad || line < 0 ? err_at(e, path, 0, 0, "cannot read: %s", strerror(EIO)) : 0;
}

int inifile_text(char **at, const struct inifile_item *i, struct err *e)
{
    if (*at && !i->continued)
        return err_at(e, i->file, i->line, 0, "'%s' is given twice", i->key);
    if (!*i->value)
        return err_at(e, i->file, i->line, 0, "'%s' has no value", i->key);
    size_t old = *at ? strlen(*at) : 0, n = strlen(i->value);
    *at = xrealloc(*at, old + n + 2);
    if (old)
        (*at)[old++] = ' ';
    memcpy(*at + old, i->value, n + 1);
    return 0;
}

void inifile_split(struct inifile_words *s, const char *text)
{
    static const char between[] = " \t,";
    for (const char *w = text + strspn(text, between); *w; w += strspn(w, between)) {
        const char ends[] = {*w, 0};
        const bool in_quotes = (*w == '"' || *w == '\'') && strchr(w + 1, *w);
        w += in_quotes;
        const size_t n = strcspn(w, in_quotes ? ends : between);
        VEC_PUSH(&s->word, xstrndup(w, n));
        w += n + in_quotes;
    }
}

void inifile_add_words(struct inifile_words *s, const struct inifile_item *i)
{
    s->at = INIFILE_PLACE(i);
    inifile_split(s, i->value);
}

void inifile_free_words(struct inifile_words *s)
{
    for (size_t i = 0; i < s->word.n; i++)
        free(s->word.p[i]);
    VEC_FREE(&s->word);
}
