/* See trace_forge.h. */
#include "trace_forge.h"

#include "trace/file.h"

#include <zstd.h>

void forge_add(struct forge *f, enum frame_kind kind, const void *raw, size_t n)
{
    struct forge_frame fr = {.kind = kind};
    put_bytes(&fr.raw, raw, n);
    VEC_PUSH(&f->frame, fr);
}

bool forge_open(struct forge *f, const uint8_t *p, size_t n)
{
    *f = (struct forge){0};
    ZSTD_DCtx *z = ZSTD_createDCtx();
    bool ok = n > HEADER_BYTES + FOOTER_BYTES;
    if (ok) {
        struct byte_reader head = {p + sizeof file_magic, p + HEADER_BYTES, false};
        f->format = (uint32_t)get_le(&head, 4);
    }
    for (size_t at = HEADER_BYTES; ok && at + FRAME_HEAD_BYTES + FOOTER_BYTES < n;) {
        struct byte_reader r = {p + at, p + n, false};
        const uint32_t tag = (uint32_t)get_le(&r, 4), packed = (uint32_t)get_le(&r, 4), raw = (uint32_t)get_le(&r, 4);
        unsigned kind = 0;
        while (kind < FRAME_KIND_COUNT && frame_tag(kind) != tag)
            kind++;
        struct frame fr = {at, packed + FRAME_HEAD_BYTES, raw, (uint8_t)kind};
        ok = kind < FRAME_KIND_COUNT && fr.stored <= n - at && raw <= FRAME_MAX_RAW;
        uint8_t *bytes = ok ? xmalloc(raw + 1u) : NULL;
        ok = ok && !frame_unpack(z, p + at, &fr, bytes, "forge", NULL);
        if (ok && kind != FRAME_INDEX)
            forge_add(f, kind, bytes, raw);
        free(bytes);
        at += fr.stored;
        if (kind == FRAME_INDEX)
            break;
    }
    ZSTD_freeDCtx(z);
    if (!ok)
        forge_free(f);
    return ok;
}

void forge_free(struct forge *f)
{
    for (size_t i = 0; i < f->frame.n; i++)
        VEC_FREE(&f->frame.p[i].raw);
    VEC_FREE(&f->frame);
}

byte_vec *forge_raw(struct forge *f, enum frame_kind kind)
{
    for (size_t i = 0; i < f->frame.n; i++)
        if (f->frame.p[i].kind == kind)
            return &f->frame.p[i].raw;
    return NULL;
}

/* Reads one record of a journal: its kind, and where each of its fields is. The fields' values stay in *value. */
enum { RECORD_FIELDS = 11 };
static unsigned record(struct byte_reader *r, uint32_t format, const uint8_t *start, size_t at[RECORD_FIELDS],
                       uint64_t value[RECORD_FIELDS])
{
    /* one letter for each field: b a byte, v a varint, s a string */
    static const char *const shape[] = {
        [JRN_PROGRAM] = "s", [JRN_EVENT] = "bvvvvv", [JRN_LAUNCH] = "vvvvvvvvvb", [JRN_CHUNK] = "vvvvv", ""};
    static const char launch_4[] = "vvvvvvvvvbb"; /* format 4: CTAs of a cluster */
    const unsigned kind = (unsigned)get_le(r, 1);
    if (kind < JRN_PROGRAM || kind > JRN_LAUNCH_END) {
        r->bad = true;
        return 0;
    }
    const char *fields = kind == JRN_LAUNCH && format >= 4 ? launch_4 : shape[kind];
    for (unsigned i = 0; fields && fields[i]; i++) {
        size_t n;
        at[i] = (size_t)(r->p - start);
        if (fields[i] == 's')
            get_str(r, &n);
        else
            value[i] = fields[i] == 'b' ? get_le(r, 1) : get_var(r);
    }
    return kind;
}

