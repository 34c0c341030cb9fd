/* cudaProfilerStart() and cudaProfilerStop() are declared by cuda_runtime_api.h. */
#include "cuda_runtime_api.h"
