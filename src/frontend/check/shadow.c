/*
 * Shadow memory: a page of stamps per KiB that was touched.
 *
 * A cell covers four bytes until the first narrower access to its page. A page has up to four arrays of cells, made
 * when they are first needed: the last weak write, the last strong one, and the last reads of two warps. A page whose stamps are of an operation
 * that is over for the running one is cleared when it is touched; where the operations overlap, the old stamps stay
 * behind it and are looked at, too.
 */
#include "check/state.h"

enum { FIRST_TOP = 64 };

static size_t cells_bytes(unsigned fine)
{
    return (PAGE_BYTES / 4 * sizeof(uint64_t)) << fine;
}

static uint64_t *cells_take(struct check *c, unsigned fine)
{
    const size_t bytes = cells_bytes(fine);
    if (c->cells[fine].n)
        return memset(c->cells[fine].p[--c->cells[fine].n], 0, bytes);
    if (c->shadow_bytes + bytes > c->shadow_limit) {
        c->full = true;
        return NULL;
    }
    c->shadow_bytes += bytes;
    return xaligned(bytes);
}

static void cells_give(struct check *c, struct page *p)
{
    uint64_t **all[] = {&p->w, &p->a, &p->r0, &p->r1};
    for (int i = 0; i < 4; i++)
        if (*all[i]) {
            VEC_PUSH(&c->cells[p->cell_fine], *all[i]);
            *all[i] = NULL;
        }
}

bool page_cells(struct check *c, struct page *p, uint64_t **which)
{
    if (*which)
        return true;
    *which = cells_take(c, p->cell_fine);
    return *which != NULL;
}

/* Cells become narrower: each of the new ones has the stamp of the old. */
void page_refine(struct check *c, struct page *p, unsigned fine)
{
    if (fine <= p->cell_fine)
        return;
    struct page old = *p;
    p->w = p->a = p->r0 = p->r1 = NULL;
    p->fine = p->cell_fine = (uint8_t)fine;
    const uint64_t *from[] = {old.w, old.a, old.r0, old.r1};
    uint64_t **to[] = {&p->w, &p->a, &p->r0, &p->r1};
    const unsigned by = fine - old.cell_fine;
    for (int k = 0; k < 4; k++)
        if (from[k] && page_cells(c, p, to[k]))
            for (unsigned i = 0; i < (PAGE_BYTES / 4u) << fine; i++)
                (*to[k])[i] = from[k][i >> by];
    cells_give(c, &old);
}

static void drop_older(struct check *c, struct page *p)
{
    while (p->older) {
        struct page *o = p->older;
        p->older = o->older;
        cells_give(c, o);
        free(o);
    }
}

/* The page's stamps are the owner's from now on. */
void page_own(struct check *c, struct page *p, uint64_t owner, struct launch *launch)
{
    if (p->owner == owner)
        return;
    if (launch && p->launch && (p->w || p->a || p->r0) && !host_ordered(c, p->launch)) {
        struct page *o = xmalloc(sizeof *o);
        *o = *p;
        p->older = o;
        p->w = p->a = p->r0 = p->r1 = NULL;
    } else {
        cells_give(c, p);
    }
    for (struct page **at = &p->older; *at;) {
        struct page *o = *at;
        if (host_ordered(c, o->launch)) {
            *at = o->older;
            cells_give(c, o);
            free(o);
        } else {
            at = &o->older;
        }
    }
    p->cell_fine = p->fine;
    p->owner = owner;
    p->launch = launch;
}

void page_drop(struct check *c, struct page *p)
{
    drop_older(c, p);
    cells_give(c, p);
    p->owner = 0;
    p->launch = NULL;
}

static void forget_cells(uint64_t *cells, unsigned fine, uint64_t from, uint64_t to)
{
    const unsigned down = 2 - fine;
    if (cells)
        memset(cells + (from >> down), 0, (((to - 1) >> down) - (from >> down) + 1) * sizeof *cells);
}

void shadow_forget(struct check *c, uint64_t addr, uint64_t bytes)
{
    for (const uint64_t end = addr + bytes; addr < end;) {
        const uint64_t base = addr / PAGE_BYTES * PAGE_BYTES, to = base + PAGE_BYTES < end ? base + PAGE_BYTES : end;
        for (struct page *p = shadow_find(c, addr); p; p = p->older) {
            uint64_t *const all[] = {p->w, p->a, p->r0, p->r1};
            for (int k = 0; k < 4; k++)
                forget_cells(all[k], p->cell_fine, addr - base, to - base);
        }
        addr = to;
    }
}

