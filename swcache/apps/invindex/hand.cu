#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::Always, swcache::Window, swcache::ReadWrite>;

static __global__ void index_links(const char *__restrict__ html, const long *__restrict__ offsets, int pages,
                                   int per_thread, int most, link_entry *__restrict__ links, int *__restrict__ found)
{
    const char opening[] = {'<', 'a', ' ', 'h', 'r', 'e', 'f', '=', '"'};
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int first = thread * per_thread, last = min(first + per_thread, pages);
    if (first >= pages)
        return;
    Lines cache;
    cache.within<0>(html, offsets[pages]);
    cache.within<1>(links, (size_t)(pages + per_thread - 1) / per_thread * most * sizeof(link_entry));
    const swcache::Id<0> html_;
    const swcache::Id<1> links_;
    int n = 0, page = first, matched = 0;
    long begin = offsets[page], end = offsets[page + 1], i = begin;
    swcache::run(cache, true, [&](auto &memory) {
        if (i >= end) {
            if (++page == last)
                return false;
            i = begin = end;
            end = offsets[page + 1];
            matched = 0;
            return true;
        }
        char c = memory.load(html_, &html[i++]);
        if (c != opening[matched]) {
            matched = c == '<';
            return true;
        }
        if (++matched < (int)sizeof opening)
            return true;
        unsigned hash = 2166136261u;
        long start = i;
        while ((c = memory.load(html_, &html[i])) != '"') {
            hash = (hash ^ (unsigned char)c) * 16777619u;
            i++;
        }
        if (n < most) {
            link_entry *e = &links[(long)thread * most + n];
            memory.store(links_, &e->target, hash);
            memory.store(links_, &e->page, page);
            memory.store(links_, &e->position, (unsigned)(start - begin));
            memory.store(links_, &e->length, (unsigned)(i - start));
            n++;
        }
        i++;
        matched = 0;
        return true;
    });
    found[thread] = n;
}

static void launch(const problem &p)
{
    int threads = (p.pages + p.per_thread - 1) / p.per_thread;
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            index_links<<<(threads + 255) / 256, 256, swcache::shared_bytes<Lines>(index_links, 256)>>>(
                p.html, p.offsets, p.pages, p.per_thread, p.most, p.links, p.found);
        });
}
APP_VARIANT("hand", launch);
