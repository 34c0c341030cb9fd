/*
 * E = (A B) D.
 *
 * Origin: PolyBench/GPU 1.0, 2MM: two launches of the naive multiplication of common/suite_mm.h.
 * Original size 2048; "paper" computes the first 64 rows over 330 steps of each sum, to stay under a billion thread
 * instructions, "small" 16 rows over 128 steps. Rows have 2048 elements in both.
 */
#include "../common/suite_mm.h"

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 48, 2048, 2048), rows = suite_pick(size, 48, 16, 64), walk = suite_pick(size, 48, 128, 330);
    size_t left = (size_t)rows * n, right = (size_t)walk * n;
    std::vector<float> a = pb_matrix(left, 1), b = pb_matrix(right, 2), d = pb_matrix(right, 3), got(left);
    float *da = suite_to_device(a.data(), left), *db = suite_to_device(b.data(), right),
          *dd = suite_to_device(d.data(), right), *dc = suite_device<float>(left), *de = suite_device<float>(left);
    pb_multiply(da, db, dc, rows, n, walk);
    pb_multiply(dc, dd, de, rows, n, walk);
    suite_to_host(got.data(), de, left);
    std::vector<float> e = pb_multiply_host(pb_multiply_host(a, b, rows, n, walk), d, rows, n, walk);
    return suite_done("2mm", argc, argv, suite_diff("e", got.data(), e.data(), left, PB_REL, 0));
}
