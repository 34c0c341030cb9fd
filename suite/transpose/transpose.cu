/*
 * Matrix transpose: the eight kernels that the original compares, one after the other.
 *
 * Origin: CUDA SDK, transpose. 16 x 16 tiles, 16 x 16 threads. Copies directly and through shared memory; the naive kernel
 * reads rows and writes columns (16 lines per half warp); four kernels go through a tile in shared memory: coalesced
 * with bank conflicts, without, and the two halves of that (tiles moved but not turned, turned but not moved); the last
 * numbers its tiles along diagonals. Original 1024 x 1024, each kernel 100 times; "small" runs each once, "paper" twice.
 */
#include "../common/suite.h"

#include <vector>

enum { TILE = 16 };
enum kind { COPY, COPY_SHARED, NAIVE, COALESCED, NO_CONFLICTS, COARSE, FINE, DIAGONAL, KINDS };

__global__ void copy(float *out, const float *in, int n)
{
    int i = (blockIdx.y * TILE + threadIdx.y) * n + blockIdx.x * TILE + threadIdx.x;
    out[i] = in[i];
}

__global__ void transpose_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

/* Through shared memory: `MOVE` writes the tile to its place in the transposed matrix, `TURN` turns what is in it. */
template <bool MOVE, bool TURN, int PITCH, bool ALONG_DIAGONAL>
__global__ void through_tile(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][PITCH];
    int by = ALONG_DIAGONAL ? blockIdx.x : blockIdx.y;
    int bx = ALONG_DIAGONAL ? (blockIdx.x + blockIdx.y) % gridDim.x : blockIdx.x;
    tile[threadIdx.y][threadIdx.x] = in[(by * TILE + threadIdx.y) * n + bx * TILE + threadIdx.x];
    __syncthreads();
    int to_x = (MOVE ? by : bx) * TILE + threadIdx.x, to_y = (MOVE ? bx : by) * TILE + threadIdx.y;
    out[to_y * n + to_x] = TURN ? tile[threadIdx.x][threadIdx.y] : tile[threadIdx.y][threadIdx.x];
}

static void run(int kind, float *out, const float *in, int n)
{
    dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    switch (kind) {
    case COPY:
        copy<<<grid, block>>>(out, in, n);
        break;
    case COPY_SHARED:
        through_tile<false, false, TILE, false><<<grid, block>>>(out, in, n);
        break;
    case NAIVE:
        transpose_naive<<<grid, block>>>(out, in, n);
        break;
    case COALESCED:
        through_tile<true, true, TILE, false><<<grid, block>>>(out, in, n);
        break;
    case NO_CONFLICTS:
        through_tile<true, true, TILE + 1, false><<<grid, block>>>(out, in, n);
        break;
    case COARSE:
        through_tile<true, false, TILE + 1, false><<<grid, block>>>(out, in, n);
        break;
    case FINE:
        through_tile<false, true, TILE + 1, false><<<grid, block>>>(out, in, n);
        break;
    default:
        through_tile<true, true, TILE + 1, true><<<grid, block>>>(out, in, n);
    }
}

/* Where element (x, y) of the input ends up. */
static size_t place(int kind, int x, int y, int n)
{
    bool move = kind != COPY && kind != COPY_SHARED && kind != FINE, turn = move ? kind != COARSE : kind == FINE;
    int bx = x / TILE, by = y / TILE, ix = x % TILE, iy = y % TILE;
    return (size_t)((move ? bx : by) * TILE + (turn ? ix : iy)) * n + (move ? by : bx) * TILE + (turn ? iy : ix);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 64, 1024, 1024), times = suite_pick(size, 1, 1, 2);
    size_t nn = (size_t)n * n, bad = 0;
    std::vector<float> in(nn), expect(nn), got(nn);
    for (size_t i = 0; i < nn; i++)
        in[i] = (float)(i % 100003);
    float *din = suite_to_device(in.data(), nn), *dout = suite_device<float>(nn);
    for (int kind = 0; kind < KINDS; kind++) {
        SUITE_CUDA(cudaMemset(dout, 0xff, nn * sizeof(float)));
        for (int i = 0; i < times; i++)
            run(kind, dout, din, n);
        SUITE_LAUNCHED();
        suite_to_host(got.data(), dout, nn);
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                expect[place(kind, x, y, n)] = in[(size_t)y * n + x];
        bad += suite_diff_exact("out", got.data(), expect.data(), nn);
    }
    return suite_done("transpose", argc, argv, bad);
}
