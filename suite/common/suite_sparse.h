/* Generated sparse matrices in CSR form: uniform random, and finite elements on a square. */
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

/* n x n, every element present with the same probability, `per_row` in a row on average. */
static inline suite_csr suite_uniform_sparse(int n, int per_row, uint64_t seed)
{
    suite_rng r(seed);
    suite_csr m;
    m.n = n;
    m.row.push_back(0);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            if (r.below((uint32_t)n) < (uint32_t)per_row) {
                m.col.push_back(j);
                m.val.push_back(r.range(0.1f, 1));
            }
        m.row.push_back((int)m.col.size());
    }
    m.nnz = (int)m.col.size();
    return m;
}

/*
 * Finite elements: the square in `elements` x `elements` cells, a polynomial of degree `order` in x and in y per cell,
 * zero on the boundary. The unknowns are the inner nodes of a grid with `order` steps per cell, numbered row by row;
 * two are coupled when a cell contains both. Rows are long for nodes on corners of cells ((2 order + 1)^2), shorter on
 * their edges and shortest inside ((order + 1)^2). 128 cells of order 3 have the shape of the matrix Dubcova3.
 */
static inline suite_csr suite_finite_elements(int elements, int order, uint64_t seed)
{
    suite_rng r(seed);
    suite_csr m;
    int side = elements * order - 1;
    m.n = side * side;
    m.row.push_back(0);
    /* Along one axis, a node on the border of two cells is coupled with both, others with their own; node 0 is
     * boundary. */
    auto first = [&](int node) { return std::max(node % order ? node / order * order : node - order, 1); };
    auto last = [&](int node) { return std::min(node % order ? node / order * order + order : node + order, side); };
    for (int y = 1; y <= side; y++)
        for (int x = 1; x <= side; x++) {
            for (int v = first(y); v <= last(y); v++)
                for (int u = first(x); u <= last(x); u++) {
                    m.col.push_back((v - 1) * side + u - 1);
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
