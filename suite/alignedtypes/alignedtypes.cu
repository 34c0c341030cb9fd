/*
 * Copying arrays of structures with and without alignment.
 *
 * Origin: CUDA SDK, alignedTypes. 64 blocks of 256 threads copy one buffer as an array of each type at the stride of the
 * grid: bytes, halves, words, and structures of 4, 8, 12, 16 and 32 bytes, first with natural, then with vector alignment,
 * which decides whether the compiler uses one wide access or several narrow ones.
 * Original 50 MB per type; "paper" is 32 MB.
 */
#include "../common/suite.h"

#include <vector>

struct rgba8 {
    unsigned char r, g, b, a;
};
struct __align__(4) rgba8_aligned {
    unsigned char r, g, b, a;
};
struct la32 {
    unsigned l, a;
};
struct __align__(8) la32_aligned {
    unsigned l, a;
};
struct rgb32 {
    unsigned r, g, b;
};
struct __align__(16) rgb32_aligned {
    unsigned r, g, b;
};
struct rgba32 {
    unsigned r, g, b, a;
};
struct __align__(16) rgba32_aligned {
    unsigned r, g, b, a;
};
struct __align__(16) rgba32_twice {
    rgba32_aligned one, two;
};

template <class T> __global__ void copy(T *out, const T *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

template <class T>
static size_t run(const char *name, const std::vector<unsigned char> &data, unsigned char *from, unsigned char *to, size_t packed)
{
    int n = (int)(data.size() / sizeof(T));
    SUITE_CUDA(cudaMemset(to, 0, data.size()));
    copy<<<64, 256>>>((T *)to, (const T *)from, n);
    SUITE_LAUNCHED();
    std::vector<unsigned char> got(data.size());
    suite_to_host(got.data(), to, data.size());
    size_t bad = 0;
    for (int i = 0; i < n; i++) /* padding need not be copied */
        bad += memcmp(&got[i * sizeof(T)], &data[i * sizeof(T)], packed) != 0;
    if (bad)
        fprintf(stderr, "%s: %zu elements differ\n", name, bad);
    return bad;
}

int main(int argc, char **argv)
{
    size_t bytes = suite_pick<size_t>(suite_parse_size(argc, argv), 32768, 3 << 20, 32 << 20), bad = 0;
    std::vector<unsigned char> data(bytes);
    suite_rng r(29);
    for (unsigned char &c : data)
        c = (unsigned char)r.next();
    unsigned char *from = suite_to_device(data.data(), bytes), *to = suite_device<unsigned char>(bytes);
    bad += run<unsigned char>("uint8", data, from, to, 1);
    bad += run<unsigned short>("uint16", data, from, to, 2);
    bad += run<rgba8>("rgba8", data, from, to, 4);
    bad += run<la32>("la32", data, from, to, 8);
    bad += run<rgb32>("rgb32", data, from, to, 12);
    bad += run<rgba32>("rgba32", data, from, to, 16);
    bad += run<rgba8_aligned>("rgba8 aligned", data, from, to, 4);
    bad += run<unsigned>("uint32", data, from, to, 4);
    bad += run<la32_aligned>("la32 aligned", data, from, to, 8);
    bad += run<rgb32_aligned>("rgb32 aligned", data, from, to, 12);
    bad += run<rgba32_aligned>("rgba32 aligned", data, from, to, 16);
    bad += run<rgba32_twice>("rgba32 twice", data, from, to, 32);
    return suite_done("alignedtypes", argc, argv, bad);
}
