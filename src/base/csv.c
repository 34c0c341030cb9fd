/* See csv.h. */
#include "base/csv.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>

int csv_cut(char *line, struct csv_fields *f, char why[64])
{
    char *in = text_plain(line); /* what it names is printed */
    f->field.n = 0;
    for (;;) {
        char *out = in;
        VEC_PUSH(&f->field, out);
        if (*in == '"') {
            for (in++;; in++) {
                if (!*in) {
                    snprintf(why, 64, "a quote is not closed");
                    return -1;
                }
                if (*in == '"' && *++in != '"')
                    break;
                *out++ = *in;
            }
        } else {
            while (*in && *in != ',')
                *out++ = *in++;
        }
        if (*in && *in != ',') {
            snprintf(why, 64, "after the quoted field there must be a comma, not %c", *in);
            return -1;
        }
        const bool more = *in == ',';
        in += more;
        *out = 0;
        if (!more)
            return 0;
    }
}
