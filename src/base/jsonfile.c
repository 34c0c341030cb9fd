/* See jsonfile.h. */
#include "base/jsonfile.h"

#include "base/mem.h"
#include "base/outfile.h"

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
