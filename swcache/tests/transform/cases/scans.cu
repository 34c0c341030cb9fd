// Loops that visit consecutive elements once each: every shape of head and step, elements of all sizes, and loops that
// look like scans and are none.
#include "common.h"

struct sale {
    unsigned category, price;
    unsigned short quantity, flags;
    unsigned day;
};

__global__ void heads(const unsigned char *__restrict__ in, const short *__restrict__ halves,
                      const unsigned *__restrict__ words, const long *__restrict__ at, unsigned *__restrict__ out, int n)
{
    int t = threadIdx.x;
    unsigned sum = 0;
    long i = at[t];
    for (long k = at[t]; k < at[t + 1]; k++)
        sum = sum * 31 + in[k];
    for (; i < at[t + 1]; i++)
        sum += in[i] << (i & 7);
    sum += (unsigned)i;
    int k = t * n;
    while (k < (t + 1) * n) {
        sum ^= halves[k] * 3;
        k++;
    }
    for (int k = 0; k <= n - 1; k++)
        sum = sum * 5 + halves[t * n + k] + k;
    for (unsigned k = t * n; k < (t + 1u) * n; ++k) {
        if (words[k] & 1)
            continue;
        sum += words[k] >> (k & 3);
    }
    for (const unsigned *w = words + t * n, *e = w + n; w != e; w++)
        sum = (sum ^ *w) * 16777619u;
    const unsigned char *p = in + at[t], *const end = in + at[t + 1];
    while (p < end) {
        const unsigned char c = *p++;
        if (c == 7)
            continue;
        sum = sum * 3 + c + (unsigned)(end - p);
    }
    out[t] = sum;
}

__global__ void ends(const char *__restrict__ text, const long *__restrict__ at, int *__restrict__ out, int n)
{
    int t = threadIdx.x, found = -1, length = 0, lines = 0;
    for (long i = at[t]; i < 2147483647; i++) { // ends long before its bound
        char c = text[i];
        if (c % 11 == 3)
            break;
        length += c;
    }
    int k = 0;
    for (k = 0; k < n; k++)
        if (text[t * n + k] == 'x') {
            found = k;
            break;
        }
    long j = at[t];
    bool more = j < at[t + 1];
    while (more) {
        char c = text[j++];
        if (c < 0) {
            lines++;
            continue;
        }
        if (c == 13)
            break;
        more = j < at[t + 1];
        if (c == 9)
            lines += (int)(j - at[t]);
    }
    long m = at[t];
    do {
        length = length * 3 + text[m++];
    } while (length % 29 && m < at[t + 1]);
    const char *p = text + at[t];
    while (length > 100000) {
        char c = *p++;
        length -= (c & 127) + 1;
        if (p - text > at[t + 1])
            length = 0;
    }
    out[t] = found + 100 * k + length + lines * 7 + (int)m;
}

template <int SCALE> __global__ void records(const sale *__restrict__ sales, const double2 *__restrict__ pairs,
                                             unsigned long long *__restrict__ out, int n)
{
    int t = threadIdx.x;
    unsigned long long sum = 0;
    for (int i = t * n; i < (t + 1) * n; i++)
        sum += (unsigned long long)sales[i].price * sales[i].quantity + __ldg(&sales[i].category) * SCALE;
    const sale *s = &sales[t * n];
    for (const sale *last = s + n; s < last; s++) {
        if (s->flags & 1)
            sum ^= s->day;
        sum += s->price;
    }
    for (int i = 0; i < n; i++) {
        double2 d = pairs[t * n + i];
        sum += (unsigned long long)(d.x * i + d.y);
    }
    out[t] = sum;
}

struct pattern {
    char text[6];
};

// Turns that look ahead.
__global__ void slides(const char *__restrict__ text, const int *__restrict__ numbers, pattern wanted,
                       unsigned *__restrict__ out, int n)
{
    int t = threadIdx.x;
    unsigned found = 0, sum = 0;
    for (int i = t * n; i < (t + 1) * n; i++) {
        int k = 0;
        while (k < 6 && text[i + k] % 3 == wanted.text[k])
            k++;
        if (k == 6)
            found++;
        sum += k;
    }
    for (int i = 0; i < n; i++) {
        int filtered = 0;
        for (int k = 0; k < 4; k++)
            filtered += numbers[t * n + i + k] * (k + 1);
        if (filtered & 1)
            continue;
        sum = sum * 3 + filtered + i;
    }
    for (long i = t; i < t + n; i++)
        sum ^= text[i] - text[i + 1] + (int)i;
    for (int i = t * n; i < (t + 1) * n; i++) // the element itself is not read in every turn
        for (int k = 0; k < 4; k++)
            if (k & 1)
                sum += text[i + k];
    for (int i = t * n; i < (t + 1) * n; i++) { // too far
        for (int k = 0; k < 40; k++)
            sum += text[i + k];
    }
    for (int i = t * n; i < (t + 1) * n; i++) { // begins elsewhere
        int k = 1;
        while (k < 5 && text[i + k] > 0)
            k++;
        sum += k;
    }
    for (int i = t * n; i < (t + 1) * n; i++) { // as far as the run says
        for (int k = 0; k < n % 7; k++)
            sum += text[i + k];
    }
    out[t] = sum + (found << 20);
}

