#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("crc", argc, argv);
    problem p;
    p.packets = a.pick(150, 11 << 11, 1 << 20);
    std::vector<unsigned> table(256);
    for (unsigned k = 0; k < 256; k++) {
        unsigned v = k;
        for (int bit = 0; bit < 8; bit++)
            v = v & 1 ? (v >> 1) ^ 0xedb88320u : v >> 1;
        table[k] = v;
    }
    rng r(12);
    std::vector<long> offsets(p.packets + 1);
    for (int k = 0; k < p.packets; k++)
        offsets[k + 1] = offsets[k] + (a.size() == APP_TINY ? r.below(200) : 64 + r.below(1437)); /* Ethernet */
    std::vector<unsigned char> data(offsets[p.packets]);
    std::vector<unsigned> sums(p.packets);
    parallel_for(p.packets, [&](long k) {
        rng r(1200 + k);
        unsigned sum = ~0u;
        for (long i = offsets[k]; i < offsets[k + 1]; i++) {
            data[i] = (unsigned char)r.next();
            sum = (sum >> 8) ^ table[(sum ^ data[i]) & 255];
        }
        sums[k] = ~sum;
    });
    p.data = a.input(data);
    p.offsets = a.input(offsets);
    p.table = a.input(table);
    p.sums = a.output(sums);
    return a.run(p);
}
