/*
 * Device code for libraries inside a CUDA program: CUDA C++ compiled to PTX by weir's own nvcc, at run time.
 *
 * NVRTC is that and nothing else. The kernels of cuBLAS, cuFFT and cuRAND are compiled when one of them is first needed, for the
 * simulated architecture, and kept in the artifact cache. They are not compiled when weir is built: the build needs no
 * clang, a changed kernel is used in the next run, and a program that uses one kernel waits for that one.
 */
#ifndef WEIR_COMPILE_DEVICE_CODE_H
#define WEIR_COMPILE_DEVICE_CODE_H

#include "base/err.h"

#include <limits.h>
#include <stddef.h>

/* A folder for the files of one compilation. */
struct workplace {
    char path[PATH_MAX];
};
int workplace_make(struct workplace *, struct err *);
void workplace_remove(struct workplace *); /* with everything in it */

/*
 * Compiles `source` to the file `ptx`. args: options as nvcc takes them, NULL behind the last. What the compiler has to
 * say goes to the file `log`. 0, or its exit status; -1 and *e when it could not be started.
 */
int device_code_compile(const char *const *args, const char *source, const char *ptx, const char *log, struct err *e);

/* One of weir's own files ("cublas/gemm.cu") as PTX, from the cache or made. NULL and *e; free() it. */
char *device_code_own(const char *source, const char *const *args, struct err *e);

#endif
