/* See text.h. */
#include "base/text.h"

#include "base/mem.h"
#include "base/out_of_memory.h"

void text_append(char **text, const char *between, const char *more)
{
    const size_t old = *text ? strlen(*text) : 0, gap = old ? strlen(between) : 0, n = strlen(more);
    *text = xrealloc(*text, old + gap + n + 1);
    memcpy(*text + old, between, gap);
    memcpy(*text + old + gap, more, n + 1);
}

char *text_join(const char *const *word, size_t n, char between)
{
    char *text = NULL;
    for (size_t i = 0; i < n; i++)
        text_append(&text, (char[]){between, 0}, word[i]);
    return text;
}

FILE *text_stream(char **text, size_t *n)
{
    FILE *f = open_memstream(text, n);
    if (!f)
        out_of_memory(0);
    return f;
}

/* The bytes of a control character at `s`, 0 where there is none. In UTF-8, those of the second set are c2 80 to c2 9f. */
static unsigned control_bytes(const unsigned char *s)
{
    if (*s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0)
        return 2;
    return *s < ' ' || *s == 0x7f;
}

bool text_has_control(const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        if (!strchr("\t\r\n", *s) && control_bytes(s))
            return true;
    return false;
}

char *text_plain(char *text)
{
    for (unsigned char *s = (unsigned char *)text; *s; s++)
        for (unsigned n = control_bytes(s); n; n--)
            s[n - 1] = '?';
    return text;
}

void text_put(const char *text, FILE *out)
{
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        const unsigned n = *s == '\n' || *s == '\t' ? 0 : control_bytes(s);
        fputc(n ? '?' : *s, out);
        s += n > 1;
    }
}
