/*
 * The words of PTX: opcodes, suffixes, types, state spaces, special registers, each found by its spelling.
 */
#ifndef WEIR_PTX_NAMES_H
#define WEIR_PTX_NAMES_H

#include "base/mem.h"
#include "ptx/ir.h"

enum ptx_word_kind { PTX_WORD_NONE, PTX_WORD_TYPE, PTX_WORD_SPACE, PTX_WORD_VEC, PTX_WORD_MOD };
struct ptx_word {
    uint8_t kind;  /* enum ptx_word_kind */
    uint8_t value; /* enum ptx_type, ptx_space, ptx_mod, or vector length */
};

/* Built once per parse (some 400 entries), so that nothing in this folder is a mutable global. */
struct ptx_names {
    struct strmap op, suffix, sreg;
};
void ptx_names_init(struct ptx_names *);
void ptx_names_free(struct ptx_names *);

enum ptx_op ptx_names_op(const struct ptx_names *, const char *s, size_t n);         /* PTX_OP_UNKNOWN */
struct ptx_word ptx_names_suffix(const struct ptx_names *, const char *s, size_t n); /* without the dot */
/* Special register by full name ("%tid.x", "%envreg3"); *number is set for numbered ones. -1 = not one. */
int ptx_names_sreg(const struct ptx_names *, const char *s, size_t n, uint32_t *number);

const char *ptx_mod_name(enum ptx_mod);
const char *ptx_sreg_name(enum ptx_sreg);
bool ptx_sreg_is_numbered(enum ptx_sreg);   /* %envreg3: the name is a stem */
const char *ptx_space_name(enum ptx_space); /* "global"; "" for none and generic */

#endif
