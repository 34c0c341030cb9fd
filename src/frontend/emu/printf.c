/*
 * Device printf: vprintf(format, arguments) of one thread.
 *
 * Arguments are packed in memory as CUDA passes them: each aligned to its own size, integers of 32 bits (anything
 * shorter was widened), 64 bits for l, ll, j, z, t and pointers, floating point as double. Every conversion of C but
 * %n.
 */
#include "emu/exec_mem.h"

#include <ctype.h>
#include <stdio.h>

bool emu_read_string(struct emu_warp_run *r, unsigned lane, uint64_t addr, char *out, size_t cap)
{
    void *at;
    uint64_t n = emu_generic_extent(r, lane, addr, cap - 1, &at);
    if (n == 0)
        return false;
    const char *nul = memchr(at, 0, n);
    size_t len = nul ? (size_t)(nul - (const char *)at) : (size_t)n;
    memcpy(out, at, len);
    out[len] = 0;
    return true;
}

struct args {
    struct emu_warp_run *r;
    unsigned lane;
    uint64_t at;
};

static uint64_t next_arg(struct args *a, unsigned bytes)
{
    uint64_t v = 0;
    a->at = (a->at + bytes - 1) / bytes * bytes;
    const void *p = emu_generic_ptr(a->r, a->lane, a->at, bytes);
    if (p)
        memcpy(&v, p, bytes);
    a->at += bytes;
    return v;
}

/* What a conversion takes, and the length passed to the C library: integers are widened to long long. */
enum kind { SIGNED, UNSIGNED, FLOATING, CHARACTER, POINTER, STRING, N_KIND };
static const struct {
    const char *conversions, *length;
} kinds[N_KIND] = {
    [SIGNED] = {"di", "ll"}, [UNSIGNED] = {"uoxX", "ll"}, [FLOATING] = {"fFeEgGaA", ""},
    [CHARACTER] = {"c", ""}, [POINTER] = {"p", ""},       [STRING] = {"s", ""},
};

static enum kind kind_of(char conv)
{
    enum kind k = SIGNED;
    while (k < N_KIND && !(conv && strchr(kinds[k].conversions, conv)))
        k++;
    return k;
}

/* The length modifiers of a conversion. */
struct length {
    bool wide, shorter, byte; /* 64 bits; h; hh */
};

static const char *read_length(const char *p, struct length *out)
{
    *out = (struct length){0};
    for (; *p && strchr("hlLjzt", *p); p++) {
        out->wide = out->wide || *p != 'h';
        out->byte = out->shorter && *p == 'h';
        out->shorter = *p == 'h';
    }
    return p;
}

enum { STRING_MAX = 8192 };

/* Prints the next argument by `spec`, a conversion of the C library. `text`: room for a string. */
static void print_one(FILE *out, const char *spec, enum kind kind, struct length length, struct args *a, char *text)
{
    uint64_t v = next_arg(a, kind > UNSIGNED ? (kind == CHARACTER ? 4 : 8) : length.wide ? 8 : 4);
    double number;
    switch (kind) {
    case SIGNED:
        v = length.wide ? v : (uint64_t)(int32_t)v;
        v = length.byte ? (uint64_t)(int8_t)v : length.shorter ? (uint64_t)(int16_t)v : v;
        fprintf(out, spec, (long long)v);
        break;
    case UNSIGNED:
        v = length.byte ? (uint8_t)v : length.shorter ? (uint16_t)v : v;
        fprintf(out, spec, (unsigned long long)v);
        break;
    case FLOATING:
        memcpy(&number, &v, 8);
        fprintf(out, spec, number);
        break;
    case CHARACTER:
        fprintf(out, spec, (int)(uint32_t)v);
        break;
    case POINTER:
        fprintf(out, spec, (void *)(uintptr_t)v);
        break;
    default:
        if (!emu_read_string(a->r, a->lane, v, text, STRING_MAX))
            snprintf(text, STRING_MAX, "(null)");
        fprintf(out, spec, text);
    }
}

int emu_printf(struct emu_warp_run *r, unsigned lane, uint64_t format, uint64_t args)
{
    enum { FORMAT_MAX = 8192 };
    FILE *out = r->w.emu->opts.printf_out ? r->w.emu->opts.printf_out : stdout;
    char *fmt = xmalloc(FORMAT_MAX), *str = xmalloc(STRING_MAX);
    struct args a = {r, lane, args};
    int converted = 0;
    if (!emu_read_string(r, lane, format, fmt, FORMAT_MAX)) {
        free(fmt);
        free(str);
        return -1;
    }
    const char *p = fmt;
    while (*p) {
        size_t plain = strcspn(p, "%");
        fwrite(p, 1, plain, out);
        p += plain;
        if (!*p)
            break;
        const char *start = p++;
        if (*p == '%') {
            fputc('%', out);
            p++;
            continue;
        }
        /* flags, width, precision go to the C library as they are, with * filled in; the length is ours. */
        char spec[64] = "%";
        size_t n = 1;
        for (; *p && (strchr("-+ #0.*", *p) || isdigit((unsigned char)*p)); p++) {
            if (n > sizeof spec - 24)
                continue;
            if (*p == '*')
                n += (size_t)snprintf(spec + n, sizeof spec - n, "%d", (int)(uint32_t)next_arg(&a, 4));
            else
                spec[n++] = *p;
        }
        struct length length;
        p = read_length(p, &length);
        const enum kind kind = kind_of(*p);
        if (kind < N_KIND) {
            snprintf(spec + n, sizeof spec - n, "%s%c", kinds[kind].length, *p);
            print_one(out, spec, kind, length, &a, str);
            converted++;
        } else { /* not a conversion: as it is written */
            fwrite(start, 1, (size_t)(p - start) + (*p != 0), out);
        }
        p += *p != 0;
    }
    free(fmt);
    free(str);
    return converted;
}
