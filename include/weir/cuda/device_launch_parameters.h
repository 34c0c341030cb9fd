/* threadIdx and its kin are built into every CUDA file. */
#include "cuda_runtime.h"
