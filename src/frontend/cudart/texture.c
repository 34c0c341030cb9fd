/*
 * Texture and surface objects: CUDA's descriptions translated into the emulator's (emu/tex.h).
 *
 * Not modeled: anisotropic filtering (maxAnisotropy is accepted and ignored), block-compressed formats, resource views
 * that reinterpret the format.
 */
#include "cudart/runtime.h"

enum { ALIGN_BYTES = 512 }; /* of linear memory behind a texture: cudaDeviceProp.textureAlignment */
/* cudaDeviceProp.maxTexture2DLinear */
enum { MAX_LINEAR_WIDTH = 131072, MAX_LINEAR_HEIGHT = 65000, MAX_LINEAR_PITCH = 2097120 };

struct object { /* what the program described, for the Get calls */
    uint64_t handle;
    bool surface;
    struct cudaResourceDesc res;
    struct cudaTextureDesc tex;
    struct cudaResourceViewDesc view;
    bool has_view;
};
static VEC(struct object) objects;

static struct object *object_find(uint64_t handle, bool surface)
{
    for (size_t i = 0; i < objects.n; i++)
        if (objects.p[i].handle == handle && objects.p[i].surface == surface)
            return &objects.p[i];
    return NULL;
}

void texture_forget_all(void)
{
    for (size_t i = 0; i < objects.n; i++)
        emu_tex_destroy(rt.emu, objects.p[i].handle);
    VEC_FREE(&objects);
}

static cudaError_t set_format(struct emu_tex_desc *d, const struct cudaChannelFormatDesc *f)
{
    const int bits[4] = {f->x, f->y, f->z, f->w};
    uint8_t n = 0;
    while (n < 4 && bits[n])
        n++;
    if (!array_element_bytes(f))
        return cudaErrorInvalidChannelDescriptor;
    d->n_channel = n;
    d->channel_bits = (uint8_t)f->x;
    d->channel_kind = (uint8_t)f->f;
    return cudaSuccess;
}

static uint8_t array_shape(const struct rt_array *a)
{
    if (a->flags & cudaArrayCubemap)
        return a->flags & cudaArrayLayered ? EMU_TEX_CUBE_LAYERED : EMU_TEX_CUBE;
    if (a->flags & cudaArrayLayered)
        return a->extent.height ? EMU_TEX_2D_LAYERED : EMU_TEX_1D_LAYERED;
    return a->extent.depth ? EMU_TEX_3D : a->extent.height ? EMU_TEX_2D : EMU_TEX_1D;
}

static struct emu_tex_level array_level(const struct rt_array *a)
{
    return (struct emu_tex_level){
        .addr = a->addr,
        .width = (uint32_t)a->extent.width,
        .height = (uint32_t)array_height(a),
        .depth = (uint32_t)array_depth(a),
        .row_bytes = a->row_bytes,
        .slice_bytes = a->slice_bytes,
    };
}

static cudaError_t set_linear(struct emu_tex_desc *d, const struct cudaResourceDesc *res)
{
    cudaError_t e = set_format(d, &res->res.linear.desc);
    if (e)
        return e;
    const uint64_t elem = d->n_channel * d->channel_bits / 8u;
    uint64_t bytes = res->res.linear.sizeInBytes;
    if ((uintptr_t)res->res.linear.devPtr % ALIGN_BYTES)
        return cudaErrorInvalidValue;
    const struct emu_alloc *a = mem_find(res->res.linear.devPtr, 1);
    if (!a)
        return mem_bad_range("texture over", res->res.linear.devPtr, bytes);
    if (a->addr + a->bytes - (uintptr_t)res->res.linear.devPtr < bytes) { /* as CUDA, which does not look so closely */
        mem_bad_range("texture over", res->res.linear.devPtr, bytes);
        bytes = a->addr + a->bytes - (uintptr_t)res->res.linear.devPtr;
    }
    d->shape = EMU_TEX_LINEAR_MEM;
    d->n_level = 1;
    d->level[0] = (struct emu_tex_level){
        .addr = (uintptr_t)res->res.linear.devPtr, .width = (uint32_t)(bytes / elem), .height = 1, .depth = 1};
    d->level[0].row_bytes = d->level[0].slice_bytes = bytes;
    return cudaSuccess;
}

