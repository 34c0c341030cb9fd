/*
 * Memory at load: what DRAM moves by how its pieces lie, and what the L2 takes of stores beside stores to a word that all share.
 *
 *     nvcc -O2 -arch=sm_90 -std=c++17 -o load load.cu && ./load > load.tsv      # rows as probe.h says; some seconds
 *
 * What each decides:
 *   dram_stride     one sector of each `stride` bytes: how many bytes a row gives before another is opened; with half=alternate or
 *                   parity, whether the two halves of lines lie in different channels
 *   dram_block      blocks at random addresses, read or written: how many bytes lie side by side in a row, and what opening it costs
 *   dram_words      words of sectors that the L2 does not have, streamed: what completing a sector costs
 *   store_beside    stores to lines that the L2 has, one for each lane, and a store to a shared word: what a slice takes for each
 *   load_beside     the same with a load that waits, as a search asks whether it was there: how long behind the stores
 */
#include "probe.h"

typedef unsigned long long u64;

static char *arena;
static u64 arena_bytes;

enum half { LOWER, ALTERNATE, PARITY };

/* Each thread reads a word of the sector that it finds `stride` bytes behind its neighbor's. */
template <int HALF>
__global__ void read_stride(const char *base, u64 bytes, u64 from, unsigned stride, int n, stamp *s, unsigned *out)
{
    u64 per_turn = (u64)gridDim.x * blockDim.x * stride;
    u64 at = (from + (u64)(blockIdx.x * blockDim.x + threadIdx.x) * stride) % bytes;
    unsigned x = 0;
    long long t = begin_timing();
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        u64 line = at >> 7;
        unsigned upper = HALF == ALTERNATE ? line & 1 : HALF == PARITY ? __popcll(line) & 1 : 0;
        x ^= __ldcg((const unsigned *)(base + at + upper * 64));
        at += per_turn;
        at = at >= bytes ? at - bytes : at;
    }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/* A warp takes blocks of `block` bytes at random, 16 bytes a lane; of small ones several at a time. */
template <bool STORE>
__global__ void blocks(char *base, u64 mask, unsigned block, unsigned first, int n, stamp *s, unsigned *out)
{
    const unsigned lanes = block < 512 ? block / 16 : 32, turns = block < 512 ? 1 : block / 512;
    u64 seed = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / lanes * 0x9e3779b97f4a7c15ull + first;
    unsigned x = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        char *p = base + ((seed >> 20) & mask & ~(u64)(block - 1)) + threadIdx.x % lanes * 16;
#pragma unroll 4
        for (unsigned k = 0; k < turns; k++) {
            if (STORE)
                asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p + k * 512), "r"(i) : "memory");
            else {
                uint4 v = __ldcg((const uint4 *)(p + k * 512));
                x ^= v.x ^ v.y ^ v.z ^ v.w;
            }
        }
    }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/* A word of each `stride` bytes; `words` of each sector. */
__global__ void write_words(char *base, u64 bytes, u64 from, unsigned stride, int n, stamp *s)
{
    u64 per_turn = (u64)gridDim.x * blockDim.x * stride;
    u64 at = (from + (u64)(blockIdx.x * blockDim.x + threadIdx.x) * stride) % bytes;
    long long t = begin_timing();
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        asm volatile("st.global.u32 [%0], %1;" ::"l"(base + at), "r"(i) : "memory");
        at += per_turn;
        at = at >= bytes ? at - bytes : at;
    }
    end_timing(s, t);
}

/*
 * Turns of `others` stores of every lane to a line of its own, of which each warp has 64, and one store of lane 0 to the word
 * `shared` (NULL: none) or, LOAD, a load of one of those lines that the next turn waits for. The stores are done when time ends.
 */
template <int BYTES, bool LOAD>
__global__ void beside(int n, unsigned others, char *lines, char *shared, unsigned spread, unsigned apart, stamp *s,
                       unsigned *out)
{
    const unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32,
                   warps = gridDim.x * (blockDim.x / 32);
    char *own = lines + (u64)warp * 8192 + lane * 128, *one = shared + blockIdx.x % spread * apart;
    unsigned at = 0, x = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll 1
        for (unsigned k = 0; k < others; k++) {
            if (BYTES == 1)
                asm volatile("st.global.u8 [%0], %1;" ::"l"(own + at), "r"(1) : "memory");
            else if (BYTES == 4)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(own + at), "r"(1) : "memory");
            else
                asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(own - lane * 128 + (lane / 2) * 256 +
                                                                           lane % 2 * 16 + at),
                             "r"(1)
                             : "memory");
            at ^= 4096;
        }
        if (shared && lane == 0)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(one), "r"(1) : "memory");
        __syncwarp();
        if (LOAD) {
            const char *p = lines + (u64)((warp + 37 * (i + 1)) % warps) * 8192 + lane * 128 + 64;
            unsigned v = __ldcg((const unsigned *)p);
            at ^= (v & 0x10000000) >> 16; /* never: all words are small; the stores wait for the load */
            x ^= v;
        }
    }
    __threadfence();
    end_timing(s, t);
    out[threadIdx.x] = x;
}

