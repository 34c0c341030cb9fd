// Two loops that walk through one text with one index: one scan, in the inner loop or not. And some that are none.
#include "common.h"

struct link {
    unsigned hash, at, length;
};

__global__ void links(const char *__restrict__ text, const long *__restrict__ at, link *__restrict__ found, int pages,
                      int most)
{
    int t = threadIdx.x, n = 0;
    for (int page = t * 3; page < min(t * 3 + 3, pages); page++) {
        long end = at[page + 1];
        for (long i = at[page]; i < end; i++) {
            char c = text[i];
            if (c % 8 != 1) {
                n += c == 0;
                continue;
            }
            if (c == 127)
                break;
            unsigned hash = 2166136261u;
            long skipped;
            long start = ++i;
            for (; text[i] % 8 != 2; i++)
                hash = (hash ^ (unsigned char)text[i]) * 16777619u;
            skipped = i - start;
            if (n % most == 3)
                continue;
            link *l = &found[t * most + n % most];
            l->hash = hash + (unsigned char)text[i];
            l->at = (unsigned)start;
            l->length = (unsigned)skipped;
            n++;
        }
    }
    found[t * most].hash += n;
}

__global__ void quoted(const unsigned char *__restrict__ text, int *__restrict__ out, int n)
{
    int t = threadIdx.x, end = (t + 1) * n, sum = 0;
    for (int i = t * n; i < end; i++) {
        const unsigned char c = text[i];
        if ((c & 7) != 3) {
            sum += c;
            continue;
        }
        int before = c;
        i++;
        for (; (text[i] & 7) != 4; i++) {
            int twice = text[i] * 2;
            sum ^= twice << (i & 3);
        }
        sum += before + text[i];
    }
    out[t] = sum;
}

__global__ void none(const unsigned char *__restrict__ text, int *__restrict__ out, int n)
{
    int t = threadIdx.x, end = (t + 1) * n, sum = 0;
    for (int i = t * n; i < end; i++) { // the inner loop may stop without looking
        int c = text[i];
        if (c & 1)
            continue;
        i++;
        for (; i < end && text[i] > 20; i++)
            sum += text[i];
        sum += c;
    }
    for (int i = t * n; i < end; i++) { // the inner loop can be left in another way
        int c = text[i];
        i++;
        for (; text[i] > 20; i++)
            if (text[i] == 99)
                break;
        sum = sum * 3 + c;
    }
    for (int i = t * n; i < end; i++) { // goes on in other places too
        int c = text[i];
        if (c & 1)
            i++;
        i++;
        for (; text[i] > 20; i++)
            sum++;
    }
    out[t] = sum;
}

/* Nobody says that what is written is not the text: only the weights may be cached. */
__global__ void rewrites(const unsigned char *text, const unsigned char *__restrict__ weights, unsigned char *marks,
                         int *__restrict__ out, int n)
{
    int t = threadIdx.x, sum = 0, end = t * 2 * n + n;
    for (int i = t * 2 * n; i < end; i++) {
        int c = text[i];
        sum = sum * 31 + c + weights[i];
        if (c & 1)
            continue;
        i++;
        for (; text[i] > 100; i++)
            sum = sum * 3 + text[i];
        marks[i + 1] = (unsigned char)sum;
    }
    out[t] = sum;
}

int main()
{
    const int threads = 32, pages = 80, n = 90, most = 8;
    std::vector<long> at(pages + 1);
    for (int i = 0; i < pages; i++)
        at[i + 1] = at[i] + i * 13 % 117;
    long *dat = filled<long>(pages + 1, 1);
    OK(cudaMemcpy(dat, at.data(), at.size() * sizeof(long), cudaMemcpyHostToDevice));
    unsigned char *text = filled<unsigned char>(at[pages] + 900, 2, 1);
    link *found = filled<link>(threads * most, 3);
    int *out = filled<int>(threads, 4);
    links<<<1, threads>>>((char *)text, dat, found, pages, most);
    print_hash("links", found, threads * most);
    quoted<<<1, threads>>>(text, out, n);
    print_hash("quoted", out, threads);
    none<<<1, threads>>>(text, out, n);
    OK(cudaGetLastError());
    print_hash("none", out, threads);
    unsigned char *weights = filled<unsigned char>(threads * 2 * n, 5),
                  *own = filled<unsigned char>(threads * 2 * n, 6);
    rewrites<<<1, threads>>>(own, weights, own, out, n);
    OK(cudaGetLastError());
    print_hash("rewrites", out, threads);
    print_hash("own", own, threads * 2 * n);
}
