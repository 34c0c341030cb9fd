#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("example", argc, argv);
    problem p;
    p.count = a.pick(5003L, 11L << 17, 1L << 27);
    p.per_thread = a.pick(20, 64, 512);
    std::vector<char> chars(p.count);
    std::vector<int> ints(p.count), out(p.count);
    const long parts = 256;
    parallel_for(parts, [&](long part) {
        rng r(1300 + part);
        for (long i = p.count * part / parts; i < p.count * (part + 1) / parts; i++) {
            chars[i] = (char)r.below(100);
            ints[i] = (int)r.below(1 << 20);
            out[i] = do_computation(chars[i], ints[i]);
        }
    });
    p.chars = a.input(chars);
    p.ints = a.input(ints);
    p.out = a.output(out);
    return a.run(p);
}
