/* Types of the driver's functions, for programs that ask for them by name (cudaGetDriverEntryPoint). */
#ifndef WEIR_CUDA_CUDATYPEDEFS_H
#define WEIR_CUDA_CUDATYPEDEFS_H

#include "cuda.h"

#define WEIR_PFN(function, version)                                                                                    \
    typedef __typeof__(&function) PFN_##function##_v##version;                                                         \
    typedef PFN_##function##_v##version PFN_##function

WEIR_PFN(cuTensorMapEncodeTiled, 12000);
WEIR_PFN(cuTensorMapEncodeIm2col, 12000);
WEIR_PFN(cuTensorMapReplaceAddress, 12000);
WEIR_PFN(cuGetErrorString, 6000);
WEIR_PFN(cuGetErrorName, 6000);
WEIR_PFN(cuLaunchKernel, 4000);
WEIR_PFN(cuLaunchKernelEx, 11060);
WEIR_PFN(cuModuleLoadData, 2000);
WEIR_PFN(cuModuleGetFunction, 2000);
WEIR_PFN(cuOccupancyMaxActiveClusters, 11070);

#undef WEIR_PFN

#endif
