/*
 * CUDA's atomic functions with memory order and scope (__nv_atomic_load_n, __nv_atomic_fetch_add ...), from sm_70 on.
 *
 * Orders and scopes are known when compiling in all programs that nvcc takes, so of each function one instruction
 * remains, and a fence before it where the order is sequential consistency. A thread's own scope is its block's, and
 * that of a cluster the device's. Objects have up to 8 bytes, or 16, which are exchanged from sm_90 on.
 */
#ifndef WEIR_CUDA_ORDERED_ATOMICS_H
#define WEIR_CUDA_ORDERED_ATOMICS_H

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700

/* An instruction with the scope in its middle; what follows are its operands. */
#define WEIR_IN_SCOPE(before, after, ...)                                                                              \
    do {                                                                                                               \
        if (scope <= __NV_THREAD_SCOPE_BLOCK)                                                                          \
            asm volatile(before ".cta" after __VA_ARGS__);                                                             \
        else if (scope <= __NV_THREAD_SCOPE_DEVICE)                                                                    \
            asm volatile(before ".gpu" after __VA_ARGS__);                                                             \
        else                                                                                                           \
            asm volatile(before ".sys" after __VA_ARGS__);                                                             \
    } while (0)

WEIR_DEV void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order == __NV_ATOMIC_SEQ_CST)
        WEIR_IN_SCOPE("fence.sc", ";", ::: "memory");
    else if (order != __NV_ATOMIC_RELAXED)
        WEIR_IN_SCOPE("fence.acq_rel", ";", ::: "memory");
}

/* The same with the order, for instructions that read and write. */
#define WEIR_IN_ORDER(before, after, ...)                                                                              \
    do {                                                                                                               \
        if (order == __NV_ATOMIC_SEQ_CST)                                                                              \
            WEIR_IN_SCOPE("fence.sc", ";", ::: "memory");                                                              \
        if (order == __NV_ATOMIC_RELAXED)                                                                              \
            WEIR_IN_SCOPE(before ".relaxed", after, __VA_ARGS__);                                                      \
        else if (order == __NV_ATOMIC_RELEASE)                                                                         \
            WEIR_IN_SCOPE(before ".release", after, __VA_ARGS__);                                                      \
        else if (order == __NV_ATOMIC_ACQ_REL)                                                                         \
            WEIR_IN_SCOPE(before ".acq_rel", after, __VA_ARGS__);                                                      \
        else                                                                                                           \
            WEIR_IN_SCOPE(before ".acquire", after, __VA_ARGS__);                                                      \
    } while (0)

/* The word that an object is, by its size. */
template <int Bytes> struct weir_atomic_word;
#define WEIR_LOAD_STORE(bytes, Word, letter, type)                                                                     \
    template <> struct weir_atomic_word<bytes> {                                                                       \
        typedef Word word;                                                                                             \
        WEIR_DEV Word load(const void *p, int order, int scope)                                                        \
        {                                                                                                              \
            Word v;                                                                                                    \
            if (order == __NV_ATOMIC_SEQ_CST)                                                                          \
                WEIR_IN_SCOPE("fence.sc", ";", ::: "memory");                                                          \
            if (order == __NV_ATOMIC_RELAXED)                                                                          \
                WEIR_IN_SCOPE("ld.relaxed", "." type " %0, [%1];", : "=" letter(v) : "l"(p) : "memory");               \
            else                                                                                                       \
                WEIR_IN_SCOPE("ld.acquire", "." type " %0, [%1];", : "=" letter(v) : "l"(p) : "memory");               \
            return v;                                                                                                  \
        }                                                                                                              \
        WEIR_DEV void store(void *p, Word v, int order, int scope)                                                     \
        {                                                                                                              \
            if (order == __NV_ATOMIC_SEQ_CST)                                                                          \
                WEIR_IN_SCOPE("fence.sc", ";", ::: "memory");                                                          \
            if (order == __NV_ATOMIC_RELEASE)                                                                          \
                WEIR_IN_SCOPE("st.release", "." type " [%0], %1;", ::"l"(p), letter(v) : "memory");                    \
            else                                                                                                       \
                WEIR_IN_SCOPE("st.relaxed", "." type " [%0], %1;", ::"l"(p), letter(v) : "memory");                    \
        }                                                                                                              \
    };
WEIR_LOAD_STORE(1, unsigned short, "h", "b8")
WEIR_LOAD_STORE(2, unsigned short, "h", "b16")
WEIR_LOAD_STORE(4, unsigned, "r", "b32")
WEIR_LOAD_STORE(8, unsigned long long, "l", "b64")
#undef WEIR_LOAD_STORE

