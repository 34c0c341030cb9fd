/*
 * Coulomb potential with a cutoff, on a lattice around a box of atoms.
 *
 * Origin: Parboil, cutcp. Space is cut into bins of 4 Angstrom with room for 8 atoms (one 128-byte line each); the
 * lattice into regions of 8^3 points. One launch per plane of regions, one block of 8 x 2 x 8 threads per region, four
 * points per thread along y. A block walks a list of neighboring bins in constant memory: each half warp copies four
 * bins to shared memory, then all threads run over the 32 bins' atoms. Atoms beyond eight in a bin are left to the
 * host. Input: a jittered grid of charged atoms with the density of water (an atom per 10 cubic Angstrom), spacing of
 * lattice points half an Angstrom. Original boxes of 40 and 100 Angstrom, cutoff 12; "paper" is a box of 20, cutoff 12.
 */
#include "../common/suite.h"

#include <vector>

enum { BIN_DEPTH = 8, BIN_FLOATS = 4 * BIN_DEPTH, CACHED_BINS = 32, MAX_NEIGHBORS = 11 * 11 * 11, REGION = 512 };
static const float BIN_LENGTH = 4.0f, SPACING = 0.5f;

__constant__ int n_neighbors;
__constant__ int3 neighbors[MAX_NEIGHBORS];

static __host__ __device__ inline float potential(float q, float r2, float inv_cutoff2)
{
    float s = 1.0f - r2 * inv_cutoff2;
#ifdef __CUDA_ARCH__
    return q * rsqrtf(r2) * s * s;
#else
    return q / sqrtf(r2) * s * s;
#endif
}

