/*
 * A report as one HTML file that needs nothing else: no network, no other file. Every text that comes from a program, a
 * plan or an argument goes through page_text, so that nothing of it becomes markup; beside that the page's content
 * policy runs no script but its own and loads nothing.
 */
#ifndef WEIR_CHART_PAGE_H
#define WEIR_CHART_PAGE_H

#include "chart/table.h"

#include <stdarg.h>

/* The title is the browser's and the first heading; `lead` below it (may be NULL). */
void page_begin(FILE *, const char *title, const char *lead);
/* `footer`: how the page was made. */
void page_end(FILE *, const char *footer);

void page_text(FILE *, const char *); /* escaped */
/* As fprintf into escaped text. */
void page_printf(FILE *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "<tag>text</tag>"; `tag` may have attributes, which come from the source of weir only. */
void page_element(FILE *, const char *tag, const char *text);
/* Begins a link, which "</a>" ends. */
void page_link_begin(FILE *, const char *to);

/* A picture: SVG text as gnuplot wrote it. `alt` says what it shows. */
void page_picture(FILE *, const char *svg, size_t bytes, const char *alt);
/* Words in an SVG of the page itself; `class`: svg.chart in page.css. */
void page_svg_text(FILE *, double x, double y, const char *class, const char *text);
/* Content as a URL inside an attribute. */
void page_data(FILE *, const char *type, const void *content, size_t bytes);
/* A file to save, as a link. */
void page_download(FILE *, const char *name, const char *type, const char *content, const char *text);

/* ---- sortable tables ---- */
void page_table_begin(FILE *);
/* Heads, ended by NULL. A head that begins with '<' is of a column of words, aligned left; the sign is not shown. */
void page_heads(FILE *, const char *const *heads);
void page_row(FILE *, bool mean);
void page_row_end(FILE *);
void page_cell(FILE *, const char *text); /* words */
/* NAN: a dash. `unit` comes from the source of weir only. */
void page_number(FILE *, double value, int decimals, const char *unit);
void page_share(FILE *, double share); /* a part of 1, with a bar */
void page_table_end(FILE *);
/* A whole table; `first` is the head of the rows. */
void page_table(FILE *, const struct table *, const char *first);
/* The table as comma-separated values, owned by the caller. */
char *page_csv(const struct table *);

#endif
