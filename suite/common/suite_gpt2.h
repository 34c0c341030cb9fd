/*
 * A GPT-2 model on the GPU: its parameters in one array, what a pass keeps, and the launches of a forward pass, a backward
 * pass and an update. The kernels are in suite_gpt2_kernels.h.
 */
#ifndef WEIR_SUITE_GPT2_H
#define WEIR_SUITE_GPT2_H

#include "suite_gpt2_kernels.h"

#include <algorithm>
#include <string>
#include <vector>

struct gpt2_shape {
    int layers, channels, words, positions; /* positions: rows of the table of positions */
    int sequences, length;                  /* of this run */
    int heads() const { return channels / HEAD; }
    int rows() const { return sequences * length; }
    int padded() const { return (words + 127) / 128 * 128; } /* columns of logits */
};

/* Where each parameter starts. Matrices, as rows of their inputs' weights, come first: only they decay. */
struct gpt2_layer {
    size_t qkv, proj, fc, fc_proj;
    size_t ln1_gain, ln1_bias, qkv_bias, proj_bias, ln2_gain, ln2_bias, fc_bias, fc_proj_bias;
};
struct gpt2_tensor {
    std::string name;
    size_t first, count, part; /* part: of what gradients are of one size, a row of a table and otherwise all */
};
struct gpt2_parameters {
    size_t tokens, positions, ln_gain, ln_bias, decayed, count = 0;
    std::vector<gpt2_layer> layer;
    std::vector<gpt2_tensor> tensors;

    explicit gpt2_parameters(const gpt2_shape &s) : layer(s.layers)
    {
        const size_t c = s.channels;
        add(tokens, "token table", s.padded() * c);
        add(positions, "position table", s.positions * c);
        tensors[0].part = tensors[1].part = c;
        for (int i = 0; i < s.layers; i++) {
            add(layer[i].qkv, "qkv", 3 * c * c, i);
            add(layer[i].proj, "projection", c * c, i);
            add(layer[i].fc, "fc", 4 * c * c, i);
            add(layer[i].fc_proj, "fc projection", 4 * c * c, i);
        }
        decayed = count;
        for (int i = 0; i < s.layers; i++) {
            add(layer[i].ln1_gain, "layer norm 1 gain", c, i);
            add(layer[i].ln1_bias, "layer norm 1 bias", c, i);
            add(layer[i].qkv_bias, "qkv bias", 3 * c, i);
            add(layer[i].proj_bias, "projection bias", c, i);
            add(layer[i].ln2_gain, "layer norm 2 gain", c, i);
            add(layer[i].ln2_bias, "layer norm 2 bias", c, i);
            add(layer[i].fc_bias, "fc bias", 4 * c, i);
            add(layer[i].fc_proj_bias, "fc projection bias", c, i);
        }
        add(ln_gain, "last layer norm gain", c);
        add(ln_bias, "last layer norm bias", c);
    }

  private:
    void add(size_t &first, const char *name, size_t n, int in_layer = -1)
    {
        first = count;
        count += n;
        tensors.push_back({in_layer < 0 ? name : "layer " + std::to_string(in_layer) + " " + name, first, n, n});
    }
};

/*
 * Weights of variance 1 / channels, so that attention is not uniform and every path has a gradient to check; those that
 * write to the residual stream are smaller by the root of their number, as GPT-2's are. A biased gain or bias shows up.
 */
