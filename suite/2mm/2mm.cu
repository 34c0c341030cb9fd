/*
 * E = (A B) D.
 *
 * Origin: PolyBench/GPU 1.0, 2MM: two launches of the naive multiplication of common/suite_mm.h.
 * Original size 2048; "paper" is 352 to stay under a billion thread instructions.
 */
#include "../common/suite_mm.h"

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 48, 160, 352);
    size_t nn = (size_t)n * n;
    std::vector<float> a = pb_matrix(nn, 1), b = pb_matrix(nn, 2), d = pb_matrix(nn, 3), got(nn);
    float *da = suite_to_device(a.data(), nn), *db = suite_to_device(b.data(), nn), *dd = suite_to_device(d.data(), nn);
    float *dc = suite_device<float>(nn), *de = suite_device<float>(nn);
    pb_multiply(da, db, dc, n, n, n);
    pb_multiply(dc, dd, de, n, n, n);
    suite_to_host(got.data(), de, nn);
    std::vector<float> e = pb_multiply_host(pb_multiply_host(a, b, n, n, n), d, n, n, n);
    return suite_done("2mm", argc, argv, suite_diff("e", got.data(), e.data(), nn, PB_REL, 0));
}
