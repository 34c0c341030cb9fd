/*
 * Reads as much of an ELF executable as is needed to know whether it can be simulated. Trusts nothing; not read:
 * section headers, which stripped programs lack.
 */
#include "cudart/elf_check.h"

#include <elf.h>
#include <string.h>

struct image {
    const unsigned char *p;
    size_t n;
};

/* `bytes` bytes at file offset `at`, or NULL when they are not all there. */
static const void *at(const struct image *f, uint64_t offset, uint64_t bytes)
{
    return offset <= f->n && bytes <= f->n - offset ? f->p + offset : NULL;
}

static int bad_elf(const char *name, struct err *e)
{
    return err_set(e, "%s: damaged ELF file", name);
}

/* The loaded segments map addresses to file offsets; UINT64_MAX when none holds the address. */
static uint64_t file_offset(const struct image *f, const Elf64_Ehdr *eh, uint64_t vaddr)
{
    for (unsigned i = 0; i < eh->e_phnum; i++) {
        Elf64_Phdr ph;
        memcpy(&ph, f->p + eh->e_phoff + i * sizeof ph, sizeof ph);
        if (ph.p_type == PT_LOAD && vaddr >= ph.p_vaddr && vaddr - ph.p_vaddr < ph.p_filesz)
            return ph.p_offset + (vaddr - ph.p_vaddr);
    }
    return UINT64_MAX;
}

struct needs {
    bool cudart, cuda, rpath, runpath, dynamic;
    char other_cudart[64]; /* libcudart of another version */
};

static bool string_at(const struct image *f, uint64_t strtab, uint64_t offset, char *out, size_t room)
{
    const char *s = strtab <= UINT64_MAX - offset ? at(f, strtab + offset, 1) : NULL;
    if (!s)
        return false;
    size_t len = strnlen(s, f->n - (size_t)((const unsigned char *)s - f->p));
    if (len >= room)
        len = room - 1;
    memcpy(out, s, len);
    out[len] = '\0';
    return true;
}

static int read_dynamic(const struct image *f, const Elf64_Ehdr *eh, const Elf64_Phdr *dyn, const char *name,
                        struct needs *out, struct err *e)
{
    const uint64_t n = dyn->p_filesz / sizeof(Elf64_Dyn);
    const unsigned char *d = at(f, dyn->p_offset, n * sizeof(Elf64_Dyn));
    uint64_t strtab = UINT64_MAX;
    if (!d)
        return bad_elf(name, e);
    out->dynamic = true;
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Dyn x;
        memcpy(&x, d + i * sizeof x, sizeof x);
        if (x.d_tag == DT_STRTAB)
            strtab = file_offset(f, eh, x.d_un.d_ptr);
        out->rpath |= x.d_tag == DT_RPATH;
        out->runpath |= x.d_tag == DT_RUNPATH;
    }
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Dyn x;
        char lib[64];
        memcpy(&x, d + i * sizeof x, sizeof x);
        if (x.d_tag != DT_NEEDED || strtab == UINT64_MAX || !string_at(f, strtab, x.d_un.d_val, lib, sizeof lib))
            continue;
        if (!strcmp(lib, "libcudart.so.13") || !strcmp(lib, "libcudart.so"))
            out->cudart = true;
        else if (!strncmp(lib, "libcudart.so.", 13))
            memcpy(out->other_cudart, lib, sizeof lib);
        else if (!strcmp(lib, "libcuda.so.1") || !strcmp(lib, "libcuda.so"))
            out->cuda = true;
    }
    return 0;
}

int program_examine(const void *bytes, size_t n, const char *name, struct program *out, struct err *e)
{
    const struct image f = {bytes, n};
    *out = (struct program){.kind = PROGRAM_OTHER};
    if (n >= 2 && !memcmp(bytes, "#!", 2)) {
        out->kind = PROGRAM_SCRIPT;
        return 0;
    }
    if (n < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG)) {
        err_set(e, "%s is neither an ELF executable nor a script", name);
        return err_hint(e, "pass the program file itself: weir run ./app arguments");
    }
    Elf64_Ehdr eh;
    if (n < sizeof eh)
        return bad_elf(name, e);
    memcpy(&eh, bytes, sizeof eh);
    if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB || eh.e_machine != EM_X86_64) {
        err_set(e, "%s is built for another architecture (ELF machine %u, %s-bit)", name, eh.e_machine,
                eh.e_ident[EI_CLASS] == ELFCLASS64 ? "64" : "32");
        return err_hint(e, "rebuild it for x86-64");
    }
    if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
        return err_set(e, "%s is an object file, not a program; link it first", name);
    if (eh.e_phentsize != sizeof(Elf64_Phdr) || !at(&f, eh.e_phoff, (uint64_t)eh.e_phnum * sizeof(Elf64_Phdr)))
        return bad_elf(name, e);

    struct needs needs = {0};
    for (unsigned i = 0; i < eh.e_phnum; i++) {
        Elf64_Phdr ph;
        memcpy(&ph, f.p + eh.e_phoff + i * sizeof ph, sizeof ph);
        if (ph.p_type == PT_DYNAMIC && read_dynamic(&f, &eh, &ph, name, &needs, e))
            return -1;
    }
    out->has_rpath = needs.rpath && !needs.runpath;
    if (needs.other_cudart[0] && !needs.cudart) {
        err_set(e, "%s needs %s, weir provides libcudart.so.13", name, needs.other_cudart);
        return err_hint(e, "rebuild it with CUDA 13 (nvcc -cudart shared) or with weir cc");
    }
    if (needs.cudart || needs.cuda) {
        out->kind = PROGRAM_CUDA;
        return 0;
    }
    /* A runtime inside the program opens the driver by its name and asks for tables that are not documented. */
    if (memmem(bytes, n, "libcuda.so.1", 12) && memmem(bytes, n, "cuGetExportTable", 16)) {
        err_set(e, "%s links the CUDA runtime statically and would run unsimulated", name);
        return err_hint(e, "rebuild it with: nvcc -cudart shared");
    }
    return 0;
}
