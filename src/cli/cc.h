/*
 * What `weir cc` was asked to do, after nvcc's option language has been understood. cc_args.c fills it, cc.c acts.
 */
#ifndef WEIR_CLI_CC_H
#define WEIR_CLI_CC_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

struct cc_list {
    char **p;
    size_t n, cap;
};

enum cc_language { CC_CUDA, CC_CXX, CC_C, CC_LINK }; /* CC_LINK: objects and libraries, handed to the linker */

struct cc_input {
    char *path;
    enum cc_language language;
    char *overlay; /* what cc_mend_launches made for it, or NULL */
};

enum cc_stage { CC_TO_PROGRAM, CC_TO_OBJECT, CC_TO_PTX, CC_TO_ARCHIVE, CC_PREPROCESS };

struct cc_job {
    enum cc_stage stage;
    VEC(struct cc_input) input;
    char *output;          /* NULL: the customary name */
    struct cc_list common; /* to both compilations: -D, -I, -std ... */
    struct cc_list host;   /* to the host compilation: -Xcompiler, warnings, -fPIC ... */
    struct cc_list device; /* to the device compilation */
    struct cc_list link;   /* to the linker, in order: -L, -l, -Xlinker ... */
    int arch;              /* 75 = sm_75; 0 = not given */
    int opt;               /* host optimisation level */
    int max_regs;          /* 0 = not given */
    bool standard_given;   /* -std=... */
    bool host_debug;       /* -g */
    bool fast_math, ftz, prec_div_off, prec_sqrt_off, no_fma, no_unroll;
    bool relocatable; /* -rdc=true, -dc: device code of several files refers to each other */
    bool shared;      /* -shared */
    bool keep, verbose, dry_run, quiet;
    bool line_info_off;
    bool nvcc; /* --nvcc: hand everything to NVIDIA's compiler */
};

void cc_push(struct cc_list *list, const char *text);
void cc_pushf(struct cc_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Parses nvcc's options. 0, or -1 with *e filled. Strings in the job live as long as the process. */
int cc_parse(struct cc_job *job, int argc, char **argv, struct err *e);

/* A file as a string ended by 0 (which it may hold, too); NULL = it cannot be read. */
char *cc_read_text(const char *path, size_t *bytes);
int cc_write_text(const char *path, const char *text, size_t bytes);

/*
 * cc_launch.c: closes up launches written << < >> > in the source and what it includes, beside it or in folders
 * that options (-I) name. *overlay: a file for clang's -ivfsoverlay, NULL when there is nothing to mend.
 */
int cc_mend_launches(const char *source, const struct cc_list *options, const char *folder, size_t index,
                     char **overlay, struct err *e);

/* A temporary folder for plain files and pipes. 0, or -1 with *e filled. */
int cc_make_folder(char *folder, size_t bytes, struct err *e);
void cc_remove_folder(const char *folder);

/*
 * clang's arguments for the device compilation of the job, without the file's name: for who parses with libclang. 0, or
 * -1 with *e filled.
 */
int cc_device_args(const struct cc_job *job, struct cc_list *out, struct err *e);

#endif
