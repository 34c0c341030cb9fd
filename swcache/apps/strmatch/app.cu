#include "problem.h"

int main(int argc, char **argv)
{
    app<problem> a("strmatch", argc, argv);
    problem p;
    p.chunk = a.pick(96, 256, 4096);
    p.bytes = a.pick(20011L, 11L << 19, 1L << 30);
    p.threads = (int)((p.bytes + p.chunk - 1) / p.chunk);
    memcpy(p.wanted.text, "abacabad", PATTERN_BYTES);
    /* Four letters, in runs of the pattern's own prefixes, so that partial matches are common, as in genomes. */
    std::vector<char> text = generate_text(p.bytes, 2, [&](rng &r, char *out, long n) {
        for (long i = 0; i < n;) {
            int prefix = r.below(4) ? 1 : (int)r.below(PATTERN_BYTES + 1);
            for (int k = 0; k < prefix && i < n; k++)
                out[i++] = p.wanted.text[k];
            if (i < n)
                out[i++] = (char)('a' + r.below(4));
        }
    });
    std::vector<unsigned> matches(p.threads);
    parallel_for(p.threads, [&](long t) {
        for (long i = t * p.chunk; i < std::min((t + 1) * p.chunk, p.bytes - PATTERN_BYTES + 1); i++)
            matches[t] += !memcmp(&text[i], p.wanted.text, PATTERN_BYTES);
    });
    p.text = a.input(text);
    p.matches = a.output(matches);
    return a.run(p);
}
