// Lanes that move on by as much as their data say: windows, and lanes that meet again after each turn. Loops of one kernel
// with caches of different sizes; a kernel in a namespace, declared before it is defined.
#include "common.h"

namespace coded
{
__global__ void decode(const unsigned char *__restrict__ bytes, const int *__restrict__ at, unsigned *__restrict__ values,
                       int count);
}

__global__ void words(const char *__restrict__ text, int *__restrict__ lengths, int chunk, int bytes)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * chunk, end = min(i + chunk, bytes), n = 0, longest = 0;
    if (i >= bytes)
        return;
    while (i < end) {
        int from = i;
        while (i < bytes && (text[i] & 3) != 1)
            i++;
        longest = max(longest, i - from);
        while (i < bytes && (text[i] & 3) == 1)
            i++;
        n++;
    }
    lengths[i % 7 + blockDim.x * blockIdx.x] = 0;
    if (n > 3)
        for (int k = i - 1; k > 0;) {
            do
                longest += text[k] & 1;
            while (k-- > 0 && text[k] & 8);
        }
    lengths[8 + blockIdx.x * blockDim.x + threadIdx.x] = longest * 100 + n;
}

__global__ void coded::decode(const unsigned char *__restrict__ bytes, const int *__restrict__ at,
                              unsigned *__restrict__ values, int count)
{
    int t = threadIdx.x, from = at[t];
    for (int k = 0; k < count; k++) {
        unsigned value = 0, byte;
        int shift = 0;
        do {
            byte = bytes[from++];
            value |= (byte & 127) << shift;
            shift += 7;
        } while (byte & 128 && shift < 28);
        values[t * count + k] = value;
    }
}

// The same, and another loop whose lines would lie elsewhere.
__global__ void decode_twice(const unsigned char *__restrict__ bytes, const int *__restrict__ at,
                             unsigned *__restrict__ values, int count)
{
    int t = threadIdx.x, from = at[t];
    for (int k = 0; k < count; k++) {
        unsigned value = 0;
        while (bytes[from] & 128)
            value = value << 7 | (bytes[from++] & 127);
        values[t * count + k] = value << 7 | bytes[from++];
    }
    unsigned sum = 0;
    for (int k = 0; k < count; k++)
        sum += values[t * count + k] ^ bytes[t + k * 2 % 31];
    values[t * count] = sum;
}

int main()
{
    const int threads = 64, count = 40, bytes = 64 * 100;
    char *text = filled<char>(bytes, 1, 3);
    int *lengths = filled<int>(8 + threads, 2), *dat = filled<int>(threads, 3);
    unsigned *values = filled<unsigned>(threads * count, 4);
    std::vector<int> at(threads);
    for (int i = 0; i < threads; i++)
        at[i] = i * 71;
    OK(cudaMemcpy(dat, at.data(), at.size() * sizeof(int), cudaMemcpyHostToDevice));
    words<<<1, threads>>>(text, lengths, 97, bytes - 5);
    print_hash("words", lengths + 8, threads);
    coded::decode<<<1, threads>>>((unsigned char *)text, dat, values, count);
    print_hash("values", values, threads * count);
    decode_twice<<<1, threads>>>((unsigned char *)text, dat, values, count);
    OK(cudaGetLastError());
    print_hash("twice", values, threads * count);
}
