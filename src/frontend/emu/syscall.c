/*
 * Functions that device code calls and the GPU's runtime provides: printf, malloc, assert, and the device runtime of
 * dynamic parallelism. They cost the call instruction alone.
 *
 * Each is called per lane in ascending order. A grid launched by device code runs after its parent has ended, in the
 * order of the launches; copies queue among them. The device runtime's calls always succeed, so its last error is
 * always "no error". Left out: device-side graphs, events' times, occupancy queries.
 */
#include "emu/exec_mem.h"
#include "emu/watch.h"

#include <stdio.h>

struct call {
    struct emu_warp_run *r;
    const struct emu_inst *in;
    const struct emu_call *site;
    unsigned lane;
};

static uint64_t arg(const struct call *c, uint32_t i)
{
    uint64_t v = 0;
    emu_arg_get(c->r, c->site, i, c->lane, &v, 8);
    return v;
}

/* Writes through a pointer argument; raises when it is bad. */
static void put(const struct call *c, uint64_t addr, uint64_t value, uint32_t bytes)
{
    void *p = emu_generic_ptr(c->r, c->lane, addr, bytes);
    if (p)
        memcpy(p, &value, bytes);
    else
        emu_raise(&c->r->w, c->in, (int)c->lane, EMU_FAULT_ILLEGAL_ADDRESS, "invalid pointer 0x%llx to a runtime call",
                  (unsigned long long)addr);
}

/* ---- printf, assert ---- */

static uint64_t do_vprintf(const struct call *c)
{
    int n = emu_printf(c->r, c->lane, arg(c, 0), arg(c, 1));
    if (n < 0)
        emu_raise(&c->r->w, c->in, (int)c->lane, EMU_FAULT_ILLEGAL_ADDRESS,
                  "printf with an invalid format pointer 0x%llx", (unsigned long long)arg(c, 0));
    return (uint64_t)(int64_t)n;
}

/* __assertfail(message, file, line, function, char size) and __assert_fail of the C library */
static uint64_t do_assert(const struct call *c)
{
    char what[256] = "?", file[256] = "?", func[160] = "?";
    emu_read_string(c->r, c->lane, arg(c, 0), what, sizeof what);
    emu_read_string(c->r, c->lane, arg(c, 1), file, sizeof file);
    emu_read_string(c->r, c->lane, arg(c, 3), func, sizeof func);
    emu_raise(&c->r->w, c->in, (int)c->lane, EMU_FAULT_ASSERT, "%s:%u: %s: assertion `%s' failed", file,
              (unsigned)(uint32_t)arg(c, 2), func, what);
    return 0;
}

static uint64_t do_abort(const struct call *c)
{
    emu_raise(&c->r->w, c->in, (int)c->lane, EMU_FAULT_TRAP, "the thread called abort");
    return 0;
}

/* ---- malloc ---- */

enum { MALLOC_HEAD = 64 }; /* what an allocation costs of the heap beside its bytes */

static uint64_t do_malloc(const struct call *c)
{
    struct emu *emu = c->r->w.emu;
    uint64_t bytes = arg(c, 0), addr;
    uint64_t left = emu->opts.malloc_bytes > emu->malloc_used ? emu->opts.malloc_bytes - emu->malloc_used : 0;
    if (bytes == 0 || bytes > left || bytes + MALLOC_HEAD > left ||
        emu_heap_alloc(emu->heap, bytes, EMU_MEM_HEAP, NULL, &addr) < 0)
        return 0;
    emu->malloc_used += bytes + MALLOC_HEAD;
    if (emu->opts.watch)
        emu->opts.watch->heap(emu->opts.watch->ctx, addr, bytes);
    return addr;
}

/* Instructions remember the allocation they used last: it must not outlive it. */
static void forget_range(struct emu_prog *p, uint64_t addr)
{
    for (uint32_t i = 0; i < p->n_cache; i++)
        if (p->cache[i].lo == addr)
            p->cache[i] = (struct emu_range){0, 0};
}

