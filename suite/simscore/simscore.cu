/*
 * Cosine similarity of all pairs of documents.
 *
 * Origin: Mars, SimilarityScore. Documents are feature vectors (rows of floats). A first MapReduce computes each vector's
 * norm (one thread per document walks its row); the second one emits a score per pair: one thread per pair walks two
 * rows. 256 threads per block. Original 512 to 2048 vectors of 128 features; "paper" is 1024 of 128.
 */
#include "../common/suite.h"

#include <vector>

__global__ void norms(const float *feature, float *norm, int docs, int dim)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < docs) {
        float s = 0;
        for (int k = 0; k < dim; k++)
            s += feature[i * dim + k] * feature[i * dim + k];
        norm[i] = sqrtf(s);
    }
}

__global__ void scores(const float *feature, const float *norm, float *score, int docs, int dim)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, a = t / docs, b = t % docs;
    if (a < docs) {
        float s = 0;
        for (int k = 0; k < dim; k++)
            s += feature[a * dim + k] * feature[b * dim + k];
        score[t] = s / (norm[a] * norm[b]);
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int docs = suite_pick(size, 64, 352, 1024), dim = suite_pick(size, 32, 128, 128);
    std::vector<float> f((size_t)docs * dim), expect((size_t)docs * docs), got(expect.size());
    suite_rng r(79);
    for (float &x : f)
        x = r.below(4) ? 0.0f : r.unit(); /* sparse documents, dense storage, as in Mars */
    for (int i = 0; i < docs; i++)
        f[(size_t)i * dim] = 0.5f;
    float *df = suite_to_device(f.data(), f.size()), *dn = suite_device<float>(docs), *ds = suite_device<float>(expect.size());
    norms<<<(docs + 255) / 256, 256>>>(df, dn, docs, dim);
    scores<<<(docs * docs + 255) / 256, 256>>>(df, dn, ds, docs, dim);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), ds, got.size());
    std::vector<double> norm(docs);
    for (int a = 0; a < docs; a++) {
        double s = 0;
        for (int k = 0; k < dim; k++)
            s += (double)f[(size_t)a * dim + k] * f[(size_t)a * dim + k];
        norm[a] = sqrt(s);
    }
    for (int a = 0; a < docs; a++)
        for (int b = 0; b < docs; b++) {
            double s = 0;
            for (int k = 0; k < dim; k++)
                s += (double)f[(size_t)a * dim + k] * f[(size_t)b * dim + k];
            expect[(size_t)a * docs + b] = (float)(s / (norm[a] * norm[b]));
        }
    return suite_done("simscore", argc, argv, suite_diff("score", got.data(), expect.data(), got.size(), 1e-4, 1e-5));
}
