/*
 * The CPU's reference of a GPT-2 model, forward and backward: f32 throughout, but for weights, which are bf16 in products
 * as on the GPU. Whatever else the GPU rounds to bf16 is a difference, which gpt2_diff allows for.
 */
#ifndef WEIR_SUITE_GPT2_CPU_H
#define WEIR_SUITE_GPT2_CPU_H

#include "suite_gpt2.h"

static inline float round_bf16(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    u = (u + 0x7fff + (u >> 16 & 1)) & 0xffff0000; /* to nearest, ties to even; no NaN comes here */
    memcpy(&x, &u, 4);
    return x;
}
/* out(i, j) = sum over k of a(i, k) b(k, j), 16 columns at a time; strides say what is next to what. */
static inline void cpu_product(float *out, size_t out_stride, const float *a, size_t a_i, size_t a_k, const float *b,
                               size_t b_k, size_t b_j, bool round_b, int m, int n, int k)
{
    enum { WIDE = 16 };
    std::vector<float> columns((size_t)k * WIDE);
    for (int j = 0; j < n; j += WIDE) {
        for (int x = 0; x < k; x++)
            for (int y = 0; y < WIDE; y++) {
                const float v = b[x * b_k + (j + y) * b_j];
                columns[x * WIDE + y] = round_b ? round_bf16(v) : v;
            }
        for (int i = 0; i < m; i++) {
            float sum[WIDE] = {0};
            for (int x = 0; x < k; x++)
                for (int y = 0; y < WIDE; y++)
                    sum[y] += a[i * a_i + x * a_k] * columns[x * WIDE + y];
            memcpy(out + i * out_stride + j, sum, sizeof sum);
        }
    }
}

struct gpt2_reference {
    const gpt2_shape s;
    const gpt2_parameters p;
    const std::vector<float> &w;
    typedef std::vector<float> rows_of;
    struct kept {
        rows_of in, normed1, mean1, scale1, qkv, heads, log_sums, middle, normed2, mean2, scale2, before_gelu, hidden;
    };
    std::vector<kept> layer;
    rows_of out, normed, mean, scale, logits, losses, gradient;

    gpt2_reference(const gpt2_shape &shape, const std::vector<float> &weights)
        : s(shape), p(shape), w(weights), layer(shape.layers)
    {
        const size_t n = s.rows(), nc = n * s.channels;
        for (kept &l : layer) {
            for (rows_of *x : {&l.in, &l.normed1, &l.heads, &l.middle, &l.normed2})
                x->resize(nc);
            for (rows_of *x : {&l.mean1, &l.scale1, &l.mean2, &l.scale2})
                x->resize(n);
            for (rows_of *x : {&l.before_gelu, &l.hidden})
                x->resize(4 * nc);
            l.qkv.resize(3 * nc);
            l.log_sums.resize(n * s.heads());
        }
        for (rows_of *x : {&out, &normed})
            x->resize(nc);
        for (rows_of *x : {&mean, &scale, &losses})
            x->resize(n);
    }

    /* `count` rows from `first`. Keys and values of earlier rows of their sequences must be in the layers' qkv. */
    void forward(const std::vector<int> &tokens, const std::vector<int> &targets, int first, int count)
    {
        const int c = s.channels, padded = s.padded();
        for (int r = first; r < first + count; r++)
            for (int i = 0; i < c; i++)
                layer[0].in[(size_t)r * c + i] =
                    w[p.tokens + (size_t)tokens[r] * c + i] + w[p.positions + (size_t)(r % s.length) * c + i];
        for (int i = 0; i < s.layers; i++) {
            kept &l = layer[i];
            const gpt2_layer &at = p.layer[i];
            rows_of &next = i + 1 < s.layers ? layer[i + 1].in : out;
            normalize(l.in, at.ln1_gain, at.ln1_bias, l.normed1, l.mean1, l.scale1, first, count);
            linear(l.normed1, at.qkv, at.qkv_bias, l.qkv, 3 * c, c, first, count);
            for (int r = first; r < first + count; r++)
                for (int h = 0; h < s.heads(); h++)
                    attend(l, r, h);
            linear(l.heads, at.proj, at.proj_bias, l.middle, c, c, first, count, &l.in);
            normalize(l.middle, at.ln2_gain, at.ln2_bias, l.normed2, l.mean2, l.scale2, first, count);
            linear(l.normed2, at.fc, at.fc_bias, l.before_gelu, 4 * c, c, first, count);
            for (size_t x = (size_t)first * 4 * c; x < (size_t)(first + count) * 4 * c; x++)
                l.hidden[x] = gelu_of(l.before_gelu[x]);
            linear(l.hidden, at.fc_proj, at.fc_proj_bias, next, c, 4 * c, first, count, &l.middle);
        }
        normalize(out, p.ln_gain, p.ln_bias, normed, mean, scale, first, count);
        logits.assign((size_t)count * padded, 0);
        cpu_product(logits.data(), padded, &normed[(size_t)first * c], c, 1, &w[p.tokens], 1, c, true, count, padded,
                    c);
        for (int r = first; r < first + count; r++) {
            const float *x = &logits[(size_t)(r - first) * padded];
            double sum = 0;
            for (int i = 0; i < s.words; i++)
                sum += exp((double)x[i]);
            losses[r] = (float)(log(sum) - x[targets[r]]);
        }
    }

