/*
 * Matrix multiplication as MapReduce.
 *
 * Origin: Mars, MatrixMul. A map task is one element of the result; its record holds pointers to a row of A and a column of
 * B, both stored contiguously (B is transposed beforehand). A thread walks both; threads of a warp share the row of A and
 * walk 32 columns that lie a row apart. 256 threads per block. Original 512 to 1024; "paper" is 512.
 */
#include "../common/suite.h"

#include <vector>

struct task {
    int row, col;
};

__global__ void map_elements(const float *a, const float *bt, const task *tasks, float *c, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n * n)
        return;
    task k = tasks[t];
    const float *x = a + k.row * n, *y = bt + k.col * n;
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    c[k.row * n + k.col] = s;
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 64, 256, 512);
    size_t nn = (size_t)n * n;
    std::vector<float> a(nn), bt(nn), c(nn), got(nn);
    std::vector<task> tasks(nn);
    suite_rng r(83);
    for (size_t i = 0; i < nn; i++) {
        a[i] = r.unit();
        bt[i] = r.unit();
        tasks[i] = {(int)(i / n), (int)(i % n)};
    }
    float *da = suite_to_device(a.data(), nn), *db = suite_to_device(bt.data(), nn), *dc = suite_device<float>(nn);
    task *dt = suite_to_device(tasks.data(), nn);
    map_elements<<<(unsigned)((nn + 255) / 256), 256>>>(da, db, dt, dc, n);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dc, nn);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += (double)a[(size_t)i * n + k] * bt[(size_t)j * n + k];
            c[(size_t)i * n + j] = (float)s;
        }
    return suite_done("mm_mars", argc, argv, suite_diff("c", got.data(), c.data(), nn, 1e-4, 1e-5));
}
