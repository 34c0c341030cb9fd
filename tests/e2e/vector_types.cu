// Short vectors: their alignment, wide loads and stores, three-component ones, in shared memory and structs.
#include "check.h"

struct record {
    float3 p;
    uchar4 c;
    double2 d;
    short3 s;
};

__global__ void wide(const float4 *a, const double2 *b, const int2 *c, const ushort4 *d, float4 *out)
{
    int i = threadIdx.x;
    __shared__ float4 s[64];
    float4 v = a[i];
    double2 w = b[i];
    int2 k = c[i];
    ushort4 u = d[i];
    s[i] = make_float4(v.x + (float)w.x, v.y + (float)w.y, v.z + k.x + u.x, v.w + k.y + u.w);
    __syncthreads();
    out[i] = s[63 - i];
}
__global__ void records(record *r)
{
    record x = r[threadIdx.x];
    x.p.z += x.p.x * 2;
    x.c = make_uchar4(x.c.w, x.c.z, x.c.y, x.c.x);
    x.d.y = x.d.x + 0.5;
    x.s.z = (short)(x.s.x - x.s.y);
    r[threadIdx.x] = x;
}

int main()
{
    CHECK(sizeof(float3) == 12 && sizeof(float4) == 16 && alignof(float4) == 16 && alignof(float2) == 8 && alignof(double2) == 16);
    CHECK(sizeof(char3) == 3 && alignof(short4) == 8 && sizeof(longlong2) == 16 && sizeof(dim3) == 12);
    std::vector<float4> a(64), want(64);
    std::vector<double2> b(64);
    std::vector<int2> c(64);
    std::vector<ushort4> d(64);
    for (int i = 0; i < 64; i++) {
        a[i] = make_float4(i, i + 1, i + 2, i + 3);
        b[i] = make_double2(i * 0.5, -i);
        c[i] = make_int2(i * 10, i * -10);
        d[i] = make_ushort4(i, 1, 2, 1000);
        want[63 - i] = make_float4(i * 1.5f, 1, i + 2 + i * 10 + i, i + 3 + i * -10 + 1000);
    }
    dev<float4> da(a), out(64);
    dev<double2> db(b);
    dev<int2> dc(c);
    dev<ushort4> dd(d);
    wide<<<1, 64>>>(da, db, dc, dd, out);
    RAN();
    check_equal("wide", out.get(), want);
    std::vector<record> r(40);
    memset(r.data(), 0, sizeof(record) * 40);
    std::vector<record> w = r;
    for (int i = 0; i < 40; i++) {
        r[i].p = make_float3(i, 2, 3);
        r[i].c = make_uchar4(1, 2, 3, i);
        r[i].d = make_double2(i, 0);
        r[i].s = make_short3(i, 3, 0);
        w[i].p = make_float3(i, 2, 3 + 2 * i);
        w[i].c = make_uchar4(i, 3, 2, 1);
        w[i].d = make_double2(i, i + 0.5);
        w[i].s = make_short3(i, 3, i - 3);
    }
    dev<record> dr(r);
    records<<<1, 40>>>(dr);
    RAN();
    std::vector<record> got = dr.get();
    for (int i = 0; i < 40; i++)
        CHECK(got[i].p.z == w[i].p.z && memcmp(&got[i].c, &w[i].c, 4) == 0 && got[i].d.y == w[i].d.y && got[i].s.z == w[i].s.z);
    // Fours of eight bytes whose alignment is in their name.
    CHECK(make_double4_16a(1, 2, 3, 4).w == 4 && make_long4_16a(1, 2, 3, -4).w == -4 && make_ulonglong4_16a(1, 2, 3, 4).z == 3);
    CHECK(make_double4_32a(1, 2, 3, 4).w == 4 && make_ulong4_32a(1, 2, 3, 4).x == 1 && make_longlong4_32a(1, -2, 3, 4).y == -2);
    CHECK(alignof(long4_16a) == 16 && alignof(ulong4_32a) == 32 && sizeof(long4_32a) == 32);
    return check_result();
}
