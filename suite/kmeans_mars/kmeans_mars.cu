/*
 * k-means as MapReduce.
 *
 * Origin: Mars, Kmeans (suite_mars.h has the framework). A map task is one point: its key holds the point's number, the
 * numbers of dimensions and centers and the array of memberships, its value points, centers and a flag. The task computes
 * the squared distance to its own center and to all others (points as records of 3 integers, so a warp's threads walk 32
 * records; centers from global memory too), enters a nearer one and emits key and value as they are. Grouping sorts the
 * pairs by membership, which a comparison finds through the key. Reduce: one thread per center adds up its points.
 * Original: 30000 points, 3 dimensions, 24 centers, repeated until no point moves; "small" is one iteration, "paper" five.
 */
#include "../common/suite_mars.h"

enum { DIM = 3, K = 24 };

struct means {
    struct key {
        int point, dim, k;
        int *member;
    };
    struct value {
        int *points, *centers, *change;
    };
    static __device__ void count(key *, value *, mars_counter emit) { emit(sizeof(key), sizeof(value)); }
    static __device__ int distance(const int *a, const int *b, int dim)
    {
        int d = 0;
        for (int i = 0; i < dim; i++) {
            int x = a[i] - b[i];
            d += x * x;
        }
        return d;
    }
    static __device__ void map(key *key, value *v, mars_emitter emit)
    {
        int dim = key->dim, k = key->k, p = key->point, before = key->member[p], best = before;
        const int *point = v->points + p * dim, *centers = v->centers;
        int least = distance(point, centers + best * dim, dim);
        for (int c = 0; c < k; c++) {
            int d = distance(point, centers + c * dim, dim);
            if (d < least) {
                best = c;
                least = d;
            }
        }
        if (best != before) {
            *v->change = 1;
            key->member[p] = best;
        }
        emit(key, v, sizeof *key, sizeof *v);
    }
    static __device__ int compare(const key *a, const key *b)
    {
        int x = a->member[a->point], y = b->member[b->point];
        return x > y ? 1 : x < y ? -1 : 0;
    }
};

__global__ void reduce(const char *keys, const char *values, const int4 *index, const int2 *range, int groups)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups)
        return;
    int first = range[g].x, n = range[g].y - first;
    const means::key *key = (const means::key *)(keys + index[first].x);
    const means::value *v = (const means::value *)(values + index[first].z);
    int dim = key->dim, *center = v->centers + key->member[key->point] * dim;
    const int *points = v->points;
    for (int i = 0; i < dim; i++)
        center[i] = 0;
    for (int i = 0; i < n; i++) {
        const means::key *other = (const means::key *)((const char *)key + i * index[first].y);
        const int *p = points + other->point * dim;
        for (int j = 0; j < dim; j++)
            center[j] += p[j];
    }
    for (int i = 0; i < dim; i++)
        center[i] /= n;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 500, 30000, 30000), iterations = suite_pick(size, 2, 1, 5);
    std::vector<int> point((size_t)n * DIM), center(K * DIM), member(n, 0), got(n), got_center(K * DIM);
    suite_rng r(73);
    for (int &x : point)
        x = (int)r.below(1000);
    for (int c = 0; c < K * DIM; c++)
        center[c] = point[c]; /* the first points */
    int change = 0;
    means::value value = {suite_to_device(point.data(), point.size()), suite_to_device(center.data(), center.size()),
                          suite_to_device(&change, 1)};
    int *d_member = suite_to_device(member.data(), n);
    mars_input in;
    for (int i = 0; i < n; i++) {
        means::key key;
        memset(&key, 0, sizeof key); /* its padding is copied too */
        key.point = i;
        key.dim = DIM;
        key.k = K;
        key.member = d_member;
        in.add(key, value);
    }
    size_t bad = 0;
    for (int it = 0; it < iterations; it++) {
        int groups;
        mars_device_pairs pairs = mars_map_phase<means>(in);
        int2 *range = mars_group<means>(pairs, &groups);
        reduce<<<(groups + MARS_THREADS - 1) / MARS_THREADS, MARS_THREADS>>>(pairs.keys, pairs.values, pairs.index, range,
                                                                             groups);
        SUITE_LAUNCHED();
        pairs.release();
        SUITE_CUDA(cudaFree(range));
        std::vector<int> sum(K * DIM, 0), count(K, 0);
        for (int i = 0; i < n; i++) {
            auto distance = [&](int c) {
                int d = 0;
                for (int j = 0; j < DIM; j++) {
                    int x = point[(size_t)i * DIM + j] - center[c * DIM + j];
                    d += x * x;
                }
                return d;
            };
            int least = distance(member[i]);
            for (int c = 0, d; c < K; c++)
                if ((d = distance(c)) < least) {
                    member[i] = c;
                    least = d;
                }
            count[member[i]]++;
            for (int j = 0; j < DIM; j++)
                sum[member[i] * DIM + j] += point[(size_t)i * DIM + j];
        }
        for (int c = 0; c < K; c++)
            for (int j = 0; j < DIM && count[c]; j++)
                center[c * DIM + j] = sum[c * DIM + j] / count[c];
    }
    suite_to_host(got.data(), d_member, n);
    suite_to_host(got_center.data(), value.centers, K * DIM);
    bad += suite_diff_exact("member", got.data(), member.data(), n) +
           suite_diff_exact("center", got_center.data(), center.data(), K * DIM);
    return suite_done("kmeans_mars", argc, argv, bad);
}
