/*
 * A libcuda.so.1 that exists to be loaded by mistake. A program with the CUDA runtime linked statically opens the
 * driver by this name; found first on weir's library path, it stops the program before it runs on real hardware, or
 * without any, unsimulated. `weir run` refuses such programs itself; this is for those behind a script.
 */
#include "cudart/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((constructor)) static void refuse(void)
{
    const char *fd = getenv(REPORT_ENV_FD);
    struct stat st;
    if (fd && !fstat(atoi(fd), &st) && (size_t)st.st_size >= sizeof(struct report)) {
        struct report *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
        if (r != MAP_FAILED && r->version == REPORT_VERSION)
            atomic_fetch_add(&r->unsimulated, 1);
    }
    fflush(stdout);
    fprintf(stderr,
            "weir: %s links the CUDA runtime statically and would run unsimulated; rebuild it with: nvcc -cudart "
            "shared\n",
            program_invocation_name);
    _exit(2);
}
