/*
 * All-pairs shortest paths by Kleene's algorithm on halves of the matrix.
 *
 * Origin: the graph applications of Xu, Jeon and Annavaram (2014), APSP (after Buluc, Gilbert and Budak): what APCM cites
 * for its APS. With the matrix in quarters A, B, C, D (column-major): close A; B = A B, C = C A, D = min(D, C B); close D;
 * B = B D, C = D C, A = min(A, B C), where products add and take the least. Blocks of 16 x 16 elements are closed by one
 * block of threads; products of quarters up to 32 x 32 use 16 x 16 threads and tiles of both factors in shared memory,
 * larger ones 16 x 4 threads that keep 16 results of 64 rows in registers (Volkov's product), reading the left factor from
 * global memory. Input: an R-MAT-like sparse graph with whole weights. Original 4096 vertices; "small"
 * and "paper" close its first 256 and 512 and do the product that follows, which is how the original's run begins (columns
 * stay 4096 apart).
 */
#include "../common/suite.h"

#include <vector>

enum { TILE = 16, SMALL_PRODUCT = 64, ROWS = 64, COLUMNS = 16 };
static const float FAR = 1e30f;

__global__ void close_block(float *a, int pitch, int width)
{
    int row = threadIdx.x, column = threadIdx.y;
    for (int k = 0; k < width; k++) {
        float through = a[column * pitch + k] + a[k * pitch + row];
        a[column * pitch + row] = fminf(through, a[column * pitch + row]);
        __syncthreads();
    }
}

__global__ void product_tiles(float *c, const float *a, const float *b, int pitch, int width, bool keep)
{
    __shared__ float as[TILE][TILE + 1], bs[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float least = FAR;
    for (int m = 0; m < width; m += TILE) {
        as[tx][ty] = a[(m + tx) * pitch + row + ty];
        bs[tx][ty] = b[(column + tx) * pitch + m + ty];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            least = fminf(as[k][tx] + bs[ty][k], least);
        __syncthreads();
    }
    float *to = &c[(column + ty) * pitch + row + tx];
    *to = keep ? fminf(*to, least) : least;
}

__global__ void product_registers(const float *a, const float *b, float *c, int pitch, int width, bool keep)
{
    __shared__ float bs[COLUMNS][COLUMNS + 1];
    int tx = threadIdx.x, ty = threadIdx.y, id = ty * 16 + tx, column = blockIdx.y * COLUMNS;
    a += blockIdx.x * ROWS + id;
    b += tx + (column + ty) * pitch;
    c += blockIdx.x * ROWS + id + column * pitch;
    float least[COLUMNS];
#pragma unroll
    for (int i = 0; i < COLUMNS; i++)
        least[i] = FAR;
    for (int m = 0; m < width; m += COLUMNS) {
#pragma unroll
        for (int i = 0; i < COLUMNS; i += 4)
            bs[tx][ty + i] = b[m + i * pitch];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < COLUMNS; k++) {
            float x = a[(m + k) * pitch];
#pragma unroll
            for (int i = 0; i < COLUMNS; i++)
                least[i] = fminf(x + bs[k][i], least[i]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < COLUMNS; i++)
        c[i * pitch] = keep ? fminf(least[i], c[i * pitch]) : least[i];
}

/* C = A B, or the least of that and C. */
static void product(float *c, const float *a, const float *b, int pitch, int width, bool keep)
{
    if (2 * width <= SMALL_PRODUCT)
        product_tiles<<<dim3(width / TILE, width / TILE), dim3(TILE, TILE)>>>(c, a, b, pitch, width, keep);
    else
        product_registers<<<dim3(width / ROWS, width / COLUMNS), dim3(16, 4)>>>(a, b, c, pitch, width, keep);
}

static void close(float *a, int pitch, int width)
{
    if (width <= TILE) {
        close_block<<<1, dim3(width, width)>>>(a, pitch, width);
        return;
    }
    int half = width / 2;
    float *b = a + half * pitch, *c = a + half, *d = b + half;
    close(a, pitch, half);
    product(b, a, b, pitch, half, false);
    product(c, c, a, pitch, half, false);
    product(d, c, b, pitch, half, true);
    close(d, pitch, half);
    product(b, b, d, pitch, half, false);
    product(c, d, c, pitch, half, false);
    product(a, b, c, pitch, half, true);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int width = suite_pick(size, 64, 256, 512), pitch = suite_pick(size, 128, 4096, 4096);
    size_t quarter = (size_t)pitch * width; /* from A to B, the quarter right of it */
    std::vector<float> dist(2 * quarter, FAR), got(dist.size());
    suite_rng r(419);
    for (int i = 0; i < 2 * width; i++)
        for (int k = 0; k < 8; k++)
            dist[(size_t)i * pitch + r.below((uint32_t)width)] = (float)(1 + r.below(100));
    for (int i = 0; i < width; i++)
        dist[(size_t)i * pitch + i] = 0;
    float *d = suite_to_device(dist.data(), dist.size());
    close(d, pitch, width);
    product(d + quarter, d, d + quarter, pitch, width, false);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d, got.size());
    for (int k = 0; k < width; k++)
        for (int j = 0; j < width; j++)
            for (int i = 0; i < width; i++) {
                float through = dist[(size_t)k * pitch + i] + dist[(size_t)j * pitch + k];
                if (through < dist[(size_t)j * pitch + i])
                    dist[(size_t)j * pitch + i] = through;
            }
    const std::vector<float> b(dist.begin() + quarter, dist.end());
    for (int j = 0; j < width; j++)
        for (int k = 0; k < width; k++)
            for (int i = 0; i < width; i++) {
                float through = dist[(size_t)k * pitch + i] + b[(size_t)j * pitch + k];
                if (through < dist[quarter + (size_t)j * pitch + i])
                    dist[quarter + (size_t)j * pitch + i] = through;
            }
    size_t bad = 0;
    for (int j = 0; j < 2 * width; j++)
        bad += suite_diff_exact("dist", &got[(size_t)j * pitch], &dist[(size_t)j * pitch], width);
    return suite_done("rkleene", argc, argv, bad);
}
