/*
 * Exclusive prefix sum of 32-bit integers.
 *
 * Origin: CUDA SDK, scan (and the SHOC scan, same structure): common/suite_scan.h.
 * Original up to 13 Mi elements, which is "paper".
 */
#include "../common/suite_scan.h"

#include <vector>

int main(int argc, char **argv)
{
    size_t n = suite_pick<size_t>(suite_parse_size(argc, argv), 16384, 5 << 19, 13 << 20);
    std::vector<unsigned> in(n), expect(n), got(n);
    suite_rng r(7);
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) {
        in[i] = r.below(1000);
        expect[i] = sum;
        sum += in[i];
    }
    unsigned *din = suite_to_device(in.data(), n), *dout = suite_device<unsigned>(n);
    suite_scan(dout, din, n);
    suite_to_host(got.data(), dout, n);
    return suite_done("scan", argc, argv, suite_diff_exact("scan", got.data(), expect.data(), n));
}
