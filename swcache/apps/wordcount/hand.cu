#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly>;

static __global__ void count_words(const char *__restrict__ text, long bytes, int chunk, unsigned *__restrict__ words)
{
    long thread = (long)blockIdx.x * blockDim.x + threadIdx.x;
    long begin = thread * chunk, end = min(begin + chunk, bytes);
    if (begin >= bytes)
        return;
    bool inside = begin > 0 && is_letter(text[begin - 1]);
    unsigned count = 0;
    Lines cache;
    cache.within<0>(text, bytes);
    const swcache::Id<0> text_;
    long i = begin;
    swcache::run(cache, true, [&](auto &memory) {
        bool letter = is_letter(memory.load(text_, &text[i]));
        if (letter && !inside)
            count++;
        inside = letter;
        return ++i < end;
    });
    words[thread] = count;
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            count_words<<<(p.threads + 255) / 256, 256, swcache::shared_bytes<Lines>(count_words, 256)>>>(
                p.text, p.bytes, p.chunk, p.words);
        });
}
APP_VARIANT("hand", launch);
