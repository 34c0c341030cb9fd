/*
 * Reader of fat binaries. Layout as nvcc 13 writes it, little endian; every field is checked against the bytes there
 * are. Not read: cubins (machine code) and entries of kinds newer than those two, which are skipped.
 */
#include "cudart/fatbin.h"
#include "base/mem.h"

#include <lz4.h>
#include <zstd.h>

#include <ctype.h>
#include <stdio.h>

enum {
    ENTRY_MIN_BYTES = 0x40,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    TEXT_LIMIT_BYTES = 256 << 20, /* far above any real module: a damaged size must not exhaust the host */
};

static uint16_t le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}
static uint32_t le32(const uint8_t *p)
{
    return le16(p) | (uint32_t)le16(p + 2) << 16;
}
static uint64_t le64(const uint8_t *p)
{
    return le32(p) | (uint64_t)le32(p + 4) << 32;
}

bool fatbin_is_container(const void *bytes, size_t n)
{
    return n >= FATBIN_HEADER_BYTES && le32(bytes) == FATBIN_MAGIC;
}

/* "-O1  -maxrregcount=32 " or "-maxrregcount 32": the value, or 0. */
static uint32_t find_maxrregcount(const char *opt, size_t n)
{
    static const char key[] = "maxrregcount";
    const size_t key_len = sizeof key - 1;
    for (size_t i = 0; i + key_len < n; i++) {
        if (memcmp(opt + i, key, key_len))
            continue;
        i += key_len;
        while (i < n && (opt[i] == '=' || opt[i] == ' '))
            i++;
        uint32_t v = 0;
        for (; i < n && isdigit((unsigned char)opt[i]) && v < 1000; i++)
            v = v * 10 + (uint32_t)(opt[i] - '0');
        return v;
    }
    return 0;
}

/* End of the entries: the container says how many bytes follow its header. */
static int container_end(const uint8_t *p, size_t n, const char *file, size_t *first, size_t *end, struct err *e)
{
    uint32_t header = le16(p + 6);
    uint64_t size = le64(p + 8);
    if (header < FATBIN_HEADER_BYTES || header > n)
        return err_offset(e, file, 6, "fat binary: header of %u bytes", header);
    if (size > n - header)
        return err_offset(e, file, 8, "fat binary: %llu bytes of entries announced, %zu there",
                          (unsigned long long)size, n - header);
    *first = header;
    *end = header + (size_t)size;
    return 0;
}

/* The strings between an entry's fixed header and its payload. */
static int read_strings(const uint8_t *q, uint32_t header, uint64_t at, const char *file, struct fatbin_entry *out,
                        struct err *e)
{
    uint32_t name_at = le32(q + 0x20), name_len = le32(q + 0x24), opt_at = le32(q + 0x14);
    if (name_at && name_len) {
        if (name_at > header || name_len > header - name_at)
            return err_offset(e, file, at + 0x20, "fat binary: the entry's name is outside its header");
        out->name = (const char *)q + name_at;
        out->name_bytes = strnlen(out->name, name_len);
    }
    if (opt_at) {
        if (opt_at > header || header - opt_at < 8)
            return err_offset(e, file, at + 0x14, "fat binary: the entry's options are outside its header");
        uint32_t str_at = le32(q + opt_at), str_len = le32(q + opt_at + 4);
        if (str_at > header || str_len > header - str_at)
            return err_offset(e, file, at + opt_at, "fat binary: the entry's option string is outside its header");
        out->maxrregcount = find_maxrregcount((const char *)q + str_at, str_len);
    }
    return 0;
}

