/*
 * Builds a machine from its configuration, lets it run, takes samples and answers what it counted; see gpu.h.
 */
#include "gpu/gpu_priv.h"

#include "dram/dram_config.h"
#include "gpu/cta_times.h"
#include "gpu/energy.h"
#include "gpu/launch.h"
#include "gpu/parts.h"
#include "gpu/sampled.h"
#include "l1/l1_config.h"
#include "l2/l2_config.h"
#include "sm/sched/sched.h"
#include "vm/vm_config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define POLL_CYCLES 50000 /* how often a long launch looks at the outside world */

static const struct stat_def gpu_stat_defs[] = {
    STAT_ROW(struct gpu, cycles, "cycles", "core cycles from the first launch to the end of the last"),
    STAT_ROW(struct gpu, launches, "launches", "kernels launched"), STAT_END};

/* ---- building ---- */

static char *name_of(struct gpu *g, const char *fmt, unsigned i)
{
    char text[64];
    int n = snprintf(text, sizeof text, fmt, i);
    return arena_strndup(g->arena, text, (size_t)n);
}

static const void *params_of(const struct gpu *g, const struct policy_kind *kind, unsigned index)
{
    return cfg_policy_params(g->cfg, kind->name, index);
}

static struct l2_setup l2_config_of(const struct gpu *g)
{
    const struct l2_config *l2 = cfg_section(g->cfg, "l2");
    struct l1_setup l1 = l1_setup_of(g->cfg);
    return (struct l2_setup){.cfg = l2,
                             .order_params = params_of(g, &l2_order_kind, l2->order),
                             .line_metadata = l1.management->l2_line_metadata,
                             .bypass_on_stall = l1.management->l2_bypass_on_stall &&
                                                l1.management->l2_bypass_on_stall(l1.management_params)};
}

static struct dram_setup dram_config_of(const struct gpu *g)
{
    const struct l2_config *l2 = cfg_section(g->cfg, "l2");
    return (struct dram_setup){.cfg = cfg_section(g->cfg, "dram"), .input_queue = l2_dram_port_slots(l2)};
}

/* Requests the whole machine can have in flight: each part says how many of its own it can hold. */
static uint32_t max_requests(const struct gpu *g)
{
    struct l1_setup l1 = l1_setup_of(g->cfg);
    struct l2_setup l2 = l2_config_of(g);
    struct dram_setup dram = dram_config_of(g);
    uint64_t n = (uint64_t)g->n_sm * (g->smc->outstanding_requests + l1_max_own_requests(&l1)) +
                 (uint64_t)g->n_slice * l2_max_own_requests(&l2) +
                 (uint64_t)g->memory->channels * dram_max_own_requests(&dram) +
                 vm_max_own_requests(cfg_section(g->cfg, "vm"), g->n_sm);
    return (uint32_t)n;
}

static int build_clocks(struct gpu *g, bool tick_all, unsigned threads, struct err *e)
{
    struct engine_config ec = {.khz = {[CLK_CORE] = g->clock->core / 1000,
                                       [CLK_NOC] = g->clock->noc / 1000,
                                       [CLK_L2] = g->clock->l2 / 1000,
                                       [CLK_DRAM] = g->clock->dram / 1000},
                               .tick_all = tick_all,
                               .threads = threads,
                               .deadlock_cycles = g->machine->deadlock_cycles,
                               .max_requests = max_requests(g)};
    g->eng = engine_new(g->arena, &ec, e);
    return g->eng ? 0 : -1;
}

static uint32_t hops(const void *fabric, uint32_t from, uint32_t to)
{
    return fabric_hops(fabric, from, to);
}

