// What a turn of a loop can look like when it becomes a lambda: steps of several kinds before `continue`, conditions that
// are no bool, bodies on one line or empty, names that clash, variables a lambda captures in odd ways.
#include "common.h"

__device__ int i = 3; // a loop's variable has the same name

template <int STEP> __global__ void steps(const short *__restrict__ in, int *__restrict__ out, int n)
{
    int t = threadIdx.x, kept[4] = {1, 2, 3, 4}, odd = 0;
    const short *row = in + t * n;
    for (int k = 0, m = n; k < m; k += STEP, m--) {
        int v = row[k];
        if (v & 1) continue;
        if (v == 6)
            continue;
        else if (v == 8) {
            odd++;
            continue;
        }
        switch (v & 12) {
        case 4:
            kept[v & 3]++;
            continue;
        case 8:
            break;
        default:
            odd ^= v;
        }
        for (int q = 0; q < 3; q++) {
            if (row[q] & 1)
                continue;
            if (row[q] == v)
                break;
            kept[q & 3] += row[q + k % 2];
        }
        kept[k & 3] += v;
    }
    out[t] = kept[0] * 31 + kept[1] * 7 + kept[2] * 3 + kept[3] + odd;
}

__global__ void conditions(const int *__restrict__ in, unsigned *__restrict__ out, int n)
{
    int t = threadIdx.x, at = t * n, left = n / 2;
    unsigned sum = 0;
    while (left) { sum += in[at++]; left--; }
    while (in[at] & 15 && at < (t + 1) * n - 1)
        at++;
    for (; in[at] % 5 && at < (t + 1) * n - 1; at++)
        ;
    while (at < (t + 1) * n - 1 && in[at++] % 7);
    for (int k = 1; in[t + k] % 11 && k < 9; k++) {
        if (k > 2) {
            unsigned k = in[t] & 3; // hides the head's
            if (k == 1)
                continue;
            sum += k;
        }
    }
    sum += i;
    for (int i = t; i < t + 20; i++)
        sum = sum * 3 + in[i];
    out[t] = sum + at + i;
}

// What a loop's condition got, its body need not get again; unless something changed.
__global__ void asks_twice(const char *__restrict__ text, unsigned *__restrict__ out, int n)
{
    int t = threadIdx.x, i = t * n, end = (t + 1) * n;
    unsigned hash = 1;
    for (int words = 0; words < 5 && i < end; words++) {
        for (i++; text[i] > -100; i++)
            hash = (hash ^ (unsigned char)text[i]) * 16777619u;
        while (text[i] < 100) {
            hash += text[i] & 3;
            i++;
            hash ^= text[i];
        }
        while (text[i] != 5 && i < end) {
            i += 1 + (text[i] & 1);
            hash = hash * 3 + text[i];
        }
        while (i < end && text[i] & 1)
            hash += text[i++] - text[i];
    }
    out[t] = hash;
}

struct pair {
    short a, b;
};

__global__ void captures(const short *__restrict__ in, pair *__restrict__ out, int n)
{
    __shared__ int seen[64];
    int t = threadIdx.x;
    constexpr int scale = 3;
    pair both = {(short)t, 5};
    auto &[first, second] = both;
    int &alias = seen[t];
    alias = 0;
    for (int k = 0; k < n; k++)
        first += in[t * n + k] * second;
    for (int k = 0; k < n; k++) {
        both.b += in[t * n + k] * scale;
        alias += both.b & 1;
        out[t * n + k] = both;
        out[t * n + k].a = (short)(alias + seen[t]);
        if (k + 1 < n)
            out[t * n + k + 1] = {1, 2};
    }
}

int main()
{
    const int threads = 64, n = 50;
    short *shorts = filled<short>(threads * n + 8, 2, 2);
    int *words = filled<int>(threads * n + 8, 3), *out = filled<int>(threads, 4);
    unsigned *sums = filled<unsigned>(threads, 5);
    pair *pairs = filled<pair>(threads * n, 6);
    steps<1><<<1, threads>>>(shorts, out, n);
    print_hash("steps", out, threads);
    steps<2><<<1, threads>>>(shorts, out, n);
    print_hash("steps", out, threads);
    conditions<<<1, threads>>>(words, sums, n);
    print_hash("conditions", sums, threads);
    asks_twice<<<1, threads>>>((const char *)words, sums, n);
    print_hash("asks_twice", sums, threads);
    captures<<<1, threads>>>(shorts, pairs, n);
    OK(cudaGetLastError());
    print_hash("captures", pairs, threads * n);
}
