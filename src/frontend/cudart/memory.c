/*
 * Memory: allocation, pinning, and what a pointer is.
 *
 * A device address is the host address of the byte (emu.h), so pinned, managed and registered memory have one address
 * for both sides and nothing is ever migrated.
 */
#include "base/out_of_memory.h"
#include "cudart/runtime.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PITCH_ALIGN = 512 };

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static void note(void *addr, enum emu_mem_kind kind)
{
    struct rt_mem *m = xmalloc(sizeof *m);
    m->kind = (uint8_t)kind;
    ptrmap_put(&rt.handle, addr, RT_MEM, m);
}

cudaError_t mem_alloc(void **out, size_t bytes, enum emu_mem_kind kind)
{
    uint64_t addr;
    if (!out)
        return cudaErrorInvalidValue;
    if (!bytes) {
        *out = NULL;
        return cudaSuccess;
    }
    if (emu_mem_alloc(rt.emu, bytes, kind, &addr))
        return cudaErrorMemoryAllocation;
    *out = (void *)(uintptr_t)addr;
    note(*out, kind);
    if (rt.check)
        check_alloc(rt.check, addr, bytes, kind);
    return cudaSuccess;
}

bool mem_free(uint64_t addr, enum emu_mem_kind kind)
{
    const struct emu_alloc *a = rt.check ? emu_mem_find(rt.emu, addr, 1) : NULL;
    const uint64_t bytes = a ? a->bytes : 0;
    if (emu_mem_free(rt.emu, addr, kind))
        return false;
    if (rt.check)
        check_free(rt.check, addr, bytes);
    void *key = (void *)(uintptr_t)addr;
    free(ptrmap_get(&rt.handle, key, RT_MEM));
    ptrmap_drop(&rt.handle, key, RT_MEM);
    return true;
}

const struct emu_alloc *mem_find(const void *p, size_t bytes)
{
    return emu_mem_find(rt.emu, (uint64_t)(uintptr_t)p, bytes ? bytes : 1);
}

static bool is_host_kind(const struct emu_alloc *a)
{
    return a->kind == EMU_MEM_PINNED || a->kind == EMU_MEM_REGISTERED;
}

bool mem_is_device(const void *p)
{
    const struct emu_alloc *a = mem_find(p, 1);
    return a && !is_host_kind(a);
}

/* Whether host memory is mapped there. Protection is not seen; writing to constants still ends the program. */
bool mem_host_mapped(const void *p, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p & ~(page - 1);
    if ((uintptr_t)p + bytes < (uintptr_t)p)
        return false;
    return !msync((void *)from, (uintptr_t)p + bytes - from, MS_ASYNC);
}

cudaError_t mem_free_device(uint64_t addr)
{
    if (graph_mem_freed(addr))
        return cudaSuccess;
    if (!mem_free(addr, EMU_MEM_DEVICE) && !mem_free(addr, EMU_MEM_MANAGED))
        return cudaErrorInvalidValue;
    pool_note_free(addr);
    return cudaSuccess;
}

cudaError_t mem_bad_range(const char *what, const void *p, size_t bytes)
{
    const struct emu_alloc *a = emu_mem_nearest(rt.emu, (uint64_t)(uintptr_t)p);
    char *text;
    if (!a)
        text = xasprintf("%s: %zu bytes at %p: no device memory was ever allocated", what, bytes, p);
    else if ((uintptr_t)p >= a->addr && (uintptr_t)p < a->addr + a->bytes)
        text = xasprintf("%s: %zu bytes at %p: %zu bytes into %s of %llu bytes at 0x%llx%s", what, bytes, p,
                         (size_t)((uintptr_t)p - a->addr), a->name ? a->name : "an allocation",
                         (unsigned long long)a->bytes, (unsigned long long)a->addr,
                         a->freed ? ", which was freed" : "; the access exceeds its end");
    else
        text = xasprintf("%s: %zu bytes at %p: not device memory; the nearest is %s of %llu bytes at 0x%llx%s", what,
                         bytes, p, a->name ? a->name : "an allocation", (unsigned long long)a->bytes,
                         (unsigned long long)a->addr, a->freed ? ", which was freed" : "");
    rt_message("%s", text);
    if (rt.check)
        check_call(rt.check, text);
    free(text);
    return cudaErrorInvalidValue;
}

