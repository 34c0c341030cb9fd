/* NVTX: names for CUDA objects are left out. */
#include "nvToolsExt.h"
