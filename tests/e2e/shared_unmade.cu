// Shared variables of types whose constructor does something, as libcu++'s barriers are: it does not run, and nvcc only warns.
#include "check.h"

namespace mine
{
template <class T, int Limit = 3> struct barrier {
    T left = Limit;
    __device__ void set(T n) { left = n; }
    __device__ void take() { atomicSub(&left, 1); }
};
struct latch {
    int n;
    __host__ __device__ latch() : n(9) {}
};
} // namespace mine
using my_barrier_t = mine::barrier<int>;

template <class T> __global__ void use(int *out)
{
    __shared__ mine::barrier<T, 7> one;
    __shared__ my_barrier_t
        many[2][2]; // of two rows
    __shared__ mine::barrier<T, 5> full[3], empty;
    __shared__ mine::barrier<T, 5> *left;
    __shared__ mine::latch l;
    if (threadIdx.x == 0) {
        one.set(100);
        l.n = sizeof many / sizeof many[0][0];
        left = &full[2];
        full[2].left = (int)(sizeof full / sizeof empty);
        for (auto &row : many)
            for (auto &b : row)
                b.set(50);
    }
    __syncthreads();
    one.take();
    auto inside = [&](int i) { many[i][threadIdx.x % 2].take(); };
    inside(1);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = one.left;
        out[1] = many[0][0].left + l.n;
        out[2] = many[1][1].left + left->left;
        out[3] = (int)((char *)&many[1][0] - (char *)&many[0][0]);
    }
}

int main()
{
    dev<int> out(4);
    use<int><<<1, 32>>>(out);
    RAN();
    check_equal("shared", out.get(), std::vector<int>{100 - 32, 50 + 4, 50 - 16 + 3, 2 * sizeof(my_barrier_t)});
    return check_result();
}
