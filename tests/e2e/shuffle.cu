// Warp shuffles: all four kinds, all types, sub-warp widths, and a butterfly sum.
#include "check.h"

template <class T> __global__ void shuffles(T *out, int width)
{
    unsigned lane = threadIdx.x;
    T v = (T)(lane * 3 + 1);
    out[lane] = __shfl_sync(0xffffffff, v, (lane * 7 + 2) & 31, width);
    out[32 + lane] = __shfl_up_sync(0xffffffff, v, 3, width);
    out[64 + lane] = __shfl_down_sync(0xffffffff, v, 5, width);
    out[96 + lane] = __shfl_xor_sync(0xffffffff, v, 6, width);
}

template <class T> static void test()
{
    for (int width = 32; width >= 4; width /= 2) {
        dev<T> out(128);
        shuffles<T><<<1, 32>>>(out, width);
        RAN();
        std::vector<T> want(128);
        for (int lane = 0; lane < 32; lane++) {
            int base = lane / width * width, last = base + width - 1;
            auto v = [](int l) { return (T)(l * 3 + 1); };
            want[lane] = v(base + ((lane * 7 + 2) & 31) % width);
            want[32 + lane] = v(lane - 3 >= base ? lane - 3 : lane);
            want[64 + lane] = v(lane + 5 <= last ? lane + 5 : lane);
            int x = lane ^ 6;
            want[96 + lane] = v(x <= last ? x : lane);
        }
        check_equal("shuffled", out.get(), want);
    }
}

__global__ void butterfly(int *out)
{
    int v = threadIdx.x;
    for (int step = 1; step < 32; step *= 2)
        v += __shfl_xor_sync(0xffffffff, v, step);
    out[threadIdx.x] = v;
}

// Only some lanes take part.
__global__ void partial(int *out)
{
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = __shfl_sync(0x55555555, (int)threadIdx.x * 10, (threadIdx.x + 2) & 31);
    else
        out[threadIdx.x] = __shfl_sync(0xaaaaaaaa, (int)threadIdx.x * 100, 1);
}

int main()
{
    test<int>();
    test<unsigned>();
    test<float>();
    test<double>();
    test<long long>();
    test<unsigned long long>();
    dev<int> out(32);
    butterfly<<<1, 32>>>(out);
    RAN();
    check_equal("butterfly", out.get(), std::vector<int>(32, 496));
    partial<<<1, 32>>>(out);
    RAN();
    std::vector<int> want(32);
    for (int i = 0; i < 32; i++)
        want[i] = i % 2 ? 100 : ((i + 2) & 31) * 10;
    check_equal("partial", out.get(), want);
    return check_result();
}
