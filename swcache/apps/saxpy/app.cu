#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("saxpy", argc, argv);
    problem p;
    p.count = a.pick(40003, 1 << 19, 1 << 27);
    p.a = 3;
    std::vector<float> x(p.count), y(p.count);
    rng r(15);
    for (int i = 0; i < p.count; i++) {
        x[i] = (float)r.below(1000);
        y[i] = 3 * x[i]; /* y starts as zeros */
    }
    p.x = a.input(x);
    p.y = a.output(y);
    a.must_move(3 * sizeof(float) * (size_t)p.count);
    return a.run(p);
}
