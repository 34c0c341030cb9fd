#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("simscore", argc, argv);
    problem p;
    p.features = a.pick(60, 100, 500);
    p.count = a.pick(300, 11 << 11, 1 << 21);
    std::vector<unsigned char> documents((size_t)p.count * p.features), query(p.features);
    std::vector<score> scores(p.count);
    rng r(11);
    for (auto &q : query)
        q = (unsigned char)r.below(16);
    const long parts = 256;
    parallel_for(parts, [&](long part) {
        rng r(1100 + part);
        for (long i = (long)p.count * part / parts; i < (long)p.count * (part + 1) / parts; i++)
            for (int f = 0; f < p.features; f++) {
                int value = (int)r.below(16);
                documents[i * p.features + f] = (unsigned char)value;
                scores[i].difference += std::abs(value - query[f]);
                scores[i].equal += value == query[f];
            }
    });
    p.documents = a.input(documents);
    p.query = a.input(query);
    p.scores = a.output(scores);
    return a.run(p);
}
