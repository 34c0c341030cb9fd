/*
 * Matrix multiplication as MapReduce.
 *
 * Origin: Mars, MatrixMul. A map task is one element of the result, 256 threads per block. As Mars keeps all its input,
 * a task finds an int4 {key offset, key size, value offset, value size}, behind that a key (both matrices) and a value
 * (row, column and sizes). It walks a row of A and a column of B, both contiguous (B is transposed beforehand) and read
 * as float4: the threads of a warp share the row of A and walk 32 columns that lie a row apart. It emits the result and
 * its position. Simplified: what a task emits has a fixed size, so its place is its number (Mars counts and scans
 * first). Original 512 to 1024; "paper" is 640.
 */
#include "../common/suite.h"

#include <vector>

struct matrices {
    const float *a, *bt;
};
struct element {
    int row, col, rows, cols;
};

__global__ void map_elements(const char *keys, const char *values, const int4 *index, float *result, int2 *place, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    int4 at = index[t];
    const matrices *m = (const matrices *)(keys + at.x);
    const element *e = (const element *)(values + at.z);
    int row = e->row, col = e->col, cols = e->cols;
    const float4 *x = (const float4 *)(m->a + row * cols), *y = (const float4 *)(m->bt + col * cols);
    float s = 0;
    for (int i = 0; i < cols / 4; i++) {
        float4 u = x[i], v = y[i];
        s += u.x * v.x;
        s += u.y * v.y;
        s += u.z * v.z;
        s += u.w * v.w;
    }
    result[t] = s;
    place[t] = make_int2(row, col);
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 64, 296, 640);
    size_t nn = (size_t)n * n;
    std::vector<float> a(nn), bt(nn), c(nn), got(nn), ordered(nn);
    suite_rng r(83);
    for (size_t i = 0; i < nn; i++) {
        a[i] = r.unit();
        bt[i] = r.unit();
    }
    float *da = suite_to_device(a.data(), nn), *db = suite_to_device(bt.data(), nn), *dc = suite_device<float>(nn);
    std::vector<matrices> keys(nn, matrices{da, db});
    std::vector<element> values(nn);
    std::vector<int4> index(nn);
    std::vector<int2> place(nn);
    for (size_t i = 0; i < nn; i++) {
        values[i] = {(int)i / n, (int)i % n, n, n};
        index[i] = {(int)(i * sizeof(matrices)), (int)sizeof(matrices), (int)(i * sizeof(element)),
                    (int)sizeof(element)};
    }
    int2 *d_place = suite_device<int2>(nn);
    map_elements<<<(unsigned)((nn + 255) / 256), 256>>>((const char *)suite_to_device(keys.data(), nn),
                                                        (const char *)suite_to_device(values.data(), nn),
                                                        suite_to_device(index.data(), nn), dc, d_place, (int)nn);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dc, nn);
    suite_to_host(place.data(), d_place, nn);
    for (size_t i = 0; i < nn; i++)
        ordered[(size_t)place[i].x * n + place[i].y] = got[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += (double)a[(size_t)i * n + k] * bt[(size_t)j * n + k];
            c[(size_t)i * n + j] = (float)s;
        }
    return suite_done("mm_mars", argc, argv, suite_diff("c", ordered.data(), c.data(), nn, 1e-4, 1e-5));
}
