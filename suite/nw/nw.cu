/*
 * Global alignment of two sequences (Needleman-Wunsch).
 *
 * Origin: Rodinia 3.1, nw. The score matrix is swept in tiles of 16 x 16, one launch per anti-diagonal of tiles, 16
 * threads per block; inside a tile threads sweep its anti-diagonals in shared memory. Two kernels: the upper left and
 * the lower right half. Original 2048 x 2048, penalty 10, which is "paper"; "small" stops after the first 96 of the
 * 255 anti-diagonals.
 */
#include "../common/suite.h"

#include <algorithm>
#include <vector>

enum { TILE = 16 };

static __device__ void tile(const int *reference, int *score, int cols, int penalty, int bx, int by)
{
    __shared__ int temp[TILE + 1][TILE + 1], ref[TILE][TILE];
    int tx = threadIdx.x;
    int corner = cols * TILE * by + TILE * bx; /* score above and left of the tile */
    if (tx == 0)
        temp[0][0] = score[corner];
    for (int ty = 0; ty < TILE; ty++)
        ref[ty][tx] = reference[corner + cols * (ty + 1) + tx + 1];
    __syncthreads();
    temp[tx + 1][0] = score[corner + cols * (tx + 1)];
    __syncthreads();
    temp[0][tx + 1] = score[corner + tx + 1];
    __syncthreads();
    for (int m = 0; m < 2 * TILE - 1; m++) {
        int x = m < TILE ? tx + 1 : tx + m - TILE + 2, y = m < TILE ? m - tx + 1 : TILE - tx;
        if (m < TILE ? tx <= m : tx <= 2 * TILE - 2 - m)
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        __syncthreads();
    }
    for (int ty = 0; ty < TILE; ty++)
        score[corner + cols * (ty + 1) + tx + 1] = temp[ty + 1][tx + 1];
}

__global__ void upper_left(const int *reference, int *score, int cols, int penalty, int diagonal)
{
    tile(reference, score, cols, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);
}

__global__ void lower_right(const int *reference, int *score, int cols, int penalty, int diagonal, int tiles)
{
    tile(reference, score, cols, penalty, blockIdx.x + tiles - diagonal, tiles - 1 - blockIdx.x);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 128, 2048, 2048), cols = n + 1, penalty = 10, tiles = n / TILE;
    int launches = suite_pick(size, 2 * tiles - 1, 96, 2 * tiles - 1);
    std::vector<int> ref((size_t)cols * cols, 0), score((size_t)cols * cols, 0), got(score.size());
    suite_rng r(43);
    std::vector<int> a(cols), b(cols);
    for (int i = 1; i < cols; i++) {
        a[i] = (int)r.below(10);
        b[i] = (int)r.below(10);
    }
    for (int i = 1; i < cols; i++)
        for (int j = 1; j < cols; j++) /* a substitution table: matches are good, the rest random but fixed */
            ref[(size_t)i * cols + j] = a[i] == b[j] ? 5 + a[i] % 4 : -(a[i] * 3 + b[j] * 5) % 5;
    for (int i = 1; i < cols; i++)
        score[(size_t)i * cols] = score[i] = -i * penalty;
    int *dref = suite_to_device(ref.data(), ref.size()), *dscore = suite_to_device(score.data(), score.size());
    for (int i = 1; i <= tiles && i <= launches; i++)
        upper_left<<<i, TILE>>>(dref, dscore, cols, penalty, i);
    for (int i = tiles - 1; i >= 2 * tiles - launches; i--)
        lower_right<<<i, TILE>>>(dref, dscore, cols, penalty, i, tiles);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dscore, got.size());
    for (int i = 1; i < cols; i++)
        for (int j = 1; j < cols && (i - 1) / TILE + (j - 1) / TILE < launches; j++)
            score[(size_t)i * cols + j] = std::max(score[(size_t)(i - 1) * cols + j - 1] + ref[(size_t)i * cols + j],
                                                   std::max(score[(size_t)i * cols + j - 1] - penalty,
                                                            score[(size_t)(i - 1) * cols + j] - penalty));
    return suite_done("nw", argc, argv, suite_diff_exact("score", got.data(), score.data(), score.size()));
}
