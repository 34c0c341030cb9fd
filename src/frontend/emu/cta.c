/*
 * A CTA's context: its warps, its shared and local memory, its special registers, and the stream it leaves.
 *
 * Contexts are reused from CTA to CTA of a launch, and by the next launch of the same kernel (grid.c).
 */
#include "emu/state.h"

#include "emu/access.h"
#include "emu/watch.h"

#include <stdio.h>

enum { CHUNK_BYTES = 1 << 20 }; /* recorded bytes of a CTA before they are sent */

/* ---- contexts of CTAs ---- */

static void fill_row(char *row, uint32_t lane_bytes, uint64_t value)
{
    for (int l = 0; l < EMU_LANES; l++)
        memcpy(row + (size_t)l * lane_bytes, &value, lane_bytes);
}

/*
 * Shared memory that the system keeps for itself in each CTA, where a kernel asks for its place: NVIDIA's cooperative
 * groups have the barriers of tiles of several warps there. A GPU has it in front of the program's, here it is behind.
 */
#define RESERVED_SMEM 1024u

uint32_t emu_cta_reserved(const struct emu_prog *p)
{
    bool wants = false;
    for (uint32_t k = 0; k < p->n_sreg; k++)
        wants |=
            p->sreg[k].sreg >= PTX_SR_RESERVED_SMEM_OFFSET_BEGIN && p->sreg[k].sreg <= PTX_SR_RESERVED_SMEM_OFFSET_1;
    return wants ? RESERVED_SMEM : 0;
}

/* Special registers that differ between the lanes of a warp. `t`: the thread's number in its CTA. */
static bool lane_value(unsigned sreg, uint32_t t, const uint32_t ntid[3], uint32_t *v)
{
    const uint32_t lane = t % EMU_LANES, eq = 1u << lane, lt = eq - 1;
    switch (sreg) {
    case PTX_SR_TID_X:
        return *v = t % ntid[0], true;
    case PTX_SR_TID_Y:
        return *v = t / ntid[0] % ntid[1], true;
    case PTX_SR_TID_Z:
        return *v = t / (ntid[0] * ntid[1]), true;
    case PTX_SR_LANEID:
        return *v = lane, true;
    case PTX_SR_LANEMASK_EQ:
        return *v = eq, true;
    case PTX_SR_LANEMASK_LE:
        return *v = lt | eq, true;
    case PTX_SR_LANEMASK_LT:
        return *v = lt, true;
    case PTX_SR_LANEMASK_GE:
        return *v = ~lt, true;
    case PTX_SR_LANEMASK_GT:
        return *v = ~(lt | eq), true;
    }
    return false;
}

/* Special registers that are the same for every CTA of the launch; those that are not listed are 0. */
static void set_launch_sregs(struct emu_cta *c)
{
    const struct emu_grid *g = c->grid;
    const struct emu_prog *p = g->prog;
    const uint32_t *b = g->launch.block, *n = g->launch.grid, dynamic = g->launch.smem_dynamic_bytes;
    const uint32_t reserved = g->smem_bytes - RESERVED_SMEM;
    enum { ENVREG1 = PTX_SR_COUNT + 1, ENVREG2, END }; /* the address of a cooperative grid's workspace */
    const uint32_t same[END] = {
        [PTX_SR_NTID_X] = b[0],
        [PTX_SR_NTID_Y] = b[1],
        [PTX_SR_NTID_Z] = b[2],
        [PTX_SR_NCTAID_X] = n[0],
        [PTX_SR_NCTAID_Y] = n[1],
        [PTX_SR_NCTAID_Z] = n[2],
        [PTX_SR_NCLUSTERID_X] = n[0] / g->cluster[0],
        [PTX_SR_NCLUSTERID_Y] = n[1] / g->cluster[1],
        [PTX_SR_NCLUSTERID_Z] = n[2] / g->cluster[2],
        [PTX_SR_CLUSTER_NCTAID_X] = g->cluster[0],
        [PTX_SR_CLUSTER_NCTAID_Y] = g->cluster[1],
        [PTX_SR_CLUSTER_NCTAID_Z] = g->cluster[2],
        [PTX_SR_CLUSTER_NCTARANK] = g->n_in_cluster,
        [PTX_SR_NWARPID] = 64,
        [PTX_SR_NSMID] = g->emu->opts.sm_count,
        [PTX_SR_DYNAMIC_SMEM_SIZE] = dynamic,
        [PTX_SR_TOTAL_SMEM_SIZE] = p->smem_static + dynamic,
        [PTX_SR_AGGR_SMEM_SIZE] = g->smem_bytes,
        [PTX_SR_RESERVED_SMEM_OFFSET_BEGIN] = reserved,
        [PTX_SR_RESERVED_SMEM_OFFSET_0] = reserved,
        [PTX_SR_RESERVED_SMEM_OFFSET_1] = reserved + RESERVED_SMEM / 2,
        [PTX_SR_RESERVED_SMEM_OFFSET_CAP] = g->smem_bytes,
        [PTX_SR_RESERVED_SMEM_OFFSET_END] = g->smem_bytes,
        [ENVREG1] = (uint32_t)(g->workspace >> 32),
        [ENVREG2] = (uint32_t)g->workspace,
    };
    for (uint32_t i = 0; i < c->n_warp; i++) {
        for (uint32_t k = 0; k < p->n_sreg; k++) {
            const unsigned sreg = p->sreg[k].sreg;
            char *row = c->warp[i].w.bank[EMU_BANK_SREG] + p->sreg[k].off;
            uint32_t v;
            if (lane_value(sreg, i * EMU_LANES, b, &v))
                for (uint32_t l = 0; l < EMU_LANES; l++)
                    lane_value(sreg, i * EMU_LANES + l, b, (uint32_t *)row + l);
            else if (sreg == PTX_SR_GRIDID || sreg == PTX_SR_CURRENT_GRAPH_EXEC)
                fill_row(row, 8, sreg == PTX_SR_GRIDID ? g->launch_index + 1u : 0);
            else
                fill_row(row, 4, sreg == PTX_SR_WARPID ? i : sreg < END ? same[sreg] : 0);
        }
    }
}

