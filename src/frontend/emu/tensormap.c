/* See tensormap.h. Interleaved maps (16 and 32 bytes) are checked as CUDA checks them; copies refuse them. */
#include "emu/tensormap.h"

#include <stddef.h>

static const uint8_t bytes_of[TMAP_TYPE_COUNT] = {
    [TMAP_U8] = 1,      [TMAP_U16] = 2,  [TMAP_U32] = 4,      [TMAP_S32] = 4, [TMAP_U64] = 8,
    [TMAP_S64] = 8,     [TMAP_F16] = 2,  [TMAP_F32] = 4,      [TMAP_F64] = 8, [TMAP_BF16] = 2,
    [TMAP_F32_FTZ] = 4, [TMAP_TF32] = 4, [TMAP_TF32_FTZ] = 4,
};

unsigned tmap_type_bytes(unsigned type)
{
    return type < TMAP_TYPE_COUNT ? bytes_of[type] : 0;
}

static const char *check_im2col(const struct tensor_map *m)
{
    /* Corners have 16, 8 or 5 bits: 32 bits shared by the dimensions of a pixel. */
    static const int limit[] = {0, 32768, 128, 16};
    const unsigned n = m->rank - 2u;
    if (m->rank < 3)
        return "an im2col map has 3 to 5 dimensions";
    for (unsigned k = 0; k < n; k++)
        if (m->lower[k] < -limit[n] || m->lower[k] >= limit[n] || m->upper[k] < -limit[n] || m->upper[k] >= limit[n])
            return "a corner of the pixels' box is out of range";
    if (m->box[1] == 0 || m->box[1] > TMAP_IM2COL_PIXELS_MAX)
        return "pixels per column must be 1 to 1024";
    return NULL;
}

const char *tmap_check(const struct tensor_map *m)
{
    static const unsigned span[] = {0, 32, 64, 128};
    if (m->magic != TMAP_MAGIC)
        return "it was not made by cuTensorMapEncodeTiled";
    if (m->type >= TMAP_TYPE_COUNT || m->interleave >= TMAP_INTERLEAVE_COUNT || m->swizzle >= TMAP_SWIZZLE_COUNT ||
        m->promotion >= TMAP_PROMOTION_COUNT || m->fill >= TMAP_FILL_COUNT)
        return "a type, interleave, swizzle, promotion or fill value does not exist";
    if (m->rank < 1 || m->rank > TMAP_RANK || (m->interleave && m->rank < 3))
        return "the rank must be 1 to 5, and at least 3 with interleave";
    const unsigned bytes = tmap_type_bytes(m->type);
    if (!m->address || m->address % (m->interleave == TMAP_INTERLEAVE_32B ? 32 : 16))
        return "the global address must be a multiple of 16 bytes (32 with 32-byte interleave), and not null";
    for (unsigned d = 0; d + 1 < m->rank; d++)
        if (m->stride[d] % (m->interleave == TMAP_INTERLEAVE_32B ? 32 : 16) || m->stride[d] >= 1ull << 40)
            return "a global stride must be a multiple of 16 bytes (32 with 32-byte interleave) below 2^40";
    for (unsigned d = 0; d < m->rank; d++) {
        if (m->step[d] < 1 || m->step[d] > 8)
            return "an element stride must be 1 to 8";
        if (!m->im2col && (m->box[d] < 1 || m->box[d] > TMAP_BOX_MAX))
            return "a box dimension must be 1 to 256";
    }
    if (m->im2col && check_im2col(m))
        return check_im2col(m);
    if (m->box[0] < 1 || m->box[0] > TMAP_BOX_MAX)
        return "channels per pixel must be 1 to 256";
    const unsigned inner = m->box[0] * bytes;
    if (!m->interleave && inner % 16)
        return "the box's inner dimension must be a multiple of 16 bytes";
    if (!m->interleave && m->swizzle && inner > span[m->swizzle])
        return "the box's inner dimension must not be longer than the swizzle";
    if (m->interleave == TMAP_INTERLEAVE_32B && m->swizzle != TMAP_SWIZZLE_32B)
        return "32-byte interleave needs the 32-byte swizzle";
    if (m->fill == TMAP_FILL_NAN && m->type < TMAP_F16)
        return "integers have no NaN to fill with";
    return NULL;
}

