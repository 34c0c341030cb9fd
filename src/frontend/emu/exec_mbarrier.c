/*
 * mbarrier: arrival counters in shared memory. Source: PTX ISA 9.0, 9.7.13.15.
 *
 * The 64-bit object is opaque in PTX; weir keeps: bits 0-19 arrivals still missing, 20-39 arrivals of a phase, 40-62
 * the number of completed phases. The state token of an arrival is the object before it. Transaction counts (bulk
 * copies) are left out; asynchronous copies finish when they are issued, so they never hold a phase open.
 */
#include "emu/exec_mem.h"

#include "emu/op_lane.h"

enum { COUNT_BITS = 20 };
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)

static u64 pack(u64 missing, u64 total, u64 phase)
{
    return (missing & COUNT_MASK) | (total & COUNT_MASK) << COUNT_BITS | phase << (2 * COUNT_BITS);
}
static u64 total_of(u64 b)
{
    return b >> COUNT_BITS & COUNT_MASK;
}
static u64 phase_of(u64 b)
{
    return b >> (2 * COUNT_BITS);
}

static bool objects(struct emu_warp *w, const struct emu_inst *in, uint32_t mask, u64 *a)
{
    for (int l = 0; l < EMU_LANES; l++)
        a[l] = emu_lane_address(w, in, l);
    return emu_resolve_lanes(emu_run_of(w), in, mask, in->aux[EMU_AUX_SPACE], a, 8, 8, true);
}

void emu_mbarrier_init(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 a[EMU_LANES];
    if (!objects(w, in, mask, a))
        return;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u64 n = emu_lane_value(w, &in->src[1], l);
        *(u64 *)(uintptr_t)a[l] = pack(n, n, 0);
    }
}

void emu_mbarrier_inval(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 a[EMU_LANES];
    if (!objects(w, in, mask, a))
        return;
    for (u32 m = mask; m; m &= m - 1)
        *(u64 *)(uintptr_t)a[__builtin_ctz(m)] = 0;
}

/* aux OP: 0 arrive, 1 arrival that raised the count itself (cp.async.mbarrier.arrive), 2 arrive_drop */
void emu_mbarrier_arrive(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 a[EMU_LANES];
    if (!objects(w, in, mask, a) || in->aux[EMU_AUX_OP] == 1)
        return;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u64 *at = (u64 *)(uintptr_t)a[l], b = *at;
        u64 n = in->n_src > 1 && in->src[1].lane ? emu_lane_value(w, &in->src[1], l) : 1;
        u64 missing = b & COUNT_MASK, total = total_of(b);
        if (n > missing) {
            emu_raise(w, in, l, EMU_FAULT_BARRIER, "%llu arrivals at an mbarrier that waits for %llu more",
                      (unsigned long long)n, (unsigned long long)missing);
            return;
        }
        if (in->aux[EMU_AUX_OP] == 2)
            total -= n;
        missing -= n;
        *at = missing ? pack(missing, total, phase_of(b)) : pack(total, total, phase_of(b) + 1);
        emu_run_of(w)->grid->changed++;
        if (in->n_dst)
            emu_set_lane(w, &in->dst[0], l, b);
    }
}

/* Has the phase of the token (or of this parity) completed? */
void emu_mbarrier_test(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 a[EMU_LANES];
    u32 yes = 0;
    if (!objects(w, in, mask, a))
        return;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u64 phase = phase_of(*(u64 *)(uintptr_t)a[l]), token = emu_lane_value(w, &in->src[1], l);
        if (in->aux[EMU_AUX_OP] ? (phase & 1) != (token & 1) : phase != phase_of(token))
            yes |= 1u << l;
    }
    emu_dst_pred(w, &in->dst[0], mask, yes);
}

void emu_mbarrier_pending(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        emu_set_lane(w, &in->dst[0], l, emu_lane_value(w, &in->src[0], l) & COUNT_MASK);
    }
}
