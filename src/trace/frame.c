/* See frame.h. */
#include "trace/frame.h"

#include <zstd.h>

/* The first has a byte above 127 and a line feed, so that a transfer as text is noticed at once. */
const uint8_t file_magic[8] = {0x89, 'w', 'e', 'i', 'r', 'w', 't', '\n'};
const uint8_t footer_magic[8] = {'w', 'e', 'i', 'r', '.', 'e', 'n', 'd'};

/* CRC-32 as in zip and PNG, four bits at a time. */
uint32_t crc32_of(uint32_t crc, const void *p, size_t n)
{
    static const uint32_t part[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                      0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t *b = p;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= b[i];
        crc = crc >> 4 ^ part[crc & 15];
        crc = crc >> 4 ^ part[crc & 15];
    }
    return ~crc;
}

int frame_pack(ZSTD_CCtx *z, byte_vec *out, enum frame_kind kind, const void *p, size_t n, struct err *e)
{
    size_t bound = ZSTD_compressBound(n), head = out->n;
    VEC_RESERVE(out, head + FRAME_HEAD_BYTES + bound);
    size_t got = ZSTD_compress2(z, out->p + head + FRAME_HEAD_BYTES, bound, p, n);
    if (ZSTD_isError(got))
        return err_set(e, "zstd cannot compress a frame: %s", ZSTD_getErrorName(got));
    put_le(out, frame_tag(kind), 4);
    put_le(out, got, 4);
    put_le(out, n, 4);
    put_le(out, crc32_of(crc32_of(0, out->p + head, 12), out->p + head + FRAME_HEAD_BYTES, got), 4);
    out->n += got;
    return 0;
}

int frame_unpack(ZSTD_DCtx *z, const uint8_t *at, const struct frame *f, void *dst, const char *file, struct err *e)
{
    struct byte_reader r = {at, at + FRAME_HEAD_BYTES, false};
    uint32_t tag = (uint32_t)get_le(&r, 4), packed = (uint32_t)get_le(&r, 4), raw = (uint32_t)get_le(&r, 4);
    uint32_t crc = (uint32_t)get_le(&r, 4);
    size_t body = f->stored - FRAME_HEAD_BYTES;
    if (tag != frame_tag(f->kind) || packed != body || raw != f->raw)
        return err_offset(e, file, f->offset, "the frame here is not the one the index names; the file is corrupt");
    if (crc32_of(crc32_of(0, at, 12), at + FRAME_HEAD_BYTES, body) != crc)
        return err_offset(e, file, f->offset, "the frame's checksum differs; the file is corrupt");
    size_t got = ZSTD_decompressDCtx(z, dst, raw, at + FRAME_HEAD_BYTES, body);
    if (ZSTD_isError(got))
        return err_offset(e, file, f->offset, "the frame cannot be unpacked: %s", ZSTD_getErrorName(got));
    if (got != raw)
        return err_offset(e, file, f->offset, "the frame holds %zu bytes instead of %u", got, raw);
    return 0;
}
