/*
 * Sweeps the hardware's approximate functions over whole binades of inputs and writes the raw results.
 *
 *   sweep DIRECTORY     one file NAME-FIRST-STEP.u32 per sweep, with the results; prints a hash of each
 *
 * src/frontend/emu/op_approx.c models the special-function unit after these; see silicon/exact/README.md.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define FN1(name, text)                                                                                                \
    struct name {                                                                                                      \
        static __device__ uint32_t of(uint32_t x)                                                                      \
        {                                                                                                              \
            uint32_t r;                                                                                                \
            asm(text " %0, %1;" : "=r"(r) : "r"(x));                                                                   \
            return r;                                                                                                  \
        }                                                                                                              \
    };
FN1(rcp, "rcp.approx.ftz.f32")
FN1(rsqrt_, "rsqrt.approx.ftz.f32")
FN1(sqrt_, "sqrt.approx.ftz.f32")
FN1(lg2, "lg2.approx.ftz.f32")
FN1(ex2, "ex2.approx.ftz.f32")
FN1(sin_, "sin.approx.ftz.f32")
FN1(cos_, "cos.approx.ftz.f32")
FN1(tanh_, "tanh.approx.f32")
FN1(ex2_h, "ex2.approx.f16x2")
FN1(tanh_h, "tanh.approx.f16x2")
FN1(ex2_b, "ex2.approx.ftz.bf16x2")
FN1(tanh_b, "tanh.approx.bf16x2")
#define FN64(name, text, LOW)                                                                                          \
    struct name {                                                                                                      \
        static __device__ uint32_t of(uint32_t x)                                                                      \
        {                                                                                                              \
            uint64_t in = (uint64_t)x << 32 | LOW, r;                                                                  \
            asm(text " %0, %1;" : "=l"(r) : "l"(in));                                                                  \
            return (uint32_t)(r >> 32) ^ (uint32_t)r;                                                                  \
        }                                                                                                              \
    };
FN64(rcp64, "rcp.approx.ftz.f64", 0u)
FN64(rcp64_low, "rcp.approx.ftz.f64", 0xffffffffu)
FN64(rsqrt64, "rsqrt.approx.ftz.f64", 0u)
FN64(rsqrt64_low, "rsqrt.approx.ftz.f64", 0xffffffffu)

template <class F> __global__ void sweep(uint32_t first, uint32_t step, uint32_t n, uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = F::of(first + i * step);
}

static std::string dir;
template <class F> static void go(const char *name, uint32_t first, uint32_t step, uint32_t n)
{
    uint32_t *d;
    std::vector<uint32_t> h(n);
    if (cudaMalloc(&d, n * 4ull) != cudaSuccess)
        exit(1);
    sweep<F><<<(n + 255) / 256, 256>>>(first, step, n, d);
    if (cudaMemcpy(h.data(), d, n * 4ull, cudaMemcpyDeviceToHost) != cudaSuccess)
        exit(1);
    cudaFree(d);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%08x-%x.u32", dir.c_str(), name, first, step);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(h.data(), 4, n, f) != n || fclose(f))
        exit(1);
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint32_t x : h)
        hash = (hash ^ x) * 0x100000001b3ull;
    printf("%s 0x%08x 0x%x %u 0x%016llx\n", name, first, step, n, (unsigned long long)hash);
}

int main(int argc, char **argv)
{
    dir = argc > 1 ? argv[1] : ".";
    const uint32_t binade = 1u << 23;
    go<rcp>("rcp", 0x3f800000, 1, binade);
    go<rsqrt_>("rsqrt", 0x3f800000, 1, 2 * binade);
    go<sqrt_>("sqrt", 0x3f800000, 1, 2 * binade);
    go<lg2>("lg2", 0x3f000000, 1, 2 * binade);
    go<lg2>("lg2", 0x40000000, 8, 1u << 20);
    go<ex2>("ex2", 0x3f000000, 1, 2 * binade);
    go<ex2>("ex2", 0xbf000000, 1, binade);
    go<ex2>("ex2", 0x33000000, 256, 24u << 15);
    go<ex2>("ex2", 0x40000000, 64, 6u << 17);
    go<sin_>("sin", 0x3f000000, 1, 2 * binade);
    go<cos_>("cos", 0x3f000000, 1, 2 * binade);
    go<sin_>("sin", 0x40000000, 4, 4u << 21);
    go<cos_>("cos", 0x40000000, 4, 4u << 21);
    go<sin_>("sin", 0x38000000, 64, 14u << 17);
    go<cos_>("cos", 0x38000000, 64, 14u << 17);
    go<sin_>("sin", 0xbf000000, 64, 1u << 17);
    go<tanh_>("tanh", 0x38000000, 16, 18u << 19);
    go<rcp64>("rcp64", 0x3ff00000, 1, 1u << 20);
    go<rcp64_low>("rcp64_low", 0x3ff00000, 1, 1u << 20);
    go<rsqrt64>("rsqrt64", 0x3ff00000, 1, 2u << 20);
    go<rsqrt64_low>("rsqrt64_low", 0x3ff00000, 1, 2u << 20);
    go<ex2_h>("ex2_h", 0, 0x10001, 1u << 16);
    go<tanh_h>("tanh_h", 0, 0x10001, 1u << 16);
    go<ex2_b>("ex2_b", 0, 0x10001, 1u << 16);
    go<tanh_b>("tanh_b", 0, 0x10001, 1u << 16);
    return 0;
}
