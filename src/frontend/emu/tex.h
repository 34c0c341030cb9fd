/*
 * Texture and surface objects: what cudaCreateTextureObject describes, in CUDA's own terms but without its headers.
 *
 * An array (cudaArray) is stored row by row in device memory (kind EMU_MEM_ARRAY): real GPUs tile it, which only
 * matters to the texture cache; docs/deviations.md says so.
 */
#ifndef WEIR_EMU_TEX_H
#define WEIR_EMU_TEX_H

#include <stdbool.h>
#include <stdint.h>

struct emu;

enum emu_tex_channel { EMU_TEX_SIGNED, EMU_TEX_UNSIGNED, EMU_TEX_FLOAT };             /* cudaChannelFormatKind order */
enum emu_tex_address { EMU_TEX_WRAP, EMU_TEX_CLAMP, EMU_TEX_MIRROR, EMU_TEX_BORDER }; /* cudaTextureAddressMode order */
enum emu_tex_filter { EMU_TEX_POINT, EMU_TEX_LINEAR };
enum emu_tex_shape {
    EMU_TEX_LINEAR_MEM,
    EMU_TEX_1D,
    EMU_TEX_2D,
    EMU_TEX_3D,
    EMU_TEX_1D_LAYERED,
    EMU_TEX_2D_LAYERED,
    EMU_TEX_CUBE,
    EMU_TEX_CUBE_LAYERED,
    EMU_TEX_PITCH2D
};

struct emu_tex_level { /* one mipmap level; level 0 is the whole image */
    uint64_t addr;
    uint32_t width, height, depth; /* in elements; depth = layers for layered shapes, 6 * layers for cubes */
    uint64_t row_bytes, slice_bytes;
};

struct emu_tex_desc {
    uint8_t shape;              /* enum emu_tex_shape */
    uint8_t n_channel;          /* 1, 2, 4 */
    uint8_t channel_bits;       /* 8, 16, 32: of each channel */
    uint8_t channel_kind;       /* enum emu_tex_channel */
    uint8_t address[3];         /* enum emu_tex_address per dimension */
    uint8_t filter, mip_filter; /* enum emu_tex_filter */
    bool normalized_coords;
    bool read_normalized; /* integers become floats in [0,1] or [-1,1] */
    bool srgb;
    float border[4];
    float mip_bias, min_level, max_level;
    uint32_t n_level; /* >= 1 */
    struct emu_tex_level level[16];
};

/* Returns a handle (never 0) that kernels carry as a 64-bit value. */
uint64_t emu_tex_create(struct emu *, const struct emu_tex_desc *);
uint64_t emu_surf_create(struct emu *, const struct emu_tex_desc *);
const struct emu_tex_desc *emu_tex_get(const struct emu *, uint64_t handle); /* texture or surface; NULL = bad */
int emu_tex_destroy(struct emu *, uint64_t handle);                          /* -1 = bad handle */

#endif
