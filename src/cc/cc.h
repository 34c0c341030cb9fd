/*
 * What `weir cc` was asked to do, after nvcc's option language has been understood. args.c fills it, cc.c acts.
 */
#ifndef WEIR_CC_CC_H
#define WEIR_CC_CC_H

#include "base/err.h"
#include "base/mem.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct cc_list {
    char **p;
    size_t n, cap;
};

enum cc_language { CC_CUDA, CC_CXX, CC_C, CC_LINK }; /* CC_LINK: objects and libraries, handed to the linker */

/* Lines of source files, by their full names. */
struct cc_place {
    char *file;
    unsigned line;
};
struct cc_places {
    struct cc_place *p;
    size_t n, cap;
};

struct cc_input {
    char *path;
    enum cc_language language;
    char *overlay;             /* what cc_fix_launches made for it, or NULL */
    struct cc_places launches; /* from device code, as far as clang has complained of them */
};

enum cc_stage { CC_TO_PROGRAM, CC_TO_OBJECT, CC_TO_PTX, CC_TO_ARCHIVE, CC_PREPROCESS, CC_DEVICE_LINK };

/* The compute capability that a program sees where no machine is named (an H200), as nvcc -arch=native. */
enum { CC_DEFAULT_ARCH = 90 };

struct cc_job {
    enum cc_stage stage;
    VEC(struct cc_input) input;
    char *output;          /* NULL: the customary name */
    struct cc_list common; /* to both compilations: -D, -I, -std ... */
    struct cc_list host;   /* to the host compilation: -Xcompiler, warnings, -fPIC ... */
    struct cc_list device; /* to the device compilation */
    struct cc_list link;   /* to the linker, in order: -L, -l, -Xlinker ... */
    int arch;              /* 75 = sm_75; 0 = not given: CC_DEFAULT_ARCH */
    bool arch_only;        /* sm_90a: with the instructions that only this architecture has */
    int opt;               /* host optimization level */
    int max_regs;          /* 0 = not given */
    bool standard_given;   /* -std=... */
    bool host_debug;       /* -g */
    bool fast_math, ftz, prec_div_off, prec_sqrt_off, no_fma, no_unroll, unroll_known, no_whole_vectors;
    bool relocatable; /* -rdc=true, -dc: device code of several files refers to each other */
    bool shared;      /* -shared */
    bool fat_binary;  /* -fatbin: the PTX in a container */
    bool keep, verbose, dry_run, quiet;
    bool line_info_off;
    bool nvcc;          /* --nvcc: hand everything to NVIDIA's compiler */
    bool forward;       /* options that are not known go to the host compiler */
    bool run;           /* --run: the program, when it is made */
    bool version;       /* --version, and nothing else */
    const char *called; /* the name weir was called by, when that is nvcc; else NULL */
};

