/*
 * Atomic operations on memory: each in device scope, and as _block and _system.
 *
 * They are compiler built-ins, so that the compiler can prove which memory a pointer means and emit atom.shared or
 * atom.global. An unused result still costs an `atom`, as with nvcc. atomicAdd of double exists from sm_60 on and the
 * 16-bit compare-and-swap from sm_70 on; below, programs bring their own under the same name.
 */
#ifndef WEIR_CUDA_ATOMICS_H
#define WEIR_CUDA_ATOMICS_H

/* B is the type the built-in works on, s its suffix. */
#define WEIR_ATOM(name, op, T, B, s)                                                                                   \
    WEIR_DEV T atomic##name(T *p, T v)                                                                                 \
    {                                                                                                                  \
        return (T)__nvvm_atom_##op##_gen_##s((B *)p, (B)v);                                                            \
    }                                                                                                                  \
    WEIR_DEV T atomic##name##_block(T *p, T v)                                                                         \
    {                                                                                                                  \
        return (T)__nvvm_atom_cta_##op##_gen_##s((B *)p, (B)v);                                                        \
    }                                                                                                                  \
    WEIR_DEV T atomic##name##_system(T *p, T v)                                                                        \
    {                                                                                                                  \
        return (T)__nvvm_atom_sys_##op##_gen_##s((B *)p, (B)v);                                                        \
    }
/* Signed and unsigned words of one size; the operation does not tell them apart. */
#define WEIR_ATOM_WORDS(name, op)                                                                                      \
    WEIR_ATOM(name, op, int, int, i)                                                                                   \
    WEIR_ATOM(name, op, unsigned, int, i)                                                                              \
    WEIR_ATOM(name, op, unsigned long long, long long, ll)
WEIR_ATOM_WORDS(Add, add)
WEIR_ATOM_WORDS(Exch, xchg)
WEIR_ATOM_WORDS(And, and)
WEIR_ATOM_WORDS(Or, or)
WEIR_ATOM_WORDS(Xor, xor)
WEIR_ATOM(Exch, xchg, long long, long long, ll)
WEIR_ATOM(And, and, long long, long long, ll)
WEIR_ATOM(Or, or, long long, long long, ll)
WEIR_ATOM(Xor, xor, long long, long long, ll)
WEIR_ATOM(Min, min, int, int, i)
WEIR_ATOM(Max, max, int, int, i)
WEIR_ATOM(Min, min, unsigned, unsigned, ui)
WEIR_ATOM(Max, max, unsigned, unsigned, ui)
WEIR_ATOM(Min, min, long long, long long, ll)
WEIR_ATOM(Max, max, long long, long long, ll)
WEIR_ATOM(Min, min, unsigned long long, unsigned long long, ull)
WEIR_ATOM(Max, max, unsigned long long, unsigned long long, ull)
WEIR_ATOM(Inc, inc, unsigned, unsigned, ui)
WEIR_ATOM(Dec, dec, unsigned, unsigned, ui)
WEIR_ATOM(Add, add, float, float, f)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
WEIR_ATOM(Add, add, double, double, d)
#endif
#undef WEIR_ATOM_WORDS
#undef WEIR_ATOM

/* There is no subtraction in the machine: the opposite is added. */
#define WEIR_ATOM_SUB(scope)                                                                                           \
    WEIR_DEV int atomicSub##scope(int *p, int v)                                                                       \
    {                                                                                                                  \
        return atomicAdd##scope(p, (int)-(unsigned)v);                                                                 \
    }                                                                                                                  \
    WEIR_DEV unsigned atomicSub##scope(unsigned *p, unsigned v)                                                        \
    {                                                                                                                  \
        return atomicAdd##scope(p, -v);                                                                                \
    }                                                                                                                  \
    WEIR_DEV float atomicExch##scope(float *p, float v)                                                                \
    {                                                                                                                  \
        return __builtin_bit_cast(float, atomicExch##scope((int *)p, __builtin_bit_cast(int, v)));                     \
    }
WEIR_ATOM_SUB()
WEIR_ATOM_SUB(_block)
WEIR_ATOM_SUB(_system)
#undef WEIR_ATOM_SUB

#define WEIR_CAS(T, B, s)                                                                                              \
    WEIR_DEV T atomicCAS(T *p, T expect, T v)                                                                          \
    {                                                                                                                  \
        return (T)__nvvm_atom_cas_gen_##s((B *)p, (B)expect, (B)v);                                                    \
    }                                                                                                                  \
    WEIR_DEV T atomicCAS_block(T *p, T expect, T v)                                                                    \
    {                                                                                                                  \
        return (T)__nvvm_atom_cta_cas_gen_##s((B *)p, (B)expect, (B)v);                                                \
    }                                                                                                                  \
    WEIR_DEV T atomicCAS_system(T *p, T expect, T v)                                                                   \
    {                                                                                                                  \
        return (T)__nvvm_atom_sys_cas_gen_##s((B *)p, (B)expect, (B)v);                                                \
    }
WEIR_CAS(int, int, i)
WEIR_CAS(unsigned, int, i)
WEIR_CAS(long long, long long, ll)
WEIR_CAS(unsigned long long, long long, ll)
#undef WEIR_CAS

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define WEIR_CAS16(function, scope)                                                                                    \
    WEIR_DEV unsigned short function(unsigned short *p, unsigned short expect, unsigned short v)                       \
    {                                                                                                                  \
        unsigned short old;                                                                                            \
        asm volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(expect), "h"(v) : "memory");  \
        return old;                                                                                                    \
    }
WEIR_CAS16(atomicCAS, "")
WEIR_CAS16(atomicCAS_block, ".cta")
WEIR_CAS16(atomicCAS_system, ".sys")
#undef WEIR_CAS16
#endif

#endif
