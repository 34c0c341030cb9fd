/* Libraries: device code that a program loads itself at run time, as PTX text or as a fat binary. */
#include "cudart/runtime.h"

#include "base/infile.h"
#include "cudart/fatbin.h"

static cudaError_t library_open(cudaLibrary_t *out, char *code, size_t bytes)
{
    struct rt_module *m = module_new(NULL);
    m->library = code;
    m->library_bytes = bytes;
    cudaError_t e = module_load(m);
    if (e) {
        module_free(m);
        return e;
    }
    ptrmap_put(&rt.handle, m, RT_MODULE, m);
    *out = m;
    return cudaSuccess;
}

API cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, int *jit, void **jit_value, unsigned n_jit,
                                    int *opt, void **opt_value, unsigned n_opt)
{
    (void)jit, (void)jit_value, (void)n_jit, (void)opt, (void)opt_value, (void)n_opt;
    cudaError_t e = rt_enter();
    if (!e && (!out || !code))
        e = cudaErrorInvalidValue;
    if (!e) {
        size_t n = 0;
        if (*(const uint32_t *)code == FATBIN_MAGIC)
            n = FATBIN_HEADER_BYTES + ((const uint64_t *)code)[1];
        else
            n = strlen(code);
        char *copy = xmalloc(n + 1);
        memcpy(copy, code, n);
        copy[n] = '\0';
        e = library_open(out, copy, n);
    }
    return rt_leave(e);
}

API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, int *jit, void **jit_value,
                                        unsigned n_jit, int *opt, void **opt_value, unsigned n_opt)
{
    (void)jit, (void)jit_value, (void)n_jit, (void)opt, (void)opt_value, (void)n_opt;
    cudaError_t e = rt_enter();
    if (!e && (!out || !path))
        e = cudaErrorInvalidValue;
    if (!e) {
        FILE *f = infile_open(path, INFILE_ANY_SIZE, NULL);
        if (!f)
            return rt_leave(cudaErrorFileNotFound);
        VEC(char) text = {0};
        size_t got;
        do {
            VEC_RESERVE(&text, text.n + 65536);
            text.n += got = fread(text.p + text.n, 1, 65535, f);
        } while (got);
        fclose(f);
        text.p[text.n] = '\0';
        e = library_open(out, text.p, text.n);
    }
    return rt_leave(e);
}

static struct rt_module *library_find(cudaLibrary_t lib)
{
    return ptrmap_get(&rt.handle, lib, RT_MODULE);
}

API cudaError_t cudaLibraryUnload(cudaLibrary_t lib)
{
    cudaError_t e = rt_enter();
    struct rt_module *m = e ? NULL : library_find(lib);
    if (!e && !m)
        e = cudaErrorInvalidResourceHandle;
    if (m) {
        ptrmap_drop(&rt.handle, m, RT_MODULE);
        module_free(m);
    }
    return rt_leave(e);
}

API cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t lib, const char *name)
{
    cudaError_t e = rt_enter();
    struct rt_module *m = e ? NULL : library_find(lib);
    if (!e)
        e = !m ? cudaErrorInvalidResourceHandle : out && name ? cudaSuccess : cudaErrorInvalidValue;
    if (!e) {
        struct rt_func *f = NULL;
        for (size_t i = 0; i < m->func.n && !f; i++)
            if (!strcmp(m->func.p[i]->name, name))
                f = m->func.p[i];
        if (!f && emu_module_kernel(m->emu, name))
            f = module_add_func(m, NULL, name);
        if (f)
            *out = f;
        else
            e = cudaErrorSymbolNotFound;
    }
    return rt_leave(e);
}

static cudaError_t library_var(void **out, size_t *bytes, cudaLibrary_t lib, const char *name)
{
    cudaError_t e = rt_enter();
    struct rt_module *m = e ? NULL : library_find(lib);
    uint64_t addr, n;
    if (!e && !m)
        e = cudaErrorInvalidResourceHandle;
    if (!e && (!name || emu_module_var(m->emu, name, &addr, &n)))
        e = cudaErrorSymbolNotFound;
    if (!e && out)
        *out = (void *)(uintptr_t)addr;
    if (!e && bytes)
        *bytes = (size_t)n;
    return rt_leave(e);
}

API cudaError_t cudaLibraryGetGlobal(void **out, size_t *bytes, cudaLibrary_t lib, const char *name)
{
    return library_var(out, bytes, lib, name);
}

API cudaError_t cudaLibraryGetManaged(void **out, size_t *bytes, cudaLibrary_t lib, const char *name)
{
    return library_var(out, bytes, lib, name);
}
