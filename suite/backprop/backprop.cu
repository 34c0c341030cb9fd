/*
 * One training step of a neural network with one hidden layer.
 *
 * Origin: Rodinia 3.1, backprop. 16 hidden units; blocks of 16 x 16 threads, one block per 16 input units, one thread
 * per weight. The forward kernel multiplies a tile of weights with its inputs in shared memory, sums it down the inputs
 * by a tree (which leaves half, then three quarters of the rows idle) and writes both the tile (as the original does)
 * and one partial sum per hidden unit; the host finishes the hidden layer, the output unit and the errors. The second
 * kernel adjusts the weights with momentum. Weights are rows of 17 (a bias column), so rows are not aligned to lines.
 * Original 65536 inputs; "paper" is that.
 */
#include "../common/suite.h"

#include <vector>

enum { HIDDEN = 16, TILE = 16, ROW = HIDDEN + 1 };
static const float ETA = 0.3f, MOMENTUM = 0.3f;

__global__ void forward(const float *input, float *weight, float *partial, int hidden)
{
    __shared__ float node[TILE], w[TILE][TILE];
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int i = (hidden + 1) * (TILE * by + ty + 1) + tx + 1;
    if (tx == 0)
        node[ty] = input[TILE * by + ty + 1];
    __syncthreads();
    w[ty][tx] = weight[i];
    __syncthreads();
    w[ty][tx] *= node[ty];
    __syncthreads();
    for (int level = 0; level < __log2f(TILE); level++) { /* as the original: spans from the special-function unit */
        int span = (int)__powf(2.0f, level + 1.0f);
        if (ty % span == 0)
            w[ty][tx] += w[ty + span / 2][tx];
        __syncthreads();
    }
    weight[i] = w[ty][tx];
    if (tx == 0)
        partial[by * hidden + ty] = w[0][ty];
}

__global__ void adjust(const float *delta, int hidden, const float *input, float *weight, float *previous)
{
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int i = (hidden + 1) * (TILE * by + ty + 1) + tx + 1, iy = TILE * by + ty + 1, ix = tx + 1;
    weight[i] += ETA * delta[ix] * input[iy] + MOMENTUM * previous[i];
    previous[i] = ETA * delta[ix] * input[iy] + MOMENTUM * previous[i];
    __syncthreads();
    if (ty == 0 && by == 0) {
        weight[ix] += ETA * delta[ix] + MOMENTUM * previous[ix];
        previous[ix] = ETA * delta[ix] + MOMENTUM * previous[ix];
    }
}

int main(int argc, char **argv)
{
    int inputs = suite_pick(suite_parse_size(argc, argv), 1024, 32768, 65536), blocks = inputs / TILE;
    size_t weights = (size_t)(inputs + 1) * ROW;
    std::vector<float> input(inputs + 1), weight(weights), previous(weights, 0.0f), partial((size_t)blocks * HIDDEN);
    suite_rng r(263);
    for (float &x : input)
        x = r.unit();
    input[0] = 1;
    for (float &x : weight)
        x = r.range(-0.01f, 0.01f);
    for (float &x : previous)
        x = r.range(-0.001f, 0.001f);

    float *d_input = suite_to_device(input.data(), input.size()), *d_weight = suite_to_device(weight.data(), weights),
          *d_previous = suite_to_device(previous.data(), weights), *d_partial = suite_device<float>(partial.size()),
          *d_delta = suite_device<float>(ROW);
    dim3 grid(1, blocks), block(TILE, TILE);
    forward<<<grid, block>>>(d_input, d_weight, d_partial, HIDDEN);
    SUITE_LAUNCHED();
    suite_to_host(partial.data(), d_partial, partial.size());

    /* The host's part: hidden units, one output unit with target 0.1, the errors of the hidden layer. */
    std::vector<float> sum(HIDDEN), expect_sum(HIDDEN), delta(ROW);
    for (int j = 0; j < HIDDEN; j++) {
        double got = 0, expect = 0;
        for (int b = 0; b < blocks; b++)
            got += partial[(size_t)b * HIDDEN + j];
        for (int i = 1; i <= inputs; i++)
            expect += (double)weight[(size_t)i * ROW + j + 1] * input[i];
        sum[j] = (float)(got + weight[j + 1]);
        expect_sum[j] = (float)(expect + weight[j + 1]);
    }
    double out = 0;
    for (int j = 0; j < HIDDEN; j++)
        out += (0.05 + 0.01 * j) / (1 + exp(-(double)sum[j]));
    out = 1 / (1 + exp(-out));
    for (int j = 0; j < HIDDEN; j++) {
        double h = 1 / (1 + exp(-(double)sum[j]));
        delta[j + 1] = (float)(h * (1 - h) * (0.05 + 0.01 * j) * out * (1 - out) * (0.1 - out));
    }
    /* The forward kernel left partial products in the weights; the original, too, sends them again. */
    SUITE_CUDA(cudaMemcpy(d_weight, weight.data(), weights * sizeof(float), cudaMemcpyHostToDevice));
    SUITE_CUDA(cudaMemcpy(d_delta, delta.data(), ROW * sizeof(float), cudaMemcpyHostToDevice));
    adjust<<<grid, block>>>(d_delta, HIDDEN, d_input, d_weight, d_previous);
    SUITE_LAUNCHED();
    std::vector<float> got(weights), got_previous(weights);
    suite_to_host(got.data(), d_weight, weights);
    suite_to_host(got_previous.data(), d_previous, weights);
    for (int i = 0; i <= inputs; i++)
        for (int j = 1; j <= HIDDEN; j++) {
            float &p = previous[(size_t)i * ROW + j];
            p = ETA * delta[j] * input[i] + MOMENTUM * p;
            weight[(size_t)i * ROW + j] += p;
        }
    size_t bad = suite_diff("hidden", sum.data(), expect_sum.data(), HIDDEN, 1e-4, 1e-4) +
                 suite_diff("weight", got.data(), weight.data(), weights, 1e-5, 1e-7) +
                 suite_diff("previous", got_previous.data(), previous.data(), weights, 1e-5, 1e-8);
    return suite_done("backprop", argc, argv, bad);
}
