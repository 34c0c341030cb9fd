/*
 * Inverted index: which pages link where.
 *
 * Origin: Mars, InvertedIndex (suite_mars.h has the framework). The host cuts the pages into chunks of 1024 bytes, each up
 * to the end of its last line; a map task is one chunk. A thread walks it byte by byte with the state machine below
 * (so a warp reads 32 chunks that lie 1 KB apart) and searches links for their closing quote. The second pass writes a
 * zero over that quote, hashes the link, writes its place and hash into the task's own key and emits key and page.
 * Simplified: the final grouping by link, a sort in Mars, is left to the host.
 * Input: HTML with a link in about 500 bytes, as in the original's three pages, which its script repeats to 28 MB. "paper"
 * is as large (28672 tasks); in "small" 16384 tasks walk only the first 96 bytes of their chunks: the beginning of the
 * original run.
 */
#include "../common/suite_mars.h"
#include "../common/suite_text.h"

enum { CHUNK = 1024 };
enum state { OUTSIDE, IN_TAG, IN_ANCHOR, AT_HREF, IN_LINK };

/* Calls link(first byte, closing quote) for each <a href="..."> of a chunk. */
template <class F> static __host__ __device__ inline void each_link(char *chunk, int size, F link)
{
    int state = OUTSIDE;
    for (int i = 0; i < size; i++) {
        switch (state) {
        case OUTSIDE:
            if (chunk[i] == '<')
                state = IN_TAG;
            break;
        case IN_TAG:
            if (chunk[i] == 'a')
                state = IN_ANCHOR;
            else if (chunk[i] != ' ')
                state = OUTSIDE;
            break;
        case IN_ANCHOR:
            if (chunk[i] == 'h' && chunk[i + 1] == 'r' && chunk[i + 2] == 'e' && chunk[i + 3] == 'f') {
                state = AT_HREF;
                i += 3;
            } else if (chunk[i] != ' ') {
                state = OUTSIDE;
            }
            break;
        case AT_HREF:
            if (chunk[i] == '"')
                state = IN_LINK;
            else if (chunk[i] != ' ' && chunk[i] != '=')
                state = OUTSIDE;
            break;
        case IN_LINK: {
            int end = i;
            while (chunk[end] != '"')
                end++;
            link(i, end);
            i = end;
            state = OUTSIDE;
            break;
        }
        }
    }
}

static __host__ __device__ inline int hash(const char *s, int len)
{
    int h = len;
    for (int i = 0; i < len; i++)
        h = (h << 4) ^ (h >> 28) ^ s[i];
    return h;
}

struct links {
    struct key {
        char *text;
        int at, hash;
    };
    struct value {
        int at, size, page;
    };
    static __device__ void count(key *k, value *v, mars_counter emit)
    {
        each_link(k->text + v->at, v->size, [&](int, int) { emit(sizeof(key), sizeof(int)); });
    }
    static __device__ void map(key *k, value *v, mars_emitter emit)
    {
        int at = v->at;
        char *chunk = k->text + at;
        each_link(chunk, v->size, [&](int start, int end) {
            chunk[end] = 0;
            k->at = at + start;
            k->hash = hash(chunk + start, end - start);
            emit(k, &v->page, sizeof(key), sizeof(int));
        });
    }
};

/* From `at`, `bytes` or what is left, up to the end of the line there. */
static int line_end(const std::string &text, int at, int bytes)
{
    size_t end = text.find('\n', std::min((size_t)at + bytes, text.size() - 1));
    return (int)(end == std::string::npos ? text.size() : end + 1) - at;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int tasks = suite_pick(size, 512, 16384, 28672), walk = suite_pick(size, 64, 96, (int)CHUNK);
    suite_vocabulary v(suite_pick(size, 300, 2000, 5000), 67);
    std::vector<int> page_at;
    std::string text = suite_html((size_t)tasks * CHUNK, v, 11, 71, page_at);
    links::key key = {suite_to_device(text.data(), text.size()), 0, 0};
    mars_input in;
    size_t page = 0;
    for (int at = 0; (size_t)at < text.size(); at += line_end(text, at, CHUNK)) {
        while (page_at[page + 1] <= at)
            page++;
        in.add(key, links::value{at, line_end(text, at, walk), (int)page});
    }
    mars_pairs pairs = mars_run<links>(in);

    size_t bad = 0, found = 0;
    for (const int4 &p : in.index) {
        links::value chunk;
        memcpy(&chunk, &in.values[p.z], sizeof chunk);
        each_link(&text[chunk.at], chunk.size, [&](int start, int end) {
            text[chunk.at + end] = 0;
            links::key expect = key, got = {};
            expect.at = chunk.at + start;
            expect.hash = hash(&text[expect.at], end - start);
            int on = -1;
            if (found < pairs.index.size()) {
                memcpy(&got, &pairs.keys[pairs.index[found].x], sizeof got);
                memcpy(&on, &pairs.values[pairs.index[found].z], sizeof on);
            }
            found++;
            bad += memcmp(&got, &expect, sizeof got) != 0 || on != chunk.page;
        });
    }
    std::string marked(text.size(), 0); /* the second pass left its zeros in the text */
    suite_to_host(&marked[0], key.text, marked.size());
    return suite_done("invindex", argc, argv, bad + (found != pairs.index.size()) + (marked != text));
}
