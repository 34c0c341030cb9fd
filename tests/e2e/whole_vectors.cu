// Copies of float4 and similar vectors, of which parts are used: through registers, shared memory, parameters, functions, unions.
#include "check.h"

struct __align__(16) mixed {
    int key;
    float weight;
    short low, high;
    unsigned char flags[4];
};
struct __align__(8) pair {
    float x;
    int next;
};
// As large, but aligned as their parts are: they may lie where no vector can be loaded.
struct loose_16 {
    double a, b;
};
struct loose_8 {
    float a, b;
};
union bits {
    float4 f;
    uint4 u;
};

__device__ float4 twice(float4 v)
{
    return make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2);
}
__device__ mixed pick(const mixed *m, int i, int j)
{
    return i > j ? m[i] : m[j];
}

__global__ void run(const float4 *f4, const double2 *d2, const short4 *s4, const ulonglong2 *l2, const mixed *m,
                    const pair *p, mixed by_value, const loose_16 *odd_16, const loose_8 *odd_8, double *out, int n)
{
    __shared__ float4 tile[64];
    __shared__ double2 wide[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, last = blockDim.x - 1;
    if (i >= n)
        return;
    tile[t] = f4[i];
    wide[t] = d2[i];
    __syncthreads();
    double *o = out + (size_t)i * 12;
    const float4 a = f4[i], b = twice(tile[last - t]);
    o[0] = a.x + a.y + a.z;
    o[1] = b.x + b.w;
    const double2 d = wide[last - t];
    o[2] = d.y;
    short4 s = s4[i];
    s.x = 7;
    o[3] = s.x + s.z * 100.0;
    const ulonglong2 l = l2[i];
    o[4] = (double)(l.y >> 3);
    const mixed q = pick(m, i, n - 1 - i);
    o[5] = q.key + q.high * 0.5 + q.flags[2];
    o[6] = by_value.weight + by_value.low;
    pair at = p[i];
    for (int k = 0; k < 3; k++)
        at = p[at.next];
    o[7] = at.x;
    bits w;
    w.f = f4[i];
    o[8] = w.u.z & 0xffff;
    float4 array[4]; // indexed at run time
    for (int k = 0; k < 4; k++)
        array[k] = f4[(i + k) % n];
    o[9] = array[i & 3].y;
    const loose_16 e = odd_16[i];
    const loose_8 f = odd_8[i];
    o[10] = e.a + e.b;
    o[11] = f.b;
}

int main()
{
    const int n = 256;
    float4 *f4;
    double2 *d2;
    short4 *s4;
    ulonglong2 *l2;
    mixed *m, value = {1, 2.5f, -3, 4, {5, 6, 7, 8}};
    pair *p;
    double *out;
    rng r;
    CUDA(cudaMallocManaged(&f4, (n + 1) * sizeof *f4));
    CUDA(cudaMallocManaged(&d2, (n + 1) * sizeof *d2));
    CUDA(cudaMallocManaged(&s4, n * sizeof *s4));
    CUDA(cudaMallocManaged(&l2, n * sizeof *l2));
    CUDA(cudaMallocManaged(&m, n * sizeof *m));
    CUDA(cudaMallocManaged(&p, n * sizeof *p));
    CUDA(cudaMallocManaged(&out, n * 12 * sizeof *out));
    for (int i = 0; i < n; i++) {
        f4[i] = make_float4(r.uniform(), r.uniform(), r.uniform(), r.uniform());
        d2[i] = make_double2(r.uniform(), r.uniform());
        s4[i] = make_short4((short)r.next(), (short)r.next(), (short)r.next(), (short)r.next());
        l2[i] = make_ulonglong2(r.next(), (unsigned long long)r.next() << 32 | r.next());
        m[i] = {(int)r.below(1000), r.uniform(), (short)r.next(), (short)r.next(), {1, 2, (unsigned char)r.next(), 4}};
        p[i] = {r.uniform(), (int)r.below(n)};
    }
    f4[n] = make_float4(1, 2, 3, 4);
    d2[n] = make_double2(5, 6);
    run<<<n / 64, 64>>>(f4, d2, s4, l2, m, p, value, (const loose_16 *)&d2[0].y, (const loose_8 *)&f4[0].y, out, n);
    RAN();
    for (int i = 0; i < n; i++) {
        const double *o = out + i * 12;
        const float *f = (const float *)f4 + 1 + 2 * i;
        const int other = i / 64 * 64 + 63 - i % 64, from = i > n - 1 - i ? i : n - 1 - i;
        uint32_t z;
        memcpy(&z, &f4[i].z, 4);
        CHECK(o[0] == (f4[i].x + f4[i].y) + f4[i].z);
        CHECK(o[1] == f4[other].x * 2 + f4[other].w * 2);
        CHECK(o[2] == d2[other].y);
        CHECK(o[3] == 7 + s4[i].z * 100.0);
        CHECK(o[4] == (double)(l2[i].y >> 3));
        CHECK(o[5] == m[from].key + m[from].high * 0.5 + m[from].flags[2]);
        CHECK(o[6] == value.weight + value.low);
        CHECK(o[7] == p[p[p[p[i].next].next].next].x);
        CHECK(o[8] == (z & 0xffff));
        CHECK(o[9] == f4[(i + (i & 3)) % n].y);
        CHECK(o[10] == d2[i].y + d2[i + 1].x);
        CHECK(o[11] == f[1]);
    }
    return check_result();
}
