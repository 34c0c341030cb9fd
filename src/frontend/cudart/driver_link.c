/*
 * cuLink: device code of several files as one module. There is no machine code to make, so the linker's output is the
 * PTX texts one behind the other, under a mark by which cuModuleLoadData knows them; loading links them.
 */
#include "base/infile.h"
#include "cudart/driver.h"
#include "cudart/fatbin.h"

#include <errno.h>

static const char mark[8] = "WEIRLINK";

struct linked { /* what cuLinkComplete hands out; the texts follow, each with its NUL */
    char mark[8];
    uint64_t bytes; /* of all */
};

struct rt_link {
    VEC(char) image;
    struct jit_log log;
};

size_t linked_bytes(const void *code)
{
    const struct linked *l = code;
    return !strncmp(code, mark, sizeof mark) ? l->bytes : 0;
}

const char *linked_next(const void *code, const char *after)
{
    const char *next = after ? after + strlen(after) + 1 : (const char *)code + sizeof(struct linked);
    return next < (const char *)code + linked_bytes(code) ? next : NULL;
}

static void append(struct rt_link *l, const void *bytes, size_t n)
{
    VEC_RESERVE(&l->image, l->image.n + n);
    memcpy(l->image.p + l->image.n, bytes, n);
    l->image.n += n;
}

static struct rt_link *find_link(CUlinkState state)
{
    return ptrmap_get(&rt.handle, state, RT_LINK);
}

API CUresult cuLinkCreate_v2(unsigned n, CUjit_option *options, void **values, CUlinkState *state)
{
    CUresult r = driver_enter();
    if (!r && !state)
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        struct rt_link *l = xcalloc(1, sizeof *l);
        struct linked head = {.bytes = 0};
        memcpy(head.mark, mark, sizeof mark);
        append(l, &head, sizeof head);
        l->log = driver_jit_log(n, options, values);
        driver_jit_say(&l->log, NULL);
        ptrmap_put(&rt.handle, l, RT_LINK, l);
        *state = l;
    }
    return driver_leave(r);
}

static CUresult refuse(struct rt_link *l, const struct err *why, CUresult r)
{
    driver_jit_say(&l->log, why);
    fflush(stdout);
    err_print(why, stderr);
    return r;
}

/* PTX is taken as it is, of a fat binary what can run here; machine code and libraries of it have no PTX. */
static CUresult add(struct rt_link *l, CUjitInputType type, const void *data, size_t bytes, const char *name)
{
    struct fatbin_pick pick;
    struct err why;
    err_clear(&why);
    name = name && *name ? name : program_invocation_short_name;
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
        err_set(&why, "%s: cuLinkAddData takes PTX and fat binaries with PTX, no machine code, objects or libraries",
                name);
        err_hint(&why, "compile it with -ptx or -fatbin");
        return refuse(l, &why, CUDA_ERROR_NO_BINARY_FOR_GPU);
    }
    if (fatbin_choose(data, bytes, rt.props.cc_major * 10 + rt.props.cc_minor, name, &pick, &why))
        return refuse(l, &why, CUDA_ERROR_INVALID_IMAGE);
    if (!pick.text) {
        err_set(&why, "%s holds no PTX that the simulated GPU could run", name);
        return refuse(l, &why, CUDA_ERROR_NO_BINARY_FOR_GPU);
    }
    struct ptx_module *m = ptx_parse(pick.text, pick.text_bytes, name, &why);
    if (m) {
        append(l, pick.text, strlen(pick.text) + 1);
        ptx_module_free(m);
    }
    fatbin_pick_free(&pick);
    return m ? CUDA_SUCCESS : refuse(l, &why, CUDA_ERROR_INVALID_PTX);
}

API CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
                              unsigned n, CUjit_option *options, void **values)
{
    (void)n, (void)options, (void)values;
    CUresult r = driver_enter();
    struct rt_link *l = r ? NULL : find_link(state);
    if (!r)
        r = !l ? CUDA_ERROR_INVALID_HANDLE : data && bytes ? add(l, type, data, bytes, name) : CUDA_ERROR_INVALID_VALUE;
    return driver_leave(r);
}

API CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned n,
                              CUjit_option *options, void **values)
{
    (void)n, (void)options, (void)values;
    CUresult r = driver_enter();
    struct rt_link *l = r ? NULL : find_link(state);
    if (!r)
        r = !l ? CUDA_ERROR_INVALID_HANDLE : path ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        size_t bytes;
        char *data = infile_bytes(path, &bytes);
        r = data ? add(l, type, data, bytes, path) : CUDA_ERROR_FILE_NOT_FOUND;
        free(data);
    }
    return driver_leave(r);
}

API CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    CUresult r = driver_enter();
    struct rt_link *l = r ? NULL : find_link(state);
    if (!r)
        r = !l ? CUDA_ERROR_INVALID_HANDLE : image ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        ((struct linked *)(void *)l->image.p)->bytes = l->image.n;
        *image = l->image.p;
        if (bytes)
            *bytes = l->image.n;
    }
    return driver_leave(r);
}

API CUresult cuLinkDestroy(CUlinkState state)
{
    CUresult r = driver_enter();
    struct rt_link *l = r ? NULL : find_link(state);
    if (!r && !l)
        r = CUDA_ERROR_INVALID_HANDLE;
    if (!r) {
        ptrmap_drop(&rt.handle, l, RT_LINK);
        VEC_FREE(&l->image);
        free(l);
    }
    return driver_leave(r);
}