static uint64_t do_free(const struct call *c)
{
    struct emu *emu = c->r->w.emu;
    uint64_t addr = arg(c, 0);
    if (!addr)
        return 0;
    const struct emu_alloc *a = emu_mem_find(emu, addr, 0);
    uint64_t bytes = a ? a->bytes : 0;
    if (!a || emu_heap_release(emu->heap, addr, EMU_MEM_HEAP) < 0) {
        emu_raise(&c->r->w, c->in, (int)c->lane, EMU_FAULT_ILLEGAL_ADDRESS,
                  "free of 0x%llx, which malloc did not return or which was already freed", (unsigned long long)addr);
        return 0;
    }
    emu->malloc_used -= bytes + MALLOC_HEAD;
    forget_range(c->r->prog, addr);
    return 0;
}

static uint64_t do_cuda_malloc(const struct call *c)
{
    struct emu *emu = c->r->w.emu;
    uint64_t addr = 0;
    if (emu_heap_alloc(emu->heap, arg(c, 1), EMU_MEM_HEAP, NULL, &addr) < 0)
        return 2; /* cudaErrorMemoryAllocation */
    emu->malloc_used += arg(c, 1) + MALLOC_HEAD;
    if (emu->opts.watch)
        emu->opts.watch->heap(emu->opts.watch->ctx, addr, arg(c, 1));
    put(c, arg(c, 0), addr, 8);
    return 0;
}

/* ---- memory ---- */

static void tell_move(const struct call *c, uint64_t to, uint64_t from, uint64_t bytes)
{
    const struct emu_watch *watch = c->r->w.emu->opts.watch;
    if (watch)
        watch->move(watch->ctx, &c->r->w, c->in, (int)c->lane, to, from, bytes);
}

static uint64_t do_memcpy(const struct call *c)
{
    uint64_t dst = arg(c, 0), src = arg(c, 1), n = arg(c, 2);
    void *to = emu_generic_ptr(c->r, c->lane, dst, n), *from = emu_generic_ptr(c->r, c->lane, src, n);
    if (n && to && from) {
        tell_move(c, dst, src, n);
        memmove(to, from, n);
    } else if (n) {
        emu_raise(&c->r->w, c->in, (int)c->lane, EMU_FAULT_ILLEGAL_ADDRESS,
                  "copy of %llu bytes from 0x%llx to 0x%llx leaves its memory", (unsigned long long)n,
                  (unsigned long long)src, (unsigned long long)dst);
    }
    return dst;
}

static uint64_t do_memset(const struct call *c)
{
    uint64_t dst = arg(c, 0), n = arg(c, 2);
    void *to = emu_generic_ptr(c->r, c->lane, dst, n);
    if (n && to) {
        tell_move(c, dst, 0, n);
        memset(to, (int)arg(c, 1), n);
    } else if (n) {
        emu_raise(&c->r->w, c->in, (int)c->lane, EMU_FAULT_ILLEGAL_ADDRESS,
                  "fill of %llu bytes at 0x%llx leaves its memory", (unsigned long long)n, (unsigned long long)dst);
    }
    return dst;
}

/* ---- dynamic parallelism ---- */

static struct emu_kernel *kernel_at(const struct emu_module *u, uint64_t addr)
{
    uint64_t def = (addr - EMU_FUNC_WINDOW) / 16 - u->func_base;
    for (size_t i = 0; i < u->kernel.n; i++)
        if (u->kernel.p[i]->def == def)
            return u->kernel.p[i];
    return NULL;
}

/* GetParameterBufferV2(function, grid, block, shared bytes): room for the parameters, or NULL. */
static uint64_t do_parameter_buffer(const struct call *c)
{
    struct emu_grid *g = c->r->grid;
    struct emu_child k = {.kernel = kernel_at(c->r->prog->kernel->unit, arg(c, 0)), .fill = -1};
    if (!k.kernel)
        return 0;
    emu_arg_get(c->r, c->site, 1, c->lane, k.launch.grid, sizeof k.launch.grid);
    emu_arg_get(c->r, c->site, 2, c->lane, k.launch.block, sizeof k.launch.block);
    k.launch.smem_dynamic_bytes = (uint32_t)arg(c, 3);
    k.launch.stream = g->launch.stream;
    uint64_t bytes = emu_kernel_param_bytes(k.kernel);
    if (emu_heap_alloc(g->emu->heap, bytes ? bytes : 8, EMU_MEM_MODULE, "parameter buffer", &k.buffer) < 0)
        return 0;
    VEC_PUSH(&g->pending, k);
    return k.buffer;
}

