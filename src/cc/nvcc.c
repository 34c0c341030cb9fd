/*
 * weir cc where a build system expects nvcc: under that name (a link called nvcc to the weir program), it says what
 * CMake reads to find the toolkit, the default architecture and the linker. The compiler itself is then the linker,
 * too, so that weir's runtime is linked in.
 */
#include "base/paths.h"
#include "cc/cc.h"

#include <stdio.h>

void cc_print_version(void)
{
    /* Build systems look for the words of the second and the third line. */
    puts("weir cc of weir " WEIR_VERSION ", which takes the place of");
    puts("nvcc: NVIDIA (R) Cuda compiler driver");
    puts("Cuda compilation tools, release 13.0, V13.0.0");
}

void cc_print_paths(const struct cc_job *job, const struct cc_tools *t)
{
    const char *path = getenv("PATH");
    char top[PATH_MAX];
    if (paths_find(PATHS_TOOLKIT, top, sizeof top)) /* CMake then finds the compiler, and no libraries */
        snprintf(top, sizeof top, "%s", t->headers);
    fprintf(stderr, "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n", top, t->headers);
    fprintf(stderr, "#$ PATH=%s\n#$ INCLUDES=\"-I%s\"\n", path ? path : "", t->headers);
    fprintf(stderr, "#$ LIBRARIES=\"-L%s\"\n#$ ARCHITECTURE=-arch compute_%d\n", t->cudart, cc_arch(job, t));
}

void cc_print_link(const struct cc_job *job, const struct cc_tools *t, const struct cc_list *objects,
                   const char *output)
{
    fprintf(stderr, "#$ \"%s\"", job->called);
    for (size_t i = 0; i < objects->n; i++)
        fprintf(stderr, " \"%s\"", objects->p[i]);
    fprintf(stderr, " \"-L%s\" -lcudart -o \"%s\"\n", t->cudart, output);
}
