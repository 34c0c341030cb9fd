// Scans of the software cache: lines in registers.
#include "check.h"
#include <swcache.cuh>

/* Scans: every element once, in order, whatever the range, the base and the line; and an end where step says so. */
struct record {
    int key;
    short a, b;
    int c[2]; // 16 bytes, aligned to 4
};
__host__ __device__ inline unsigned hash_bytes(unsigned hash, const void *p, size_t n)
{
    for (size_t k = 0; k < n; k++)
        hash = (hash ^ ((const unsigned char *)p)[k]) * 16777619u;
    return hash;
}

template <int Line, class T> __global__ void scans(const T *in, const T *end, int most, unsigned *hashes)
{
    int first = threadIdx.x, last = min(first + (int)(threadIdx.x * 7 % 101), most);
    unsigned all = 2166136261u, some = 0, open = 0;
    int visited = 0;
    swcache::scan<Line>(in + first, in + last, [&](T v) { all = hash_bytes(all, &v, sizeof v); });
    swcache::scan<Line>(in + first, in + last, [&](T, const T *at) {
        some = some * 31 + (unsigned)(at - in);
        return ++visited < 20;
    });
    if (first < most)
        swcache::scan_while<Line>(in + first, threadIdx.x % 3 ? end : nullptr, [&](T v, const T *at) {
            open = hash_bytes(open, &v, sizeof v);
            return at + 1 < in + most && at - in < first + 40;
        });
    hashes[threadIdx.x * 3] = all;
    hashes[threadIdx.x * 3 + 1] = some;
    hashes[threadIdx.x * 3 + 2] = open;
}

template <int Line, class T> static void scan_of()
{
    const int threads = 150, count = 180;
    for (int offset = 0; offset < 4; offset++) {
        size_t shift = std::is_same<T, record>::value ? offset * 4 : offset * sizeof(T);
        std::vector<unsigned char> data(count * sizeof(T) + shift);
        rng r(Line + sizeof(T));
        for (auto &d : data)
            d = (unsigned char)r.next();
        dev<unsigned char> bytes(data);
        dev<unsigned> hashes(threads * 3);
        hashes.fill(0);
        const T *in = (const T *)((unsigned char *)bytes + shift);
        scans<Line, T><<<1, threads>>>(in, in + count, count, hashes);
        RAN();
        std::vector<unsigned> want;
        const unsigned char *host = data.data() + shift;
        for (int t = 0; t < threads; t++) {
            int last = std::min(t + t * 7 % 101, count);
            unsigned some = 0, open = 0;
            for (int i = t; i < last && i < t + 20; i++)
                some = some * 31 + (unsigned)i;
            for (int i = t; i < std::min(t + 41, count); i++)
                open = hash_bytes(open, host + i * sizeof(T), sizeof(T));
            want.push_back(hash_bytes(2166136261u, host + t * sizeof(T), std::max(0, last - t) * sizeof(T)));
            want.push_back(some);
            want.push_back(open);
        }
        check_equal("scans", hashes.get(), want);
    }
}

/* slide: the positions of a scan, each with what lies behind it, up to 16 bytes. */
template <int Line, class T> __global__ void slides(const T *in, int most, unsigned *hashes)
{
    constexpr int ahead = 16 / sizeof(T) + 1;
    int first = threadIdx.x, last = min(first + (int)(threadIdx.x * 7 % 131), most - ahead + 1), visited = 0;
    unsigned hash = 0;
    swcache::slide<ahead, Line>(in + first, in + last, [&](auto view, const T *at) {
#pragma unroll
        for (int k = 0; k < ahead; k++) {
            T v = view[k];
            hash = hash_bytes(hash, &v, sizeof v);
        }
        hash = hash * 31 + (unsigned)(at - in);
        return ++visited < 90;
    });
    hashes[threadIdx.x] = hash;
}

template <int Line, class T> static void slide_of()
{
    const int threads = 150, count = 180, ahead = 16 / sizeof(T) + 1;
    for (int offset = 0; offset < 3; offset++) {
        std::vector<unsigned char> data((count + offset) * sizeof(T));
        rng r(Line + sizeof(T));
        for (auto &d : data)
            d = (unsigned char)r.next();
        dev<unsigned char> bytes(data);
        dev<unsigned> hashes(threads);
        slides<Line, T><<<1, threads>>>((const T *)(unsigned char *)bytes + offset, count, hashes);
        RAN();
        std::vector<unsigned> want(threads);
        for (int t = 0; t < threads; t++) {
            int last = std::min(std::min(t + t * 7 % 131, count - ahead + 1), t + 90);
            for (int i = t; i < last; i++)
                want[t] = hash_bytes(want[t], data.data() + (i + offset) * sizeof(T), ahead * sizeof(T)) * 31 + i;
        }
        check_equal("slides", hashes.get(), want);
    }
}

template <int Line> static void scan_lines()
{
    scan_of<Line, char>();
    scan_of<Line, unsigned short>();
    scan_of<Line, float>();
    scan_of<Line, double>();
    scan_of<Line, record>();
    slide_of<Line, char>();
    slide_of<Line, unsigned short>();
    slide_of<Line, float>();
    slide_of<Line, double>();
}

int main()
{
    scan_lines<4>();
    scan_lines<16>();
    scan_lines<32>();
    scan_lines<128>();
    return check_result();
}
