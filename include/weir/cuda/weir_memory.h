/*
 * Loads and stores that name their cache behavior (__ldg, __ldcg, __stcs ...), address spaces, prefetches and
 * asynchronous copies.
 */
#ifndef WEIR_CUDA_MEMORY_H
#define WEIR_CUDA_MEMORY_H

/* op: the cache operator; T: C++ type; W: type of the register; c: its constraint letter; t: PTX type. */
#define WEIR_LD1(name, op, T, W, c, t)                                                                                 \
    WEIR_DEV T __ld##name(const T *p)                                                                                  \
    {                                                                                                                  \
        W v;                                                                                                           \
        asm volatile("ld.global." op "." t " %0, [%1];" : "=" c(v) : "l"(p) : "memory");                               \
        return (T)v;                                                                                                   \
    }
#define WEIR_LD2(name, op, T, W, c, t)                                                                                 \
    WEIR_DEV T __ld##name(const T *p)                                                                                  \
    {                                                                                                                  \
        W a, b;                                                                                                        \
        T v;                                                                                                           \
        asm volatile("ld.global." op ".v2." t " {%0, %1}, [%2];" : "=" c(a), "=" c(b) : "l"(p) : "memory");            \
        v.x = a, v.y = b;                                                                                              \
        return v;                                                                                                      \
    }
#define WEIR_LD4(name, op, T, W, c, t)                                                                                 \
    WEIR_DEV T __ld##name(const T *p)                                                                                  \
    {                                                                                                                  \
        W a, b, d, e;                                                                                                  \
        T v;                                                                                                           \
        asm volatile("ld.global." op ".v4." t " {%0, %1, %2, %3}, [%4];"                                               \
                     : "=" c(a), "=" c(b), "=" c(d), "=" c(e)                                                          \
                     : "l"(p)                                                                                          \
                     : "memory");                                                                                      \
        v.x = a, v.y = b, v.z = d, v.w = e;                                                                            \
        return v;                                                                                                      \
    }
#define WEIR_ST1(name, op, T, W, c, t)                                                                                 \
    WEIR_DEV void __st##name(T *p, T v)                                                                                \
    {                                                                                                                  \
        asm volatile("st.global." op "." t " [%0], %1;" ::"l"(p), c((W)v) : "memory");                                 \
    }
#define WEIR_ST2(name, op, T, W, c, t)                                                                                 \
    WEIR_DEV void __st##name(T *p, T v)                                                                                \
    {                                                                                                                  \
        asm volatile("st.global." op ".v2." t " [%0], {%1, %2};" ::"l"(p), c((W)v.x), c((W)v.y) : "memory");           \
    }
#define WEIR_ST4(name, op, T, W, c, t)                                                                                 \
    WEIR_DEV void __st##name(T *p, T v)                                                                                \
    {                                                                                                                  \
        asm volatile("st.global." op ".v4." t " [%0], {%1, %2, %3, %4};" ::"l"(p), c((W)v.x), c((W)v.y), c((W)v.z),    \
                     c((W)v.w)                                                                                         \
                     : "memory");                                                                                      \
    }

/* Memory that is never written while the kernel runs: the compiler may move and merge these loads. */
#define WEIR_LDG1(name, op, T, W, c, t)                                                                                \
    WEIR_DEV T __ldg(const T *p)                                                                                       \
    {                                                                                                                  \
        W v;                                                                                                           \
        asm("ld.global.nc." t " %0, [%1];" : "=" c(v) : "l"(p));                                                       \
        return (T)v;                                                                                                   \
    }
#define WEIR_LDG2(name, op, T, W, c, t)                                                                                \
    WEIR_DEV T __ldg(const T *p)                                                                                       \
    {                                                                                                                  \
        W a, b;                                                                                                        \
        T v;                                                                                                           \
        asm("ld.global.nc.v2." t " {%0, %1}, [%2];" : "=" c(a), "=" c(b) : "l"(p));                                    \
        v.x = a, v.y = b;                                                                                              \
        return v;                                                                                                      \
    }
#define WEIR_LDG4(name, op, T, W, c, t)                                                                                \
    WEIR_DEV T __ldg(const T *p)                                                                                       \
    {                                                                                                                  \
        W a, b, d, e;                                                                                                  \
        T v;                                                                                                           \
        asm("ld.global.nc.v4." t " {%0, %1, %2, %3}, [%4];" : "=" c(a), "=" c(b), "=" c(d), "=" c(e) : "l"(p));        \
        v.x = a, v.y = b, v.z = d, v.w = e;                                                                            \
        return v;                                                                                                      \
    }

