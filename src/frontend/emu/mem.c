/*
 * Device memory: one reserved range of this process, an exact-size allocator in it, and the table of what is alive.
 *
 * Every allocation starts at a multiple of 512 bytes, as cudaMalloc's do, and is followed by an unused gap, so that an
 * access past its end is seen even when the next allocation is right behind it. A freed allocation rests in quarantine
 * before its addresses are given out again: a use after free then names the allocation. Its pages go back to the system
 * at once when there are enough of them to matter. The program's own memory (cudaHostRegister) sits in the same table.
 * Addresses depend on the order of allocations alone, so they are the same in every run.
 */
#include "emu/state.h"

#include "base/bits.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK_ALIGN = 512, GUARD_BYTES = 512, RETURN_BYTES = 64 << 10 };
#define QUARANTINE_BYTES (32ull << 20) /* of small allocations, whose pages stay resident meanwhile */
#define QUARANTINE_MAX   8192u         /* allocations */

struct gap {
    uint64_t addr, bytes;
};

struct emu_heap {
    uint64_t base, reserved, top; /* top: never used from here on */
    uint64_t limit, used;         /* what cudaMalloc may give and has given */
    VEC(struct emu_alloc) table;  /* by address; live allocations and those in quarantine */
    VEC(struct gap) gap;          /* by address; free for reuse */
    uint32_t serial;
    uint32_t n_quarantine;
    uint64_t quarantine_bytes;
};

