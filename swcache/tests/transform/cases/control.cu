// All ways through a loop and out of it: break, continue, return, do, for without parts, conditions that change things.
#include "common.h"

__global__ void leave(const unsigned char *__restrict__ in, int *__restrict__ out, int n)
{
    int t = threadIdx.x, sum = 0;
    const unsigned char *row = in + t * n;
    out += t * n;
    for (int i = 0;; i++) {
        if (i == n)
            break;
        int v = row[i];
        out[i] = v - sum;
        if (v == 3)
            continue;
        switch (v & 7) {
        case 0:
            sum++;
            break;
        case 1:
            sum += 2;
        default:
            sum += v;
        }
        if (sum > 6000) {
            out[n - 1] = sum;
            return;
        }
        if (sum > 5500 && v == 5)
            return;
        else if (sum > 5000 && v > 250)
            break;
    }
    out[n - 1] = -sum;
}

__global__ void count_down(const unsigned char *__restrict__ in, int *__restrict__ out, int n)
{
    int t = threadIdx.x, k = n, hash = 1, at = t * n, c;
    while (k-- > 0)
        hash = hash * 31 + in[at++];
    at = t * n;
    while ((c = in[at++] & 127) != 0 && at < (t + 1) * n)
        hash ^= c << (at & 7);
    at = t * n;
    do
        hash += in[at] * 3;
    while (in[at++] != 200 && at < (t + 1) * n);
    at = t * n;
    do {
        if (in[at] & 1)
            continue;
        hash += in[at];
        if (in[at] == 64)
            break;
    } while (++at < (t + 1) * n);
    out[t] = hash;
}

__global__ void nothing(const unsigned char *__restrict__ in, int *__restrict__ out, int from, int to)
{
    int sum = 7;
    for (int i = from; i < to; i++)
        sum += in[threadIdx.x + i];
    do {
        sum = sum * 5 + in[threadIdx.x + from++];
    } while (from < to);
    out[threadIdx.x] = sum;
}

int main()
{
    const int threads = 128, n = 150;
    unsigned char *in = filled<unsigned char>(threads * n, 1, 5);
    int *out = filled<int>(threads * n, 2), *hash = filled<int>(threads, 3), *none = filled<int>(threads, 4);
    leave<<<1, threads>>>(in, out, n);
    count_down<<<1, threads>>>(in, hash, n);
    nothing<<<1, threads>>>(in, none, 5, 5);
    OK(cudaGetLastError());
    print_hash("out", out, threads * n);
    print_hash("hash", hash, threads);
    print_hash("none", none, threads);
}