/* Every type that has a cache-operator form, once per operator. */
#define WEIR_EACH(M1, M2, M4, name, op)                                                                                \
    M1(name, op, char, short, "h", "s8")                                                                               \
    M1(name, op, signed char, short, "h", "s8")                                                                        \
    M1(name, op, unsigned char, unsigned short, "h", "u8")                                                             \
    M1(name, op, short, short, "h", "s16")                                                                             \
    M1(name, op, unsigned short, unsigned short, "h", "u16")                                                           \
    M1(name, op, int, int, "r", "s32")                                                                                 \
    M1(name, op, unsigned, unsigned, "r", "u32")                                                                       \
    M1(name, op, long, long, "l", "s64")                                                                               \
    M1(name, op, unsigned long, unsigned long, "l", "u64")                                                             \
    M1(name, op, long long, long long, "l", "s64")                                                                     \
    M1(name, op, unsigned long long, unsigned long long, "l", "u64")                                                   \
    M1(name, op, float, float, "f", "f32")                                                                             \
    M1(name, op, double, double, "d", "f64")                                                                           \
    M2(name, op, char2, short, "h", "s8")                                                                              \
    M2(name, op, uchar2, unsigned short, "h", "u8")                                                                    \
    M2(name, op, short2, short, "h", "s16")                                                                            \
    M2(name, op, ushort2, unsigned short, "h", "u16")                                                                  \
    M2(name, op, int2, int, "r", "s32")                                                                                \
    M2(name, op, uint2, unsigned, "r", "u32")                                                                          \
    M2(name, op, longlong2, long long, "l", "s64")                                                                     \
    M2(name, op, ulonglong2, unsigned long long, "l", "u64")                                                           \
    M2(name, op, float2, float, "f", "f32")                                                                            \
    M2(name, op, double2, double, "d", "f64")                                                                          \
    M4(name, op, char4, short, "h", "s8")                                                                              \
    M4(name, op, uchar4, unsigned short, "h", "u8")                                                                    \
    M4(name, op, short4, short, "h", "s16")                                                                            \
    M4(name, op, ushort4, unsigned short, "h", "u16")                                                                  \
    M4(name, op, int4, int, "r", "s32")                                                                                \
    M4(name, op, uint4, unsigned, "r", "u32")                                                                          \
    M4(name, op, float4, float, "f", "f32")

WEIR_EACH(WEIR_LDG1, WEIR_LDG2, WEIR_LDG4, g, "nc")
WEIR_EACH(WEIR_LD1, WEIR_LD2, WEIR_LD4, ca, "ca")
WEIR_EACH(WEIR_LD1, WEIR_LD2, WEIR_LD4, cg, "cg")
WEIR_EACH(WEIR_LD1, WEIR_LD2, WEIR_LD4, cs, "cs")
WEIR_EACH(WEIR_LD1, WEIR_LD2, WEIR_LD4, lu, "lu")
WEIR_EACH(WEIR_LD1, WEIR_LD2, WEIR_LD4, cv, "cv")
WEIR_EACH(WEIR_ST1, WEIR_ST2, WEIR_ST4, wb, "wb")
WEIR_EACH(WEIR_ST1, WEIR_ST2, WEIR_ST4, cg, "cg")
WEIR_EACH(WEIR_ST1, WEIR_ST2, WEIR_ST4, cs, "cs")
WEIR_EACH(WEIR_ST1, WEIR_ST2, WEIR_ST4, wt, "wt")
#undef WEIR_EACH
#undef WEIR_LDG1
#undef WEIR_LDG2
#undef WEIR_LDG4
#undef WEIR_LD1
#undef WEIR_LD2
#undef WEIR_LD4
#undef WEIR_ST1
#undef WEIR_ST2
#undef WEIR_ST4

/* ---- address spaces ---- */
WEIR_DEV unsigned __isGlobal(const void *p)
{
    return __nvvm_isspacep_global(p);
}
WEIR_DEV unsigned __isShared(const void *p)
{
    return __nvvm_isspacep_shared(p);
}
WEIR_DEV unsigned __isConstant(const void *p)
{
    return __nvvm_isspacep_const(p);
}
WEIR_DEV unsigned __isLocal(const void *p)
{
    return __nvvm_isspacep_local(p);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
WEIR_DEV unsigned __isClusterShared(const void *p)
{
    unsigned is;
    asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));
    return is;
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
WEIR_DEV unsigned __isGridConstant(const void *p)
{
    unsigned is;
    asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));
    return is;
}
#endif
#define WEIR_CVTA(space, n)                                                                                            \
    WEIR_DEV size_t __cvta_generic_to_##space(const void *p)                                                           \
    {                                                                                                                  \
        return (size_t)(const void __attribute__((address_space(n))) *)p;                                              \
    }                                                                                                                  \
    WEIR_DEV void *__cvta_##space##_to_generic(size_t p)                                                               \
    {                                                                                                                  \
        return (void *)(void __attribute__((address_space(n))) *)p;                                                    \
    }
WEIR_CVTA(global, 1)
WEIR_CVTA(shared, 3)
WEIR_CVTA(constant, 4)
WEIR_CVTA(local, 5)
#undef WEIR_CVTA
WEIR_DEV unsigned __nvvm_get_smem_pointer(void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* ---- prefetch ---- */
WEIR_DEV void __prefetch_global_l1(const void *p)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
}
WEIR_DEV void __prefetch_global_l2(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/* ---- asynchronous copies from global to shared memory ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
WEIR_DEV void __pipeline_memcpy_async(void *__restrict__ shared, const void *__restrict__ global, size_t bytes,
                                      size_t zero_fill = 0)
{
    unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    unsigned have = (unsigned)(bytes - zero_fill);
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(have) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(global), "r"(have) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(have) : "memory");
}
WEIR_DEV void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
#define __pipeline_wait_prior(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#endif

#endif
