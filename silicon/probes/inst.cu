/*
 * Latency and throughput of each class of instruction, on one SM.
 *
 * latency: one warp, one chain of dependent instructions. throughput: 32 warps of four chains each, which is enough to
 * fill every pipeline; operations are warp instructions of the SM, so cycles per operation is the reciprocal of what
 * the whole SM can start in a cycle.
 *
 * Chains are written so that ptxas cannot shorten them: an integer addition alternates with an exclusive or (two
 * additions would become one IADD3), a conversion returns by another way. `operations` counts the PTX instructions.
 */
#include "probe.h"

#define OP(name, type, letter, count, text)                                                                            \
    struct name {                                                                                                      \
        typedef type T;                                                                                                \
        static const int n = count;                                                                                    \
        static __device__ __forceinline__ void step(T &x, T a, T b)                                                    \
        {                                                                                                              \
            asm volatile(text : "+" letter(x) : letter(a), letter(b));                                                 \
        }                                                                                                              \
    };
#define OP32(name, count, text) OP(name, unsigned, "r", count, text)
#define OP64(name, count, text) OP(name, unsigned long long, "l", count, text)
#define OPF(name, count, text) OP(name, float, "f", count, text)
#define OPD(name, count, text) OP(name, double, "d", count, text)

OP32(int_add_xor, 2, "add.s32 %0, %0, %1; xor.b32 %0, %0, %2;")
OP32(int_and_sub, 2, "and.b32 %0, %0, %1; sub.s32 %0, %0, %2;")
OP32(int_shl_xor, 2, "shl.b32 %0, %0, %1; xor.b32 %0, %0, %2;")
OP32(int_shr_xor, 2, "shr.u32 %0, %0, %1; xor.b32 %0, %0, %2;")
OP32(int_min_xor, 2, "min.s32 %0, %0, %1; xor.b32 %0, %0, %2;")
OP32(int_setp_selp, 2, "{.reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %2, %1, p;}")
OP32(int_mul_lo, 1, "mul.lo.s32 %0, %0, %1;")
OP32(int_mul_hi, 1, "mul.hi.s32 %0, %0, %1;")
OP32(int_mul24, 1, "mul24.lo.s32 %0, %0, %1;")
OP32(int_mad_lo, 1, "mad.lo.s32 %0, %0, %1, %2;")
OP32(int_popc_xor, 2, "popc.b32 %0, %0; xor.b32 %0, %0, %1;")
OP32(int_clz_xor, 2, "clz.b32 %0, %0; xor.b32 %0, %0, %1;")
OP32(int_brev_xor, 2, "brev.b32 %0, %0; xor.b32 %0, %0, %1;")
OP32(int_bfe, 1, "bfe.u32 %0, %0, %1, 7;")
OP32(int_prmt, 1, "prmt.b32 %0, %0, %1, %2;")
OP32(int_shf, 1, "shf.l.wrap.b32 %0, %0, %1, %2;")
OP32(int_div_s32, 1, "div.s32 %0, %1, %0;")
OP32(int_div_u32, 1, "div.u32 %0, %1, %0;")
OP32(int_rem_u32, 1, "rem.u32 %0, %1, %0;")
OP64(int_add_xor_64, 2, "add.s64 %0, %0, %1; xor.b64 %0, %0, %2;")
OP64(int_mul_lo_64, 1, "mul.lo.s64 %0, %0, %1;")
OP64(int_mad_wide, 1, "{.reg .u32 l, h, m; mov.b64 {l, h}, %0; cvt.u32.u64 m, %1; mad.wide.s32 %0, l, m, %0;}")
OP64(int_shl_xor_64, 2, "{.reg .u32 m; cvt.u32.u64 m, %1; shl.b64 %0, %0, m; xor.b64 %0, %0, %2;}")
OP64(int_div_s64, 1, "div.s64 %0, %1, %0;")
OPF(fp_add, 1, "add.f32 %0, %0, %1;")
OPF(fp_mul, 1, "mul.f32 %0, %0, %1;")
OPF(fp_mad, 1, "fma.rn.f32 %0, %0, %1, %2;")
OPF(fp_min_max, 2, "min.f32 %0, %0, %1; max.f32 %0, %0, %2;")
OPF(fp_setp_selp, 2, "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %2, %1, p;}")
OPF(fp_div_rn, 1, "div.rn.f32 %0, %1, %0;")
OPF(fp_div_full, 1, "div.full.f32 %0, %1, %0;")
OPF(fp_rcp_rn, 1, "rcp.rn.f32 %0, %0;")
OPF(fp_sqrt_rn, 1, "sqrt.rn.f32 %0, %0;")
OPF(sfu_rcp_add, 2, "rcp.approx.ftz.f32 %0, %0; add.f32 %0, %0, %1;")
OPF(sfu_sqrt, 1, "sqrt.approx.ftz.f32 %0, %0;")
OPF(sfu_rsqrt, 1, "rsqrt.approx.ftz.f32 %0, %0;")
OPF(sfu_sin, 1, "sin.approx.ftz.f32 %0, %0;")
OPF(sfu_cos, 1, "cos.approx.ftz.f32 %0, %0;")
OPF(sfu_ex2, 1, "ex2.approx.ftz.f32 %0, %0;")
OPF(sfu_lg2, 1, "lg2.approx.ftz.f32 %0, %0;")
OPF(sfu_tanh, 1, "tanh.approx.f32 %0, %0;")
OPD(dp_add, 1, "add.f64 %0, %0, %1;")
OPD(dp_mul, 1, "mul.f64 %0, %0, %1;")
OPD(dp_mad, 1, "fma.rn.f64 %0, %0, %1, %2;")
OPD(dp_min_max, 2, "min.f64 %0, %0, %1; max.f64 %0, %0, %2;")
OPD(dp_div, 1, "div.rn.f64 %0, %1, %0;")
OPD(dp_rcp, 1, "rcp.rn.f64 %0, %0;")
OPD(dp_sqrt, 1, "sqrt.rn.f64 %0, %0;")
OP32(half2_add, 1, "add.f16x2 %0, %0, %1;")
OP32(half2_mul, 1, "mul.f16x2 %0, %0, %1;")
OP32(half2_fma, 1, "fma.rn.f16x2 %0, %0, %1, %2;")
OP32(cvt_s32_f32, 2, "{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}")
OP32(cvt_s32_f64, 2, "{.reg .f64 f; cvt.rn.f64.s32 f, %0; cvt.rzi.s32.f64 %0, f;}")
OPF(cvt_f32_f64_add, 3, "{.reg .f64 d, e; cvt.f64.f32 d, %0; cvt.f64.f32 e, %1; add.f64 d, d, e; cvt.rn.f32.f64 %0, d;}")
OPF(cvt_f32_f16, 2, "{.reg .b16 h; cvt.rn.f16.f32 h, %0; cvt.f32.f16 %0, h;}")
OP64(cvt_s64_f64, 2, "{.reg .f64 f; cvt.rn.f64.s64 f, %0; cvt.rzi.s64.f64 %0, f;}")
OP32(cvt_s8_s32, 2, "{.reg .s8 b; .reg .s32 c; cvt.s8.s32 b, %0; cvt.s32.s8 c, b; add.s32 %0, c, %1;}")
OP32(warp_shfl, 1, "shfl.sync.up.b32 %0, %0, %1, 0, 0xffffffff;")
OP32(warp_vote, 2, "{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}")

