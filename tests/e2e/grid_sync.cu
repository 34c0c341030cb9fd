// A cooperative launch whose blocks synchronize with each other: Jacobi iterations in one kernel.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void jacobi(float *a, float *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
            b[i] = i == 0 || i == n - 1 ? a[i] : 0.5f * (a[i - 1] + a[i + 1]);
        grid.sync();
        float *t = a;
        a = b;
        b = t;
    }
}

int main()
{
    int n = 2000, steps = 11, device, cooperative, per_sm, sms;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    CHECK(cooperative);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, jacobi, 128, 0));
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(per_sm >= 1);
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 13);
    dev<float> a(x), b(n);
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++)
            y[i] = i == 0 || i == n - 1 ? x[i] : 0.5f * (x[i - 1] + x[i + 1]);
        x.swap(y);
    }
    int blocks = sms * per_sm < 6 ? sms * per_sm : 6;
    float *pa = a, *pb = b;
    void *args[] = {&pa, &pb, &n, &steps};
    CUDA(cudaLaunchCooperativeKernel((void *)jacobi, dim3(blocks), dim3(128), args, 0, 0));
    RAN();
    check_equal("iterated", b.get(), x);
    return check_result();
}