static cudaError_t set_pitch(struct emu_tex_desc *d, const struct cudaResourceDesc *res)
{
    cudaError_t e = set_format(d, &res->res.pitch2D.desc);
    if (e)
        return e;
    const uint64_t elem = d->n_channel * d->channel_bits / 8u;
    const size_t w = res->res.pitch2D.width, h = res->res.pitch2D.height, pitch = res->res.pitch2D.pitchInBytes;
    if (!w || !h || w > MAX_LINEAR_WIDTH || h > MAX_LINEAR_HEIGHT || pitch > MAX_LINEAR_PITCH || pitch < w * elem ||
        pitch % 32 || (uintptr_t)res->res.pitch2D.devPtr % ALIGN_BYTES)
        return cudaErrorInvalidValue;
    const size_t span = (h - 1) * pitch + w * elem;
    if (!mem_find(res->res.pitch2D.devPtr, span))
        return mem_bad_range("texture over", res->res.pitch2D.devPtr, span);
    d->shape = EMU_TEX_PITCH2D;
    d->n_level = 1;
    d->level[0] = (struct emu_tex_level){.addr = (uintptr_t)res->res.pitch2D.devPtr,
                                         .width = (uint32_t)w,
                                         .height = (uint32_t)h,
                                         .depth = 1,
                                         .row_bytes = pitch,
                                         .slice_bytes = pitch * h};
    return cudaSuccess;
}

static cudaError_t set_resource(struct emu_tex_desc *d, const struct cudaResourceDesc *res)
{
    switch (res->resType) {
    case cudaResourceTypeArray: {
        const struct rt_array *a = array_find(res->res.array.array);
        if (!a)
            return cudaErrorInvalidValue;
        d->shape = array_shape(a);
        d->n_level = 1;
        d->level[0] = array_level(a);
        return set_format(d, &a->desc);
    }
    case cudaResourceTypeMipmappedArray: {
        const struct rt_mipmap *m = ptrmap_get(&rt.handle, res->res.mipmap.mipmap, RT_MIPMAP);
        if (!m)
            return cudaErrorInvalidValue;
        d->shape = array_shape(m->level[0]);
        d->n_level = m->n_level;
        for (uint32_t i = 0; i < m->n_level; i++)
            d->level[i] = array_level(m->level[i]);
        return set_format(d, &m->level[0]->desc);
    }
    case cudaResourceTypeLinear:
        return set_linear(d, res);
    case cudaResourceTypePitch2D:
        return set_pitch(d, res);
    }
    return cudaErrorInvalidValue;
}

static cudaError_t set_sampling(struct emu_tex_desc *d, const struct cudaTextureDesc *t)
{
    for (int i = 0; i < 3; i++) {
        if ((unsigned)t->addressMode[i] > EMU_TEX_BORDER)
            return cudaErrorInvalidValue;
        d->address[i] = (uint8_t)t->addressMode[i];
        /* Wrapping and mirroring need normalized coordinates; CUDA clamps otherwise. */
        if (!t->normalizedCoords && (d->address[i] == EMU_TEX_WRAP || d->address[i] == EMU_TEX_MIRROR))
            d->address[i] = EMU_TEX_CLAMP;
    }
    if ((unsigned)t->filterMode > EMU_TEX_LINEAR || (unsigned)t->mipmapFilterMode > EMU_TEX_LINEAR)
        return cudaErrorInvalidFilterSetting;
    if ((unsigned)t->readMode > 1)
        return cudaErrorInvalidNormSetting;
    d->filter = (uint8_t)t->filterMode;
    d->mip_filter = (uint8_t)t->mipmapFilterMode;
    d->normalized_coords = t->normalizedCoords != 0;
    d->read_normalized = t->readMode == 1;
    if (d->read_normalized && d->channel_bits == 32)
        return cudaErrorInvalidNormSetting;
    if (d->channel_kind == EMU_TEX_FLOAT)
        d->read_normalized = false;
    if (d->filter == EMU_TEX_LINEAR && d->channel_kind != EMU_TEX_FLOAT && !d->read_normalized)
        return cudaErrorInvalidFilterSetting;
    d->srgb = t->sRGB != 0;
    memcpy(d->border, t->borderColor, sizeof d->border);
    d->mip_bias = t->mipmapLevelBias;
    d->min_level = t->minMipmapLevelClamp;
    d->max_level = t->maxMipmapLevelClamp;
    return cudaSuccess;
}

