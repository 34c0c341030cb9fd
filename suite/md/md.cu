/*
 * Lennard-Jones forces of atoms from neighbor lists.
 *
 * Origin: SHOC 1.1.5, level 1, MD. One thread per atom, 256 threads per block; every atom has its 128 nearest
 * neighbors in a list stored neighbor-major (entry j of all atoms is contiguous), sorted by distance; positions are
 * float4, the neighbors' are fetched through a linear texture; pairs farther than the cutoff of 4 contribute nothing.
 * Atoms are at random in a cube of edge 20, so that neighbors in space are far apart in memory. Simplified: single
 * precision only. Original 12288 to 73728 atoms; "paper" is 73728.
 */
#include "../common/suite_texture.h"

#include <algorithm>
#include <vector>

enum { NEIGHBORS = 128, THREADS = 256 };
static const float EDGE = 20, CUTOFF2 = 16, LJ1 = 1.5f, LJ2 = 2.0f;

__global__ void forces(float3 *force, const float4 *position, cudaTextureObject_t texture, const int *list, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 me = position[i];
    float3 f = make_float3(0, 0, 0);
    for (int j = 0; j < NEIGHBORS; j++) {
        const float4 other = tex1Dfetch<float4>(texture, list[j * n + i]);
        const float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        const float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < CUTOFF2) {
            const float inv = 1.0f / r2, inv6 = inv * inv * inv, k = inv * inv6 * (LJ1 * inv6 - LJ2);
            f.x += dx * k;
            f.y += dy * k;
            f.z += dz * k;
        }
    }
    force[i] = f;
}

static float distance2(float4 a, float4 b)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

/* The nearest atoms of each, found in growing cubes of cells around it. */
static std::vector<int> neighbor_list(const std::vector<float4> &p)
{
    const int n = (int)p.size(), side = std::max(1, (int)(EDGE / cbrtf(40 * EDGE * EDGE * EDGE / (float)n)));
    const float cell = EDGE / (float)side;
    std::vector<std::vector<int>> in((size_t)side * side * side);
    auto place = [&](float x) { return std::min(side - 1, (int)(x / cell)); };
    for (int i = 0; i < n; i++)
        in[((size_t)place(p[i].z) * side + place(p[i].y)) * side + place(p[i].x)].push_back(i);
    std::vector<int> list((size_t)NEIGHBORS * n);
    std::vector<std::pair<float, int>> near;
    for (int i = 0; i < n; i++) {
        const int cx = place(p[i].x), cy = place(p[i].y), cz = place(p[i].z);
        for (int ring = 1;; ring++) {
            near.clear();
            for (int z = std::max(0, cz - ring); z <= std::min(side - 1, cz + ring); z++)
                for (int y = std::max(0, cy - ring); y <= std::min(side - 1, cy + ring); y++)
                    for (int x = std::max(0, cx - ring); x <= std::min(side - 1, cx + ring); x++)
                        for (int j : in[((size_t)z * side + y) * side + x])
                            if (j != i)
                                near.push_back({distance2(p[i], p[j]), j});
            if (near.size() < NEIGHBORS)
                continue;
            std::nth_element(near.begin(), near.begin() + NEIGHBORS - 1, near.end());
            if (ring >= side || near[NEIGHBORS - 1].first <= (float)(ring * ring) * cell * cell)
                break;
        }
        std::sort(near.begin(), near.begin() + NEIGHBORS);
        for (int j = 0; j < NEIGHBORS; j++)
            list[(size_t)j * n + i] = near[j].second;
    }
    return list;
}

int main(int argc, char **argv)
{
    const int n = suite_pick(suite_parse_size(argc, argv), 512, 24576, 73728);
    std::vector<float4> position(n);
    suite_rng r(43);
    for (float4 &x : position)
        x = make_float4(r.range(0, EDGE), r.range(0, EDGE), r.range(0, EDGE), 0);
    const std::vector<int> list = neighbor_list(position);
    float4 *dp = suite_to_device(position.data(), n);
    int *dl = suite_to_device(list.data(), list.size());
    float3 *df = suite_device<float3>(n);
    const cudaTextureObject_t texture = suite_linear_texture(dp, n);
    forces<<<n / THREADS, THREADS>>>(df, dp, texture, dl, n);
    SUITE_LAUNCHED();
    std::vector<float3> got(n);
    suite_to_host(got.data(), df, n);
    size_t bad = 0;
    for (int i = 0; i < n; i++) {
        double f[3] = {0, 0, 0}, size = 0; /* the terms of a sum may cancel: its error is measured against their size */
        for (int j = 0; j < NEIGHBORS; j++) {
            const float4 a = position[i], b = position[list[(size_t)j * n + i]];
            const double d[3] = {a.x - b.x, a.y - b.y, a.z - b.z}, r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (r2 >= CUTOFF2)
                continue;
            const double inv = 1 / r2, inv6 = inv * inv * inv, k = inv * inv6 * (LJ1 * inv6 - LJ2);
            for (int c = 0; c < 3; c++)
                f[c] += d[c] * k;
            size += fabs(inv * inv6 * (LJ1 * inv6 + LJ2)) * sqrt(r2);
        }
        const double g[3] = {got[i].x, got[i].y, got[i].z};
        for (int c = 0; c < 3; c++)
            if (!(fabs(g[c] - f[c]) <= 1e-5 * size + 1e-6) && bad++ == 0)
                fprintf(stderr, "force[%d].%c is %.9g, expected %.9g\n", i, "xyz"[c], g[c], f[c]);
    }
    return suite_done("md", argc, argv, bad);
}
