/* See search.h. */
#include "study/search.h"

#include <string.h>

static size_t place_of(const struct search_knob *k, long value)
{
    size_t i = 0;
    while (i + 1 < k->n && k->value[i] != value)
        i++;
    return i;
}

/* Adds the number half-way between two neighbors of the grid, of which `i` is the lower. Returns whether there is one.
 */
static bool halve(struct search_knob *k, size_t i)
{
    if (k->n == SEARCH_VALUES || k->value[i + 1] - k->value[i] < 2)
        return false;
    memmove(&k->value[i + 2], &k->value[i + 1], (k->n - i - 1) * sizeof *k->value);
    k->value[i + 1] = k->value[i] + (k->value[i + 2] - k->value[i]) / 2;
    k->n++;
    return true;
}

static bool halve_around(struct search_knob *k, long value)
{
    size_t i = place_of(k, value);
    bool finer = i + 1 < k->n && halve(k, i);
    return (i > 0 && halve(k, i - 1)) || finer;
}

/* The best of the neighbors, if it is better than the point. false: some are not known yet. */
static bool step(const struct search_knob *knob, size_t n, search_ask *ask, void *ctx, long *at, bool *moved)
{
    long best[SEARCH_KNOBS], from[SEARCH_KNOBS];
    double best_value, value;
    memcpy(from, at, n * sizeof *at);
    memcpy(best, at, n * sizeof *at);
    bool known = ask(ctx, from, &best_value);
    for (size_t k = 0; k < n; k++) {
        size_t i = place_of(&knob[k], at[k]);
        for (int up = 0; up < 2; up++) {
            if (up ? i + 1 == knob[k].n : i == 0)
                continue;
            from[k] = knob[k].value[up ? i + 1 : i - 1];
            if (!ask(ctx, from, &value)) {
                known = false;
            } else if (known && value > best_value) {
                best_value = value;
                memcpy(best, from, n * sizeof *at);
            }
        }
        from[k] = at[k];
    }
    *moved = known && memcmp(best, at, n * sizeof *at);
    if (*moved)
        memcpy(at, best, n * sizeof *at);
    return known;
}

bool search_refine(struct search_knob *knob, size_t n, search_ask *ask, void *ctx, long *at)
{
    for (bool more = true; more;) {
        bool moved;
        if (!step(knob, n, ask, ctx, at, &moved))
            return false;
        more = moved;
        for (size_t k = 0; !moved && k < n; k++)
            more |= halve_around(&knob[k], at[k]);
    }
    return true;
}

static long step_of(long value)
{
    return value < 16 ? 1 : value / 8;
}

void search_ladder(struct search_knob *k, long from)
{
    const long low = k->value[0], high = k->value[k->n - 1];
    long down[SEARCH_VALUES / 2];
    size_t n = 0;
    for (long v = from; v > low && n < SEARCH_VALUES / 2;) {
        v = v - step_of(v) > low && n + 1 < SEARCH_VALUES / 2 ? v - step_of(v) : low;
        down[n++] = v;
    }
    k->n = 0;
    while (n)
        k->value[k->n++] = down[--n];
    k->value[k->n++] = from;
    for (long v = from; v < high;) {
        v = v + step_of(v) < high && k->n + 1 < SEARCH_VALUES ? v + step_of(v) : high;
        k->value[k->n++] = v;
    }
}

bool search_climb(const struct search_knob *knob, size_t n, search_ask *ask, void *ctx, long *at)
{
    for (bool moved = true; moved;)
        if (!step(knob, n, ask, ctx, at, &moved))
            return false;
    return true;
}