static inline std::vector<float> gpt2_weights(const gpt2_shape &s, const gpt2_parameters &p)
{
    std::vector<float> w(p.count);
    suite_rng r(37);
    auto fill = [&](size_t first, size_t n, float mean, float deviation) {
        for (size_t i = 0; i < n; i++) { /* the sum of four 16-bit numbers, each of variance 2^32 / 12 */
            const uint64_t x = r.next();
            const float sum = (float)((x & 0xffff) + (x >> 16 & 0xffff) + (x >> 32 & 0xffff) + (x >> 48)) - 131070.0f;
            w[first + i] = mean + sum * (deviation / 37837.0f);
        }
    };
    const size_t c = s.channels;
    const float usual = 1 / sqrtf((float)c), residual = usual / sqrtf(2.0f * s.layers);
    fill(p.tokens, s.words * c, 0, usual);
    fill(p.positions, s.positions * c, 0, usual / 2);
    for (const gpt2_layer &l : p.layer) {
        fill(l.qkv, 3 * c * c, 0, usual);
        fill(l.proj, c * c, 0, residual);
        fill(l.fc, 4 * c * c, 0, usual);
        fill(l.fc_proj, 4 * c * c, 0, residual / 2);
        for (size_t gain : {l.ln1_gain, l.ln2_gain})
            fill(gain, c, 1, 0.1f);
        for (size_t bias : {l.ln1_bias, l.proj_bias, l.ln2_bias, l.fc_proj_bias})
            fill(bias, c, 0, 0.1f);
        fill(l.qkv_bias, 3 * c, 0, 0.1f);
        fill(l.fc_bias, 4 * c, 0, 0.1f);
    }
    fill(p.ln_gain, c, 1, 0.1f);
    fill(p.ln_bias, c, 0, 0.1f);
    return w;
}

/* A text of random words, and at each of its positions the next word. */
static inline void gpt2_text(const gpt2_shape &s, std::vector<int> &tokens, std::vector<int> &targets)
{
    suite_rng r(41);
    for (int i = 0; i < s.sequences; i++) {
        int word = (int)r.below(s.words);
        for (int t = 0; t < s.length; t++) {
            tokens.push_back(word);
            targets.push_back(word = (int)r.below(s.words));
        }
    }
}

template <bool A_T, bool B_T, class OUT>
static inline void launch_product(int m, int n, int k, const bf16 *a, int a_stride, const bf16 *b, int b_stride,
                                  OUT out)
{
    if (m % 128 == 0 && n % 128 == 0 && (long)m * n >= 128 * 128 * 64) /* CTAs for 64 SMs */
        product<large_tiles, A_T, B_T>
            <<<dim3(m / 128, n / 128), large_tiles::THREADS>>>(a, a_stride, b, b_stride, k, out);
    else
        product<small_tiles, A_T, B_T>
            <<<dim3(m / 64, n / 64), small_tiles::THREADS>>>(a, a_stride, b, b_stride, k, out);
    SUITE_CUDA(cudaGetLastError());
}
/* The three products of a layer of n weights for each of k inputs: y = x w^T, dx = dy w, dw = dy^T x. */
template <class OUT> static inline void launch_forward(int rows, int n, int k, const bf16 *x, const bf16 *w, OUT out)
{
    launch_product<false, false>(rows, n, k, x, k, w, k, out);
}
template <class OUT> static inline void launch_d_input(int rows, int n, int k, const bf16 *dy, const bf16 *w, OUT out)
{
    launch_product<false, true>(rows, k, n, dy, n, w, k, out);
}
static inline void launch_d_weight(int rows, int n, int k, const bf16 *dy, const bf16 *x, float *dw)
{
    launch_product<true, true>(n, k, rows, dy, n, x, k, to_f32{dw, k});
}

struct gpt2_model {
    const gpt2_shape s;
    const gpt2_parameters p;
    /* What a layer keeps for the backward pass: its input, what products multiply, and what is in the middle of it. */
    struct kept {
        float *in, *middle, *log_sums;
        float2 *moments1, *moments2;
        bf16 *normed1, *qkv, *heads, *normed2, *before_gelu, *hidden;
    };
    std::vector<kept> layer;
    int *tokens, *targets;
    float *w, *out, *losses, *gradient = nullptr, *m, *v, *dx, *d_normed, *means, *norm;
    float2 *moments;
    bf16 *rounded, *normed, *logits, *dx_rounded, *d_heads, *d_qkv, *d_hidden;