size_t forge_record_of(const byte_vec *journal, uint32_t format, unsigned kind, unsigned n, unsigned field)
{
    struct byte_reader r = {journal->p, journal->p + journal->n, false};
    while (!r.bad && reader_left(&r)) {
        size_t at[RECORD_FIELDS];
        uint64_t value[RECORD_FIELDS];
        for (unsigned i = 0; i < RECORD_FIELDS; i++)
            at[i] = SIZE_MAX;
        if (record(&r, format, journal->p, at, value) == kind && !n--)
            return at[field];
    }
    return SIZE_MAX;
}

size_t forge_record(const byte_vec *journal, unsigned kind, unsigned n, unsigned field)
{
    return forge_record_of(journal, 0, kind, n, field);
}

size_t forge_table_field(const byte_vec *raw, unsigned k)
{
    struct byte_reader r = {raw->p, raw->p + raw->n, false};
    size_t n;
    get_str(&r, &n);
    while (k--)
        get_var(&r);
    return r.bad ? SIZE_MAX : (size_t)(r.p - raw->p);
}

void forge_set_var(byte_vec *raw, size_t at, uint64_t value)
{
    struct byte_reader r = {raw->p + at, raw->p + raw->n, false};
    get_var(&r);
    byte_vec out = {0};
    put_bytes(&out, raw->p, at);
    put_var(&out, value);
    put_bytes(&out, r.p, reader_left(&r));
    VEC_FREE(raw);
    *raw = out;
}

void forge_write(const struct forge *f, byte_vec *out)
{
    uint64_t kernels = 0, launches = 0, events = 0, chunks = 0, insts = 0;
    byte_vec index = {0};
    ZSTD_CCtx *z = ZSTD_createCCtx();
    out->n = 0;
    put_bytes(out, file_magic, sizeof file_magic);
    bool has_origin = false; /* recordings before format 3 have none */
    for (size_t i = 0; i < f->frame.n; i++)
        has_origin |= f->frame.p[i].kind == FRAME_ORIGIN;
    put_le(out, f->format ? f->format : has_origin ? 3 : 2, 4);
    put_le(out, 0, 4);
    put_var(&index, f->frame.n);
    for (size_t i = 0; i < f->frame.n; i++) {
        const struct forge_frame *fr = &f->frame.p[i];
        const size_t at = out->n;
        frame_pack(z, out, fr->kind, fr->raw.n ? fr->raw.p : (const uint8_t *)"", fr->raw.n, NULL);
        put_le(&index, fr->kind, 1);
        put_var(&index, out->n - at);
        put_var(&index, fr->raw.n);
        kernels += fr->kind == FRAME_KERNEL;
        struct byte_reader r = {fr->raw.p, fr->raw.n ? fr->raw.p + fr->raw.n : fr->raw.p, false};
        while (fr->kind == FRAME_JOURNAL && !r.bad && reader_left(&r)) {
            size_t where[RECORD_FIELDS];
            uint64_t value[RECORD_FIELDS] = {0};
            const unsigned kind = record(&r, f->format, fr->raw.p, where, value);
            events += kind == JRN_EVENT;
            launches += kind == JRN_LAUNCH;
            chunks += kind == JRN_CHUNK;
            insts += kind == JRN_CHUNK ? value[4] : 0;
        }
    }
    const uint64_t total[] = {kernels, launches, events, chunks, insts};
    for (unsigned i = 0; i < sizeof total / sizeof *total; i++)
        put_var(&index, total[i]);
    const uint64_t index_at = out->n;
    frame_pack(z, out, FRAME_INDEX, index.p, index.n, NULL);
    const size_t footer = out->n;
    put_le(out, index_at, 8);
    put_le(out, footer + FOOTER_BYTES, 8);
    put_le(out, index.n, 4);
    put_le(out, crc32_of(0, out->p + footer, 20), 4);
    put_bytes(out, footer_magic, sizeof footer_magic);
    ZSTD_freeCCtx(z);
    VEC_FREE(&index);
}