/* Those that say which CTA this is. */
static void set_cta_sregs(struct emu_cta *c)
{
    const struct emu_grid *g = c->grid;
    const struct emu_prog *p = g->prog;
    for (uint32_t k = 0; k < p->n_sreg; k++) {
        uint32_t v;
        switch (p->sreg[k].sreg) {
        case PTX_SR_CTAID_X:
        case PTX_SR_CTAID_Y:
        case PTX_SR_CTAID_Z:
            v = c->ctaid[p->sreg[k].sreg - PTX_SR_CTAID_X];
            break;
        case PTX_SR_CLUSTERID_X:
        case PTX_SR_CLUSTERID_Y:
        case PTX_SR_CLUSTERID_Z: {
            const unsigned d = p->sreg[k].sreg - PTX_SR_CLUSTERID_X;
            v = c->ctaid[d] / g->cluster[d];
            break;
        }
        case PTX_SR_CLUSTER_CTAID_X:
        case PTX_SR_CLUSTER_CTAID_Y:
        case PTX_SR_CLUSTER_CTAID_Z: {
            const unsigned d = p->sreg[k].sreg - PTX_SR_CLUSTER_CTAID_X;
            v = c->ctaid[d] % g->cluster[d];
            break;
        }
        case PTX_SR_CLUSTER_CTARANK:
            v = c->rank;
            break;
        case EMU_SR_SMEM_BASE:
            v = c->smem_base;
            break;
        case PTX_SR_SMID:
            v = (uint32_t)(c->index % g->emu->opts.sm_count);
            break;
        default:
            continue;
        }
        for (uint32_t i = 0; i < c->n_warp; i++)
            fill_row(c->warp[i].w.bank[EMU_BANK_SREG] + p->sreg[k].off, 4, v);
    }
}

struct emu_cta *emu_cta_new(struct emu_grid *g)
{
    struct emu_cta *c = xcalloc(1, sizeof *c);
    c->n_warp = g->n_warp;
    c->smem_bytes = g->smem_bytes;
    c->local_bytes = g->local_bytes;
    c->smem = xaligned((size_t)g->smem_bytes + 64);
    c->warp = xaligned(g->n_warp * sizeof *c->warp);
    for (uint32_t i = 0; i < c->n_warp; i++) {
        struct emu_warp_run *r = &c->warp[i];
        r->w.bank[EMU_BANK_SREG] = xaligned(g->prog->sreg_bytes + 64);
        r->w.index = i;
        if (g->local_bytes)
            r->local = xaligned((size_t)g->local_bytes * EMU_LANES);
        r->local_stride = g->local_bytes;
    }
    return c;
}

void emu_cta_free(struct emu_cta *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->n_warp; i++) {
        struct emu_warp_run *r = &c->warp[i];
        emu_warp_drop(r);
        for (struct emu_fiber *f = r->spare_fibers, *next; f; f = next) {
            next = f->next;
            free(f->path);
            free(f);
        }
        free(r->w.bank[EMU_BANK_SREG]);
        free(r->local);
        stream_enc_free(r->owned_enc);
    }
    VEC_FREE(&c->mbarrier);
    free(c->warp);
    free(c->smem);
    free(c);
}