/* Elements that a copy takes along a dimension of a tiled box. Without interleave the inner one has no stride. */
static uint32_t count_along(const struct tensor_map *m, unsigned d)
{
    return d == 0 ? m->box[0] : (m->box[d] + m->step[d] - 1u) / m->step[d];
}

uint64_t tmap_box_bytes(const struct tensor_map *m)
{
    uint64_t n = tmap_type_bytes(m->type) * m->box[0];
    if (m->im2col)
        return n * m->box[1];
    for (unsigned d = 1; d < m->rank; d++)
        n *= count_along(m, d);
    return n;
}

static bool is_inside(const struct tensor_map *m, unsigned d, int64_t x)
{
    return x >= 0 && x <= (int64_t)m->last[d];
}

/* The row of `n` elements from (x[0], x[1], ...) on. */
static struct tmap_row row_at(const struct tensor_map *m, const int64_t *x, uint32_t at, uint32_t n)
{
    struct tmap_row r = {.address = m->address + (uint64_t)x[0] * tmap_type_bytes(m->type), .at = at, .n = n};
    bool inside = true;
    for (unsigned d = 1; d < m->rank; d++) {
        inside = inside && is_inside(m, d, x[d]);
        r.address += (uint64_t)x[d] * m->stride[d - 1];
    }
    const int64_t size = (int64_t)m->last[0] + 1, from = x[0] < 0 ? -x[0] : 0, left = size - x[0];
    r.from = from > n ? n : (uint32_t)from;
    r.to = left < 0 ? 0 : left > n ? n : (uint32_t)left;
    if (!inside || r.to < r.from)
        r.to = r.from;
    return r;
}

static bool tile_rows(const struct tensor_map *m, const int32_t *coord, tmap_visit *visit, void *ctx)
{
    uint32_t i[TMAP_RANK] = {0}, at = 0;
    const uint32_t row_bytes = m->box[0] * tmap_type_bytes(m->type);
    for (;;) {
        int64_t x[TMAP_RANK] = {coord[0]};
        for (unsigned d = 1; d < m->rank; d++)
            x[d] = (int64_t)coord[d] + (int64_t)i[d] * m->step[d];
        const struct tmap_row r = row_at(m, x, at, m->box[0]);
        if (!visit(ctx, &r))
            return false;
        at += row_bytes;
        unsigned d = 1;
        for (; d < m->rank && ++i[d] == count_along(m, d); d++)
            i[d] = 0;
        if (d >= m->rank)
            return true;
    }
}

/*
 * im2col: pixels one after the other, W fastest, inside the box from `lower` to the tensor's size plus `upper`, the
 * images last; `step` moves from one output pixel to the next, `offset` is the filter's place.
 */
static bool im2col_rows(const struct tensor_map *m, const int32_t *coord, const uint16_t *offset, tmap_visit *visit,
                        void *ctx)
{
    const unsigned n = m->rank - 2u, images = m->rank - 1u;
    const uint32_t row_bytes = m->box[0] * tmap_type_bytes(m->type);
    int64_t pixel[TMAP_RANK];
    for (unsigned d = 0; d < m->rank; d++)
        pixel[d] = coord[d];
    for (uint32_t p = 0; p < m->box[1]; p++) {
        int64_t x[TMAP_RANK];
        for (unsigned d = 0; d < m->rank; d++)
            x[d] = pixel[d] + (d > 0 && d < images ? offset[d - 1] : 0);
        const struct tmap_row r = row_at(m, x, p * row_bytes, m->box[0]);
        if (!visit(ctx, &r))
            return false;
        unsigned d = 1;
        for (; d <= n; d++) {
            pixel[d] += m->step[d];
            if (pixel[d] < (int64_t)m->last[d] + 1 + m->upper[d - 1])
                break;
            pixel[d] = m->lower[d - 1];
        }
        if (d > n)
            pixel[images]++;
    }
    return true;
}

