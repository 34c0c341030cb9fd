/*
 * Device printf: vprintf(format, arguments) of one thread.
 *
 * Arguments lie packed in memory as CUDA passes them: each aligned to its own size, integers of 32 bits (anything
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

int emu_printf(struct emu_warp_run *r, unsigned lane, uint64_t format, uint64_t args)
{
    enum { FORMAT_MAX = 8192, STRING_MAX = 8192 };
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
        bool wide = false, shorter = false, byte = false;
        for (; *p && strchr("hlLjzt", *p); p++) {
            wide = wide || *p != 'h';
            byte = shorter && *p == 'h';
            shorter = *p == 'h';
        }
        char conv = *p;
        spec[n] = 0;
        switch (conv) {
        case 'd':
        case 'i': {
            int64_t v = wide ? (int64_t)next_arg(&a, 8) : (int32_t)(uint32_t)next_arg(&a, 4);
            v = byte ? (int8_t)v : shorter ? (int16_t)v : v;
            snprintf(spec + n, sizeof spec - n, "ll%c", conv);
            fprintf(out, spec, (long long)v);
            break;
        }
        case 'u':
        case 'o':
        case 'x':
        case 'X': {
            uint64_t v = next_arg(&a, wide ? 8 : 4);
            v = byte ? (uint8_t)v : shorter ? (uint16_t)v : v;
            snprintf(spec + n, sizeof spec - n, "ll%c", conv);
            fprintf(out, spec, (unsigned long long)v);
            break;
        }
        case 'f':
        case 'F':
        case 'e':
        case 'E':
        case 'g':
        case 'G':
        case 'a':
        case 'A': {
            uint64_t bits = next_arg(&a, 8);
            double v;
            memcpy(&v, &bits, 8);
            snprintf(spec + n, sizeof spec - n, "%c", conv);
            fprintf(out, spec, v);
            break;
        }
        case 'c':
            snprintf(spec + n, sizeof spec - n, "c");
            fprintf(out, spec, (int)(uint32_t)next_arg(&a, 4));
            break;
        case 'p':
            snprintf(spec + n, sizeof spec - n, "p");
            fprintf(out, spec, (void *)(uintptr_t)next_arg(&a, 8));
            break;
        case 's': {
            uint64_t at = next_arg(&a, 8);
            if (!emu_read_string(r, lane, at, str, STRING_MAX))
                snprintf(str, STRING_MAX, "(null)");
            snprintf(spec + n, sizeof spec - n, "s");
            fprintf(out, spec, str);
            break;
        }
        default: /* not a conversion: as it is written */
            fwrite(start, 1, (size_t)(p - start) + (conv != 0), out);
            converted--;
        }
        converted++;
        if (conv)
            p++;
    }
    free(fmt);
    free(str);
    return converted;
}
