/* Reassembles executions of loads from their lines, and counts by load; see prefetch/load_tracker.h. */
#include "l1/prefetch/load_tracker.h"

#include <string.h>

void pf_tracker_init(struct pf_tracker *w, struct l1_host *host)
{
    w->host = host;
}

void pf_tracker_kernel(struct pf_tracker *w)
{
    struct l1_host *host = w->host;
    memset(w, 0, sizeof *w);
    w->host = host;
}

struct pf_load *pf_tracker_load(struct pf_tracker *w, uint32_t pc)
{
    for (uint32_t i = 0; i < w->n_load; i++)
        if (w->load[i].pc == pc)
            return &w->load[i];
    if (w->n_load == PF_LOADS)
        return NULL;
    w->load[w->n_load].pc = pc;
    return &w->load[w->n_load++];
}

const struct pf_exec *pf_tracker_line(struct pf_tracker *w, const struct l1_access *a)
{
    const struct req *r = a->req;
    if (r->space != REQ_SP_GLOBAL || r->warp >= PF_WARPS)
        return NULL;
    struct pf_load *load = pf_tracker_load(w, r->pc);
    /* The L1 marks a line as used after this call. */
    if (load && a->entry >= 0 && w->host->tags->flags[a->entry] & TAG_F_PREFETCHED)
        load->used++;
    struct pf_exec *x = &w->part[r->warp].x;
    uint32_t *seen = &w->part[r->warp].seen;
    if (*seen == 0 || x->pc != r->pc || x->n != r->n_lines) {
        /* The first line of an execution; an earlier one stayed incomplete if some of its lines went elsewhere. */
        *seen = 0;
        *x = (struct pf_exec){.pc = r->pc, .warp = r->warp, .cta = r->cta, .n = r->n_lines};
    }
    if (r->nth < PF_LINES)
        x->addr[r->nth] = r->addr + (r->sectors ? SECTOR_BYTES * (uint32_t)__builtin_ctz(r->sectors) : 0);
    if (r->nth == 0)
        x->byte = r->addr + r->first;
    x->indirect = r->flags & REQ_F_INDIRECT;
    if (++*seen < x->n)
        return NULL;
    *seen = 0;
    if (load)
        load->executions++;
    return x;
}

void pf_prefetch(struct pf_tracker *w, uint64_t addr, uint32_t pc, uint32_t warp, uint32_t cta)
{
    struct pf_load *load = pf_tracker_load(w, pc);
    if (load)
        load->asked++;
    l1_prefetch(w->host, addr, pc, warp, cta);
}

void pf_prefetch_shifted(struct pf_tracker *w, const struct pf_exec *x, int64_t bytes, uint32_t warp, uint32_t cta)
{
    /* Prefetches the line of the shifted first access, and the following lines at the current spacing. */
    for (uint32_t i = 0; i < x->n && i < PF_LINES; i++)
        pf_prefetch(w, (i ? x->addr[i] : x->byte) + (uint64_t)bytes, x->pc, warp, cta);
}

void pf_columns(const struct pf_load *l, struct load_value *out)
{
    out[0] = LOAD_NUMBER(l->executions);
    out[1] = LOAD_NUMBER(l->asked);
    out[2] = LOAD_NUMBER(l->used);
}

const struct load_column pf_load_columns[] = {PF_COLUMNS, LOAD_COLUMN_END};

void pf_report_loads(const void *st, load_row *row, void *ctx)
{
    const struct pf_tracker *w = st;
    for (uint32_t i = 0; i < w->n_load; i++) {
        struct load_value v[PF_COLUMN_COUNT];
        pf_columns(&w->load[i], v);
        row(ctx, w->load[i].pc, v);
    }
}