__global__ void lattice(int bins_x, int bins_y, const float4 *bin_zero, float cutoff2, float inv_cutoff2,
                        float *regions, int plane)
{
    __shared__ float cache[CACHED_BINS * BIN_FLOATS];
    int t = (threadIdx.z * 2 + threadIdx.y) * 8 + threadIdx.x, half = t >> 4, lane = t & 15;
    float *out = regions + ((plane * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * REGION;
    float x = (8 * blockIdx.x + threadIdx.x) * SPACING, y = (8 * blockIdx.y + threadIdx.y) * SPACING,
          z = (8 * plane + threadIdx.z) * SPACING;
    int bx = (int)floorf((8 * blockIdx.x + 4) * SPACING / BIN_LENGTH),
        by = (int)floorf((8 * blockIdx.y + 4) * SPACING / BIN_LENGTH),
        bz = (int)floorf((8 * plane + 4) * SPACING / BIN_LENGTH);
    float energy[4] = {};
    int mine = half; /* the next neighbor this half warp copies */
    for (int done = 0; done < n_neighbors; done += CACHED_BINS) {
        for (int k = 0; k < 4 && mine < n_neighbors; k++, mine += 8) {
            int3 o = neighbors[mine];
            const float *from =
                (const float *)(bin_zero + (((bz + o.z) * bins_y + by + o.y) * bins_x + bx + o.x) * BIN_DEPTH);
            float *to = cache + BIN_FLOATS * (half + 8 * k);
            to[lane] = from[lane];
            to[lane + 16] = from[lane + 16];
        }
        __syncthreads();
        int bins = n_neighbors - done < CACHED_BINS ? n_neighbors - done : CACHED_BINS;
        for (int b = 0; b < bins; b++)
            for (int i = 0; i < BIN_DEPTH; i++) {
                const float *atom = cache + b * BIN_FLOATS + 4 * i;
                float q = atom[3];
                if (q == 0)
                    break; /* no more atoms in this bin */
                float dx = atom[0] - x, dz = atom[2] - z, flat = dx * dx + dz * dz, dy = atom[1] - y;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    float r2 = flat + dy * dy;
                    if (r2 < cutoff2)
                        energy[k] += potential(q, r2, inv_cutoff2);
                    dy -= 2 * SPACING;
                }
            }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[half * 64 + lane + 16 * k] = energy[k];
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    float cutoff = suite_pick(size, 4.0f, 12.0f, 12.0f), cutoff2 = cutoff * cutoff;
    int regions = suite_pick(size, 2, 4, 5), points = 8 * regions, pad = (int)ceilf(cutoff / BIN_LENGTH);
    int bins = (int)ceilf(points * SPACING / BIN_LENGTH) + 2 * pad;
    /* Atoms on a jittered grid over the lattice's box. */
    std::vector<float4> atom, rest;
    suite_rng r(311);
    const float step = 2.15f;
    float side = points * SPACING;
    for (float z = 0; z < side; z += step)
        for (float y = 0; y < side; y += step)
            for (float x = 0; x < side; x += step)
                atom.push_back({x + r.unit() * step * 0.9f, y + r.unit() * step * 0.9f, z + r.unit() * step * 0.9f,
                                r.below(3) ? 0.417f : -0.834f});
    std::vector<float4> bin((size_t)bins * bins * bins * BIN_DEPTH, float4{0, 0, 0, 0});
    std::vector<int> count((size_t)bins * bins * bins, 0);
    for (const float4 &a : atom) {
        int x = (int)(a.x / BIN_LENGTH) + pad, y = (int)(a.y / BIN_LENGTH) + pad, z = (int)(a.z / BIN_LENGTH) + pad;
        int b = (z * bins + y) * bins + x;
        if (count[b] < BIN_DEPTH)
            bin[(size_t)b * BIN_DEPTH + count[b]++] = a;
        else
            rest.push_back(a);
    }
    /* Bins that may hold an atom within the cutoff of some point of the region's own bin. */
    std::vector<int3> list;
    float reach = cutoff + sqrtf(3.0f) * BIN_LENGTH;
    for (int z = -pad; z <= pad; z++)
        for (int y = -pad; y <= pad; y++)
            for (int x = -pad; x <= pad; x++)
                if ((x * x + y * y + z * z) * BIN_LENGTH * BIN_LENGTH < reach * reach)
                    list.push_back({x, y, z});
    int n_list = (int)list.size();
    SUITE_CUDA(cudaMemcpyToSymbol(n_neighbors, &n_list, sizeof n_list));
    SUITE_CUDA(cudaMemcpyToSymbol(neighbors, list.data(), n_list * sizeof(int3)));

    size_t all = (size_t)points * points * points;
    float4 *d_bin = suite_to_device(bin.data(), bin.size());
    float *d_out = suite_device<float>(all);
    for (int plane = 0; plane < regions; plane++)
        lattice<<<dim3(regions, regions), dim3(8, 2, 8)>>>(
            bins, bins, d_bin + (size_t)((pad * bins + pad) * bins + pad) * BIN_DEPTH, cutoff2, 1 / cutoff2, d_out,
            plane);
    SUITE_LAUNCHED();
    std::vector<float> got(all), expect(all);
    suite_to_host(got.data(), d_out, all);
    for (size_t i = 0; i < all; i++) { /* in the order of regions, as the device stores them */
        size_t region = i / REGION;
        int in = (int)(i % REGION);
        float x = ((float)(region % regions) * 8 + (float)(in % 8)) * SPACING,
              y = ((float)(region / regions % regions) * 8 + (float)(in / 8 % 8)) * SPACING,
              z = ((float)(region / regions / regions) * 8 + (float)(in / 64)) * SPACING;
        auto from = [&](const float4 &a) {
            float dx = a.x - x, dy = a.y - y, dz = a.z - z, r2 = dx * dx + dy * dy + dz * dz;
            return r2 < cutoff2 ? (double)potential(a.w, r2, 1 / cutoff2) : 0.0;
        };
        double sum = 0, missing = 0;
        for (const float4 &a : atom)
            sum += from(a);
        for (const float4 &a : rest)
            missing += from(a);
        expect[i] = (float)sum;
        got[i] += (float)missing;
    }
    return suite_done("cutcp", argc, argv, suite_diff("potential", got.data(), expect.data(), all, 1e-3, 1e-3));
}
