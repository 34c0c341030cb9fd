/*
 * ResNet-50: the first convolution, the first bottleneck of each of the four stages, pooling, the classifier.
 *
 * Origin: Tango, ResNet (common/suite_dnn.h for the thread mapping): a block per map, at most 32 x 32 threads, each
 * thread a square of pixels where the map is larger. A bottleneck is three convolutions (1x1, 3x3, 1x1) beside a 1x1
 * projection; every convolution is followed by batch normalization and scaling, the sum of both branches by a clamp.
 * Simplified: weights and image are generated; normalization, scaling and clamp, three kernels in the original, are
 * one; the further bottlenecks of a stage, which repeat its shapes, are left out.
 *
 * The original does about 4 billion multiply-adds; "paper", all maps of these layers, 1.5; "small" the first two
 * convolutions of the third stage's bottleneck, 1x1 to 256 maps from 192 of 512 and 3x3 to 256 from 48 of these; "tiny"
 * one map of the last stage; "part" 80 maps (as far as there are) and neurons of every layer, so that every core of a
 * machine with 76 has a block, over the first row of the first window, 1 to 8 input maps of a convolution and 512
 * inputs.
 */
#include "../common/suite_dnn.h"

/* The first convolution; each thread computes tile x tile pixels. */
__global__ void __launch_bounds__(DNN_THREADS)
    first_layer(const float *in, const float *w, float *out, dnn_conv_shape c, int tile)
{
    const int map = blockIdx.x, row0 = threadIdx.x * tile, col0 = threadIdx.y * tile, plane = c.kernel * c.kernel;
    w += map * 3 * plane;
    for (int row = row0; row < row0 + tile && row < c.out_side; row++)
        for (int col = col0; col < col0 + tile && col < c.out_side; col++) {
            const dnn_span y = dnn_clip(c, row), x = dnn_clip(c, col);
            const int to = min(y.to, c.rows);
            float sum = 0;
            for (int i = y.from; i < to; i++)
                for (int j = x.from; j < x.to; j++) {
                    const float *pixel = in + ((y.base + i) * c.in_side + x.base + j) * 3, *k = w + i * c.kernel + j;
                    sum += pixel[0] * k[0] + pixel[1] * k[plane] + pixel[2] * k[2 * plane];
                }
            out[(map * c.out_side + row) * c.out_side + col] = sum;
        }
}

/* (x - mean) / deviation * scale + bias, clamped if wanted; one value per thread, in the order of Tango's kernels. */
__global__ void __launch_bounds__(DNN_THREADS)
    normalize(float *x, const float *mean, const float *variance, const float *scale, const float *bias, int side,
              int tile, int relu)
{
    const int map = blockIdx.x, row0 = threadIdx.x * tile, col0 = threadIdx.y * tile;
    for (int row = row0; row < row0 + tile && row < side; row++)
        for (int col = col0; col < col0 + tile && col < side; col++) {
            float *p = &x[(map * side + row) * side + col];
            const float y = (*p - mean[map]) / sqrtf(variance[map] + 1e-5f) * scale[map] + bias[map];
            *p = relu && y < 0 ? 0 : y;
        }
}

__global__ void __launch_bounds__(DNN_THREADS)
    add_clamped(const float *a, const float *b, float *out, int side, int tile)
{
    const int map = blockIdx.x, row0 = threadIdx.x * tile, col0 = threadIdx.y * tile;
    for (int row = row0; row < row0 + tile && row < side; row++)
        for (int col = col0; col < col0 + tile && col < side; col++) {
            const int i = (map * side + row) * side + col;
            const float y = a[i] + b[i];
            out[i] = y < 0 ? 0 : y;
        }
}

__global__ void pool_average(const float *in, float *out, int side)
{
    in += blockIdx.x * side * side;
    float sum = 0;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            sum += in[i * side + j];
    out[blockIdx.x] = sum / (float)(side * side);
}

static void norm(dnn_run &run, dnn_maps<float> &x, int computed, bool relu)
{
    std::vector<float> p[4]; /* mean, variance, scale, bias */
    float *d[4];
    for (int i = 0; i < 4; i++) {
        p[i] = run.weights<float>(computed, 3);
        for (float &v : p[i])
            v = i == 0 || i == 3 ? 0.1f * v : 1 + 0.5f * v;
        d[i] = suite_to_device(p[i].data(), computed);
    }
    normalize<<<computed, dnn_block(x.side)>>>(x.dev, d[0], d[1], d[2], d[3], x.side, dnn_tile(x.side), relu);
    std::vector<float> expect(x.host.begin(), x.host.begin() + (long)(computed * x.per_map()));
    for (size_t i = 0; i < expect.size(); i++) {
        const size_t m = i / x.per_map();
        const double y = (expect[i] - p[0][m]) / sqrt(p[1][m] + 1e-5) * p[2][m] + p[3][m];
        expect[i] = relu && y < 0 ? 0 : (float)y;
    }
    run.check("norm", x, 0, computed, expect);
    for (float *v : d)
        cudaFree(v);
}

