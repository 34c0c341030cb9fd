// Every operator that writes, on types narrower and wider than a word, and on addresses that are not aligned to lines.
#include "common.h"

struct counters {
    unsigned char small;
    short medium;
    unsigned wide;
    unsigned long long huge;
};

__global__ void update(const unsigned char *__restrict__ in, counters *__restrict__ total,
                       unsigned char *__restrict__ bytes, short *__restrict__ shorts, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++) {
        unsigned v = in[t * n + i];
        counters *mine = &total[t * 4 + (v & 3)];
        mine->small += v;
        mine->medium -= v * 3;
        mine->wide ^= v << (i & 15);
        mine->wide <<= v & 1;
        mine->huge = mine->huge * 31 + v;
        total[t * 4].huge |= 1ull << (v & 63);
        bytes[t * n + i]++;
        bytes[t * n + (i + 5) % n] += v % 7;
        --bytes[t * n + i];
        unsigned before = bytes[t * n + i]--, after = ++bytes[t * n + i];
        shorts[t * n + i] = shorts[t * n + i / 2] = (short)(before + after);
        shorts[t * n + i] /= 3;
        shorts[t * n + i] %= 101;
        shorts[t * n + i] &= 0x7f, shorts[t * n + i] >>= v & 1;
    }
}

int main()
{
    const int threads = 96, n = 61;
    unsigned char *in = filled<unsigned char>(threads * n, 1, 1), *bytes = filled<unsigned char>(threads * n, 2, 3);
    counters *total = filled<counters>(threads * 4, 3);
    short *shorts = filled<short>(threads * n, 4, 2);
    update<<<threads / 32, 32>>>(in, total, bytes, shorts, n);
    OK(cudaGetLastError());
    print_hash("bytes", bytes, threads * n);
    print_hash("shorts", shorts, threads * n);
    print_hash("total", total, threads * 4);
}
