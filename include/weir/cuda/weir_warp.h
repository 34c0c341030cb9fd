/*
 * Warp primitives: shuffles, votes, matches, reductions, lane masks, barriers, and the small instructions that later
 * architectures added (funnel shifts, dot products).
 *
 * The forms without _sync are those of CUDA before version 9: they act on the threads that happen to be converged,
 * which is what __activemask() names.
 */
#ifndef WEIR_CUDA_WARP_H
#define WEIR_CUDA_WARP_H

#define WEIR_DEV static __device__ __inline__ __attribute__((always_inline))

WEIR_DEV unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

/*
 * Barriers are inline assembly with a memory clobber, not clang's builtins: LLVM takes its barrier intrinsics for
 * functions that cannot touch a __shared__ variable whose address is never taken, and moves loads of it across them.
 * __syncthreads and its variants are builtins that cannot be declared again, hence the macros.
 */
WEIR_DEV void weir_syncthreads()
{
    asm volatile("bar.sync 0;" ::: "memory");
}
WEIR_DEV int weir_syncthreads_count(int p)
{
    int n;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(n) : "r"(p) : "memory");
    return n;
}
#define WEIR_SYNC_VOTE(name)                                                                                           \
    WEIR_DEV int weir_syncthreads_##name(int p)                                                                        \
    {                                                                                                                  \
        int r;                                                                                                         \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." #name ".pred q, 0, p; selp.s32 %0, 1, 0, q; }"  \
                     : "=r"(r)                                                                                         \
                     : "r"(p)                                                                                          \
                     : "memory");                                                                                      \
        return r;                                                                                                      \
    }
WEIR_SYNC_VOTE(and)
WEIR_SYNC_VOTE(or)
#undef WEIR_SYNC_VOTE
#define __syncthreads()        weir_syncthreads()
#define __syncthreads_count(p) weir_syncthreads_count(p)
#define __syncthreads_and(p)   weir_syncthreads_and(p)
#define __syncthreads_or(p)    weir_syncthreads_or(p)
WEIR_DEV void __syncwarp(unsigned mask = 0xffffffff)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
WEIR_DEV void __barrier_sync(unsigned id)
{
    asm volatile("barrier.sync %0;" ::"r"(id) : "memory");
}
WEIR_DEV void __barrier_sync_count(unsigned id, unsigned threads)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
WEIR_DEV int __all_sync(unsigned mask, int p)
{
    return __nvvm_vote_all_sync(mask, p);
}
WEIR_DEV int __any_sync(unsigned mask, int p)
{
    return __nvvm_vote_any_sync(mask, p);
}
WEIR_DEV int __uni_sync(unsigned mask, int p)
{
    return __nvvm_vote_uni_sync(mask, p);
}
WEIR_DEV unsigned __ballot_sync(unsigned mask, int p)
{
    return __nvvm_vote_ballot_sync(mask, p);
}

WEIR_DEV int __all(int p)
{
    return __nvvm_vote_all_sync(__activemask(), p);
}
WEIR_DEV int __any(int p)
{
    return __nvvm_vote_any_sync(__activemask(), p);
}
WEIR_DEV unsigned __ballot(int p)
{
    return __nvvm_vote_ballot_sync(__activemask(), p);
}

/* ---- shuffles ---- */

