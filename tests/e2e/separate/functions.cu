// A file without kernels and variables.
#include "library.h"

__device__ int library_twice(int a) { return 2 * a; }
