/* threadIdx, blockIdx, blockDim and gridDim are built into every CUDA file. */
#include "cuda_runtime.h"
