/* See paths.h. */
#include "base/paths.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *installed; /* below PREFIX */
    const char *built;     /* below the build folder; NULL when it is in the source tree */
    const char *source;    /* below the source tree */
    const char *probe;     /* a file that must be in it: a folder that merely has the name is none of ours */
} place[PATHS_COUNT] = {
    [PATHS_CONFIGS] = {"share/weir/configs", NULL, "configs", "gtx480.ini"},
    [PATHS_HEADERS] = {"share/weir/cuda", NULL, "include/weir/cuda", "cuda_runtime.h"},
    [PATHS_CUDART] = {"lib/weir", "src/frontend/cudart", NULL, "libcudart.so.13"},
    [PATHS_SUITE] = {"share/weir/suite", NULL, "suite", "common/suite.h"},
    [PATHS_SWCACHE] = {"share/weir/swcache", NULL, "swcache", "swcache.cuh"},
    [PATHS_TRANSFORMER] = {"lib/weir", "swcache/transform", NULL, "libweir-swcache.so"},
    [PATHS_PLUGIN] = {"share/weir/plugin", NULL, "plugin", "templates/l1-management.c"},
    [PATHS_PLUGIN_HEADERS] = {"share/weir/plugin/include", NULL, "include", "weir/plugin.h"},
    [PATHS_RECORDINGS] = {"share/weir/plugin", NULL, "tests/golden/stats", "gather-4096.wt"},
    [PATHS_NVCC] = {"lib/weir/bin", ".", NULL, "nvcc"},
    [PATHS_LIBRARIES] = {"lib/weir", "src/libraries", NULL, "libnvrtc.so.13"},
    [PATHS_LIBRARY_CODE] = {"share/weir/libraries", NULL, "src/libraries", "cublas/gemm.cu"},
    [PATHS_TOOLKIT] = {"lib/weir", "toolkit", NULL, "include/cuda_runtime.h"},
    [PATHS_PLANS] = {"share/weir/plans", NULL, "plans", "apcm/paper.ini"},
};

static int try_folder(const char *root, const char *below, const char *probe, char *out, size_t bytes)
{
    char path[PATH_MAX], file[PATH_MAX + 64], real[PATH_MAX];
    if (!below || (size_t)snprintf(path, sizeof path, "%s/%s", root, below) >= sizeof path)
        return -1;
    snprintf(file, sizeof file, "%s/%s", path, probe);
    if (access(file, R_OK) != 0 || !realpath(path, real) || strlen(real) >= bytes)
        return -1;
    memcpy(out, real, strlen(real) + 1);
    return 0;
}

/* `file` is the program or the library this code is in. */
static int find_from(const char *file, enum paths_kind kind, char *out, size_t bytes)
{
    char root[PATH_MAX];
    if (!realpath(file, root))
        return -1;
    /* PREFIX/bin/weir, PREFIX/lib/weir/libcudart.so.13, build/weir, build/src/frontend/cudart/libcudart.so.13: each folder
     * above the file may be the prefix or the build folder, or the source tree of a build folder. */
    for (int up = 0; up < 5; up++) {
        char *slash = strrchr(root, '/');
        if (!slash || slash == root)
            return -1;
        *slash = 0;
        if (try_folder(root, place[kind].installed, place[kind].probe, out, bytes) == 0 ||
            try_folder(root, place[kind].built, place[kind].probe, out, bytes) == 0 ||
            try_folder(root, place[kind].source, place[kind].probe, out, bytes) == 0)
            return 0;
    }
    return -1;
}

int paths_find(enum paths_kind kind, char *out, size_t bytes)
{
    Dl_info info;
    if (dladdr((void *)(size_t)paths_find, &info) && info.dli_fname && find_from(info.dli_fname, kind, out, bytes) == 0)
        return 0;
    if (find_from("/proc/self/exe", kind, out, bytes) == 0)
        return 0;
    /* A build folder outside the source tree. */
    return try_folder(WEIR_SOURCE_ROOT, place[kind].source, place[kind].probe, out, bytes);
}
