/*
 * Launches on the machine: how a grid takes its place, and which statistics are whose.
 *
 * Statistics are read whenever a grid begins or ends, and what was counted since belongs to the grid that ran. While
 * several run, what their warps do (instructions, accesses and the replies to them) is counted by grid; everything else
 * (cycles, stalls, caches, networks, DRAM) is the whole machine's, and each of the grids gets all of it.
 *
 * A grid that begins on an idle machine finds SMs and L1s as the first one did. While others run, the SMs keep how they
 * divide L1 and shared memory; those that are idle when a grid begins or ends take over what the next grid wants.
 */
#include "gpu/launch.h"

#include "gpu/cta_times.h"
#include "gpu/parts.h"
#include "gpu/sampled.h"
#include "l1/l1_config.h"
#include "l2/l2_config.h"

#include <string.h>

/* The kernel's index in g->prepared. */
static size_t prepare(struct gpu *g, const struct trace_kernel *k)
{
    for (size_t i = 0; i < g->prepared.n; i++)
        if (g->prepared.p[i]->trace == k)
            return i;
    VEC_PUSH(&g->prepared, sm_kernel_new(k, g->smc, g->eng->n_worker));
    if (g->profile)
        sm_kernel_profile(g->prepared.p[g->prepared.n - 1]);
    return g->prepared.n - 1;
}

static int does_not_fit(const struct gpu *g, const struct trace_kernel *k, const struct trace_launch *l,
                        enum device_limit limit, struct err *e)
{
    static const char *const why[] = {[DEVICE_LIMIT_CTAS] = "CTAs",
                                      [DEVICE_LIMIT_WARPS] = "warps",
                                      [DEVICE_LIMIT_REGS] = "registers",
                                      [DEVICE_LIMIT_SMEM] = "shared memory",
                                      [DEVICE_LIMIT_BLOCK] = "the per-CTA limit"};
    err_set(
        e,
        "kernel %s does not fit on an SM of %s: %u threads x %u registers and %u bytes of shared memory exceed its %s",
        k->name, cfg_machine(g->cfg), trace_threads_per_cta(l), k->regs_per_thread,
        k->smem_static_bytes + l->smem_dynamic_bytes, why[limit]);
    return err_hint(e, "choose another machine, or raise sm.regfile, sm.smem_per_cta or sm.max_threads_per_cta");
}

/* What keeps further CTAs off an SM. */
static const char *limiter_of(const struct gpu *g, const struct trace_launch *l, uint32_t per_sm,
                              enum device_limit limit)
{
    static const char *const name[] = {[DEVICE_LIMIT_CTAS] = "ctas",
                                       [DEVICE_LIMIT_WARPS] = "warps",
                                       [DEVICE_LIMIT_REGS] = "registers",
                                       [DEVICE_LIMIT_SMEM] = "shared_memory",
                                       [DEVICE_LIMIT_BLOCK] = "block"};
    return trace_ctas(l) < (uint64_t)per_sm * g->n_sm ? "grid" : name[limit];
}

/* Every instance of every policy of the machine. */
static void each_policy(struct gpu *g, policy_visit *fn, void *ctx)
{
    for (unsigned i = 0; i < g->n_sm; i++) {
        sm_each_policy(g->sm[i], fn, ctx);
        l1_each_policy(g->l1[i], fn, ctx);
    }
    for (unsigned i = 0; i < g->n_slice; i++)
        l2_each_policy(g->l2[i], fn, ctx);
}

/* How the launch's CTAs occupy the SMs. -1: they do not fit. */
static int place_of(const struct gpu *g, const struct trace_kernel *k, const struct trace_launch *l, uint32_t number,
                    struct gpu_kernel_result *r, struct err *e)
{
    enum device_limit limit;
    const uint32_t registers = device_kernel_regs(&g->props, k->regs_per_thread, k->max_threads_per_cta);
    const uint32_t per_sm = device_occupancy(&g->props, trace_threads_per_cta(l), registers,
                                             (uint64_t)k->smem_static_bytes + l->smem_dynamic_bytes, &limit);
    if (!per_sm)
        return does_not_fit(g, k, l, limit, e);
    const uint32_t cluster = l->cluster_ctas ? l->cluster_ctas : 1;
    if (!device_clusters(&g->props, per_sm, cluster))
        return err_set(e, "kernel %s: a cluster of %u CTAs does not fit on a GPC of %s, where an SM holds %u of them",
                       k->name, cluster, cfg_machine(g->cfg), per_sm);
    *r = (struct gpu_kernel_result){.launch = number,
                                    .kernel = k,
                                    .shape = *l,
                                    .ctas_per_sm = per_sm,
                                    .registers = registers,
                                    .occupancy = (double)(per_sm * trace_warps_per_cta(l)) / g->props.max_warps_per_sm,
                                    .limiter = limiter_of(g, l, per_sm, limit),
                                    .start_cycle = engine_cycle(g->eng, CLK_CORE),
                                    .simulated = 1};
    return 0;
}

