/*
 * Builds an inverted index of links: each thread scans its own pages of HTML for <a href="...">, and writes one entry
 * per link (hash of the target, where it was found) into its part of the output.
 */
#ifndef INVINDEX_PROBLEM_H
#define INVINDEX_PROBLEM_H

#include "../common.h"

struct link_entry {
    unsigned target; /* hash */
    unsigned page;
    unsigned position; /* in the page */
    unsigned length;
};

struct problem {
    const char *html;
    const long *offsets;         /* pages + 1 */
    int pages, per_thread, most; /* most links per thread that are kept */
    link_entry *links;           /* threads * most */
    int *found;                  /* per thread */
};

#endif
