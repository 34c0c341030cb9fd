/*
 * Device code: registered fat binaries and loaded libraries, their kernels and variables.
 *
 * A module is parsed when something of it is first used: programs that link large libraries register thousands of
 * kernels and launch a few. A linked program (-rdc) registers one wrapper that lists every object's container; all of
 * them become one module.
 */
#include "cudart/rt.h"
#include "cudart/fatbin.h"

#include <errno.h>
#include <link.h>

struct rt_module *module_new(const void *wrapper)
{
    struct rt_module *m = xcalloc(1, sizeof *m);
    m->wrapper = wrapper;
    VEC_PUSH(&rt.module, m);
    return m;
}

void module_free(struct rt_module *m)
{
    for (size_t i = 0; i < m->func.n; i++) {
        struct rt_func *f = m->func.p[i];
        if (ptrmap_get(&rt.symbol, f->host, RT_FUNC) == f)
            ptrmap_drop(&rt.symbol, f->host, RT_FUNC);
        ptrmap_drop(&rt.handle, f, RT_FUNC);
        free(f->name);
        free(f);
    }
    for (size_t i = 0; i < m->var.n; i++) {
        struct rt_var *v = m->var.p[i];
        if (ptrmap_get(&rt.symbol, v->host, RT_VAR) == v)
            ptrmap_drop(&rt.symbol, v->host, RT_VAR);
        free(v->name);
        free(v);
    }
    for (size_t i = 0; i < rt.module.n; i++)
        if (rt.module.p[i] == m)
            rt.module.p[i] = rt.module.p[--rt.module.n];
    /* The emulator's module stays: a sink may still refer to its kernels. */
    VEC_FREE(&m->func);
    VEC_FREE(&m->var);
    free(m->library);
    free(m);
}

struct rt_func *module_add_func(struct rt_module *m, const void *host, const char *name)
{
    struct rt_func *f = xcalloc(1, sizeof *f);
    *f = (struct rt_func){.module = m, .host = host, .name = xstrdup(name), .max_dynamic_smem = -1, .carveout = -1};
    VEC_PUSH(&m->func, f);
    if (host)
        ptrmap_put(&rt.symbol, host, RT_FUNC, f);
    ptrmap_put(&rt.handle, f, RT_FUNC, f);
    return f;
}

/* ---- finding the code ---- */

/* Bytes from p to the end of the loaded segment that holds it; 0 when none does. */
struct span_query {
    uintptr_t p;
    size_t bytes;
};
static int segment_span(struct dl_phdr_info *info, size_t size, void *ctx)
{
    (void)size;
    struct span_query *q = ctx;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_LOAD && q->p >= from && q->p - from < ph->p_memsz) {
            q->bytes = from + ph->p_memsz - q->p;
            return 1;
        }
    }
    return 0;
}

/* How far a container or text that a program registered may be read: nothing says where plain text ends but its NUL. */
static size_t readable_bytes(const void *p)
{
    struct span_query q = {.p = (uintptr_t)p};
    dl_iterate_phdr(segment_span, &q);
    return q.bytes;
}

struct parts { /* the PTX modules a module is made of, and what was passed over */
    VEC(struct ptx_module *) ptx;
    struct fatbin_pick passed;
};

static cudaError_t add_part(struct parts *parts, const void *bytes, size_t n, struct err *e)
{
    char name[160];
    snprintf(name, sizeof name, "%s.ptx", program_invocation_short_name);
    struct fatbin_pick pick;
    uint32_t arch = rt.props.cc_major * 10 + rt.props.cc_minor;
    if (fatbin_choose(bytes, n, arch, program_invocation_short_name, &pick, e))
        return cudaErrorInvalidKernelImage;
    if (!pick.text) {
        if (pick.n_cubin || pick.ptx_above)
            parts->passed = pick;
        return cudaSuccess;
    }
    struct ptx_module *m = ptx_parse(pick.text, pick.text_bytes, pick.name[0] ? pick.name : name, e);
    free(pick.text);
    if (!m)
        return cudaErrorInvalidPtx;
    m->maxrregcount = pick.maxrregcount;
    VEC_PUSH(&parts->ptx, m);
    return cudaSuccess;
}

static cudaError_t add_registered(struct parts *parts, const struct fatbin_wrapper *w, struct err *e)
{
    if (w->magic != FATBIN_WRAPPER_MAGIC) {
        err_set(e, "%s registers device code in an unknown form", program_invocation_short_name);
        return cudaErrorInvalidKernelImage;
    }
    cudaError_t status = w->data ? add_part(parts, w->data, readable_bytes(w->data), e) : cudaSuccess;
    if (w->version == 2 && w->prelinked)
        for (const void *const *c = w->prelinked; !status && *c; c++)
            status = add_part(parts, *c, readable_bytes(*c), e);
    return status;
}