/* What is wrong with freeing this; said by weir check only. */
static cudaError_t bad_free(const char *call, const void *p)
{
    const uint64_t addr = (uintptr_t)p;
    const struct emu_alloc *a = rt.check ? emu_mem_nearest(rt.emu, addr) : NULL;
    const bool within = a && addr - a->addr < a->bytes;
    char *text = !rt.check         ? NULL
                 : !within         ? xasprintf("%s: %p is not the address of an allocation", call, p)
                 : a->freed        ? xasprintf("%s: %p was freed before", call, p)
                 : a->addr != addr ? xasprintf("%s: %p is %llu bytes into an allocation", call, p,
                                               (unsigned long long)(addr - a->addr))
                                   : xasprintf("%s: %p was allocated by another function", call, p);
    if (text)
        check_call(rt.check, text);
    free(text);
    return cudaErrorInvalidValue;
}

/* ---- allocation ---- */
API cudaError_t cudaMalloc(void **out, size_t bytes)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : mem_alloc(out, bytes, EMU_MEM_DEVICE));
}

API cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : mem_alloc(out, bytes, EMU_MEM_MANAGED));
}

static cudaError_t host_alloc(void **out, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && flags > 7)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : mem_alloc(out, bytes, EMU_MEM_PINNED));
}

API cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    return host_alloc(out, bytes, 0);
}

API cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    return host_alloc(out, bytes, flags);
}

API cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    cudaError_t e = rt_enter();
    if (!e && (!out || !pitch))
        e = cudaErrorInvalidValue;
    const size_t row = round_up(width, PITCH_ALIGN);
    size_t bytes;
    if (!e && (row < width || __builtin_mul_overflow(row, height, &bytes)))
        e = cudaErrorMemoryAllocation;
    if (!e)
        e = mem_alloc(out, bytes, EMU_MEM_DEVICE);
    if (!e)
        *pitch = row;
    return rt_leave(e);
}

API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    cudaError_t e = rt_enter();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    const size_t row = round_up(extent.width, PITCH_ALIGN);
    size_t slice, bytes;
    if (!e && (row < extent.width || __builtin_mul_overflow(row, extent.height, &slice) ||
               __builtin_mul_overflow(slice, extent.depth, &bytes)))
        e = cudaErrorMemoryAllocation;
    if (!e)
        e = mem_alloc(&out->ptr, bytes, EMU_MEM_DEVICE);
    if (!e) {
        out->pitch = row;
        out->xsize = extent.width;
        out->ysize = extent.height;
    }
    return rt_leave(e);
}

API cudaError_t cudaFree(void *p)
{
    cudaError_t e = rt_enter();
    if (!e && p)
        e = mem_free_device((uint64_t)(uintptr_t)p);
    if (e == cudaErrorInvalidValue)
        e = bad_free("cudaFree", p);
    if (!e && p) /* it waits for the device */
        host_waits(NULL);
    return rt_leave(e);
}

API cudaError_t cudaFreeHost(void *p)
{
    cudaError_t e = rt_enter();
    if (!e && p && !mem_free((uint64_t)(uintptr_t)p, EMU_MEM_PINNED))
        e = bad_free("cudaFreeHost", p);
    return rt_leave(e);
}

API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && (!p || !bytes || flags > 15))
        e = cudaErrorInvalidValue;
    if (!e && !mem_host_mapped(p, bytes))
        e = cudaErrorInvalidValue;
    if (!e && emu_mem_register(rt.emu, p, bytes))
        e = cudaErrorHostMemoryAlreadyRegistered;
    if (!e)
        note(p, EMU_MEM_REGISTERED);
    return rt_leave(e);
}

