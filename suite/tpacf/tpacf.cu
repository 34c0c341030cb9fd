/*
 * Two-point angular correlation: histograms of angles between all pairs of points on the sky.
 *
 * Origin: Parboil, tpacf. One block of 256 threads per histogram: data against itself, each random set against itself,
 * data against each random set. A block passes one set through shared memory 256 points at a time; every thread holds a
 * point of the other set and meets all 256, finds the angle's bin by binary search over 21 boundaries in constant
 * memory and adds to one of 128 histograms in shared memory (two threads share one) with an atomic; a tree sums them.
 * Input: a clustered data set and uniform random ones. Original 487 to 10391 points and 100 random sets; "paper" is 487
 * points and 26 random sets.
 */
#include "../common/suite.h"

#include <vector>

enum { BLOCK = 256, BINS = 20, HISTOGRAMS = BLOCK / 2 };

__constant__ float edge[BINS + 1]; /* cosines, so descending */

/* Spelled out, so that host and device round alike. */
static __host__ __device__ inline float dot(float3 a, float3 b)
{
    return fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x));
}

__global__ void correlate(unsigned *out, const float *all_x, const float *all_y, const float *all_z, unsigned sets,
                          unsigned n)
{
    __shared__ float3 data[BLOCK];
    __shared__ unsigned histogram[BINS][HISTOGRAMS];
    unsigned t = threadIdx.x, b = blockIdx.x;
    bool self = b < sets + 1;
    unsigned first = self ? n * b : 0, second = self ? first : n * (b - sets);
    for (unsigned i = t; i < BINS * HISTOGRAMS; i += BLOCK)
        histogram[i / HISTOGRAMS][i % HISTOGRAMS] = 0;
    for (unsigned i = 0; i < n; i += BLOCK) {
        __syncthreads();
        if (t + i < n)
            data[t] = make_float3(all_x[first + t + i], all_y[first + t + i], all_z[first + t + i]);
        __syncthreads();
        for (unsigned j = self ? i + 1 : 0; j < n; j += BLOCK) {
            float3 mine = make_float3(0, 0, 0);
            if (t + j < n)
                mine = make_float3(all_x[second + t + j], all_y[second + t + j], all_z[second + t + j]);
            for (unsigned k = 0; k < BLOCK && k + i < n; k++) {
                float cosine = dot(data[k], mine);
                unsigned low = 0, high = BINS;
                while (high > low + 1) {
                    unsigned middle = (low + high) / 2;
                    if (cosine >= edge[middle])
                        high = middle;
                    else
                        low = middle;
                }
                if (cosine < edge[low] && cosine >= edge[high] && (!self || t + j > i + k) && t + j < n)
                    atomicAdd(&histogram[high - 1][t / 2], 1u);
            }
        }
    }
    unsigned lane = t % (HISTOGRAMS / 2), bin = t / (HISTOGRAMS / 2);
    for (unsigned half = HISTOGRAMS / 2; half > 0; half /= 2)
        for (unsigned base = 0; base < BINS; base += BLOCK / (HISTOGRAMS / 2)) {
            __syncthreads();
            if (lane < half && base + bin < BINS)
                histogram[base + bin][lane] += histogram[base + bin][lane + half];
        }
    __syncthreads();
    if (t < BINS)
        out[BINS * b + t] = histogram[t][0];
}

/* A point of the unit sphere, near `around` when given. */
static float3 on_sphere(suite_rng &r, const float3 *around)
{
    for (;;) {
        float3 p = make_float3(r.range(-1, 1), r.range(-1, 1), r.range(-1, 1));
        float len2 = p.x * p.x + p.y * p.y + p.z * p.z;
        if (len2 > 1 || len2 < 0.01f)
            continue;
        if (around)
            p = make_float3(around->x + 0.05f * p.x, around->y + 0.05f * p.y, around->z + 0.05f * p.z);
        float len = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
        return make_float3(p.x / len, p.y / len, p.z / len);
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 128, 300, 487), sets = suite_pick(size, 2, 4, 26), histograms = 2 * sets + 1;
    /* Five bins per factor of ten, from one minute of arc. */
    float edges[BINS + 1];
    const double step = 1.5848931924611136, minute = 3.14159265358979323846 / 180 / 60;
    double arc = minute;
    for (int k = 0; k <= BINS; k++, arc *= step)
        edges[k] = (float)cos(arc);
    suite_rng r(313);
    std::vector<float> x, y, z;
    float3 cluster[8];
    for (float3 &c : cluster)
        c = on_sphere(r, nullptr);
    for (int i = 0; i < (sets + 1) * n; i++) {
        float3 p = on_sphere(r, i < n && r.below(2) ? &cluster[r.below(8)] : nullptr);
        x.push_back(p.x);
        y.push_back(p.y);
        z.push_back(p.z);
    }
    SUITE_CUDA(cudaMemcpyToSymbol(edge, edges, sizeof edges));
    float *dx = suite_to_device(x.data(), x.size()), *dy = suite_to_device(y.data(), y.size()),
          *dz = suite_to_device(z.data(), z.size());
    unsigned *d_out = suite_device<unsigned>(histograms * BINS);
    correlate<<<histograms, BLOCK>>>(d_out, dx, dy, dz, sets, n);
    SUITE_LAUNCHED();
    std::vector<unsigned> got(histograms * BINS), expect(histograms * BINS, 0);
    suite_to_host(got.data(), d_out, got.size());
    for (int h = 0; h < histograms; h++) {
        bool self = h <= sets;
        int a = self ? h * n : 0, b = self ? a : (h - sets) * n;
        for (int i = 0; i < n; i++)
            for (int j = self ? i + 1 : 0; j < n; j++) {
                float c = dot(make_float3(x[a + i], y[a + i], z[a + i]), make_float3(x[b + j], y[b + j], z[b + j]));
                for (int k = 0; k < BINS; k++)
                    expect[h * BINS + k] += c < edges[k] && c >= edges[k + 1];
            }
    }
    return suite_done("tpacf", argc, argv, suite_diff_exact("bin", got.data(), expect.data(), got.size()));
}