void cc_list_free(struct cc_list *list); /* and the words */
void cc_push(struct cc_list *list, const char *text);
void cc_pushf(struct cc_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Exit statuses beside 0. Called as nvcc, as weir's own libraries do, a wrong option has one of its own. */
enum { CC_FAILED = 2, CC_BAD_OPTION = 4 };

/* The whole command, without --help. argv[0] is "weir cc", or the name that weir was called by. Its exit status. */
int cc_main(int argc, char **argv);

/* Parses nvcc's options. 0, or -1 with *e filled. Strings in the job live as long as the process. */
int cc_parse(struct cc_job *job, int argc, char **argv, struct err *e);
/* Is the word an option of weir cc, or one that it hands to the host compiler? */
bool cc_is_option(const char *word);
/* The option with a long name that a word may have been meant to be; NULL: none is near. */
const char *cc_nearest_option(const char *word);

/* tools.c: the compiler and what weir adds to it. */
struct cc_tools {
    char clang[PATH_MAX]; /* the program to run */
    char version[64];     /* as it says: "19.1.7" */
    int major;            /* 19 */
    bool not_asked;       /* no process could be started to ask for the version */
    int max_arch, ptx;    /* newest it knows */
    char headers[PATH_MAX];
    char swcache[PATH_MAX];   /* folder of swcache.cuh; "" when it is not installed */
    char cudart[PATH_MAX];    /* only for programs */
    char libraries[PATH_MAX]; /* likewise: cuBLAS, cuFFT, cuRAND, NVRTC; "" when they are not there */
};
int cc_find_tools(struct cc_tools *, const struct cc_job *, struct err *);
/* The architecture that device code is compiled for: what was asked for, as far as clang knows it. */
int cc_arch(const struct cc_job *, const struct cc_tools *);
/* What follows its number: "a" or nothing. */
const char *cc_arch_suffix(const struct cc_job *, const struct cc_tools *);
/* The newest clang, or the one WEIR_CLANG names: only clang, version, major, max_arch and ptx are filled. */
int cc_find_clang(struct cc_tools *, struct err *);
/* Adds weir cc, the clang it takes and weir's CUDA headers: what everything compiled depends on. 0, or -1 with *e filled:
 * the compiler could not be asked for its version. */
struct key;
int cc_key_compiler(struct key *, struct err *);
/* Whether the name is that of a program: a path, or found by PATH. */
bool cc_in_path(const char *program);
/*
 * The last line that a program prints, without its end; "" when it failed or printed none. No shell is involved. 0, or
 * -1 and errno: no program can be started at all.
 */
int cc_last_line(char *const *argv, char *line, size_t bytes);

/* output.c: puts what was made in the temporary folder to its place, whole or not at all. 0, or -1 with *e filled. */
int cc_publish(const char *made, const char *path, struct err *e);
/* Options for dependency files (-MD) when the object is made under another name. */
void cc_push_dependencies(struct cc_list *w, const struct cc_job *job, const char *object);

/*
 * launch.c: mends what clang does not read in the source and what it includes, beside it or in folders that options (-I)
 * name. in->overlay: a file for clang's -ivfsoverlay, NULL when there is nothing to mend.
 */
int cc_fix_launches(struct cc_input *in, const struct cc_list *options, const char *folder, size_t index,
                    struct err *e);

/* vectors.c: makes copies of aligned structures of 8 and 16 bytes loads and stores of vectors, in LLVM's text as
 * clang writes it before it optimizes. Returns how many; *text is replaced. */
unsigned cc_whole_vectors(char **text, size_t *bytes);

/*
 * clusters.c: the clusters that kernels declare (__cluster_dims__), which clang does not write into PTX, from LLVM's
 * text as clang writes it before it optimizes: kernel, "2, 1, 1", kernel, ...; and that of one kernel, NULL: it has none.
 */
void cc_find_clusters(const char *ir, struct cc_list *out);
const char *cc_cluster_of(const struct cc_list *clusters, const char *kernel);

/* ptx.c: the PTX text that clang wrote, as weir wants it; the text is freed or returned. */
char *cc_adjust_ptx(char *text, size_t *bytes, const struct cc_job *job, const struct cc_list *clusters);
/* The PTX text in a fat binary as nvcc's uncompressed ones; the text is freed. */
char *cc_fat_binary(char *text, size_t *bytes, int arch);
/*
 * Says which kernels with parameters do nothing, where the source asks for __CUDA_ARCH__: what they should do may be
 * there for other architectures only, and a program would measure launches of nothing.
 */
void cc_warn_of_empty(const char *ptx, size_t bytes, const char *source, int arch);
/* Bytes of local memory that the functions of the PTX text set aside for variables. */
size_t cc_local_bytes(const char *ptx);
/*
 * What the device code of a file defines for others and wants of them, as symbols of the host's object, in the
 * assembler's language. So the host's linker takes from a library the files whose device code is wanted, though no host
 * code of theirs may be.
 */
#define CC_DEVICE_NAME "weir.device."
char *cc_device_names(const char *ptx, size_t bytes, size_t *out_bytes);

/*
 * nvcc.c: what build systems ask of nvcc. Its version; where its parts are, in the lines that -v of a compiler
 * called nvcc begins with; and how it links, which they take for their own links.
 */
void cc_print_version(void);
void cc_print_paths(const struct cc_job *, const struct cc_tools *);
void cc_print_link(const struct cc_job *, const struct cc_tools *, const struct cc_list *objects, const char *output);

/*
 * folder.c: a temporary folder for plain files and pipes, one per process. A signal that ends weir (interrupt, quit,
 * terminate, hang up) ends the programs started by cc_fork first and removes the folder; so does a lack of memory.
 * Returns its name, or NULL with *e filled.
 */
const char *cc_make_folder(struct err *e);
void cc_remove_folder(void);
/* fork for a program that works in the folder; cc_ended when it has been waited for. */
pid_t cc_fork(void);
void cc_ended(pid_t pid);

/* ---- commands.c: the command lines of clang; a file's device pass has two halves ---- */
void cc_push_all(struct cc_list *to, const struct cc_list *from);
/* Whichever of its two names clang is called by, it links C++. */
void cc_push_compiler(struct cc_list *w, const struct cc_tools *t);
/* From the source to LLVM's language in the file `ir`, before anything is optimized. */
void cc_front_command(struct cc_list *w, const struct cc_job *job, const struct cc_tools *t, const struct cc_input *in,
                      const char *ir);
/* How far the optimizer is asked to go. */
struct cc_back {
    bool keep_vectors; /* their parts are not loaded one by one */
    bool unroll_more;
};
/* From that language to PTX. */
void cc_back_command(struct cc_list *w, const struct cc_job *job, const struct cc_tools *t, struct cc_back how,
                     const char *ir, const char *ptx);
/* Whether the user's options say how far loops are unrolled. */
bool cc_has_unroll_pragma(const struct cc_job *job);
/*
 * The host's compilation. ptx: NULL for C and C++, which have no device code; `names` is the file in `folder` that
 * cc_device_names fills. made: the file to write, which becomes `object`.
 */
void cc_host_command(struct cc_list *w, const struct cc_job *job, const struct cc_tools *t, const struct cc_input *in,
                     const char *ptx, const char *folder, const char *names, const char *made, const char *object);
/*
 * clang's arguments for the device compilation of the job, without the file's name: for users of libclang. 0, or
 * -1 with *e filled.
 */
int cc_device_args(const struct cc_job *job, struct cc_list *out, struct err *e);

/* ---- explain.c: what messages of other programs, in the file `errors`, mean ---- */
/* Adds the lines whose launches clang refuses because they are in device code. Returns how many were not there yet. */
unsigned cc_find_launches(const char *errors, struct cc_places *out);
/* What to do about those that remain. */
void cc_explain_launches(const char *errors);
/* Whether the compiler has its OpenMP library, a package of its own. */
bool cc_has_openmp(const struct cc_tools *);
void cc_explain_openmp(const struct cc_tools *);
/* A header that a package has, or a library of NVIDIA's. */
void cc_explain_missing(const char *errors, const struct cc_tools *);
/* The same for a library that the linker did not find. */
void cc_explain_library(const char *errors);
/* Words that begin with -f or -W are clang's, unless they are weir's: one that is neither is named. */
void cc_explain_unknown(const char *errors);
/* What the linker missed of the device's names, in the program's words. */
void cc_explain_wanted(const char *errors);

#endif
