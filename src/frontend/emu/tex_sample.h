/* What a texture unit does with one thread's coordinates: from descriptor and position to four components. */
#ifndef WEIR_EMU_TEX_SAMPLE_H
#define WEIR_EMU_TEX_SAMPLE_H

#include "emu/tex.h"

#include <stdint.h>

struct tex_coord {
    float x, y, z;      /* as the instruction gives them */
    int32_t ix, iy, iz; /* is_int: texel numbers instead */
    bool is_int;
    uint32_t layer;
    float lod; /* of .level and .grad; 0 otherwise */
};

struct tex_result {
    uint32_t c[4]; /* f32 bits when is_float, otherwise integers as stored, extended to 32 bits */
    bool is_float;
    uint64_t addr; /* of the (first) texel, moved inside the image when it is outside */
};

/* Filtered fetch. The descriptor's memory must be accessible. */
void tex_fetch(const struct emu_tex_desc *, const struct tex_coord *, struct tex_result *);
/* tld4: component `comp` of the four texels around the position; level 0, 2-D shapes. */
void tex_gather(const struct emu_tex_desc *, const struct tex_coord *, unsigned comp, struct tex_result *);
/* Level of detail from the derivatives of the position along the screen's two axes. */
float tex_lod_of_grad(const struct emu_tex_desc *, const float dx[3], const float dy[3]);

unsigned tex_texel_bytes(const struct emu_tex_desc *);
/* Bytes from level.addr on that the level's texels span. */
uint64_t tex_level_bytes(const struct emu_tex_desc *, const struct emu_tex_level *);
unsigned tex_dims(const struct emu_tex_desc *); /* coordinates besides the layer: 1, 2 or 3 */
bool tex_is_layered(const struct emu_tex_desc *);

/* sust.p: a value of the surface's format from four 32-bit components; f32 ones when `is_float`. */
void tex_pack_texel(const struct emu_tex_desc *, const uint32_t c[4], bool is_float, void *texel);

#endif
