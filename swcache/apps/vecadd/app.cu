#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("vecadd", argc, argv);
    problem p;
    p.count = a.pick(40003, 1 << 19, 1 << 27);
    std::vector<float> x(p.count), y(p.count), sum(p.count);
    rng r(14);
    for (int i = 0; i < p.count; i++) {
        x[i] = (float)r.below(1000);
        y[i] = (float)r.below(1000);
        sum[i] = x[i] + y[i];
    }
    p.a = a.input(x);
    p.b = a.input(y);
    p.sum = a.output(sum);
    return a.run(p);
}
