#include "problem.h"
#include <swcache.cuh>

/* The loop over a link's target becomes a state of the one scan over the page. */
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
        const char *begin = &html[offsets[page]], *start = begin;
        int matched = 0;
        bool in_target = false;
        unsigned hash = 0;
        swcache::scan(begin, &html[offsets[page + 1]], [&](char c, const char *at) {
            if (in_target && c != '"') {
                hash = (hash ^ (unsigned char)c) * 16777619u;
            } else if (in_target) {
                if (n < most) {
                    link_entry *e = &links[(long)thread * most + n];
                    e->target = hash;
                    e->page = page;
                    e->position = (unsigned)(start - begin);
                    e->length = (unsigned)(at - start);
                    n++;
                }
                in_target = false;
            } else if (c != opening[matched]) {
                matched = c == '<';
            } else if (++matched == (int)sizeof opening) {
                hash = 2166136261u;
                start = at + 1;
                in_target = true;
                matched = 0;
            }
        });
    }
    found[thread] = n;
}

static void launch(const problem &p)
{
    int threads = (p.pages + p.per_thread - 1) / p.per_thread;
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            index_links<<<(threads + 255) / 256, 256>>>(p.html, p.offsets, p.pages, p.per_thread, p.most, p.links,
                                                        p.found);
        });
}
APP_VARIANT("hand", launch);
