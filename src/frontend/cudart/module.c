/*
 * Device code: registered fat binaries and loaded libraries, their kernels and variables.
 *
 * A module is parsed when something of it is first used: programs that link large libraries register thousands of
 * kernels and launch a few. A linked program (-rdc) registers one wrapper that lists every object's container; all of
 * them become one module.
 */
#include "cudart/runtime.h"
#include "cudart/cubin.h"
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

/* Takes the PTX of one container; what cannot run is remembered for the message. */
static cudaError_t read_part(struct rt_module *m, const void *bytes, size_t n)
{
    struct fatbin_pick pick;
    const uint32_t arch = rt.ready ? rt.props.cc_major * 10 + rt.props.cc_minor : 90;
    if (fatbin_choose(bytes, n, arch, program_invocation_short_name, &pick, &m->why))
        return cudaErrorInvalidKernelImage;
    if (pick.text)
        VEC_PUSH(&m->part, pick);
    else if (pick.n_cubin || pick.ptx_above)
        m->passed = pick;
    return cudaSuccess;
}

static cudaError_t read_registered(struct rt_module *m)
{
    const struct fatbin_wrapper *w = m->wrapper;
    if (w->magic != FATBIN_WRAPPER_MAGIC) {
        err_set(&m->why, "%s registers device code in an unknown format", program_invocation_short_name);
        return cudaErrorInvalidKernelImage;
    }
    cudaError_t e = w->data ? read_part(m, w->data, readable_bytes(w->data)) : cudaSuccess;
    if (w->version == 2 && w->prelinked)
        for (const void *const *c = w->prelinked; !e && *c; c++)
            e = read_part(m, *c, readable_bytes(*c));
    return e;
}

static void above_device(struct err *e, const char *name, unsigned sm)
{
    err_set(e, "%s: its PTX targets sm_%u, the simulated GPU is sm_%u%u", name, sm, rt.props.cc_major,
            rt.props.cc_minor);
}

static cudaError_t no_code(struct rt_module *m)
{
    const struct fatbin_pick *passed = &m->passed;
    if (passed->ptx_above)
        above_device(&m->why, program_invocation_short_name, passed->ptx_above);
    else
        err_set(&m->why, "%s holds machine code for sm_%u but no PTX", program_invocation_short_name,
                passed->cubin_arch);
    err_hint(&m->why, "embed PTX: rebuild it with -gencode arch=compute_75,code=compute_75");
    return cudaErrorNoKernelImageForDevice;
}

/* Code that a program loads itself: any form that cudaLibraryLoadData and cuModuleLoadData take. */
static cudaError_t read_library(struct rt_module *m)
{
    if (m->library_bytes >= 4 && !memcmp(m->library, "\177ELF", 4)) {
        err_set(&m->why, "%s loads machine code (a cubin), which weir does not run", program_invocation_short_name);
        err_hint(&m->why, "load PTX: nvcc -ptx, nvrtcGetPTX");
        return cudaErrorNoKernelImageForDevice;
    }
    const uint64_t linked = linked_bytes(m->library);
    if (linked > m->library_bytes) {
        err_set(&m->why, "%s loads the linker's output, of which %zu of %llu bytes are there",
                program_invocation_short_name, m->library_bytes, (unsigned long long)linked);
        return cudaErrorInvalidKernelImage;
    }
    cudaError_t e = linked ? cudaSuccess : read_part(m, m->library, m->library_bytes);
    for (const char *text = NULL; !e && linked && (text = linked_next(m->library, text));)
        e = read_part(m, text, strlen(text));
    return e;
}

/* Decompresses the module's PTX, once. */
static void module_read(struct rt_module *m)
{
    if (m->tried)
        return;
    m->tried = true;
    err_clear(&m->why);
    m->status = m->wrapper ? read_registered(m) : read_library(m);
    if (!m->status && !m->part.n)
        m->status = no_code(m);
}

/* ---- managed variables ---- */

/*
 * nvcc: the program has a pointer for each __managed__ variable, which is filled with the variable's address. clang has
 * no managed variables; weir cc gathers their host shadows in an ELF section and the variable lives right there. Its
 * initial value is only in the PTX, from where it must come before main reads it.
 */
struct managed_range {
    const char *start, *stop;
};
static VEC(struct managed_range) managed_ranges;

static bool shadow_is_managed(const void *host)
{
    for (size_t i = 0; i < managed_ranges.n; i++)
        if ((const char *)host >= managed_ranges.p[i].start && (const char *)host < managed_ranges.p[i].stop)
            return true;
    return false;
}

