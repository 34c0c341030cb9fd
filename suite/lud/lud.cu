/*
 * LU decomposition in place, without pivoting.
 *
 * Origin: Rodinia 3.1, lud. Tiles of 16 x 16; per step three kernels: the diagonal tile (one block of 16 threads), the
 * tiles right of and below it (32 threads per block: half a warp solves a tile of the row, half a tile of the column),
 * and all inner tiles (16 x 16 threads, a product of two tiles in shared memory).
 * Input: a random matrix with a heavy diagonal. Original 256^2 to 2048^2; "paper" is 768^2.
 */
#include "../common/suite.h"

#include <vector>

enum { TILE = 16 };

__global__ void diagonal(float *m, int n, int offset)
{
    __shared__ float s[TILE][TILE];
    int t = threadIdx.x;
    float *at = m + offset * n + offset;
    for (int i = 0; i < TILE; i++)
        s[i][t] = at[i * n + t];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (t > i) { /* column i of L */
            for (int j = 0; j < i; j++)
                s[t][i] -= s[t][j] * s[j][i];
            s[t][i] /= s[i][i];
        }
        __syncthreads();
        if (t > i) /* row i + 1 of U */
            for (int j = 0; j <= i; j++)
                s[i + 1][t] -= s[i + 1][j] * s[j][t];
        __syncthreads();
    }
    for (int i = 1; i < TILE; i++) /* the first row did not change */
        at[i * n + t] = s[i][t];
}

__global__ void perimeter(float *m, int n, int offset)
{
    __shared__ float corner[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
    bool upper = threadIdx.x < TILE;
    int t = upper ? threadIdx.x : threadIdx.x - TILE, away = (blockIdx.x + 1) * TILE;
    float *at = m + offset * n + offset;
    /* Each half loads half of the diagonal tile, and its own tile. */
    if (upper) {
        for (int i = 0; i < TILE / 2; i++)
            corner[i][t] = at[i * n + t];
        for (int i = 0; i < TILE; i++)
            row[i][t] = at[i * n + away + t];
    } else {
        for (int i = TILE / 2; i < TILE; i++)
            corner[i][t] = at[i * n + t];
        for (int i = 0; i < TILE; i++)
            column[i][t] = at[(away + i) * n + t];
    }
    __syncthreads();
    if (upper) {
        for (int i = 1; i < TILE; i++)
            for (int j = 0; j < i; j++)
                row[i][t] -= corner[i][j] * row[j][t];
    } else {
        for (int i = 0; i < TILE; i++) {
            for (int j = 0; j < i; j++)
                column[t][i] -= column[t][j] * corner[j][i];
            column[t][i] /= corner[i][i];
        }
    }
    __syncthreads();
    if (upper) {
        for (int i = 1; i < TILE; i++)
            at[i * n + away + t] = row[i][t];
    } else {
        for (int i = 0; i < TILE; i++)
            at[(away + i) * n + t] = column[i][t];
    }
}

__global__ void inner(float *m, int n, int offset)
{
    __shared__ float row[TILE][TILE], column[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int y = offset + (blockIdx.y + 1) * TILE + ty, x = offset + (blockIdx.x + 1) * TILE + tx;
    row[ty][tx] = m[(offset + ty) * n + x];
    column[ty][tx] = m[y * n + offset + tx];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < TILE; i++)
        sum += column[ty][i] * row[i][tx];
    m[y * n + x] -= sum;
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 64, 320, 768);
    std::vector<float> a((size_t)n * n), got((size_t)n * n);
    suite_rng r(293);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            a[(size_t)y * n + x] = r.range(-1, 1) + (x == y ? (float)n : 0.0f);
    float *d = suite_to_device(a.data(), a.size());
    int at = 0;
    for (; at < n - TILE; at += TILE) {
        int rest = (n - at) / TILE - 1;
        diagonal<<<1, TILE>>>(d, n, at);
        perimeter<<<rest, 2 * TILE>>>(d, n, at);
        inner<<<dim3(rest, rest), dim3(TILE, TILE)>>>(d, n, at);
    }
    diagonal<<<1, TILE>>>(d, n, at);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d, got.size());

    std::vector<double> lu(a.begin(), a.end());
    for (int k = 0; k < n; k++)
        for (int y = k + 1; y < n; y++) {
            double f = lu[(size_t)y * n + k] /= lu[(size_t)k * n + k];
            for (int x = k + 1; x < n; x++)
                lu[(size_t)y * n + x] -= f * lu[(size_t)k * n + x];
        }
    std::vector<float> expect(lu.begin(), lu.end());
    return suite_done("lud", argc, argv, suite_diff("lu", got.data(), expect.data(), got.size(), 1e-4, 1e-5));
}
