#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("tiny", argc, argv);
    problem p;
    p.per_thread = a.pick(20, 100, 100);
    p.threads = a.pick(100, 1000, 1000);
    std::vector<char> text((size_t)p.per_thread * p.threads);
    std::vector<unsigned> sums(p.threads);
    rng r(17);
    for (auto &t : text)
        t = (char)r.next();
    for (int t = 0; t < p.threads; t++)
        for (int i = 0; i < p.per_thread; i++)
            sums[t] = sums[t] * 31 + (unsigned char)text[(size_t)t * p.per_thread + i];
    p.text = a.input(text);
    p.sums = a.output(sums);
    return a.run(p);
}
