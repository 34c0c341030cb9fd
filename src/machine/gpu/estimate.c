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

/* The work of the units in [from, to) that give rates. */
static double rate_work(const struct estimate_unit *u, size_t from, size_t to)
{
    double work = 0;
    for (size_t k = next_rate(u, to, from); k < to; k = next_rate(u, to, k + 1))
        work += u[k].work;
    return work;
}

void estimate_gap(const struct estimate_unit *u, size_t n, size_t k, double work, double *weight)
{
    size_t from = k, to = k + 1;
    while (from > 0 && u[from - 1].gap <= 0)
        from--;
    while (to < n && (to == k + 1 || u[to - 1].gap <= 0))
        to++;
    const double left = rate_work(u, from, k + 1), right = rate_work(u, k + 1, to);
    if (left <= 0 && right <= 0) { /* nothing but cold units: better than no estimate */
        weight[k] += u[k].work > 0 ? work / u[k].work : 0;
        return;
    }
    const double to_left = right <= 0 ? work : left <= 0 ? 0 : work / 2;
    for (size_t i = next_rate(u, to, from); i < to; i = next_rate(u, to, i + 1))
        weight[i] += i <= k ? to_left / left : (work - to_left) / right;
}

void estimate_weights(const struct estimate_unit *u, size_t n, double *weight)
{
    for (size_t k = 0; k < n; k++)
        weight[k] = 0;
    for (size_t k = 0; k < n; k++)
        if (u[k].gap > 0)
            estimate_gap(u, n, k, u[k].gap, weight);
}

/*
 * The variance of one unit's rate: from the differences between neighbors, or about the mean where that is larger, since
 * neighbors that share a cache's state are alike. *n_rate: units that have a rate.
 */
static double rate_variance(const struct estimate_unit *u, size_t n, const double *value, size_t *n_rate)
{
    double differences = 0, last = 0, mean = 0, about_mean = 0;
    *n_rate = 0;
    for (size_t k = next_rate(u, n, 0); k < n; k = next_rate(u, n, k + 1)) {
        const double rate = value[k] / u[k].work, from_mean = rate - mean;
        if ((*n_rate)++)
            differences += (rate - last) * (rate - last);
        last = rate;
        mean += from_mean / (double)*n_rate;
        about_mean += from_mean * (rate - mean);
    }
    return *n_rate > 1 ? fmax(differences / 2, about_mean) / (double)(*n_rate - 1) : 0;
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