    gpt2_model(const gpt2_shape &shape, const std::vector<float> &weights, const std::vector<int> &text,
               const std::vector<int> &next, bool training)
        : s(shape), p(shape), layer(shape.layers)
    {
        const size_t n = s.rows(), nc = n * s.channels;
        tokens = make(text);
        targets = make(next);
        w = make(weights);
        std::vector<bf16> in_bf16(weights.size());
        for (size_t i = 0; i < weights.size(); i++)
            in_bf16[i] = __float2bfloat16(weights[i]);
        rounded = make(in_bf16);
        for (size_t i = 0; i < layer.size();
             i++) { /* without a backward pass all share one layer's, but for keys and values */
            kept &l = layer[i];
            if (i == 0 || training) {
                const size_t rows_of_heads = n * s.heads();
                l = {make<float>(nc), make<float>(nc), make<float>(rows_of_heads)};
                l.moments1 = training ? make<float2>(n) : nullptr;
                l.moments2 = training ? make<float2>(n) : nullptr;
                l.normed1 = make<bf16>(nc);
                l.heads = make<bf16>(nc);
                l.normed2 = make<bf16>(nc);
                l.before_gelu = training ? make<bf16>(4 * nc) : nullptr;
                l.hidden = make<bf16>(4 * nc);
            } else {
                l = layer[0];
            }
            l.qkv = make<bf16>(3 * nc);
        }
        out = training ? make<float>(nc) : layer[0].in;
        normed = make<bf16>(nc);
        logits = make<bf16>(n * s.padded());
        losses = make<float>(n);
        moments = training ? make<float2>(n) : nullptr;
        if (!training)
            return;
        for (float **x : {&gradient, &m, &v}) {
            *x = make<float>(p.count);
            SUITE_CUDA(cudaMemset(*x, 0, p.count * sizeof **x));
        }
        dx = make<float>(nc);
        dx_rounded = make<bf16>(nc);
        d_normed = make<float>(nc);
        d_heads = make<bf16>(nc);
        d_qkv = make<bf16>(3 * nc);
        d_hidden = make<bf16>(4 * nc);
        means = make<float>(n * s.heads());
        norm = make<float>(NORM_CTAS + 1); /* partial sums, then the scale */
    }

    gpt2_model(const gpt2_model &) = delete;
    ~gpt2_model()
    {
        for (void *x : owned)
            SUITE_CUDA(cudaFree(x));
    }

    void forward()
    {
        const int n = s.rows(), c = s.channels;
        embed<<<n * c / 4 / 64, 64>>>(tokens, w + p.tokens, w + p.positions, layer[0].in, s.length, c);
        for (int i = 0; i < s.layers; i++) {
            const gpt2_layer &at = p.layer[i];
            const kept &l = layer[i];
            float *next = i + 1 < s.layers ? layer[i + 1].in : out;
            layer_norm<<<n / 4, 128>>>(l.in, w + at.ln1_gain, w + at.ln1_bias, l.normed1, l.moments1, c);
            launch_forward(n, 3 * c, c, l.normed1, rounded + at.qkv, plus_bias{l.qkv, w + at.qkv_bias, 3 * c});
            attention<<<dim3(s.length / 64, s.heads(), s.sequences), 128>>>(l.qkv, l.heads, l.log_sums, s.length, c);
            launch_forward(n, c, c, l.heads, rounded + at.proj, plus_residual{l.middle, l.in, w + at.proj_bias, c});
            layer_norm<<<n / 4, 128>>>(l.middle, w + at.ln2_gain, w + at.ln2_bias, l.normed2, l.moments2, c);
            launch_forward(n, 4 * c, c, l.normed2, rounded + at.fc,
                           through_gelu{l.hidden, l.before_gelu, w + at.fc_bias, 4 * c});
            launch_forward(n, c, 4 * c, l.hidden, rounded + at.fc_proj,
                           plus_residual{next, l.middle, w + at.fc_proj_bias, c});
        }
        layer_norm<<<n / 4, 128>>>(out, w + p.ln_gain, w + p.ln_bias, normed, moments, c);
        launch_forward(n, s.padded(), c, normed, rounded + p.tokens, to_bf16{logits, s.padded()});
        cross_entropy<<<n, std::max(32, std::min(256, s.padded() / 8))>>>(logits, targets, losses, s.words, s.padded(),
                                                                          gradient != nullptr);
        SUITE_LAUNCHED();
    }

