/* The kernels of a library: compiled for the simulated GPU when first needed, loaded once for the process. */
#ifndef WEIR_COMPILE_KERNELS_H
#define WEIR_COMPILE_KERNELS_H

#include "weir/cuda/cuda_runtime_api.h"

/* `file`: "cublas/gemm.cu"; defines: options, NULL behind the last. What is wrong is printed. */
cudaError_t kernel_find(const char *file, const char *const *defines, const char *kernel, cudaKernel_t *out);

#endif
