/*
 * The loss of a text under a GPT-2 model: one forward pass, in the launches of a layer that suite_gpt2.h lists.
 *
 * Origin: new. The model is GPT-2 (Radford and others, 2019) with random weights and a random text. `paper` is the model with
 * 124 million parameters on 512 tokens, half of its longest text. There the CPU computes the first 64 rows, which depend on no later
 * ones, and the last row, from the GPU's keys and values of all others.
 */
#include "../common/suite_gpt2_cpu.h"

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const gpt2_shape shape = suite_pick<gpt2_shape>(size, {2, 128, 250, 128, 1, 128}, {3, 256, 5001, 256, 2, 256},
                                                    {12, 768, 50257, 1024, 1, 512});
    const gpt2_parameters p(shape);
    const std::vector<float> w = gpt2_weights(shape, p);
    std::vector<int> tokens, targets;
    gpt2_text(shape, tokens, targets);
    gpt2_model gpu(shape, w, tokens, targets, false);
    gpu.forward();
    const int rows = shape.rows(), whole = size == SUITE_PAPER ? 64 : rows;
    std::vector<float> losses(rows);
    suite_to_host(losses.data(), gpu.losses, rows);
    gpt2_reference cpu(shape, w);
    cpu.forward(tokens, targets, 0, whole);
    size_t bad = gpt2_diff_losses(losses.data(), cpu.losses.data(), whole);
    if (whole < rows) {
        std::vector<bf16> qkv((size_t)rows * 3 * shape.channels);
        for (int i = 0; i < shape.layers; i++) {
            suite_to_host(qkv.data(), gpu.layer[i].qkv, qkv.size());
            for (size_t x = 0; x < qkv.size(); x++)
                cpu.layer[i].qkv[x] = __bfloat162float(qkv[x]);
        }
        cpu.forward(tokens, targets, rows - 1, 1);
        bad += gpt2_diff_losses(&losses[rows - 1], &cpu.losses[rows - 1], 1);
    }
    for (float loss : losses)
        bad += !(loss > 0 && loss < 100);
    return suite_done("gpt2_forward", argc, argv, bad);
}