/* The networks, and by what numbers requests name SMs and slices. */
static int build_fabric(struct gpu *g, struct err *e)
{
    const struct l1_organization *organization = l1_setup_of(g->cfg).organization;
    struct noc_setup noc = {.cfg = cfg_section(g->cfg, "noc")};
    struct fabric_env env = {.n_sm = g->n_sm,
                             .n_slice = g->n_slice,
                             .map = &g->map,
                             .core_to_core_for = organization->remote ? organization->info.name : NULL,
                             .ideal = organization->ideal};
    g->fabric = fabric_new(g->eng, &noc, &env, e);
    if (!g->fabric)
        return -1;
    fabric_register_stats(g->fabric, g->stats);
    g->sm_node = arena_alloc(g->arena, g->n_sm * sizeof *g->sm_node);
    g->slice_node = arena_alloc(g->arena, g->n_slice * sizeof *g->slice_node);
    for (unsigned i = 0; i < g->n_sm; i++)
        g->sm_node[i] = fabric_sm_node(i);
    for (unsigned i = 0; i < g->n_slice; i++)
        g->slice_node[i] = fabric_slice_node(g->fabric, i);
    return 0;
}

static int build_memory(struct gpu *g, struct err *e)
{
    const struct memory_config *m = g->memory;
    struct err why;
    err_clear(&why);
    if (addrmap_init(&g->map, m->address_map, (uint32_t)m->interleave, m->channels, m->slices_per_channel, m->hash_bank,
                     m->hash_channel, &why))
        return cfg_fault(g->cfg, "memory.address_map", e, "%s", why.msg);
    const struct l2_config *l2 = cfg_section(g->cfg, "l2");
    g->map.n_partition = (uint8_t)l2->partitions;
    g->map.partition_of_sm = l2->partitions > 1 && l2->partition_of == L2_PARTITION_OF_SM;
    if (build_fabric(g, e))
        return -1;

    struct l2_setup l2c = l2_config_of(g);
    struct dram_setup dram = dram_config_of(g);
    g->l2 = arena_alloc(g->arena, g->n_slice * sizeof *g->l2);
    g->dram = arena_alloc(g->arena, m->channels * sizeof *g->dram);
    for (unsigned c = 0; c < m->channels; c++) {
        struct dram_env env = {.channel = c, .n_client = m->slices_per_channel, .map = &g->map};
        g->dram[c] = dram_new(g->eng, &dram, &env, name_of(g, "dram.%u", c), &why);
        if (!g->dram[c])
            return cfg_fault(
                g->cfg,
                cfg_last_set(g->cfg, (const char *const[]){"dram.banks", "dram.pseudo_channels", "memory.address_map"},
                             3),
                e, "%s", why.msg);
        dram_register_stats(g->dram[c], g->stats);
    }
    for (unsigned i = 0; i < g->n_slice; i++) {
        struct l2_env env = {.slice = i, .n_slice = g->n_slice, .n_sm = g->n_sm, .map = &g->map};
        g->l2[i] = l2_new(g->eng, &l2c, &env, name_of(g, "l2.%u", i), e);
        if (!g->l2[i])
            return -1;
        unsigned c = i / m->slices_per_channel, client = i % m->slices_per_channel;
        fabric_connect_slice(g->fabric, i, l2_in(g->l2[i]));
        l2_connect(g->l2[i], fabric_slice_out(g->fabric, i), dram_in(g->dram[c], client));
        dram_connect(g->dram[c], client, l2_fill_in(g->l2[i]));
        l2_register_stats(g->l2[i], g->stats);
    }
    for (unsigned i = 0; g->map.n_partition > 1 && i < g->n_slice / 2; i++)
        l2_connect_partitions(g->l2[i], g->l2[addrmap_counterpart(&g->map, i)]);
    return 0;
}

