/*
 * Neural network that recognizes handwritten digits.
 *
 * Origin: ISPASS-2009 (GPGPU-Sim's benchmarks), NN: the network of Simard, Steinkraus and Platt (2003). Four kernels,
 * all images at once (blockIdx.y is the image): 29 x 29 input, 6 maps of 13 x 13 by 5 x 5 kernels at stride 2 (a block
 * per map, 13 x 13 threads), 50 maps of 5 x 5 over all 6 (a block per map, 5 x 5 threads), 100 and then 10 fully
 * connected neurons (a block of ONE thread per neuron). Offsets of the windows come from constant memory, weights and
 * neurons from global memory; weights of the second layer are interleaved by input map, each neuron's bias is stored
 * before its weights. Weights and images (smooth strokes) are generated. Original 28 images; "paper" is the same.
 */
#include "../common/suite.h"

#include <vector>

enum { IN = 29, MAP1 = 13, MAPS1 = 6, MAP2 = 5, MAPS2 = 50, HIDDEN = 100, CLASSES = 10, KERNEL = 25 };
enum { IN_N = IN * IN, L1_N = MAPS1 * MAP1 * MAP1, L2_N = MAPS2 * MAP2 * MAP2 };
enum { W1_N = MAPS1 * (1 + KERNEL), W2_N = MAPS2 * (1 + KERNEL) * MAPS1, W3_N = HIDDEN * (1 + L2_N) };
enum { W4_N = CLASSES * (1 + HIDDEN) };

__constant__ int window1[KERNEL], window2[KERNEL];

static __host__ __device__ inline float squash(float x)
{
    return 1.7159f * tanhf(0.66666667f * x);
}

__global__ void first_layer(const float *in, const float *w, float *out)
{
    const int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    in += blockIdx.y * IN_N + 2 * y * IN + 2 * x;
    w += map * (1 + KERNEL);
    float sum = w[0];
    for (int i = 0; i < KERNEL; i++)
        sum += in[window1[i]] * w[1 + i];
    out[blockIdx.y * L1_N + (map * MAP1 + y) * MAP1 + x] = squash(sum);
}

__global__ void second_layer(const float *in, const float *w, float *out)
{
    const int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    in += blockIdx.y * L1_N + 2 * y * MAP1 + 2 * x;
    w += map * (1 + KERNEL) * MAPS1;
    float sum = w[0];
    for (int i = 0; i < KERNEL; i++)
#pragma unroll
        for (int m = 0; m < MAPS1; m++)
            sum += in[m * MAP1 * MAP1 + window2[i]] * w[1 + i * MAPS1 + m];
    out[blockIdx.y * L2_N + (map * MAP2 + y) * MAP2 + x] = squash(sum);
}

/* n_in inputs; a block of one thread computes one neuron. */
__global__ void full_layer(const float *in, const float *w, float *out, int n_in)
{
    in += blockIdx.y * n_in;
    w += blockIdx.x * (1 + n_in);
    float sum = w[0];
    for (int i = 0; i < n_in; i++)
        sum += in[i] * w[1 + i];
    out[blockIdx.y * gridDim.x + blockIdx.x] = squash(sum);
}

static std::vector<float> weights(size_t n, int fan_in, uint64_t seed)
{
    suite_rng r(seed);
    std::vector<float> w(n);
    const float scale = sqrtf(3.0f / (float)fan_in);
    for (float &x : w)
        x = r.range(-scale, scale);
    return w;
}

/* A bright page with a dark stroke between random points, as a digit has. */
static void draw(float *image, suite_rng &r)
{
    for (int i = 0; i < IN_N; i++)
        image[i] = 1;
    float x = r.range(6, 22), y = r.range(4, 10);
    for (int line = 0; line < 3; line++) {
        const float x2 = r.range(5, 23), y2 = r.range(5, 23);
        for (int k = 0; k <= 60; k++) {
            const int px = (int)(x + (x2 - x) * (float)k / 60), py = (int)(y + (y2 - y) * (float)k / 60);
            image[py * IN + px] = 0;
            image[py * IN + px + 1] *= 0.5f;
        }
        x = x2;
        y = y2;
    }
}

