/*
 * Layers of convolutional networks as the Tango suite maps them to threads (Karki et al., "Tango: A Deep Neural Network
 * Benchmark Suite for Various Accelerators", 2019), and their references.
 *
 * AlexNet and ResNet, in float: a block per output map, threadIdx.x is the row and threadIdx.y the column, so that the
 * threads of a warp lie a row apart in memory; maps larger than a block are split into launches with offsets (AlexNet)
 * or a thread computes a square of pixels (ResNet). A thread walks all input maps and the window, clipped at the
 * border. A fully connected neuron is a block of one thread. SqueezeNet's own kernels are in its program.
 *
 * Shapes are the networks': "paper" computes all layers, "small" a layer or two, with all their blocks. Where a layer
 * is too long for a size, its threads walk the first `walk` input maps, which keeps the distances between maps and
 * weights. "part" (dnn_part) computes the first `computed` maps of every layer, blocks of its launch; the other maps of
 * the output hold generated values. Each layer is checked against a reference over what it really read.
 */
#ifndef WEIR_SUITE_DNN_H
#define WEIR_SUITE_DNN_H

#include "suite.h"

#include <algorithm>
#include <vector>

enum { DNN_ALL = 1 << 20 }; /* of a layer's maps, neurons or inputs */

/* NETWORK part: a part of every layer, the launches that silicon/probes measured on the board. */
static inline bool dnn_part(int argc, char **argv)
{
    return argc == 2 && !strcmp(argv[1], "part");
}

/* Maps of side x side, map by map, on the device and the same on the host. */
template <class T> struct dnn_maps {
    int maps, side;
    std::vector<T> host;
    T *dev;

    dnn_maps(int maps_, int side_, suite_rng &r) : maps(maps_), side(side_), host((size_t)maps_ * side_ * side_)
    {
        for (T &x : host)
            x = (T)r.unit();
        dev = suite_to_device(host.data(), host.size());
    }
    size_t per_map() const { return (size_t)side * side; }
};

struct dnn_run {
    suite_rng r{71};
    size_t bad = 0;

    /* Weights that keep the size of what passes through them. */
    template <class T> std::vector<T> weights(size_t n, int fan_in)
    {
        std::vector<T> w(n);
        const float scale = sqrtf(3.0f / (float)fan_in);
        for (T &x : w)
            x = (T)r.range(-scale, scale);
        return w;
    }
    /* After a layer's launches: its first `computed` maps (from `first` on) against the reference. */
    template <class T>
    void check(const char *layer, dnn_maps<T> &out, int first, int computed, const std::vector<T> &expect)
    {
        SUITE_LAUNCHED();
        const size_t at = first * out.per_map(), n = computed * out.per_map();
        suite_to_host(&out.host[at], out.dev + at, n);
        bad += suite_diff(layer, &out.host[at], expect.data(), n, 1e-3, 1e-3);
    }
};

/* A convolution, and how many of its input maps and of the rows of its window are walked. */
struct dnn_conv_shape {
    int in_maps, in_side, out_maps, out_side, kernel, stride, pad, walk, rows;
};

/* The part of a window along one axis that lies inside the input: kernel positions [from, to) at input base + position.
 */
struct dnn_span {
    int base, from, to;
};
static __host__ __device__ inline dnn_span dnn_clip(const dnn_conv_shape &c, int at)
{
    const int base = at * c.stride - c.pad, room = c.in_side - base;
    return {base, base < 0 ? -base : 0, room < c.kernel ? room : c.kernel};
}

/* One pixel; `in` and `w` start at the group's input maps and at the output map's weights. */
template <class T>
static __host__ __device__ inline T dnn_window(const T *in, const T *w, const dnn_conv_shape &c, int row, int col)
{
    const dnn_span y = dnn_clip(c, row), x = dnn_clip(c, col);
    const int to = y.to < c.rows ? y.to : c.rows;
    T sum = 0;
    for (int f = 0; f < c.walk; f++)
        for (int i = y.from; i < to; i++)
            for (int j = x.from; j < x.to; j++)
                sum += in[(f * c.in_side + y.base + i) * c.in_side + x.base + j] * w[(f * c.kernel + i) * c.kernel + j];
    return sum;
}

enum { DNN_THREADS = 1024 }; /* the largest block: the compiler must leave room for it in the register file */

