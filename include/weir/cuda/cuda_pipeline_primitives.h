/* __pipeline_memcpy_async and its companions; built into every CUDA file from sm_80 on. */
#include "cuda_runtime.h"
