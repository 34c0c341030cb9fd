/*
 * Counting words.
 *
 * Origin: Mars, WordCount. A map task is one line of text; a thread walks its line byte by byte (so a warp reads 32 lines
 * that lie apart). As in Mars, map runs twice: once to count how many pairs each task will emit, then, after a prefix
 * sum, to emit them: (hash of the word, position). The reduce phase counts the words by hash in a table with atomics.
 * 256 threads per block. Simplified: Mars groups pairs by sorting strings; the table replaces the sort.
 * Original 32 to 128 MB; "paper" is 24 MB.
 */
#include "../common/suite_scan.h"
#include "../common/suite_text.h"

#include <map>

struct pair {
    unsigned hash;
    int at;
};

static __host__ __device__ inline unsigned mix(unsigned h, char c)
{
    return (h ^ (unsigned char)c) * 16777619u;
}

/* Calls emit(hash, start) for each word of text[from, to). */
template <class F> static __host__ __device__ inline void each_word(const char *text, int from, int to, F emit)
{
    unsigned h = 2166136261u;
    int start = from;
    for (int i = from; i < to; i++) {
        char c = text[i];
        if (c >= 'a' && c <= 'z') {
            h = mix(h, c);
        } else {
            if (i > start)
                emit(h, start);
            h = 2166136261u;
            start = i + 1;
        }
    }
}

__global__ void map_count(const char *text, const int *line_at, unsigned *count, int lines)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines) {
        unsigned n = 0;
        each_word(text, line_at[i], line_at[i + 1], [&](unsigned, int) { n++; });
        count[i] = n;
    }
}

__global__ void map_emit(const char *text, const int *line_at, const unsigned *first, pair *out, int lines)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lines) {
        unsigned n = first[i];
        each_word(text, line_at[i], line_at[i + 1], [&](unsigned h, int at) { out[n++] = pair{h, at}; });
    }
}

__global__ void reduce(const pair *in, unsigned n, unsigned *key, unsigned *total, unsigned slots)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = in[i].hash | 1, s = h % slots; /* 0 marks a free slot */
    for (;;) {
        unsigned old = atomicCAS(&key[s], 0u, h);
        if (old == 0 || old == h)
            break;
        s = s + 1 == slots ? 0 : s + 1;
    }
    atomicAdd(&total[s], 1u);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    suite_vocabulary v(suite_pick(size, 500, 4000, 10000), 59);
    std::vector<int> line_at;
    std::string text = suite_text(suite_pick<size_t>(size, 20000, 1 << 20, 24 << 20), v, 61, line_at);
    int lines = (int)line_at.size() - 1;
    size_t padded = suite_scan_padded(lines + 1);
    char *dtext = suite_to_device(text.data(), text.size());
    int *dline = suite_to_device(line_at.data(), line_at.size());
    unsigned *dcount = suite_device<unsigned>(padded), *dfirst = suite_device<unsigned>(padded);
    SUITE_CUDA(cudaMemset(dcount, 0, padded * sizeof(unsigned)));
    map_count<<<(lines + 255) / 256, 256>>>(dtext, dline, dcount, lines);
    SUITE_LAUNCHED();
    suite_scan(dfirst, dcount, padded);
    unsigned words;
    suite_to_host(&words, dfirst + lines, 1);
    pair *dpair = suite_device<pair>(words);
    map_emit<<<(lines + 255) / 256, 256>>>(dtext, dline, dfirst, dpair, lines);
    unsigned slots = (unsigned)v.word.size() * 4 + 1;
    unsigned *dkey = suite_device<unsigned>(slots), *dtotal = suite_device<unsigned>(slots);
    SUITE_CUDA(cudaMemset(dkey, 0, slots * sizeof(unsigned)));
    SUITE_CUDA(cudaMemset(dtotal, 0, slots * sizeof(unsigned)));
    reduce<<<(words + 255) / 256, 256>>>(dpair, words, dkey, dtotal, slots);
    SUITE_LAUNCHED();
    std::vector<unsigned> key(slots), total(slots);
    suite_to_host(key.data(), dkey, slots);
    suite_to_host(total.data(), dtotal, slots);
    std::map<unsigned, unsigned> expect;
    each_word(text.data(), 0, (int)text.size(), [&](unsigned h, int) { expect[h | 1]++; });
    size_t bad = 0, found = 0;
    for (unsigned s = 0; s < slots; s++)
        if (key[s]) {
            found++;
            bad += expect.count(key[s]) == 0 || expect[key[s]] != total[s];
        }
    return suite_done("wordcount", argc, argv, bad + (found != expect.size()));
}
