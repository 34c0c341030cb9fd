/* Old name: atomics are built into every CUDA file. */
#include "cuda_runtime.h"