bool tmap_rows(const struct tensor_map *m, const int32_t *coord, const uint16_t *offset, tmap_visit *visit, void *ctx)
{
    return m->im2col ? im2col_rows(m, coord, offset, visit, ctx) : tile_rows(m, coord, visit, ctx);
}

void tmap_extent(const struct tensor_map *m, const int32_t *coord, struct tmap_extent *e)
{
    const unsigned bytes = tmap_type_bytes(m->type);
    *e = (struct tmap_extent){.base = m->address, .n = {1, 1, 1, 1}};
    if (m->im2col) {
        for (unsigned d = 1; d < m->rank; d++)
            e->base += coord[d] > 0 ? (uint64_t)coord[d] * m->stride[d - 1] : 0;
        e->row_bytes = m->box[0] * bytes;
        e->n[0] = m->box[1];
        e->step[0] = m->stride[0];
        return;
    }
    bool inside = true;
    for (unsigned d = 0; d < m->rank; d++) {
        const int64_t x = coord[d], step = d ? m->step[d] : 1, size = (int64_t)m->last[d] + 1;
        const int64_t first = x < 0 ? (-x + step - 1) / step : 0, n = count_along(m, d);
        int64_t end = x < size ? (size - x + step - 1) / step : 0;
        end = end < n ? end : n;
        inside = inside && first < end;
        const uint64_t pitch = d ? m->stride[d - 1] : bytes;
        e->base += (uint64_t)(x + first * step) * pitch;
        if (d == 0) {
            e->row_bytes = (uint32_t)(end - first) * bytes;
        } else {
            e->n[d - 1] = (uint32_t)(end - first);
            e->step[d - 1] = (uint64_t)step * pitch;
        }
    }
    if (!inside)
        *e = (struct tmap_extent){.base = m->address, .n = {1, 1, 1, 1}};
}

bool tmap_replace(struct tensor_map *m, enum tmap_field field, unsigned ord, uint64_t value)
{
    /* PTX numbers the types differently from the driver. */
    static const uint8_t type_of[] = {TMAP_U8,  TMAP_U16,     TMAP_U32, TMAP_S32,  TMAP_U64,  TMAP_S64,     TMAP_F16,
                                      TMAP_F32, TMAP_F32_FTZ, TMAP_F64, TMAP_BF16, TMAP_TF32, TMAP_TF32_FTZ};
    const bool by_dimension = field == TMAP_F_BOX || field == TMAP_F_DIM || field == TMAP_F_STEP;
    if ((by_dimension && ord >= TMAP_RANK) || (field == TMAP_F_STRIDE && ord >= TMAP_RANK - 1))
        return false;
    switch (field) {
    case TMAP_F_ADDRESS:
        m->address = value;
        return true;
    case TMAP_F_RANK:
        m->rank = (uint8_t)(value + 1);
        return value < TMAP_RANK;
    case TMAP_F_BOX:
        m->box[ord] = (uint16_t)value;
        return value >= 1 && value <= TMAP_BOX_MAX;
    case TMAP_F_DIM:
        m->last[ord] = (uint32_t)value - 1u; /* 0 stands for 2^32 */
        return true;
    case TMAP_F_STRIDE:
        m->stride[ord] = value;
        return true;
    case TMAP_F_STEP:
        m->step[ord] = (uint8_t)value;
        return value >= 1 && value <= 8;
    case TMAP_F_TYPE:
        if (value >= sizeof type_of)
            return false;
        m->type = type_of[value];
        return true;
    case TMAP_F_INTERLEAVE:
        m->interleave = (uint8_t)value;
        return value < TMAP_INTERLEAVE_COUNT;
    case TMAP_F_SWIZZLE:
        m->swizzle = (uint8_t)value;
        return value < TMAP_SWIZZLE_COUNT;
    case TMAP_F_FILL:
        m->fill = (uint8_t)value;
        return value < TMAP_FILL_COUNT;
    }
    return false;
}
