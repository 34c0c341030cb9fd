/* See nearest.h. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Levenshtein distance, capped: good enough to guess what was meant. */
static unsigned distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    size_t na = strlen(a), nb = strlen(b);
    if (na >= MAX || nb >= MAX)
        return MAX;
    unsigned cost[MAX + 1][MAX + 1];
    for (size_t i = 0; i <= na; i++)
        for (size_t j = 0; j <= nb; j++) {
            if (!i || !j) {
                cost[i][j] = (unsigned)(i + j);
                continue;
            }
#define SAME(x, y) (tolower((unsigned char)a[x]) == tolower((unsigned char)b[y]))
            unsigned best = cost[i - 1][j - 1] + !SAME(i - 1, j - 1);
            if (cost[i - 1][j] + 1 < best)
                best = cost[i - 1][j] + 1;
            if (cost[i][j - 1] + 1 < best)
                best = cost[i][j - 1] + 1;
            if (i > 1 && j > 1 && SAME(i - 1, j - 2) && SAME(i - 2, j - 1) && cost[i - 2][j - 2] + 1 < best)
                best = cost[i - 2][j - 2] + 1; /* two neighbors changed places: "icp" for "ipc" */
#undef SAME
            cost[i][j] = best;
        }
    return cost[na][nb];
}

const char *nearest_name(const char *word, const char *const *names, unsigned n)
{
    const char *best = NULL;
    unsigned best_distance = 1000;
    for (unsigned i = 0; i < n; i++) {
        unsigned d = distance(word, names[i]);
        if (strlen(word) >= 3 && strncasecmp(word, names[i], strlen(word)) == 0 && d > 2)
            d = 2; /* an abbreviation */
        if (d < best_distance) {
            best_distance = d;
            best = names[i];
        }
    }
    unsigned allowed = strlen(word) <= 3 ? 1 : strlen(word) <= 6 ? 2 : (unsigned)strlen(word) / 3 + 1;
    return best_distance <= allowed ? best : NULL;
}

void nearest_print_names(char *out, size_t bytes, const char *word, const char *const *names, unsigned n)
{
    const char *near = nearest_name(word, names, n);
    size_t at = near ? (size_t)snprintf(out, bytes, "did you mean '%s'? ", near) : 0;
    if (at < bytes)
        at += (size_t)snprintf(out + at, bytes - at, "choose from:");
    for (unsigned i = 0; i < n && at < bytes; i++)
        at += (size_t)snprintf(out + at, bytes - at, " %s", names[i]);
}

int err_hint_names(struct err *e, const char *word, const char *const *names, unsigned n)
{
    char text[256];
    nearest_print_names(text, sizeof text, word, names, n);
    return err_hint(e, "%s", text);
}

int err_hint_nearest(struct err *e, const char *word, const char *const *names, unsigned n, const char *otherwise)
{
    const char *near = nearest_name(word, names, n);
    return near ? err_hint(e, "did you mean '%s'?", near) : otherwise ? err_hint(e, "%s", otherwise) : -1;
}