void module_init_managed(struct rt_module *m)
{
    bool any = false;
    for (size_t i = 0; i < m->var.n; i++)
        any |= shadow_is_managed(m->var.p[i]->host) && !m->var.p[i]->initialized;
    if (!any)
        return;
    module_read(m);
    for (size_t k = 0; k < m->part.n; k++) {
        struct ptx_module *ptx = ptx_parse(m->part.p[k].text, m->part.p[k].text_bytes, "", NULL);
        for (size_t i = 0; ptx && i < m->var.n; i++) { /* faults of the PTX are reported at its first use */
            struct rt_var *v = m->var.p[i];
            const int32_t at = shadow_is_managed(v->host) ? ptx_find_var(ptx, v->name) : -1;
            if (at < 0 || v->initialized || ptx->var[at].bytes > v->bytes)
                continue;
            v->initialized = true;
            if (ptx->var[at].init)
                memcpy((void *)(uintptr_t)v->host, ptx->var[at].init, ptx->var[at].bytes);
        }
        ptx_module_free(ptx);
    }
}

/* weir cc's constructors call this, before or after the module is registered. */
API void __weirRegisterManaged(void *start, void *stop)
{
    pthread_mutex_lock(&rt.lock);
    VEC_PUSH(&managed_ranges, (struct managed_range){start, stop});
    for (size_t i = 0; i < rt.module.n; i++)
        if (rt.module.p[i]->wrapper)
            module_init_managed(rt.module.p[i]);
    pthread_mutex_unlock(&rt.lock);
}

static void place_managed(struct rt_module *m, struct ptx_module *ptx)
{
    for (size_t i = 0; i < m->var.n; i++) {
        const struct rt_var *v = m->var.p[i];
        int32_t at = shadow_is_managed(v->host) ? ptx_find_var(ptx, v->name) : -1;
        if (at >= 0 && v->initialized && ptx->var[at].linkage != PTX_L_EXTERN)
            ptx->var[at].place = (uint64_t)(uintptr_t)v->host;
    }
}

static void bind_managed(struct rt_module *m)
{
    for (size_t i = 0; i < m->var.n; i++) {
        struct rt_var *v = m->var.p[i];
        uint64_t addr, bytes;
        if (v->managed && !emu_module_var_from(m->emu, m->first_ptx, v->name, &addr, &bytes))
            *v->managed = (void *)(uintptr_t)addr;
        if (v->managed) /* the program names the variable by its memory, too */
            ptrmap_put(&rt.symbol, *v->managed, RT_VAR, v);
    }
}

/* ---- linking ----
 *
 * clang registers every object of an -rdc build by itself, so names declared .extern in one module may be defined in
 * another. Then all registered modules that are not in use yet are loaded as one unit.
 */

/* The name that a declaration introduces: "(.param .b32 r) f (...)" -> f, ".align 4 .u32 x[8]" -> x. */
static const char *declared_name(const char *decl, const char *end, size_t *len)
{
    const char *func = memmem(decl, (size_t)(end - decl), ".func", 5), *p;
    if (func) {
        for (p = func + 5; p < end && strchr(" \t\r\n", *p); p++)
            ;
        if (p < end && *p == '(') {
            while (p < end && *p != ')')
                p++;
            p++;
        }
        while (p < end && strchr(" \t\r\n", *p))
            p++;
    } else {
        const char *stop = decl + strcspn(decl, "[=;");
        for (p = stop < end ? stop : end; p > decl && strchr(" \t\r\n", p[-1]); p--)
            ;
        while (p > decl && !strchr(" \t\r\n", p[-1]))
            p--;
    }
    *len = 0;
    while (p + *len < end && !strchr(" \t\r\n([;,", p[*len]))
        ++*len;
    return p;
}

/* Whether the module exports a definition of the name. */
static bool defines(const struct rt_module *m, const char *name, size_t len)
{
    static const char *const linkage[] = {".visible", ".weak", ".common"};
    for (size_t i = 0; i < m->part.n; i++)
        for (size_t k = 0; k < sizeof linkage / sizeof *linkage; k++)
            for (const char *p = m->part.p[i].text; (p = strstr(p, linkage[k])); p++) {
                size_t n;
                const char *decl = p + strlen(linkage[k]), *end = decl + strcspn(decl, ";{");
                const char *own = declared_name(decl, end, &n);
                if (n == len && !memcmp(own, name, len))
                    return true;
            }
    return false;
}

