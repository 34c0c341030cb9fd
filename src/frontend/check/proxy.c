/*
 * Shared memory between two proxies: ordinary stores are made through the generic proxy, and wgmma and the tensor
 * memory accelerator read through the asynchronous one. Source: PTX ISA 9.1, memory consistency
 * model, "Proxy"; a fence.proxy.async is needed between a store and such a read.
 *
 * Each 16 bytes of shared memory remember their last store and when it was made; each thread, when it last fenced. A read is
 * reported when neither the thread that stored nor the one that reads has fenced since. Threads between them, whose fence
 * would order the two as well, are left out; so is the other direction, and global memory.
 */
#include "check/state.h"

enum { CHUNK = 16, CTA_THREADS = 1024 };

struct proxy {
    uint64_t now;                 /* counts stores and fences */
    uint64_t fenced[CTA_THREADS]; /* by thread: when */
    struct chunk {
        uint64_t at;
        const struct site *site; /* of the last store; NULL = none, or not through the generic proxy */
        uint32_t thread;
    } chunk[]; /* of shared memory */
};

static struct proxy *proxy_of(struct ccta *a)
{
    if (!a->proxy) {
        a->proxy_bytes = sizeof *a->proxy + (a->cta->smem_bytes / CHUNK + 1) * sizeof *a->proxy->chunk;
        a->proxy = xcalloc(1, a->proxy_bytes);
    }
    return a->proxy;
}

void proxy_clear(struct ccta *a)
{
    if (a->proxy)
        memset(a->proxy, 0, a->proxy_bytes);
}

void proxy_store(struct emu_warp_run *r, const struct site *x, uint32_t mask, const uint64_t *addr, uint32_t bytes)
{
    struct ccta *a = ccta_of(r);
    struct proxy *p = proxy_of(a);
    p->now++;
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctz(m);
        const uint32_t rank = (uint32_t)addr[l] >> EMU_RANK_AT, at = (uint32_t)addr[l] & ((1u << EMU_RANK_AT) - 1);
        if ((rank && rank != a->cta->rank) || at + bytes > a->cta->smem_bytes)
            continue;
        for (uint32_t k = at / CHUNK; k <= (at + bytes - 1) / CHUNK; k++)
            p->chunk[k] = (struct chunk){p->now, x, r->w.index * EMU_LANES + l};
    }
}

void proxy_fence(struct emu_warp_run *r, uint32_t mask)
{
    struct proxy *p = proxy_of(ccta_of(r));
    p->now++;
    for (uint32_t m = mask; m; m &= m - 1)
        p->fenced[r->w.index * EMU_LANES + (unsigned)__builtin_ctz(m)] = p->now;
}

static void tell(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane, const struct chunk *k,
                 uint32_t offset)
{
    struct finding *f;
    const uint64_t index = ccta_of(r)->index;
    if (!finding_new(c, PROXY, site_line(x), site_line(k->site), 0, &f))
        return;
    f->space = PTX_S_SHARED;
    f->addr = offset;
    f->a = end_of(c->launch, x, "async", index, r->w.index * EMU_LANES + lane);
    f->b = end_of(c->launch, k->site, "write", index, k->thread);
    f->where = finding_where(c, PTX_S_SHARED, offset);
    f->advice =
        xasprintf("no fence.proxy.async after the store at %s:%u; it belongs between the stores and the barrier",
                  f->b.file, f->b.line);
    finding_done(c, f);
}

void proxy_async(struct check *c, struct emu_warp_run *r, const struct site *x, unsigned lane, struct ccta *a,
                 uint32_t offset, uint32_t bytes, bool writes)
{
    struct proxy *p = proxy_of(a);
    const uint64_t reader = p->fenced[r->w.index * EMU_LANES + lane];
    for (uint32_t k = offset / CHUNK; k <= (offset + bytes - 1) / CHUNK; k++) {
        struct chunk *at = &p->chunk[k];
        if (writes)
            at->site = NULL;
        else if (at->site && reader < at->at && p->fenced[at->thread] < at->at)
            tell(c, r, x, lane, at, k * CHUNK);
    }
}
