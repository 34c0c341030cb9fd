/*
 * Fat binaries: the containers in which nvcc and clang embed device code.
 *
 * A container is a 16-byte header and entries back to back; an entry is a header, optional strings, and a payload: PTX
 * text or a cubin, raw, as one zstd frame or as one LZ4 block. clang may also embed plain PTX text with no container.
 * The readers work on (bytes, n), trust nothing, and never read outside.
 */
#ifndef WEIR_CUDART_FATBIN_H
#define WEIR_CUDART_FATBIN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FATBIN_MAGIC         0xba55ed50u
#define FATBIN_WRAPPER_MAGIC 0x466243b1u
enum { FATBIN_HEADER_BYTES = 16 };

/* What __cudaRegisterFatBinary is given. */
struct fatbin_wrapper {
    uint32_t magic;
    uint32_t version;             /* 1 = plain, 2 = linked: prelinked lists every object's container */
    const void *data;             /* container or PTX text */
    const void *const *prelinked; /* version 2: NULL-terminated, loaded as one module */
};

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2 };
enum fatbin_coding { FATBIN_RAW, FATBIN_LZ4, FATBIN_ZSTD };

struct fatbin_entry {
    uint16_t kind;         /* enum fatbin_kind, or something newer */
    uint8_t coding;        /* enum fatbin_coding */
    uint32_t arch;         /* 75, 90, ... */
    uint32_t ptx_version;  /* 10 * major + minor; of PTX entries */
    uint32_t maxrregcount; /* from the option string; 0 = not given */
    uint64_t offset;       /* of the entry in the container, for messages */
    const char *name;      /* source file; not NUL-terminated, name_bytes long; only with -G or -lineinfo */
    size_t name_bytes;
    const uint8_t *payload;
    size_t payload_bytes; /* as stored, without padding where that is known */
    uint64_t text_bytes;  /* after decompression */
};

/* Whether the bytes begin like a container. Otherwise they can only be PTX text. */
bool fatbin_is_container(const void *bytes, size_t n);

/*
 * Reads the entry at *at (start with 0) and moves *at behind it. Returns 1, 0 when there are no more, or -1 with *e.
 * `file` is for messages. Entries of unknown kind are returned, too.
 */
int fatbin_next(const void *bytes, size_t n, size_t *at, const char *file, struct fatbin_entry *out, struct err *e);

/*
 * The payload after decompression, with one NUL behind its last byte; *bytes excludes trailing NULs. free() it. NULL
 * and *e when it cannot be decompressed.
 */
char *fatbin_text(const struct fatbin_entry *, const char *file, size_t *bytes, struct err *e);

struct fatbin_pick {
    char *text; /* PTX; NULL when there is none that can run */
    size_t text_bytes;
    uint32_t arch, maxrregcount;
    char name[128];      /* for messages: the source file's name or "" */
    uint32_t n_cubin;    /* what else there was, to say why nothing was picked */
    uint32_t cubin_arch; /* of the last one */
    uint32_t ptx_above;  /* lowest PTX arch above the limit; 0 = none */
    void *cubin;         /* machine code for just this device beside the PTX, for what ptxas decided; or NULL */
    size_t cubin_bytes;
};
/*
 * Chooses the PTX to run on an `arch` device (90 = compute capability 9.0): that of the highest target not above it.
 * Plain PTX text is taken as it is. Returns 0, also when there is none (text == NULL); -1 and *e on a damaged file.
 * fatbin_pick_free() what it gives.
 */
int fatbin_choose(const void *bytes, size_t n, uint32_t arch, const char *file, struct fatbin_pick *out, struct err *e);
void fatbin_pick_free(struct fatbin_pick *);

#endif