static const int unroll = 32, chains = 4;

/* All bits of the result are used: else ptxas would compute half of a 64-bit one. */
template <class T> __device__ __forceinline__ unsigned fold(T x)
{
    unsigned long long bits = 0;
    memcpy(&bits, &x, sizeof x);
    return (unsigned)(bits ^ bits >> 32);
}

template <class OP> __global__ void latency(int n, typename OP::T a, typename OP::T b, stamp *s, unsigned *out)
{
    typename OP::T x = a + (typename OP::T)threadIdx.x; /* no uniform value: ptxas would shuffle nothing */
    long long t = begin_timing();
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < unroll; k++)
            OP::step(x, a, b);
    end_timing(s, t);
    out[threadIdx.x] = fold(x);
}

template <class OP> __global__ void __launch_bounds__(1024) rate(int n, typename OP::T a, typename OP::T b, stamp *s,
                                                                   unsigned *out)
{
    typename OP::T x[chains];
    for (int c = 0; c < chains; c++)
        x[c] = a + (typename OP::T)c;
    long long t = begin_timing();
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < unroll / chains; k++)
#pragma unroll
            for (int c = 0; c < chains; c++)
                OP::step(x[c], a, b);
    end_timing(s, t);
    unsigned sum = 0;
    for (int c = 0; c < chains; c++)
        sum += fold(x[c]);
    out[threadIdx.x] = sum;
}