int fatbin_next(const void *bytes, size_t n, size_t *at, const char *file, struct fatbin_entry *out, struct err *e)
{
    const uint8_t *p = bytes;
    size_t first = 0, end = 0;
    if (!fatbin_is_container(bytes, n))
        return err_offset(e, file, 0, "not a fat binary");
    if (container_end(p, n, file, &first, &end, e))
        return -1;
    if (*at < first)
        *at = first;
    if (*at >= end)
        return 0;
    const uint8_t *q = p + *at;
    const size_t room = end - *at;
    if (room < ENTRY_MIN_BYTES)
        return err_offset(e, file, *at, "fat binary: %zu bytes left, an entry needs %d", room, ENTRY_MIN_BYTES);
    const uint32_t header = le32(q + 4);
    const uint64_t payload = le64(q + 8), flags = le64(q + 0x28);
    const uint32_t compressed = le32(q + 0x10);
    if (header < ENTRY_MIN_BYTES || header > room)
        return err_offset(e, file, *at + 4, "fat binary: entry header of %u bytes, %zu there", header, room);
    if (payload > room - header)
        return err_offset(e, file, *at + 8, "fat binary: payload of %llu bytes, %zu there", (unsigned long long)payload,
                          room - header);
    *out = (struct fatbin_entry){
        .kind = le16(q),
        .coding = flags & FLAG_ZSTD  ? FATBIN_ZSTD
                  : flags & FLAG_LZ4 ? FATBIN_LZ4
                                     : FATBIN_RAW,
        .ptx_version = le16(q + 0x1a) * 10u + le16(q + 0x18),
        .arch = le32(q + 0x1c),
        .offset = *at,
        .payload = q + header,
        .payload_bytes = (size_t)payload,
        .text_bytes = payload,
    };
    if (out->coding != FATBIN_RAW) {
        if (!compressed || compressed > payload)
            return err_offset(e, file, *at + 0x10, "fat binary: %u compressed bytes in a payload of %llu", compressed,
                              (unsigned long long)payload);
        out->payload_bytes = compressed;
        out->text_bytes = le64(q + 0x38);
        if (out->text_bytes > TEXT_LIMIT_BYTES)
            return err_offset(e, file, *at + 0x38, "fat binary: %llu bytes after decompression, more than weir accepts",
                              (unsigned long long)out->text_bytes);
    }
    if (read_strings(q, header, *at, file, out, e))
        return -1;
    *at += header + (size_t)payload;
    return 1;
}

char *fatbin_text(const struct fatbin_entry *f, const char *file, size_t *bytes, struct err *e)
{
    if (f->text_bytes > TEXT_LIMIT_BYTES) {
        err_offset(e, file, f->offset + 8, "fat binary: an entry of %llu bytes, more than weir accepts",
                   (unsigned long long)f->text_bytes);
        return NULL;
    }
    size_t n = (size_t)f->text_bytes;
    char *text = xmalloc(n + 1);
    bool ok = true;
    if (f->coding == FATBIN_RAW) {
        memcpy(text, f->payload, n);
    } else if (f->coding == FATBIN_LZ4) {
        int got = LZ4_decompress_safe((const char *)f->payload, text, (int)f->payload_bytes, (int)n);
        ok = got >= 0 && (size_t)got == n;
    } else {
        ok = ZSTD_decompress(text, n, f->payload, f->payload_bytes) == n;
    }
    if (!ok) {
        free(text);
        err_offset(e, file, f->offset, "fat binary: the %s entry does not decompress to %zu bytes",
                   f->coding == FATBIN_LZ4 ? "LZ4" : "zstd", n);
        return NULL;
    }
    while (n && !text[n - 1])
        n--;
    text[n] = '\0';
    *bytes = n;
    return text;
}

int fatbin_choose(const void *bytes, size_t n, uint32_t arch, const char *file, struct fatbin_pick *out, struct err *e)
{
    *out = (struct fatbin_pick){0};
    if (!fatbin_is_container(bytes, n)) {
        out->text_bytes = strnlen(bytes, n);
        if (out->text_bytes > TEXT_LIMIT_BYTES)
            return err_offset(e, file, 0, "PTX text of more than %d bytes", TEXT_LIMIT_BYTES);
        out->text = xstrndup(bytes, out->text_bytes);
        return 0;
    }
    struct fatbin_entry entry, best = {0}, own = {0};
    size_t at = 0;
    int more;
    while ((more = fatbin_next(bytes, n, &at, file, &entry, e)) > 0) {
        if (entry.kind == FATBIN_CUBIN) {
            out->n_cubin++;
            out->cubin_arch = entry.arch;
            if (entry.arch == arch)
                own = entry;
        } else if (entry.kind == FATBIN_PTX && entry.arch > arch) {
            if (!out->ptx_above || entry.arch < out->ptx_above)
                out->ptx_above = entry.arch;
        } else if (entry.kind == FATBIN_PTX && (!best.payload || entry.arch > best.arch)) {
            best = entry;
        }
    }
    if (more < 0)
        return -1;
    if (!best.payload)
        return 0;
    out->text = fatbin_text(&best, file, &out->text_bytes, e);
    if (!out->text)
        return -1;
    if (own.payload) {
        size_t n_text;
        struct err unread; /* of machine code: it is not needed */
        err_clear(&unread);
        out->cubin = fatbin_text(&own, file, &n_text, &unread);
        out->cubin_bytes = out->cubin ? (size_t)own.text_bytes : 0;
    }
    out->arch = best.arch;
    out->maxrregcount = best.maxrregcount;
    snprintf(out->name, sizeof out->name, "%.*s", (int)(best.name_bytes < 120 ? best.name_bytes : 120),
             best.name ? best.name : "");
    return 0;
}

void fatbin_pick_free(struct fatbin_pick *pick)
{
    free(pick->text);
    free(pick->cubin);
    pick->text = NULL;
    pick->cubin = NULL;
}
