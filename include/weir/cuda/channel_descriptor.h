/* cudaCreateChannelDesc<T>() is declared by cuda_runtime.h. */
#include "cuda_runtime.h"
