/*
 * What kind of program `weir run` was given, from its ELF header: can it run here, and will it call our runtime?
 */
#ifndef WEIR_CUDART_PROGRAM_H
#define WEIR_CUDART_PROGRAM_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum program_kind {
    PROGRAM_CUDA,   /* needs libcudart.so.13 or libcuda.so.1: ours takes its place */
    PROGRAM_OTHER,  /* no sign of CUDA; may load it later, or start programs that do */
    PROGRAM_SCRIPT, /* starts with #! */
};
struct program {
    enum program_kind kind;
    bool has_rpath; /* DT_RPATH without DT_RUNPATH: goes before LD_LIBRARY_PATH, so the library must be preloaded */
};

/*
 * Examines an executable's bytes. -1 and *e for everything that cannot be simulated: another architecture, a runtime
 * linked statically, one of another CUDA version. `name` is what the user calls the program.
 */
int program_examine(const void *bytes, size_t n, const char *name, struct program *out, struct err *e);

#endif