static cudaError_t apply_view(struct emu_tex_desc *d, const struct cudaResourceViewDesc *v)
{
    if (!v)
        return cudaSuccess;
    if (v->lastMipmapLevel >= d->n_level || v->firstMipmapLevel > v->lastMipmapLevel)
        return cudaErrorInvalidValue;
    d->n_level = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    memmove(d->level, d->level + v->firstMipmapLevel, d->n_level * sizeof *d->level);
    return cudaSuccess;
}

API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *res,
                                        const struct cudaTextureDesc *tex, const struct cudaResourceViewDesc *view)
{
    struct emu_tex_desc d = {0};
    cudaError_t e = rt_enter();
    if (!e && (!out || !res))
        e = cudaErrorInvalidValue;
    if (!e && !tex)
        e = cudaErrorInvalidResourceHandle;
    if (!e)
        e = set_resource(&d, res);
    if (!e)
        e = set_sampling(&d, tex);
    if (!e)
        e = apply_view(&d, view);
    if (!e) {
        struct object o = {.handle = emu_tex_create(rt.emu, &d), .res = *res, .tex = *tex, .has_view = view != NULL};
        if (view)
            o.view = *view;
        VEC_PUSH(&objects, o);
        *out = o.handle;
    }
    return rt_leave(e);
}

API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *res)
{
    struct emu_tex_desc d = {0};
    cudaError_t e = rt_enter();
    if (!e && (!out || !res || res->resType != cudaResourceTypeArray))
        e = cudaErrorInvalidValue;
    if (!e && !array_find(res->res.array.array))
        e = cudaErrorInvalidResourceHandle;
    if (!e)
        e = set_resource(&d, res);
    if (!e) {
        struct object o = {.handle = emu_surf_create(rt.emu, &d), .surface = true, .res = *res};
        VEC_PUSH(&objects, o);
        *out = o.handle;
    }
    return rt_leave(e);
}

static cudaError_t destroy(uint64_t handle, bool surface)
{
    cudaError_t e = rt_enter();
    if (!e && handle) {
        struct object *o = object_find(handle, surface);
        if (!o)
            return rt_leave(cudaErrorInvalidValue);
        emu_tex_destroy(rt.emu, handle);
        *o = objects.p[--objects.n];
    }
    return rt_leave(e);
}

API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t tex)
{
    return destroy(tex, false);
}

API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surf)
{
    return destroy(surf, true);
}

/* Copies one of the descriptions out. */
static cudaError_t get(uint64_t handle, bool surface, struct cudaResourceDesc *res, struct cudaTextureDesc *tex,
                       struct cudaResourceViewDesc *view)
{
    cudaError_t e = rt_enter();
    struct object *o = e ? NULL : object_find(handle, surface);
    if (!e && (!o || (view && !o->has_view) || (!res && !tex && !view)))
        e = cudaErrorInvalidValue;
    if (!e && res)
        *res = o->res;
    if (!e && tex)
        *tex = o->tex;
    if (!e && view)
        *view = o->view;
    return rt_leave(e);
}

API cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t tex)
{
    return get(tex, false, out, NULL, NULL);
}

API cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t tex)
{
    return get(tex, false, NULL, out, NULL);
}

API cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out, cudaTextureObject_t tex)
{
    return get(tex, false, NULL, NULL, out);
}

API cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t surf)
{
    return get(surf, true, out, NULL, NULL);
}