/* What an allocation takes from the range. */
static uint64_t block_span(uint64_t bytes)
{
    return (bytes + GUARD_BYTES + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
}

static bool counts(enum emu_mem_kind kind)
{
    return kind != EMU_MEM_PINNED && kind != EMU_MEM_REGISTERED && kind != EMU_MEM_MODULE && kind != EMU_MEM_MAPPED;
}

struct emu_heap *emu_heap_new(uint64_t bytes, struct err *e)
{
    /* More addresses than memory, so that quarantine and fragmentation cost nothing; less where the system refuses. */
    uint64_t want[] = {bytes + (1ull << 40), 4 * bytes, bytes + (1ull << 30), bytes};
    struct emu_heap *h = xcalloc(1, sizeof *h);
    h->limit = bytes;
    for (unsigned w = 0; w < sizeof want / sizeof *want; w++) {
        uint64_t size = (want[w] + 0xfffff) & ~0xfffffull;
        for (unsigned i = 0; i < 8; i++) {
            /* A second device in the same process, or a busy address, takes the next of a fixed list. */
            void *at = (void *)(EMU_HEAP_BASE + i * 0x040000000000ull);
            void *p = mmap(at, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
            if (p == at) {
                h->base = h->top = (uint64_t)(uintptr_t)p;
                h->reserved = size;
                return h;
            }
            if (p != MAP_FAILED)
                munmap(p, size);
            else if (errno != EEXIST) /* too large: a smaller one at the same address gives the same results */
                break;
        }
    }
    free(h);
    err_set(e, "cannot reserve %llu MiB of address space for device memory: %s", (unsigned long long)(bytes >> 20),
            strerror(errno));
    err_hint(e, "lower the device memory size, or raise the limit of virtual memory (ulimit -v)");
    return NULL;
}

void emu_heap_free(struct emu_heap *h)
{
    if (!h)
        return;
    munmap((void *)(uintptr_t)h->base, h->reserved);
    VEC_FREE(&h->table);
    VEC_FREE(&h->gap);
    free(h);
}

/* Index of the first entry with addr > a. */
static size_t upper(const struct emu_heap *h, uint64_t a)
{
    size_t lo = 0, hi = h->table.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (h->table.p[mid].addr > a)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static void table_insert(struct emu_heap *h, const struct emu_alloc *a)
{
    size_t at = upper(h, a->addr);
    VEC_RESERVE(&h->table, h->table.n + 1);
    memmove(h->table.p + at + 1, h->table.p + at, (h->table.n - at) * sizeof *h->table.p);
    h->table.p[at] = *a;
    h->table.n++;
}

static void table_remove(struct emu_heap *h, size_t at)
{
    memmove(h->table.p + at, h->table.p + at + 1, (h->table.n - at - 1) * sizeof *h->table.p);
    h->table.n--;
}

/* Ends the quarantine: one pass over the table, so its cost spreads over many frees. Neighboring gaps join. */
static void flush_quarantine(struct emu_heap *h)
{
    VEC(struct gap) all = {0};
    size_t keep = 0, g = 0;
    for (size_t i = 0; i < h->table.n; i++) {
        struct emu_alloc a = h->table.p[i];
        if (!a.freed) {
            h->table.p[keep++] = a;
            continue;
        }
        while (g < h->gap.n && h->gap.p[g].addr < a.addr) {
            VEC_PUSH(&all, h->gap.p[g]);
            g++;
        }
        VEC_PUSH(&all, (struct gap){a.addr, block_span(a.bytes)});
    }
    h->table.n = keep;
    for (; g < h->gap.n; g++)
        VEC_PUSH(&all, h->gap.p[g]);
    h->gap.n = 0;
    for (size_t i = 0; i < all.n; i++) {
        struct gap *last = h->gap.n ? &h->gap.p[h->gap.n - 1] : NULL;
        if (last && last->addr + last->bytes == all.p[i].addr)
            last->bytes += all.p[i].bytes;
        else
            VEC_PUSH(&h->gap, all.p[i]);
    }
    VEC_FREE(&all);
    h->n_quarantine = 0;
    h->quarantine_bytes = 0;
}

/* Takes `span` addresses: first fit among the gaps, then the untouched rest. 0 = none. */
static uint64_t take(struct emu_heap *h, uint64_t span)
{
    for (size_t i = 0; i < h->gap.n; i++) {
        struct gap *g = &h->gap.p[i];
        if (g->bytes < span)
            continue;
        uint64_t addr = g->addr;
        g->addr += span;
        g->bytes -= span;
        if (g->bytes == 0) {
            memmove(g, g + 1, (h->gap.n - i - 1) * sizeof *g);
            h->gap.n--;
        }
        return addr;
    }
    if (span > h->base + h->reserved - h->top)
        return 0;
    uint64_t addr = h->top;
    h->top += span;
    return addr;
}

int emu_heap_alloc(struct emu_heap *h, uint64_t bytes, enum emu_mem_kind kind, const char *name, uint64_t *addr)
{
    if (bytes > h->reserved || (counts(kind) && bytes > h->limit - h->used))
        return -1;
    uint64_t span = block_span(bytes);
    uint64_t a = take(h, span);
    if (!a && h->n_quarantine) {
        flush_quarantine(h);
        a = take(h, span);
    }
    if (!a)
        return -1;
    struct emu_alloc e = {.addr = a, .bytes = bytes, .kind = (uint8_t)kind, .serial = ++h->serial, .name = name};
    table_insert(h, &e);
    if (counts(kind))
        h->used += bytes;
    *addr = a;
    return 0;
}

/* Gives the whole pages of a freed allocation back. */
static void return_pages(uint64_t addr, uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t from = (addr + page - 1) / page * page, to = (addr + bytes) / page * page;
    if (to > from)
        madvise((void *)(uintptr_t)from, to - from, MADV_DONTNEED);
}

int emu_heap_release(struct emu_heap *h, uint64_t addr, enum emu_mem_kind kind)
{
    size_t at = upper(h, addr);
    if (at == 0)
        return -1;
    struct emu_alloc *a = &h->table.p[at - 1];
    if (a->addr != addr || a->freed || a->kind != kind)
        return -1;
    if (counts(kind))
        h->used -= a->bytes;
    if (kind == EMU_MEM_REGISTERED) {
        table_remove(h, at - 1);
        return 0;
    }
    a->freed = 1;
    a->name = NULL;
    if (a->bytes >= RETURN_BYTES)
        return_pages(a->addr, a->bytes);
    else
        h->quarantine_bytes += block_span(a->bytes);
    if (++h->n_quarantine > QUARANTINE_MAX || h->quarantine_bytes > QUARANTINE_BYTES)
        flush_quarantine(h);
    return 0;
}

const struct emu_alloc *emu_heap_find(const struct emu_heap *h, uint64_t addr, uint64_t bytes)
{
    size_t at = upper(h, addr);
    if (at == 0)
        return NULL;
    const struct emu_alloc *a = &h->table.p[at - 1];
    if (a->freed || addr - a->addr > a->bytes || bytes > a->bytes - (addr - a->addr))
        return NULL;
    return a;
}

/* ---- the public face ---- */

int emu_mem_alloc(struct emu *emu, uint64_t bytes, enum emu_mem_kind kind, uint64_t *addr)
{
    return emu_heap_alloc(emu->heap, bytes, kind, NULL, addr);
}

bool emu_mem_is_reserved(const struct emu *emu, uint64_t addr, uint64_t bytes)
{
    const struct emu_heap *h = emu->heap;
    return addr < h->base + h->reserved && sat_add(addr, bytes) > h->base;
}

int emu_mem_register(struct emu *emu, void *host, uint64_t bytes)
{
    struct emu_heap *h = emu->heap;
    uint64_t addr = (uint64_t)(uintptr_t)host;
    if (bytes == 0 || addr + bytes < addr || emu_mem_is_reserved(emu, addr, bytes))
        return -1;
    size_t at = upper(h, addr);
    if (at < h->table.n && h->table.p[at].addr < addr + bytes)
        return -1;
    if (at > 0 && h->table.p[at - 1].addr + h->table.p[at - 1].bytes > addr)
        return -1;
    struct emu_alloc e = {.addr = addr, .bytes = bytes, .kind = EMU_MEM_REGISTERED, .serial = ++h->serial};
    table_insert(h, &e);
    return 0;
}

int emu_mem_free(struct emu *emu, uint64_t addr, enum emu_mem_kind kind)
{
    return emu_heap_release(emu->heap, addr, kind);
}

uint64_t emu_mem_reserve(struct emu *emu, uint64_t bytes, uint64_t alignment, struct emu_block *block)
{
    struct emu_heap *h = emu->heap;
    const uint64_t to = alignment > EMU_MEM_GRAIN ? alignment : EMU_MEM_GRAIN;
    block->bytes = sat_add(bytes, sat_add(to, to));
    block->addr = take(h, block->bytes);
    if (!block->addr && h->n_quarantine) {
        flush_quarantine(h);
        block->addr = take(h, block->bytes);
    }
    /* At least a byte before the addresses that are given out, and one behind them, is in no allocation. */
    return block->addr ? (block->addr / to + 1) * to : 0;
}

void emu_mem_unreserve(struct emu *emu, const struct emu_block *block)
{
    struct emu_heap *h = emu->heap;
    struct emu_alloc e = {.addr = block->addr, .bytes = block->bytes - GUARD_BYTES, .kind = EMU_MEM_MAPPED, .freed = 1};
    e.serial = ++h->serial;
    table_insert(h, &e);
    h->n_quarantine++;
}

void emu_mem_expose(struct emu *emu, uint64_t addr, uint64_t bytes)
{
    struct emu_heap *h = emu->heap;
    struct emu_alloc e = {.addr = addr, .bytes = bytes, .kind = EMU_MEM_MAPPED, .serial = ++h->serial};
    table_insert(h, &e);
}

void emu_mem_hide(struct emu *emu, uint64_t addr, uint64_t bytes)
{
    struct emu_heap *h = emu->heap;
    for (size_t at = upper(h, addr + bytes - 1); at > 0 && h->table.p[at - 1].addr >= addr; at--)
        table_remove(h, at - 1);
}

bool emu_mem_charge(struct emu *emu, uint64_t bytes)
{
    struct emu_heap *h = emu->heap;
    if (bytes > h->limit - h->used)
        return false;
    h->used += bytes;
    return true;
}

void emu_mem_discharge(struct emu *emu, uint64_t bytes)
{
    emu->heap->used -= bytes;
}

const struct emu_alloc *emu_mem_find(const struct emu *emu, uint64_t addr, uint64_t bytes)
{
    return emu_heap_find(emu->heap, addr, bytes);
}

static uint64_t distance(const struct emu_alloc *a, uint64_t addr)
{
    if (addr < a->addr)
        return a->addr - addr;
    return addr - a->addr < a->bytes ? 0 : addr - a->addr - a->bytes + 1;
}

const struct emu_alloc *emu_mem_nearest(const struct emu *emu, uint64_t addr)
{
    const struct emu_heap *h = emu->heap;
    size_t at = upper(h, addr);
    const struct emu_alloc *below = at > 0 ? &h->table.p[at - 1] : NULL;
    const struct emu_alloc *above = at < h->table.n ? &h->table.p[at] : NULL;
    if (!below || !above)
        return below ? below : above;
    return distance(above, addr) < distance(below, addr) ? above : below;
}

uint64_t emu_mem_free_bytes(const struct emu *emu)
{
    return emu->heap->limit - emu->heap->used;
}
