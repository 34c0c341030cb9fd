/* See html_page.h. */
#include "chart/html_page.h"

#include "base/text.h"
#include "base/out_of_memory.h"
#include "chart/page_parts.h"

#include <math.h>

/* ---- text ---- */

static void put_escaped(FILE *f, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '&':
            fputs("&amp;", f);
            break;
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        case '\'':
            fputs("&#39;", f);
            break;
        default: /* control characters are no HTML */
            fputc((unsigned char)*s < ' ' && *s != '\n' && *s != '\t' ? ' ' : *s, f);
        }
}

void page_text(FILE *f, const char *s)
{
    put_escaped(f, s);
}

void page_printf(FILE *f, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        out_of_memory(0);
    put_escaped(f, text);
    free(text);
}

void page_element(FILE *f, const char *tag, const char *text)
{
    fprintf(f, "<%s>", tag);
    put_escaped(f, text);
    fprintf(f, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void page_link_begin(FILE *f, const char *to)
{
    fputs("<a href=\"", f);
    put_escaped(f, to);
    fputs("\">", f);
}

/* ---- the frame ---- */

void page_begin(FILE *f, const char *title, const char *lead)
{
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
        "'unsafe-inline'; script-src '" PAGE_SCRIPT_HASH
        "'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>",
        f);
    put_escaped(f, title);
    fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", page_style);
    put_escaped(f, title);
    fputs("</h1>\n", f);
    if (lead)
        page_element(f, "p class=\"lead\"", lead);
    fputs("\n</header>\n<main>\n", f);
}

void page_end(FILE *f, const char *footer)
{
    fputs("</main>\n", f);
    page_element(f, "footer", footer);
    fprintf(f, "\n<script>\n%s</script>\n</body>\n</html>\n", page_script);
}

/* ---- what is carried inside ---- */

static void put_base64(FILE *f, const unsigned char *s, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned v = (unsigned)s[i] << 16 | (i + 1 < n ? (unsigned)s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0u);
        fputc(digit[v >> 18], f);
        fputc(digit[v >> 12 & 63], f);
        fputc(i + 1 < n ? digit[v >> 6 & 63] : '=', f);
        fputc(i + 2 < n ? digit[v & 63] : '=', f);
    }
}

void page_svg_text(FILE *f, double x, double y, const char *class, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    page_text(f, text);
    fputs("</text>\n", f);
}

void page_data(FILE *f, const char *type, const void *content, size_t bytes)
{
    fprintf(f, "data:%s;base64,", type);
    put_base64(f, content, bytes);
}

/* As an image: no script in it runs, and the names inside one picture cannot meet those of another. */
void page_picture(FILE *f, const char *svg, size_t bytes, const char *alt)
{
    fputs("<div class=\"scroll\"><img alt=\"", f);
    put_escaped(f, alt);
    fputs("\" src=\"", f);
    page_data(f, "image/svg+xml", svg, bytes);
    fputs("\"></div>\n", f);
}

void page_download(FILE *f, const char *name, const char *type, const char *content, const char *text)
{
    fputs("<a class=\"data\" download=\"", f);
    put_escaped(f, name);
    fputs("\" href=\"", f);
    page_data(f, type, content, strlen(content));
    fputs("\">", f);
    put_escaped(f, text);
    fputs("</a>", f);
}

/* ---- tables ---- */

void page_table_begin(FILE *f)
{
    fputs("<div class=\"scroll\"><table class=\"sortable\">\n", f);
}

void page_heads(FILE *f, const char *const *heads)
{
    fputs("<thead><tr>", f);
    for (; *heads; heads++) {
        bool left = **heads == '<';
        page_element(f, left ? "th scope=\"col\" class=\"left\"" : "th scope=\"col\"", *heads + left);
    }
    fputs("</tr></thead>\n<tbody>\n", f);
}

void page_row(FILE *f, bool mean)
{
    fputs(mean ? "<tr class=\"mean\">" : "<tr>", f);
}

void page_row_end(FILE *f)
{
    fputs("</tr>\n", f);
}

void page_cell(FILE *f, const char *text)
{
    page_element(f, "td class=\"left\"", text);
}

void page_number(FILE *f, double value, int decimals, const char *unit)
{
    if (isnan(value)) {
        fputs("<td data-v=\"\">–</td>", f);
        return;
    }
    char text[400];
    fprintf(f, "<td data-v=\"%.9g\">", value);
    const int n = snprintf(text, sizeof text, "%.*f", decimals, value);
    /* Thousands are separated by a narrow space, where the number has five digits or more. */
    const int whole = (int)strcspn(text, "."), first = *text == '-';
    for (int i = 0; i < n; i++) {
        if (i > first && i < whole && whole - first > 4 && (whole - i) % 3 == 0)
            fputs("\u202f", f);
        fputc(text[i], f);
    }
    fprintf(f, "%s</td>", unit);
}

void page_share(FILE *f, double share)
{
    if (isnan(share)) {
        page_number(f, share, 0, "");
        return;
    }
    double wide = share < 0 ? 0 : share > 1 ? 100 : 100 * share;
    fprintf(f, "<td class=\"bar\" style=\"--v:%.1f%%\" data-v=\"%.9g\">%.1f%%</td>", wide, share, 100 * share);
}

void page_table_end(FILE *f)
{
    fputs("</tbody></table></div>\n", f);
}

static void put_value(FILE *f, const struct table *t, size_t column, double v)
{
    const int decimals = isnan(v) ? 0 : table_decimals(t, column, v);
    if (decimals < 0) {
        char text[32];
        table_cell(t, column, v, text);
        fprintf(f, "<td data-v=\"%.9g\">%s</td>", v, text);
    } else
        page_number(f, t->percent ? 100 * v : v, decimals, t->percent ? "%" : "");
}

void page_table(FILE *f, const struct table *t, const char *first)
{
    const char **heads = xmalloc((t->column.n + 2) * sizeof *heads);
    char *left = xasprintf("<%s", first);
    heads[0] = left;
    for (size_t c = 0; c < t->column.n; c++)
        heads[c + 1] = t->column.p[c].label;
    heads[t->column.n + 1] = NULL;
    page_table_begin(f);
    page_heads(f, heads);
    for (size_t i = 0; i < t->row.n; i++) {
        const struct table_row *r = &t->row.p[i];
        page_row(f, r->mean);
        fputs("<td class=\"left\">", f);
        if (r->link)
            page_link_begin(f, r->link);
        page_printf(f, "%s%s", r->label, table_mark(r));
        fputs(r->link ? "</a></td>" : "</td>", f);
        for (size_t c = 0; c < t->column.n; c++)
            put_value(f, t, c, r->cell[c]);
        page_row_end(f);
    }
    page_table_end(f);
    free(left);
    free(heads);
}

static void put_field(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++)
        fputs(*s == '"' ? "\"\"" : (char[]){*s, 0}, f);
    fputc('"', f);
}

char *page_csv(const struct table *t)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = text_stream(&text, &n);
    put_field(f, "");
    for (size_t c = 0; c < t->column.n; c++) {
        fputc(',', f);
        put_field(f, t->column.p[c].label);
    }
    fputc('\n', f);
    for (size_t i = 0; i < t->row.n; i++) {
        put_field(f, t->row.p[i].label);
        for (size_t c = 0; c < t->column.n; c++)
            if (isnan(t->row.p[i].cell[c]))
                fputc(',', f);
            else
                fprintf(f, ",%.9g", t->row.p[i].cell[c]);
        fputc('\n', f);
    }
    fclose(f);
    return text;
}
