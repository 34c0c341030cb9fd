/*
 * CUDA arrays and mipmapped arrays: images in device memory, stored row by row.
 *
 * Layers and cube faces are slices, like the depth of a 3-D array.
 */
#include "cudart/runtime.h"

enum { MAX_DIM_1D = 131072, MAX_DIM_2D_W = 131072, MAX_DIM_2D_H = 65536, MAX_DIM_3D = 16384, MAX_LAYERS = 2048 };
enum { MAX_CUBE_FACES = 2046 }; /* of all layers */

struct rt_array *array_find(cudaArray_t a)
{
    return ptrmap_get(&rt.handle, a, RT_ARRAY);
}

size_t array_height(const struct rt_array *a)
{
    return a->extent.height ? a->extent.height : 1;
}

size_t array_depth(const struct rt_array *a)
{
    return a->extent.depth ? a->extent.depth : 1;
}

uint32_t array_element_bytes(const struct cudaChannelFormatDesc *d)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    int n = 0;
    while (n < 4 && bits[n])
        n++;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < n ? d->x : 0))
            return 0;
    if (n != 1 && n != 2 && n != 4)
        return 0;
    if (d->x != 8 && d->x != 16 && d->x != 32)
        return 0;
    if ((unsigned)d->f > cudaChannelFormatKindFloat || (d->f == cudaChannelFormatKindFloat && d->x == 8))
        return 0;
    return (uint32_t)(n * d->x / 8);
}

static bool extent_ok(const struct cudaExtent *n, unsigned flags)
{
    if (!n->width)
        return false;
    if (flags & cudaArrayCubemap) {
        if (n->width != n->height || n->width > MAX_DIM_3D)
            return false;
        return flags & cudaArrayLayered ? n->depth && n->depth <= MAX_CUBE_FACES && n->depth % 6 == 0 : n->depth == 6;
    }
    if (flags & cudaArrayLayered)
        return n->depth && n->depth <= MAX_LAYERS && n->width <= MAX_DIM_1D && n->height <= MAX_DIM_2D_H;
    if (n->depth)
        return n->height && n->width <= MAX_DIM_3D && n->height <= MAX_DIM_3D && n->depth <= MAX_DIM_3D;
    return n->width <= MAX_DIM_2D_W && n->height <= MAX_DIM_2D_H;
}

static cudaError_t array_new(struct rt_array **out, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                             unsigned flags)
{
    if (!desc)
        return cudaErrorInvalidValue;
    const uint32_t elem = array_element_bytes(desc);
    if (!elem)
        return cudaErrorInvalidChannelDescriptor;
    if (flags & ~(unsigned)(cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather))
        return cudaErrorInvalidValue;
    if (!extent_ok(&extent, flags))
        return cudaErrorInvalidValue;
    struct rt_array *a = xcalloc(1, sizeof *a);
    *a = (struct rt_array){.desc = *desc, .extent = extent, .flags = flags, .elem_bytes = elem};
    a->row_bytes = extent.width * elem;
    a->slice_bytes = a->row_bytes * array_height(a);
    if (emu_mem_alloc(rt.emu, a->slice_bytes * array_depth(a), EMU_MEM_ARRAY, &a->addr)) {
        free(a);
        return cudaErrorMemoryAllocation;
    }
    ptrmap_put(&rt.handle, a, RT_ARRAY, a);
    *out = a;
    return cudaSuccess;
}

static void array_delete(struct rt_array *a)
{
    emu_mem_free(rt.emu, a->addr, EMU_MEM_ARRAY);
    ptrmap_drop(&rt.handle, a, RT_ARRAY);
    free(a);
}

API cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                  unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = out ? array_new(out, desc, extent, flags) : cudaErrorInvalidValue;
    return rt_leave(e);
}

API cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                                unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || flags & (cudaArrayLayered | cudaArrayCubemap)))
        e = cudaErrorInvalidValue;
    if (!e)
        e = array_new(out, desc, (struct cudaExtent){width, height, 0}, flags);
    return rt_leave(e);
}

API cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t e = rt_enter();
    if (!e && array) {
        struct rt_array *a = array_find(array);
        if (!a || a->level_of)
            e = cudaErrorInvalidResourceHandle;
        else
            array_delete(a);
    }
    return rt_leave(e);
}

