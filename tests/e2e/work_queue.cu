// Blocks that stay and take pieces of work from a counter in global memory: all of them get their share.
#include "check.h"
#include <climits>

enum { BLOCKS = 8, PIECES = 96 };

__global__ void work(unsigned *next, int *pieces, float *out)
{
    __shared__ unsigned piece;
    for (;;) {
        if (threadIdx.x == 0)
            piece = atomicAdd(next, 1);
        __syncthreads();
        const unsigned mine = piece;
        __syncthreads();
        if (mine >= PIECES)
            return;
        float x = (float)mine;
        for (int i = 0; i < 400; i++)
            x = x * 0.5f + (float)threadIdx.x;
        out[mine * blockDim.x + threadIdx.x] = x;
        if (threadIdx.x == 0)
            pieces[blockIdx.x]++;
    }
}

// One thread of each block takes pieces, of very different sizes.
__global__ void uneven(unsigned *next, int *steps)
{
    if (threadIdx.x)
        return;
    for (unsigned piece; (piece = atomicInc(next, 1000)) < PIECES;)
        for (unsigned i = 0; i < (PIECES - piece) * 20; i++)
            atomicAdd(&steps[blockIdx.x], 1);
}

// The first piece of each block is the one of its number, and the largest come first: who had the least takes the next.
__global__ void falling(unsigned *next, int *taken_by, int *steps)
{
    if (threadIdx.x)
        return;
    for (unsigned piece = blockIdx.x; piece < PIECES; piece = BLOCKS + atomicAdd(next, 1)) {
        taken_by[piece] = blockIdx.x;
        for (unsigned i = 0; i < (PIECES - piece) * 20; i++)
            atomicAdd(&steps[blockIdx.x], 1);
    }
}

int main()
{
    dev<unsigned> next(1);
    dev<int> pieces(BLOCKS);
    dev<float> out(PIECES * 64);
    next.put({0});
    pieces.put(std::vector<int>(BLOCKS, 0));
    work<<<BLOCKS, 64>>>(next, pieces, out);
    RAN();
    int sum = 0;
    for (int n : pieces.get()) {
        CHECK(n >= PIECES / BLOCKS - 2 && n <= PIECES / BLOCKS + 2);
        sum += n;
    }
    CHECK(sum == PIECES);
    next.put({0});
    pieces.put(std::vector<int>(BLOCKS, 0));
    uneven<<<BLOCKS, 32>>>(next, pieces);
    RAN();
    int least = INT_MAX, most = 0;
    for (int n : pieces.get()) {
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    CHECK(most < least * 3 / 2);
    next.put({0});
    pieces.put(std::vector<int>(BLOCKS, 0));
    dev<int> taken_by(PIECES);
    falling<<<BLOCKS, 32>>>(next, taken_by, pieces);
    RAN();
    const std::vector<int> by = taken_by.get();
    for (int i = 0; i < BLOCKS; i++)
        CHECK(by[BLOCKS + i] == BLOCKS - 1 - i);
    least = INT_MAX, most = 0;
    for (int n : pieces.get()) {
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    CHECK(most < least * 11 / 10);
    return check_result();
}
