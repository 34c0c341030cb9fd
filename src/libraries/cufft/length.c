/* See length.h. The tables are computed in long double. */
#include "cufft/length.h"

#include "base/out_of_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int without_small_factors(int n)
{
    for (const int *f = (const int[]){2, 3, 5, 7, 0}; *f; f++)
        while (n % *f == 0)
            n /= *f;
    return n;
}

/* Points that the lines' memory must have for n; 0: more than there are. */
static int padded_length(long long n, int most)
{
    if (n > most)
        return 0;
    int padded = (int)n;
    if (without_small_factors(padded) != 1)
        for (padded = 2 * (int)n - 1; without_small_factors(padded) != 1;)
            padded++;
    return padded <= most ? padded : 0;
}

static void append(table_t *t, long double re, long double im)
{
    VEC_PUSH(t, (double)re);
    VEC_PUSH(t, (double)im);
}

/* exp(-pi i m / n) */
static void append_root(table_t *t, long long m, long long n)
{
    const long double angle = acosl(-1) * (long double)(m % (2 * n)) / (long double)n;
    append(t, cosl(angle), -sinl(angle));
}

static size_t append_roots(table_t *t, int count, long long n)
{
    const size_t at = t->n / 2;
    for (int k = 0; k < count; k++)
        append_root(t, 2LL * k, n);
    return at;
}

static size_t append_chirp(table_t *t, const struct length *l)
{
    const int n = l->n, m = l->padded;
    const size_t at = t->n / 2;
    for (long long k = 0; k < n; k++)
        append_root(t, k * k, n);
    long double *root = xcalloc((size_t)m, 2 * sizeof *root), *b = xcalloc((size_t)m, 2 * sizeof *b);
    for (int k = 0; k < m; k++) {
        const long double angle = 2 * acosl(-1) * k / m;
        root[2 * k] = cosl(angle), root[2 * k + 1] = -sinl(angle);
    }
    for (long long k = 0; k < n; k++) {
        const long double angle = acosl(-1) * (long double)(k * k % (2 * n)) / n;
        const long long mirrored = (m - k) % m;
        b[2 * k] = b[2 * mirrored] = cosl(angle) / m;
        b[2 * k + 1] = b[2 * mirrored + 1] = sinl(angle) / m;
    }
    for (long long k = 0; k < m; k++) {
        long double re = 0, im = 0;
        for (int j = 0; j < m; j++) {
            const long double *w = &root[2 * (k * j % m)];
            re += b[2 * j] * w[0] - b[2 * j + 1] * w[1];
            im += b[2 * j] * w[1] + b[2 * j + 1] * w[0];
        }
        append(t, re, im);
    }
    free(root);
    free(b);
    return at;
}

static void make_length(struct length *l, int n, int most, table_t *t)
{
    *l = (struct length){.n = n, .padded = padded_length(n, most)};
    for (int left = l->padded; left > 1;) {
        static const int by[] = {8, 4, 2, 7, 5, 3};
        size_t f = 0;
        while (left % by[f] || (left == 16 && by[f] == 8)) /* 4 times 4 takes fewer operations than 8 times 2 */
            f++;
        l->radix[l->stages++] = by[f];
        left /= by[f];
    }
    l->roots = append_roots(t, l->padded, l->padded);
    if (l->padded != n)
        l->chirp = append_chirp(t, l);
}

bool axis_make(struct axis *a, long long n, int most, table_t *t)
{
    *a = (struct axis){.n = (int)n, .parts = 1};
    if (padded_length(n, most)) {
        make_length(&a->part[0], (int)n, most, t);
        return true;
    }
    if (n > (long long)most * most)
        return false;
    /* The two lengths nearest to each other. */
    int best = 0;
    for (int d = 2; (long long)d * d <= n; d++)
        if (n % d == 0 && padded_length(d, most) && padded_length(n / d, most))
            best = d;
    if (!best)
        return false;
    a->parts = 2;
    make_length(&a->part[0], (int)(n / best), most, t);
    make_length(&a->part[1], best, most, t);
    a->fine = append_roots(t, best, n);
    a->coarse = append_roots(t, a->part[0].n, a->part[0].n);
    return true;
}
