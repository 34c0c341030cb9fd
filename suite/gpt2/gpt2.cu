/*
 * Training of a GPT-2 model: steps of forward pass, cross entropy, backward pass and AdamW with a clipped gradient.
 *
 * Origin: new. The model is GPT-2 (Radford and others, 2019) with random weights and a random text. `paper` is one step of
 * the model with 124 million parameters on 64 tokens; GPT-2 was trained on batches of 512 texts of 1024. Checked are the
 * loss of every row, every gradient, the moments and the parameters.
 */
#include "../common/suite_gpt2_cpu.h"

static std::vector<float> read(const float *from, const gpt2_tensor &t)
{
    std::vector<float> host(t.count);
    suite_to_host(host.data(), from + t.first, t.count);
    return host;
}

/* What AdamW makes of parameters, in f64 from the GPU's own gradient, whose norm decides how much it is scaled. */
struct cpu_update {
    const adamw o;
    const int step;
    double norm = 0;

    void add(const std::vector<float> &gradient)
    {
        for (float g : gradient)
            norm += (double)g * g;
    }
    /* w, m and v become those behind the step. f32 has 2^-24; a quotient and a root of f32 sums stay within 10^-5. */
    size_t diff(const gpt2_model &gpu, const gpt2_tensor &t, float *w, std::vector<float> &m,
                std::vector<float> &v) const
    {
        const std::vector<float> g = read(gpu.gradient, t);
        const double scale = fmin(1, o.clip / sqrt(norm)), decay = t.first < gpu.p.decayed ? o.decay : 0;
        for (size_t i = 0; i < t.count; i++) {
            const double d = g[i] * scale, mi = o.beta1 * m[i] + (1.0 - o.beta1) * d,
                         vi = o.beta2 * v[i] + (1.0 - o.beta2) * d * d;
            const double change = mi / (1 - pow(o.beta1, step)) / (sqrt(vi / (1 - pow(o.beta2, step))) + o.epsilon);
            m[i] = (float)mi;
            v[i] = (float)vi;
            w[i] = (float)(w[i] - o.rate * (change + decay * w[i]));
        }
        return suite_diff((t.name + ", first moment").c_str(), read(gpu.m, t).data(), m.data(), t.count, 1e-5, 1e-9) +
               suite_diff((t.name + ", second moment").c_str(), read(gpu.v, t).data(), v.data(), t.count, 1e-5, 1e-18) +
               suite_diff((t.name + ", updated").c_str(), read(gpu.w, t).data(), w, t.count, 1e-6, 1e-4 * o.rate);
    }
};

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const gpt2_shape shape = suite_pick<gpt2_shape>(size, {1, 128, 100, 64, 1, 64}, {2, 256, 1001, 160, 2, 128},
                                                    {12, 768, 50257, 1024, 1, 64});
    const int steps = suite_pick(size, 1, 2, 1);
    const gpt2_parameters p(shape);
    std::vector<float> w = gpt2_weights(shape, p);
    std::vector<int> tokens, targets;
    gpt2_text(shape, tokens, targets);
    gpt2_model gpu(shape, w, tokens, targets, true);
    gpt2_reference cpu(shape, w);
    std::vector<std::vector<float>> m(p.tensors.size()), v(m.size());
    std::vector<float> losses(shape.rows());
    float before = INFINITY;
    size_t bad = 0;
    for (int step = 1; step <= steps; step++) {
        cpu_update update = {{3e-4f, 0.9f, 0.95f, 1e-8f, 0.1f, 1.0f}, step};
        gpu.forward();
        gpu.backward();
        gpu.update(update.o, step);
        cpu.forward(tokens, targets, 0, shape.rows());
        cpu.backward(tokens, targets);
        suite_to_host(losses.data(), gpu.losses, losses.size());
        bad += gpt2_diff_losses(losses.data(), cpu.losses.data(), losses.size());
        for (const gpt2_tensor &t : p.tensors) {
            const std::vector<float> gradient = read(gpu.gradient, t);
            update.add(gradient);
            for (size_t i = 0; i < t.count; i += t.part)
                bad += gpt2_diff(shape, t.name.c_str(), &gradient[i], &cpu.gradient[t.first + i], t.part);
        }
        for (size_t i = 0; i < p.tensors.size(); i++) {
            const gpt2_tensor &t = p.tensors[i];
            m[i].resize(t.count);
            v[i].resize(t.count);
            bad += update.diff(gpu, t, &w[t.first], m[i], v[i]);
            if (step == steps) {
                m[i].clear(), m[i].shrink_to_fit();
                v[i].clear(), v[i].shrink_to_fit();
            }
        }
        float loss = 0;
        for (float x : losses)
            loss += x / losses.size();
        if (!(loss < before)) {
            fprintf(stderr, "the loss is %g after a step, %g before\n", loss, before);
            bad++;
        }
        before = loss;
    }
    return suite_done("gpt2", argc, argv, bad);
}
