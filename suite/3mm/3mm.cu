/*
 * G = (A B) (C D).
 *
 * Origin: PolyBench/GPU 1.0, 3MM: three launches of the naive multiplication of common/suite_mm.h.
 * Original size 512; "paper" computes the first 232 rows over 232 steps of each sum, to stay under a billion thread
 * instructions, "small" 80 rows over 80 steps. Rows have 512 elements in both.
 */
#include "../common/suite_mm.h"

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 48, 512, 512), m = suite_pick(size, 48, 80, 232);
    size_t nn = (size_t)m * n;
    std::vector<float> a = pb_matrix(nn, 1), b = pb_matrix(nn, 2), c = pb_matrix(nn, 3), d = pb_matrix(nn, 4), got(nn);
    float *da = suite_to_device(a.data(), nn), *db = suite_to_device(b.data(), nn), *dc = suite_to_device(c.data(), nn),
          *dd = suite_to_device(d.data(), nn);
    float *de = suite_device<float>(nn), *df = suite_device<float>(nn), *dg = suite_device<float>(nn);
    pb_multiply(da, db, de, m, n, m);
    pb_multiply(dc, dd, df, m, n, m);
    pb_multiply(de, df, dg, m, n, m);
    suite_to_host(got.data(), dg, nn);
    std::vector<float> g = pb_multiply_host(pb_multiply_host(a, b, m, n, m), pb_multiply_host(c, d, m, n, m), m, n, m);
    return suite_done("3mm", argc, argv, suite_diff("g", got.data(), g.data(), nn, PB_REL, 0));
}
