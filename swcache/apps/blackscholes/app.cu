#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("blackscholes", argc, argv);
    problem p;
    p.count = a.pick(2003L, 11L << 15, 1L << 25);
    p.per_thread = a.pick(8, 16, 128);
    std::vector<option_record> options(p.count);
    std::vector<float> prices(p.count * 2);
    const long parts = 256;
    parallel_for(parts, [&](long part) {
        rng r(1000 + part);
        for (long i = p.count * part / parts; i < p.count * (part + 1) / parts; i++) {
            options[i] = {r.uniform(5, 30), r.uniform(1, 100), r.uniform(0.25f, 10), r.uniform(0.01f, 0.05f),
                          r.uniform(0.1f, 0.5f)};
            price_record q =
                price(options[i].spot, options[i].strike, options[i].years, options[i].rate, options[i].volatility);
            prices[2 * i] = q.call;
            prices[2 * i + 1] = q.put;
        }
    });
    p.options = a.input(options);
    p.prices = (price_record *)a.output(prices, 1e-4);
    return a.run(p);
}
