// Every atomic operation in shared and global memory, with the returned old values checked as a permutation.
#include "check.h"
#include <algorithm>

__global__ void integers(int *g, unsigned *u, unsigned *old)
{
    __shared__ int s[8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 8)
        s[t] = t == 3 ? 1 << 30 : t == 5 ? -1 : 0;
    __syncthreads();
    atomicAdd(&s[0], t);
    atomicSub(&s[1], t);
    atomicMax(&s[2], t * 3);
    atomicMin(&s[3], 1000 - t);
    atomicOr(&s[4], 1 << (t & 31));
    atomicAnd(&s[5], ~(1 << (t & 15)));
    atomicXor(&s[6], t);
    atomicExch(&s[7], 42);
    __syncthreads();
    if (t < 8)
        atomicAdd(&g[t], s[t]);
    old[i] = atomicAdd(&u[0], 1u);
    atomicInc(&u[1], 99);
    atomicDec(&u[2], 49);
    atomicMax(&u[3], (unsigned)i * 2654435761u);
    atomicMin(&u[4], (unsigned)i * 2654435761u + 1);
    atomicAdd_block(&u[5], 2u);
    atomicAdd_system(&u[6], 3u);
}

__global__ void wide(unsigned long long *q, long long *s, float *f, double *d)
{
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&q[0], i << 20);
    atomicMax(&q[1], i * 0x9e3779b97f4a7c15ull);
    atomicMin(&q[2], i * 0x9e3779b97f4a7c15ull + 1);
    atomicOr(&q[3], 1ull << (i & 63));
    atomicAnd(&q[4], ~(1ull << (i & 31)));
    atomicXor(&q[5], i);
    atomicExch(&q[6], 77ull);
    atomicMax(&s[0], -(long long)i);
    atomicMin(&s[1], -(long long)i);
    atomicAdd(f, 0.25f);
    atomicAdd(d, 0.125);
}

int main()
{
    const int blocks = 5, threads = 160, n = blocks * threads;
    dev<int> g(8);
    g.fill(0);
    std::vector<unsigned> start = {0, 0, 0, 0, 0xffffffffu, 0, 0};
    dev<unsigned> u(start), old(n);
    integers<<<blocks, threads>>>(g, u, old);
    RAN();
    int sum = threads * (threads - 1) / 2, x = 0;
    for (int t = 0; t < threads; t++)
        x ^= t;
    std::vector<int> want = {sum, -sum, (threads - 1) * 3, 1000 - (threads - 1), -1, (int)0xffff0000, x, 42};
    for (int &v : want)
        v *= blocks;
    check_equal("integers", g.get(), want);
    std::vector<unsigned> olds = old.get(), w = {(unsigned)n, (unsigned)n % 100, 0, 0, 0xffffffffu, 2u * n, 3u * n};
    std::sort(olds.begin(), olds.end());
    for (int i = 0; i < n; i++)
        CHECK(olds[i] == (unsigned)i);
    unsigned down = 0;
    for (int i = 0; i < n; i++) {
        down = down == 0 || down > 49 ? 49 : down - 1;
        w[3] = std::max(w[3], (unsigned)i * 2654435761u);
        w[4] = std::min(w[4], (unsigned)i * 2654435761u + 1);
    }
    w[2] = down;
    check_equal("unsigned", u.get(), w);

    std::vector<unsigned long long> q0 = {0, 0, ~0ull, 0, ~0ull, 0, 0}, q1 = {0, 0, ~0ull, ~0ull, 0xffffffff00000000ull, 0, 77};
    for (unsigned long long i = 0; i < (unsigned)n; i++) {
        q1[0] += i << 20;
        q1[1] = std::max(q1[1], i * 0x9e3779b97f4a7c15ull);
        q1[2] = std::min(q1[2], i * 0x9e3779b97f4a7c15ull + 1);
        q1[5] ^= i;
    }
    dev<unsigned long long> q(q0);
    dev<long long> s(std::vector<long long>{-5, 5});
    dev<float> f(std::vector<float>{1});
    dev<double> d(std::vector<double>{1});
    wide<<<blocks, threads>>>(q, s, f, d);
    RAN();
    check_equal("wide", q.get(), q1);
    check_equal("signed", s.get(), std::vector<long long>{0, -(n - 1)});
    CHECK(f.get()[0] == 1 + 0.25f * n);
    CHECK(d.get()[0] == 1 + 0.125 * n);
    return check_result();
}
