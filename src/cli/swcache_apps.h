/*
 * The applications of the software L1 (swcache/apps): compiled with weir cc or nvcc, checked, and recorded.
 *
 * Each has three variants: the plain kernel, the one cached by hand, and what the source transformer makes of the plain
 * one, unless it leaves that alone. They are linked into one program, so that it can compare them.
 */
#ifndef WEIR_CLI_SWCACHE_APPS_H
#define WEIR_CLI_SWCACHE_APPS_H

#include "base/err.h"
#include "base/mem.h"
#include "cli/suite_programs.h"

#include <stdbool.h>

enum swcache_variant { SWCACHE_PLAIN, SWCACHE_HAND, SWCACHE_AUTO, SWCACHE_VARIANTS };
extern const char *const swcache_variant_name[SWCACHE_VARIANTS];

struct swcache_app {
    char *name;
    const char *group; /* "streaming", or "others": caching must stay off */
};

struct swcache_apps {
    char library[PATH_MAX];      /* the folder of swcache.cuh */
    char folder[SUITE_PATH + 8]; /* for what is compiled and recorded: a folder in it for each program */
    struct key common;           /* of what all programs depend on */
    bool has_transformer;        /* it was built, and runs here */
    bool nvcc;                   /* simulated machines run what NVIDIA's compiler makes, not weir cc */
    bool device;                 /* for the GPU of this computer, where the program chooses whether to cache */
    VEC(struct swcache_app) app; /* by group, then by name */
};

/* A simulated machine, or a part of one. */
enum { SWCACHE_SETS = 16 };
struct swcache_machine {
    char name[160];         /* unlike that of every other machine */
    const char *gpu, *says; /* says: for people; NULL = nothing */
    const char *set[SWCACHE_SETS];
    unsigned n_set;
};

/* All applications, or the one called `only`. */
int swcache_apps_find(struct swcache_apps *, const char *only, struct err *);
void swcache_apps_free(struct swcache_apps *);

/* Looks for nvcc, also where its installer puts it, and adds that to PATH. */
int swcache_find_nvcc(struct err *);
/* The name of a machine as part of the name of a file. */
void swcache_file_name(const char *machine, char out[160]);

enum { SWCACHE_PATH = SUITE_PATH + 400 };
/* Compiles the application if that has not been done. */
int swcache_build(const struct swcache_apps *, const struct swcache_app *, char binary[SWCACHE_PATH], struct err *);
/* Whether the compiled program has the variant: not the automatic one where the transformer changed nothing, or where
 * weir was built without it. */
bool swcache_has(const struct swcache_apps *, const struct swcache_app *, enum swcache_variant);
/* Runs the program's own check of all variants, then records each, if that has not been done. */
int swcache_record(const struct swcache_apps *, const struct swcache_app *, const struct swcache_machine *,
                   const char *binary, const char *size, struct err *);
void swcache_recording(const struct swcache_apps *, const struct swcache_app *, const struct swcache_machine *,
                       const char *size, enum swcache_variant, char path[SWCACHE_PATH]);

#endif