/* ---- addresses to pages ---- */

static struct top *find_top(const struct check *c, uint64_t key)
{
    if (!c->cap_top)
        return NULL;
    for (size_t i = key * 0x9e3779b97f4a7c15ull >> 32;; i++) {
        struct top *t = &c->top[i & (c->cap_top - 1)];
        if (!t->page || t->key == key)
            return t;
    }
}

static void grow_top(struct check *c)
{
    const struct top *old = c->top;
    const size_t n = c->cap_top;
    c->cap_top = n ? 2 * n : FIRST_TOP;
    c->top = xcalloc(c->cap_top, sizeof *c->top);
    for (size_t i = 0; i < n; i++)
        if (old[i].page)
            *find_top(c, old[i].key) = old[i];
    free((void *)old);
}

struct page *shadow_find(const struct check *c, uint64_t addr)
{
    const uint64_t key = addr >> PAGE_BITS;
    if (c->last_key[key % LAST_PAGES] == key + 1)
        return c->last_page[key % LAST_PAGES];
    const struct top *t = find_top(c, key >> SHADOW_TOP_BITS);
    return t && t->page ? t->page[key & (SHADOW_TOP_PAGES - 1)] : NULL;
}

/* Memory that the host can write, and variables, count as written. */
static void init_page(struct check *c, struct page *p, uint64_t base)
{
    enum { HALF = 512 };
    for (unsigned h = 0; h < PAGE_BYTES / HALF; h++) {
        const uint64_t at = base + h * HALF;
        const struct emu_alloc *a = emu_mem_nearest(c->emu, at);
        const bool here = a && a->addr < at + HALF && a->addr + a->bytes > at;
        if (here && (a->kind == EMU_MEM_DEVICE || a->kind == EMU_MEM_HEAP))
            continue;
        memset(&p->init[h * HALF / 64], 0xff, HALF / 8);
    }
}

struct page *shadow_page(struct check *c, uint64_t addr)
{
    const uint64_t key = addr >> PAGE_BITS;
    if (c->last_key[key % LAST_PAGES] == key + 1)
        return c->last_page[key % LAST_PAGES];
    if (2 * (c->n_top + 1) > c->cap_top)
        grow_top(c);
    struct top *t = find_top(c, key >> SHADOW_TOP_BITS);
    if (!t->page) {
        t->key = key >> SHADOW_TOP_BITS;
        t->page = xcalloc(SHADOW_TOP_PAGES, sizeof *t->page);
        c->n_top++;
    }
    struct page **at = &t->page[key & (SHADOW_TOP_PAGES - 1)];
    if (!*at) {
        *at = xcalloc(1, sizeof **at);
        init_page(c, *at, key << PAGE_BITS);
    }
    c->last_key[key % LAST_PAGES] = key + 1;
    c->last_page[key % LAST_PAGES] = *at;
    return *at;
}

/* ---- bytes that were written ---- */

static void set_bits(uint64_t *bits, unsigned from, unsigned to, bool on)
{
    for (unsigned i = from / 64; i <= (to - 1) / 64; i++) {
        const unsigned lo = i == from / 64 ? from % 64 : 0, hi = i == (to - 1) / 64 ? (to - 1) % 64 : 63;
        const uint64_t m = (~0ull >> (63 - hi + lo)) << lo;
        bits[i] = on ? bits[i] | m : bits[i] & ~m;
    }
}

void init_set(struct check *c, uint64_t addr, uint64_t bytes, bool on)
{
    c->undefinings += !on;
    for (const uint64_t end = addr + bytes; addr < end;) {
        const uint64_t next = (addr / PAGE_BYTES + 1) * PAGE_BYTES, to = next < end ? next : end;
        struct page *p = on ? shadow_page(c, addr) : shadow_find(c, addr);
        if (p)
            set_bits(p->init, (unsigned)(addr % PAGE_BYTES), (unsigned)(to - addr / PAGE_BYTES * PAGE_BYTES), on);
        addr = to;
    }
}
