/* Generated sparse matrices in CSR form: banded (finite elements), uniform random, and power-law rows. */
#ifndef WEIR_SUITE_SPARSE_H
#define WEIR_SUITE_SPARSE_H

#include "suite.h"

#include <algorithm>
#include <vector>

struct suite_csr {
    int n, nnz;
    std::vector<int> row, col;
    std::vector<float> val;
};

enum suite_shape { SUITE_BANDED, SUITE_UNIFORM, SUITE_POWER_LAW };

/* n x n with about `per_row` elements in a row. */
static inline suite_csr suite_sparse(int n, int per_row, suite_shape shape, uint64_t seed)
{
    suite_rng r(seed);
    suite_csr m;
    m.n = n;
    m.row.push_back(0);
    std::vector<int> cols;
    for (int i = 0; i < n; i++) {
        int len = per_row;
        if (shape == SUITE_POWER_LAW) { /* most rows short, a few very long */
            uint32_t x = 1 + r.below(1000);
            len = std::min(n, std::max(1, per_row * 250 / (int)x / 2));
        } else {
            len = std::max(1, per_row / 2 + (int)r.below((uint32_t)per_row + 1));
        }
        cols.clear();
        cols.push_back(i);
        for (int k = 1; k < len; k++) {
            int j = shape == SUITE_BANDED ? i - 3 * per_row + (int)r.below((uint32_t)(6 * per_row + 1))
                                          : (int)r.below((uint32_t)n);
            if (j >= 0 && j < n)
                cols.push_back(j);
        }
        std::sort(cols.begin(), cols.end());
        cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
        for (int j : cols) {
            m.col.push_back(j);
            m.val.push_back(r.range(0.1f, 1));
        }
        m.row.push_back((int)m.col.size());
    }
    m.nnz = (int)m.col.size();
    return m;
}

static inline std::vector<float> suite_sparse_times(const suite_csr &m, const std::vector<float> &x)
{
    std::vector<float> y(m.n);
    for (int i = 0; i < m.n; i++) {
        double s = 0;
        for (int k = m.row[i]; k < m.row[i + 1]; k++)
            s += (double)m.val[k] * x[m.col[k]];
        y[i] = (float)s;
    }
    return y;
}

#endif
