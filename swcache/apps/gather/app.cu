#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("gather", argc, argv);
    problem p;
    p.mask = a.pick(1u << 14, 1u << 20, 1u << 26) - 1;
    p.threads = a.pick(300, 11 << 11, 1 << 19);
    p.per_thread = a.pick(40, 50, 256);
    std::vector<unsigned> table((size_t)p.mask + 1), sums(p.threads);
    rng r(16);
    for (auto &t : table)
        t = r.next();
    parallel_for(p.threads, [&](long t) {
        unsigned state = (unsigned)t * 2654435761u + 12345u;
        for (int k = 0; k < p.per_thread; k++) {
            state = state * 1664525u + 1013904223u;
            sums[t] += table[(state >> 5) & p.mask];
        }
    });
    p.table = a.input(table);
    p.sums = a.output(sums);
    a.must_move(32 * (size_t)p.threads * p.per_thread); /* sectors: no two loads share one */
    return a.run(p);
}
