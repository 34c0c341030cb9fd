/*
 * The driver's encoders of tensor maps: plain functions of their arguments, which need no context.
 */
#include "emu/tensormap.h"

#include <stddef.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };

static int finish(struct tensor_map *m, void *out)
{
    if (tmap_check(m))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(out, m, sizeof *m);
    return CUDA_SUCCESS;
}

/* What tiled and im2col maps share. False: an argument that no field has room for. */
static bool describe(struct tensor_map *m, unsigned type, uint32_t rank, void *address, const uint64_t *dim,
                     const uint64_t *stride, const uint32_t *step, unsigned interleave, unsigned swizzle,
                     unsigned promotion, unsigned fill)
{
    if (rank < 1 || rank > TMAP_RANK || !dim || !step || (rank > 1 && !stride) || type > UINT8_MAX ||
        interleave > UINT8_MAX || swizzle > UINT8_MAX || promotion > UINT8_MAX || fill > UINT8_MAX)
        return false;
    *m = (struct tensor_map){
        .magic = TMAP_MAGIC,
        .address = (uint64_t)(uintptr_t)address,
        .type = (uint8_t)type,
        .rank = (uint8_t)rank,
        .interleave = (uint8_t)interleave,
        .swizzle = (uint8_t)swizzle,
        .promotion = (uint8_t)promotion,
        .fill = (uint8_t)fill,
    };
    for (uint32_t d = 0; d < rank; d++) {
        if (dim[d] < 1 || dim[d] > 1ull << 32 || step[d] > UINT8_MAX)
            return false;
        m->last[d] = (uint32_t)(dim[d] - 1);
        m->step[d] = (uint8_t)step[d];
        if (d + 1 < rank)
            m->stride[d] = stride[d];
    }
    return true;
}

API int cuTensorMapEncodeTiled(void *out, unsigned type, uint32_t rank, void *address, const uint64_t *dim,
                               const uint64_t *stride, const uint32_t *box, const uint32_t *step, unsigned interleave,
                               unsigned swizzle, unsigned promotion, unsigned fill)
{
    struct tensor_map m;
    if (!out || !box || !describe(&m, type, rank, address, dim, stride, step, interleave, swizzle, promotion, fill))
        return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t d = 0; d < rank; d++)
        m.box[d] = box[d] > TMAP_BOX_MAX ? 0 : (uint16_t)box[d];
    return finish(&m, out);
}

API int cuTensorMapEncodeIm2col(void *out, unsigned type, uint32_t rank, void *address, const uint64_t *dim,
                                const uint64_t *stride, const int *lower, const int *upper, uint32_t channels,
                                uint32_t pixels, const uint32_t *step, unsigned interleave, unsigned swizzle,
                                unsigned promotion, unsigned fill)
{
    struct tensor_map m;
    if (!out || !lower || !upper || rank < 3 ||
        !describe(&m, type, rank, address, dim, stride, step, interleave, swizzle, promotion, fill))
        return CUDA_ERROR_INVALID_VALUE;
    m.im2col = 1;
    m.box[0] = channels > TMAP_BOX_MAX ? 0 : (uint16_t)channels;
    m.box[1] = pixels > TMAP_IM2COL_PIXELS_MAX ? 0 : (uint16_t)pixels;
    for (uint32_t d = 0; d + 2 < rank; d++) {
        if (lower[d] != (int16_t)lower[d] || upper[d] != (int16_t)upper[d])
            return CUDA_ERROR_INVALID_VALUE;
        m.lower[d] = (int16_t)lower[d];
        m.upper[d] = (int16_t)upper[d];
    }
    return finish(&m, out);
}

API int cuTensorMapReplaceAddress(void *map, void *address)
{
    struct tensor_map m;
    if (!map)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, map, sizeof m);
    m.address = (uint64_t)(uintptr_t)address;
    return finish(&m, map);
}