// Searches: a bound, and something else.
__global__ void searches(const char *__restrict__ text, const long *__restrict__ at, int *__restrict__ out)
{
    int t = threadIdx.x, n = 0;
    long i = at[t], end = at[t + 1];
    while (i < end && text[i] != 'x' && n < 5) {
        n += text[i] & 1;
        i++;
    }
    long j = at[t] + 1;
    while (j < end && text[j - 1] % 7 != 2)
        j++;
    long k = at[t];
    while (k < end && n < 1000) {
        char c = text[k++];
        n += c & 3;
    }
    out[t] = n + (int)(i - at[t]) * 100 + (int)(j + k);
}

// A loop over the bytes of one record, inside a loop over records.
__global__ void nests(const unsigned char *__restrict__ in, const long *__restrict__ at, unsigned *__restrict__ out,
                      int count)
{
    for (int r = threadIdx.x; r < count; r += blockDim.x) {
        unsigned sum = 1;
        for (long i = at[r]; i < at[r + 1]; i++)
            sum = (sum << 1 | sum >> 31) ^ in[i];
        if (sum & 1)
            for (long i = at[r]; i < at[r + 1]; i++)
                sum += in[i];
        else
            for (long i = at[r]; i < at[r + 1]; i++)
                sum -= in[i];
        out[r] = sum;
    }
}

__global__ void none(const unsigned char *__restrict__ in, const int *__restrict__ from, const long *__restrict__ at,
                     unsigned *__restrict__ out, int n, unsigned most)
{
    int t = threadIdx.x;
    unsigned sum = 0;
    for (int i = 0; i < n; i++) // a neighbor behind
        sum += in[t * n + i] ^ in[t * n + i - 1];
    for (int i = t * n; i < (t + 1) * n; i++) { // not in every turn
        if (i & 1)
            sum += in[i];
    }
    for (int i = t * n; i < (t + 1) * n; i++) { // goes on by itself
        sum = sum * 3 + in[i];
        if (sum & 1)
            i++;
    }
    int end = (t + 1) * n;
    for (int i = t * n; i < end; i++) { // the bound moves
        sum += in[i];
        end -= in[i] & 1;
    }
    for (int i = t - 70; i < most; i++) // compared as unsigned numbers
        sum += in[i];
    for (int i = 0; i < n; i++) // the index comes round
        sum += in[t * n + (unsigned char)(i + 250)];
    for (int i = 0; i < n; i++) // goes elsewhere
        sum += in[(from[t] & 31) * n + i];
    for (int i = t * n; i < (t + 1) * n; i++) { // written in between
        out[64] = i;
        sum += in[i] + out[64] * 0;
    }
    out[t] = sum;
}

int main()
{
    const int threads = 64, n = 61, all = threads * n;
    std::vector<long> at(threads + 1);
    for (int i = 0; i < threads; i++)
        at[i + 1] = at[i] + i * 13 % 117;
    long *dat = filled<long>(threads + 1, 1);
    OK(cudaMemcpy(dat, at.data(), at.size() * sizeof(long), cudaMemcpyHostToDevice));
    int bytes = all + 600;
    unsigned char *in = filled<unsigned char>(bytes, 2, 1);
    short *halves = filled<short>(all, 3, 2);
    unsigned *words = filled<unsigned>(all, 4), *out = filled<unsigned>(threads + 1, 5);
    int *ints = filled<int>(threads, 6);
    sale *sales = filled<sale>(all, 7);
    std::vector<double> d(all * 2);
    for (size_t i = 0; i < d.size(); i++)
        d[i] = (double)(i % 77);
    double2 *pairs = filled<double2>(all, 8);
    OK(cudaMemcpy(pairs, d.data(), d.size() * 8, cudaMemcpyHostToDevice));
    unsigned long long *sums = filled<unsigned long long>(threads, 9);
    heads<<<1, threads>>>(in, halves, words, dat, out, n);
    print_hash("heads", out, threads);
    ends<<<1, threads>>>((const char *)in, dat, ints, n);
    print_hash("ends", ints, threads);
    records<3><<<1, threads>>>(sales, pairs, sums, n);
    print_hash("records", sums, threads);
    nests<<<1, 32>>>(in, dat, out, threads);
    print_hash("nests", out, threads);
    pattern wanted = {{1, 0, 2, 1, 1, 0}};
    slides<<<1, threads>>>((char *)in, (int *)words, wanted, out, n - 3);
    print_hash("slides", out, threads);
    searches<<<1, threads>>>((char *)in, dat, ints);
    print_hash("searches", ints, threads);
    none<<<1, threads>>>(in + 256, (int *)words, dat, out, n, 10);
    OK(cudaGetLastError());
    print_hash("none", out, threads);
}
