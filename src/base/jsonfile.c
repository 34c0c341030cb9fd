/* See jsonfile.h. */
#include "base/jsonfile.h"

#include "base/mem.h"
#include "base/outfile.h"
#include "base/text.h"

#include <errno.h>

int jsonfile_write(json_t *doc, const char *path, size_t flags, struct err *e)
{
    struct outfile *o = outfile_open(path, e);
    int status = o ? 0 : -1;
    if (o) {
        FILE *out = outfile_stream(o);
        /* A failed write leaves its mark on the stream; what else can fail is the document itself. */
        const bool bad = json_dumpf(doc, out, flags) != 0 && !ferror(out);
        fputc('\n', out);
        if (bad) {
            status = err_at(e, path, 0, 0, "cannot write: the document is too large or damaged");
            outfile_abandon(o);
        } else {
            status = outfile_commit(o, e);
        }
    }
    json_decref(doc);
    return status;
}

json_t *jsonfile_text(const char *s)
{
    json_t *j = json_string(s);
    if (j)
        return j;
    char *ascii = xstrdup(s);
    for (char *p = ascii; *p; p++)
        if (*p & 0x80)
            *p = '?';
    j = json_string(ascii);
    free(ascii);
    return j;
}

/* Keys are names, too. */
static void plain_keys(json_t *object)
{
    VEC(char *) odd = {0};
    const char *key;
    json_t *x;
    json_object_foreach(object, key, x)
    {
        char *text = text_plain(xstrdup(key));
        if (strcmp(text, key))
            VEC_PUSH(&odd, xstrdup(key));
        free(text);
    }
    for (size_t i = 0; i < odd.n; i++) {
        char *text = text_plain(xstrdup(odd.p[i]));
        json_object_set(object, text, json_object_get(object, odd.p[i]));
        json_object_del(object, odd.p[i]);
        free(text);
        free(odd.p[i]);
    }
    VEC_FREE(&odd);
}

void jsonfile_plain(json_t *j)
{
    const char *key;
    json_t *x;
    size_t i;
    if (json_is_string(j)) {
        char *text = text_plain(xstrdup(json_string_value(j)));
        if (strcmp(text, json_string_value(j)))
            json_string_set(j, text);
        free(text);
    }
    json_array_foreach(j, i, x) jsonfile_plain(x);
    json_object_foreach(j, key, x) jsonfile_plain(x);
    if (json_is_object(j))
        plain_keys(j);
}

json_t *jsonfile_read(const char *path, struct err *e)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (!f) {
        err_at(e, path, 0, 0, "cannot open: %s", strerror(errno));
        return NULL;
    }
    json_error_t why;
    json_t *doc = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    if (f != stdin)
        fclose(f);
    if (doc) {
        jsonfile_plain(doc);
        return doc;
    }
    err_at(e, path, why.line > 0 ? why.line : 0, 0, "is not JSON: %.200s", why.text);
    if (text_ends_in(path, ".wt"))
        err_hint(e, "if this is a recording, 'weir replay --json FILE %s' creates a statistics document", path);
    else
        err_hint(e, "'weir run --json FILE ./app' and 'weir replay --json FILE' make documents");
    return NULL;
}
