// Pointers that move: *p++, *++p, p->x, *(p + i), p[-1]; several local pointers into one structure.
#include "common.h"

struct point {
    float x, y;
    int tag;
};

__global__ void walk(const char *__restrict__ text, char *__restrict__ copy, const point *__restrict__ points,
                     float *__restrict__ sums, int chunk, int bytes)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const char *p = text + (long)t * chunk, *end = p + chunk;
    if (end > text + bytes)
        end = text + bytes;
    char *q = copy + (long)t * chunk;
    while (p < end) {
        char c = *p++;
        if (c & 1)
            *q++ = c;
        else
            *q = (char)(c + *(q + 0)), q++;
    }
    const point *r = &points[t * 8];
    float sum = 0;
    for (const point *last = r + 8; r != last; ++r) {
        sum += r->x * (*r).y;
        if (r->tag & 1)
            sum -= (r - 0)->x;
    }
    sums[t] = sum;
    const char *back = end;
    int n = 0;
    do {
        n = n * 33 + *--back;
    } while (back > text + (long)t * chunk && n % 97);
    sums[t] += n % 1000;
}

int main()
{
    const int threads = 64, chunk = 101, bytes = threads * chunk;
    char *text = filled<char>(bytes, 1, 7), *copy = filled<char>(bytes, 2, 9);
    std::vector<point> host(threads * 8);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = {(float)(i % 13), (float)(i % 7) / 2, (int)i * 5};
    point *points = filled<point>(threads * 8, 3);
    OK(cudaMemcpy(points, host.data(), host.size() * sizeof(point), cudaMemcpyHostToDevice));
    float *sums = filled<float>(threads, 4);
    walk<<<2, 32>>>(text, copy, points, sums, chunk, bytes);
    OK(cudaGetLastError());
    print_hash("copy", copy, bytes);
    print_hash("sums", sums, threads);
}
