#include "problem.h"

/* Rows end with every piece of 64 KiB, because a piece is filled up with a long last field. */
static void write_rows(rng &r, char *out, long n)
{
    long i = 0;
    while (n - i > 200) {
        char row[200], word[16];
        int length = 0;
        length += sprintf(row + length, "%u,", r.below(100000000));
        length += sprintf(row + length, "%.*s,", random_word(r, word), word);
        length += sprintf(row + length, "%u,", r.below(10000));
        int first = random_word(r, word);
        length += sprintf(row + length, "\"%.*s, ", first, word);
        int second = random_word(r, word);
        length += sprintf(row + length, "%.*s\"\"s\",%u.%02u\n", second, word, r.below(1000), r.below(100));
        memcpy(out + i, row, length);
        i += length;
    }
    while (i < n - 1)
        out[i++] = 'x';
    out[n - 1] = '\n';
}

static csv_totals totals_on_cpu(const std::vector<char> &text, long begin, long end)
{
    csv_totals t = {0, 0, 0};
    if (begin > 0)
        while (begin < end && text[begin - 1] != '\n')
            begin++;
    while (begin < end) {
        int column = 0;
        bool quoted = false;
        for (unsigned value = 0;; begin++) {
            char c = text[begin];
            if (c == '"')
                quoted = !quoted;
            else if (!quoted && (c == ',' || c == '\n')) {
                t.fields++;
                t.sum += column == SUMMED_COLUMN ? value : 0;
                column++;
                value = 0;
            } else if (column == SUMMED_COLUMN)
                value = value * 10 + (unsigned)(c - '0');
            if (c == '\n')
                break;
        }
        begin++;
        t.rows++;
    }
    return t;
}

int main(int argc, char **argv)
{
    app<problem> a("csv", argc, argv);
    problem p;
    p.chunk = a.pick(256, 256, 4096);
    p.bytes = a.pick(20011L, 11L << 19, 1L << 30);
    p.threads = (int)((p.bytes + p.chunk - 1) / p.chunk);
    std::vector<char> text = generate_text(p.bytes, 3, write_rows);
    std::vector<csv_totals> totals(p.threads);
    parallel_for(p.threads,
                 [&](long t) { totals[t] = totals_on_cpu(text, t * p.chunk, std::min((t + 1) * p.chunk, p.bytes)); });
    p.text = a.input(text);
    p.totals = a.output(totals);
    return a.run(p);
}
