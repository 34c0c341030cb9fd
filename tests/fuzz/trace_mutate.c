/*
 * Mutates a recording behind its checksums: trace_mutate SEED IN.wt OUT.wt. One to four changes: a byte, a number that
 * means something to the format in the place of another (a varint or a field of 1, 2 or 4 bytes), bytes cut out or
 * doubled, a frame dropped or doubled. The same seed makes the same file.
 */
#include "trace_forge.h"

#include <stdio.h>

static uint64_t state;
static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (uint32_t)((state * 0x2545f4914f6cdd1dull >> 32) * n >> 32) : 0;
}

static uint64_t number(void)
{
    static const uint64_t special[] = {
        0,    1,     2,     31,         32,         33,  127,        128,        255,        1023,      1024,
        1025, 65535, 65536, 0x7fffffff, 0x80000000, ~0u, 1ull << 32, 1ull << 40, ~0ull >> 1, ~0ull - 1, ~0ull};
    return below(3) ? special[below(sizeof special / sizeof *special)] : below(1u << below(31));
}

static void cut(byte_vec *v, size_t at, size_t n)
{
    memmove(v->p + at, v->p + at + n, v->n - at - n);
    v->n -= n;
}

static void change(struct forge *f)
{
    struct forge_frame *fr = &f->frame.p[below((uint32_t)f->frame.n)];
    byte_vec *v = &fr->raw;
    if (below(40) == 0) { /* frames */
        if (below(2)) {
            forge_add(f, fr->kind, v->p, v->n);
        } else {
            VEC_FREE(v);
            *fr = f->frame.p[--f->frame.n];
        }
        return;
    }
    if (!v->n)
        return;
    const size_t at = below((uint32_t)v->n);
    const size_t n = 1 + below((uint32_t)(v->n - at < 40 ? v->n - at : 40));
    switch (below(6)) {
    case 0:
        v->p[at] ^= (uint8_t)(1u << below(8));
        return;
    case 1:
        forge_set_var(v, at, number());
        return;
    case 2: {
        const unsigned bytes = 1u << below(3);
        const uint64_t x = number();
        for (unsigned i = 0; i < bytes && at + i < v->n; i++)
            v->p[at + i] = (uint8_t)(x >> 8 * i);
        return;
    }
    case 3:
        cut(v, at, n);
        return;
    case 4: { /* doubled */
        byte_vec out = {0};
        put_bytes(&out, v->p, at + n);
        put_bytes(&out, v->p + at, v->n - at);
        VEC_FREE(v);
        *v = out;
        return;
    }
    default: { /* a field of a record or a table that counts something */
        const size_t field = fr->kind == FRAME_KERNEL ? forge_table_field(v, below(11))
                             : fr->kind == FRAME_JOURNAL
                                 ? forge_record_of(v, f->format, JRN_EVENT + below(3), below(8), below(11))
                                 : at;
        if (field < v->n)
            forge_set_var(v, field, number());
        return;
    }
    }
}

int main(int argc, char **argv)
{
    byte_vec in = {0}, out = {0};
    struct forge f;
    FILE *file = argc == 4 ? fopen(argv[2], "rb") : NULL;
    for (int c; file && (c = getc(file)) != EOF;)
        put_le(&in, (uint64_t)c, 1);
    if (!file || fclose(file) || !forge_open(&f, in.p, in.n)) {
        fprintf(stderr, "usage: %s SEED IN.wt OUT.wt\n", argv[0]);
        return 2;
    }
    state = (strtoull(argv[1], NULL, 10) + 1) * 0x9e3779b97f4a7c15ull;
    for (uint32_t n = 1 + below(4); n-- && f.frame.n;)
        change(&f);
    forge_write(&f, &out);
    file = fopen(argv[3], "wb");
    const int bad = !file || fwrite(out.p, 1, out.n, file) != out.n;
    if (file)
        fclose(file);
    forge_free(&f);
    VEC_FREE(&in);
    VEC_FREE(&out);
    return bad ? 2 : 0;
}