    /* dx, and for products dx_rounded, is the gradient of the residual stream, from its end to its beginning. */
    void backward()
    {
        const int n = s.rows(), c = s.channels;
        float *g = gradient;
        launch_d_weight(n, s.padded(), c, logits, normed, g + p.tokens);
        launch_d_input(n, s.padded(), c, logits, rounded + p.tokens, to_f32{d_normed, c});
        SUITE_CUDA(cudaMemset(dx, 0, (size_t)n * c * sizeof *dx));
        back_through_norm(out, p.ln_gain, p.ln_bias, moments);
        for (int i = s.layers - 1; i >= 0; i--) {
            const gpt2_layer &at = p.layer[i];
            const kept &l = layer[i];
            bias_gradient<<<c / 32, COLUMN_WARPS * 32>>>(dx_rounded, g + at.fc_proj_bias, n, c);
            launch_d_weight(n, c, 4 * c, dx_rounded, l.hidden, g + at.fc_proj);
            launch_d_input(n, c, 4 * c, dx_rounded, rounded + at.fc_proj,
                           back_through_gelu{d_hidden, l.before_gelu, 4 * c});
            bias_gradient<<<4 * c / 32, COLUMN_WARPS * 32>>>(d_hidden, g + at.fc_bias, n, 4 * c);
            launch_d_weight(n, 4 * c, c, d_hidden, l.normed2, g + at.fc);
            launch_d_input(n, 4 * c, c, d_hidden, rounded + at.fc, to_f32{d_normed, c});
            back_through_norm(l.middle, at.ln2_gain, at.ln2_bias, l.moments2);
            bias_gradient<<<c / 32, COLUMN_WARPS * 32>>>(dx_rounded, g + at.proj_bias, n, c);
            launch_d_weight(n, c, c, dx_rounded, l.heads, g + at.proj);
            launch_d_input(n, c, c, dx_rounded, rounded + at.proj, to_bf16{d_heads, c});
            const dim3 tiles(s.length / 64, s.heads(), s.sequences);
            attention_means<<<n * s.heads() / 4, 128>>>(d_heads, l.heads, means);
            attention_d_queries<<<tiles, 128>>>(l.qkv, d_heads, l.log_sums, means, d_qkv, s.length, c);
            attention_d_keys<<<tiles, 128>>>(l.qkv, d_heads, l.log_sums, means, d_qkv, s.length, c);
            bias_gradient<<<3 * c / 32, COLUMN_WARPS * 32>>>(d_qkv, g + at.qkv_bias, n, 3 * c);
            launch_d_weight(n, 3 * c, c, d_qkv, l.normed1, g + at.qkv);
            launch_d_input(n, 3 * c, c, d_qkv, rounded + at.qkv, to_f32{d_normed, c});
            back_through_norm(l.in, at.ln1_gain, at.ln1_bias, l.moments1);
        }
        embed_d_tokens<<<n / 4, 128>>>(tokens, dx, g + p.tokens, n, c);
        embed_d_positions<<<s.length * c / 128, 128>>>(dx, g + p.positions, s.sequences, s.length * c);
        SUITE_LAUNCHED();
    }

    void update(const adamw &o, int step)
    {
        const int quads = (int)(p.count / 4), ctas = std::min<int>(NORM_CTAS, quads / NORM_THREADS / 16 + 1);
        square_sums<<<ctas, NORM_THREADS>>>((const float4 *)gradient, quads, norm);
        clip_scale<<<1, NORM_THREADS>>>(norm, ctas, o.clip, norm + NORM_CTAS);
        update_parameters<<<(quads + 255) / 256, 256>>>((float4 *)w, (bf162 *)rounded, (float4 *)m, (float4 *)v,
                                                        (const float4 *)gradient, norm + NORM_CTAS, quads,
                                                        (int)(p.decayed / 4), adamw_step(o, step));
        SUITE_LAUNCHED();
    }

  private:
    std::vector<void *> owned;

    template <class T> T *make(size_t n)
    {
        owned.push_back(suite_device<T>(n));
        return (T *)owned.back();
    }
    template <class T> T *make(const std::vector<T> &host)
    {
        owned.push_back(suite_to_device(host.data(), host.size()));
        return (T *)owned.back();
    }
    void back_through_norm(const float *in, size_t gain, size_t bias, const float2 *at)
    {
        const int n = s.rows(), c = s.channels;
        layer_norm_d_parameters<<<c / 32, COLUMN_WARPS * 32>>>(d_normed, in, at, gradient + gain, gradient + bias, n,
                                                               c);
        layer_norm_d_input<<<n / 4, 128>>>(d_normed, in, w + gain, at, dx, dx_rounded, c);
    }
};

#endif