static dnn_maps<float> convolve(dnn_run &run, const dnn_maps<float> &in, int maps, int side, int kernel, int stride,
                                int computed, int walk, bool relu)
{
    dnn_maps<float> out = dnn_convolve(run, "conv", in, maps, side, kernel, stride, kernel / 2, 1, computed, walk, false);
    norm(run, out, std::min(computed, maps), relu);
    return out;
}

static dnn_maps<float> bottleneck(dnn_run &run, const dnn_maps<float> &in, int width, int stride, int computed, int walk)
{
    const int side = in.side / stride;
    const dnn_maps<float> across = convolve(run, in, 4 * width, side, 1, stride, computed, walk, false);
    dnn_maps<float> a = convolve(run, in, width, side, 1, stride, computed, walk, true);
    a = convolve(run, a, width, side, 3, 1, computed, walk, true);
    a = convolve(run, a, 4 * width, side, 1, 1, computed, walk, false);
    computed = std::min(computed, 4 * width);
    dnn_maps<float> out(4 * width, side, run.r);
    add_clamped<<<computed, dnn_block(side)>>>(across.dev, a.dev, out.dev, side, dnn_tile(side));
    std::vector<float> expect(computed * out.per_map());
    for (size_t i = 0; i < expect.size(); i++)
        expect[i] = std::max(0.0f, across.host[i] + a.host[i]);
    run.check("add", out, 0, computed, expect);
    return out;
}

int main(int argc, char **argv)
{
    const bool part = dnn_part(argc, argv);
    const suite_size size = part ? SUITE_PAPER : suite_parse_size(argc, argv);
    dnn_run run;
    if (size == SUITE_SMALL) {
        dnn_maps<float> wide(512, 28, run.r);
        const dnn_maps<float> narrow = convolve(run, wide, 256, 14, 1, 2, DNN_ALL, 192, true);
        convolve(run, narrow, 256, 14, 3, 1, DNN_ALL, 48, true);
        return suite_done("resnet", argc, argv, run.bad);
    }
    const bool tiny = size == SUITE_TINY;
    const int maps = tiny ? 1 : part ? 80 : DNN_ALL, walk = part ? 1 : DNN_ALL,
              neurons = tiny ? 4 : part ? 80 : DNN_ALL, inputs = tiny ? 2048 : part ? 512 : DNN_ALL;
    dnn_maps<float> a(1024, 14, run.r);
    if (!tiny) {
        const int first = std::min(maps, 64);
        const dnn_conv_shape c = {3, 224, 64, 112, 7, 2, 3, 3, part ? 1 : 7};
        a = dnn_convolve_rgb(run, "conv1", c, first, false, [=](float *in, float *w, float *, float *out) {
            first_layer<<<first, dnn_block(112)>>>(in, w, out, c, dnn_tile(112));
        });
        norm(run, a, first, true);
        a = dnn_pool(run, "pool1", a, 56, 3, 2, 64);
        a = bottleneck(run, a, 64, 1, maps, walk);
        a = bottleneck(run, a, 128, 2, maps, 2 * walk);
        a = bottleneck(run, a, 256, 2, maps, 4 * walk);
    }
    a = bottleneck(run, a, 512, 2, maps, 8 * walk);
    dnn_maps<float> pooled(2048, 1, run.r);
    pool_average<<<tiny ? 64 : 2048, 1>>>(a.dev, pooled.dev, a.side);
    std::vector<float> expect(tiny ? 64 : 2048);
    for (size_t m = 0; m < expect.size(); m++) {
        double sum = 0;
        for (size_t i = 0; i < a.per_map(); i++)
            sum += a.host[m * a.per_map() + i];
        expect[m] = (float)(sum / (double)a.per_map());
    }
    run.check("average", pooled, 0, (int)expect.size(), expect);
    dnn_connect(run, "classifier", pooled, 1000, neurons, inputs, false);
    return suite_done("resnet", argc, argv, run.bad);
}