/* What a convolution writes: with a bias also the clamp behind it (AlexNet); ResNet has neither here. */
static __device__ inline void dnn_store(float *out, const float *bias, const dnn_conv_shape &c, int map, int row,
                                        int col, float sum)
{
    if (bias) {
        sum += bias[map];
        sum = sum < 0 ? 0 : sum;
    }
    out[(map * c.out_side + row) * c.out_side + col] = sum;
}

/* A thread computes one pixel. */
__global__ void __launch_bounds__(DNN_THREADS)
    dnn_conv(const float *in, const float *w, const float *bias, float *out, dnn_conv_shape c)
{
    const int map = blockIdx.x, row = threadIdx.x, col = threadIdx.y;
    w += map * c.in_maps * c.kernel * c.kernel;
    dnn_store(out, bias, c, map, row, col, dnn_window(in, w, c, row, col));
}

/* A thread computes tile x tile pixels. */
__global__ void __launch_bounds__(DNN_THREADS)
    dnn_conv_tiled(const float *in, const float *w, const float *bias, float *out, dnn_conv_shape c, int tile)
{
    const int map = blockIdx.x, row0 = threadIdx.x * tile, col0 = threadIdx.y * tile;
    w += map * c.in_maps * c.kernel * c.kernel;
    for (int row = row0; row < row0 + tile && row < c.out_side; row++)
        for (int col = col0; col < col0 + tile && col < c.out_side; col++)
            dnn_store(out, bias, c, map, row, col, dnn_window(in, w, c, row, col));
}

/* Largest value of each window; values are not negative. */
__global__ void __launch_bounds__(DNN_THREADS)
    dnn_pool_max(const float *in, float *out, int in_side, int out_side, int kernel, int stride, int tile)
{
    const int map = blockIdx.x, row0 = threadIdx.x * tile, col0 = threadIdx.y * tile;
    in += map * in_side * in_side;
    for (int row = row0; row < row0 + tile && row < out_side; row++)
        for (int col = col0; col < col0 + tile && col < out_side; col++) {
            float most = 0;
            for (int i = row * stride; i < row * stride + kernel && i < in_side; i++)
                for (int j = col * stride; j < col * stride + kernel && j < in_side; j++)
                    most = in[i * in_side + j] > most ? in[i * in_side + j] : most;
            out[(map * out_side + row) * out_side + col] = most;
        }
}

/* A block of one thread per neuron. */
__global__ void dnn_full(const float *in, const float *w, const float *bias, float *out, int n_in, int walk, int relu)
{
    w += (size_t)blockIdx.x * n_in;
    float sum = 0;
    for (int i = 0; i < walk; i++)
        sum += in[i] * w[i];
    sum += bias[blockIdx.x];
    out[blockIdx.x] = relu && sum < 0 ? 0 : sum;
}

/* ---- layers with their checks ---- */

/* Threads of a block for maps of this side, and the square each computes when they are too many. */
static inline int dnn_tile(int side)
{
    return (side + 31) / 32;
}
static inline dim3 dnn_block(int side)
{
    const int tile = dnn_tile(side), n = (side + tile - 1) / tile;
    return dim3(n, n);
}

/* Convolution in `groups` launches; `computed` maps of each group. Without bias the result is not clamped. */
static inline dnn_maps<float> dnn_convolve(dnn_run &run, const char *name, const dnn_maps<float> &in, int out_maps,
                                           int out_side, int kernel, int stride, int pad, int groups, int computed,
                                           int walk, bool with_bias)
{
    dnn_maps<float> out(out_maps, out_side, run.r);
    const int in_maps = in.maps / groups;
    dnn_conv_shape c = {in_maps, in.side, out_maps / groups,       out_side, kernel,
                        stride,  pad,     std::min(walk, in_maps), kernel};
    computed = std::min(computed, c.out_maps);
    const size_t per_map = (size_t)c.in_maps * kernel * kernel;
    for (int g = 0; g < groups; g++) {
        const std::vector<float> w = run.weights<float>(per_map * computed, (int)per_map),
                                 b = run.weights<float>(computed, 4);
        float *dw = suite_to_device(w.data(), w.size()), *db = suite_to_device(b.data(), b.size());
        const size_t from = g * c.in_maps * in.per_map();
        const float *bias = with_bias ? db : nullptr;
        float *to = out.dev + g * c.out_maps * out.per_map();
        if (dnn_tile(out_side) == 1)
            dnn_conv<<<computed, dnn_block(out_side)>>>(in.dev + from, dw, bias, to, c);
        else
            dnn_conv_tiled<<<computed, dnn_block(out_side)>>>(in.dev + from, dw, bias, to, c, dnn_tile(out_side));
        std::vector<float> expect(computed * out.per_map());
        for (size_t p = 0; p < expect.size(); p++) {
            const int map = (int)(p / out.per_map()), at = (int)(p % out.per_map());
            const float sum = dnn_window(&in.host[from], &w[map * per_map], c, at / out_side, at % out_side);
            expect[p] = with_bias ? std::max(0.0f, sum + b[map]) : sum;
        }
        run.check(name, out, g * c.out_maps, computed, expect);
        cudaFree(dw);
        cudaFree(db);
    }
    return out;
}

