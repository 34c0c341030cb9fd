/*
 * Loading: several PTX modules become one linked unit; its variables get memory and their initial values.
 *
 * Every .global variable is an allocation of its own (so that running off its end is seen); the .const variables of a
 * unit share one constant bank. A constant's address in PTX is its offset in the bank; the bank itself is in device
 * memory, which is where cudaMemcpyToSymbol writes. Names are matched as a linker does: a definition in the same module
 * first, then a visible or weak one of another. .shared variables are placed per kernel (program.c).
 */
#include "emu/state.h"

static bool exported(uint8_t linkage)
{
    return linkage == PTX_L_VISIBLE || linkage == PTX_L_WEAK || linkage == PTX_L_COMMON;
}

static bool has_memory(const struct ptx_var *v)
{
    return v->linkage != PTX_L_EXTERN && (v->space == PTX_S_GLOBAL || v->space == PTX_S_CONST || v->space == PTX_S_TEX);
}

/* The definition of a name: where it is first defined, exported ones of other modules included. */
static struct emu_var_place *find_definition(struct emu_module *u, unsigned module, const char *name)
{
    int32_t own = ptx_find_var(u->ptx[module], name);
    if (own >= 0 && u->var[module][own].var)
        return &u->var[module][own];
    for (unsigned m = 0; m < u->n_ptx; m++) {
        int32_t v = ptx_find_var(u->ptx[m], name);
        if (v >= 0 && u->var[m][v].var && exported(u->ptx[m]->var[v].linkage))
            return &u->var[m][v];
    }
    return NULL;
}

static int place_global(struct emu_module *u, const struct ptx_var *v, struct emu_var_place *p, struct err *e)
{
    enum emu_mem_kind kind = v->managed ? EMU_MEM_MANAGED : EMU_MEM_MODULE;
    if (v->place) { /* host memory that already holds its value */
        p->addr = v->place;
        if (emu_mem_register(u->emu, (void *)(uintptr_t)v->place, v->bytes) < 0)
            return err_set(e, "the variable %s cannot live at 0x%llx: that memory is in use", v->name,
                           (unsigned long long)v->place);
        VEC_PUSH(&u->allocs, p->addr);
        return 0;
    }
    if (emu_heap_alloc(u->emu->heap, v->bytes, kind, v->name, &p->addr) < 0)
        return err_set(e, "no device memory left for the variable %s of %llu bytes", v->name,
                       (unsigned long long)v->bytes);
    VEC_PUSH(&u->allocs, p->addr);
    char *at = (char *)(uintptr_t)p->addr;
    if (v->init)
        memcpy(at, v->init, v->bytes);
    else
        memset(at, 0, v->bytes);
    return 0;
}

static int place_variables(struct emu_module *u, struct err *e)
{
    uint64_t bank = 0;
    for (unsigned m = 0; m < u->n_ptx; m++) {
        for (uint32_t i = 0; i < u->ptx[m]->n_var; i++) {
            const struct ptx_var *v = &u->ptx[m]->var[i];
            struct emu_var_place *p = &u->var[m][i];
            if (!has_memory(v))
                continue;
            /* Weak and common names may be defined several times: the first one counts. */
            if (exported(v->linkage) && v->linkage != PTX_L_VISIBLE) {
                const struct emu_var_place *first = find_definition(u, m, v->name);
                if (first && first != p) {
                    *p = *first;
                    continue;
                }
            }
            *p = (struct emu_var_place){.bytes = v->bytes, .var = v, .module = (uint16_t)m};
            if (v->space == PTX_S_CONST) {
                uint32_t align = v->align ? v->align : 1;
                bank = (bank + align - 1) / align * align;
                p->addr = bank;
                bank += v->bytes;
            } else if (place_global(u, v, p, e) < 0) {
                return -1;
            }
        }
    }
    u->const_bytes = bank;
    if (bank == 0)
        return 0;
    if (emu_heap_alloc(u->emu->heap, bank, EMU_MEM_MODULE, "constant memory", &u->const_addr) < 0)
        return err_set(e, "no device memory left for %llu bytes of constants", (unsigned long long)bank);
    VEC_PUSH(&u->allocs, u->const_addr);
    memset((void *)(uintptr_t)u->const_addr, 0, bank);
    for (unsigned m = 0; m < u->n_ptx; m++)
        for (uint32_t i = 0; i < u->ptx[m]->n_var; i++) {
            const struct emu_var_place *p = &u->var[m][i];
            if (p->var && p->var->space == PTX_S_CONST && p->var->init)
                memcpy((char *)(uintptr_t)u->const_addr + p->addr, p->var->init, p->bytes);
        }
    return 0;
}

