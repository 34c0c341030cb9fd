/*
 * Texture and surface access: tex1D ... texCubemapLayered, gathers, surface loads and stores, for texture objects and
 * for the texture references that CUDA had before version 12.
 *
 * A fetch is one PTX tex instruction that yields four 32-bit words; the wanted type is cut from them. A texture
 * reference is a device variable that holds a texture object (weir cc sees to that in the PTX); binding it makes the
 * object from the reference's fields.
 */
#ifndef WEIR_CUDA_TEXTURE_H
#define WEIR_CUDA_TEXTURE_H

/* ---- what a texel of type T is made of ---- */
template <class weir_T> struct weir_fetch;
#define WEIR_FETCH(T, V, W)                                                                                            \
    template <> struct weir_fetch<T> {                                                                                 \
        typedef W word;                                                                                                \
        static __device__ inline T make(W x, W, W, W) { return (T)x; }                                                 \
    };                                                                                                                 \
    template <> struct weir_fetch<V##1> {                                                                              \
        typedef W word;                                                                                                \
        static __device__ inline V##1 make(W x, W, W, W) { return make_##V##1((T)x); }                                 \
    };                                                                                                                 \
    template <> struct weir_fetch<V##2> {                                                                              \
        typedef W word;                                                                                                \
        static __device__ inline V##2 make(W x, W y, W, W) { return make_##V##2((T)x, (T)y); }                         \
    };                                                                                                                 \
    template <> struct weir_fetch<V##4> {                                                                              \
        typedef W word;                                                                                                \
        static __device__ inline V##4 make(W x, W y, W z, W w) { return make_##V##4((T)x, (T)y, (T)z, (T)w); }         \
    };
WEIR_FETCH(signed char, char, int)
WEIR_FETCH(unsigned char, uchar, unsigned)
WEIR_FETCH(short, short, int)
WEIR_FETCH(unsigned short, ushort, unsigned)
WEIR_FETCH(int, int, int)
WEIR_FETCH(unsigned, uint, unsigned)
WEIR_FETCH(float, float, float)
#undef WEIR_FETCH
template <> struct weir_fetch<char> {
    typedef int word;
    static __device__ inline char make(int x, int, int, int) { return (char)x; }
};

/* ---- the instructions; one overload per kind of word ---- */
/* geometry: suffix after "tex."; address: the operand after the object; inputs: constraints of the address. */
#define WEIR_TEX_WORD(function, W, type, c, geometry, index, address, params, ...)                                     \
    WEIR_DEV void function(cudaTextureObject_t object, W(&v)[4] WEIR_EXPAND params)                                    \
    {                                                                                                                  \
        asm("tex." geometry ".v4." type "." index " {%0, %1, %2, %3}, [%4, " address ";"                               \
            : "=" c(v[0]), "=" c(v[1]), "=" c(v[2]), "=" c(v[3])                                                       \
            : "l"(object), __VA_ARGS__);                                                                               \
    }
#define WEIR_EXPAND(...) , __VA_ARGS__
#define WEIR_TEX(function, geometry, index, address, params, ...)                                                      \
    WEIR_TEX_WORD(function, float, "f32", "f", geometry, index, address, params, __VA_ARGS__)                          \
    WEIR_TEX_WORD(function, int, "s32", "r", geometry, index, address, params, __VA_ARGS__)                            \
    WEIR_TEX_WORD(function, unsigned, "u32", "r", geometry, index, address, params, __VA_ARGS__)

