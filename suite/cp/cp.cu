/*
 * Coulombic potential on a plane from point charges.
 *
 * Origin: ISPASS-2009 suite, CP (cuenergy). Atoms in constant memory, 16 x 8 threads per block, each thread computes two
 * grid points 16 apart along x. Original 256 x 256 points and 200 atoms, which is "small"; "paper" is 512 x 512, 200.
 */
#include "../common/suite.h"

#include <vector>

enum { MAX_ATOMS = 4000, BX = 16, BY = 8, PER_THREAD = 2 };

__constant__ float4 atoms[MAX_ATOMS];

__global__ void energy(int n_atoms, float spacing, float *grid)
{
    unsigned x = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned at = gridDim.x * blockDim.x * PER_THREAD * y + x;
    float cx = spacing * (float)x, cy = spacing * (float)y, e[PER_THREAD];
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++)
        e[k] = 0;
    float step = spacing * BX;
    for (int a = 0; a < n_atoms; a++) {
        float dy = cy - atoms[a].y, dyz2 = dy * dy + atoms[a].z;
        float dx = cx - atoms[a].x;
#pragma unroll
        for (int k = 0; k < PER_THREAD; k++) {
            e[k] += atoms[a].w * (1.0f / sqrtf(dx * dx + dyz2));
            dx += step;
        }
    }
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++)
        grid[at + BX * k] += e[k];
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 128, 256, 512), n_atoms = suite_pick(size, 20, 200, 200);
    const float spacing = 0.1f;
    std::vector<float4> atom(n_atoms);
    suite_rng r(139);
    for (float4 &a : atom) {
        a.x = r.range(0, spacing * (float)n);
        a.y = r.range(0, spacing * (float)n);
        a.z = r.range(0.5f, 30); /* squared distance of the atom from the plane */
        a.w = r.range(-1, 1);
    }
    SUITE_CUDA(cudaMemcpyToSymbol(atoms, atom.data(), atom.size() * sizeof(float4)));
    std::vector<float> grid((size_t)n * n, 0.0f), got(grid.size());
    float *d = suite_to_device(grid.data(), grid.size());
    energy<<<dim3(n / (BX * PER_THREAD), n / BY), dim3(BX, BY)>>>(n_atoms, spacing, d);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d, got.size());
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double e = 0;
            for (const float4 &a : atom) {
                double dx = spacing * (float)x - a.x, dy = spacing * (float)y - a.y;
                e += a.w / sqrt(dx * dx + dy * dy + a.z);
            }
            grid[(size_t)y * n + x] = (float)e;
        }
    return suite_done("cp", argc, argv, suite_diff("e", got.data(), grid.data(), grid.size(), 1e-3, 1e-3));
}