    /* Of all rows, after their forward pass; the logits become their gradient, and `gradient` is that of the mean loss. */
    void backward(const std::vector<int> &tokens, const std::vector<int> &targets)
    {
        const int n = s.rows(), c = s.channels, padded = s.padded();
        gradient.assign(p.count, 0);
        for (int r = 0; r < n; r++) {
            float *x = &logits[(size_t)r * padded];
            const float log_sum = losses[r] + x[targets[r]];
            for (int i = 0; i < padded; i++)
                x[i] = i < s.words ? (expf(x[i] - log_sum) - (i == targets[r])) / n : 0;
        }
        d_normed.assign((size_t)n * c, 0);
        dx.assign((size_t)n * c, 0);
        d_weight(logits, normed, p.tokens, padded, c);
        d_input(logits, p.tokens, d_normed, padded, c);
        back_through_norm(out, mean, scale, p.ln_gain, p.ln_bias);
        for (int i = s.layers - 1; i >= 0; i--) {
            const gpt2_layer &at = p.layer[i];
            const kept &l = layer[i];
            rows_of d_hidden((size_t)n * 4 * c), d_heads((size_t)n * c), d_qkv((size_t)n * 3 * c);
            d_linear(dx, l.hidden, at.fc_proj, at.fc_proj_bias, d_hidden, c, 4 * c);
            for (size_t x = 0; x < d_hidden.size(); x++)
                d_hidden[x] *= gelu_slope_of(l.before_gelu[x]);
            d_linear(d_hidden, l.normed2, at.fc, at.fc_bias, d_normed, 4 * c, c);
            back_through_norm(l.middle, l.mean2, l.scale2, at.ln2_gain, at.ln2_bias);
            d_linear(dx, l.heads, at.proj, at.proj_bias, d_heads, c, c);
            for (int r = 0; r < n; r++)
                for (int h = 0; h < s.heads(); h++)
                    back_through_attention(l, d_heads, d_qkv, r, h);
            d_linear(d_qkv, l.normed1, at.qkv, at.qkv_bias, d_normed, 3 * c, c);
            back_through_norm(l.in, l.mean1, l.scale1, at.ln1_gain, at.ln1_bias);
        }
        for (int r = 0; r < n; r++)
            for (int i = 0; i < c; i++) {
                gradient[p.tokens + (size_t)tokens[r] * c + i] += dx[(size_t)r * c + i];
                gradient[p.positions + (size_t)(r % s.length) * c + i] += dx[(size_t)r * c + i];
            }
    }

  private:
    rows_of dx, d_normed;