static void dram_reads(unsigned ctas)
{
    const int a = model ? 4 : 100, b = model ? 12 : 500;
    auto row = [&](auto kernel, const char *half, unsigned stride) {
        u64 from = 0;
        measure("dram_stride", text("stride=%u%s", stride, half), a, b, ctas, (double)ctas * 512 * 32, [&](int n) {
            kernel<<<ctas, 512>>>(arena, arena_bytes, from, stride, n, stamps, sink);
            from = (from + (u64)n * ctas * 512 * stride) % arena_bytes;
        });
    };
    for (unsigned stride : {32u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u})
        row(read_stride<LOWER>, "", stride);
    row(read_stride<ALTERNATE>, ",half=alternate", 128);
    row(read_stride<PARITY>, ",half=parity", 128);
    row(read_stride<PARITY>, ",half=parity", 256);
}

static void dram_blocks(unsigned ctas)
{
    const u64 mask = arena_bytes - 1;
    for (unsigned block : {32u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u}) {
        const unsigned turn = block < 512 ? 512 : block;
        const int a = (model ? 32u << 10 : 512u << 10) / turn / 8, b = 4 * a;
        const double useful = (double)ctas * 16 * turn;
        measure("dram_block", text("read,block=%u", block), a, b, ctas, useful,
                [&](int n) { blocks<false><<<ctas, 512>>>(arena, mask, block, 12345 + launches, n, stamps, sink); });
        measure("dram_block", text("write,block=%u", block), a, b, ctas, useful,
                [&](int n) { blocks<true><<<ctas, 512>>>(arena, mask, block, 12345 + launches, n, stamps, sink); });
    }
}

static void dram_words(unsigned ctas)
{
    for (unsigned stride : {4u, 32u, 64u, 128u, 256u, 1024u}) {
        u64 from = 0;
        const int a = model ? 8 : 64, b = model ? 16 : 256;
        measure("dram_words", text("stride=%u", stride), a, b, ctas, (double)ctas * 512, [&](int n) {
            write_words<<<ctas, 512>>>(arena, arena_bytes, from, stride, n, stamps);
            from = (from + (u64)n * ctas * 512 * stride) % arena_bytes;
        });
    }
}

static void stores_beside()
{
    char *lines = arena + (1 << 20);
    const unsigned ctas = 132, threads = 256;
    const int a = model ? 8 : 32, b = model ? 24 : 160;
    CHECK(cudaMemset(arena, 0, 32 << 20));
    auto row = [&](auto kernel, const char *probe, const char *what, unsigned others, unsigned spread, unsigned apart) {
        char *shared = spread ? arena : NULL;
        std::string name = text("%s,others=%u%s", what, others, spread ? "" : ",alone");
        if (spread > 1)
            name += text(",words=%u,apart=%u", spread, apart);
        measure(probe, name, a, b, ctas, threads / 32, [&](int n) {
            kernel<<<ctas, threads>>>(n, others, lines, shared, spread ? spread : 1, apart, stamps, sink);
        });
    };
    for (unsigned others : {1u, 2u, 4u}) {
        row(beside<1, false>, "store_beside", "bytes", others, 0, 0);
        row(beside<4, false>, "store_beside", "words", others, 0, 0);
        row(beside<16, false>, "store_beside", "sectors", others, 0, 0);
        row(beside<1, false>, "store_beside", "bytes", others, 1, 0);
        row(beside<4, false>, "store_beside", "words", others, 1, 0);
        row(beside<16, false>, "store_beside", "sectors", others, 1, 0);
    }
    row(beside<4, false>, "store_beside", "words", 0, 1, 0);
    for (unsigned apart : {4u, 32u, 128u, 4096u})
        for (unsigned words : {2u, 8u, 32u})
            if (apart * words <= 128 || apart >= 128)
                row(beside<4, false>, "store_beside", "words", 1, words, apart);
    row(beside<4, true>, "load_beside", "words", 0, 0, 0);
    row(beside<4, true>, "load_beside", "words", 0, 1, 0);
    row(beside<4, true>, "load_beside", "words", 1, 0, 0);
    row(beside<4, true>, "load_beside", "words", 1, 1, 0);
    row(beside<1, true>, "load_beside", "bytes", 1, 1, 0);
    row(beside<1, true>, "load_beside", "bytes", 3, 1, 0);
    row(beside<1, true>, "load_beside", "bytes", 3, 0, 0);
}

int main(int argc, char **argv)
{
    start(argc, argv);
    arena_bytes = model ? 4ull << 30 : 16ull << 30;
    CHECK(cudaMalloc(&arena, arena_bytes));
    int device = 0, sms = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    if (want("store_beside") || want("load_beside"))
        stores_beside();
    const unsigned ctas = (unsigned)sms * 4;
    dram_reads(ctas);
    dram_blocks(ctas);
    dram_words(ctas);
    return 0;
}
