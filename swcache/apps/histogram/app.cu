#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("histogram", argc, argv);
    problem p;
    p.count = a.pick(3001L, 11L << 16, 1L << 26);
    p.per_thread = a.pick(16, 32, 256);
    std::vector<sale> sales(p.count);
    const long parts = 256;
    std::vector<std::vector<unsigned long long>> partial(parts, std::vector<unsigned long long>(CATEGORIES));
    parallel_for(parts, [&](long part) {
        rng r(800 + part);
        for (long i = p.count * part / parts; i < p.count * (part + 1) / parts; i++) {
            sales[i] = {r.next(), (unsigned short)r.below(1000), (unsigned short)r.below(200), r.below(100000),
                        1 + r.below(9)};
            partial[part][sales[i].category % CATEGORIES] += (unsigned long long)sales[i].price * sales[i].quantity;
        }
    });
    std::vector<unsigned long long> revenue(CATEGORIES);
    for (auto &part : partial)
        for (int k = 0; k < CATEGORIES; k++)
            revenue[k] += part[k];
    p.sales = a.input(sales);
    p.revenue = a.output(revenue);
    return a.run(p);
}
