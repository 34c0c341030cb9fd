/*
 * The CUDA runtime for C++: typed overloads of the C calls, and in CUDA mode everything a kernel may use.
 *
 * weir cc includes this ahead of every .cu file, as nvcc does; plain C++ files include it for the runtime's calls.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__
#pragma GCC system_header
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "library_types.h"
#include "vector_functions.h"

#ifdef __cplusplus
#include "weir_runtime.hpp"
#endif

#if defined(__CUDA__) && defined(__clang__)
#include "weir_device.h"

#include "cuda_device_runtime_api.h"
#endif

#endif
