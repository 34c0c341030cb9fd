/*
 * Inverted index: which pages link where.
 *
 * Origin: Mars, InvertedIndex. A map task is one page; a thread scans it byte by byte for <a href="...">. As in Mars, map
 * runs twice, to count and, after a prefix sum, to emit (hash of the link, its position, page). 256 threads per block.
 * Simplified: the final grouping by link, a string sort in Mars, is left to the host.
 * Original 16 to 64 MB; "paper" is 24 MB.
 */
#include "../common/suite_scan.h"
#include "../common/suite_text.h"

struct posting {
    unsigned hash;
    int at, page;
};

template <class F> static __host__ __device__ inline void each_link(const char *t, int from, int to, F emit)
{
    const char tag[] = "<a href=\"";
    int matched = 0;
    for (int i = from; i < to; i++) {
        char c = t[i];
        matched = c == tag[matched] ? matched + 1 : c == '<';
        if (matched == 9) {
            unsigned h = 2166136261u;
            int start = ++i;
            while (i < to && t[i] != '"')
                h = (h ^ (unsigned char)t[i++]) * 16777619u;
            emit(h, start);
            matched = 0;
        }
    }
}

__global__ void map_count(const char *text, const int *page_at, unsigned *count, int pages)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pages) {
        unsigned n = 0;
        each_link(text, page_at[i], page_at[i + 1], [&](unsigned, int) { n++; });
        count[i] = n;
    }
}

__global__ void map_emit(const char *text, const int *page_at, const unsigned *first, posting *out, int pages)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pages) {
        unsigned n = first[i];
        each_link(text, page_at[i], page_at[i + 1], [&](unsigned h, int at) { out[n++] = posting{h, at, i}; });
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    suite_vocabulary v(suite_pick(size, 300, 2000, 5000), 67);
    std::vector<int> page_at;
    std::string text = suite_html(suite_pick<size_t>(size, 20000, 1 << 20, 24 << 20), v, 71, page_at);
    int pages = (int)page_at.size() - 1;
    size_t padded = suite_scan_padded(pages + 1);
    char *dtext = suite_to_device(text.data(), text.size());
    int *dpage = suite_to_device(page_at.data(), page_at.size());
    unsigned *dcount = suite_device<unsigned>(padded), *dfirst = suite_device<unsigned>(padded);
    SUITE_CUDA(cudaMemset(dcount, 0, padded * sizeof(unsigned)));
    map_count<<<(pages + 255) / 256, 256>>>(dtext, dpage, dcount, pages);
    SUITE_LAUNCHED();
    suite_scan(dfirst, dcount, padded);
    unsigned links;
    suite_to_host(&links, dfirst + pages, 1);
    posting *dout = suite_device<posting>(links);
    map_emit<<<(pages + 255) / 256, 256>>>(dtext, dpage, dfirst, dout, pages);
    SUITE_LAUNCHED();
    std::vector<posting> got(links), expect;
    suite_to_host(got.data(), dout, links);
    for (int p = 0; p < pages; p++)
        each_link(text.data(), page_at[p], page_at[p + 1], [&](unsigned h, int at) { expect.push_back(posting{h, at, p}); });
    size_t bad = expect.size() != got.size() ? 1 : suite_diff_exact("posting", got.data(), expect.data(), got.size());
    return suite_done("invindex", argc, argv, bad);
}
