/*
 * Online clustering: is it worth opening a center at this point?
 *
 * Origin: Rodinia 3.1, streamcluster. One launch per candidate, one thread per point, 512 threads per block. Points are
 * records {weight, host pointer, center, cost} of 32 bytes; coordinates are dimension-major. A thread computes its
 * distance to the candidate and either marks itself as switching or adds its loss to its center's entry of its own row
 * of a work array (rows of K + 1 floats). The host sums the rows, decides, and reassigns points, as in the original.
 * Input: points around hidden centers. Simplified: the first centers are drawn at random.
 * Original 65536 points of 256 dimensions, thousands of candidates; "paper" is that size and 4 candidates,
 * "small" the first 96 dimensions for one candidate.
 */
#include "../common/suite.h"

#include <vector>

enum { BLOCK = 512 };

struct point {
    float weight;
    float *coord; /* the host's; the device never follows it */
    long assign;
    float cost;
};

static __device__ inline float distance(int a, long b, int n, int dim, const float *coord)
{
    float d = 0;
    for (int i = 0; i < dim; i++) {
        float x = coord[i * n + a] - coord[i * n + b];
        d += x * x;
    }
    return d;
}

__global__ void gain(int n, int dim, long candidate, const point *p, int k, const float *coord, float *work,
                     const int *center_index, bool *switches)
{
    int t = blockDim.x * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x;
    if (t >= n)
        return;
    float *lower = &work[t * (k + 1)];
    float cost = distance(t, candidate, n, dim, coord) * p[t].weight;
    if (cost < p[t].cost) {
        switches[t] = true;
        lower[k] += cost - p[t].cost;
    } else {
        lower[center_index[p[t].assign]] += p[t].cost - cost;
    }
}

/* Every point's cost if its center were `to`. */
static std::vector<double> costs_to(const std::vector<float> &coord, const std::vector<point> &p, long to, int dim)
{
    size_t n = p.size();
    std::vector<double> cost(n, 0.0);
    for (int d = 0; d < dim; d++) {
        const float *c = &coord[(size_t)d * n];
        for (size_t i = 0; i < n; i++)
            cost[i] += ((double)c[i] - c[to]) * ((double)c[i] - c[to]);
    }
    for (size_t i = 0; i < n; i++)
        cost[i] *= p[i].weight;
    return cost;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 1024, 65536, 65536), dim = suite_pick(size, 16, 96, 256),
        candidates = suite_pick(size, 3, 1, 4);
    const int first_centers = 12;
    suite_rng r(283);
    std::vector<float> coord((size_t)n * dim), hidden((size_t)16 * dim);
    for (float &x : hidden)
        x = r.unit();
    for (int i = 0; i < n; i++) {
        int h = (int)r.below(16);
        for (int d = 0; d < dim; d++)
            coord[(size_t)d * n + i] = hidden[(size_t)h * dim + d] + 0.3f * r.unit();
    }
    std::vector<point> p(n, point{1.0f, nullptr, 0, 3.4e38f});
    std::vector<char> is_center(n, 0);
    for (int c = 0; c < first_centers; c++) {
        long at = (long)r.below(n);
        std::vector<double> cost = costs_to(coord, p, at, dim);
        is_center[at] = 1;
        for (int i = 0; i < n; i++)
            if (cost[i] < p[i].cost) {
                p[i].cost = (float)cost[i];
                p[i].assign = at;
            }
    }
    const float opening = 0.02f * (float)n; /* what a center costs */
    float *d_coord = suite_to_device(coord.data(), coord.size());
    point *d_p = suite_device<point>(n);
    int *d_index = suite_device<int>(n);
    bool *d_switches = suite_device<bool>(n);
    size_t bad = 0;
    for (int round = 0; round < candidates; round++) {
        long x = r.below(n);
        std::vector<int> index(n, 0);
        int k = 0;
        for (int i = 0; i < n; i++)
            if (is_center[i])
                index[i] = k++;
        size_t entries = (size_t)n * (k + 1);
        float *d_work = suite_device<float>(entries);
        SUITE_CUDA(cudaMemcpy(d_p, p.data(), n * sizeof(point), cudaMemcpyHostToDevice));
        SUITE_CUDA(cudaMemcpy(d_index, index.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        SUITE_CUDA(cudaMemset(d_work, 0, entries * sizeof(float)));
        SUITE_CUDA(cudaMemset(d_switches, 0, n));
        gain<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(n, dim, x, d_p, k, d_coord, d_work, d_index, d_switches);
        SUITE_LAUNCHED();
        std::vector<float> work(entries);
        std::vector<char> switches(n);
        suite_to_host(work.data(), d_work, entries);
        suite_to_host((bool *)switches.data(), d_switches, n);
        cudaFree(d_work);

        std::vector<double> lower(k, opening), cost = costs_to(coord, p, x, dim);
        double change = opening;
        for (int i = 0; i < n; i++) {
            double saved = cost[i] - p[i].cost, tolerance = 1e-4 * (cost[i] + p[i].cost) + 1e-6;
            int entry = switches[i] ? k : index[p[i].assign];
            for (int c = 0; c <= k; c++) {
                double expect = c != entry ? 0 : switches[i] ? saved : -saved;
                bad += fabs(work[(size_t)i * (k + 1) + c] - expect) > tolerance;
            }
            bad += switches[i] ? saved > tolerance : saved < -tolerance;
            for (int c = 0; c < k; c++)
                lower[c] += work[(size_t)i * (k + 1) + c];
            change += work[(size_t)i * (k + 1) + k];
        }
        for (int c = 0; c < k; c++)
            change -= lower[c] > 0 ? lower[c] : 0; /* closing this center, too, saves */
        if (change >= 0)
            continue;
        std::vector<char> closes(n, 0);
        for (int i = 0; i < n; i++)
            closes[i] = is_center[i] && lower[index[i]] > 0;
        for (int i = 0; i < n; i++)
            if (switches[i] || closes[p[i].assign]) {
                p[i].cost = (float)cost[i];
                p[i].assign = x;
            }
        for (int i = 0; i < n; i++)
            is_center[i] = i == x || (is_center[i] && !closes[i]);
    }
    return suite_done("streamcluster", argc, argv, bad);
}