/* Sixteen bytes: two halves that become one register. */
struct weir_atomic_pair {
    unsigned long long low, high;
};
WEIR_DEV bool operator==(weir_atomic_pair a, weir_atomic_pair b)
{
    return a.low == b.low && a.high == b.high;
}
WEIR_DEV bool operator!=(weir_atomic_pair a, weir_atomic_pair b)
{
    return !(a == b);
}
template <> struct weir_atomic_word<16> {
    typedef weir_atomic_pair word;
    WEIR_DEV weir_atomic_pair load(const void *p, int order, int scope)
    {
        weir_atomic_pair v;
        if (order == __NV_ATOMIC_SEQ_CST)
            WEIR_IN_SCOPE("fence.sc", ";", ::: "memory");
        if (order == __NV_ATOMIC_RELAXED)
            WEIR_IN_SCOPE("{ .reg .b128 v; ld.relaxed", ".b128 v, [%2]; mov.b128 {%0, %1}, v; }",
                          : "=l"(v.low), "=l"(v.high) : "l"(p) : "memory");
        else
            WEIR_IN_SCOPE("{ .reg .b128 v; ld.acquire", ".b128 v, [%2]; mov.b128 {%0, %1}, v; }",
                          : "=l"(v.low), "=l"(v.high) : "l"(p) : "memory");
        return v;
    }
    WEIR_DEV void store(void *p, weir_atomic_pair v, int order, int scope)
    {
        if (order == __NV_ATOMIC_SEQ_CST)
            WEIR_IN_SCOPE("fence.sc", ";", ::: "memory");
        if (order == __NV_ATOMIC_RELEASE)
            WEIR_IN_SCOPE("{ .reg .b128 v; mov.b128 v, {%1, %2}; st.release", ".b128 [%0], v; }",
                          ::"l"(p), "l"(v.low), "l"(v.high) : "memory");
        else
            WEIR_IN_SCOPE("{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed", ".b128 [%0], v; }",
                          ::"l"(p), "l"(v.low), "l"(v.high) : "memory");
    }
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
WEIR_DEV weir_atomic_pair weir_atomic_exchange(void *p, weir_atomic_pair v, int order, int scope)
{
    weir_atomic_pair old;
    WEIR_IN_ORDER("{ .reg .b128 v, old; mov.b128 v, {%3, %4}; atom", ".exch.b128 old, [%2], v; mov.b128 {%0, %1}, old; }",
                  : "=l"(old.low), "=l"(old.high) : "l"(p), "l"(v.low), "l"(v.high) : "memory");
    return old;
}
WEIR_DEV weir_atomic_pair weir_atomic_compare(void *p, weir_atomic_pair expected, weir_atomic_pair v, int order, int scope)
{
    weir_atomic_pair old;
    WEIR_IN_ORDER("{ .reg .b128 e, v, old; mov.b128 e, {%3, %4}; mov.b128 v, {%5, %6}; atom",
                  ".cas.b128 old, [%2], e, v; mov.b128 {%0, %1}, old; }",
                  : "=l"(old.low), "=l"(old.high)
                  : "l"(p), "l"(expected.low), "l"(expected.high), "l"(v.low), "l"(v.high)
                  : "memory");
    return old;
}
#endif
#define WEIR_EXCHANGE(Word, letter, type)                                                                              \
    WEIR_DEV Word weir_atomic_exchange(void *p, Word v, int order, int scope)                                          \
    {                                                                                                                  \
        Word old;                                                                                                      \
        WEIR_IN_ORDER("atom", ".exch." type " %0, [%1], %2;", : "=" letter(old) : "l"(p), letter(v) : "memory");       \
        return old;                                                                                                    \
    }
WEIR_EXCHANGE(unsigned, "r", "b32")
WEIR_EXCHANGE(unsigned long long, "l", "b64")
#undef WEIR_EXCHANGE
#define WEIR_COMPARE_EXCHANGE(Word, letter, type)                                                                      \
    WEIR_DEV Word weir_atomic_compare(void *p, Word expected, Word v, int order, int scope)                            \
    {                                                                                                                  \
        Word old;                                                                                                      \
        WEIR_IN_ORDER("atom", ".cas." type " %0, [%1], %2, %3;", : "=" letter(old) : "l"(p), letter(expected), letter(v)\
                      : "memory");                                                                                     \
        return old;                                                                                                    \
    }
WEIR_COMPARE_EXCHANGE(unsigned short, "h", "b16")
WEIR_COMPARE_EXCHANGE(unsigned, "r", "b32")
WEIR_COMPARE_EXCHANGE(unsigned long long, "l", "b64")
#undef WEIR_COMPARE_EXCHANGE

/* An argument that follows the type of another one. */
template <class Type> struct weir_as_is {
    typedef Type type;
};
template <class To, class From> WEIR_DEV To weir_atomic_cast(From v)
{
    To r;
    memcpy(&r, &v, sizeof(From) < sizeof(To) ? sizeof(From) : sizeof(To)); /* bytes lie in words of 16 bits */
    return r;
}

/* ---- loads and stores ---- */
template <class Type> WEIR_DEV Type __nv_atomic_load_n(const Type *p, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return weir_atomic_cast<Type>(weir_atomic_word<sizeof(Type)>::load(p, order, scope));
}
template <class Type>
WEIR_DEV void __nv_atomic_load(const Type *p, Type *result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *result = __nv_atomic_load_n(p, order, scope);
}
template <class Type>
WEIR_DEV void __nv_atomic_store_n(Type *p, typename weir_as_is<Type>::type v, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef weir_atomic_word<sizeof(Type)> word;
    word::store(p, weir_atomic_cast<typename word::word>(v), order, scope);
}
template <class Type>
WEIR_DEV void __nv_atomic_store(Type *p, Type *v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __nv_atomic_store_n(p, *v, order, scope);
}

/* ---- exchanges ---- */
template <class Type>
WEIR_DEV Type __nv_atomic_exchange_n(Type *p, typename weir_as_is<Type>::type v, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef typename weir_atomic_word<sizeof(Type)>::word word;
    return weir_atomic_cast<Type>(weir_atomic_exchange(p, weir_atomic_cast<word>(v), order, scope));
}
template <class Type>
WEIR_DEV void __nv_atomic_exchange(Type *p, Type *v, Type *result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *result = __nv_atomic_exchange_n(p, *v, order, scope);
}
/* There is one order for both outcomes in the machine: the stronger one. A weak exchange does not fail for nothing. */
template <class Type>
WEIR_DEV bool __nv_atomic_compare_exchange_n(Type *p, Type *expected, typename weir_as_is<Type>::type v, bool weak,
                                             int order, int failure_order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    typedef typename weir_atomic_word<sizeof(Type)>::word word;
    const word was = weir_atomic_cast<word>(*expected);
    if (failure_order == __NV_ATOMIC_SEQ_CST)
        order = failure_order;
    else if (failure_order != __NV_ATOMIC_RELAXED && order == __NV_ATOMIC_RELEASE)
        order = __NV_ATOMIC_ACQ_REL;
    else if (failure_order != __NV_ATOMIC_RELAXED && order == __NV_ATOMIC_RELAXED)
        order = failure_order;
    const word old = weir_atomic_compare(p, was, weir_atomic_cast<word>(v), order, scope);
    if (old != was)
        *expected = weir_atomic_cast<Type>(old);
    return old == was;
}
template <class Type>
WEIR_DEV bool __nv_atomic_compare_exchange(Type *p, Type *expected, Type *v, bool weak, int order, int failure_order,
                                           int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return __nv_atomic_compare_exchange_n(p, expected, *v, weak, order, failure_order, scope);
}

/* ---- arithmetic: the value before it, or nothing ---- */
#define WEIR_FETCH_AS(name, op, value, Type, Word, letter, type)                                                       \
    WEIR_DEV Type __nv_atomic_fetch_##name(Type *p, Type v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)           \
    {                                                                                                                  \
        Word old;                                                                                                      \
        WEIR_IN_ORDER("atom", "." op "." type " %0, [%1], %2;", : "=" letter(old) : "l"(p), letter((Word)(value))      \
                      : "memory");                                                                                     \
        return (Type)old;                                                                                              \
    }                                                                                                                  \
    WEIR_DEV void __nv_atomic_##name(Type *p, Type v, int order, int scope = __NV_THREAD_SCOPE_SYSTEM)                 \
    {                                                                                                                  \
        __nv_atomic_fetch_##name(p, v, order, scope);                                                                  \
    }
#define WEIR_FETCH(name, op, value, s32, s64, u32, u64)                                                                \
    WEIR_FETCH_AS(name, op, value, int, int, "r", s32)                                                                 \
    WEIR_FETCH_AS(name, op, value, unsigned, unsigned, "r", u32)                                                       \
    WEIR_FETCH_AS(name, op, value, long, long, "l", s64)                                                               \
    WEIR_FETCH_AS(name, op, value, unsigned long, unsigned long, "l", u64)                                             \
    WEIR_FETCH_AS(name, op, value, long long, long long, "l", s64)                                                     \
    WEIR_FETCH_AS(name, op, value, unsigned long long, unsigned long long, "l", u64)
WEIR_FETCH(add, "add", v, "u32", "u64", "u32", "u64")
WEIR_FETCH(sub, "add", -(unsigned long long)v, "u32", "u64", "u32", "u64")
WEIR_FETCH(and, "and", v, "b32", "b64", "b32", "b64")
WEIR_FETCH(or, "or", v, "b32", "b64", "b32", "b64")
WEIR_FETCH(xor, "xor", v, "b32", "b64", "b32", "b64")
WEIR_FETCH(min, "min", v, "s32", "s64", "u32", "u64")
WEIR_FETCH(max, "max", v, "s32", "s64", "u32", "u64")
WEIR_FETCH_AS(add, "add", v, float, float, "f", "f32")
WEIR_FETCH_AS(sub, "add", -v, float, float, "f", "f32")
WEIR_FETCH_AS(add, "add", v, double, double, "d", "f64")
WEIR_FETCH_AS(sub, "add", -v, double, double, "d", "f64")
#undef WEIR_FETCH
#undef WEIR_FETCH_AS
#undef WEIR_IN_ORDER
#undef WEIR_IN_SCOPE

#endif

#endif
