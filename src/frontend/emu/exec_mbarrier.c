/*
 * mbarrier: arrival and transaction counters in shared memory. Source: PTX ISA 9.1, 9.7.13.15.
 *
 * The 64-bit object is opaque in PTX; weir keeps: bits 0-19 arrivals still missing, 20-39 arrivals of a phase, 40-60 the
 * transaction count (bytes that are expected and have not arrived; negative when they arrived first), 61-63 the number of
 * completed phases. A phase completes when both counts are 0. The state token of an arrival is the object before it.
 *
 * Asynchronous copies finish when they are issued, so cp.async never holds a phase open, and a bulk copy's bytes are
 * counted at once. try_wait suspends its lanes until the phase completes (run.c); test_wait never waits.
 */
#include "emu/exec_mem.h"

#include "emu/op_lane.h"

enum { COUNT_BITS = 20, TX_BITS = 21, TX_AT = 2 * COUNT_BITS, PHASE_AT = TX_AT + TX_BITS };
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)
#define TX_MASK    ((1ull << TX_BITS) - 1)

static u64 missing_of(u64 b)
{
    return b & COUNT_MASK;
}
static u64 total_of(u64 b)
{
    return b >> COUNT_BITS & COUNT_MASK;
}
static s64 tx_of(u64 b)
{
    return (s64)(b << (64 - PHASE_AT)) >> (64 - TX_BITS);
}
static u64 phase_of(u64 b)
{
    return b >> PHASE_AT;
}

/* Packs the counts; a phase that is complete by them makes room for the next one. */
static u64 settle(u64 missing, u64 total, s64 tx, u64 phase)
{
    if (!missing && !tx) {
        missing = total;
        phase++;
    }
    return (missing & COUNT_MASK) | (total & COUNT_MASK) << COUNT_BITS | ((u64)tx & TX_MASK) << TX_AT |
           phase << PHASE_AT;
}

uint32_t emu_mbarrier_phase(const void *object)
{
    return (uint32_t)phase_of(*(const u64 *)object);
}

/* ---- what the stream says of them ---- */

/* The CTA of the cluster that has the object. */
static struct emu_cta *owner_of(struct emu_cta *c, const void *object)
{
    const struct emu_cluster *k = c->cluster;
    for (uint32_t i = 0; i < k->n; i++)
        if ((const char *)object >= k->cta[i]->smem && (const char *)object < k->cta[i]->smem + k->cta[i]->smem_bytes)
            return k->cta[i];
    return c; /* in no shared memory: the instruction has been refused */
}

uint32_t emu_mbarrier_number(struct emu_warp *w, const void *object)
{
    return (uint32_t)((const char *)object - owner_of(w->cta, object)->smem) / 8;
}

static struct emu_mbarrier_count *count_of(struct emu_warp *w, const void *object)
{
    struct emu_cta *c = owner_of(w->cta, object);
    const uint32_t number = emu_mbarrier_number(w, object);
    for (size_t i = 0; i < c->mbarrier.n; i++)
        if (c->mbarrier.p[i].number == number)
            return &c->mbarrier.p[i];
    VEC_PUSH(&c->mbarrier, (struct emu_mbarrier_count){.number = number});
    return &c->mbarrier.p[c->mbarrier.n - 1];
}

/* Writes the object's new value, after so many arrivals and copies. */
static void put(struct emu_warp *w, u64 *at, u64 now, u32 events)
{
    if (emu_recording(w)) {
        struct emu_mbarrier_count *m = count_of(w, at);
        m->events += events;
        if (phase_of(now) != phase_of(*at))
            m->needed = m->events;
    }
    *at = now;
    emu_run_of(w)->grid->changed++;
}

/* ---- counting ---- */

static bool objects(struct emu_warp *w, const struct emu_inst *in, uint32_t mask, u64 *a)
{
    for (int l = 0; l < EMU_LANES; l++)
        a[l] = emu_lane_address(w, in, l);
    return emu_resolve_lanes(emu_run_of(w), in, mask, in->aux[EMU_AUX_SPACE], a, 8, 8, false);
}