/* Ties a context to the launch. */
void emu_cta_adopt(struct emu_cta *c, struct emu_grid *g)
{
    c->grid = g;
    for (uint32_t i = 0; i < c->n_warp; i++) {
        struct emu_warp_run *r = &c->warp[i];
        r->w.cta = c;
        r->w.emu = g->emu;
        r->w.bank[EMU_BANK_POOL] = g->prog->pool;
        r->prog = g->prog;
        r->grid = g;
        r->code = g->prog->inst;
        r->cache = g->prog->cache;
        if (g->sink && !r->owned_enc)
            r->owned_enc = stream_enc_new();
        r->enc = g->sink ? r->owned_enc : NULL;
    }
    set_launch_sregs(c);
}

/* CTAs are numbered cluster by cluster; without clusters that is x first, then y, then z. */
static void place(struct emu_cta *c)
{
    const struct emu_grid *g = c->grid;
    uint64_t cluster = c->cluster->index;
    uint32_t rank = c->rank;
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t n = g->launch.grid[d] / g->cluster[d];
        c->ctaid[d] = (uint32_t)(cluster % n) * g->cluster[d] + rank % g->cluster[d];
        cluster /= n;
        rank /= g->cluster[d];
    }
}

void emu_cta_start(struct emu_cta *c, struct emu_cluster *cluster, uint32_t rank)
{
    const struct emu_grid *g = c->grid;
    c->cluster = cluster;
    c->rank = rank;
    c->smem_base = rank << EMU_RANK_AT;
    c->index = cluster->index * cluster->n + rank;
    c->ended = false;
    place(c);
    c->n_done = 0;
    c->live = g->n_thread;
    c->bars_busy = 0;
    c->seq = 0;
    c->mbarrier.n = 0;
    c->insts = c->sent_insts = 0;
    c->wants_ticket = false;
    memset(c->smem, 0, c->smem_bytes);
    set_cta_sregs(c);
    for (uint32_t i = 0; i < c->n_warp; i++) {
        uint32_t left = g->n_thread - i * EMU_LANES;
        emu_warp_start(&c->warp[i], left >= EMU_LANES ? ~0u : (1u << left) - 1);
        if (c->warp[i].enc)
            stream_enc_begin(c->warp[i].enc, g->trace);
    }
    if (g->emu->opts.watch)
        g->emu->opts.watch->cta_begin(g->emu->opts.watch->ctx, c);
}

/* ---- the stream ---- */

/* Sends what the CTA's warps have recorded. CTAs appear in the stream in the order of their numbers. */
int emu_cta_send(struct emu_cta *c, bool last)
{
    struct emu_grid *g = c->grid;
    if (!g->sink)
        return 0;
    if (c->seq == 0 && c->rank > 0 && c->cluster->cta[c->rank - 1]->seq == 0 &&
        emu_cta_send(c->cluster->cta[c->rank - 1], false) < 0)
        return -1;
    g->chunk.len = 0;
    for (uint32_t i = 0; i < c->n_warp; i++) {
        stream_enc_take(c->warp[i].enc, &g->chunk.bytes, &g->chunk.len, &g->chunk.cap);
        g->chunk.end[i] = (uint32_t)g->chunk.len;
    }
    struct stream_chunk k = {
        .cta = c->index,
        .seq = c->seq++,
        .last = last,
        .n_warp = c->n_warp,
        .n_inst = c->insts - c->sent_insts,
        .end = g->chunk.end,
        .bytes = g->chunk.bytes,
    };
    c->sent_insts = c->insts;
    if (g->sink->chunk(g->sink->ctx, g->launch_index, &k) == 0)
        return 0;
    emu_fault_place(g->emu, g->fault, g->prog->func[0].module, &g->prog->func[0], NULL, NULL);
    g->fault->kind = EMU_FAULT_SINK;
    snprintf(g->fault->text, sizeof g->fault->text, "the instruction stream could not be delivered");
    return -1;
}

int emu_cta_send_if_large(struct emu_cta *c)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < c->n_warp; i++)
        bytes += stream_enc_bytes(c->warp[i].enc);
    return bytes > CHUNK_BYTES ? emu_cta_send(c, false) : 0;
}

/* A CTA has ended, or will not continue. */
void emu_cta_count(struct emu_cta *c)
{
    struct emu_stats *s = &c->grid->emu->stats;
    const struct emu_watch *watch = c->grid->emu->opts.watch;
    if (watch)
        watch->cta_end(watch->ctx, c);
    for (uint32_t i = 0; i < c->n_warp; i++) {
        s->warp_insts += c->warp[i].warp_insts;
        s->thread_insts += c->warp[i].thread_insts;
        c->warp[i].warp_insts = c->warp[i].thread_insts = 0;
    }
    s->ctas++;
    if (c->grid->emu->opts.progress)
        *c->grid->emu->opts.progress = s->warp_insts;
}
