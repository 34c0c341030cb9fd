// Programs rename what CUDA has dropped, on the command line; the headers must not define it once more.
// flags: -DcudaThreadSynchronize=cudaDeviceSynchronize -DcudaThreadExit=cudaDeviceReset -DcudaThreadSetLimit=cudaDeviceSetLimit -DcudaThreadGetLimit=cudaDeviceGetLimit -DcudaThreadSetCacheConfig=cudaDeviceSetCacheConfig -DcudaThreadGetCacheConfig=cudaDeviceGetCacheConfig
#include "check.h"

__global__ void one(int *p)
{
    *p = 1;
}

int main()
{
    dev<int> d(1);
    one<<<1, 1>>>(d);
    CHECK(cudaThreadSynchronize() == cudaSuccess);
    check_equal("one", d.get(), std::vector<int>{1});
    size_t value;
    CHECK(cudaThreadGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
    CHECK(cudaThreadExit() == cudaSuccess);
    return check_result();
}
