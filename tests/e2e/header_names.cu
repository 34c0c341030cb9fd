// Public programs ask which headers of the toolkit are there by the names of their guards, and for versions.
#include "check.h"

#include <cuda_fp16.h>
#include <math_constants.h>

#if !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__) || !defined(__DRIVER_TYPES_H__) || \
    !defined(__VECTOR_TYPES_H__) || !defined(__CUDA_FP16_H__) || !defined(__MATH_CONSTANTS_H__)
#error "a guard has another name than the toolkit's"
#endif
#if !defined(__CUDACC__) || !defined(__NVCC__) || __CUDACC_VER_MAJOR__ < 12
#error "the compiler's names are missing"
#endif
#if CUDART_VERSION < 12000
#error "the runtime's version is missing"
#endif

static_assert(CUDA_R_32F == 0 && CUDA_R_16F == 2 && CUDA_C_64F == 5 && CUDA_R_16BF == 14 && CUDA_R_64U == 26 && CUDA_R_8F_E5M2 == 29, "formats");
static_assert(sizeof(cudaDataType) == 4 && sizeof(cudaDataType_t) == 4 && (libraryPropertyType)2 == PATCH_LEVEL, "formats");

__global__ void answer(int *p)
{
    *p = CUDART_VERSION;
}

int main()
{
    dev<int> d(1);
    answer<<<1, 1>>>(d);
    RAN();
    check_equal("version", d.get(), std::vector<int>{CUDART_VERSION});
    return check_result();
}