WEIR_TEX(weir_tex1Dfetch, "1d", "s32", "{%5}]", (int x), "r"(x))
WEIR_TEX(weir_tex1D, "1d", "f32", "{%5}]", (float x), "f"(x))
WEIR_TEX(weir_tex2D, "2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
WEIR_TEX(weir_tex3D, "3d", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
WEIR_TEX(weir_tex1DLayered, "a1d", "f32", "{%5, %6}]", (float x, int layer), "r"(layer), "f"(x))
WEIR_TEX(weir_tex2DLayered, "a2d", "f32", "{%5, %6, %7, %7}]", (float x, float y, int layer), "r"(layer), "f"(x),
         "f"(y))
WEIR_TEX(weir_texCubemap, "cube", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
WEIR_TEX(weir_texCubemapLayered, "acube", "f32", "{%5, %6, %7, %8}]", (float x, float y, float z, int layer),
         "r"(layer), "f"(x), "f"(y), "f"(z))
WEIR_TEX(weir_tex1DLod, "level.1d", "f32", "{%5}], %6", (float x, float level), "f"(x), "f"(level))
WEIR_TEX(weir_tex2DLod, "level.2d", "f32", "{%5, %6}], %7", (float x, float y, float level), "f"(x), "f"(y), "f"(level))
WEIR_TEX(weir_tex3DLod, "level.3d", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level), "f"(x),
         "f"(y), "f"(z), "f"(level))
WEIR_TEX(weir_tex1DLayeredLod, "level.a1d", "f32", "{%5, %6}], %7", (float x, int layer, float level), "r"(layer),
         "f"(x), "f"(level))
WEIR_TEX(weir_tex2DLayeredLod, "level.a2d", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, int layer, float level),
         "r"(layer), "f"(x), "f"(y), "f"(level))
WEIR_TEX(weir_texCubemapLod, "level.cube", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
         "f"(x), "f"(y), "f"(z), "f"(level))
WEIR_TEX(weir_tex1DGrad, "grad.1d", "f32", "{%5}], {%6}, {%7}", (float x, float dx, float dy), "f"(x), "f"(dx), "f"(dy))
WEIR_TEX(weir_tex2DGrad, "grad.2d", "f32", "{%5, %6}], {%7, %8}, {%9, %10}", (float x, float y, float2 dx, float2 dy),
         "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
WEIR_TEX(weir_tex3DGrad, "grad.3d", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
         (float x, float y, float z, float4 dx, float4 dy), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z),
         "f"(dy.x), "f"(dy.y), "f"(dy.z))
#undef WEIR_TEX

/* The four texels around a point, one component of each. */
#define WEIR_TLD4(component, W, type, c)                                                                               \
    WEIR_DEV void weir_tex2Dgather_##component(cudaTextureObject_t object, W(&v)[4], float x, float y)                 \
    {                                                                                                                  \
        asm("tld4." #component ".2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                 \
            : "=" c(v[0]), "=" c(v[1]), "=" c(v[2]), "=" c(v[3])                                                       \
            : "l"(object), "f"(x), "f"(y));                                                                            \
    }
#define WEIR_TLD4S(component)                                                                                          \
    WEIR_TLD4(component, float, "f32", "f")                                                                            \
    WEIR_TLD4(component, int, "s32", "r")                                                                              \
    WEIR_TLD4(component, unsigned, "u32", "r")
WEIR_TLD4S(r)
WEIR_TLD4S(g)
WEIR_TLD4S(b)
WEIR_TLD4S(a)
#undef WEIR_TLD4S
#undef WEIR_TLD4
#undef WEIR_TEX_WORD
#undef WEIR_EXPAND

/* ---- texture objects ---- */
#define WEIR_TEX_FUNCTION(name, params, args)                                                                          \
    template <class weir_T> WEIR_DEV weir_T name(cudaTextureObject_t object WEIR_UNWRAP params)                        \
    {                                                                                                                  \
        typename weir_fetch<weir_T>::word v[4];                                                                        \
        weir_##name(object, v WEIR_UNWRAP args);                                                                       \
        return weir_fetch<weir_T>::make(v[0], v[1], v[2], v[3]);                                                       \
    }                                                                                                                  \
    template <class weir_T> WEIR_DEV void name(weir_T *result, cudaTextureObject_t object WEIR_UNWRAP params)          \
    {                                                                                                                  \
        *result = name<weir_T>(object WEIR_UNWRAP args);                                                               \
    }
#define WEIR_UNWRAP(...) , __VA_ARGS__
WEIR_TEX_FUNCTION(tex1Dfetch, (int x), (x))
WEIR_TEX_FUNCTION(tex1D, (float x), (x))
WEIR_TEX_FUNCTION(tex2D, (float x, float y), (x, y))
WEIR_TEX_FUNCTION(tex3D, (float x, float y, float z), (x, y, z))
WEIR_TEX_FUNCTION(tex1DLayered, (float x, int layer), (x, layer))
WEIR_TEX_FUNCTION(tex2DLayered, (float x, float y, int layer), (x, y, layer))
WEIR_TEX_FUNCTION(texCubemap, (float x, float y, float z), (x, y, z))
WEIR_TEX_FUNCTION(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer))
WEIR_TEX_FUNCTION(tex1DLod, (float x, float level), (x, level))
WEIR_TEX_FUNCTION(tex2DLod, (float x, float y, float level), (x, y, level))
WEIR_TEX_FUNCTION(tex3DLod, (float x, float y, float z, float level), (x, y, z, level))
WEIR_TEX_FUNCTION(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level))
WEIR_TEX_FUNCTION(tex2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level))
WEIR_TEX_FUNCTION(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level))
WEIR_TEX_FUNCTION(tex1DGrad, (float x, float dx, float dy), (x, dx, dy))
WEIR_TEX_FUNCTION(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
WEIR_TEX_FUNCTION(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy))
#undef WEIR_TEX_FUNCTION
template <class weir_T> WEIR_DEV weir_T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0)
{
    typename weir_fetch<weir_T>::word v[4];
    switch (component) {
    case 1:
        weir_tex2Dgather_g(object, v, x, y);
        break;
    case 2:
        weir_tex2Dgather_b(object, v, x, y);
        break;
    case 3:
        weir_tex2Dgather_a(object, v, x, y);
        break;
    default:
        weir_tex2Dgather_r(object, v, x, y);
        break;
    }
    return weir_fetch<weir_T>::make(v[0], v[1], v[2], v[3]);
}