API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                                 cudaArray_t array)
{
    cudaError_t e = rt_enter();
    const struct rt_array *a = e ? NULL : array_find(array);
    if (!e && !a)
        e = cudaErrorInvalidResourceHandle;
    if (!e && desc)
        *desc = a->desc;
    if (!e && extent)
        *extent = a->extent;
    if (!e && flags)
        *flags = a->flags;
    return rt_leave(e);
}

API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_t array)
{
    if (!desc) {
        rt_enter();
        return rt_leave(cudaErrorInvalidValue);
    }
    return cudaArrayGetInfo(desc, NULL, NULL, array);
}

API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

static cudaError_t requirements(struct cudaArrayMemoryRequirements *out, struct rt_array *const *array, unsigned n,
                                int device)
{
    if (!out || device)
        return out ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *out = (struct cudaArrayMemoryRequirements){.alignment = 512};
    for (unsigned i = 0; i < n; i++)
        out->size += array[i]->slice_bytes * array_depth(array[i]);
    return cudaSuccess;
}

API cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaArray_t array, int device)
{
    cudaError_t e = rt_enter();
    struct rt_array *a = e ? NULL : array_find(array);
    if (!e)
        e = a ? requirements(out, &a, 1, device) : cudaErrorInvalidResourceHandle;
    return rt_leave(e);
}

/* The device has no sparse arrays, as it says (sparseCudaArraySupported), so no array has what is asked for. */
API cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *out, cudaArray_t array)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = array_find(array) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    return rt_leave(e);
}

/* ---- mipmapped arrays ---- */
static size_t halved(size_t n, unsigned times)
{
    return !n ? 0 : n >> times ? n >> times : 1;
}

API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *desc,
                                         struct cudaExtent extent, unsigned n_level, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (e)
        return rt_leave(e);
    size_t longest = extent.width > extent.height ? extent.width : extent.height;
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && extent.depth > longest)
        longest = extent.depth;
    unsigned most = 1;
    while (most < 64 && longest >> most)
        most++;
    struct rt_mipmap *m = xcalloc(1, sizeof *m);
    const unsigned want = !n_level ? 1 : n_level < most ? n_level : most;
    for (unsigned i = 0; !e && i < want && i < sizeof m->level / sizeof *m->level; i++) {
        struct cudaExtent n = {halved(extent.width, i), halved(extent.height, i), extent.depth};
        if (!(flags & (cudaArrayLayered | cudaArrayCubemap)))
            n.depth = halved(extent.depth, i);
        e = array_new(&m->level[i], desc, n, flags);
        if (!e) {
            m->level[i]->level_of = m;
            m->n_level++;
        }
    }
    if (e) {
        for (unsigned i = 0; i < m->n_level; i++)
            array_delete(m->level[i]);
        free(m);
    } else {
        ptrmap_put(&rt.handle, m, RT_MIPMAP, m);
        *out = m;
    }
    return rt_leave(e);
}

API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
    cudaError_t e = rt_enter();
    if (!e && mipmap) {
        struct rt_mipmap *m = ptrmap_get(&rt.handle, mipmap, RT_MIPMAP);
        if (!m)
            return rt_leave(cudaErrorInvalidResourceHandle);
        for (unsigned i = 0; i < m->n_level; i++)
            array_delete(m->level[i]);
        ptrmap_drop(&rt.handle, m, RT_MIPMAP);
        free(m);
    }
    return rt_leave(e);
}

API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_t mipmap, unsigned level)
{
    cudaError_t e = rt_enter();
    struct rt_mipmap *m = e ? NULL : ptrmap_get(&rt.handle, mipmap, RT_MIPMAP);
    if (!e && !m)
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!out || level >= m->n_level))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = m->level[level];
    return rt_leave(e);
}

API cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out,
                                                        cudaMipmappedArray_t mipmap, int device)
{
    cudaError_t e = rt_enter();
    struct rt_mipmap *m = e ? NULL : ptrmap_get(&rt.handle, mipmap, RT_MIPMAP);
    if (!e)
        e = m ? requirements(out, m->level, m->n_level, device) : cudaErrorInvalidResourceHandle;
    return rt_leave(e);
}

API cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *out,
                                                      cudaMipmappedArray_t mipmap)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = ptrmap_get(&rt.handle, mipmap, RT_MIPMAP) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    return rt_leave(e);
}
