#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("varint", argc, argv);
    problem p;
    p.per_block = a.pick(32, 64, 1024);
    p.blocks = a.pick(100, 11 << 11, 1 << 18);
    std::vector<unsigned> values((size_t)p.blocks * p.per_block);
    std::vector<std::vector<unsigned char>> coded(p.blocks);
    parallel_for(p.blocks, [&](long b) {
        rng r(500 + b);
        for (int k = 0; k < p.per_block; k++) {
            unsigned value = r.next() >> (r.below(8) ? 18 + r.below(14) : r.below(32)); /* mostly one or two bytes */
            values[b * p.per_block + k] = value;
            for (; value > 127; value >>= 7)
                coded[b].push_back((unsigned char)(value | 128));
            coded[b].push_back((unsigned char)value);
        }
    });
    std::vector<unsigned char> bytes;
    std::vector<long> offsets;
    for (auto &c : coded) {
        offsets.push_back((long)bytes.size());
        bytes.insert(bytes.end(), c.begin(), c.end());
    }
    offsets.push_back((long)bytes.size());
    p.coded = a.input(bytes);
    p.offsets = a.input(offsets);
    p.values = a.output(values);
    return a.run(p);
}