/* First layer, over an image of interleaved RGB with planar weights; launch(image, weights, bias, out) starts it. */
template <class Launch>
static inline dnn_maps<float> dnn_convolve_rgb(dnn_run &run, const char *name, const dnn_conv_shape &c, int computed,
                                               bool with_bias, Launch launch)
{
    dnn_maps<float> out(c.out_maps, c.out_side, run.r);
    const dnn_maps<float> image(3, c.in_side, run.r); /* as many values; here they are interleaved */
    const size_t per_map = (size_t)3 * c.kernel * c.kernel;
    const std::vector<float> w = run.weights<float>(per_map * computed, (int)per_map),
                             b = run.weights<float>(computed, 4);
    float *dw = suite_to_device(w.data(), w.size()), *db = suite_to_device(b.data(), b.size());
    launch(image.dev, dw, with_bias ? db : nullptr, out.dev);
    std::vector<float> planar(image.host.size()), expect(computed * out.per_map());
    for (size_t i = 0; i < planar.size(); i++)
        planar[i % 3 * image.per_map() + i / 3] = image.host[i];
    for (size_t p = 0; p < expect.size(); p++) {
        const int map = (int)(p / out.per_map()), at = (int)(p % out.per_map());
        const float sum = dnn_window(planar.data(), &w[map * per_map], c, at / c.out_side, at % c.out_side);
        expect[p] = with_bias ? std::max(0.0f, sum + b[map]) : sum;
    }
    run.check(name, out, 0, computed, expect);
    cudaFree(dw);
    cudaFree(db);
    return out;
}

template <class T>
static inline std::vector<T> dnn_pool_reference(const dnn_maps<T> &in, int out_side, int kernel, int stride,
                                                int computed)
{
    std::vector<T> expect((size_t)computed * out_side * out_side);
    for (size_t p = 0; p < expect.size(); p++) {
        const int map = (int)(p / (out_side * out_side)), at = (int)(p % (out_side * out_side));
        const int row = at / out_side * stride, col = at % out_side * stride;
        for (int i = row; i < row + kernel && i < in.side; i++)
            for (int j = col; j < col + kernel && j < in.side; j++)
                expect[p] = std::max(expect[p], in.host[((size_t)map * in.side + i) * in.side + j]);
    }
    return expect;
}

static inline dnn_maps<float> dnn_pool(dnn_run &run, const char *name, const dnn_maps<float> &in, int out_side,
                                       int kernel, int stride, int computed)
{
    dnn_maps<float> out(in.maps, out_side, run.r);
    computed = std::min(computed, in.maps);
    dnn_pool_max<<<computed, dnn_block(out_side)>>>(in.dev, out.dev, in.side, out_side, kernel, stride,
                                                    dnn_tile(out_side));
    run.check(name, out, 0, computed, dnn_pool_reference(in, out_side, kernel, stride, computed));
    return out;
}

static inline dnn_maps<float> dnn_connect(dnn_run &run, const char *name, const dnn_maps<float> &in, int neurons,
                                          int computed, int walk, bool relu)
{
    dnn_maps<float> out(neurons, 1, run.r);
    const int n_in = (int)in.host.size();
    walk = std::min(walk, n_in);
    computed = std::min(computed, neurons);
    const std::vector<float> w = run.weights<float>((size_t)n_in * computed, n_in), b = run.weights<float>(computed, 4);
    float *dw = suite_to_device(w.data(), w.size()), *db = suite_to_device(b.data(), b.size());
    dnn_full<<<computed, 1>>>(in.dev, dw, db, out.dev, n_in, walk, relu);
    std::vector<float> expect(computed);
    for (int o = 0; o < computed; o++) {
        double sum = b[o];
        for (int i = 0; i < walk; i++)
            sum += (double)in.host[i] * w[(size_t)o * n_in + i];
        expect[o] = relu && sum < 0 ? 0 : (float)sum;
    }
    run.check(name, out, 0, computed, expect);
    cudaFree(dw);
    cudaFree(db);
    return out;
}

#endif
