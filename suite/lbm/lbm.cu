/*
 * Lattice-Boltzmann fluid in a driven cavity.
 *
 * Origin: Parboil, lbm. D3Q19; one thread per cell, one block per row of 120 cells (three and three quarter warps),
 * grid of rows. Structure of arrays: 19 distributions and a word of flags, each a padded volume (rows of 128, two
 * planes before and two after). The scatter form: a thread reads its own cell (aligned) and writes its neighbors'
 * (shifted by one in x, or by rows and planes). Walls reflect, two planes are driven at a fixed velocity. Input: a
 * closed box with a few solid blocks. Original 120 x 120 x 150 cells, 100 or more steps; "paper" is that volume and one
 * step.
 */
#include "../common/suite.h"

#include <utility>
#include <vector>

enum { SIZE_X = 120, PADDED_X = 128, MARGIN_Z = 2, DIRECTIONS = 19, FLAGS = DIRECTIONS, ENTRIES };
enum { OBSTACLE = 1, DRIVEN = 2 };
static const float OMEGA = 1.95f;

struct direction {
    int x, y, z, opposite;
};
/* Center; the six axes; the twelve edges. With a constant argument the table folds away. */
static __host__ __device__ inline direction toward(int e)
{
    const direction d[DIRECTIONS] = {{0, 0, 0, 0},   {0, 1, 0, 2},   {0, -1, 0, 1},  {1, 0, 0, 4},   {-1, 0, 0, 3},
                                     {0, 0, 1, 6},   {0, 0, -1, 5},  {1, 1, 0, 10},  {-1, 1, 0, 9},  {1, -1, 0, 8},
                                     {-1, -1, 0, 7}, {0, 1, 1, 14},  {0, 1, -1, 13}, {0, -1, 1, 12}, {0, -1, -1, 11},
                                     {1, 0, 1, 18},  {1, 0, -1, 17}, {-1, 0, 1, 16}, {-1, 0, -1, 15}};
    return d[e];
}
static __host__ __device__ inline float weight(int e)
{
    return e == 0 ? 1.0f / 3.0f : e < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
}

/* The volume's size is known when compiling, as in the original: neighbors are constant offsets. */
template <int Y, int Z> struct volume {
    static constexpr int y = Y, z = Z, cells = PADDED_X * Y * (Z + 2 * MARGIN_Z);
    static __host__ __device__ int at(int cx, int cy, int cz, int entry)
    {
        return cells * entry + cx + (cy + (cz + MARGIN_Z) * Y) * PADDED_X;
    }
};

static __host__ __device__ inline unsigned bits_of(float f)
{
    unsigned u;
    memcpy(&u, &f, sizeof u);
    return u;
}

template <class V>
static __host__ __device__ inline void stream_collide(const float *src, float *dst, int x, int y, int z)
{
    float f[DIRECTIONS];
#pragma unroll
    for (int e = 0; e < DIRECTIONS; e++)
        f[e] = src[V::at(x, y, z, e)];
    unsigned flags = bits_of(src[V::at(x, y, z, FLAGS)]);
    if (flags & OBSTACLE) {
#pragma unroll
        for (int e = 1; e < DIRECTIONS; e++) {
            int o = toward(e).opposite;
            if (e < o) {
                float t = f[e];
                f[e] = f[o];
                f[o] = t;
            }
        }
    } else {
        float rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
        for (int e = 0; e < DIRECTIONS; e++) {
            rho += f[e];
            if (toward(e).x)
                ux += toward(e).x > 0 ? f[e] : -f[e];
            if (toward(e).y)
                uy += toward(e).y > 0 ? f[e] : -f[e];
            if (toward(e).z)
                uz += toward(e).z > 0 ? f[e] : -f[e];
        }
        ux /= rho;
        uy /= rho;
        uz /= rho;
        if (flags & DRIVEN) {
            ux = 0.005f;
            uy = 0.002f;
            uz = 0;
        }
        float u2 = 1.5f * (ux * ux + uy * uy + uz * uz) - 1.0f, base = OMEGA * rho;
#pragma unroll
        for (int e = 0; e < DIRECTIONS; e++) {
            float u = toward(e).x * ux + toward(e).y * uy + toward(e).z * uz;
            f[e] = (1.0f - OMEGA) * f[e] + weight(e) * base * (u * (4.5f * u + 3.0f) - u2);
        }
    }
#pragma unroll
    for (int e = 0; e < DIRECTIONS; e++)
        dst[V::at(x + toward(e).x, y + toward(e).y, z + toward(e).z, e)] = f[e];
}

template <class V> __global__ void step(const float *src, float *dst)
{
    stream_collide<V>(src, dst, threadIdx.x, blockIdx.x, blockIdx.y);
}

template <class V> static std::vector<float> make_cavity()
{
    std::vector<float> g((size_t)V::cells * ENTRIES, 0.0f);
    suite_rng r(307);
    int box[6][3];
    for (auto &b : box) {
        b[0] = 8 + (int)r.below(SIZE_X - 24);
        b[1] = (int)r.below(V::y);
        b[2] = (int)r.below(V::z);
    }
    for (int z = 0; z < V::z; z++)
        for (int y = 0; y < V::y; y++)
            for (int x = 0; x < SIZE_X; x++) {
                for (int e = 0; e < DIRECTIONS; e++)
                    g[V::at(x, y, z, e)] = weight(e) * r.range(0.98f, 1.02f);
                unsigned flags = 0;
                bool wall = x == 0 || x == SIZE_X - 1 || y == 0 || y == V::y - 1 || z == 0 || z == V::z - 1;
                for (auto &b : box)
                    wall = wall || (abs(x - b[0]) < 6 && abs(y - b[1]) < 3 && abs(z - b[2]) < 3);
                if (wall)
                    flags = OBSTACLE;
                else if ((z == 1 || z == V::z - 2) && x > 1 && x < SIZE_X - 2 && y > 1 && y < V::y - 2)
                    flags = DRIVEN;
                memcpy(&g[V::at(x, y, z, FLAGS)], &flags, sizeof flags);
            }
    return g;
}

template <class V> static size_t run(int steps)
{
    std::vector<float> host = make_cavity<V>();
    /* Both grids start alike, so that both carry the flags. */
    float *d_src = suite_to_device(host.data(), host.size()), *d_dst = suite_to_device(host.data(), host.size());
    for (int s = 0; s < steps; s++) {
        step<V><<<dim3(V::y, V::z), SIZE_X>>>(d_src, d_dst);
        SUITE_LAUNCHED();
        std::swap(d_src, d_dst);
    }
    cudaFree(d_dst);
    std::vector<float> next = host;
    for (int s = 0; s < steps; s++) {
        for (int z = 0; z < V::z; z++)
            for (int y = 0; y < V::y; y++)
                for (int x = 0; x < SIZE_X; x++)
                    stream_collide<V>(host.data(), next.data(), x, y, z);
        host.swap(next);
    }
    suite_to_host(next.data(), d_src, next.size());
    return suite_diff("f", next.data(), host.data(), (size_t)V::cells * FLAGS, 1e-4, 1e-6);
}

int main(int argc, char **argv)
{
    size_t bad;
    switch (suite_parse_size(argc, argv)) {
    case SUITE_TINY:
        bad = run<volume<8, 6>>(2);
        break;
    case SUITE_SMALL:
        bad = run<volume<40, 26>>(2);
        break;
    default:
        bad = run<volume<120, 150>>(1);
    }
    return suite_done("lbm", argc, argv, bad);
}
