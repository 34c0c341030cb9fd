/* Old name: device math is built into every CUDA file. */
#include "cuda_runtime.h"
