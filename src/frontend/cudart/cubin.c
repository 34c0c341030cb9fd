/*
 * Reads a cubin, an ELF file, as far as its kernels' registers: section .nv.info has records of four bytes (format,
 * attribute, size) and their values; the record of a kernel's registers names it by its index in the symbol table.
 */
#include "cudart/cubin.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

enum {
    FORMAT_VALUES = 4,          /* the record's size counts the bytes behind it */
    ATTRIBUTE_REGISTERS = 0x2f, /* symbol, registers: 32 bits each */
};

struct bytes {
    const unsigned char *p;
    size_t n;
};

/* `n` bytes at offset `at`; none where they are not all there. */
static struct bytes part(struct bytes b, uint64_t at, uint64_t n)
{
    return at <= b.n && n <= b.n - at ? (struct bytes){b.p + at, (size_t)n} : (struct bytes){0};
}

static bool is_named(struct bytes names, uint64_t at, const char *name)
{
    const size_t n = strlen(name) + 1;
    const struct bytes found = part(names, at, n);
    return found.p && !memcmp(found.p, name, n);
}

static bool header_of(struct bytes file, uint64_t table, unsigned k, Elf64_Shdr *out)
{
    const struct bytes b =
        table <= UINT64_MAX - k * sizeof *out ? part(file, table + k * sizeof *out, sizeof *out) : (struct bytes){0};
    if (b.p)
        memcpy(out, b.p, sizeof *out);
    return b.p;
}

static bool symbol_is(struct bytes symbols, struct bytes names, uint32_t k, const char *name)
{
    Elf64_Sym s;
    const struct bytes b = part(symbols, (uint64_t)k * sizeof s, sizeof s);
    if (!b.p)
        return false;
    memcpy(&s, b.p, sizeof s);
    return is_named(names, s.st_name, name);
}

static uint32_t find_record(struct bytes info, struct bytes symbols, struct bytes names, const char *kernel)
{
    for (size_t at = 0; at + 4 <= info.n;) {
        uint16_t size;
        memcpy(&size, info.p + at + 2, sizeof size);
        const bool values = info.p[at] == FORMAT_VALUES;
        uint32_t value[2];
        const struct bytes b = part(info, at + 4, sizeof value);
        if (values && info.p[at + 1] == ATTRIBUTE_REGISTERS && size == sizeof value && b.p) {
            memcpy(value, b.p, sizeof value);
            if (symbol_is(symbols, names, value[0], kernel))
                return value[1];
        }
        at += 4 + (values ? (size_t)size : 0);
    }
    return 0;
}

uint32_t cubin_registers(const void *bytes, size_t n, const char *kernel)
{
    const struct bytes file = {bytes, n};
    Elf64_Ehdr eh;
    Elf64_Shdr h, names_of;
    struct bytes info = {0}, symbols = {0}, symbol_names = {0};
    if (n < sizeof eh)
        return 0;
    memcpy(&eh, bytes, sizeof eh);
    if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
        !header_of(file, eh.e_shoff, eh.e_shstrndx, &names_of))
        return 0;
    const struct bytes names = part(file, names_of.sh_offset, names_of.sh_size);
    for (unsigned k = 0; k < eh.e_shnum && header_of(file, eh.e_shoff, k, &h); k++) {
        if (h.sh_type == SHT_SYMTAB) {
            Elf64_Shdr of;
            symbols = part(file, h.sh_offset, h.sh_size);
            if (header_of(file, eh.e_shoff, h.sh_link, &of))
                symbol_names = part(file, of.sh_offset, of.sh_size);
        } else if (is_named(names, h.sh_name, ".nv.info")) {
            info = part(file, h.sh_offset, h.sh_size);
        }
    }
    return find_record(info, symbols, symbol_names, kernel);
}
