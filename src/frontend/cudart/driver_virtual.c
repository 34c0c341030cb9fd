/*
 * Virtual memory management of the driver API: addresses are reserved, memory is created, mapped there and made accessible, each
 * by a call of its own. Memory is an anonymous file, so that it may be mapped at several addresses and outlives each of them;
 * ranges that are mapped and accessible without a gap are one allocation, for copies go across.
 *
 * Left out: memory of the host, protection from writes (read-only is accessible). A process that receives the file of memory
 * simulates a device of its own.
 */
#include "cudart/driver.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct CUmemGenericAllocationHandle_st {
    int file;
    uint32_t users; /* the program's references, and mappings */
    uint64_t bytes;
    CUmemAllocationProp prop;
};
struct mapping {
    uint64_t addr, bytes;
    struct CUmemGenericAllocationHandle_st *memory;
    CUmemAccess_flags access;
};
struct reservation {
    uint64_t addr, bytes;
    struct emu_block block;
    VEC(struct mapping) mapping; /* by address */
};
static VEC(struct reservation) reserved;
static VEC(struct CUmemGenericAllocationHandle_st *) memories;

static bool whole_grains(uint64_t x)
{
    return x && x % EMU_MEM_GRAIN == 0;
}

static struct reservation *reservation_of(uint64_t addr, uint64_t bytes)
{
    for (size_t i = 0; i < reserved.n; i++) {
        struct reservation *r = &reserved.p[i];
        if (addr >= r->addr && addr - r->addr < r->bytes && bytes <= r->bytes - (addr - r->addr))
            return r;
    }
    return NULL;
}

static struct CUmemGenericAllocationHandle_st *memory_of(CUmemGenericAllocationHandle handle)
{
    for (size_t i = 0; i < memories.n; i++)
        if ((uintptr_t)memories.p[i] == handle)
            return memories.p[i];
    return NULL;
}

static void drop(struct CUmemGenericAllocationHandle_st *m)
{
    if (--m->users)
        return;
    for (size_t i = 0; i < memories.n; i++)
        if (memories.p[i] == m)
            memories.p[i] = memories.p[--memories.n];
    emu_mem_discharge(rt.emu, m->bytes);
    close(m->file);
    free(m);
}

/* Makes allocations of what is accessible. */
static void expose(const struct reservation *r)
{
    emu_mem_hide(rt.emu, r->addr, r->bytes);
    for (size_t i = 0, next; i < r->mapping.n; i = next) {
        const struct mapping *m = r->mapping.p;
        uint64_t end = m[i].addr;
        for (next = i; next < r->mapping.n && m[next].access && m[next].addr == end; next++)
            end += m[next].bytes;
        if (next > i)
            emu_mem_expose(rt.emu, m[i].addr, end - m[i].addr);
        else
            next++;
    }
}

/* The mappings that make up [addr, addr + bytes), each whole and without gaps: their first, and how many; 0: they do not. */
static size_t mappings_of(const struct reservation *r, uint64_t addr, uint64_t bytes, size_t *first)
{
    size_t i = 0, n = 0;
    while (i < r->mapping.n && r->mapping.p[i].addr < addr)
        i++;
    *first = i;
    const uint64_t end = addr + bytes;
    for (; i < r->mapping.n && r->mapping.p[i].addr == addr && addr < end; i++, n++)
        addr += r->mapping.p[i].bytes;
    return addr == end ? n : 0;
}

static CUresult bad_location(const CUmemLocation *l)
{
    return l->type != CU_MEM_LOCATION_TYPE_DEVICE ? CUDA_ERROR_NOT_SUPPORTED
           : l->id                                ? CUDA_ERROR_INVALID_DEVICE
                                                  : CUDA_SUCCESS;
}

static CUresult bad_prop(const CUmemAllocationProp *p)
{
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    return p->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ? CUDA_ERROR_NOT_SUPPORTED
                                                                               : bad_location(&p->location);
}

/* ---- addresses ---- */
API CUresult cuMemAddressReserve(CUdeviceptr *p, size_t bytes, size_t alignment, CUdeviceptr wish,
                                 unsigned long long flags)
{
    (void)wish;
    CUresult r = driver_enter_anywhere();
    if (!r && (!p || flags || !whole_grains(bytes) || (alignment & (alignment - 1))))
        r = CUDA_ERROR_INVALID_VALUE;
    struct emu_block block;
    const uint64_t addr = r ? 0 : emu_mem_reserve(rt.emu, bytes, alignment, &block);
    if (!r && !addr)
        r = CUDA_ERROR_OUT_OF_MEMORY;
    if (!r) {
        VEC_PUSH(&reserved, ((struct reservation){.addr = addr, .bytes = bytes, .block = block}));
        *p = addr;
    }
    return driver_leave(r);
}

