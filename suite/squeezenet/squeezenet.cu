/*
 * SqueezeNet: a convolution, eight fire modules, three poolings, a 1x1 convolution to the classes and their average.
 *
 * Origin: Tango, SqueezeNet (the 1.0 network), in double. A block per column of the map and a thread per row, each
 * thread computes its pixel of all output maps one after another, so that all threads read the same weights and a
 * warp's pixels lie a row apart; windows are tested against the border pixel by pixel. The first layer reads three
 * planes of integers. A pooling starts as many threads as its input has pixels and lets those at odd rows and columns
 * work. A fire module squeezes to few maps by 1x1 and expands by 1x1 and by 3x3 into the two halves of its output.
 * Simplified: weights and image are generated.
 * "paper" is the whole network, about 0.8 billion multiply-adds; "small" the first fire module, all maps; "tiny" one
 * map of each layer of the last one and of the classes; "part" one map of every layer.
 */
#include "../common/suite_dnn.h"

enum { IMAGE = 227, SIDE1 = 111, KERNEL1 = 7 };

__global__ void first_layer(const double *w, const int *red, const int *green, const int *blue, double *out, int maps)
{
    const int row = threadIdx.x, col = blockIdx.x;
    for (int f = 0; f < maps; f++) {
        double sum = 0;
        for (int i = 0; i < KERNEL1; i++)
            for (int j = 0; j < KERNEL1; j++) {
                const int y = 2 * row + i, x = 2 * col + j, at = y * IMAGE + x;
                if (y < IMAGE && x < IMAGE) {
                    const double *k = w + f * 3 * KERNEL1 * KERNEL1 + i * KERNEL1 + j;
                    sum += red[at] * k[0] + green[at] * k[KERNEL1 * KERNEL1] + blue[at] * k[2 * KERNEL1 * KERNEL1];
                }
            }
        out[(f * SIDE1 + row) * SIDE1 + col] = sum < 0 ? 0 : sum;
    }
}

template <int KERNEL>
__global__ void convolve(const double *in, const double *w, double *out, int in_maps, int maps, int side)
{
    const int row = threadIdx.x, col = blockIdx.x;
    for (int f = 0; f < maps; f++) {
        double sum = 0;
        for (int n = 0; n < in_maps; n++)
            for (int i = 0; i < KERNEL; i++)
                for (int j = 0; j < KERNEL; j++) {
                    const int y = row + i - KERNEL / 2, x = col + j - KERNEL / 2;
                    if (y >= 0 && x >= 0 && y < side && x < side)
                        sum += in[(n * side + y) * side + x] * w[((f * in_maps + n) * KERNEL + i) * KERNEL + j];
                }
        out[(f * side + row) * side + col] = sum < 0 ? 0 : sum;
    }
}

__global__ void pool(const double *in, double *out, int maps, int side, int out_side)
{
    const int row = threadIdx.x, col = blockIdx.x;
    for (int f = 0; f < maps; f++) {
        if (row % 2 == 0 || col % 2 == 0)
            continue;
        double most = 0;
        for (int i = row - 1; i <= row + 1 && i < side; i++)
            for (int j = col - 1; j <= col + 1 && j < side; j++)
                most = fmax(most, in[(f * side + i) * side + j]);
        out[(f * out_side + row / 2) * out_side + col / 2] = most;
    }
}

/* A thread per class. */
__global__ void average(const double *in, double *out, int classes, int side)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= classes)
        return;
    double sum = 0;
    for (int i = 0; i < side * side; i++)
        sum += in[c * side * side + i];
    out[c] = sum / (side * side);
}

/* Writes `computed` of the maps from `first` on. */
template <int KERNEL>
static void layer(dnn_run &run, const char *name, const dnn_maps<double> &in, dnn_maps<double> &out, int first,
                  int maps, int computed)
{
    computed = std::min(computed, maps);
    const dnn_conv_shape c = {in.maps, in.side, maps, in.side, KERNEL, 1, KERNEL / 2, in.maps, KERNEL};
    const size_t per_map = (size_t)in.maps * KERNEL * KERNEL;
    const std::vector<double> w = run.weights<double>(per_map * computed, (int)per_map);
    double *dw = suite_to_device(w.data(), w.size());
    convolve<KERNEL><<<in.side, in.side>>>(in.dev, dw, out.dev + first * out.per_map(), in.maps, computed, in.side);
    std::vector<double> expect(computed * out.per_map());
    for (size_t p = 0; p < expect.size(); p++) {
        const int map = (int)(p / out.per_map()), at = (int)(p % out.per_map());
        expect[p] = std::max(0.0, dnn_window(in.host.data(), &w[map * per_map], c, at / in.side, at % in.side));
    }
    run.check(name, out, first, computed, expect);
    cudaFree(dw);
}

