/*
 * Gridding of MRI samples: scattered k-space samples onto a regular 3-D grid.
 *
 * Origin: Parboil, mri-gridding. Five steps: (1) binning, 512 threads per block, one sample each: counts samples per
 * unit cell with atomics, at most 128 per cell (the rest is left to the host); (2) radix sort of the sample numbers by
 * cell; (3) reordering of the samples from records of six floats into two sorted arrays (float2 value, float4 position
 * and density); (4) prefix sum of the cell counts; (5) gridding by gathering: blocks of 8 x 4 x 2 threads, four grid
 * points per thread along z, walk the rows of cells within reach and pass 64 samples at a time through shared memory;
 * weights are the Kaiser-Bessel window. As in the original, sample positions are rounded down to cells. Input: a radial
 * acquisition (straight spokes through the center of k-space, as dense there as real ones). Simplified: the window's
 * Bessel function is its power series (the original has a rational fit of about equal length). Original 2.6 million
 * samples; "paper" is 40960 samples on a 64^3 grid, cut for the limit on instructions.
 */
#include "../common/suite_radix.h"

#include <vector>

enum { TILE = 64, BIN_LIMIT = 128, BX = 8, BY = 4, BZ = 2, SERIES = 20 };
static const float CUTOFF = 2.0f; /* half of the window's width of 4 cells */
static const float BETA = 14.8f;  /* for that width and an oversampling of 1.25 (Beatty's formula) */

struct sample {
    float re, im, x, y, z, density;
};

/* I0(v) = sum (v/2)^2k / k!^2; `inverse_square` holds 1 / k^2. */
__constant__ float inverse_square[SERIES + 1];
template <class T> static __host__ __device__ inline T bessel(T v, const float *inv2)
{
    T q = v * v * (T)0.25, sum = 1;
    for (int k = SERIES; k > 0; k--)
        sum = 1 + sum * q * inv2[k];
    return sum;
}

__global__ void bin(int n, const sample *samples, unsigned *key, unsigned *index, unsigned *count, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    sample p = samples[i];
    unsigned cell = ((unsigned)p.z * side + (unsigned)p.y) * side + (unsigned)p.x, k = (unsigned)(side * side * side);
    if (count[cell] < BIN_LIMIT) {
        if (atomicAdd(&count[cell], 1u) < BIN_LIMIT)
            k = cell;
        else
            atomicSub(&count[cell], 1u);
    }
    key[i] = k;
    index[i] = i;
}

__global__ void reorder(int n, const unsigned *index, const sample *samples, float2 *value, float4 *place)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    sample p = samples[index[i]];
    value[i] = make_float2(p.re, p.im);
    place[i] = make_float4(p.x, p.y, p.z, p.density);
}

static __device__ inline int low(int first)
{
    int l = first - (int)ceilf(CUTOFF);
    return l < 0 ? 0 : l;
}
static __device__ inline int high(int past, int side)
{
    int h = past + (int)CUTOFF;
    return h >= side ? side - 1 : h;
}

__global__ void grid(const float2 *value, const float4 *place, const unsigned *start, float2 *out, float *density,
                     int side)
{
    __shared__ float re[TILE], im[TILE], px[TILE], py[TILE], pz[TILE], weight[TILE];
    int tiles_y = side / BY, lane = (threadIdx.z * BY + threadIdx.y) * BX + threadIdx.x;
    int x0 = blockIdx.x * BX, y0 = blockIdx.y % tiles_y * BY, z0 = blockIdx.y / tiles_y * 4 * BZ;
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
    int x_low = low(x0), x_high = high(x0 + BX, side), y_high = high(y0 + BY, side), z_high = high(z0 + 4 * BZ, side);
    float2 sum[4] = {};
    float hits[4] = {};
    for (int cz = low(z0); cz <= z_high; cz++)
        for (int cy = low(y0); cy <= y_high; cy++) {
            const unsigned *row = start + (cz * side + cy) * side;
            unsigned from = row[x_low], to = row[x_high + 1];
            for (unsigned at = from; at < to; at += TILE) {
                int n = to - at < TILE ? to - at : TILE;
                __syncthreads();
                if (lane < n) {
                    float2 v = value[at + lane];
                    float4 p = place[at + lane];
                    re[lane] = v.x;
                    im[lane] = v.y;
                    px[lane] = p.x;
                    py[lane] = p.y;
                    pz[lane] = p.z;
                    weight[lane] = p.w;
                }
                __syncthreads();
                for (int j = 0; j < n; j++) {
                    float r = re[j], i = im[j], w = weight[j];
                    if ((r == 0 && i == 0) || w == 0)
                        continue;
                    float dx = px[j] - x, dy = py[j] - y, flat = dx * dx + dy * dy;
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        float dz = pz[j] - (z + k * BZ), d2 = flat + dz * dz;
                        if (d2 < CUTOFF * CUTOFF) {
                            float f = w * bessel(BETA * sqrtf(1 - d2 / (CUTOFF * CUTOFF)), inverse_square);
                            sum[k].x += f * r;
                            sum[k].y += f * i;
                            hits[k] += 1;
                        }
                    }
                }
            }
        }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int i = ((z + k * BZ) * side + y) * side + x;
        out[i] = sum[k];
        density[i] = hits[k];
    }
}