API cudaError_t cudaHostUnregister(void *p)
{
    cudaError_t e = rt_enter();
    if (!e && !p)
        e = cudaErrorInvalidValue;
    if (!e && !mem_free((uint64_t)(uintptr_t)p, EMU_MEM_REGISTERED))
        e = cudaErrorHostMemoryNotRegistered;
    return rt_leave(e);
}

API cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    cudaError_t e = rt_enter();
    const struct emu_alloc *a = e ? NULL : mem_find(host, 1);
    if (!e && (!out || flags || !a || a->kind == EMU_MEM_DEVICE))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = host;
    return rt_leave(e);
}

API cudaError_t cudaHostGetFlags(unsigned *out, void *host)
{
    cudaError_t e = rt_enter();
    const struct emu_alloc *a = e ? NULL : mem_find(host, 1);
    if (!e && (!out || !a || !is_host_kind(a)))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = cudaHostRegisterMapped;
    return rt_leave(e);
}

API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t e = rt_enter();
    if (!e && (!free_bytes || !total))
        e = cudaErrorInvalidValue;
    if (!e) {
        *free_bytes = (size_t)emu_mem_free_bytes(rt.emu);
        *total = (size_t)rt.props.global_bytes;
    }
    return rt_leave(e);
}

API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)
{
    cudaError_t e = rt_enter();
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e) {
        const struct emu_alloc *a = mem_find(p, 1);
        *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2};
        if (!a) {
            out->hostPointer = (void *)(uintptr_t)p;
        } else {
            out->type = is_host_kind(a)              ? cudaMemoryTypeHost
                        : a->kind == EMU_MEM_MANAGED ? cudaMemoryTypeManaged
                                                     : cudaMemoryTypeDevice;
            out->device = 0;
            out->devicePointer = (void *)(uintptr_t)p;
            out->hostPointer = out->type == cudaMemoryTypeDevice ? NULL : (void *)(uintptr_t)p;
        }
    }
    return rt_leave(e);
}

/* ---- managed memory: hints that change nothing here, checked all the same ---- */
cudaError_t mem_location(const struct cudaMemLocation *where)
{
    if (where->type < cudaMemLocationTypeDevice || where->type > cudaMemLocationTypeHostNumaCurrent)
        return cudaErrorInvalidValue;
    return where->type == cudaMemLocationTypeDevice && where->id ? cudaErrorInvalidDevice : cudaSuccess;
}

static cudaError_t check_managed(const void *p, size_t bytes)
{
    const struct emu_alloc *a = mem_find(p, bytes);
    return bytes && a && a->kind == EMU_MEM_MANAGED ? cudaSuccess : cudaErrorInvalidValue;
}

API cudaError_t cudaMemAdvise(const void *p, size_t bytes, int advice, struct cudaMemLocation where)
{
    cudaError_t e = rt_enter();
    if (!e)
        e = advice >= 1 && advice <= 6 ? check_managed(p, bytes) : cudaErrorInvalidValue;
    if (!e && advice >= cudaMemAdviseSetPreferredLocation && advice != cudaMemAdviseUnsetPreferredLocation)
        e = mem_location(&where);
    return rt_leave(e);
}

API cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, struct cudaMemLocation where, unsigned flags,
                                     cudaStream_t stream)
{
    cudaError_t e = rt_enter();
    if (!e && !stream_find(stream))
        e = cudaErrorInvalidResourceHandle;
    if (!e)
        e = flags ? cudaErrorInvalidValue : check_managed(p, bytes);
    if (!e)
        e = mem_location(&where);
    return rt_leave(e);
}

API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes, unsigned flags)
{
    cudaError_t e = rt_enter();
    if (!e && !stream_find(stream))
        e = cudaErrorInvalidResourceHandle;
    if (!e && (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle))
        e = cudaErrorInvalidValue;
    if (!e)
        e = check_managed(p, bytes ? bytes : 1);
    return rt_leave(e);
}
