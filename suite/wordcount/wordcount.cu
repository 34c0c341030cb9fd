/*
 * Counting words.
 *
 * Origin: Mars, WordCount (suite_mars.h has the framework). The host turns the text into capitals and cuts it into chunks
 * of 2048 bytes, each up to the end of its last word; a map task is one chunk. A thread walks its chunk byte by byte (so
 * a warp reads 32 chunks that lie 2 KB apart) and writes a zero behind every word, in both passes, into the text
 * itself. Words of six letters or more are emitted with their length: the emission copies them out of the text again.
 * Simplified: the pairs are counted by word on the host, which Mars does after sorting them.
 * Original: 87 KB (43 tasks) in its script, 32 to 128 MB in its publication; "paper" is 32 MB, 16384 tasks. "small" has
 * as many tasks, of which each walks only the first 96 bytes of its chunk: the beginning of the same run.
 */
#include "../common/suite_mars.h"
#include "../common/suite_text.h"

#include <map>

enum { CHUNK = 2048, SHORTEST = 6 };

static __host__ __device__ inline bool letter(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Ends each word of a chunk with a zero and calls word(first letter, length with the zero). */
template <class F> static __host__ __device__ inline void each_word(char *chunk, int size, F word)
{
    for (int i = 0, start = 0;;) {
        while (letter(chunk[i]))
            i++;
        chunk[i++] = 0;
        word(chunk + start, i - start);
        while (i < size && !letter(chunk[i]))
            i++;
        if (i >= size)
            return;
        start = i;
    }
}

struct words {
    struct key {
        char *text;
    };
    struct alignas(16) value {
        int at, size;
    };
    static __device__ void count(key *k, value *v, mars_counter emit)
    {
        each_word(k->text + v->at, v->size, [&](char *, int size) {
            if (size > SHORTEST)
                emit(size, sizeof(int));
        });
    }
    static __device__ void map(key *k, value *v, mars_emitter emit)
    {
        int *length = (int *)emit.buffer();
        each_word(k->text + v->at, v->size, [&](char *word, int size) {
            *length = size;
            if (size > SHORTEST)
                emit(word, length, size, sizeof(int));
        });
    }
};

/* From `at`, `bytes` or what is left, up to the end of the word there. */
static int word_end(const std::string &text, int at, int bytes)
{
    size_t end = std::min((size_t)at + bytes, text.size() - 1);
    while (letter(text[end]))
        end++;
    return (int)end + 1 - at;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int tasks = suite_pick(size, 1024, 16384, 16384), walk = suite_pick(size, 24, 96, (int)CHUNK);
    suite_vocabulary v(suite_pick(size, 500, 4000, 10000), 59);
    std::vector<int> line_at;
    std::string text = suite_text((size_t)tasks * CHUNK, v, 61, line_at);
    for (char &c : text)
        c = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    words::key key = {suite_to_device(text.data(), text.size())};
    mars_input in;
    for (int at = 0; (size_t)at < text.size(); at += word_end(text, at, CHUNK))
        in.add(key, words::value{at, word_end(text, at, walk)});
    mars_pairs pairs = mars_run<words>(in);

    std::map<std::string, int> count, expect;
    size_t bad = 0;
    for (const int4 &p : pairs.index) {
        int length;
        memcpy(&length, &pairs.values[p.z], sizeof length);
        bad += length != p.y || p.w != sizeof length || pairs.keys[p.x + p.y - 1] != 0;
        count[std::string(&pairs.keys[p.x], p.y - 1)]++;
    }
    for (const int4 &p : in.index) {
        words::value chunk;
        memcpy(&chunk, &in.values[p.z], sizeof chunk);
        each_word(&text[chunk.at], chunk.size, [&](char *word, int n) {
            if (n > SHORTEST)
                expect[std::string(word, n - 1)]++;
        });
    }
    std::string marked(text.size(), 0); /* both passes left their zeros in the text */
    suite_to_host(&marked[0], key.text, marked.size());
    return suite_done("wordcount", argc, argv, bad + (count != expect) + (marked != text));
}
