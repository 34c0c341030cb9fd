/* The runtime's occupancy queries; the stand-alone calculator of this name is left out. */
#include "cuda_runtime.h"
