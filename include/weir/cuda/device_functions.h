/* Old name: device functions are built into every CUDA file. */
#include "cuda_runtime.h"
