/*
 * Fuzzes what weir reads of a program before it runs it. The first byte chooses how the rest is used:
 *   0  as a fat binary or PTX text: every entry is read and decompressed, then one is chosen
 *   1  as an ELF executable
 */
#include "cudart/fatbin.h"
#include "cudart/elf_check.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_fatbin(const uint8_t *p, size_t n)
{
    struct fatbin_entry entry;
    struct fatbin_pick pick;
    struct err e;
    size_t at = 0, bytes;
    for (int left = 64; left && fatbin_next(p, n, &at, "fuzz", &entry, &e) > 0; left--)
        free(fatbin_text(&entry, "fuzz", &bytes, &e));
    if (!fatbin_choose(p, n, 90, "fuzz", &pick, &e))
        fatbin_pick_free(&pick);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct program program;
    struct err e;
    if (!n)
        return 0;
    if (data[0] & 1)
        program_examine(data + 1, n - 1, "fuzz", &program, &e);
    else
        read_fatbin(data + 1, n - 1);
    return 0;
}