template <class OP> static void both(const char *name)
{
    typedef typename OP::T T;
    int a = model ? 2 : 16, b = model ? 6 : 80;
    measure("latency", name, a, b, 1, unroll * OP::n, [&](int n) { latency<OP><<<1, 32>>>(n, (T)3, (T)5, stamps, sink); });
    int warps = model ? 16 : 32;
    measure("rate", name, model ? 1 : a, model ? 3 : b, 1, (double)unroll * OP::n * warps,
            [&](int n) { rate<OP><<<1, warps * 32>>>(n, (T)3, (T)5, stamps, sink); });
}

__global__ void barriers(int n, stamp *s)
{
    long long t = begin_timing();
    for (int i = 0; i < n; i++)
        __syncthreads();
    end_timing(s, t);
}

/* Taken branches: a chain of blocks that the compiler may neither merge nor predicate. */
__global__ void branches(int n, stamp *s, unsigned *out)
{
    unsigned x = threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
        asm volatile("xor.b32 %0, %0, 1;" : "+r"(x));
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/*
 * Eight branches in a row over blocks too long to be predicated: what is added to x decides, so every branch waits for
 * the addition before it. `step` 0 takes none of them, 1 all; the blocks in between are never executed.
 */
__global__ void forward_branches(int n, unsigned step, stamp *s, unsigned *out)
{
    unsigned x = 0, y = threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(step));
            if (x == 0xffffffff - k) { /* never; taken is the branch around it */
#pragma unroll
                for (int m = 0; m < 24; m++)
                    asm volatile("mad.lo.s32 %0, %0, 7, 1;" : "+r"(y));
                __syncwarp();
            }
        }
    }
    end_timing(s, t);
    out[threadIdx.x] = x + y;
}

/* The same without branches: what the additions and comparisons take. */
__global__ void no_branches(int n, unsigned step, stamp *s, unsigned *out)
{
    unsigned x = 0, y = threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(step));
            if (x == 0xffffffff - k)
                asm volatile("xor.b32 %0, %0, 3;" : "+r"(y));
        }
    }
    end_timing(s, t);
    out[threadIdx.x] = x + y;
}

/* A loop whose body is a chain of additions: the jump back is what its length leaves over. */
template <int BODY_OPS> __global__ void loop_of(int n, stamp *s, unsigned *out)
{
    unsigned x = threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < BODY_OPS; k++)
            asm volatile("mad.lo.s32 %0, %0, 3, 5;" : "+r"(x));
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/* Half of the warp goes each way. */
__global__ void divergence(int n, stamp *s, unsigned *out)
{
    unsigned x = threadIdx.x;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if ((threadIdx.x ^ i) & 1) {
#pragma unroll
            for (int k = 0; k < 16; k++)
                asm volatile("mad.lo.s32 %0, %0, 3, 5;" : "+r"(x));
        } else {
#pragma unroll
            for (int k = 0; k < 16; k++)
                asm volatile("mad.lo.s32 %0, %0, 7, 1;" : "+r"(x));
        }
    }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

template <int used> __global__ void tensor(int n, stamp *s, unsigned *out)
{
    float c[4][4] = {};
    unsigned a[4] = {1, 2, 3, 4}, b[2] = {5, 6};
    long long t = begin_timing();
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                float *d = c[j % used];
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                             "{%0,%1,%2,%3};"
                             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
            }
    end_timing(s, t);
    float sum = 0;
    for (int j = 0; j < 4; j++)
        for (int k = 0; k < 4; k++)
            sum += c[j][k];
    out[threadIdx.x] = (unsigned)sum;
}