/* .extern variables, and everything else that is defined elsewhere. */
static void resolve_variables(struct emu_module *u)
{
    for (unsigned m = 0; m < u->n_ptx; m++)
        for (uint32_t i = 0; i < u->ptx[m]->n_var; i++) {
            struct emu_var_place *p = &u->var[m][i];
            if (p->var || u->ptx[m]->var[i].space == PTX_S_SHARED)
                continue;
            const struct emu_var_place *d = find_definition(u, m, u->ptx[m]->var[i].name);
            if (d)
                *p = *d;
        }
}

static void resolve_functions(struct emu_module *u)
{
    for (unsigned m = 0; m < u->n_ptx; m++) {
        u->fn[m] = xcalloc(u->ptx[m]->n_func + 1, sizeof **u->fn);
        for (uint32_t i = 0; i < u->ptx[m]->n_func; i++) {
            struct ptx_func *f = &u->ptx[m]->func[i];
            u->fn[m][i] = (struct emu_fn_ref){EMU_FN_UNRESOLVED, -1};
            if (!f->has_body)
                continue;
            u->fn[m][i].def = (int32_t)u->def.n;
            VEC_PUSH(&u->def, (struct emu_def){u->ptx[m], f, m});
        }
    }
    for (unsigned m = 0; m < u->n_ptx; m++)
        for (uint32_t i = 0; i < u->ptx[m]->n_func; i++) {
            struct emu_fn_ref *r = &u->fn[m][i];
            const char *name = u->ptx[m]->func[i].name;
            for (size_t d = 0; d < u->def.n && r->def == EMU_FN_UNRESOLVED; d++) {
                const struct emu_def *def = &u->def.p[d];
                bool own = def->module_index == m;
                if ((own || exported(def->func->linkage)) && strcmp(def->func->name, name) == 0)
                    r->def = (int32_t)d;
            }
            if (r->def == EMU_FN_UNRESOLVED && (r->builtin = emu_builtin_find(name)) >= 0)
                r->def = EMU_FN_BUILTIN;
        }
}

/* Addresses in initializers. An unresolved one stays 0: the launch of a kernel that needs the name will tell. */
static void apply_refs(struct emu_module *u)
{
    for (unsigned m = 0; m < u->n_ptx; m++)
        for (uint32_t i = 0; i < u->ptx[m]->n_var; i++) {
            const struct emu_var_place *p = &u->var[m][i];
            const struct ptx_var *v = &u->ptx[m]->var[i];
            if (p->var != v)
                continue;
            char *at = (char *)(uintptr_t)(v->space == PTX_S_CONST ? u->const_addr + p->addr : p->addr);
            for (uint32_t k = 0; k < v->n_ref; k++) {
                const struct ptx_init_ref *r = &v->ref[k];
                uint32_t index = (uint32_t)PTX_SYM_INDEX(r->sym);
                uint64_t value = 0;
                if (PTX_SYM_KIND(r->sym) == PTX_SYM_FUNC) {
                    const struct emu_fn_ref *f = &u->fn[m][index];
                    if (f->def >= 0)
                        value = EMU_FUNC_WINDOW + 16 * (uint64_t)(u->func_base + (uint32_t)f->def);
                } else if (PTX_SYM_KIND(r->sym) == PTX_SYM_VAR && u->var[m][index].var) {
                    const struct emu_var_place *t = &u->var[m][index];
                    value = t->addr + (t->var->space == PTX_S_CONST && r->generic ? EMU_CONST_WINDOW : 0);
                } else {
                    continue;
                }
                value = (value + (uint64_t)r->addend) >> r->shift;
                if (r->bytes <= 8 && r->offset + r->bytes <= v->bytes)
                    memcpy(at + r->offset, &value, r->bytes);
            }
        }
}

