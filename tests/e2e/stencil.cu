// Heat in a plate: a five-point stencil with halos in shared memory, buffers swapped between launches, in double.
#include "check.h"

const int T = 16;

__global__ void heat(const double *in, double *out, int n)
{
    __shared__ double s[T + 2][T + 2];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    bool inside = x < n && y < n;
    if (inside) {
        s[ly][lx] = in[y * n + x];
        if (threadIdx.x == 0 && x > 0)
            s[ly][0] = in[y * n + x - 1];
        if (threadIdx.y == 0 && y > 0)
            s[0][lx] = in[(y - 1) * n + x];
        if ((threadIdx.x == T - 1) && x + 1 < n)
            s[ly][T + 1] = in[y * n + x + 1];
        if ((threadIdx.y == T - 1) && y + 1 < n)
            s[T + 1][lx] = in[(y + 1) * n + x];
    }
    __syncthreads();
    if (inside) {
        double v = s[ly][lx];
        if (x > 0 && y > 0 && x + 1 < n && y + 1 < n)
            v = v + 0.125 * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx] - 4 * v);
        out[y * n + x] = v;
    }
}

int main()
{
    const int n = 50, steps = 8;
    std::vector<double> a(n * n), b;
    for (int i = 0; i < n * n; i++)
        a[i] = (i * 37 % 101) * 0.5;
    dev<double> da(a), db(n * n);
    double *from = da, *to = db;
    dim3 grid((n + T - 1) / T, (n + T - 1) / T), block(T, T);
    for (int s = 0; s < steps; s++) {
        heat<<<grid, block>>>(from, to, n);
        std::swap(from, to);
        b = a;
        for (int y = 1; y + 1 < n; y++)
            for (int x = 1; x + 1 < n; x++)
                b[y * n + x] = a[y * n + x] + 0.125 * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] +
                                                       a[(y + 1) * n + x] - 4 * a[y * n + x]);
        a.swap(b);
    }
    RAN();
    check_close("plate", da.get(), a, 1e-12);
    return check_result();
}