int main(int argc, char **argv)
{
    start(argc, argv);
#define BOTH(op) both<op>(#op)
    BOTH(int_add_xor); BOTH(int_and_sub); BOTH(int_shl_xor); BOTH(int_shr_xor); BOTH(int_min_xor); BOTH(int_setp_selp);
    BOTH(int_mul_lo); BOTH(int_mul_hi); BOTH(int_mul24); BOTH(int_mad_lo); BOTH(int_popc_xor); BOTH(int_clz_xor); BOTH(int_brev_xor);
    BOTH(int_bfe); BOTH(int_prmt); BOTH(int_shf); BOTH(int_div_s32); BOTH(int_div_u32); BOTH(int_rem_u32);
    BOTH(int_add_xor_64); BOTH(int_mul_lo_64); BOTH(int_mad_wide); BOTH(int_shl_xor_64); BOTH(int_div_s64);
    BOTH(fp_add); BOTH(fp_mul); BOTH(fp_mad); BOTH(fp_min_max); BOTH(fp_setp_selp); BOTH(fp_div_rn); BOTH(fp_div_full);
    BOTH(fp_rcp_rn); BOTH(fp_sqrt_rn); BOTH(sfu_rcp_add); BOTH(sfu_sqrt); BOTH(sfu_rsqrt); BOTH(sfu_sin); BOTH(sfu_cos);
    BOTH(sfu_ex2); BOTH(sfu_lg2); BOTH(sfu_tanh); BOTH(dp_add); BOTH(dp_mul); BOTH(dp_mad); BOTH(dp_min_max);
    BOTH(dp_div); BOTH(dp_rcp); BOTH(dp_sqrt); BOTH(half2_add); BOTH(half2_mul); BOTH(half2_fma); BOTH(cvt_s32_f32);
    BOTH(cvt_s32_f64); BOTH(cvt_f32_f64_add); BOTH(cvt_f32_f16); BOTH(cvt_s64_f64); BOTH(cvt_s8_s32); BOTH(warp_shfl);
    BOTH(warp_vote);
    for (int w = 1; w <= 32; w *= 2)
        measure("barrier", text("warps=%d", w), 16, 48, 1, 1, [&](int n) { barriers<<<1, w * 32>>>(n, stamps); });
    for (int w = 1; w <= 16; w *= 4) {
        measure("branch", text("warps=%d", w), 64, 192, 1, 1, [&](int n) { branches<<<1, w * 32>>>(n, stamps, sink); });
        measure("branch", text("around,warps=%d", w), 64, 192, 1, 8,
                [&](int n) { forward_branches<<<1, w * 32>>>(n, 1, stamps, sink); });
        measure("branch", text("predicated,warps=%d", w), 64, 192, 1, 8,
                [&](int n) { no_branches<<<1, w * 32>>>(n, 1, stamps, sink); });
        measure("branch", text("loop,mads=4,warps=%d", w), 64, 192, 1, 1,
                [&](int n) { loop_of<4><<<1, w * 32>>>(n, stamps, sink); });
        measure("branch", text("loop,mads=16,warps=%d", w), 64, 192, 1, 1,
                [&](int n) { loop_of<16><<<1, w * 32>>>(n, stamps, sink); });
        measure("branch", text("loop,mads=64,warps=%d", w), 64, 192, 1, 1,
                [&](int n) { loop_of<64><<<1, w * 32>>>(n, stamps, sink); });
        measure("divergence", text("warps=%d", w), 8, 24, 1, 1, [&](int n) { divergence<<<1, w * 32>>>(n, stamps, sink); });
    }
    measure("tensor", "latency", 2, 8, 1, 32, [&](int n) { tensor<1><<<1, 32>>>(n, stamps, sink); });
    measure("tensor", "rate", 2, 8, 1, 32 * 16, [&](int n) { tensor<4><<<1, 512>>>(n, stamps, sink); });
    return 0;
}
