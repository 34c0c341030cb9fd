/*
 * Cosine similarity of all pairs of documents.
 *
 * Origin: Mars, SimilarityScore (suite_mars.h has the framework). Documents are rows of one matrix. A map task is a pair
 * of documents i < j: its key holds the matrix, its value the pair and the number of features. The task walks both rows
 * as float4 and sums their product and both squares on the way: the threads of a warp share row i and walk 32 rows j
 * that lie a row apart. It emits the score and the pair.
 * Original 1024 documents of 256 features. Every size has documents of 256 features; "paper" scores all pairs, smaller
 * sizes those of the first documents with all others, the beginning of the original run.
 */
#include "../common/suite_mars.h"

enum { DOCS = 1024, DIM = 256 };

struct similarity {
    struct key {
        const float *documents;
    };
    struct value {
        int a, b, dim;
        float score;
    };
    static __device__ void count(key *, value *, mars_counter emit) { emit(sizeof(float), sizeof(int2)); }
    static __device__ void map(key *k, value *v, mars_emitter emit)
    {
        int a = v->a, b = v->b, dim = v->dim;
        const float4 *x = (const float4 *)(k->documents + a * dim), *y = (const float4 *)(k->documents + b * dim);
        float both = 0, left = 0, right = 0;
        for (int i = 0; i < dim / 4; i++) {
            float4 p = x[i], q = y[i];
            both += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
            left += p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
            right += q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        }
        int *out = (int *)emit.buffer();
        *(float *)out = both / (sqrtf(left) * sqrtf(right));
        out[1] = a;
        out[2] = b;
        emit(out, out + 1, sizeof(float), sizeof(int2));
    }
};

int main(int argc, char **argv)
{
    int firsts = suite_pick(suite_parse_size(argc, argv), 2, 64, DOCS - 1);
    std::vector<float> f((size_t)DOCS * DIM);
    suite_rng r(79);
    for (float &x : f)
        x = (float)r.below(100);
    similarity::key key = {suite_to_device(f.data(), f.size())};
    mars_input in;
    for (int a = 0; a < firsts; a++)
        for (int b = a + 1; b < DOCS; b++)
            in.add(key, similarity::value{a, b, DIM, 0.0f});
    mars_pairs pairs = mars_run<similarity>(in);

    std::vector<double> square(DOCS);
    for (int a = 0; a < DOCS; a++)
        for (int k = 0; k < DIM; k++)
            square[a] += (double)f[(size_t)a * DIM + k] * f[(size_t)a * DIM + k];
    size_t bad = pairs.index.size() != in.index.size();
    std::vector<float> got, expect;
    for (const int4 &p : pairs.index) { /* tasks emit one pair each, in order */
        int at[2], want[2];
        memcpy(at, &pairs.values[p.z], sizeof at);
        memcpy(want, &in.values[in.index[expect.size()].z], sizeof want);
        bad += at[0] != want[0] || at[1] != want[1];
        double s = 0;
        for (int k = 0; k < DIM; k++)
            s += (double)f[(size_t)want[0] * DIM + k] * f[(size_t)want[1] * DIM + k];
        expect.push_back((float)(s / sqrt(square[want[0]] * square[want[1]])));
        got.push_back(0);
        memcpy(&got.back(), &pairs.keys[p.x], sizeof(float));
    }
    bad += suite_diff("score", got.data(), expect.data(), got.size(), 1e-4, 1e-5);
    return suite_done("simscore", argc, argv, bad);
}