void emu_mbarrier_init(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 a[EMU_LANES];
    if (!objects(w, in, mask, a))
        return;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u64 n = emu_lane_value(w, &in->src[1], l);
        if (!n || n > COUNT_MASK) {
            emu_raise(w, in, l, EMU_FAULT_BARRIER, "an mbarrier for %llu arrivals; it counts 1 to %llu",
                      (unsigned long long)n, (unsigned long long)COUNT_MASK);
            return;
        }
        *(u64 *)(uintptr_t)a[l] = settle(n, n, 0, 0);
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

bool emu_mbarrier_add_tx(struct emu_warp *w, const struct emu_inst *in, int lane, void *object, int64_t bytes,
                         uint32_t events)
{
    u64 *at = object, b = *at;
    const s64 tx = tx_of(b) + bytes;
    if (!total_of(b)) {
        emu_raise(w, in, lane, EMU_FAULT_BARRIER, "the mbarrier is not initialized");
        return false;
    }
    if (tx <= -(s64)(TX_MASK / 2 + 1) || tx > (s64)(TX_MASK / 2)) {
        emu_raise(w, in, lane, EMU_FAULT_BARRIER, "a transaction count of %lld bytes at an mbarrier; it holds %llu",
                  (long long)tx, (unsigned long long)(TX_MASK / 2));
        return false;
    }
    put(w, at, settle(missing_of(b), total_of(b), tx, phase_of(b)), events);
    return true;
}

/* One lane's arrival, of which aux says what it is; `expect` bytes are expected first. */
static bool arrive(struct emu_warp *w, const struct emu_inst *in, int l, u64 *at, u64 n, u64 expect)
{
    if (expect && !emu_mbarrier_add_tx(w, in, l, at, (s64)expect, 0))
        return false;
    const u64 b = *at, missing = missing_of(b);
    u64 total = total_of(b);
    if (n > missing) {
        emu_raise(w, in, l, EMU_FAULT_BARRIER, "%llu arrivals at an mbarrier that waits for %llu more",
                  (unsigned long long)n, (unsigned long long)missing);
        return false;
    }
    if (in->aux[EMU_AUX_OP] == EMU_ARRIVE_DROP)
        total -= n;
    put(w, at, settle(missing - n, total, tx_of(b), phase_of(b)), 1);
    return true;
}

/*
 * Lanes whose barrier is of a CTA of the cluster that is still there. On a GPU CTAs of a cluster end at much the same
 * time, so programs get away with an arrival at the end that nobody waits for; here one CTA may be far ahead.
 */
static u32 without_exited(struct emu_warp *w, const struct emu_inst *in, u32 mask)
{
    for (u32 m = in->aux[EMU_AUX_SPACE] == PTX_S_SHARED_CLUSTER ? mask : 0; m; m &= m - 1) {
        const int l = __builtin_ctz(m);
        const struct emu_cta *c = emu_cluster_cta(w->cta, emu_lane_address(w, in, l));
        if (!c || c->live)
            continue;
        emu_remark(w, in, l, EMU_FAULT_UNDEFINED,
                   "an arrival at an mbarrier of the cluster's CTA %u, which has exited, is lost; a cluster barrier at "
                   "the end of the kernel keeps the CTA",
                   c->rank);
        mask &= ~(1u << l);
    }
    return mask;
}

void emu_mbarrier_arrive(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 a[EMU_LANES], told[EMU_LANES] = {0};
    const u32 all = mask;
    mask = without_exited(w, in, all);
    if (mask && !objects(w, in, mask, a))
        return;
    for (u32 m = all & ~mask; m; m &= m - 1)
        told[__builtin_ctz(m)] = STREAM_MBARRIER_LOST;
    for (u32 m = emu_recording(w) ? mask : 0; m; m &= m - 1) {
        const int l = __builtin_ctz(m);
        const void *object = (const void *)(uintptr_t)a[l];
        const struct emu_cta *c = owner_of(w->cta, object);
        told[l] = STREAM_MBARRIER(c == w->cta ? 0 : c->rank + 1, emu_mbarrier_number(w, object));
    }
    emu_record(w, in, TRACE_SP_ASYNC, all, told);
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u64 *at = (u64 *)(uintptr_t)a[l], b = *at;
        if (in->aux[EMU_AUX_OP] == EMU_ARRIVE_COUNTED) { /* it raised the count itself: nothing changes */
            put(w, at, b, 1);
            continue;
        }
        u64 value = in->n_src > 1 && in->src[1].lane ? emu_lane_value(w, &in->src[1], l) : 1;
        bool expects = in->aux[EMU_AUX_OP] == EMU_ARRIVE_EXPECT_TX;
        if (!arrive(w, in, l, at, expects ? 1 : value, expects ? value : 0))
            return;
        if (in->n_dst)
            emu_set_lane(w, &in->dst[0], l, b);
    }
}

