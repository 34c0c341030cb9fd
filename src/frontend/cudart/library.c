/* Libraries: device code that a program loads itself at run time, as PTX text or as a fat binary. */
#include "cudart/runtime.h"

#include "base/infile.h"
#include "cudart/fatbin.h"

cudaError_t library_open(struct rt_module **out, char *code, size_t bytes, struct err *why)
{
    struct rt_module *m = module_new(NULL);
    m->library = code;
    m->library_bytes = bytes;
    cudaError_t e = module_load(m);
    if (e) {
        if (why)
            *why = m->why;
        module_free(m);
        return e;
    }
    ptrmap_put(&rt.handle, m, RT_MODULE, m);
    *out = m;
    return cudaSuccess;
}

/* How many bytes of device code start there: text ends at its NUL, the other forms say their length. */
static size_t code_bytes(const void *code)
{
    if (*(const uint32_t *)code == FATBIN_MAGIC)
        return sat_add(FATBIN_HEADER_BYTES, ((const uint64_t *)code)[1]);
    return linked_bytes(code) ? linked_bytes(code) : strlen(code);
}

char *library_copy(const void *code, size_t *bytes)
{
    const struct fatbin_wrapper *w = code;
    if (w->magic == FATBIN_WRAPPER_MAGIC)
        code = w->data;
    *bytes = code_bytes(code);
    if (!mem_host_mapped(code, *bytes)) /* a length that is wrong; what is there is read, and refused */
        *bytes = FATBIN_HEADER_BYTES;
    char *copy = xmalloc(*bytes + 1);
    memcpy(copy, code, *bytes);
    copy[*bytes] = '\0';
    return copy;
}

/* Options change nothing here; what says that there are some must have them. */
static bool options_missing(const int *option, void **value, unsigned n)
{
    return n && (!option || !value);
}

API cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, int *jit, void **jit_value, unsigned n_jit,
                                    int *opt, void **opt_value, unsigned n_opt)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || !code || options_missing(jit, jit_value, n_jit) || options_missing(opt, opt_value, n_opt)))
        e = cudaErrorInvalidValue;
    if (!e) {
        size_t n;
        char *copy = library_copy(code, &n);
        e = library_open(out, copy, n, NULL);
    }
    return rt_leave(e);
}

API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, int *jit, void **jit_value,
                                        unsigned n_jit, int *opt, void **opt_value, unsigned n_opt)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || !path || options_missing(jit, jit_value, n_jit) || options_missing(opt, opt_value, n_opt)))
        e = cudaErrorInvalidValue;
    if (!e) {
        size_t n;
        char *code = infile_bytes(path, &n);
        e = code ? library_open(out, code, n, NULL) : cudaErrorFileNotFound;
    }
    return rt_leave(e);
}

struct rt_module *library_find(cudaLibrary_t lib)
{
    return ptrmap_get(&rt.handle, lib, RT_MODULE);
}

API cudaError_t cudaLibraryUnload(cudaLibrary_t lib)
{
    cudaError_t e = rt_enter();
    struct rt_module *m = e ? NULL : library_find(lib);
    if (!e && !m)
        e = cudaErrorInvalidValue;
    if (m) {
        ptrmap_drop(&rt.handle, m, RT_MODULE);
        module_free(m);
    }
    return rt_leave(e);
}

cudaError_t library_kernel(struct rt_module *m, const char *name, struct rt_func **out)
{
    for (size_t i = 0; i < m->func.n; i++)
        if (!strcmp(m->func.p[i]->name, name)) {
            *out = m->func.p[i];
            return cudaSuccess;
        }
    if (!emu_module_kernel(m->emu, name))
        return cudaErrorSymbolNotFound;
    *out = module_add_func(m, NULL, name);
    return cudaSuccess;
}

API cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t lib, const char *name)
{
    cudaError_t e = rt_enter();
    struct rt_module *m = e ? NULL : library_find(lib);
    if (!e)
        e = !m ? cudaErrorInvalidResourceHandle : out && name ? cudaSuccess : cudaErrorInvalidValue;
    if (!e)
        e = library_kernel(m, name, out);
    return rt_leave(e);
}

static cudaError_t library_var(void **out, size_t *bytes, cudaLibrary_t lib, const char *name, bool managed)
{
    cudaError_t e = rt_enter();
    struct rt_module *m = e ? NULL : library_find(lib);
    uint64_t addr, n;
    if (!e && !m)
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!name || (!out && !bytes)))
        e = cudaErrorInvalidValue;
    if (!e && emu_module_var(m->emu, name, &addr, &n))
        e = cudaErrorSymbolNotFound;
    if (!e && managed) {
        const struct emu_alloc *a = mem_find((void *)(uintptr_t)addr, n);
        e = a && a->kind == EMU_MEM_MANAGED ? cudaSuccess : cudaErrorSymbolNotFound;
    }
    if (!e && out)
        *out = (void *)(uintptr_t)addr;
    if (!e && bytes)
        *bytes = (size_t)n;
    return rt_leave(e);
}

API cudaError_t cudaLibraryGetGlobal(void **out, size_t *bytes, cudaLibrary_t lib, const char *name)
{
    return library_var(out, bytes, lib, name, false);
}

API cudaError_t cudaLibraryGetManaged(void **out, size_t *bytes, cudaLibrary_t lib, const char *name)
{
    return library_var(out, bytes, lib, name, true);
}
