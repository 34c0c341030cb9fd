/*
 * The frames of a .wt file: a 16-byte head, then one zstd frame with its checksum. Private to trace/.
 *
 *   0  4  tag
 *   4  4  bytes of the zstd frame
 *   8  4  bytes it holds
 *  12  4  CRC-32 of the 12 bytes before and of the zstd frame as stored
 * The CRC covers what zstd's own checksum leaves out (zstd ignores some bits of its headers), so no byte of a file can
 * change unnoticed.
 */
#ifndef WEIR_TRACE_FRAME_H
#define WEIR_TRACE_FRAME_H

#include "base/err.h"
#include "trace/bytes.h"

#define FRAME_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum { FRAME_HEAD_BYTES = 16, FRAME_MAX_RAW = 64 << 20, HEADER_BYTES = 16, FOOTER_BYTES = 32 };

enum frame_kind { FRAME_BLOCK, FRAME_KERNEL, FRAME_JOURNAL, FRAME_ORIGIN, FRAME_INDEX, FRAME_KIND_COUNT };

static inline uint32_t frame_tag(enum frame_kind k)
{
    static const uint32_t tag[] = {FRAME_TAG('B', 'L', 'C', 'K'), FRAME_TAG('K', 'E', 'R', 'N'),
                                   FRAME_TAG('J', 'R', 'N', 'L'), FRAME_TAG('O', 'R', 'I', 'G'),
                                   FRAME_TAG('I', 'N', 'D', 'X')};
    return tag[k];
}

extern const uint8_t file_magic[8], footer_magic[8];

/* Records of the journal. */
enum { JRN_PROGRAM = 1, JRN_EVENT, JRN_LAUNCH, JRN_CHUNK, JRN_LAUNCH_END };
/* In the byte of the kind: what it depends on follows; the launch that it may overlap follows. */
enum { JRN_EVENT_ORDERED = 0x80, JRN_EVENT_EARLY = 0x40 };

uint32_t crc32_of(uint32_t crc, const void *p, size_t n); /* start with 0 */

struct frame {
    uint64_t offset; /* of the head in the file */
    uint32_t stored; /* head included */
    uint32_t raw;
    uint8_t kind;
};
typedef VEC(struct frame) frame_vec;

/* Appends a whole frame holding p[0..n) to *out. n <= FRAME_MAX_RAW. */
struct ZSTD_CCtx_s;
int frame_pack(struct ZSTD_CCtx_s *, byte_vec *out, enum frame_kind, const void *p, size_t n, struct err *);

/*
 * Unpacks the frame at `at` (f->stored bytes, already known to be inside the file) into dst, which has f->raw
 * bytes. `file` and f->offset are for the error.
 */
struct ZSTD_DCtx_s;
int frame_unpack(struct ZSTD_DCtx_s *, const uint8_t *at, const struct frame *f, void *dst, const char *file,
                 struct err *);

#endif
