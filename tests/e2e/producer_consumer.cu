// Blocks that wait for each other through global memory: a chain, and a ring buffer between two blocks.
#include "check.h"

// Block b waits for block b-1; the last blocks of the grid are started last.
__global__ void chain(volatile int *flag, int *value)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0)
            while (flag[blockIdx.x - 1] == 0)
                ;
        __threadfence();
        value[blockIdx.x] = (blockIdx.x ? ((volatile int *)value)[blockIdx.x - 1] : 0) + blockIdx.x + 1;
        __threadfence();
        flag[blockIdx.x] = 1;
    }
}

// The other way round: the first block waits for all later ones.
__global__ void backward(volatile int *flag, int *order, int *ticket)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (flag[blockIdx.x + 1] == 0)
                ;
        __threadfence();
        order[atomicAdd(ticket, 1)] = blockIdx.x;
        __threadfence();
        flag[blockIdx.x] = 1;
    }
}

const int SLOTS = 4, ITEMS = 100;

__global__ void ring(volatile int *slot, volatile unsigned *written, volatile unsigned *taken, int *out)
{
    if (threadIdx.x != 0)
        return;
    for (unsigned i = 0; i < ITEMS; i++) {
        if (blockIdx.x == 0) {
            while (i - *taken >= SLOTS)
                ;
            slot[i % SLOTS] = (int)(i * i);
            __threadfence();
            *written = i + 1;
        } else {
            while (*written <= i)
                ;
            __threadfence();
            out[i] = slot[i % SLOTS];
            __threadfence();
            *taken = i + 1;
        }
    }
}

int main()
{
    const int n = 24;
    dev<int> flag(n), value(n), order(n), ticket(1);
    flag.fill(0);
    chain<<<n, 32>>>(flag, value);
    RAN();
    std::vector<int> want, down, squares;
    for (int i = 0; i < n; i++) {
        want.push_back((i + 1) * (i + 2) / 2);
        down.push_back(n - 1 - i);
    }
    check_equal("chain", value.get(), want);
    flag.fill(0);
    ticket.fill(0);
    backward<<<n, 64>>>(flag, order, ticket);
    RAN();
    check_equal("backward", order.get(), down);
    dev<int> slot(SLOTS), out(ITEMS);
    dev<unsigned> marks(2);
    marks.fill(0);
    ring<<<2, 32>>>(slot, marks, marks + 1, out);
    RAN();
    for (int i = 0; i < ITEMS; i++)
        squares.push_back(i * i);
    check_equal("ring", out.get(), squares);
    return check_result();
}