static int build_sm(struct gpu *g, unsigned i, const struct l1_setup *l1c, struct l1_observer *observer, struct err *e)
{
    struct l1_env env = {.sm = i,
                         .n_sm = g->n_sm,
                         .n_warp = g->smc->max_warps,
                         .n_cta = g->smc->max_ctas,
                         .max_requests = g->smc->outstanding_requests,
                         .slice_node = g->slice_node,
                         .sm_node = g->sm_node,
                         .map = &g->map,
                         .hops = hops,
                         .hops_ctx = g->fabric,
                         .observer = observer};
    struct l1 *l1 = g->l1[i] = l1_new(g->eng, l1c, &env, name_of(g, "sm.%u.l1", i), e);
    if (!l1)
        return -1;
    struct sm_env senv = {
        .index = i,
        .n_sm = g->n_sm,
        .line_data = (uint32_t)l1c->cache[L1_DATA]->line,
        .line_const = (uint32_t)l1c->cache[l1c->cache[L1_CONST]->enabled ? L1_CONST : L1_DATA]->line,
        .line_tex = (uint32_t)l1c->cache[l1c->cache[L1_TEX]->enabled ? L1_TEX : L1_DATA]->line,
        .sched_params = params_of(g, &sm_sched_kind, g->smc->scheduler),
        .wanted_events = l1_wanted_events(l1),
        .on_load = g->classify ? gpu_loads_see : NULL,
        .on_load_ctx = g->loads,
    };
    struct sm *sm = g->sm[i] = sm_new(g->eng, g->smc, cfg_section(g->cfg, "icache"), &senv, name_of(g, "sm.%u", i), e);
    if (!sm)
        return -1;
    sm_connect(sm, l1_in(l1, L1_DATA), l1c->cache[L1_CONST]->enabled ? l1_in(l1, L1_CONST) : NULL,
               l1c->cache[L1_TEX]->enabled ? l1_in(l1, L1_TEX) : NULL, l1_events(l1), dispatch_done_in(g->dispatch, i));
    l1_connect_sm(l1, sm_hit_in(sm), sm_fill_in(sm), sm_event_in(sm));
    dispatch_connect(g->dispatch, i, sm);

    struct fabric_sm_out out = fabric_sm_out(g->fabric, i);
    if (g->mmu) {
        g->tlb[i] = tlb_new(g->eng, cfg_section(g->cfg, "vm"), i, name_of(g, "sm.%u.tlb", i));
        tlb_connect(g->tlb[i], g->mmu, out.to_l2);
        tlb_register_stats(g->tlb[i], g->stats);
        out.to_l2 = tlb_in(g->tlb[i]);
    }
    l1_connect_net(l1, &(struct l1_net){.to_l2 = out.to_l2, .to_home = out.to_home, .to_requester = out.to_requester});
    fabric_connect_sm(g->fabric, i,
                      &(struct fabric_sm_in){.from_l2 = l1_reply_in(l1),
                                             .from_home = l1_home_reply_in(l1),
                                             .from_sms = l1_request_in(l1)});
    sm_register_stats(sm, g->stats);
    l1_register_stats(l1, g->stats);
    return 0;
}

static int build_sms(struct gpu *g, struct err *e)
{
    struct l1_setup l1c = l1_setup_of(g->cfg);
    const struct vm_config *vm = cfg_section(g->cfg, "vm");
    g->sm = arena_alloc(g->arena, g->n_sm * sizeof *g->sm);
    g->l1 = arena_alloc(g->arena, g->n_sm * sizeof *g->l1);
    if (vm->enabled) {
        g->tlb = arena_alloc(g->arena, g->n_sm * sizeof *g->tlb);
        g->mmu = mmu_new(g->eng, vm, g->n_sm);
        mmu_register_stats(g->mmu, g->stats);
    }
    g->dispatch = dispatch_new(g->eng, &g->props, g->machine->cta_rate, g->machine->cta_from_first,
                               g->smc->cluster_latency / 2, g->smc->cluster_barrier);
    g->carved = arena_alloc(g->arena, g->n_sm * sizeof *g->carved);
    struct err why;
    if (carve_outs_parse(&g->carveouts, l1c.cache[L1_DATA]->carveouts, &why)) {
        cfg_fault(g->cfg, "l1.carveouts", e, "%s", why.msg);
        return err_hint(e, "%s", why.hint[0] ? why.hint : "give the sizes in KiB, as in \"0 8 16 32\"");
    }
    struct l1_observer *observer = l1_config_observer(&l1c, g->n_sm, g->arena, g->stats);
    for (unsigned i = 0; i < g->n_sm; i++)
        if (build_sm(g, i, &l1c, observer, e))
            return -1;
    return 0;
}

