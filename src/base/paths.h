/*
 * Where weir's own files are: machine descriptions, CUDA headers, the runtime library, the workload suite.
 *
 * An installed weir has them in PREFIX/share/weir and PREFIX/lib/weir; one that runs from its build folder uses the
 * source tree. Both are found from where this code was loaded (the weir program or, inside a CUDA program, weir's
 * runtime library), so that no environment variable or option is needed and a moved tree still works.
 */
#ifndef WEIR_BASE_PATHS_H
#define WEIR_BASE_PATHS_H

#include <stddef.h>

enum paths_kind {
    PATHS_CONFIGS,        /* folder with gtx480.ini ... */
    PATHS_HEADERS,        /* folder with cuda_runtime.h */
    PATHS_CUDART,         /* folder with libcudart.so.13 */
    PATHS_SUITE,          /* folder with common/suite.h */
    PATHS_PLANS,          /* folder with apcm/paper.ini: figures to reproduce */
    PATHS_SWCACHE,        /* folder with swcache.cuh */
    PATHS_TRANSFORMER,    /* folder with libweir-swcache.so */
    PATHS_PLUGIN,         /* folder with templates/l1-management.c */
    PATHS_PLUGIN_HEADERS, /* folder with weir/plugin.h */
    PATHS_RECORDINGS,     /* folder with gather-4096.wt */
    PATHS_NVCC,           /* folder with nvcc, weir's second name */
    PATHS_LIBRARIES,      /* folder with libcublas.so.13 ... */
    PATHS_LIBRARY_CODE,   /* folder with cublas/gemm.cu ... */
    PATHS_TOOLKIT,        /* folder with bin, include and lib64, as a CUDA toolkit has them */
    PATHS_COUNT
};

/* 0 and the absolute path in out[bytes]; -1 when there is no such folder. */
int paths_find(enum paths_kind, char *out, size_t bytes);

#endif
