// Sparse matrix times vector, compressed rows: one thread per row, and one warp per row.
#include "check.h"

__global__ void by_thread(const int *start, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0;
        for (int k = start[r]; k < start[r + 1]; k++)
            s += val[k] * x[col[k]];
        y[r] = s;
    }
}
__global__ void by_warp(const int *start, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float s = 0;
    for (int k = start[r] + lane; k < start[r + 1]; k += 32)
        s += val[k] * __ldg(&x[col[k]]);
    for (int step = 16; step > 0; step /= 2)
        s += __shfl_down_sync(0xffffffff, s, step);
    if (lane == 0)
        y[r] = s;
}

int main()
{
    const int rows = 600, cols = 400;
    rng r(28);
    std::vector<int> start(1), col;
    std::vector<float> val, x(cols), want(rows);
    for (auto &v : x)
        v = (float)((int)r.below(20) - 10);
    for (int i = 0; i < rows; i++) {
        int n = r.below(10) == 0 ? 100 + (int)r.below(100) : (int)r.below(12);
        for (int k = 0; k < n; k++) {
            col.push_back((int)r.below(cols));
            val.push_back((float)r.below(5));
            want[i] += val.back() * x[col.back()];
        }
        start.push_back((int)col.size());
    }
    dev<int> ds(start), dc(col);
    dev<float> dv(val), dx(x), dy(rows);
    by_thread<<<(rows + 127) / 128, 128>>>(ds, dc, dv, dx, dy, rows);
    RAN();
    check_equal("by thread", dy.get(), want);
    dy.fill(0);
    by_warp<<<(rows * 32 + 127) / 128, 128>>>(ds, dc, dv, dx, dy, rows);
    RAN();
    check_equal("by warp", dy.get(), want);
    return check_result();
}
