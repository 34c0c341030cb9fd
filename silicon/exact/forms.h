/*
 * Reads the list of forms that silicon/exact/gen.py writes, for the GPU's runner and for the test.
 *
 * Results are kept form after form: for each result of the form, `elements` values of the result's width, byte-planar
 * (all first bytes, then all second bytes, ...: compresses better); predicates as one bit each. The file starts with
 * SILICON_MAGIC and a hash of the list, so that data and list cannot be mixed up.
 */
#ifndef WEIR_SILICON_FORMS_H
#define WEIR_SILICON_FORMS_H

#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SILICON_MAGIC 0x31434c5372696577ull /* "weirSLC1" */

struct silicon_form {
    char kernel[16], name[72], check[24];
    uint32_t elements;
    unsigned n_out, n_in;
    uint8_t out_bits[2]; /* 1 = predicate */
    uint8_t in_kind[4];
};
struct silicon_forms {
    unsigned n;
    uint64_t hash;
    struct silicon_form *form;
};

static inline int silicon_read_forms(const char *path, struct silicon_forms *out)
{
    FILE *f = fopen(path, "r");
    char line[512];
    memset(out, 0, sizeof *out);
    if (!f)
        return -1;
    out->hash = 0xcbf29ce484222325ull;
    while (fgets(line, sizeof line, f)) {
        struct silicon_form x = {0};
        char outs[64], ins[64];
        if (sscanf(line, "%15[^\t]\t%71[^\t]\t%23[^\t]\t%u\t%63[^\t]\t%63[^\n]", x.kernel, x.name, x.check, &x.elements,
                   outs, ins) != 6)
            return -1;
        /* What the results depend on: not the order of kernels, nor how they are compared. */
        out->hash = out->hash * 31 + silicon_hash(x.name) + silicon_hash(outs) * 3 + silicon_hash(ins) * 5 + x.elements;
        for (char *t = strtok(outs, ","); t && x.n_out < 2; t = strtok(NULL, ",")) {
            const int k = silicon_find_kind(t, strlen(t));
            if (k < 0)
                return -1;
            x.out_bits[x.n_out++] = (uint8_t)(silicon_kinds[k].bits * silicon_kinds[k].halves);
        }
        for (char *t = strtok(ins, ","); t && x.n_in < 4; t = strtok(NULL, ",")) {
            const int k = silicon_find_kind(t, strlen(t));
            if (k < 0)
                return -1;
            x.in_kind[x.n_in++] = (uint8_t)k;
        }
        out->form = realloc(out->form, (out->n + 1) * sizeof x);
        out->form[out->n++] = x;
    }
    fclose(f);
    return 0;
}

static inline size_t silicon_result_bytes(const struct silicon_form *f)
{
    size_t n = 0;
    for (unsigned k = 0; k < f->n_out; k++)
        n += (size_t)f->elements * f->out_bits[k] / 8;
    return n;
}
/* Value e of result k in a form's block of results. */
static inline uint64_t silicon_result(const struct silicon_form *f, const uint8_t *block, unsigned k, uint32_t e)
{
    if (k == 1)
        block += (size_t)f->elements * f->out_bits[0] / 8;
    if (f->out_bits[k] == 1)
        return block[e / 8] >> e % 8 & 1;
    uint64_t x = 0;
    for (unsigned b = 0; b < f->out_bits[k] / 8u; b++)
        x |= (uint64_t)block[(size_t)b * f->elements + e] << 8 * b;
    return x;
}
static inline void silicon_put_result(const struct silicon_form *f, uint8_t *block, unsigned k, uint32_t e, uint64_t x)
{
    if (k == 1)
        block += (size_t)f->elements * f->out_bits[0] / 8;
    if (f->out_bits[k] == 1)
        block[e / 8] |= (uint8_t)((x & 1) << e % 8);
    for (unsigned b = 0; b < f->out_bits[k] / 8u; b++)
        block[(size_t)b * f->elements + e] = (uint8_t)(x >> 8 * b);
}

#endif