/* Whether a policy keeps something of kernels, loads or warps. */
static bool hooked(const struct gpu *g)
{
    return l1_is_hooked(g->l1[0]) || sm_sched_get(g->smc->scheduler)->on_kernel || l2_is_hooked(g->l2[0]);
}

struct gpu *gpu_new(const struct gpu_opts *o, struct err *e)
{
    struct err own;
    e = e ? e : &own;
    struct cfg *cfg = cfg_load(gpu_schema(), o->machine ? o->machine : GPU_DEFAULT, o->set, o->n_set, o->with, e);
    if (!cfg)
        return NULL;
    struct gpu *g = xcalloc(1, sizeof *g);
    g->cfg = cfg;
    g->poll = o->poll;
    g->poll_ctx = o->poll_ctx;
    g->sample_cycles = o->sample_cycles;
    g->profile = o->profile;
    if ((o->profile || o->timeline) && !o->sample_cycles) {
        g->sample_cycles = GPU_PROFILE_FIRST_CYCLES;
        g->max_samples = o->timeline ? GPU_TIMELINE_SAMPLES : GPU_PROFILE_SAMPLES;
    }
    g->arena = arena_new();
    g->stats = stats_new();
    g->machine = cfg_section(cfg, "machine");
    g->clock = cfg_section(cfg, "clock");
    g->memory = cfg_section(cfg, "memory");
    g->smc = cfg_section(cfg, "sm");
    g->n_sm = g->machine->sms;
    g->n_slice = g->memory->channels * g->memory->slices_per_channel;
    gpu_props_of(cfg, &g->props);
    g->classify = o->classify_loads;
    g->ncu_names = o->ncu_names;
    g->loads = gpu_loads_new(g->n_sm, g->classify, e);
    stats_add(g->stats, "", gpu_stat_defs, g);
    if (!g->loads || build_clocks(g, o->tick_all, o->threads, e) || build_memory(g, e) || build_sms(g, e)) {
        gpu_free(g);
        return NULL;
    }
    engine_start(g->eng);
    arena_seal(g->arena);
    if (o->energy && !(g->energy = gpu_energy_open(cfg, g->stats, e))) {
        gpu_free(g);
        return NULL;
    }
    /* Power over time is part of both, where the machine has coefficients that go with its policies. */
    if (!o->energy && (o->profile || o->timeline) && *g->machine->energy)
        g->energy = gpu_energy_open(cfg, g->stats, NULL);
    g->n_value = stats_count(g->stats);
    g->sampling = o->sampled > 0 ? sampling_new(g, o->sampled) : NULL;
    g->read = xcalloc(g->n_value, sizeof *g->read);
    g->delta = xcalloc(g->n_value, sizeof *g->delta);
    g->accounted = xcalloc(g->n_value, sizeof *g->accounted);
    g->sum = xcalloc(g->n_value, sizeof *g->sum);
    g->work = workload_new();
    g->hooked = hooked(g);
    g->at_sample = xcalloc(g->n_value, sizeof *g->at_sample);
    g->next_sample = g->sample_cycles;
    if (o->profile || o->timeline) {
        g->parts = parts_new(g);
        g->parts_at_sample = xcalloc(parts_values(g->parts), sizeof *g->parts_at_sample);
    }
    if (o->timeline) {
        g->ctas = cta_times_new(g->n_sm);
        dispatch_set_watch(g->dispatch, cta_times_watch, g->ctas);
    }
    return g;
}

