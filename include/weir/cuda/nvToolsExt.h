/* NVTX by the name of its older versions. */
#include "nvtx3/nvToolsExt.h"