static dnn_maps<double> fire(dnn_run &run, const dnn_maps<double> &in, int squeeze, int expand, int computed)
{
    dnn_maps<double> small(squeeze, in.side, run.r), out(2 * expand, in.side, run.r);
    layer<1>(run, "squeeze", in, small, 0, squeeze, computed);
    layer<1>(run, "expand1x1", small, out, 0, expand, computed);
    layer<3>(run, "expand3x3", small, out, expand, expand, computed);
    return out;
}

static dnn_maps<double> pooled(dnn_run &run, const dnn_maps<double> &in, int computed)
{
    const int side = (in.side - 1) / 2;
    dnn_maps<double> out(in.maps, side, run.r);
    computed = std::min(computed, in.maps);
    pool<<<in.side, in.side>>>(in.dev, out.dev, computed, in.side, side);
    run.check("pool", out, 0, computed, dnn_pool_reference(in, side, 3, 2, computed));
    return out;
}

static dnn_maps<double> first(dnn_run &run, int computed)
{
    dnn_maps<double> out(96, SIDE1, run.r);
    computed = std::min(computed, out.maps);
    const dnn_conv_shape c = {3, IMAGE, 96, SIDE1, KERNEL1, 2, 0, 3, KERNEL1};
    std::vector<int> plane[3];
    std::vector<double> image;
    int *d[3];
    for (int k = 0; k < 3; k++) {
        plane[k].resize((size_t)IMAGE * IMAGE);
        for (int &x : plane[k]) {
            x = (int)run.r.below(256) - 128;
            image.push_back(x);
        }
        d[k] = suite_to_device(plane[k].data(), plane[k].size());
    }
    const size_t per_map = 3 * KERNEL1 * KERNEL1;
    std::vector<double> w = run.weights<double>(per_map * computed, (int)per_map);
    for (double &x : w)
        x /= 128;
    double *dw = suite_to_device(w.data(), w.size());
    first_layer<<<SIDE1, SIDE1>>>(dw, d[0], d[1], d[2], out.dev, computed);
    std::vector<double> expect(computed * out.per_map());
    for (size_t p = 0; p < expect.size(); p++) {
        const int map = (int)(p / out.per_map()), at = (int)(p % out.per_map());
        expect[p] = std::max(0.0, dnn_window(image.data(), &w[map * per_map], c, at / SIDE1, at % SIDE1));
    }
    run.check("conv1", out, 0, computed, expect);
    return out;
}

int main(int argc, char **argv)
{
    const bool part = dnn_part(argc, argv);
    const suite_size size = part ? SUITE_PAPER : suite_parse_size(argc, argv);
    dnn_run run;
    if (size == SUITE_SMALL) {
        const dnn_maps<double> in(96, 55, run.r);
        fire(run, in, 16, 64, DNN_ALL);
        return suite_done("squeezenet", argc, argv, run.bad);
    }
    const bool tiny = size == SUITE_TINY;
    const int maps = tiny || part ? 1 : DNN_ALL;
    dnn_maps<double> a(512, 13, run.r);
    if (!tiny) {
        a = pooled(run, first(run, maps), maps);
        a = fire(run, a, 16, 64, maps);
        a = fire(run, a, 16, 64, maps);
        a = pooled(run, fire(run, a, 32, 128, maps), maps);
        a = fire(run, a, 32, 128, maps);
        a = fire(run, a, 48, 192, maps);
        a = fire(run, a, 48, 192, maps);
        a = pooled(run, fire(run, a, 64, 256, maps), maps);
    }
    a = fire(run, a, 64, 256, maps);
    dnn_maps<double> classes(1000, a.side, run.r), result(1000, 1, run.r);
    layer<1>(run, "conv10", a, classes, 0, 1000, maps);
    const int n = tiny ? 32 : 1000;
    average<<<8, 125>>>(classes.dev, result.dev, n, classes.side);
    std::vector<double> expect(n);
    for (int c = 0; c < n; c++) {
        for (size_t i = 0; i < classes.per_map(); i++)
            expect[c] += classes.host[c * classes.per_map() + i];
        expect[c] /= (double)classes.per_map();
    }
    run.check("average", result, 0, n, expect);
    return suite_done("squeezenet", argc, argv, run.bad);
}