/* Adds one sample's contributions to the grid: the host's share of the work, and the reference. */
static void scatter(const sample &p, const float *inv2, std::vector<double> &out, std::vector<float> &density, int side)
{
    int reach = (int)CUTOFF;
    for (int z = (int)p.z - reach; z <= (int)p.z + reach; z++)
        for (int y = (int)p.y - reach; y <= (int)p.y + reach; y++)
            for (int x = (int)p.x - reach; x <= (int)p.x + reach; x++) {
                double dx = p.x - x, dy = p.y - y, dz = p.z - z, d2 = dx * dx + dy * dy + dz * dz;
                if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side || d2 >= CUTOFF * CUTOFF)
                    continue;
                double f = p.density * bessel(BETA * sqrt(1 - d2 / (CUTOFF * CUTOFF)), inv2);
                size_t i = ((size_t)z * side + y) * side + x;
                out[2 * i] += f * p.re;
                out[2 * i + 1] += f * p.im;
                density[i]++;
            }
}

/* Spokes in random directions; samples evenly spaced along each, from one end through the center to the other. */
static std::vector<sample> acquire(int spokes, int per_spoke, int side)
{
    std::vector<sample> s;
    suite_rng r(251);
    for (int k = 0; k < spokes; k++) {
        float dx, dy, dz, len2;
        do {
            dx = r.range(-1, 1);
            dy = r.range(-1, 1);
            dz = r.range(-1, 1);
            len2 = dx * dx + dy * dy + dz * dz;
        } while (len2 > 1 || len2 < 0.01f);
        float len = sqrtf(len2), half = (side - 1) / 2.0f;
        for (int i = 0; i < per_spoke; i++) {
            float t = (2.0f * i - (per_spoke - 1)) / per_spoke, scale = t / len * half;
            s.push_back({r.range(-1, 1), r.range(-1, 1), floorf(half + dx * scale), floorf(half + dy * scale),
                         floorf(half + dz * scale), t * t + 1.0f / per_spoke});
        }
    }
    return s;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int side = suite_pick(size, 16, 32, 64), per_spoke = side, n = suite_pick(size, 512, 8192, 40960);
    size_t cells = (size_t)side * side * side, padded = suite_scan_padded(cells + 1);
    std::vector<sample> samples = acquire(n / per_spoke, per_spoke, side);
    float inv2[SERIES + 1] = {};
    for (int k = 1; k <= SERIES; k++)
        inv2[k] = 1.0f / (float)(k * k);
    SUITE_CUDA(cudaMemcpyToSymbol(inverse_square, inv2, sizeof inv2));

    size_t sorted = (n + RADIX_PER_BLOCK - 1) / RADIX_PER_BLOCK * RADIX_PER_BLOCK;
    sample *d_samples = suite_to_device(samples.data(), n);
    unsigned *d_key = suite_device<unsigned>(sorted), *d_index = suite_device<unsigned>(sorted);
    unsigned *d_count = suite_device<unsigned>(padded), *d_start = suite_device<unsigned>(padded);
    float2 *d_value = suite_device<float2>(n), *d_out = suite_device<float2>(cells);
    float4 *d_place = suite_device<float4>(n);
    float *d_density = suite_device<float>(cells);
    SUITE_CUDA(cudaMemset(d_key, 0xff, sorted * sizeof(unsigned)));
    SUITE_CUDA(cudaMemset(d_index, 0xff, sorted * sizeof(unsigned)));
    SUITE_CUDA(cudaMemset(d_count, 0, padded * sizeof(unsigned)));
    int bits = 1;
    while (cells >> bits)
        bits++;
    bin<<<(n + 511) / 512, 512>>>(n, d_samples, d_key, d_index, d_count, side);
    SUITE_LAUNCHED();
    suite_radix_sort(d_key, d_index, sorted, bits);
    reorder<<<(n + 511) / 512, 512>>>(n, d_index, d_samples, d_value, d_place);
    SUITE_LAUNCHED();
    suite_scan(d_start, d_count, padded);
    grid<<<dim3(side / BX, side * side / (4 * BY * BZ)), dim3(BX, BY, BZ)>>>(d_value, d_place, d_start, d_out,
                                                                             d_density, side);
    SUITE_LAUNCHED();

    std::vector<float> got(2 * cells), got_density(cells), density(cells), rest_density(cells);
    std::vector<double> expect(2 * cells), rest(2 * cells);
    suite_to_host(got.data(), (float *)d_out, 2 * cells);
    suite_to_host(got_density.data(), d_density, cells);
    /* Samples beyond a full cell: the host's share, as in the original. */
    unsigned on_device;
    suite_to_host(&on_device, d_start + cells, 1);
    std::vector<unsigned> index(n);
    suite_to_host(index.data(), d_index, n);
    for (int i = (int)on_device; i < n; i++)
        scatter(samples[index[i]], inv2, rest, rest_density, side);
    for (const sample &p : samples)
        scatter(p, inv2, expect, density, side);
    double largest = 0;
    for (size_t i = 0; i < cells; i++) {
        got_density[i] += rest_density[i];
        got[2 * i] += (float)rest[2 * i];
        got[2 * i + 1] += (float)rest[2 * i + 1];
        largest = fmax(largest, fmax(fabs(expect[2 * i]), fabs(expect[2 * i + 1])));
    }
    std::vector<float> e(expect.begin(), expect.end());
    size_t bad = suite_diff("grid", got.data(), e.data(), 2 * cells, 1e-4, 1e-5 * largest) +
                 suite_diff_exact("density", got_density.data(), density.data(), cells);
    return suite_done("mrigridding", argc, argv, bad);
}
