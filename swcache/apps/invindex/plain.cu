#include "problem.h"

static __global__ void index_links(const char *__restrict__ html, const long *__restrict__ offsets, int pages,
                                   int per_thread, int most, link_entry *__restrict__ links, int *__restrict__ found)
{
    const char opening[] = {'<', 'a', ' ', 'h', 'r', 'e', 'f', '=', '"'};
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int first = thread * per_thread, last = min(first + per_thread, pages);
    if (first >= pages)
        return;
    int n = 0;
    for (int page = first; page < last; page++) {
        long begin = offsets[page], end = offsets[page + 1];
        int matched = 0;
        for (long i = begin; i < end; i++) {
            char c = html[i];
            if (c != opening[matched]) {
                matched = c == '<';
                continue;
            }
            if (++matched < (int)sizeof opening)
                continue;
            unsigned hash = 2166136261u;
            long start = ++i;
            for (; html[i] != '"'; i++)
                hash = (hash ^ (unsigned char)html[i]) * 16777619u;
            if (n < most) {
                link_entry *e = &links[(long)thread * most + n];
                e->target = hash;
                e->page = page;
                e->position = (unsigned)(start - begin);
                e->length = (unsigned)(i - start);
                n++;
            }
            matched = 0;
        }
    }
    found[thread] = n;
}

static void launch(const problem &p)
{
    int threads = (p.pages + p.per_thread - 1) / p.per_thread;
    index_links<<<(threads + 255) / 256, 256>>>(p.html, p.offsets, p.pages, p.per_thread, p.most, p.links, p.found);
}
APP_VARIANT("plain", launch);