static uint64_t do_launch(const struct call *c)
{
    struct emu_grid *g = c->r->grid;
    uint64_t buffer = arg(c, 0);
    for (size_t i = g->pending.n; i-- > 0;) {
        struct emu_child k = g->pending.p[i];
        if (k.buffer != buffer)
            continue;
        uint32_t bytes = emu_kernel_param_bytes(k.kernel);
        k.params = xmalloc(bytes + 1);
        memcpy(k.params, (const void *)(uintptr_t)buffer, bytes);
        emu_heap_release(g->emu->heap, buffer, EMU_MEM_MODULE);
        forget_range(c->r->prog, buffer);
        g->pending.p[i] = g->pending.p[--g->pending.n];
        uint64_t threads = (uint64_t)k.launch.block[0] * k.launch.block[1] * k.launch.block[2];
        uint64_t blocks = (uint64_t)k.launch.grid[0] * k.launch.grid[1] * k.launch.grid[2];
        if (threads == 0 || threads > 1024 || blocks == 0) {
            free(k.params);
            return 9; /* cudaErrorInvalidConfiguration */
        }
        VEC_PUSH(&g->child, k);
        return 0;
    }
    return 1; /* cudaErrorInvalidValue */
}

static uint64_t queue_copy(const struct call *c, uint64_t dst, uint64_t src, uint64_t bytes, int fill)
{
    struct emu *emu = c->r->w.emu;
    if (!emu_mem_find(emu, dst, bytes) || (fill < 0 && !emu_mem_find(emu, src, bytes)))
        return 1;
    VEC_PUSH(&c->r->grid->child, (struct emu_child){.dst = dst, .src = src, .bytes = bytes, .fill = fill});
    return 0;
}

void emu_child_copy(struct emu *emu, const struct emu_child *k)
{
    if (!emu_mem_find(emu, k->dst, k->bytes) || (k->fill < 0 && !emu_mem_find(emu, k->src, k->bytes)))
        return; /* freed meanwhile */
    if (emu->opts.watch)
        emu->opts.watch->move(emu->opts.watch->ctx, NULL, NULL, 0, k->dst, k->fill < 0 ? k->src : 0, k->bytes);
    if (k->fill < 0)
        memmove((void *)(uintptr_t)k->dst, (const void *)(uintptr_t)k->src, k->bytes);
    else
        memset((void *)(uintptr_t)k->dst, k->fill, k->bytes);
}

static uint64_t do_memcpy_async(const struct call *c)
{
    return queue_copy(c, arg(c, 0), arg(c, 1), arg(c, 2), -1);
}
static uint64_t do_memset_async(const struct call *c)
{
    return queue_copy(c, arg(c, 0), 0, arg(c, 2), (int)(arg(c, 1) & 0xff));
}

/* Streams and events: a handle is all they need, everything runs in order. */
static uint64_t do_create(const struct call *c)
{
    put(c, arg(c, 0), 0x57ea0000ull + ++c->r->w.emu->n_handle, 8);
    return 0;
}
static uint64_t do_nothing(const struct call *c)
{
    (void)c;
    return 0;
}
static uint64_t do_error_string(const struct call *c)
{
    struct emu *emu = c->r->w.emu;
    static const char text[] = "no error";
    if (!emu->err_string &&
        emu_heap_alloc(emu->heap, sizeof text, EMU_MEM_MODULE, "error string", &emu->err_string) == 0)
        memcpy((void *)(uintptr_t)emu->err_string, text, sizeof text);
    return emu->err_string;
}
static uint64_t do_get_device(const struct call *c)
{
    put(c, arg(c, 0), 0, 4);
    return 0;
}
static uint64_t do_device_count(const struct call *c)
{
    put(c, arg(c, 0), 1, 4);
    return 0;
}
static uint64_t do_device_attribute(const struct call *c)
{
    const struct emu_opts *o = &c->r->w.emu->opts;
    uint32_t v;
    switch ((uint32_t)arg(c, 1)) { /* cudaDevAttr... */
    case 1:                        /* MaxThreadsPerBlock */
    case 2:                        /* MaxBlockDimX */
    case 3:                        /* MaxBlockDimY */
        v = 1024;
        break;
    case 4: /* MaxBlockDimZ */
        v = 64;
        break;
    case 10: /* WarpSize */
        v = 32;
        break;
    case 16: /* MultiProcessorCount */
        v = o->sm_count;
        break;
    case 75: /* ComputeCapabilityMajor */
        v = o->arch / 10;
        break;
    case 76: /* ComputeCapabilityMinor */
        v = o->arch % 10;
        break;
    default:
        return 801; /* cudaErrorNotSupported */
    }
    put(c, arg(c, 0), v, 4);
    return 0;
}

