#include "problem.h"
#include <swcache.cuh>

static __global__ void count_words(const char *__restrict__ text, long bytes, int chunk, unsigned *__restrict__ words)
{
    long thread = (long)blockIdx.x * blockDim.x + threadIdx.x;
    long begin = thread * chunk, end = min(begin + chunk, bytes);
    if (begin >= bytes)
        return;
    bool inside = begin > 0 && is_letter(text[begin - 1]);
    unsigned count = 0;
    swcache::scan(&text[begin], &text[end], [&](char c) {
        bool letter = is_letter(c);
        if (letter && !inside)
            count++;
        inside = letter;
    });
    words[thread] = count;
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] { count_words<<<(p.threads + 255) / 256, 256>>>(p.text, p.bytes, p.chunk, p.words); });
}
APP_VARIANT("hand", launch);