/* The bit pattern moves in 32-bit words, whatever the type. The control word holds the segment mask and the bound. */
#define WEIR_SHUFFLE(name, builtin, bound, S)                                                                          \
    WEIR_DEV int __shfl##name##_sync(unsigned mask, int v, S lane, int width = 32)                                     \
    {                                                                                                                  \
        return builtin(mask, v, (int)lane, ((32 - width) << 8) | bound);                                               \
    }                                                                                                                  \
    WEIR_DEV unsigned __shfl##name##_sync(unsigned mask, unsigned v, S lane, int width = 32)                           \
    {                                                                                                                  \
        return (unsigned)__shfl##name##_sync(mask, (int)v, lane, width);                                               \
    }                                                                                                                  \
    WEIR_DEV float __shfl##name##_sync(unsigned mask, float v, S lane, int width = 32)                                 \
    {                                                                                                                  \
        return __builtin_bit_cast(float, __shfl##name##_sync(mask, __builtin_bit_cast(int, v), lane, width));          \
    }                                                                                                                  \
    WEIR_DEV unsigned long long __shfl##name##_sync(unsigned mask, unsigned long long v, S lane, int width = 32)       \
    {                                                                                                                  \
        unsigned lo = __shfl##name##_sync(mask, (unsigned)v, lane, width);                                             \
        unsigned hi = __shfl##name##_sync(mask, (unsigned)(v >> 32), lane, width);                                     \
        return (unsigned long long)hi << 32 | lo;                                                                      \
    }                                                                                                                  \
    WEIR_DEV long long __shfl##name##_sync(unsigned mask, long long v, S lane, int width = 32)                         \
    {                                                                                                                  \
        return (long long)__shfl##name##_sync(mask, (unsigned long long)v, lane, width);                               \
    }                                                                                                                  \
    WEIR_DEV long __shfl##name##_sync(unsigned mask, long v, S lane, int width = 32)                                   \
    {                                                                                                                  \
        return (long)__shfl##name##_sync(mask, (unsigned long long)v, lane, width);                                    \
    }                                                                                                                  \
    WEIR_DEV unsigned long __shfl##name##_sync(unsigned mask, unsigned long v, S lane, int width = 32)                 \
    {                                                                                                                  \
        return (unsigned long)__shfl##name##_sync(mask, (unsigned long long)v, lane, width);                           \
    }                                                                                                                  \
    WEIR_DEV double __shfl##name##_sync(unsigned mask, double v, S lane, int width = 32)                               \
    {                                                                                                                  \
        return __builtin_bit_cast(double,                                                                              \
                                  __shfl##name##_sync(mask, __builtin_bit_cast(unsigned long long, v), lane, width));  \
    }                                                                                                                  \
    template <class weir_T> WEIR_DEV weir_T __shfl##name(weir_T v, S lane, int width = 32)                             \
    {                                                                                                                  \
        return __shfl##name##_sync(__activemask(), v, lane, width);                                                    \
    }
WEIR_SHUFFLE(, __nvvm_shfl_sync_idx_i32, 0x1f, int)
WEIR_SHUFFLE(_up, __nvvm_shfl_sync_up_i32, 0, unsigned)
WEIR_SHUFFLE(_down, __nvvm_shfl_sync_down_i32, 0x1f, unsigned)
WEIR_SHUFFLE(_xor, __nvvm_shfl_sync_bfly_i32, 0x1f, int)
#undef WEIR_SHUFFLE

/* ---- matches; written out, because the built-ins for 64 bits get the width of the mask wrong ---- */
template <class weir_T> WEIR_DEV unsigned __match_any_sync(unsigned mask, weir_T v)
{
    static_assert(sizeof(weir_T) == 4 || sizeof(weir_T) == 8, "a match compares 32 or 64 bits");
    unsigned same;
    if constexpr (sizeof(weir_T) == 4)
        asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(same) : "r"(__builtin_bit_cast(unsigned, v)), "r"(mask));
    else
        asm volatile("match.any.sync.b64 %0, %1, %2;"
                     : "=r"(same)
                     : "l"(__builtin_bit_cast(unsigned long long, v)), "r"(mask));
    return same;
}
template <class weir_T> WEIR_DEV unsigned __match_all_sync(unsigned mask, weir_T v, int *all)
{
    static_assert(sizeof(weir_T) == 4 || sizeof(weir_T) == 8, "a match compares 32 or 64 bits");
    unsigned same;
    int agree;
    if constexpr (sizeof(weir_T) == 4)
        asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync.b32 %0|p, %2, %3;\n\tselp.s32 %1, 1, 0, p;\n\t}"
                     : "=r"(same), "=r"(agree)
                     : "r"(__builtin_bit_cast(unsigned, v)), "r"(mask));
    else
        asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync.b64 %0|p, %2, %3;\n\tselp.s32 %1, 1, 0, p;\n\t}"
                     : "=r"(same), "=r"(agree)
                     : "l"(__builtin_bit_cast(unsigned long long, v)), "r"(mask));
    *all = agree;
    return same;
}

