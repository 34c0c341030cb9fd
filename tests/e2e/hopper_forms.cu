// The small instructions of sm_90, each with its values: elect.sync, stmatrix, vector atomics and reductions, expect_tx and
// complete_tx in all scopes, fences of proxies, setmaxnreg, griddepcontrol between dependent grids, cache policies.
// flags: -gencode=arch=compute_90a,code=compute_90a
#include "hopper.h"
#include <cuda_fp16.h>

/* ---- elect.sync: one lane of the mask, the same each time ---- */

__global__ void elects(int *out)
{
    const unsigned masks[] = {0xffffffff, 0xf0, 0x80000000};
    for (int k = 0; k < 3; k++) {
        if (!(masks[k] >> threadIdx.x & 1))
            continue;
        unsigned leader;
        int is_leader;
        asm volatile("{\n.reg .pred p;\nelect.sync %0|p, %2;\nselp.s32 %1, 1, 0, p;\n}\n" : "=r"(leader), "=r"(is_leader) : "r"(masks[k]));
        out[k * 32 + threadIdx.x] = (int)leader << 1 | is_leader;
    }
}

static void check_elect()
{
    dev<int> got(96);
    got.put(std::vector<int>(96, -1));
    elects<<<1, 32>>>(got.p);
    RAN();
    const std::vector<int> v = got.get();
    const unsigned masks[] = {0xffffffff, 0xf0, 0x80000000};
    for (int k = 0; k < 3; k++) {
        int leaders = 0;
        for (int l = 0; l < 32; l++) {
            const int x = v[k * 32 + l];
            if (!(masks[k] >> l & 1))
                CHECK(x == -1);
            else
                leaders += x & 1;
            if (masks[k] >> l & 1 && x & 1)
                CHECK(x >> 1 == l);
        }
        CHECK(leaders == 1);
    }
}

/* ---- stmatrix: element (row, col) of matrix m as the fragment has it ---- */

#define STORE(name, form, n, ...)                                                                                      \
    __global__ void name(unsigned short *out)                                                                          \
    {                                                                                                                  \
        __shared__ __align__(16) unsigned short tile[n * 64];                                                          \
        unsigned v[4];                                                                                                 \
        for (unsigned m = 0; m < 4; m++) /* row l / 4, columns 2 (l % 4) and the next */                               \
            v[m] = (m * 64 + threadIdx.x * 2) | (m * 64 + threadIdx.x * 2 + 1) << 16;                                  \
        asm volatile(form ::"r"(smem(tile) + threadIdx.x % (8 * n) * 16), __VA_ARGS__ : "memory");                     \
        __syncwarp();                                                                                                  \
        for (int i = threadIdx.x; i < n * 64; i += 32)                                                                 \
            out[i] = tile[i];                                                                                          \
    }
STORE(x1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};", 1, "r"(v[0]))
STORE(x1t, "stmatrix.sync.aligned.x1.trans.m8n8.shared.b16 [%0], {%1};", 1, "r"(v[0]))
STORE(x2, "stmatrix.sync.aligned.x2.m8n8.shared.b16 [%0], {%1, %2};", 2, "r"(v[0]), "r"(v[1]))
STORE(x2t, "stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};", 2, "r"(v[0]), "r"(v[1]))
STORE(x4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};", 4, "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]))
STORE(x4t, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};", 4, "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]))

static void check_store(const char *what, void (*kernel)(unsigned short *), int n, bool transposed)
{
    dev<unsigned short> out(n * 64);
    kernel<<<1, 32>>>(out.p);
    RAN();
    std::vector<unsigned short> want(n * 64);
    for (int m = 0; m < n; m++)
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 8; c++)
                want[m * 64 + r * 8 + c] = (unsigned short)(m * 64 + (transposed ? c * 8 + r : r * 8 + c));
    check_equal(what, out.get(), want);
}

/* ---- vector atomics and reductions of global memory ---- */

__global__ void vectors(float *f, __half2 *h, float *old)
{
    float a, b, c, d;
    asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(a), "=f"(b) : "l"(f), "f"(1.0f), "f"(2.0f) : "memory");
    asm volatile("atom.global.v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %5, %5, %5};"
                 : "=f"(old[0]), "=f"(old[1]), "=f"(c), "=f"(d)
                 : "l"(f), "f"(0.5f)
                 : "memory");
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %2, %2};" ::"l"(f), "f"(0.25f), "f"(4.0f) : "memory");
    asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %1};" ::"l"(f + 2), "f"(8.0f) : "memory");
    const unsigned one = 0x3c003c00;
    asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %1};" ::"l"(h), "r"(one) : "memory");
    asm volatile("red.global.max.noftz.v4.f16x2 [%0], {%1, %1, %2, %2};" ::"l"(h), "r"(0x40004000u), "r"(0u) : "memory");
    asm volatile("red.global.v2.bf16x2.min.noftz [%0], {%1, %1};" ::"l"(h + 4), "r"(0xbf80bf80u) : "memory");
    (void)a, (void)b;
}

