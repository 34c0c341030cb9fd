#include "problem.h"
#include <swcache.cuh>

static __global__ void count_fields(const char *__restrict__ text, const long *__restrict__ offsets, int documents,
                                    int per_thread, json_counts *__restrict__ counts)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int first = thread * per_thread, last = min(first + per_thread, documents);
    if (first >= documents)
        return;
    json_counts n = {0, 0, 0, 0};
    unsigned depth = 0;
    bool quoted = false, escaped = false;
    swcache::scan(&text[offsets[first]], &text[offsets[last]], [&](char c) {
        if (quoted) {
            if (escaped)
                escaped = false;
            else if (c == '\\')
                escaped = true;
            else if (c == '"')
                quoted = false;
            return;
        }
        switch (c) {
        case '"':
            quoted = true;
            break;
        case '{':
            n.objects++;
            depth++;
            n.depth = max(n.depth, depth);
            break;
        case '[':
            n.elements++;
            depth++;
            n.depth = max(n.depth, depth);
            break;
        case '}':
        case ']':
            depth--;
            break;
        case ':':
            n.keys++;
            break;
        case ',':
            n.elements++;
            break;
        }
    });
    counts[thread] = n;
}

static void launch(const problem &p)
{
    int threads = (p.documents + p.per_thread - 1) / p.per_thread;
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] { count_fields<<<(threads + 255) / 256, 256>>>(p.text, p.offsets, p.documents, p.per_thread, p.counts); });
}
APP_VARIANT("hand", launch);