/* expect_tx, and complete_tx, which only pretends that a copy has completed: aux OP 1. */
void emu_mbarrier_tx(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 a[EMU_LANES];
    if (!objects(w, in, mask, a))
        return;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        s64 bytes = (s64)emu_lane_value(w, &in->src[1], l);
        if (!emu_mbarrier_add_tx(w, in, l, (void *)(uintptr_t)a[l], in->aux[EMU_AUX_OP] ? -bytes : bytes, 0))
            return;
    }
}

/* ---- waiting ---- */

/* Has the phase of the token (or of this parity) completed? */
static bool completed(u64 object, u64 token, bool parity)
{
    return parity ? (phase_of(object) & 1) != (token & 1) : phase_of(object) != phase_of(token);
}

bool emu_mbarrier_ready(const struct emu_mbarrier_wait *wait)
{
    return completed(*(const u64 *)wait->object, wait->token, wait->parity);
}

bool emu_mbarrier_must_wait(struct emu_warp *w, const struct emu_inst *in, uint32_t mask,
                            struct emu_mbarrier_wait *wait)
{
    u64 a[EMU_LANES];
    if (!objects(w, in, mask, a))
        return false;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        *wait = (struct emu_mbarrier_wait){
            .object = (const void *)(uintptr_t)a[l],
            .token = emu_lane_value(w, &in->src[1], l),
            .parity = in->aux[EMU_AUX_OP],
            .lane = (uint8_t)l,
        };
        if (!emu_mbarrier_ready(wait))
            return true;
    }
    return false;
}

void emu_mbarrier_test(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    u64 a[EMU_LANES], told[EMU_LANES] = {0};
    u32 yes = 0;
    if (!objects(w, in, mask, a))
        return;
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        if (!completed(*(u64 *)(uintptr_t)a[l], emu_lane_value(w, &in->src[1], l), in->aux[EMU_AUX_OP]))
            continue;
        yes |= 1u << l;
        if (!emu_recording(w))
            continue;
        const struct emu_mbarrier_count *count = count_of(w, (const void *)(uintptr_t)a[l]);
        told[0] = (u64)count->number << 32 | count->needed;
    }
    emu_record(w, in, TRACE_SP_ASYNC, 1, told);
    emu_dst_pred(w, &in->dst[0], mask, yes);
}

void emu_mbarrier_pending(struct emu_warp *w, const struct emu_inst *in, uint32_t mask)
{
    for (u32 m = mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        emu_set_lane(w, &in->dst[0], l, missing_of(emu_lane_value(w, &in->src[0], l)));
    }
}

void emu_mbarrier_describe(const struct emu_mbarrier_wait *wait, char *out, size_t cap)
{
    const u64 b = *(const u64 *)wait->object;
    const long long tx = (long long)tx_of(b);
    int n = snprintf(out, cap, "it has completed %llu phases (modulo 8)", (unsigned long long)phase_of(b));
    if (n > 0 && (size_t)n < cap && missing_of(b))
        n += snprintf(out + n, cap - (size_t)n, ", waits for %llu of %llu arrivals", (unsigned long long)missing_of(b),
                      (unsigned long long)total_of(b));
    if (n > 0 && (size_t)n < cap && tx > 0)
        snprintf(out + n, cap - (size_t)n, "%s %lld bytes that no copy has brought",
                 missing_of(b) ? " and for" : ", waits for", tx);
    else if (n > 0 && (size_t)n < cap && tx < 0)
        snprintf(out + n, cap - (size_t)n, " and has %lld bytes that nobody expected (expect_tx)", -tx);
}