    static float tanh_of(float x) { return tanhf(0.7978845608f * (x + 0.044715f * x * x * x)); }
    static float gelu_of(float x) { return 0.5f * x * (1 + tanh_of(x)); }
    static float gelu_slope_of(float x)
    {
        const float t = tanh_of(x);
        return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x * x);
    }

    /* y = x w^T + bias, of n weights for each of k inputs, and what there is to add. */
    void linear(const rows_of &x, size_t weights, size_t bias, rows_of &y, int n, int k, int first, int count,
                const rows_of *plus = nullptr)
    {
        cpu_product(&y[(size_t)first * n], n, &x[(size_t)first * k], k, 1, &w[weights], 1, k, true, count, n, k);
        for (size_t i = (size_t)first * n; i < (size_t)(first + count) * n; i++) {
            y[i] += w[bias + i % n];
            y[i] += plus ? (*plus)[i] : 0;
        }
    }
    void d_weight(const rows_of &dy, const rows_of &x, size_t weights, int n, int k)
    {
        cpu_product(&gradient[weights], k, dy.data(), 1, n, x.data(), k, 1, false, n, k, s.rows());
    }
    void d_input(const rows_of &dy, size_t weights, rows_of &d, int n, int k)
    {
        cpu_product(d.data(), k, dy.data(), n, 1, &w[weights], k, 1, true, s.rows(), k, n);
    }
    void d_linear(const rows_of &dy, const rows_of &x, size_t weights, size_t bias, rows_of &d, int n, int k)
    {
        for (size_t i = 0; i < dy.size(); i++)
            gradient[bias + i % n] += dy[i];
        d_weight(dy, x, weights, n, k);
        d_input(dy, weights, d, n, k);
    }

    void normalize(const rows_of &x, size_t gain, size_t bias, rows_of &y, rows_of &means, rows_of &scales, int first,
                   int count)
    {
        const int c = s.channels;
        for (int r = first; r < first + count; r++) {
            const float *in = &x[(size_t)r * c];
            double sum = 0, square = 0;
            for (int i = 0; i < c; i++)
                sum += in[i];
            for (int i = 0; i < c; i++)
                square += (in[i] - sum / c) * (in[i] - sum / c);
            means[r] = (float)(sum / c);
            scales[r] = (float)(1 / sqrt(square / c + 1e-5));
            for (int i = 0; i < c; i++)
                y[(size_t)r * c + i] = (in[i] - means[r]) * scales[r] * w[gain + i] + w[bias + i];
        }
    }
    void back_through_norm(const rows_of &x, const rows_of &means, const rows_of &scales, size_t gain, size_t bias)
    {
        const int c = s.channels;
        for (int r = 0; r < s.rows(); r++) {
            const float *in = &x[(size_t)r * c], *dy = &d_normed[(size_t)r * c];
            double sum = 0, dot = 0;
            for (int i = 0; i < c; i++) {
                const float normed = (in[i] - means[r]) * scales[r];
                gradient[gain + i] += dy[i] * normed;
                gradient[bias + i] += dy[i];
                sum += dy[i] * w[gain + i];
                dot += dy[i] * w[gain + i] * normed;
            }
            for (int i = 0; i < c; i++) {
                const float normed = (in[i] - means[r]) * scales[r];
                dx[(size_t)r * c + i] += (float)((dy[i] * w[gain + i] - sum / c - normed * dot / c) * scales[r]);
            }
        }
    }

    static float dot(const float *a, const float *b)
    {
        float sum = 0;
        for (int i = 0; i < HEAD; i++)
            sum += a[i] * b[i];
        return sum;
    }
    void attend(kept &l, int row, int head)
    {
        const int c = s.channels, first = row / s.length * s.length;
        const float *q = &l.qkv[(size_t)row * 3 * c + head * HEAD];
        std::vector<float> score;
        float top = -INFINITY, sum = 0, o[HEAD] = {0};
        for (int j = first; j <= row; j++) {
            score.push_back(dot(q, &l.qkv[(size_t)j * 3 * c + c + head * HEAD]) / 8);
            top = fmaxf(top, score.back());
        }
        for (int j = first; j <= row; j++) {
            const float share = expf(score[j - first] - top);
            sum += share;
            for (int i = 0; i < HEAD; i++)
                o[i] += share * l.qkv[(size_t)j * 3 * c + 2 * c + head * HEAD + i];
        }
        for (int i = 0; i < HEAD; i++)
            l.heads[(size_t)row * c + head * HEAD + i] = o[i] / sum;
        l.log_sums[(size_t)row * s.heads() + head] = top + logf(sum);
    }
    void back_through_attention(const kept &l, const rows_of &d_heads, rows_of &d_qkv, int row, int head)
    {
        const int c = s.channels, first = row / s.length * s.length;
        const size_t of_head = (size_t)head * HEAD, at = (size_t)row * 3 * c + of_head;
        const float *q = &l.qkv[at], *d_o = &d_heads[(size_t)row * c + of_head];
        const float mean_of_row = dot(d_o, &l.heads[(size_t)row * c + of_head]);
        for (int j = first; j <= row; j++) {
            const size_t key = (size_t)j * 3 * c + c + of_head, value = key + c;
            const float share = expf(dot(q, &l.qkv[key]) / 8 - l.log_sums[(size_t)row * s.heads() + head]);
            const float ds = share * (dot(d_o, &l.qkv[value]) - mean_of_row) / 8;
            for (int i = 0; i < HEAD; i++) {
                d_qkv[value + i] += share * d_o[i];
                d_qkv[at + i] += ds * l.qkv[key + i];
                d_qkv[key + i] += ds * q[i];
            }
        }
    }
};

/*
 * Rounding to bf16 changes a value by at most 2^-9 of it. On the way through a layer and back, or to the logits and back,
 * two dozen values are rounded one after the other, with independent errors: the root mean square of a tensor's errors is
 * below that of the tensor times 2^-9 and the root of their number. Single errors are up to ten times as large.
 */
static inline size_t gpt2_diff(const gpt2_shape &s, const char *what, const float *got, const float *expected, size_t n)
{
    const double allowed = sqrt(24.0 * (s.layers + 1)) / 512;
    double square = 0, error = 0;
    for (size_t i = 0; i < n; i++) {
        square += (double)expected[i] * expected[i];
        error += ((double)got[i] - expected[i]) * ((double)got[i] - expected[i]);
    }
    const double size = sqrt(square / n), wrong = sqrt(error / n);
    if (!(wrong <= allowed * size)) {
        fprintf(stderr, "%s differs by %.3g of %.3g\n", what, wrong, size);
        return 1;
    }
    return suite_diff(what, got, expected, n, 0, 16 * allowed * size);
}
/* Losses are of the order of 10, from logits of which each is rounded. */
static inline size_t gpt2_diff_losses(const float *got, const float *expected, size_t n)
{
    const double allowed = 1.0 / 32;
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += (got[i] - expected[i]) / n;
    if (!(fabs(mean) <= allowed / sqrt((double)n))) {
        fprintf(stderr, "the mean loss is off by %.3g\n", mean);
        return 1;
    }
    return suite_diff("loss", got, expected, n, 0, allowed);
}

#endif
