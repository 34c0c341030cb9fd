/*
 * What device code may use: built-in variables, math, atomics, warp primitives, textures, printf and malloc.
 *
 * The compiler's own CUDA headers (in clang's resource folder) supply the built-in variables and the overloads that
 * join device math with <cmath>; they rest on functions named __nv_*, which weir_libdevice.h and weir_math_*.h define.
 * The order below matters: clang's forward declarations must precede <cmath>, its cmath overloads must follow it.
 */
#ifndef WEIR_CUDA_DEVICE_H
#define WEIR_CUDA_DEVICE_H

/* Functions of this library, the compiler's own among them, carry no line table: what happens inside one is reported at the caller's line. */
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device)) __attribute__((nodebug))

#include <__clang_cuda_math_forward_declares.h>

#define __CUDACC__           1
#define __NVCC__             1 /* programs ask for it where they mean CUDA C++ */
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0

#include <cmath>
#include <cstdlib>
#include <math.h> /* isfinite(x) and similar functions without std:: on the host, as nvcc has them without a further #include */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include <__clang_cuda_builtin_vars.h>
#pragma clang attribute pop

extern "C" {
/* Served by the simulator itself. */
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
__device__ int vprintf(const char *format, const char *args);
__device__ void free(void *ptr) __attribute((nothrow));
__device__ void *malloc(size_t bytes) __attribute((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t char_size);
/* clang turns printf into vprintf; assert() of <assert.h> calls __assert_fail, which CCCL declares itself where asserts are
 * off. */
__device__ int printf(const char *format, ...);
#ifndef NDEBUG
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
#endif
}
namespace std
{
__device__ static inline void free(void *ptr)
{
    ::free(ptr);
}
__device__ static inline void *malloc(size_t bytes)
{
    return ::malloc(bytes);
}
} // namespace std

#include "weir_libdevice.h"
#include "weir_math.h"
#include "weir_math_f32.h"
#include "weir_math_f64.h"
#include "weir_math_special.h"

/* The compiler's own votes are instructions that sm_70 no longer has; weir_warp.h brings better ones. */
#define __all weir_old_all
#define __any weir_old_any
#define __ballot weir_old_ballot
#include <__clang_cuda_device_functions.h>
#undef __all
#undef __any
#undef __ballot
#include <__clang_cuda_math.h>

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const
{
    return {x, y, z};
}
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const
{
    return {x, y, z};
}
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const
{
    return {x, y, z};
}
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const
{
    return {x, y, z};
}

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_complex_builtins.h>

#include "weir_math_overloads.h"
#include "weir_minmax.h"
#include "weir_dpx.h"
#include "weir_warp.h"
#include "weir_memory.h"
#include "weir_atomics.h"
#include "weir_ordered_atomics.h"
#include "weir_texture.h"
#include "weir_launch.h"

#include <new>

/* A shared variable whose constructor does not run; weir cc writes it for variables of libcu++'s types. */
template <class weir_T> union weir_unmade {
    weir_T it;
    __attribute__((host, device)) weir_unmade() {}
    __attribute__((host, device)) ~weir_unmade() {}
};

#ifdef WEIR_RELOCATABLE
/* clang keeps the device code of files that have a kernel or a variable; other files may have functions for them. */
static __attribute__((device)) __attribute__((used)) char weir_keep_device_code;
#endif
#ifdef WEIR_DEVICE_NAMES
/* What the device code defines and wants, for the host's linker: weir cc writes the file once it knows. */
__asm__(".include \"" WEIR_DEVICE_NAMES "\"");
#endif

#ifndef __CUDA_ARCH__
/* The program's __managed__ variables, gathered by the linker, are made known before its kernels are. */
extern "C" {
extern char __start_weir_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_weir_managed[] __attribute__((weak, visibility("hidden")));
void __weirRegisterManaged(void *start, void *stop) __attribute__((weak));
}
static __attribute__((constructor(101), used)) void weir_managed_variables(void)
{
    if (__start_weir_managed != __stop_weir_managed && __weirRegisterManaged)
        __weirRegisterManaged(__start_weir_managed, __stop_weir_managed);
}
#endif

#pragma pop_macro("__device__")

#endif
