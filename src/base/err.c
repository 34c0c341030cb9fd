/* See err.h. */
#include "base/err.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void err_clear(struct err *e)
{
    if (!e)
        return;
    memset(e, 0, sizeof *e);
    e->offset = UINT64_MAX;
}

static void err_fill(struct err *e, const char *file, const char *fmt, va_list ap)
{
    err_clear(e);
    if (file)
        snprintf(e->file, sizeof e->file, "%s", file);
    vsnprintf(e->msg, sizeof e->msg, fmt, ap);
}

int err_at(struct err *e, const char *file, int line, int col, const char *fmt, ...)
{
    if (!e)
        return -1;
    va_list ap;
    va_start(ap, fmt);
    err_fill(e, file, fmt, ap);
    va_end(ap);
    e->line = line;
    e->col = col;
    return -1;
}

int err_offset(struct err *e, const char *file, uint64_t offset, const char *fmt, ...)
{
    if (!e)
        return -1;
    va_list ap;
    va_start(ap, fmt);
    err_fill(e, file, fmt, ap);
    va_end(ap);
    e->offset = offset;
    return -1;
}

int err_set(struct err *e, const char *fmt, ...)
{
    if (!e)
        return -1;
    va_list ap;
    va_start(ap, fmt);
    err_fill(e, NULL, fmt, ap);
    va_end(ap);
    return -1;
}

int err_hint(struct err *e, const char *fmt, ...)
{
    if (!e)
        return -1;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->hint, sizeof e->hint, fmt, ap);
    va_end(ap);
    return -1;
}

void err_print(const struct err *e, FILE *out)
{
    fputs("weir: ", out);
    if (e->file[0]) {
        text_put(e->file, out);
        if (e->line > 0)
            fprintf(out, ":%d", e->line);
        if (e->line > 0 && e->col > 0)
            fprintf(out, ":%d", e->col);
        if (e->offset != UINT64_MAX)
            fprintf(out, ": offset %llu", (unsigned long long)e->offset);
        fputs(": ", out);
    }
    text_put(e->msg, out);
    if (e->hint[0]) {
        fputs("; ", out);
        text_put(e->hint, out);
    }
    fputc('\n', out);
}

_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "weir: internal error at %s:%d: ", file, line);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}