API CUresult cuMemAddressFree(CUdeviceptr p, size_t bytes)
{
    CUresult r = driver_enter_anywhere();
    struct reservation *at = r ? NULL : reservation_of(p, bytes);
    if (!r && (!at || at->addr != p || at->bytes != bytes || at->mapping.n))
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        VEC_FREE(&at->mapping);
        emu_mem_unreserve(rt.emu, &at->block);
        *at = reserved.p[--reserved.n];
    }
    return driver_leave(r);
}

/* ---- memory ---- */
API CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                                           CUmemAllocationGranularity_flags option)
{
    CUresult r = driver_started();
    r = r                                                                   ? r
        : !bytes || (unsigned)option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED ? CUDA_ERROR_INVALID_VALUE
                                                                            : bad_prop(prop);
    if (!r)
        *bytes = EMU_MEM_GRAIN;
    return r;
}

/* Memory of its own for the file, which it takes; an error closes it. */
static CUresult new_memory(CUmemGenericAllocationHandle *handle, int file, uint64_t bytes,
                           const CUmemAllocationProp *prop)
{
    if (file < 0 || !emu_mem_charge(rt.emu, bytes)) {
        if (file >= 0)
            close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    struct CUmemGenericAllocationHandle_st *m = xmalloc(sizeof *m);
    *m = (struct CUmemGenericAllocationHandle_st){.file = file, .users = 1, .bytes = bytes, .prop = *prop};
    VEC_PUSH(&memories, m);
    *handle = (uintptr_t)m;
    return CUDA_SUCCESS;
}

API CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *prop,
                         unsigned long long flags)
{
    CUresult r = driver_enter_anywhere();
    r = r ? r : !handle || flags || !whole_grains(bytes) ? CUDA_ERROR_INVALID_VALUE : bad_prop(prop);
    if (!r) {
        int file = memfd_create("weir device memory", MFD_CLOEXEC);
        if (file >= 0 && ftruncate(file, (off_t)bytes)) {
            close(file);
            file = -1;
        }
        r = new_memory(handle, file, bytes, prop);
    }
    return driver_leave(r);
}

/* The file, for another process. */
API CUresult cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
                                          CUmemAllocationHandleType type, unsigned long long flags)
{
    CUresult r = driver_enter_anywhere();
    const struct CUmemGenericAllocationHandle_st *m = r ? NULL : memory_of(handle);
    if (!r && (!out || !m || flags))
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r && type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        r = CUDA_ERROR_NOT_SUPPORTED;
    if (!r && !(m->prop.requestedHandleTypes & type))
        r = CUDA_ERROR_INVALID_VALUE;
    const int file = r ? -1 : fcntl(m->file, F_DUPFD_CLOEXEC, 0);
    if (file >= 0)
        *(int *)out = file;
    return driver_leave(!r && file < 0 ? CUDA_ERROR_OUT_OF_MEMORY : r);
}

API CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *os_handle,
                                            CUmemAllocationHandleType type)
{
    CUresult r = driver_enter_anywhere();
    struct stat s;
    if (!r && type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        r = CUDA_ERROR_NOT_SUPPORTED;
    if (!r && (!handle || fstat((int)(uintptr_t)os_handle, &s) || !whole_grains((uint64_t)s.st_size)))
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                          .requestedHandleTypes = type,
                                          .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
        r = new_memory(handle, fcntl((int)(uintptr_t)os_handle, F_DUPFD_CLOEXEC, 0), (uint64_t)s.st_size, &prop);
    }
    return driver_leave(r);
}

API CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CUresult r = driver_enter_anywhere();
    struct CUmemGenericAllocationHandle_st *m = r ? NULL : memory_of(handle);
    if (m)
        drop(m);
    return driver_leave(r ? r : m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    CUresult r = driver_enter_anywhere();
    const struct CUmemGenericAllocationHandle_st *m = r ? NULL : memory_of(handle);
    if (m && prop)
        *prop = m->prop;
    return driver_leave(r ? r : m && prop ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* ---- memory at addresses ---- */
API CUresult cuMemMap(CUdeviceptr p, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                      unsigned long long flags)
{
    CUresult r = driver_enter_anywhere();
    struct CUmemGenericAllocationHandle_st *m = r ? NULL : memory_of(handle);
    struct reservation *at = r ? NULL : reservation_of(p, bytes);
    if (!r && (!m || !at || offset || flags || p % EMU_MEM_GRAIN || bytes != m->bytes))
        r = CUDA_ERROR_INVALID_VALUE;
    size_t i = 0;
    while (!r && i < at->mapping.n && at->mapping.p[i].addr < p)
        i++;
    if (!r && ((i < at->mapping.n && at->mapping.p[i].addr < p + bytes) ||
               (i > 0 && at->mapping.p[i - 1].addr + at->mapping.p[i - 1].bytes > p)))
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r &&
        mmap(PTR(p), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, m->file, 0) == MAP_FAILED)
        r = CUDA_ERROR_OUT_OF_MEMORY;
    if (!r) {
        VEC_PUSH(&at->mapping, (struct mapping){0});
        memmove(at->mapping.p + i + 1, at->mapping.p + i, (at->mapping.n - 1 - i) * sizeof *at->mapping.p);
        at->mapping.p[i] = (struct mapping){.addr = p, .bytes = bytes, .memory = m};
        m->users++;
    }
    return driver_leave(r);
}

API CUresult cuMemUnmap(CUdeviceptr p, size_t bytes)
{
    CUresult r = driver_enter_anywhere();
    struct reservation *at = r ? NULL : reservation_of(p, bytes);
    size_t first = 0, n = at ? mappings_of(at, p, bytes, &first) : 0;
    if (!r && !n)
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        mmap(PTR(p), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        for (size_t i = first; i < first + n; i++) {
            if (rt.check && at->mapping.p[i].access)
                check_free(rt.check, at->mapping.p[i].addr, at->mapping.p[i].bytes);
            drop(at->mapping.p[i].memory);
        }
        at->mapping.n -= n;
        memmove(at->mapping.p + first, at->mapping.p + first + n, (at->mapping.n - first) * sizeof *at->mapping.p);
        expose(at);
    }
    return driver_leave(r);
}

API CUresult cuMemSetAccess(CUdeviceptr p, size_t bytes, const CUmemAccessDesc *desc, size_t n_desc)
{
    CUresult r = driver_enter_anywhere();
    struct reservation *at = r ? NULL : reservation_of(p, bytes);
    size_t first = 0, n = at ? mappings_of(at, p, bytes, &first) : 0;
    if (!r && (!n || !desc || n_desc != 1)) /* there is one device */
        r = CUDA_ERROR_INVALID_VALUE;
    r = r ? r : bad_location(&desc->location);
    if (!r && desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
        desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        r = CUDA_ERROR_INVALID_VALUE;
    if (!r) {
        VEC(struct mapping *) begun = {0};
        for (size_t i = first; i < first + n; i++) {
            struct mapping *m = &at->mapping.p[i];
            if (rt.check && m->access && !desc->flags)
                check_free(rt.check, m->addr, m->bytes);
            if (rt.check && !m->access && desc->flags)
                VEC_PUSH(&begun, m);
            m->access = desc->flags;
        }
        expose(at);
        for (size_t i = 0; i < begun.n; i++)
            check_alloc(rt.check, begun.p[i]->addr, begun.p[i]->bytes, EMU_MEM_MAPPED);
        VEC_FREE(&begun);
    }
    return driver_leave(r);
}

static const struct mapping *mapping_at(uint64_t addr)
{
    const struct reservation *at = reservation_of(addr, 1);
    for (size_t i = 0; at && i < at->mapping.n; i++)
        if (addr - at->mapping.p[i].addr < at->mapping.p[i].bytes)
            return &at->mapping.p[i];
    return NULL;
}

API CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p)
{
    CUresult r = driver_enter_anywhere();
    const struct mapping *m = r ? NULL : mapping_at(p);
    r = r ? r : !flags || !location || !m ? CUDA_ERROR_INVALID_VALUE : bad_location(location);
    if (!r)
        *flags = m->access;
    return driver_leave(r);
}

API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *p)
{
    CUresult r = driver_enter_anywhere();
    const struct mapping *m = r ? NULL : mapping_at((uintptr_t)p);
    if (m && handle) {
        m->memory->users++;
        *handle = (uintptr_t)m->memory;
    }
    return driver_leave(r ? r : m && handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* Used by cudaDeviceReset. */
void virtual_forget_all(void)
{
    while (reserved.n) {
        struct reservation *r = &reserved.p[--reserved.n];
        emu_mem_hide(rt.emu, r->addr, r->bytes);
        mmap(PTR(r->addr), r->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
             -1, 0);
        for (size_t i = 0; i < r->mapping.n; i++)
            drop(r->mapping.p[i].memory);
        VEC_FREE(&r->mapping);
        emu_mem_unreserve(rt.emu, &r->block);
    }
    while (memories.n) {
        memories.p[0]->users = 1;
        drop(memories.p[0]);
    }
}
