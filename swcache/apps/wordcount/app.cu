#include "problem.h"

static std::vector<unsigned> count_on_cpu(const std::vector<char> &text, int chunk, int threads)
{
    std::vector<unsigned> words(threads);
    parallel_for(threads, [&](long t) {
        long begin = t * chunk, end = std::min<long>(begin + chunk, text.size());
        for (long i = begin; i < end; i++)
            words[t] += is_letter(text[i]) && !(i && is_letter(text[i - 1]));
    });
    return words;
}

int main(int argc, char **argv)
{
    app<problem> a("wordcount", argc, argv);
    problem p;
    p.chunk = a.pick(96, 256, 4096);
    p.bytes = a.pick(20011L, 11L << 19, 1L << 30);
    p.threads = (int)((p.bytes + p.chunk - 1) / p.chunk);
    std::vector<char> text = generate_text(p.bytes, 1, [](rng &r, char *out, long n) {
        for (long i = 0; i < n;) {
            char word[16];
            int length = random_word(r, word);
            for (int k = 0; k < length && i < n; k++)
                out[i++] = word[k];
            if (i < n)
                out[i++] = r.below(12) ? ' ' : '\n';
        }
    });
    p.text = a.input(text);
    p.words = a.output(count_on_cpu(text, p.chunk, p.threads));
    return a.run(p);
}
