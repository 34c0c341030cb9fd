/*
 * AlexNet: five convolutions, three poolings, three fully connected layers.
 *
 * Origin: Tango, AlexNet (common/suite_dnn.h for the thread mapping). Input 227 x 227 interleaved RGB; convolution 1 in
 * four launches of at most 32 x 32 threads, the others 27 x 27 or 13 x 13 threads a block, 2, 4 and 5 in two groups;
 * local response normalization after the first two with a block per map.
 * Simplified: weights and image are generated; the final softmax, a host function, is left out.
 *
 * "paper" is the whole network, 0.8 billion multiply-adds; "small" the last convolution, all 256 maps over 24 of the
 * 192 input maps of each, and the last layer, 1000 neurons of 4096 inputs; "tiny" parts of layers 1 (of a smaller
 * image), 5 and 8; "part" 80 maps (of each group) and neurons of every layer, so that every core of a machine with 76
 * has a block, over the first row of the first window, 2 input maps of the second convolution, 8 of the others and 512 inputs.
 */
#include "../common/suite_dnn.h"

enum { KERNEL = 11, STRIDE = 4, NORM_WINDOW = 5 };

/* Convolution 1, its shape known to the compiler; (row_at, col_at) is where this launch starts. */
template <int SIDE>
__global__ void __launch_bounds__(DNN_THREADS)
    first_layer(const float *in, const float *w, const float *bias, float *out, int out_side, int row_at, int col_at,
                int rows)
{
    const int map = blockIdx.x, row = threadIdx.x + row_at, col = threadIdx.y + col_at, plane = KERNEL * KERNEL;
    in += (row * STRIDE * SIDE + col * STRIDE) * 3;
    w += map * 3 * plane;
    float sum = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < KERNEL; j++) {
            const float *pixel = in + (i * SIDE + j) * 3, *k = w + i * KERNEL + j;
            sum += pixel[0] * k[0] + pixel[1] * k[plane] + pixel[2] * k[2 * plane];
        }
    sum += bias[map];
    out[(map * out_side + row) * out_side + col] = sum < 0 ? 0 : sum;
}

template <int SIDE> static dnn_maps<float> convolve_first(dnn_run &run, int computed, int rows)
{
    const int out_side = (SIDE - KERNEL) / STRIDE + 1;
    const dnn_conv_shape c = {3, SIDE, 96, out_side, KERNEL, STRIDE, 0, 3, rows};
    return dnn_convolve_rgb(run, "conv1", c, computed, true, [=](float *in, float *w, float *bias, float *out) {
        for (int row = 0; row < out_side; row += 32)
            for (int col = 0; col < out_side; col += 32)
                first_layer<SIDE><<<computed, dim3(std::min(32, out_side - row), std::min(32, out_side - col))>>>(
                    in, w, bias, out, out_side, row, col, rows);
    });
}

/* Divides by a power of the sum of squares of neighboring maps at the same pixel. */
__global__ void __launch_bounds__(DNN_THREADS)
    normalize(const float *in, float *out, int maps, int side, float alpha, float beta, int row_at, int col_at)
{
    const int map = blockIdx.x, pixel = (threadIdx.x + row_at) * side + threadIdx.y + col_at;
    const int first = max(map - NORM_WINDOW / 2, 0), last = min(map + NORM_WINDOW / 2, maps - 1);
    float sum = 0;
    for (int i = first; i <= last; i++)
        sum += in[i * side * side + pixel] * in[i * side * side + pixel];
    out[map * side * side + pixel] = in[map * side * side + pixel] / powf(1 + alpha / NORM_WINDOW * sum, beta);
}

static dnn_maps<float> norm(dnn_run &run, const char *name, const dnn_maps<float> &in, int computed)
{
    dnn_maps<float> out(in.maps, in.side, run.r);
    const float alpha = 1e-4f, beta = 0.75f;
    for (int row = 0; row < in.side; row += 32)
        for (int col = 0; col < in.side; col += 32)
            normalize<<<computed, dim3(std::min(32, in.side - row), std::min(32, in.side - col))>>>(
                in.dev, out.dev, in.maps, in.side, alpha, beta, row, col);
    std::vector<float> expect(computed * in.per_map());
    for (size_t p = 0; p < expect.size(); p++) {
        const int map = (int)(p / in.per_map()), at = (int)(p % in.per_map());
        double sum = 0;
        for (int i = std::max(0, map - 2); i <= std::min(in.maps - 1, map + 2); i++)
            sum += pow(in.host[i * in.per_map() + at], 2);
        expect[p] = (float)(in.host[p] / pow(1 + alpha / NORM_WINDOW * sum, beta));
    }
    run.check(name, out, 0, computed, expect);
    return out;
}

int main(int argc, char **argv)
{
    const bool part = dnn_part(argc, argv);
    const suite_size size = part ? SUITE_PAPER : suite_parse_size(argc, argv);
    dnn_run run;
    if (size == SUITE_TINY) {
        dnn_maps<float> a = convolve_first<59>(run, 1, KERNEL);
        dnn_maps<float> deep(384, 13, run.r), last(4096, 1, run.r);
        a = dnn_convolve(run, "conv5", deep, 256, 13, 3, 1, 1, 2, 1, 192, true);
        a = dnn_pool(run, "pool5", a, 6, 3, 2, 8);
        dnn_connect(run, "fc8", last, 1000, 2, 4096, false);
        return suite_done("alexnet", argc, argv, run.bad);
    }
    if (size == SUITE_SMALL) {
        dnn_maps<float> deep(384, 13, run.r), last(4096, 1, run.r);
        dnn_convolve(run, "conv5", deep, 256, 13, 3, 1, 1, 2, DNN_ALL, 24, true);
        dnn_connect(run, "fc8", last, 1000, DNN_ALL, DNN_ALL, false);
        return suite_done("alexnet", argc, argv, run.bad);
    }
    const int maps = part ? 80 : DNN_ALL, neurons = part ? 80 : DNN_ALL, inputs = part ? 512 : DNN_ALL;
    const int rows = part ? 1 : KERNEL;                              /* of the first window */
    const int walk2 = part ? 2 : DNN_ALL, walk = part ? 8 : DNN_ALL; /* input maps of conv2 and of the others */
    dnn_maps<float> a = convolve_first<227>(run, std::min(maps, 96), rows);
    a = norm(run, "norm1", a, std::min(maps, 96));
    a = dnn_pool(run, "pool1", a, 27, 3, 2, maps);
    a = dnn_convolve(run, "conv2", a, 256, 27, 5, 1, 2, 2, maps, walk2, true);
    a = norm(run, "norm2", a, std::min(maps, 256));
    a = dnn_pool(run, "pool2", a, 13, 3, 2, maps);
    a = dnn_convolve(run, "conv3", a, 384, 13, 3, 1, 1, 1, maps, walk, true);
    a = dnn_convolve(run, "conv4", a, 384, 13, 3, 1, 1, 2, maps, walk, true);
    a = dnn_convolve(run, "conv5", a, 256, 13, 3, 1, 1, 2, maps, walk, true);
    a = dnn_pool(run, "pool5", a, 6, 3, 2, maps);
    a = dnn_connect(run, "fc6", a, 4096, neurons, inputs, true);
    a = dnn_connect(run, "fc7", a, 4096, neurons, inputs, true);
    dnn_connect(run, "fc8", a, 1000, neurons, inputs, false);
    return suite_done("alexnet", argc, argv, run.bad);
}