static cudaError_t no_code(const struct fatbin_pick *passed, struct err *e)
{
    if (passed->ptx_above)
        err_set(e, "%s: its PTX targets sm_%u, the simulated GPU is sm_%u%u", program_invocation_short_name,
                passed->ptx_above, rt.props.cc_major, rt.props.cc_minor);
    else
        err_set(e, "%s holds machine code for sm_%u but no PTX", program_invocation_short_name, passed->cubin_arch);
    err_hint(e, "embed PTX: rebuild it with -gencode arch=compute_75,code=compute_75");
    return cudaErrorNoKernelImageForDevice;
}

static void bind_managed(struct rt_module *m)
{
    for (size_t i = 0; i < m->var.n; i++) {
        struct rt_var *v = m->var.p[i];
        uint64_t addr, bytes;
        if (v->managed && !emu_module_var(m->emu, v->name, &addr, &bytes))
            *v->managed = (void *)(uintptr_t)addr;
    }
}

cudaError_t module_load(struct rt_module *m)
{
    if (m->tried)
        return m->status;
    m->tried = true;
    err_clear(&m->why);
    struct parts parts = {0};
    m->status = m->wrapper ? add_registered(&parts, m->wrapper, &m->why)
                           : add_part(&parts, m->library, m->library_bytes, &m->why);
    if (!m->status && !parts.ptx.n)
        m->status = no_code(&parts.passed, &m->why);
    if (!m->status) {
        m->emu = emu_module_load(rt.emu, parts.ptx.p, (unsigned)parts.ptx.n, &m->why);
        if (m->emu)
            bind_managed(m);
        else
            m->status = cudaErrorInvalidPtx;
    } else {
        for (size_t i = 0; i < parts.ptx.n; i++)
            ptx_module_free(parts.ptx.p[i]);
    }
    VEC_FREE(&parts.ptx);
    if (m->status) {
        fflush(stdout);
        err_print(&m->why, stderr);
        if (rt.report)
            atomic_fetch_add(&rt.report->faults, 1);
    }
    return m->status;
}

cudaError_t func_find(const void *func, struct rt_func **out)
{
    struct rt_func *f = ptrmap_get(&rt.symbol, func, RT_FUNC);
    if (!f)
        f = ptrmap_get(&rt.handle, func, RT_FUNC);
    if (!f)
        return cudaErrorInvalidDeviceFunction;
    *out = f;
    if (f->kernel)
        return cudaSuccess;
    cudaError_t e = module_load(f->module);
    if (e)
        return e;
    struct err why;
    err_clear(&why);
    struct emu_kernel *k = emu_module_kernel(f->module->emu, f->name);
    if (!k) {
        rt_say(
            "kernel %s is registered but its PTX is not in the program; embed PTX for every object: rebuild with "
            "-gencode arch=compute_75,code=compute_75",
            f->name);
        return cudaErrorInvalidDeviceFunction;
    }
    if (emu_kernel_info(k, &f->info, &why)) {
        fflush(stdout);
        err_print(&why, stderr);
        if (rt.report)
            atomic_fetch_add(&rt.report->faults, 1);
        return cudaErrorInvalidPtx;
    }
    f->kernel = k;
    return cudaSuccess;
}

cudaError_t symbol_find(const void *symbol, uint64_t *addr, size_t *bytes)
{
    struct rt_var *v = ptrmap_get(&rt.symbol, symbol, RT_VAR);
    uint64_t n;
    if (!v)
        return cudaErrorInvalidSymbol;
    cudaError_t e = module_load(v->module);
    if (e)
        return e;
    if (emu_module_var(v->module->emu, v->name, addr, &n))
        return cudaErrorInvalidSymbol;
    *bytes = (size_t)n;
    return cudaSuccess;
}

/* ---- symbols ---- */
API cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    uint64_t addr = 0;
    size_t bytes;
    cudaError_t e = rt_enter();
    if (!e)
        e = out ? symbol_find(symbol, &addr, &bytes) : cudaErrorInvalidValue;
    if (!e)
        *out = (void *)(uintptr_t)addr;
    return rt_leave(e);
}

API cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
    uint64_t addr;
    size_t bytes = 0;
    cudaError_t e = rt_enter();
    if (!e)
        e = out ? symbol_find(symbol, &addr, &bytes) : cudaErrorInvalidValue;
    if (!e)
        *out = bytes;
    return rt_leave(e);
}

/* ---- libraries: device code given at run time ---- */
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
        FILE *f = fopen(path, "rb");
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
