/* Old name: these functions are built into every CUDA file. */
#include "cuda_runtime.h"