static void full_reference(const float *in, const std::vector<float> &w, float *out, int n_in, int n_out)
{
    for (int o = 0; o < n_out; o++) {
        double sum = w[(size_t)o * (1 + n_in)];
        for (int i = 0; i < n_in; i++)
            sum += (double)in[i] * w[(size_t)o * (1 + n_in) + 1 + i];
        out[o] = squash((float)sum);
    }
}

static void reference(const float *in, const std::vector<float> w[4], float *result)
{
    std::vector<float> a(L1_N), b(L2_N), c(HIDDEN);
    for (int m = 0; m < MAPS1; m++)
        for (int p = 0; p < MAP1 * MAP1; p++) {
            double sum = w[0][m * 26];
            for (int k = 0; k < KERNEL; k++)
                sum += (double)in[(2 * (p / MAP1) + k / 5) * IN + 2 * (p % MAP1) + k % 5] * w[0][m * 26 + 1 + k];
            a[m * MAP1 * MAP1 + p] = squash((float)sum);
        }
    for (int m = 0; m < MAPS2; m++)
        for (int p = 0; p < MAP2 * MAP2; p++) {
            const size_t base = (size_t)m * 26 * MAPS1;
            double sum = w[1][base];
            for (int k = 0; k < KERNEL; k++)
                for (int f = 0; f < MAPS1; f++)
                    sum += (double)a[(f * MAP1 + 2 * (p / MAP2) + k / 5) * MAP1 + 2 * (p % MAP2) + k % 5] *
                           w[1][base + 1 + k * MAPS1 + f];
            b[m * MAP2 * MAP2 + p] = squash((float)sum);
        }
    full_reference(b.data(), w[2], c.data(), L2_N, HIDDEN);
    full_reference(c.data(), w[3], result, HIDDEN, CLASSES);
}

int main(int argc, char **argv)
{
    const int images = suite_pick(suite_parse_size(argc, argv), 1, 8, 28);
    int offset1[KERNEL], offset2[KERNEL];
    for (int i = 0; i < KERNEL; i++) {
        offset1[i] = i / 5 * IN + i % 5;
        offset2[i] = i / 5 * MAP1 + i % 5;
    }
    SUITE_CUDA(cudaMemcpyToSymbol(window1, offset1, sizeof offset1));
    SUITE_CUDA(cudaMemcpyToSymbol(window2, offset2, sizeof offset2));
    const std::vector<float> w[4] = {weights(W1_N, KERNEL, 1), weights(W2_N, KERNEL * MAPS1, 2), weights(W3_N, L2_N, 3),
                                     weights(W4_N, HIDDEN, 4)};
    std::vector<float> in((size_t)images * IN_N), got((size_t)images * CLASSES), expect(got.size());
    suite_rng r(5);
    for (int i = 0; i < images; i++)
        draw(&in[(size_t)i * IN_N], r);
    float *dw[4], *din = suite_to_device(in.data(), in.size());
    for (int i = 0; i < 4; i++)
        dw[i] = suite_to_device(w[i].data(), w[i].size());
    float *l1 = suite_device<float>((size_t)images * L1_N), *l2 = suite_device<float>((size_t)images * L2_N);
    float *l3 = suite_device<float>((size_t)images * HIDDEN), *l4 = suite_device<float>(got.size());
    first_layer<<<dim3(MAPS1, images), dim3(MAP1, MAP1)>>>(din, dw[0], l1);
    second_layer<<<dim3(MAPS2, images), dim3(MAP2, MAP2)>>>(l1, dw[1], l2);
    full_layer<<<dim3(HIDDEN, images), 1>>>(l2, dw[2], l3, L2_N);
    full_layer<<<dim3(CLASSES, images), 1>>>(l3, dw[3], l4, HIDDEN);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), l4, got.size());
    for (int i = 0; i < images; i++)
        reference(&in[(size_t)i * IN_N], w, &expect[(size_t)i * CLASSES]);
    return suite_done("nn", argc, argv, suite_diff("out", got.data(), expect.data(), got.size(), 1e-3, 1e-4));
}