void gpu_free(struct gpu *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->kernel.n; i++)
        free(g->kernel.p[i].value);
    for (size_t i = 0; i < g->sample.n; i++) {
        free(g->sample.p[i].value);
        free(g->sample.p[i].part);
    }
    parts_free(g->parts);
    free(g->parts_at_sample);
    cta_times_free(g->ctas);
    mmu_free(g->mmu);
    for (size_t i = 0; i < g->prepared.n; i++)
        sm_kernel_free(g->prepared.p[i]);
    for (unsigned i = 0; g->sm && i < g->n_sm; i++)
        sm_free(g->sm[i]);
    VEC_FREE(&g->kernel);
    VEC_FREE(&g->sample);
    VEC_FREE(&g->phase);
    VEC_FREE(&g->prepared);
    VEC_FREE(&g->load);
    VEC_FREE(&g->inst);
    gpu_loads_free(g->loads);
    energy_free(g->energy);
    sampling_free(g->sampling);
    free(g->read);
    free(g->delta);
    free(g->accounted);
    free(g->sum);
    free(g->grid_read);
    free(g->grid_stat_at);
    stats_free(g->grid_stats);
    workload_free(g->work);
    dispatch_free(g->dispatch);
    free(g->at_sample);
    free(g->total);
    if (g->eng)
        engine_free(g->eng);
    stats_free(g->stats);
    arena_free(g->arena);
    cfg_free(g->cfg);
    free(g);
}

/* ---- running ---- */

void gpu_read_stats(struct gpu *g, uint64_t *out)
{
    engine_sync(g->eng);
    g->cycles = engine_cycle(g->eng, CLK_CORE);
    stats_read(g->stats, out);
}

/* Half as many samples, each twice as long. */
static void join_samples(struct gpu *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->sample.n; i += 2, n++) {
        struct gpu_sample s = g->sample.p[i];
        if (i + 1 < g->sample.n) {
            const struct gpu_sample first = s;
            s = g->sample.p[i + 1];
            gpu_add_values(g, s.value, first.value);
            for (unsigned k = 0; s.part && k < parts_values(g->parts); k++)
                s.part[k] += first.part[k];
            free(first.value);
            free(first.part);
        }
        g->sample.p[n] = s;
    }
    g->sample.n = n;
    g->sample_cycles *= 2;
}

/* What single parts have counted since the last sample. */
static uint64_t *take_parts(struct gpu *g)
{
    const unsigned n = parts_values(g->parts);
    uint64_t *now = xmalloc(n * sizeof *now), *delta = g->parts_at_sample;
    parts_read(g->parts, g, now);
    for (unsigned i = 0; i < n; i++)
        delta[i] = now[i] - delta[i];
    g->parts_at_sample = now;
    return delta;
}

void gpu_take_sample(struct gpu *g)
{
    uint64_t *now = xmalloc(g->n_value * sizeof *now), *delta = xmalloc(g->n_value * sizeof *delta);
    gpu_read_stats(g, now);
    stats_delta(g->stats, now, g->at_sample, delta);
    free(g->at_sample);
    g->at_sample = now;
    VEC_PUSH(&g->sample, (struct gpu_sample){.cycle = g->cycles,
                                             .launch = (uint32_t)g->launches - 1,
                                             .value = delta,
                                             .part = g->parts ? take_parts(g) : NULL});
    if (g->max_samples && g->sample.n >= g->max_samples)
        join_samples(g);
}

static enum gpu_end failed(struct gpu *g, struct err *e)
{
    for (unsigned i = 0; i < g->n_sm; i++) {
        uint64_t cta;
        uint32_t warp;
        bool corrupt;
        if (!sm_failed(g->sm[i], &cta, &warp, &corrupt))
            continue;
        if (corrupt)
            err_set(e, "the instruction stream of CTA %" PRIu64 ", warp %u is corrupt", cta, warp);
        return GPU_FAILED;
    }
    return GPU_DONE;
}