static void check_vectors()
{
    dev<float> f(4), old(2);
    dev<unsigned> h(8);
    f.put({10, 20, 30, 40});
    h.put({0, 0, 0xbc00bc00, 0, 0x3f803f80, 0x3f803f80, 0, 0}); /* f16 -1; bf16 1 */
    vectors<<<1, 1>>>(f.p, (__half2 *)h.p, old.p);
    RAN();
    check_equal("v4.f32", f.get(), std::vector<float>{11.75f, 22.75f, 42.5f, 52.5f});
    check_equal("what was there", old.get(), std::vector<float>{11, 22});
    check_equal("f16x2, bf16x2", h.get(),
                std::vector<unsigned>{0x40004000, 0x40004000, 0, 0, 0xbf80bf80, 0xbf80bf80, 0, 0});
}

/* ---- transaction counts in every scope and space; an arrival that drops out ---- */

__global__ void transactions(int *out)
{
    __shared__ __align__(8) uint64_t bar, two;
    const uint32_t b = smem(&bar), t = smem(&two);
    int done[5];
    mbar_init(b, 1);
    mbar_init(t, 2);
    fence_init();
#define TEST(k, at, parity)                                                                                            \
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2;\n"            \
                 "selp.s32 %0, 1, 0, p;\n}\n"                                                                           \
                 : "=r"(done[k])                                                                                       \
                 : "r"(at), "r"(parity)                                                                                \
                 : "memory")
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], 16;\n"
                 "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 32;\n"
                 "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%0], 8;\n"
                 "mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%0], 40;\n" ::"r"(b)
                 : "memory");
    TEST(0, b, 0); /* 16 bytes are missing */
    asm volatile("mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%0], 16;\n" ::"r"(b) : "memory");
    TEST(1, b, 0);
    uint64_t state;
    asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];\n" : "=l"(state) : "r"(t) : "memory");
    TEST(2, t, 0);
    asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 _, [%0];\n" ::"r"(t) : "memory");
    TEST(3, t, 0);
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];\n" ::"r"(t) : "memory"); /* one is enough now */
    TEST(4, t, 1);
    for (int k = 0; k < 5; k++)
        out[k] = done[k];
}

/* ---- fences: accepted in every form, and nothing changes ---- */

__global__ void __launch_bounds__(128) fences(int *out)
{
    out[threadIdx.x] = (int)threadIdx.x;
    asm volatile("fence.proxy.async;\nfence.proxy.async.global;\nfence.proxy.async.shared::cta;\nfence.proxy.async.shared::cluster;\n"
                 "fence.acquire.sync_restrict::shared::cluster.cluster;\nfence.release.sync_restrict::shared::cta.cluster;\n"
                 "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n"
                 "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
                 "fence.proxy.tensormap::generic.release.cta;\nfence.proxy.tensormap::generic.release.cluster;\n"
                 "fence.proxy.tensormap::generic.release.gpu;\nfence.proxy.tensormap::generic.release.sys;\n"
                 "fence.proxy.alias;\nsetmaxnreg.dec.sync.aligned.u32 24;\nsetmaxnreg.inc.sync.aligned.u32 128;" ::
                     : "memory");
    uint64_t first, last, some;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(last));
    asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 256, 512;" : "=l"(some) : "l"(out));
    int v;
    asm volatile("ld.global.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(v) : "l"(out + threadIdx.x), "l"(first) : "memory");
    asm volatile("st.global.L2::cache_hint.s32 [%0], %1, %2;" ::"l"(out + threadIdx.x), "r"(v + 1), "l"(last) : "memory");
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(v) : "l"(out + threadIdx.x), "l"(some) : "memory");
    out[threadIdx.x] = v + 1;
}

/* ---- programmatic dependent launch: what the first grid wrote is there after the wait ---- */

__global__ void first(int *p, int n)
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = 3 * i;
}
__global__ void second(const int *p, int *q, int n)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        q[i] = p[n - 1 - i] + 1;
}

static void check_dependent()
{
    enum { N = 1000 };
    dev<int> p(N), q(N);
    cudaLaunchAttribute a;
    cudaLaunchConfig_t c = {};
    c.gridDim = 4;
    c.blockDim = 64;
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    first<<<4, 64>>>(p.p, (int)N);
    c.attrs = &a;
    c.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&c, second, (const int *)p.p, q.p, (int)N));
    RAN();
    std::vector<int> want(N);
    for (int i = 0; i < N; i++)
        want[i] = 3 * (N - 1 - i) + 1;
    check_equal("dependent grids", q.get(), want);
}

int main()
{
    check_elect();
    check_store("stmatrix x1", x1, 1, false);
    check_store("stmatrix x1 transposed", x1t, 1, true);
    check_store("stmatrix x2", x2, 2, false);
    check_store("stmatrix x2 transposed", x2t, 2, true);
    check_store("stmatrix x4", x4, 4, false);
    check_store("stmatrix x4 transposed", x4t, 4, true);
    check_vectors();
    dev<int> t(5), f(128);
    transactions<<<1, 1>>>(t.p);
    RAN();
    check_equal("transaction counts", t.get(), std::vector<int>{0, 1, 0, 1, 1});
    fences<<<1, 128>>>(f.p);
    RAN();
    std::vector<int> want(128);
    for (int i = 0; i < 128; i++)
        want[i] = i + 2;
    check_equal("fences and policies", f.get(), want);
    check_dependent();
    return check_result();
}
