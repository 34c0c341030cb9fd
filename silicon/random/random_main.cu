// Runs all random kernels that are linked with it and prints a line for each: its number, a hash of its text, and 16 bits
// of a hash for each variable, for shared cells, global cells and the threads' own cells.
// Usage: random_main             all of them
//        random_main from NUMBER  that kernel and those after it; a kernel that faults ends the program, with status 3
//        random_main NUMBER       that kernel alone, and every value it computed
#include "random_kernels.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static std::vector<random_kernel> &kernels()
{
    static std::vector<random_kernel> all;
    return all;
}

bool register_kernels(const random_kernel *table, int n)
{
    kernels().insert(kernels().end(), table, table + n);
    return true;
}

static void check(cudaError_t e, int number, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "kernel %d: %s: %s\n", number, what, cudaGetErrorString(e));
    exit(strcmp(what, "run") ? 1 : 3);
}

static unsigned hash16(const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    u64 h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return (unsigned)(scramble(h) & 0xffff);
}

// One allocation holds everything: the inputs, then what the kernel writes.
struct memory {
    u64 in[INPUTS * LANES];
    u64 out[SLOTS * LANES];
    u64 global64[CELLS64];
    u32 global32[CELLS32];
    u32 own32[LANES];
    float globalf[CELLSF];
};

static void prepare(memory *m, int number)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < INPUTS * LANES; i++)
        m->in[i] = scramble(((u64)number << 32) + i);
    for (int i = 0; i < CELLS32; i++)
        m->global32[i] = (u32)scramble(i + 200);
    for (int i = 0; i < CELLS64; i++)
        m->global64[i] = scramble(i + 300);
    for (int i = 0; i < LANES; i++)
        m->own32[i] = i & 3;
}

int main(int argc, char **argv)
{
    const int only = argc == 2 ? atoi(argv[1]) : -1, from = argc == 3 ? atoi(argv[2]) : 0;
    std::sort(kernels().begin(), kernels().end(),
              [](const random_kernel &a, const random_kernel &b) { return a.number < b.number; });
    static memory host;
    memory *device;
    check(cudaMalloc(&device, sizeof host), 0, "allocation");
    for (const random_kernel &k : kernels()) {
        if (k.number < from || (only >= 0 && k.number != only))
            continue;
        prepare(&host, k.number);
        check(cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice), k.number, "copy");
        k.run<<<BLOCKS, THREADS>>>(device->in, device->out, device->global32, device->global64, device->globalf,
                                   device->own32);
        check(cudaGetLastError(), k.number, "launch");
        const cudaError_t end = cudaDeviceSynchronize();
        if (end != cudaSuccess)
            printf("%d %08x fault\n", k.number, k.text_hash);
        fflush(stdout);
        check(end, k.number, "run");
        check(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost), k.number, "copy");
        printf("%d %08x ", k.number, k.text_hash);
        for (int slot = 0; slot < SLOTS; slot++)
            printf("%04x", hash16(host.out + slot * LANES, LANES * sizeof(u64)));
        printf("%04x%04x\n",
               hash16(host.global64, sizeof host.global64) ^ hash16(host.global32, sizeof host.global32) ^
                   hash16(host.globalf, sizeof host.globalf),
               hash16(host.own32, sizeof host.own32));
        for (int slot = 0; only >= 0 && slot < SLOTS; slot++)
            for (int i = 0; i < LANES; i++)
                printf("slot %d thread %d: %016llx\n", slot, i, host.out[slot * LANES + i]);
    }
    cudaFree(device);
    return 0;
}