struct emu_module *emu_module_load(struct emu *emu, struct ptx_module **ptx, unsigned n, struct err *e)
{
    struct emu_module *u = xcalloc(1, sizeof *u);
    u->emu = emu;
    u->n_ptx = n;
    u->ptx = xcalloc(n + 1, sizeof *u->ptx);
    memcpy(u->ptx, ptx, n * sizeof *ptx);
    u->var = xcalloc(n + 1, sizeof *u->var);
    u->fn = xcalloc(n + 1, sizeof *u->fn);
    u->next = emu->modules;
    emu->modules = u;
    for (unsigned m = 0; m < n; m++)
        u->var[m] = xcalloc(ptx[m]->n_var + 1, sizeof **u->var);
    if (place_variables(u, e) < 0) {
        emu_module_unload(emu, u);
        return NULL;
    }
    resolve_variables(u);
    resolve_functions(u);
    u->func_base = emu->n_func;
    emu->n_func += (uint32_t)u->def.n;
    apply_refs(u);
    for (size_t d = 0; d < u->def.n; d++) {
        if (!u->def.p[d].func->is_entry)
            continue;
        struct emu_kernel *k = xcalloc(1, sizeof *k);
        k->unit = u;
        k->def = (uint32_t)d;
        VEC_PUSH(&u->kernel, k);
    }
    return u;
}

void emu_module_unload(struct emu *emu, struct emu_module *u)
{
    if (!u)
        return;
    for (struct emu_module **at = &emu->modules; *at; at = &(*at)->next)
        if (*at == u) {
            *at = u->next;
            break;
        }
    for (size_t i = 0; i < u->kernel.n; i++) {
        struct emu_kernel *k = u->kernel.p[i];
        emu_launch_forget(emu, k->prog);
        emu_prog_free(k->prog);
        free(k);
    }
    for (size_t i = 0; i < u->allocs.n; i++)
        if (emu_heap_release(emu->heap, u->allocs.p[i], EMU_MEM_MODULE) < 0 &&
            emu_heap_release(emu->heap, u->allocs.p[i], EMU_MEM_MANAGED) < 0)
            emu_heap_release(emu->heap, u->allocs.p[i], EMU_MEM_REGISTERED);
    for (unsigned m = 0; m < u->n_ptx; m++) {
        free(u->var[m]);
        free(u->fn[m]);
        ptx_module_free(u->ptx[m]);
    }
    VEC_FREE(&u->kernel);
    VEC_FREE(&u->allocs);
    VEC_FREE(&u->def);
    free(u->var);
    free(u->fn);
    free(u->ptx);
    free(u);
}

int emu_module_var_from(const struct emu_module *u, unsigned first, const char *name, uint64_t *addr, uint64_t *bytes)
{
    for (unsigned k = 0; k < u->n_ptx; k++) {
        unsigned m = (first + k) % u->n_ptx;
        int32_t v = ptx_find_var(u->ptx[m], name);
        if (v < 0 || !u->var[m][v].var)
            continue;
        const struct emu_var_place *p = &u->var[m][v];
        if (addr)
            *addr = p->var->space == PTX_S_CONST ? u->const_addr + p->addr : p->addr;
        if (bytes)
            *bytes = p->bytes;
        return 0;
    }
    return -1;
}

int emu_module_var(const struct emu_module *u, const char *name, uint64_t *addr, uint64_t *bytes)
{
    return emu_module_var_from(u, 0, name, addr, bytes);
}

struct emu_kernel *emu_module_kernel(struct emu_module *u, const char *name)
{
    return emu_module_kernel_from(u, 0, name);
}

struct emu_kernel *emu_module_kernel_from(struct emu_module *u, unsigned first, const char *name)
{
    struct emu_kernel *found = NULL;
    for (size_t i = 0; i < u->kernel.n; i++) {
        struct emu_kernel *k = u->kernel.p[i];
        if (strcmp(emu_kernel_func(k)->name, name) != 0)
            continue;
        if (u->def.p[k->def].module_index >= first)
            return k;
        if (!found)
            found = k;
    }
    return found;
}

uint32_t emu_kernel_param_bytes(struct emu_kernel *k)
{
    return emu_kernel_func(k)->param_bytes;
}

int emu_kernel_param(struct emu_kernel *k, uint32_t i, uint32_t *offset, uint32_t *bytes)
{
    const struct ptx_func *f = emu_kernel_func(k);
    if (i >= f->n_param)
        return -1;
    *offset = f->param[i].offset;
    *bytes = f->param[i].bytes;
    return 0;
}
