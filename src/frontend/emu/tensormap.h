/*
 * Tensor maps: the 128-byte objects that tell the tensor memory accelerator (TMA) where a tensor is and which box of it
 * a copy moves. Source: PTX ISA 9.1, 5.5 and 9.7.9.27; the rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
 *
 * NVIDIA keeps the layout to itself, and programs treat it as opaque. This is weir's own. cuTensorMapEncode* write it,
 * cp.async.bulk.tensor reads it, tensormap.replace changes it.
 */
#ifndef WEIR_EMU_TENSORMAP_H
#define WEIR_EMU_TENSORMAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TMAP_RANK = 5, TMAP_BOX_MAX = 256, TMAP_IM2COL_PIXELS_MAX = 1024 };

/* The driver's numbers (CUtensorMapDataType). */
enum tmap_type {
    TMAP_U8,
    TMAP_U16,
    TMAP_U32,
    TMAP_S32,
    TMAP_U64,
    TMAP_S64,
    TMAP_F16,
    TMAP_F32,
    TMAP_F64,
    TMAP_BF16,
    TMAP_F32_FTZ,
    TMAP_TF32,
    TMAP_TF32_FTZ,
    TMAP_TYPE_COUNT
};
enum tmap_interleave { TMAP_INTERLEAVE_NONE, TMAP_INTERLEAVE_16B, TMAP_INTERLEAVE_32B, TMAP_INTERLEAVE_COUNT };
enum tmap_swizzle { TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B, TMAP_SWIZZLE_COUNT };
enum { TMAP_PROMOTION_COUNT = 4 };
enum tmap_fill { TMAP_FILL_ZERO, TMAP_FILL_NAN, TMAP_FILL_COUNT };

#define TMAP_MAGIC 0x50414d5452494557ull /* "WEIRTMAP" */

struct tensor_map {
    uint64_t magic; /* TMAP_MAGIC: anything else is no tensor map */
    uint64_t address;
    uint64_t stride[TMAP_RANK - 1]; /* bytes, of dimensions 1 and up; dimension 0 is contiguous */
    uint32_t last[TMAP_RANK];       /* the largest index of each dimension: its size less one, which may be 2^32 - 1 */
    uint16_t box[TMAP_RANK];        /* 1 to 256 elements; im2col: box[0] channels, box[1] pixels */
    uint8_t step[TMAP_RANK];        /* element strides, 1 to 8 */
    uint8_t type, rank, interleave, swizzle, promotion, fill;
    uint8_t im2col;                                     /* 1: made by cuTensorMapEncodeIm2col */
    int16_t lower[TMAP_RANK - 2], upper[TMAP_RANK - 2]; /* im2col: corners of the pixels' box, W first */
    uint8_t reserved[26];
};
_Static_assert(sizeof(struct tensor_map) == 128, "a tensor map has 128 bytes");

unsigned tmap_type_bytes(unsigned type);

/* NULL, or what is wrong with the map: the rules that CUDA's encoder checks. */
const char *tmap_check(const struct tensor_map *);

/* Bytes that a copy brings to shared memory, and counts at its mbarrier, whatever is out of range: up to 2^43. */
uint64_t tmap_box_bytes(const struct tensor_map *);

/* Where byte `offset` of shared memory is after the swizzle, which is a function of the address alone. */
static inline uint32_t tmap_swizzled(uint32_t offset, unsigned swizzle)
{
    const uint32_t rows = swizzle == TMAP_SWIZZLE_128B ? 7 : swizzle == TMAP_SWIZZLE_64B ? 3 : swizzle ? 1 : 0;
    return offset ^ (offset >> 7 & rows) << 4;
}

/*
 * One row of a box: `n` elements, side by side in shared memory at byte `at` of the box (before the swizzle), of which
 * [from, to) exist in the tensor. address: of the first element, which need not exist.
 */
struct tmap_row {
    uint64_t address;
    uint32_t at, n, from, to;
};
/*
 * Visits the rows of the box at `coord` (rank of them; im2col: C, W, .., N, and `offset` in the filter, rank - 2 of
 * them). Stops early when the visitor returns false.
 */
typedef bool tmap_visit(void *ctx, const struct tmap_row *);
bool tmap_rows(const struct tensor_map *, const int32_t *coord, const uint16_t *offset, tmap_visit *, void *ctx);

/*
 * The same box as the machine needs it, without what is out of range: rows of `row_bytes` (0 = all is out of range) from
 * `base` on, `n` of them `step` bytes apart in each further dimension. The pixels of im2col are taken as neighbors.
 */
struct tmap_extent {
    uint64_t base;
    uint32_t row_bytes;
    uint32_t n[TMAP_RANK - 1];
    uint64_t step[TMAP_RANK - 1];
};
void tmap_extent(const struct tensor_map *, const int32_t *coord, struct tmap_extent *);

/* tensormap.replace: sets a field (enum tmap_field) to a value; `ord` is the dimension. False: out of range. */
enum tmap_field {
    TMAP_F_ADDRESS,
    TMAP_F_RANK,
    TMAP_F_BOX,
    TMAP_F_DIM,
    TMAP_F_STRIDE,
    TMAP_F_STEP,
    TMAP_F_TYPE,
    TMAP_F_INTERLEAVE,
    TMAP_F_SWIZZLE,
    TMAP_F_FILL
};
bool tmap_replace(struct tensor_map *, enum tmap_field, unsigned ord, uint64_t value);

#endif