/* Whether a name that `m` needs is defined in another registered module. */
static bool needs_others(const struct rt_module *m)
{
    for (size_t i = 0; i < m->part.n; i++)
        for (const char *p = m->part.p[i].text; (p = strstr(p, ".extern")); p++) {
            const char *end = strchrnul(p, ';');
            size_t len;
            const char *name = declared_name(p + 7, end, &len);
            if (!len || memmem(p, (size_t)(end - p), ".shared", 7))
                continue;
            for (size_t k = 0; k < rt.module.n; k++)
                if (rt.module.p[k] != m && rt.module.p[k]->wrapper && defines(rt.module.p[k], name, len))
                    return true;
        }
    return false;
}

/* Parses every part of the modules and loads them as one unit. */
static cudaError_t load_unit(struct rt_module **list, size_t n, struct err *e)
{
    VEC(struct ptx_module *) ptx = {0};
    cudaError_t status = cudaSuccess;
    for (size_t i = 0; i < n; i++) {
        list[i]->first_ptx = (unsigned)ptx.n;
        for (size_t k = 0; k < list[i]->part.n && !status; k++) {
            struct fatbin_pick *part = &list[i]->part.p[k];
            char name[160];
            snprintf(name, sizeof name, "%s.ptx", part->name[0] ? part->name : program_invocation_short_name);
            struct ptx_module *m = ptx_parse(part->text, part->text_bytes, name, e);
            if (!m) {
                status = cudaErrorInvalidPtx;
                break;
            }
            m->maxrregcount = part->maxrregcount;
            for (uint32_t f = 0; part->cubin && f < m->n_func; f++)
                m->func[f].assembled_regs = cubin_registers(part->cubin, part->cubin_bytes, m->func[f].name);
            place_managed(list[i], m);
            VEC_PUSH(&ptx, m);
            if (m->target_sm > rt.props.cc_major * 10 + rt.props.cc_minor) { /* text that the program did not choose */
                above_device(e, name, m->target_sm);
                status = cudaErrorNoKernelImageForDevice;
            }
        }
    }
    struct emu_module *unit = status ? NULL : emu_module_load(rt.emu, ptx.p, (unsigned)ptx.n, e);
    if (!status && !unit)
        status = cudaErrorInvalidPtx;
    else if (status)
        for (size_t i = 0; i < ptx.n; i++)
            ptx_module_free(ptx.p[i]);
    VEC_FREE(&ptx);
    for (size_t i = 0; i < n; i++) {
        list[i]->emu = unit;
        if (!list[i]->status)
            list[i]->status = status;
        for (size_t k = 0; k < list[i]->part.n; k++)
            fatbin_pick_free(&list[i]->part.p[k]);
        VEC_FREE(&list[i]->part);
        if (unit)
            bind_managed(list[i]);
    }
    return status;
}

cudaError_t module_load(struct rt_module *m)
{
    if (m->emu || (m->tried && m->status))
        return m->status;
    VEC(struct rt_module *) unit = {0};
    bool linked = false;
    module_read(m);
    for (size_t i = 0; m->wrapper && i < rt.module.n; i++)
        if (rt.module.p[i]->wrapper)
            module_read(rt.module.p[i]);
    for (size_t i = 0; m->wrapper && i < rt.module.n && !linked; i++)
        linked = rt.module.p[i]->wrapper && needs_others(rt.module.p[i]);
    VEC_PUSH(&unit, m);
    for (size_t i = 0; linked && i < rt.module.n; i++) {
        struct rt_module *other = rt.module.p[i];
        if (other != m && other->wrapper && !other->emu && !other->status)
            VEC_PUSH(&unit, other);
    }
    if (!m->status)
        load_unit(unit.p, unit.n, &m->why);
    VEC_FREE(&unit);
    if (m->status) {
        fflush(stdout);
        err_print(&m->why, stderr);
        if (rt.report && m->wrapper) /* a program that loads code itself gets the error, and may expect it */
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
    struct emu_kernel *k = emu_module_kernel_from(f->module->emu, f->module->first_ptx, f->name);
    if (!k) {
        rt_message(
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
    /* Where the estimate is too large for this GPU or the kernel's launch bounds, its compiler would have spilled. */
    f->info.regs_per_thread = device_kernel_regs(&rt.props, f->info.regs_per_thread, f->info.max_threads_per_cta);
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
    if (emu_module_var_from(v->module->emu, v->module->first_ptx, v->name, addr, &n))
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
