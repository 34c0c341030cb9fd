/*
 * Matrix multiplication as MapReduce.
 *
 * Origin: Mars, MatrixMul (suite_mars.h has the framework). A map task is one element of the result: its key holds both
 * matrices, its value the row, the column and the sizes. The task walks a row of A and a column of B, both contiguous
 * (the host transposes B) and read as float4: the threads of a warp share the row of A and walk 32 columns that lie a
 * row apart. It emits the result and its position; there is no reduce phase.
 * Original 1024 x 1024. Every size has rows of 1024, as the distance between columns decides which sets of a cache they
 * meet in, and computes the first rows of the result, the beginning of the original run: "paper" the first 256.
 */
#include "../common/suite_mars.h"

enum { N = 1024 };

struct matmul {
    struct key {
        const float *a, *bt;
    };
    struct value {
        int row, col, rows, cols;
    };
    static __device__ void count(key *, value *, mars_counter emit) { emit(sizeof(float), sizeof(int2)); }
    static __device__ void map(key *k, value *v, mars_emitter emit)
    {
        int row = v->row, col = v->col, cols = v->cols;
        const float4 *x = (const float4 *)(k->a + row * cols), *y = (const float4 *)(k->bt + col * cols);
        float s = 0;
        for (int i = 0; i < cols / 4; i++) {
            float4 p = x[i], q = y[i];
            s += p.x * q.x;
            s += p.y * q.y;
            s += p.z * q.z;
            s += p.w * q.w;
        }
        int *out = (int *)emit.buffer();
        *(float *)out = s;
        out[1] = row;
        out[2] = col;
        emit(out, out + 1, sizeof(float), sizeof(int2));
    }
};

int main(int argc, char **argv)
{
    int rows = suite_pick(suite_parse_size(argc, argv), 1, 32, 256);
    std::vector<float> a((size_t)rows * N), bt((size_t)N * N), c((size_t)rows * N), got(c.size());
    suite_rng r(83);
    for (float &x : a)
        x = (float)r.below(100);
    for (float &x : bt)
        x = (float)r.below(100);
    matmul::key key = {suite_to_device(a.data(), a.size()), suite_to_device(bt.data(), bt.size())};
    mars_input in;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            in.add(key, matmul::value{i, j, N, N});
    mars_pairs pairs = mars_run<matmul>(in);

    size_t bad = pairs.index.size() != c.size();
    for (const int4 &p : pairs.index) {
        int at[2];
        memcpy(at, &pairs.values[p.z], sizeof at);
        memcpy(&got[(size_t)at[0] * N + at[1]], &pairs.keys[p.x], sizeof(float));
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += (double)a[(size_t)i * N + k] * bt[(size_t)j * N + k];
            c[(size_t)i * N + j] = (float)s;
        }
    return suite_done("mm_mars", argc, argv, bad + suite_diff("c", got.data(), c.data(), c.size(), 1e-4, 1e-5));
}
