// Inline PTX: special registers, predicates, carry chains, vector loads, prmt and lop3, a loop.
#include "check.h"

__global__ void run(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x, lane, warp, r;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %nwarpid; // %%" /* one % is enough for nvcc */ : "=r"(warp));
    unsigned *o = out + t * 12;
    o[0] = lane;
    o[1] = warp > 0;
    asm("{ .reg .pred p; setp.gt.u32 p, %1, 20; selp.u32 %0, 111, 222, p; }" : "=r"(o[2]) : "r"(t));
    asm("{ .reg .pred p; setp.eq.u32 p, %1, 3; mov.u32 %0, 5; @p add.u32 %0, %0, 7; @!p add.u32 %0, %0, 1; }" : "=&r"(r) : "r"(t));
    o[3] = r;
    // 96 bits plus 96 bits.
    unsigned a = in[t], b = ~in[t] + t, s0, s1, s2;
    asm("add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %3, %4; addc.u32 %2, 0, 0;" : "=r"(s0), "=r"(s1), "=r"(s2) : "r"(a), "r"(b));
    o[4] = s0;
    o[5] = s1;
    o[6] = s2;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(o[7]) : "r"(a), "r"(b), "r"(t));
    asm("prmt.b32 %0, %1, %2, 0x1032;" : "=r"(o[8]) : "r"(a), "r"(b));
    asm("bfe.u32 %0, %1, 5, 9;" : "=r"(o[9]) : "r"(a));
    asm("bfi.b32 %0, %1, %2, 8, 8;" : "=r"(o[10]) : "r"(t), "r"(a));
    unsigned n;
    asm volatile("{ .reg .pred p; .reg .u32 k; mov.u32 %0, 0; mov.u32 k, %1;\n"
                 "again: setp.eq.u32 p, k, 0; @p bra done; add.u32 %0, %0, k; sub.u32 k, k, 1; bra again;\n"
                 "done: }"
                 : "=&r"(n)
                 : "r"(t));
    o[11] = n;
}
__global__ void vectors(const uint4 *in, uint4 *out)
{
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(in + threadIdx.x));
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(out + threadIdx.x), "r"(v.w), "r"(v.z) : "memory");
    asm volatile("st.global.cs.v2.u32 [%0+8], {%1, %2};" ::"l"(out + threadIdx.x), "r"(v.y), "r"(v.x) : "memory");
}

int main()
{
    const int n = 64;
    rng r(32);
    std::vector<unsigned> in(n), want(n * 12);
    for (auto &v : in)
        v = r.next();
    dev<unsigned> din(in), out(n * 12);
    run<<<1, n>>>(din, out);
    RAN();
    for (unsigned t = 0; t < n; t++) {
        unsigned *o = &want[t * 12], a = in[t], b = ~in[t] + t;
        unsigned long long s = (unsigned long long)a + b, s1 = s + (s >> 32 ? 1 : 0);
        o[0] = t % 32;
        o[1] = 1;
        o[2] = t > 20 ? 111 : 222;
        o[3] = t == 3 ? 12 : 6;
        o[4] = (unsigned)s;
        o[5] = (unsigned)s1;
        o[6] = (unsigned)(s1 >> 32);
        o[7] = (a & b) | (a & t) | (b & t);
        o[8] = a << 16 | a >> 16;
        o[9] = a >> 5 & 511;
        o[10] = (a & ~0xff00u) | (t & 255) << 8;
        o[11] = t * (t + 1) / 2;
    }
    check_equal("results", out.get(), want);
    std::vector<uint4> v(32), w(32);
    for (unsigned i = 0; i < 32; i++) {
        v[i] = make_uint4(i, i + 1, i + 2, i + 3);
        w[i] = make_uint4(i + 3, i + 2, i + 1, i);
    }
    dev<uint4> dv(v), dw(32);
    vectors<<<1, 32>>>(dv, dw);
    RAN();
    check_equal("vectors", dw.get(), w);
    return check_result();
}
