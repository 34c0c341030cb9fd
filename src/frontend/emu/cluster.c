/*
 * Clusters: their barrier, and addresses of each other's shared memory. Source: PTX ISA 9.1, 9.7.13.4 and 9.7.9.22.
 *
 * A shared::cluster address has the rank of its CTA in bits 24 and up and the offset below; addresses of a CTA's own
 * variables carry its own rank. PTX leaves the layout open; programs that find the peer by flipping bit 24 rely on it.
 */
#include "emu/exec_mem.h"

#include "emu/op_lane.h"
#include "emu/watch.h"

enum { OFFSET_MASK = (1 << EMU_RANK_AT) - 1 };

struct emu_cta *emu_cluster_cta(const struct emu_cta *c, uint64_t address)
{
    const uint64_t rank = (uint32_t)address >> EMU_RANK_AT;
    return rank < c->cluster->n ? c->cluster->cta[rank] : NULL;
}

/* ---- barrier.cluster ---- */

static void complete(struct emu_cluster *k)
{
    const struct emu_watch *watch = k->cta[0]->grid->emu->opts.watch;
    if (watch)
        watch->cluster_complete(watch->ctx, k);
    k->arrived = 0;
    k->needed = k->events;
    k->phase++;
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t j = 0; !k->cta[i]->ended && j < k->cta[i]->n_warp; j++)
            for (struct emu_fiber *f = k->cta[i]->warp[j].fibers; f; f = f->next)
                if (f->state == EMU_WAIT_CLUSTER)
                    f->state = EMU_READY;
    k->cta[0]->grid->changed++;
}

void emu_cluster_exit(struct emu_cta *c, uint32_t threads)
{
    struct emu_cluster *k = c->cluster;
    k->live -= threads;
    if (k->arrived && k->arrived >= k->live)
        complete(k);
}

/* One number for the stream. */
static void tell(struct emu_warp_run *r, const struct emu_inst *in, u64 number)
{
    u64 told[EMU_LANES] = {number};
    emu_record(&r->w, in, TRACE_SP_ASYNC, 1, told);
}

bool emu_cluster_barrier(struct emu_warp_run *r, const struct emu_inst *in, uint32_t mask)
{
    struct emu_cluster *k = r->w.cta->cluster;
    const struct emu_watch *watch = emu_watch_of(&r->w);
    const uint32_t pending = r->cluster_phase == k->phase ? r->cluster_arrived : 0; /* lanes of the present phase */
    if (in->aux[0] == EMU_CLUSTER_ARRIVE) {
        if (pending & mask) {
            emu_raise(&r->w, in, __builtin_ctz(pending & mask), EMU_FAULT_BARRIER,
                      "a second barrier.cluster.arrive of a thread without a barrier.cluster.wait between");
            return true;
        }
        if (watch)
            watch->cluster(watch->ctx, r, in, mask);
        r->cluster_phase = k->phase;
        r->cluster_arrived = pending | mask;
        k->events++;
        tell(r, in, STREAM_MBARRIER_CLUSTER);
        k->arrived += (uint32_t)__builtin_popcount(mask);
        if (k->arrived >= k->live)
            complete(k);
        return false;
    }
    if (!(pending & mask)) {
        if (watch)
            watch->cluster(watch->ctx, r, in, mask);
        tell(r, in, (u64)STREAM_MBARRIER_CLUSTER << 32 | k->needed);
        return false;
    }
    struct emu_fiber *f = r->fiber;
    f->path[f->n - 1].pc = emu_pc_of(r, in); /* it executes when the barrier has opened */
    emu_fiber_split(r);
    f->state = EMU_WAIT_CLUSTER;
    f->mask = mask;
    f->wait = in;
    return true;
}

/* ---- addresses ---- */

/* mapa: the place of a shared variable in the CTA of this rank. src: address, rank; aux OP 1: a generic address. */
void emu_mapa(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    const bool generic = in->aux[EMU_AUX_OP];
    for (u32 m = mask; m; m &= m - 1) {
        const int l = __builtin_ctz(m);
        const u64 a = emu_lane_value(w, &in->src[0], l) + in->imm, rank = emu_lane_value(w, &in->src[1], l);
        if (generic && (a & EMU_WINDOW_MASK) != EMU_SHARED_WINDOW) {
            emu_raise(w, in, l, EMU_FAULT_ILLEGAL_ADDRESS, "mapa of address 0x%llx, which is not in shared memory",
                      (unsigned long long)a);
            return;
        }
        if (rank >= w->cta->cluster->n) {
            emu_raise(w, in, l, EMU_FAULT_ILLEGAL_ADDRESS, "mapa for rank %llu of a cluster of %u blocks",
                      (unsigned long long)rank, w->cta->cluster->n);
            return;
        }
        emu_set_lane(w, &in->dst[0], l, (generic ? EMU_SHARED_WINDOW : 0) | rank << EMU_RANK_AT | (a & OFFSET_MASK));
    }
}

void emu_getctarank(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    for (u32 m = mask; m; m &= m - 1) {
        const int l = __builtin_ctz(m);
        const u64 a = emu_lane_value(w, &in->src[0], l) + in->imm;
        emu_set_lane(w, &in->dst[0], l, (u32)a >> EMU_RANK_AT);
    }
}