int gpu_skip_launch(struct gpu *g, const struct trace_kernel *k, const struct trace_launch *l, struct err *e)
{
    struct gpu_kernel_result r;
    if (place_of(g, k, l, (uint32_t)g->launches, &r, e))
        return -1;
    r.value = xcalloc(g->n_value, sizeof *r.value);
    r.simulated = 0;
    VEC_PUSH(&g->kernel, r);
    g->launches++;
    return 0;
}

/* ---- whose statistics ---- */

/* Which of the machine's statistics are counted by grid, and where. */
static void find_counts(struct gpu *g)
{
    if (g->grid_stats)
        return;
    g->grid_stats = stats_new();
    stats_add(g->grid_stats, "", sm_top_stat_defs, &g->grid_count);
    stats_add(g->grid_stats, "sm", sm_stat_defs, &g->grid_count);
    g->grid_stat_at = xmalloc(g->n_value * sizeof *g->grid_stat_at);
    g->grid_read = xcalloc(stats_count(g->grid_stats), sizeof *g->grid_read);
    for (unsigned i = 0; i < g->n_value; i++) {
        const int at = stats_find(g->grid_stats, stats_name(g->stats, i)->name);
        g->grid_stat_at[i] = at >= 0 && sm_stat_of_grid(stats_name(g->grid_stats, (unsigned)at)->def) ? at : -1;
    }
}

static void add_value(const struct gpu *g, uint64_t *sum, unsigned i, uint64_t value)
{
    if (stats_name(g->stats, i)->def->kind == STAT_MAX)
        sum[i] = value > sum[i] ? value : sum[i];
    else
        sum[i] += value;
}

void gpu_add_values(const struct gpu *g, uint64_t *sum, const uint64_t *value)
{
    for (unsigned i = 0; i < g->n_value; i++)
        add_value(g, sum, i, value[i]);
}

/* What the grid's warps did, and what the machine did meanwhile. */
static void add_shared(struct gpu *g, unsigned place, const uint64_t *delta)
{
    uint64_t *sum = g->kernel.p[g->grid[place].result].value;
    memset(&g->grid_count, 0, sizeof g->grid_count);
    for (unsigned i = 0; i < g->n_sm; i++)
        sm_grid_take(g->sm[i], place, &g->grid_count);
    stats_read(g->grid_stats, g->grid_read);
    for (unsigned i = 0; i < g->n_value; i++)
        add_value(g, sum, i, g->grid_stat_at[i] >= 0 ? g->grid_read[g->grid_stat_at[i]] : delta[i]);
    g->kernel.p[g->grid[place].result].overlapped += engine_cycle(g->eng, CLK_CORE) - g->accounted_at;
}

/* What has been counted since the last call goes to the grids that run. */
static void account(struct gpu *g)
{
    uint64_t *now = g->read, *delta = g->delta;
    gpu_read_stats(g, now);
    stats_delta(g->stats, now, g->accounted, delta);
    if (g->n_grid)
        gpu_add_values(g, g->sum, delta);
    for (unsigned i = 0; i < SM_GRIDS && g->n_grid; i++) {
        if (!g->grid[i].used)
            continue;
        if (g->n_grid == 1)
            gpu_add_values(g, g->kernel.p[g->grid[i].result].value, delta);
        else
            add_shared(g, i, delta);
    }
    g->read = g->accounted;
    g->accounted = now;
    g->accounted_at = g->cycles;
}

/* Counts by grid when there are several. */
static void count_apart(struct gpu *g, bool apart)
{
    find_counts(g);
    for (unsigned place = 0; place < SM_GRIDS; place++)
        for (unsigned i = 0; i < g->n_sm && g->grid[place].used; i++)
            sm_grid_apart(g->sm[i], place, apart);
}

/* ---- beginning and end ---- */

/* Idle SMs divide their L1 as the next grid wants. */
static void carve_out(struct gpu *g)
{
    const int next = dispatch_waiting(g->dispatch);
    for (unsigned i = 0; i < g->n_sm && next >= 0 && g->carveouts.n; i++)
        if (g->carved[i] != g->grid[next].carveout && dispatch_idle(g->dispatch, i)) {
            l1_kernel_end(g->l1[i]);
            l1_carve_out(g->l1[i], g->grid[next].carveout);
            dispatch_set_smem(g->dispatch, i, g->grid[next].carveout);
            g->carved[i] = g->grid[next].carveout;
        }
}

