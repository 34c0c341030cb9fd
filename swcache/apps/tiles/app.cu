#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("tiles", argc, argv);
    problem p;
    p.n = a.pick(64, 256, 2048);
    std::vector<float> x((size_t)p.n * p.n), y(x.size()), c(x.size());
    rng r(18);
    for (size_t i = 0; i < x.size(); i++) {
        x[i] = (float)r.below(8);
        y[i] = (float)r.below(8);
    }
    parallel_for(p.n, [&](long row) {
        for (int k = 0; k < p.n; k++)
            for (int column = 0; column < p.n; column++)
                c[row * p.n + column] += x[row * p.n + k] * y[(size_t)k * p.n + column];
    });
    p.a = a.input(x);
    p.b = a.input(y);
    p.c = a.output(c);
    return a.run(p);
}
