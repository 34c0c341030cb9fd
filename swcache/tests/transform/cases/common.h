/* What the transformer's test programs share: fill, run, print a hash of every output. The plain and the transformed
 * program must print the same. */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));                                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* n elements of pseudo-random bytes on the device; `shift` bytes into the allocation, to have odd addresses. */
template <class T> T *filled(size_t n, unsigned seed, size_t shift = 0)
{
    std::vector<unsigned char> bytes(n * sizeof(T) + shift);
    for (auto &b : bytes) {
        seed = seed * 1664525u + 1013904223u;
        b = (unsigned char)(seed >> 24);
    }
    char *d;
    OK(cudaMalloc(&d, bytes.size()));
    OK(cudaMemcpy(d, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    return (T *)(d + shift);
}

template <class T> void print_hash(const char *name, const T *device, size_t n)
{
    std::vector<unsigned char> bytes(n * sizeof(T));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(bytes.data(), device, bytes.size(), cudaMemcpyDeviceToHost));
    unsigned long long h = 14695981039346656037ull;
    for (unsigned char b : bytes)
        h = (h ^ b) * 1099511628211ull;
    printf("%s %016llx\n", name, h);
}