enum gpu_end gpu_run(struct gpu *g, uint64_t until, struct err *e)
{
    for (;;) {
        uint64_t now = engine_cycle(g->eng, CLK_CORE), limit = now + POLL_CYCLES;
        if (now >= until)
            return GPU_DONE;
        limit = limit < until ? limit : until;
        if (g->sample_cycles && limit > g->next_sample)
            limit = g->next_sample;
        enum engine_end end = engine_run(g->eng, limit);
        switch (end) {
        case ENGINE_STOPPED:
            return failed(g, e);
        case ENGINE_IDLE:
        case ENGINE_DEADLOCK:
            return GPU_DEADLOCKED;
        case ENGINE_LIMIT:
            break;
        }
        now = engine_cycle(g->eng, CLK_CORE);
        if (g->sample_cycles && now >= g->next_sample) {
            gpu_take_sample(g);
            g->next_sample = now + g->sample_cycles;
        }
        if (g->poll && g->poll(g->poll_ctx, now, gpu_warp_insts(g) + (g->sampling ? g->sampling->skipped_insts : 0)))
            return GPU_INTERRUPTED;
    }
}

uint64_t gpu_warp_insts(const struct gpu *g)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < g->n_sm; i++)
        sum += sm_issued(g->sm[i]);
    return sum;
}

void gpu_event(struct gpu *g, const struct trace_event *ev)
{
    bool writes = ev->kind == TRACE_EV_COPY_H2D || ev->kind == TRACE_EV_COPY_D2D || ev->kind == TRACE_EV_MEMSET;
    if (!writes || !ev->bytes)
        return;
    if (g->memory->copies_preload_l2) {
        l2_preload(g->l2, g->n_slice, ev->address, ev->bytes, ev->kind == TRACE_EV_MEMSET);
        return;
    }
    for (unsigned i = 0; i < g->n_slice; i++)
        l2_invalidate(g->l2[i], ev->address, ev->bytes);
}

static bool all_drained(const struct gpu *g)
{
    bool yes = !g->mmu || mmu_drained(g->mmu);
    for (unsigned i = 0; i < g->n_sm; i++)
        yes &= sm_drained(g->sm[i]) && l1_drained(g->l1[i]) && (!g->tlb || tlb_drained(g->tlb[i]));
    for (unsigned i = 0; i < g->n_slice; i++)
        yes &= l2_drained(g->l2[i]);
    for (unsigned i = 0; i < g->memory->channels; i++)
        yes &= dram_drained(g->dram[i]);
    return yes;
}

int gpu_finish(struct gpu *g, bool complete, struct err *e)
{
    if (complete) {
        /* Dirty lines still in flight to DRAM; nothing waits for them, so their time is not the program's. */
        g->final_cycles = engine_cycle(g->eng, CLK_CORE);
        while (!all_drained(g))
            if (engine_run(g->eng, engine_cycle(g->eng, CLK_CORE) + 1000) != ENGINE_LIMIT)
                break;
        if (!all_drained(g))
            return err_set(e, "requests are still in flight after the last kernel; this is a bug of weir");
    }
    engine_sync(g->eng);
    struct err why;
    err_clear(&why);
    if (engine_check(g->eng, complete, &why) == 0)
        return 0;
    err_set(e, "%s", why.msg);
    return err_hint(e, "%s", why.hint[0] ? why.hint : "this is a bug of weir"); /* else a policy's */
}

/* ---- answers ---- */

uint64_t gpu_cycles(const struct gpu *g)
{
    return g->final_cycles ? g->final_cycles : engine_cycle(g->eng, CLK_CORE);
}

uint64_t gpu_time_ns(const struct gpu *g)
{
    const uint64_t cycles = g->estimated_cycles ? g->estimated_cycles : gpu_cycles(g);
    return (uint64_t)((unsigned __int128)cycles * 1000000000u / g->clock->core);
}

void gpu_report_deadlock(const struct gpu *g, FILE *out)
{
    engine_report_deadlock(g->eng, out);
}

const struct cfg *gpu_config(const struct gpu *g)
{
    return g->cfg;
}

struct phases_of {
    struct gpu *g;
    const char *policy;
    uint32_t sm;
};
static void add_phase(void *ctx, uint64_t cycle, const char *phase)
{
    const struct phases_of *p = ctx;
    VEC_PUSH(&p->g->phase, (struct gpu_phase){p->policy, phase, p->sm, cycle});
}
static void visit_phases(void *ctx, const struct policy_info *info, const void *st)
{
    struct phases_of *p = ctx;
    p->policy = info->name;
    if (info->report_phases)
        info->report_phases(st, add_phase, p);
}

