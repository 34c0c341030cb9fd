/*
 * G = (A B) (C D).
 *
 * Origin: PolyBench/GPU 1.0, 3MM: three launches of the naive multiplication of common/suite_mm.h.
 * Original size 512; "paper" is 304 to stay under a billion thread instructions.
 */
#include "../common/suite_mm.h"

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 48, 144, 304);
    size_t nn = (size_t)n * n;
    std::vector<float> a = pb_matrix(nn, 1), b = pb_matrix(nn, 2), c = pb_matrix(nn, 3), d = pb_matrix(nn, 4), got(nn);
    float *da = suite_to_device(a.data(), nn), *db = suite_to_device(b.data(), nn), *dc = suite_to_device(c.data(), nn),
          *dd = suite_to_device(d.data(), nn);
    float *de = suite_device<float>(nn), *df = suite_device<float>(nn), *dg = suite_device<float>(nn);
    pb_multiply(da, db, de, n, n, n);
    pb_multiply(dc, dd, df, n, n, n);
    pb_multiply(de, df, dg, n, n, n);
    suite_to_host(got.data(), dg, nn);
    std::vector<float> g = pb_multiply_host(pb_multiply_host(a, b, n, n, n), pb_multiply_host(c, d, n, n, n), n, n, n);
    return suite_done("3mm", argc, argv, suite_diff("g", got.data(), g.data(), nn, PB_REL, 0));
}
