/* Check of the programs that sort 32-bit keys with 32-bit values, both on the device: stable, ascending. */
#ifndef WEIR_SUITE_SORT_H
#define WEIR_SUITE_SORT_H

#include "suite.h"

#include <algorithm>
#include <vector>

/* `key` is what was sorted, in runs of `run` (a whole number of them); the value of each was its index. Number of wrong
 * keys and values. */
static inline size_t suite_sort_diff(const std::vector<unsigned> &key, const unsigned *sorted_keys,
                                     const unsigned *sorted_values, size_t run)
{
    const size_t n = key.size();
    std::vector<unsigned> order(n), expect(n), got(n);
    for (size_t i = 0; i < n; i++)
        order[i] = (unsigned)i;
    for (size_t i = 0; i < n; i += run)
        std::stable_sort(order.begin() + i, order.begin() + i + run,
                         [&](unsigned a, unsigned b) { return key[a] < key[b]; });
    for (size_t i = 0; i < n; i++)
        expect[i] = key[order[i]];
    suite_to_host(got.data(), sorted_keys, n);
    const size_t bad = suite_diff_exact("key", got.data(), expect.data(), n);
    suite_to_host(got.data(), sorted_values, n);
    return bad + suite_diff_exact("value", got.data(), order.data(), n);
}

#endif
