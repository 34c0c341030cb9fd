/* See estimate.h. */
#include "gpu/estimate.h"

#include <math.h>

/* The next unit from `k` on that gives a rate; n = none. */
static size_t next_rate(const struct estimate_unit *u, size_t n, size_t k)
{
    while (k < n && (u[k].cold || u[k].work <= 0))
        k++;
    return k;
}

void estimate_neighbors(const struct estimate_unit *u, size_t n, size_t k, size_t *left, size_t *right)
{
    size_t at = k + 1;
    while (at && (u[at - 1].cold || u[at - 1].work <= 0))
        at--;
    *right = next_rate(u, n, k + 1);
    *left = at ? at - 1 : *right;
    if (*left == n)
        *left = k; /* nothing but cold units: better than no estimate */
    if (*right == n)
        *right = *left;
}

void estimate_weights(const struct estimate_unit *u, size_t n, double *weight)
{
    for (size_t k = 0; k < n; k++)
        weight[k] = 0;
    for (size_t k = 0; k < n; k++) {
        size_t side[2];
        estimate_neighbors(u, n, k, &side[0], &side[1]);
        for (int i = 0; i < 2; i++)
            weight[side[i]] += u[side[i]].work > 0 ? u[k].gap / 2 / u[side[i]].work : 0;
    }
}

/* The variance of one unit's rate, from the differences between neighbors; *n_rate: units that have one. */
static double rate_variance(const struct estimate_unit *u, size_t n, const double *value, size_t *n_rate)
{
    double squares = 0, last = 0;
    *n_rate = 0;
    for (size_t k = next_rate(u, n, 0); k < n; k = next_rate(u, n, k + 1)) {
        const double rate = value[k] / u[k].work;
        if ((*n_rate)++)
            squares += (rate - last) * (rate - last);
        last = rate;
    }
    return *n_rate > 1 ? squares / 2 / (double)(*n_rate - 1) : 0;
}

struct estimate_variance estimate_variance(const struct estimate_unit *u, size_t n, const double *weight,
                                           const double *value)
{
    size_t n_rate;
    const double of_rate = rate_variance(u, n, value, &n_rate);
    double factor = 0, gaps = 0;
    for (size_t k = 0; k < n; k++) {
        factor += weight[k] * u[k].work * weight[k] * u[k].work + u[k].gap_squares;
        gaps += u[k].gap;
    }
    if (gaps <= 0)
        return (struct estimate_variance){0, INFINITY};
    return (struct estimate_variance){of_rate * factor, n_rate > 1 ? (double)(n_rate - 1) : 0};
}

struct estimate_variance estimate_add(struct estimate_variance a, struct estimate_variance b)
{
    const double sum = a.variance + b.variance;
    if (a.freedom <= 0 || b.freedom <= 0)
        return (struct estimate_variance){sum, 0};
    const double parts = a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom;
    return (struct estimate_variance){sum, parts > 0 ? sum * sum / parts : INFINITY};
}

/* The 97.5% quantile of Student's distribution. Above the table the expansion of Abramowitz and Stegun, 26.7.5. */
static double student(double freedom)
{
    static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    const double z = 1.959964;
    const unsigned n = sizeof table / sizeof *table;
    if (freedom < n) {
        const unsigned at = freedom < 1 ? 1 : (unsigned)freedom;
        const double part = freedom < 1 ? 0 : freedom - at;
        const double above = at < n ? table[at] : table[n - 1];
        return table[at - 1] + part * (above - table[at - 1]);
    }
    return isinf(freedom)
               ? z
               : z + (z * z * z + z) / 4 / freedom + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / 96 / freedom / freedom;
}

double estimate_half_width(struct estimate_variance v)
{
    if (v.freedom <= 0)
        return INFINITY;
    return student(v.freedom) * sqrt(v.variance);
}

double estimate_spread(const struct estimate_unit *u, size_t n, const double *value)
{
    double sum = 0, work = 0;
    size_t n_rate;
    const double of_rate = rate_variance(u, n, value, &n_rate);
    for (size_t k = next_rate(u, n, 0); k < n; k = next_rate(u, n, k + 1)) {
        sum += value[k];
        work += u[k].work;
    }
    if (n_rate < 3)
        return INFINITY;
    if (sum <= 0)
        return 0;
    return student((double)(n_rate - 1)) * sqrt(of_rate / (double)n_rate) / (sum / work);
}