/* ---- surfaces: unformatted, x in bytes ---- */
template <int Bytes> struct weir_raw;
template <> struct weir_raw<1> {
    typedef unsigned char type;
};
template <> struct weir_raw<2> {
    typedef unsigned short type;
};
template <> struct weir_raw<4> {
    typedef unsigned type;
};
template <> struct weir_raw<8> {
    typedef uint2 type;
};
template <> struct weir_raw<16> {
    typedef uint4 type;
};

#define WEIR_SURFACE(g, m, params, address, ...)                                                                       \
    WEIR_DEV void weir_suld_##g##_##m(cudaSurfaceObject_t s, unsigned char &v WEIR_UNWRAP params)                      \
    {                                                                                                                  \
        unsigned short r;                                                                                              \
        asm volatile("suld.b." #g ".b8." #m " {%0}, [%[s], " address "];" : "=h"(r) : [s] "l"(s), __VA_ARGS__);        \
        v = (unsigned char)r;                                                                                          \
    }                                                                                                                  \
    WEIR_DEV void weir_suld_##g##_##m(cudaSurfaceObject_t s, unsigned short &v WEIR_UNWRAP params)                     \
    {                                                                                                                  \
        asm volatile("suld.b." #g ".b16." #m " {%0}, [%[s], " address "];" : "=h"(v) : [s] "l"(s), __VA_ARGS__);       \
    }                                                                                                                  \
    WEIR_DEV void weir_suld_##g##_##m(cudaSurfaceObject_t s, unsigned &v WEIR_UNWRAP params)                           \
    {                                                                                                                  \
        asm volatile("suld.b." #g ".b32." #m " {%0}, [%[s], " address "];" : "=r"(v) : [s] "l"(s), __VA_ARGS__);       \
    }                                                                                                                  \
    WEIR_DEV void weir_suld_##g##_##m(cudaSurfaceObject_t s, uint2 &v WEIR_UNWRAP params)                              \
    {                                                                                                                  \
        asm volatile("suld.b." #g ".v2.b32." #m " {%0, %1}, [%[s], " address "];"                                      \
                     : "=r"(v.x), "=r"(v.y)                                                                            \
                     : [s] "l"(s), __VA_ARGS__);                                                                       \
    }                                                                                                                  \
    WEIR_DEV void weir_suld_##g##_##m(cudaSurfaceObject_t s, uint4 &v WEIR_UNWRAP params)                              \
    {                                                                                                                  \
        asm volatile("suld.b." #g ".v4.b32." #m " {%0, %1, %2, %3}, [%[s], " address "];"                              \
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                                      \
                     : [s] "l"(s), __VA_ARGS__);                                                                       \
    }                                                                                                                  \
    WEIR_DEV void weir_sust_##g##_##m(cudaSurfaceObject_t s, unsigned char v WEIR_UNWRAP params)                       \
    {                                                                                                                  \
        asm volatile("sust.b." #g ".b8." #m " [%[s], " address "], {%[a]};" ::[s] "l"(s), [a] "h"((unsigned short)v),  \
                     __VA_ARGS__                                                                                       \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    WEIR_DEV void weir_sust_##g##_##m(cudaSurfaceObject_t s, unsigned short v WEIR_UNWRAP params)                      \
    {                                                                                                                  \
        asm volatile("sust.b." #g ".b16." #m " [%[s], " address "], {%[a]};" ::[s] "l"(s), [a] "h"(v), __VA_ARGS__     \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    WEIR_DEV void weir_sust_##g##_##m(cudaSurfaceObject_t s, unsigned v WEIR_UNWRAP params)                            \
    {                                                                                                                  \
        asm volatile("sust.b." #g ".b32." #m " [%[s], " address "], {%[a]};" ::[s] "l"(s), [a] "r"(v), __VA_ARGS__     \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    WEIR_DEV void weir_sust_##g##_##m(cudaSurfaceObject_t s, uint2 v WEIR_UNWRAP params)                               \
    {                                                                                                                  \
        asm volatile(                                                                                                  \
            "sust.b." #g ".v2.b32." #m " [%[s], " address "], {%[a], %[b]};" ::[s] "l"(s), [a] "r"(v.x), [b] "r"(v.y), \
            __VA_ARGS__                                                                                                \
            : "memory");                                                                                               \
    }                                                                                                                  \
    WEIR_DEV void weir_sust_##g##_##m(cudaSurfaceObject_t s, uint4 v WEIR_UNWRAP params)                               \
    {                                                                                                                  \
        asm volatile("sust.b." #g ".v4.b32." #m " [%[s], " address "], {%[a], %[b], %[c], %[d]};" ::[s] "l"(s),        \
                     [a] "r"(v.x), [b] "r"(v.y), [c] "r"(v.z), [d] "r"(v.w), __VA_ARGS__                               \
                     : "memory");                                                                                      \
    }
#define WEIR_SURFACES(g, params, address, ...)                                                                         \
    WEIR_SURFACE(g, trap, params, address, __VA_ARGS__)                                                                \
    WEIR_SURFACE(g, clamp, params, address, __VA_ARGS__)                                                               \
    WEIR_SURFACE(g, zero, params, address, __VA_ARGS__)
WEIR_SURFACES(1d, (int x), "{%[x]}", [x] "r"(x))
WEIR_SURFACES(2d, (int x, int y), "{%[x], %[y]}", [x] "r"(x), [y] "r"(y))
WEIR_SURFACES(3d, (int x, int y, int z), "{%[x], %[y], %[z], %[z]}", [x] "r"(x), [y] "r"(y), [z] "r"(z))
WEIR_SURFACES(a1d, (int x, int layer), "{%[l], %[x]}", [x] "r"(x), [l] "r"(layer))
WEIR_SURFACES(a2d, (int x, int y, int layer), "{%[l], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [l] "r"(layer))
#undef WEIR_SURFACES
#undef WEIR_SURFACE

#define WEIR_SURFACE_FUNCTIONS(name, g, params, args)                                                                  \
    template <class weir_T>                                                                                            \
    WEIR_DEV weir_T name##read(cudaSurfaceObject_t s WEIR_UNWRAP params,                                               \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                         \
    {                                                                                                                  \
        typename weir_raw<sizeof(weir_T)>::type v;                                                                     \
        if (mode == cudaBoundaryModeClamp)                                                                             \
            weir_suld_##g##_clamp(s, v WEIR_UNWRAP args);                                                              \
        else if (mode == cudaBoundaryModeZero)                                                                         \
            weir_suld_##g##_zero(s, v WEIR_UNWRAP args);                                                               \
        else                                                                                                           \
            weir_suld_##g##_trap(s, v WEIR_UNWRAP args);                                                               \
        return __builtin_bit_cast(weir_T, v);                                                                          \
    }                                                                                                                  \
    template <class weir_T>                                                                                            \
    WEIR_DEV void name##read(weir_T *result, cudaSurfaceObject_t s WEIR_UNWRAP params,                                 \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                      \
    {                                                                                                                  \
        *result = name##read<weir_T>(s WEIR_UNWRAP args, mode);                                                        \
    }                                                                                                                  \
    template <class weir_T>                                                                                            \
    WEIR_DEV void name##write(weir_T value, cudaSurfaceObject_t s WEIR_UNWRAP params,                                  \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                     \
    {                                                                                                                  \
        typename weir_raw<sizeof(weir_T)>::type v = __builtin_bit_cast(typename weir_raw<sizeof(weir_T)>::type, value);\
        if (mode == cudaBoundaryModeClamp)                                                                             \
            weir_sust_##g##_clamp(s, v WEIR_UNWRAP args);                                                              \
        else if (mode == cudaBoundaryModeZero)                                                                         \
            weir_sust_##g##_zero(s, v WEIR_UNWRAP args);                                                               \
        else                                                                                                           \
            weir_sust_##g##_trap(s, v WEIR_UNWRAP args);                                                               \
    }
WEIR_SURFACE_FUNCTIONS(surf1D, 1d, (int x), (x))
WEIR_SURFACE_FUNCTIONS(surf2D, 2d, (int x, int y), (x, y))
WEIR_SURFACE_FUNCTIONS(surf3D, 3d, (int x, int y, int z), (x, y, z))
WEIR_SURFACE_FUNCTIONS(surf1DLayered, a1d, (int x, int layer), (x, layer))
WEIR_SURFACE_FUNCTIONS(surf2DLayered, a2d, (int x, int y, int layer), (x, y, layer))
WEIR_SURFACE_FUNCTIONS(surfCubemap, a2d, (int x, int y, int face), (x, y, face))
WEIR_SURFACE_FUNCTIONS(surfCubemapLayered, a2d, (int x, int y, int layer_face), (x, y, layer_face))
#undef WEIR_SURFACE_FUNCTIONS

/* ---- texture references ---- */
struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    cudaTextureObject_t bound; /* what the last binding made; 0 = nothing */
    enum cudaTextureReadMode readMode;
};
template <class weir_T, int dim = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp)
    {
        init(norm, filter, address, cudaCreateChannelDesc<weir_T>());
    }
    texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc)
    {
        init(norm, filter, address, desc);
    }

  private:
    void init(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc)
    {
        normalized = norm, filterMode = filter, channelDesc = desc;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        sRGB = 0, maxAnisotropy = 0, mipmapFilterMode = cudaFilterModePoint;
        mipmapLevelBias = minMipmapLevelClamp = maxMipmapLevelClamp = 0;
        bound = 0, readMode = mode;
    }
};

/* A normalized read gives floats in place of small integers. */
template <class weir_T, enum cudaTextureReadMode mode> struct weir_fetched { typedef weir_T type; };
#define WEIR_NORMALIZED(T, V)                                                                                          \
    template <> struct weir_fetched<T, cudaReadModeNormalizedFloat> {                                                  \
        typedef float type;                                                                                            \
    };                                                                                                                 \
    template <> struct weir_fetched<V##1, cudaReadModeNormalizedFloat> {                                               \
        typedef float1 type;                                                                                           \
    };                                                                                                                 \
    template <> struct weir_fetched<V##2, cudaReadModeNormalizedFloat> {                                               \
        typedef float2 type;                                                                                           \
    };                                                                                                                 \
    template <> struct weir_fetched<V##4, cudaReadModeNormalizedFloat> {                                               \
        typedef float4 type;                                                                                           \
    };
WEIR_NORMALIZED(signed char, char)
WEIR_NORMALIZED(unsigned char, uchar)
WEIR_NORMALIZED(short, short)
WEIR_NORMALIZED(unsigned short, ushort)
#undef WEIR_NORMALIZED

/* On the device the reference is its object. */
#define WEIR_TEX_REFERENCE(name, dim, params, args)                                                                    \
    template <class weir_T, enum cudaTextureReadMode mode>                                                             \
    WEIR_DEV typename weir_fetched<weir_T, mode>::type name(texture<weir_T, dim, mode> t WEIR_UNWRAP params)           \
    {                                                                                                                  \
        return name<typename weir_fetched<weir_T, mode>::type>(reinterpret_cast<cudaTextureObject_t &>(t)              \
                                                              WEIR_UNWRAP args);                                       \
    }
WEIR_TEX_REFERENCE(tex1Dfetch, cudaTextureType1D, (int x), (x))
WEIR_TEX_REFERENCE(tex1D, cudaTextureType1D, (float x), (x))
WEIR_TEX_REFERENCE(tex2D, cudaTextureType2D, (float x, float y), (x, y))
WEIR_TEX_REFERENCE(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
WEIR_TEX_REFERENCE(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
WEIR_TEX_REFERENCE(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
WEIR_TEX_REFERENCE(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
#undef WEIR_TEX_REFERENCE
#undef WEIR_UNWRAP

#ifndef __CUDA_ARCH__
extern "C" void __cudaRegisterVar(void **module, char *host, char *address, const char *name, int external,
                                  size_t bytes, int constant, int global);
/* clang registers references with a call CUDA 13 no longer has; to the runtime they are variables of eight bytes. */
extern "C" inline __attribute__((used)) void __cudaRegisterTexture(void **module, const void *host,
                                                                   const void **address, const char *name, int dim,
                                                                   int normalized, int external)
{
    __cudaRegisterVar(module, (char *)host, (char *)name, name, external, sizeof(cudaTextureObject_t), 0, 0);
}
#endif

static inline cudaError_t cudaUnbindTexture(textureReference *t)
{
    cudaTextureObject_t none = 0, old = t->bound;
    if (!old)
        return cudaSuccess;
    t->bound = 0;
    cudaError_t e = ::cudaMemcpyToSymbol((const void *)t, &none, sizeof none, 0, cudaMemcpyHostToDevice);
    return e == cudaSuccess ? cudaDestroyTextureObject(old) : e;
}
static inline cudaError_t weir_bind(textureReference *t, const cudaResourceDesc *resource)
{
    cudaTextureDesc desc;
    __builtin_memset(&desc, 0, sizeof desc);
    for (int i = 0; i < 3; i++)
        desc.addressMode[i] = t->addressMode[i];
    desc.filterMode = t->filterMode;
    desc.readMode = t->readMode;
    desc.sRGB = t->sRGB;
    desc.normalizedCoords = t->normalized;
    desc.maxAnisotropy = t->maxAnisotropy;
    desc.mipmapFilterMode = t->mipmapFilterMode;
    desc.mipmapLevelBias = t->mipmapLevelBias;
    desc.minMipmapLevelClamp = t->minMipmapLevelClamp;
    desc.maxMipmapLevelClamp = t->maxMipmapLevelClamp;
    cudaError_t e = cudaUnbindTexture(t);
    if (e == cudaSuccess)
        e = cudaCreateTextureObject(&t->bound, resource, &desc, 0);
    return e == cudaSuccess
               ? ::cudaMemcpyToSymbol((const void *)t, &t->bound, sizeof t->bound, 0, cudaMemcpyHostToDevice)
               : e;
}
static inline cudaError_t cudaBindTexture(size_t *offset, textureReference *t, const void *ptr,
                                          const cudaChannelFormatDesc *desc, size_t bytes)
{
    cudaResourceDesc resource;
    __builtin_memset(&resource, 0, sizeof resource);
    if (offset)
        *offset = 0;
    if (bytes > 0x7fffffff)
        bytes = 0x7fffffff; /* "the rest", as the default argument says it */
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)ptr;
    resource.res.linear.desc = *desc;
    resource.res.linear.sizeInBytes = bytes;
    return weir_bind(t, &resource);
}
static inline cudaError_t cudaBindTexture2D(size_t *offset, textureReference *t, const void *ptr,
                                            const cudaChannelFormatDesc *desc, size_t width, size_t height,
                                            size_t pitch)
{
    cudaResourceDesc resource;
    __builtin_memset(&resource, 0, sizeof resource);
    if (offset)
        *offset = 0;
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void *)ptr;
    resource.res.pitch2D.desc = *desc;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return weir_bind(t, &resource);
}
static inline cudaError_t cudaBindTextureToArray(textureReference *t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc *)
{
    cudaResourceDesc resource;
    __builtin_memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = (cudaArray_t)array;
    return weir_bind(t, &resource);
}
template <class weir_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, texture<weir_T, dim, mode> &t, const void *ptr,
                                          const cudaChannelFormatDesc &desc, size_t bytes = 0xffffffff)
{
    return cudaBindTexture(offset, (textureReference *)&t, ptr, &desc, bytes);
}
template <class weir_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, texture<weir_T, dim, mode> &t, const void *ptr,
                                          size_t bytes = 0xffffffff)
{
    return cudaBindTexture(offset, (textureReference *)&t, ptr, &t.channelDesc, bytes);
}
template <class weir_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, texture<weir_T, dim, mode> &t, const void *ptr,
                                            const cudaChannelFormatDesc &desc, size_t width, size_t height,
                                            size_t pitch)
{
    return cudaBindTexture2D(offset, (textureReference *)&t, ptr, &desc, width, height, pitch);
}
template <class weir_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, texture<weir_T, dim, mode> &t, const void *ptr, size_t width,
                                            size_t height, size_t pitch)
{
    return cudaBindTexture2D(offset, (textureReference *)&t, ptr, &t.channelDesc, width, height, pitch);
}
template <class weir_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(texture<weir_T, dim, mode> &t, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc)
{
    return cudaBindTextureToArray((textureReference *)&t, array, &desc);
}
template <class weir_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(texture<weir_T, dim, mode> &t, cudaArray_const_t array)
{
    return cudaBindTextureToArray((textureReference *)&t, array, &t.channelDesc);
}
template <class weir_T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(texture<weir_T, dim, mode> &t)
{
    return cudaUnbindTexture((textureReference *)&t);
}

#endif