/* By pc: the place of its first operation in scheduled code, which the caller frees; NULL: PTX order. */
static uint32_t *order_of(const struct sm_kernel *k)
{
    const struct trace_code *code = k->op ? k->trace->code : NULL;
    if (!code)
        return NULL;
    uint32_t *order = xmalloc(k->trace->n_inst * sizeof *order), n = 0;
    memset(order, 0xff, k->trace->n_inst * sizeof *order);
    for (uint32_t r = 0; r < code->n_region; r++)
        for (uint32_t i = 0; i < code->region[r].n_op; i++, n++) {
            uint32_t *at = &order[code->op[code->region[r].op + i].pc];
            *at = *at == UINT32_MAX ? n : *at;
        }
    return order;
}

/* By launch; grids that wait for a place may begin in another order. */
static int by_launch(const void *a, const void *b)
{
    const uint32_t x = ((const struct gpu_kernel_result *)a)->launch, y = ((const struct gpu_kernel_result *)b)->launch;
    return (x > y) - (x < y);
}

const struct gpu_results *gpu_get_results(struct gpu *g)
{
    /* The total is what was counted while kernels ran: their sum, unless they overlapped. Draining adds nothing. */
    free(g->total);
    g->total = xcalloc(g->n_value, sizeof *g->total);
    for (size_t k = 0; k < g->kernel.n && !g->overlaps; k++)
        gpu_add_values(g, g->total, g->kernel.p[k].value);
    if (g->overlaps)
        gpu_add_values(g, g->total, g->sum);
    if (g->overlaps)
        qsort(g->kernel.p, g->kernel.n, sizeof *g->kernel.p, by_launch);
    g->load.n = g->inst.n = 0;
    for (size_t p = 0; p < g->prepared.n; p++) {
        struct sm_kernel *k = g->prepared.p[p];
        sm_kernel_sum(k);
        uint32_t *order = k->profile ? order_of(k) : NULL;
        for (uint32_t pc = 0; pc < k->trace->n_inst; pc++) {
            if (k->profile && k->profile[pc].issues)
                VEC_PUSH(&g->inst,
                         (struct gpu_inst_result){k->trace, pc, &k->profile[pc], order ? order[pc] : UINT32_MAX});
            uint32_t m = k->trace->inst[pc].mem_index;
            if (m == UINT32_MAX || !k->load[m].executions)
                continue;
            VEC_PUSH(&g->load, (struct gpu_load_result){.kernel = k->trace,
                                                        .pc = pc,
                                                        .count = &k->load[m],
                                                        .truth = gpu_loads_truth(g->loads, (uint32_t)p, m)});
            gpu_loads_reports(g->loads, (uint32_t)p, m, g->load.p[g->load.n - 1].report);
        }
        free(order);
    }
    g->phase.n = 0;
    for (unsigned i = 0; i < g->n_sm; i++)
        l1_each_policy(g->l1[i], visit_phases, &(struct phases_of){.g = g, .sm = i});
    unsigned n_reporter;
    const struct policy_info *const *reporter = gpu_loads_reporters(g->loads, &n_reporter);
    g->results = (struct gpu_results){.stats = g->stats,
                                      .energy = g->energy,
                                      .sampled = g->estimated_cycles ? &g->sampling->told : NULL,
                                      .total = g->total,
                                      .kernel = g->kernel.p,
                                      .n_kernel = (unsigned)g->kernel.n,
                                      .load = g->load.p,
                                      .n_load = (unsigned)g->load.n,
                                      .inst = g->inst.p,
                                      .n_inst = (unsigned)g->inst.n,
                                      .reporter = reporter,
                                      .n_reporter = n_reporter,
                                      .sample = g->sample.p,
                                      .n_sample = (unsigned)g->sample.n,
                                      .phase = g->phase.p,
                                      .n_phase = (unsigned)g->phase.n};
    return &g->results;
}
