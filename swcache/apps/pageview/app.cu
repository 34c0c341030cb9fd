#include "problem.h"

static void write_log(rng &r, char *out, long n)
{
    long i = 0;
    while (n - i > 300) {
        char line[300], word[16];
        int length = sprintf(line, "10.%u.%u.%u - - [15/Nov/2026:%02u:%02u:%02u +0000] \"GET /", r.below(256),
                             r.below(256), r.below(256), r.below(24), r.below(60), r.below(60));
        for (int k = 0, depth = 1 + (int)r.below(3); k < depth; k++) {
            int letters = random_word(r, word);
            length += sprintf(line + length, "%.*s%s", letters, word, k + 1 < depth ? "/" : ".html");
        }
        length += sprintf(line + length, " HTTP/1.1\" %u %u\n", r.below(10) ? 200 : 404, r.below(100000));
        memcpy(out + i, line, length);
        i += length;
    }
    /* The last line fills the piece. */
    int length = sprintf(out + i, "10.0.0.1 - - [15/Nov/2026:00:00:00 +0000] \"GET /");
    for (i += length; i < n - 2; i++)
        out[i] = 'x';
    memcpy(out + n - 12, " HTTP\" 200 ", 11);
    out[n - 1] = '\n';
}

int main(int argc, char **argv)
{
    app<problem> a("pageview", argc, argv);
    problem p;
    p.chunk = a.pick(256, 256, 4096);
    p.bytes = a.pick(20011L, 11L << 19, 1L << 30);
    p.threads = (int)((p.bytes + p.chunk - 1) / p.chunk);
    std::vector<char> log = generate_text(p.bytes, 6, write_log);
    const long parts = 64;
    std::vector<std::vector<unsigned>> partial(parts, std::vector<unsigned>(1 << TABLE_BITS));
    long pieces = (p.bytes + 65535) / 65536; /* a line never crosses a piece */
    parallel_for(parts, [&](long part) {
        const char *c = log.data() + std::min(p.bytes, pieces * part / parts * 65536);
        const char *end = log.data() + std::min(p.bytes, pieces * (part + 1) / parts * 65536);
        while (c < end) {
            const char *line_end = (const char *)memchr(c, '\n', end - c);
            const char *path = (const char *)memchr(c, '"', end - c) + 5,
                       *path_end = (const char *)memchr(path, ' ', end - path);
            unsigned hash = 2166136261u;
            for (; path < path_end; path++)
                hash = (hash ^ (unsigned char)*path) * 16777619u;
            partial[part][hash >> (32 - TABLE_BITS)]++;
            c = line_end + 1;
        }
    });
    std::vector<unsigned> views(1 << TABLE_BITS);
    for (auto &part : partial)
        for (size_t k = 0; k < views.size(); k++)
            views[k] += part[k];
    p.log = a.input(log);
    p.views = a.output(views);
    return a.run(p);
}
