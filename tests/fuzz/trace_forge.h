/*
 * Recordings taken apart and put together again with right checksums, index and totals: what lies behind the checksums
 * is reached by tests and mutations.
 */
#ifndef WEIR_TESTS_TRACE_FORGE_H
#define WEIR_TESTS_TRACE_FORGE_H

#include "trace/frame.h"

struct forge_frame {
    enum frame_kind kind;
    byte_vec raw; /* unpacked */
};
struct forge {
    VEC(struct forge_frame) frame; /* without the index, which is made anew */
    uint32_t format;               /* of the journal; 0 = the formats of the corpus, 2 or 3 */
};

/* Takes a sound recording apart; false when it is none. */
bool forge_open(struct forge *, const uint8_t *p, size_t n);
void forge_add(struct forge *, enum frame_kind, const void *raw, size_t n);
/* The file. Totals are counted in the journal as far as it can be read. */
void forge_write(const struct forge *, byte_vec *out);
void forge_free(struct forge *);

/* The first frame of a kind; NULL = none. */
byte_vec *forge_raw(struct forge *, enum frame_kind);
/* Puts a varint in the place of the one at `at`. */
void forge_set_var(byte_vec *raw, size_t at, uint64_t value);
/* Where the k-th varint behind the name of a kernel table is, or the field of the n-th record of a kind in a journal
 * (0 = the byte behind the record's kind). SIZE_MAX = there is none. */
size_t forge_table_field(const byte_vec *raw, unsigned k);
size_t forge_record(const byte_vec *journal, unsigned kind, unsigned n, unsigned field);
size_t forge_record_of(const byte_vec *journal, uint32_t format, unsigned kind, unsigned n, unsigned field);

#endif
