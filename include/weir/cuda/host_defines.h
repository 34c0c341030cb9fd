/*
 * The words CUDA adds to C++: __global__, __device__, __shared__ and their kin.
 *
 * In clang's CUDA mode they become attributes; for a plain C or C++ compiler (a .cpp file that only calls the runtime)
 * they vanish.
 */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__
#pragma GCC system_header

#if defined(__CUDA__) && defined(__clang__)
#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
/* clang has no managed variables for CUDA; the section tells the runtime to let host and device share the variable. */
#define __managed__            __attribute__((device)) __attribute__((section("weir_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n)
#if __has_attribute(cluster_dims)
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#else
/* weir cc writes the annotation into PTX. */
#define __cluster_dims__(...) __attribute__((annotate("weir.cluster_dims", __VA_ARGS__)))
#endif
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__ static
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif

/* __noinline__ is a word of clang's CUDA C++, and libstdc++ writes __attribute__((__noinline__)): no macro for the host. */
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
#define __builtin_align__(n) __align__(n)
#define __cudart_builtin__
#define __device_builtin__
#define __specialization_static static
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB

#endif
