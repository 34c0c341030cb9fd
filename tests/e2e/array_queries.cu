// What arrays and mipmapped arrays tell of themselves: the memory they take, and that none is sparse.
#include "check.h"

int main()
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array, level;
    cudaMipmappedArray_t mipmap;
    cudaArrayMemoryRequirements need{};
    cudaArraySparseProperties sparse{};
    int has_sparse = -1;
    CUDA(cudaDeviceGetAttribute(&has_sparse, cudaDevAttrSparseCudaArraySupported, 0));
    CUDA(cudaMallocArray(&array, &desc, 64, 32));
    CUDA(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(64, 32, 0), 3));
    CUDA(cudaArrayGetMemoryRequirements(&need, array, 0));
    CHECK(need.size >= 64 * 32 * 4 && need.alignment > 0);
    CUDA(cudaMipmappedArrayGetMemoryRequirements(&need, mipmap, 0));
    CHECK(need.size >= (64 * 32 + 32 * 16 + 16 * 8) * 4);
    CHECK(cudaMipmappedArrayGetMemoryRequirements(nullptr, mipmap, 0) == cudaErrorInvalidValue);
    CHECK(cudaArrayGetSparseProperties(&sparse, array) == cudaErrorInvalidValue);
    CHECK(cudaMipmappedArrayGetSparseProperties(&sparse, mipmap) == cudaErrorInvalidValue);
    CUDA(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    CHECK(cudaArrayGetSparseProperties(&sparse, level) == cudaErrorInvalidValue);
    if (!has_sparse)
        CHECK(cudaMallocArray(&level, &desc, 64, 32, cudaArraySparse) == cudaErrorInvalidValue);
    CUDA(cudaFreeArray(array));
    CUDA(cudaFreeMipmappedArray(mipmap));
    return check_result();
}