static uint32_t round_up(uint64_t v, uint32_t unit)
{
    return unit ? (uint32_t)((v + unit - 1) / unit * unit) : (uint32_t)v;
}

int grid_begin(struct gpu *g, const struct trace_kernel *k, const struct trace_launch *l, uint32_t number,
               int32_t priority, const struct sm_streams *source, struct err *e)
{
    struct gpu_kernel_result r;
    if (place_of(g, k, l, number, &r, e))
        return -1;
    unsigned place = 0;
    while (g->grid[place].used)
        place++;
    account(g);
    const size_t kernel = prepare(g, k);
    const uint64_t smem = (uint64_t)k->smem_static_bytes + l->smem_dynamic_bytes;
    struct gpu_grid *grid = &g->grid[place];
    *grid = (struct gpu_grid){.used = true,
                              .result = g->kernel.n,
                              .carveout = carveout(&g->carveouts, smem, r.ctas_per_sm, g->props.smem_reserved_per_block,
                                                   g->props.smem_alloc_unit)};
    r.value = xcalloc(g->n_value, sizeof *r.value);
    VEC_PUSH(&g->kernel, r);
    gpu_loads_begin(g->loads, (uint32_t)kernel, k);
    for (unsigned i = 0; i < g->n_sm; i++) {
        sm_grid_begin(g->sm[i], place, g->prepared.p[kernel], l, number, source);
        if (!g->n_grid) {
            l1_carve_out(g->l1[i], grid->carveout);
            dispatch_set_smem(g->dispatch, i, g->carveouts.n ? grid->carveout : g->props.smem_per_sm);
            g->carved[i] = grid->carveout;
        }
        l1_set_kernel(g->l1[i], (uint32_t)kernel);
        l1_kernel_begin(g->l1[i], number);
    }
    for (unsigned i = 0; i < g->n_slice; i++)
        l2_kernel_begin(g->l2[i], number);
    g->launches++;
    if (++g->n_grid > 1) {
        g->overlaps = true;
        count_apart(g, true);
    }
    const uint32_t warps = trace_warps_per_cta(l);
    if (trace_ctas(l))
        dispatch_start(
            g->dispatch, place,
            &(struct dispatch_grid){
                .n_cta = trace_ctas(l),
                .number = number,
                .cluster = l->cluster_ctas ? l->cluster_ctas : 1,
                .per_sm = r.ctas_per_sm,
                .warps = warps,
                .regs = warps * round_up((uint64_t)r.registers * g->props.warp_size, g->props.reg_alloc_unit),
                .smem = round_up(smem + g->props.smem_reserved_per_block, g->props.smem_alloc_unit),
                .priority = priority},
            g->machine->launch_cycles + 1);
    if (g->n_grid > 1)
        carve_out(g);
    return (int)place;
}

void grid_end(struct gpu *g, unsigned place, bool whole)
{
    account(g);
    struct gpu_kernel_result *r = &g->kernel.p[g->grid[place].result];
    if (g->sample_cycles && whole && g->cycles > r->start_cycle)
        gpu_take_sample(g);
    if (g->sampling)
        sampled_extrapolate(g, &r->shape, r->value);
    if (r->overlapped) {
        const int launches = stats_find(g->stats, "launches");
        r->value[launches] = 1;
    }
    each_policy(g, gpu_loads_take, g->loads);
    gpu_loads_end(g->loads);
    for (unsigned i = 0; i < g->n_sm; i++)
        sm_grid_end(g->sm[i], place);
    g->grid[place].used = false;
    g->n_grid--;
    for (unsigned i = 0; i < g->n_sm && whole; i++)
        (g->n_grid ? l1_kernel_end_beside : l1_kernel_end)(g->l1[i]);
    if (g->n_grid == 1)
        count_apart(g, false);
    if (g->n_grid)
        carve_out(g);
}

enum gpu_end gpu_launch(struct gpu *g, const struct trace_kernel *k, const struct trace_launch *l,
                        const struct sm_streams *source, struct err *e)
{
    const int place = grid_begin(g, k, l, (uint32_t)g->launches, 0, source, e);
    if (place < 0)
        return GPU_FAILED;
    enum gpu_end end = GPU_DONE;
    if (trace_ctas(l)) {
        const uint32_t cluster = l->cluster_ctas ? l->cluster_ctas : 1;
        const uint32_t per_sm = g->kernel.p[g->grid[place].result].ctas_per_sm;
        end = g->sampling ? sampled_run(g, l, cluster, per_sm, e) : gpu_run(g, NEVER, e);
        dispatch_ended(g->dispatch);
    }
    grid_end(g, (unsigned)place, end == GPU_DONE);
    return end;
}