/* A conditional node's handle is the place of its value. */
static uint64_t do_set_condition(const struct call *c)
{
    put(c, arg(c, 0), arg(c, 1), 4);
    return 0;
}

/* ---- the table ---- */

static const struct {
    const char *name;
    uint64_t (*fn)(const struct call *);
} builtin[] = {
    {"vprintf", do_vprintf},
    {"__assertfail", do_assert},
    {"__assert_fail", do_assert},
    {"abort", do_abort},
    {"__cxa_pure_virtual", do_abort},
    {"__cxa_deleted_virtual", do_abort},
    {"malloc", do_malloc},
    {"free", do_free},
    {"memcpy", do_memcpy},
    {"memmove", do_memcpy},
    {"memset", do_memset},
    {"cudaGraphSetConditional", do_set_condition},
    {"__cudaCDP2GetParameterBufferV2", do_parameter_buffer},
    {"__cudaCDP2LaunchDeviceV2", do_launch},
    {"__cudaCDP2LaunchDeviceV2_ptsz", do_launch},
    {"cudaGetParameterBufferV2", do_parameter_buffer},
    {"cudaLaunchDeviceV2", do_launch},
    {"__cudaCDP2StreamCreateWithFlags", do_create},
    {"__cudaCDP2StreamDestroy", do_nothing},
    {"__cudaCDP2StreamWaitEvent", do_nothing},
    {"__cudaCDP2StreamWaitEvent_ptsz", do_nothing},
    {"__cudaCDP2EventCreateWithFlags", do_create},
    {"__cudaCDP2EventRecord", do_nothing},
    {"__cudaCDP2EventRecord_ptsz", do_nothing},
    {"__cudaCDP2EventRecordWithFlags", do_nothing},
    {"__cudaCDP2EventRecordWithFlags_ptsz", do_nothing},
    {"__cudaCDP2EventDestroy", do_nothing},
    {"__cudaCDP2GetLastError", do_nothing},
    {"__cudaCDP2PeekAtLastError", do_nothing},
    {"__cudaCDP2GetErrorString", do_error_string},
    {"__cudaCDP2GetErrorName", do_error_string},
    {"__cudaCDP2MemcpyAsync", do_memcpy_async},
    {"__cudaCDP2MemcpyAsync_ptsz", do_memcpy_async},
    {"__cudaCDP2MemsetAsync", do_memset_async},
    {"__cudaCDP2MemsetAsync_ptsz", do_memset_async},
    {"__cudaCDP2Malloc", do_cuda_malloc},
    {"__cudaCDP2Free", do_free},
    {"__cudaCDP2GetDevice", do_get_device},
    {"__cudaCDP2GetDeviceCount", do_device_count},
    {"__cudaCDP2DeviceGetAttribute", do_device_attribute},
};

bool emu_has_builtin(const char *function)
{
    return emu_builtin_find(function) >= 0;
}

int32_t emu_builtin_find(const char *name)
{
    for (unsigned i = 0; i < sizeof builtin / sizeof *builtin; i++)
        if (strcmp(builtin[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

void emu_builtin_call(struct emu_warp_run *r, const struct emu_inst *in, const struct emu_call *site, uint32_t mask)
{
    for (uint32_t m = mask; m && !r->stop; m &= m - 1) {
        struct call c = {r, in, site, (unsigned)__builtin_ctz(m)};
        uint64_t v = builtin[site->builtin].fn(&c);
        emu_ret_set(r, site, c.lane, v);
    }
}
