/*
 * Connected components of an image by label equivalence.
 *
 * Origin: the graph applications of Xu, Jeon and Annavaram (2014), CCL: what CAPS cites for its CCL, and by the same group
 * as APCM. One thread per pixel, 256 threads per block, a square grid of blocks. Each round: a pixel whose four
 * neighbors of similar color have a lower label notes the lowest for its own label in a second array; roots follow that
 * array to its end; every pixel takes its label's root. Rounds repeat until no pixel finds a lower label.
 * Input: an image of colored cells with ragged borders. The original's picture is not at hand; "paper" is 1024 x 1024.
 */
#include "../common/suite.h"

#include <vector>

enum { BLOCK = 256 };

static __host__ __device__ inline bool similar(int a, int b, int threshold)
{
    return (a > b ? a - b : b - a) <= threshold;
}

static __device__ inline int pixel()
{
    return (int)(blockIdx.x * blockDim.x + blockIdx.y * blockDim.x * gridDim.x + threadIdx.x);
}

__global__ void initialize(int *label, int *lower, int n)
{
    int p = pixel();
    if (p < n)
        label[p] = lower[p] = p;
}

__global__ void scan_neighbors(const int *image, const int *label, int *lower, bool *again, int n, int width, int threshold)
{
    int p = pixel();
    if (p >= n)
        return;
    int mine = image[p], least = n, column = p % width;
    if (p >= width && similar(mine, image[p - width], threshold))
        least = min(least, label[p - width]);
    if (p + width < n && similar(mine, image[p + width], threshold))
        least = min(least, label[p + width]);
    if (column > 0 && similar(mine, image[p - 1], threshold))
        least = min(least, label[p - 1]);
    if (column + 1 < width && similar(mine, image[p + 1], threshold))
        least = min(least, label[p + 1]);
    if (least < label[p]) {
        lower[label[p]] = least;
        *again = true;
    }
}

__global__ void follow(const int *label, int *lower, int n)
{
    int p = pixel();
    if (p >= n || label[p] != p)
        return;
    int at, next = p;
    do {
        at = next;
        next = lower[at];
    } while (at != next);
    lower[p] = next;
}

__global__ void relabel(int *label, const int *lower, int n)
{
    int p = pixel();
    if (p < n)
        label[p] = lower[lower[label[p]]];
}

int main(int argc, char **argv)
{
    int width = suite_pick(suite_parse_size(argc, argv), 64, 448, 1024), n = width * width;
    const int threshold = 10, cell = 24;
    std::vector<int> image(n), got(n), expect(n, -1);
    suite_rng r(409);
    for (int p = 0; p < n; p++) {
        int x = p % width + (int)r.below(5), y = p / width + (int)r.below(5); /* ragged borders */
        image[p] = (x / cell * 31 + y / cell * 17) % 8 * 32 + (int)r.below(threshold);
    }
    int *d_image = suite_to_device(image.data(), n), *d_label = suite_device<int>(n), *d_lower = suite_device<int>(n);
    bool *d_again = suite_device<bool>(1), again;
    unsigned side = (unsigned)sqrt((double)n / BLOCK) + 1;
    dim3 grid(side, side);
    initialize<<<grid, BLOCK>>>(d_label, d_lower, n);
    do {
        again = false;
        SUITE_CUDA(cudaMemcpy(d_again, &again, sizeof again, cudaMemcpyHostToDevice));
        scan_neighbors<<<grid, BLOCK>>>(d_image, d_label, d_lower, d_again, n, width, threshold);
        SUITE_LAUNCHED();
        suite_to_host(&again, d_again, 1);
        if (again) {
            follow<<<grid, BLOCK>>>(d_label, d_lower, n);
            relabel<<<grid, BLOCK>>>(d_label, d_lower, n);
            SUITE_LAUNCHED();
        }
    } while (again);
    suite_to_host(got.data(), d_label, n);
    std::vector<int> stack;
    for (int s = 0; s < n; s++) { /* a component's label is its first pixel */
        if (expect[s] >= 0)
            continue;
        stack.push_back(s);
        expect[s] = s;
        while (!stack.empty()) {
            int p = stack.back(), column = p % width;
            stack.pop_back();
            auto visit = [&](int q) {
                if (expect[q] < 0 && similar(image[p], image[q], threshold)) {
                    expect[q] = s;
                    stack.push_back(q);
                }
            };
            if (p >= width)
                visit(p - width);
            if (p + width < n)
                visit(p + width);
            if (column > 0)
                visit(p - 1);
            if (column + 1 < width)
                visit(p + 1);
        }
    }
    return suite_done("labels", argc, argv, suite_diff_exact("label", got.data(), expect.data(), n));
}