/* ---- reductions over the warp; sm_80 and later have an instruction for each ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define WEIR_REDUX(name, T, type)                                                                                      \
    WEIR_DEV T __reduce_##name##_sync(unsigned mask, T v)                                                              \
    {                                                                                                                  \
        T r;                                                                                                           \
        asm volatile("redux.sync." #name "." type " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(mask));                       \
        return r;                                                                                                      \
    }
WEIR_REDUX(add, unsigned, "u32")
WEIR_REDUX(min, unsigned, "u32")
WEIR_REDUX(max, unsigned, "u32")
WEIR_REDUX(add, int, "s32")
WEIR_REDUX(min, int, "s32")
WEIR_REDUX(max, int, "s32")
WEIR_REDUX(and, unsigned, "b32")
WEIR_REDUX(or, unsigned, "b32")
WEIR_REDUX(xor, unsigned, "b32")
#undef WEIR_REDUX
#endif

/* ---- lane masks and identity ---- */
#define WEIR_SREG(function, sreg)                                                                                      \
    WEIR_DEV unsigned function()                                                                                       \
    {                                                                                                                  \
        unsigned v;                                                                                                    \
        asm("mov.u32 %0, %%" sreg ";" : "=r"(v));                                                                      \
        return v;                                                                                                      \
    }
WEIR_SREG(__lanemask_lt, "lanemask_lt")
WEIR_SREG(__lanemask_le, "lanemask_le")
WEIR_SREG(__lanemask_eq, "lanemask_eq")
WEIR_SREG(__lanemask_ge, "lanemask_ge")
WEIR_SREG(__lanemask_gt, "lanemask_gt")
WEIR_SREG(__weir_laneid, "laneid")
#undef WEIR_SREG

/* The n-th set bit of mask from bit `base` on; offset 0 asks for base itself. */
WEIR_DEV unsigned __fns(unsigned mask, unsigned base, int offset)
{
    return __nvvm_fns(mask, base, offset);
}

/* Programmatic dependent launch, from sm_90 on. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
WEIR_DEV void cudaGridDependencySynchronize()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
WEIR_DEV void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif

WEIR_DEV void __nanosleep(unsigned ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
WEIR_DEV unsigned long long __globaltimer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* ---- funnel shifts, dot products ---- */
#define WEIR_FUNNEL(function, op)                                                                                      \
    WEIR_DEV unsigned function(unsigned lo, unsigned hi, unsigned shift)                                               \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(shift));                                           \
        return r;                                                                                                      \
    }
WEIR_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
WEIR_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
WEIR_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
WEIR_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#undef WEIR_FUNNEL

#define WEIR_DOT(function, op, T)                                                                                      \
    WEIR_DEV T function(T a, T b, T c)                                                                                 \
    {                                                                                                                  \
        T r;                                                                                                           \
        asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                                 \
        return r;                                                                                                      \
    }
WEIR_DOT(__dp4a, "dp4a.s32.s32", int)
WEIR_DOT(__dp4a, "dp4a.u32.u32", unsigned)
WEIR_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int)
WEIR_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned)
WEIR_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int)
WEIR_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned)
#undef WEIR_DOT
WEIR_DEV int __dp4a(char4 a, char4 b, int c)
{
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
WEIR_DEV unsigned __dp4a(uchar4 a, uchar4 b, unsigned c)
{
    return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}

#endif
