/* See inifile.h. */
#include "base/inifile.h"

#include "base/infile.h"
#include "base/nearest.h"
#include "base/renamed.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 };

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

/* inih does not report a section without keys, so what it selects would be ignored silently. */
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
    const bool cut = (!n || out[n - 1] != '\n') && !feof(r->in); /* by a zero */
    if (cut || text_has_control(out)) {
        err_at(r->e, r->path, r->line, 0, "there is a control character in this line");
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
    struct reader r = {.in = infile_open(path, MOST_BYTES, e), .path = path, .fn = fn, .ctx = ctx, .e = e};
    if (!r.in)
        return -1;
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
    VEC_FREE_ALL(&s->word);
}

static int take_choice(const struct inifile_key *k, void *at, const struct inifile_item *i, struct err *e)
{
    for (unsigned c = 0; c < k->n_choice; c++)
        if (!strcmp(i->value, k->choice[c])) {
            if (k->kind == INIFILE_SWITCH)
                *(bool *)at = c == 1;
            else
                *(int *)at = (int)c;
            return 0;
        }
    err_at(e, i->file, i->line, 0, "%s = %s is not known", i->key, i->value);
    return err_hint_names(e, i->value, k->choice, k->n_choice);
}

static int no_such_key(const struct inifile_key *keys, unsigned n, const struct inifile_item *i, const char *hint,
                       struct err *e)
{
    const char *names[64];
    for (unsigned k = 0; k < n; k++)
        names[k] = keys[k].key;
    err_at(e, i->file, i->line, 0, "there is no key '%s' in [%s]", i->key, i->section);
    return err_hint_renamed(e, RENAMED_PLAN, i->key) ? -1 : err_hint_nearest(e, i->key, names, n, hint);
}

int inifile_take(const struct inifile_key *keys, unsigned n, void *to, const struct inifile_item *i, const char *hint,
                 struct err *e)
{
    const struct inifile_key *k = keys;
    while (k < keys + n && strcmp(k->key, i->key))
        k++;
    if (k == keys + n)
        return no_such_key(keys, n, i, hint, e);
    void *at = (char *)to + k->at;
    if (k->place_at)
        *(struct inifile_place *)((char *)to + k->place_at) = INIFILE_PLACE(i);
    switch (k->kind) {
    case INIFILE_OTHER:
        return 1;
    case INIFILE_TEXT:
        return inifile_text(at, i, e);
    case INIFILE_WORDS:
        inifile_add_words(at, i);
        return 0;
    default:
        return take_choice(k, at, i, e);
    }
}

void inifile_free(const struct inifile_key *keys, unsigned n, void *of)
{
    for (const struct inifile_key *k = keys; k < keys + n; k++)
        if (k->kind == INIFILE_TEXT)
            free(*(char **)((char *)of + k->at));
        else if (k->kind == INIFILE_WORDS)
            inifile_free_words((struct inifile_words *)((char *)of + k->at));
}
