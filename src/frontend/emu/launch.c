/*
 * A launch from start to end: what it needs is checked and prepared, its grid runs (grid.c), its children follow.
 */
#include "emu/state.h"

#include "base/demangle.h"
#include "emu/access.h"
#include "emu/op_table.h"
#include "emu/watch.h"

#include <stdio.h>

/* CTAs that fit on the device at once, by threads, registers and shared memory of a modern SM. */
static uint32_t resident(const struct emu_grid *g)
{
    enum { SM_THREADS = 2048, SM_REGS = 65536, SM_SMEM = 228 << 10 };
    const struct emu_def *d = &g->kernel->unit->def.p[g->kernel->def];
    uint32_t regs = ptx_regs_per_thread(d->module, d->func);
    uint32_t threads = g->n_warp * EMU_LANES, per_sm = g->emu->opts.ctas_per_sm;
    if (SM_THREADS / threads < per_sm)
        per_sm = SM_THREADS / threads;
    if (regs && SM_REGS / (regs * threads) < per_sm)
        per_sm = SM_REGS / (regs * threads);
    if (g->smem_bytes && SM_SMEM / g->smem_bytes < per_sm)
        per_sm = SM_SMEM / g->smem_bytes;
    uint64_t all = (uint64_t)(per_sm ? per_sm : 1) * g->emu->opts.sm_count;
    if (g->launch.cooperative && g->n_cta > all)
        all = g->n_cta;
    if (all < g->n_in_cluster)
        all = g->n_in_cluster;
    return all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
}

static int launch_error(struct emu_grid *g, const char *text)
{
    memset(g->fault, 0, sizeof *g->fault);
    demangle(emu_kernel_func(g->kernel)->name, g->fault->kernel, sizeof g->fault->kernel);
    g->fault->kind = EMU_FAULT_UNSUPPORTED;
    snprintf(g->fault->text, sizeof g->fault->text, "%s", text);
    return -1;
}

/* The launch's clusters: as the kernel declares them, or as the launch asks for. */
static int set_cluster(struct emu_grid *g)
{
    const struct emu_launch *l = &g->launch;
    const struct ptx_func *f = emu_kernel_func(g->kernel);
    char text[256];
    bool asked = l->cluster[0] || l->cluster[1] || l->cluster[2];
    for (unsigned d = 0; d < 3; d++) {
        g->cluster[d] = asked ? l->cluster[d] : f->reqcluster[0] ? f->reqcluster[d] : 1;
        if (asked && f->reqcluster[0] && l->cluster[d] != f->reqcluster[d]) {
            snprintf(text, sizeof text,
                     "the launch asks for clusters of %u x %u x %u blocks, the kernel for %u x %u x %u", l->cluster[0],
                     l->cluster[1], l->cluster[2], f->reqcluster[0], f->reqcluster[1], f->reqcluster[2]);
            return launch_error(g, text);
        }
        if (!g->cluster[d] || l->grid[d] % g->cluster[d]) {
            snprintf(text, sizeof text, "the grid of %u x %u x %u blocks is no multiple of its clusters' %u x %u x %u",
                     l->grid[0], l->grid[1], l->grid[2], g->cluster[0], g->cluster[1], g->cluster[2]);
            return launch_error(g, text);
        }
    }
    const uint64_t n = (uint64_t)g->cluster[0] * g->cluster[1] * g->cluster[2];
    if (n > EMU_CLUSTER_MAX || (f->maxclusterrank && n > f->maxclusterrank)) {
        snprintf(text, sizeof text, "clusters of %llu blocks; the most is %u", (unsigned long long)n,
                 f->maxclusterrank ? f->maxclusterrank : EMU_CLUSTER_MAX);
        return launch_error(g, text);
    }
    g->n_in_cluster = (uint32_t)n;
    if (n > 1 && g->prog->raw_shared)
        return launch_error(g,
                            "the kernel computes with a shared variable's address in a way that weir knows only "
                            "without clusters");
    if (g->prog->asks_explicit && asked && !f->reqcluster[0])
        return launch_error(g, "the kernel reads %is_explicit_cluster, which weir knows only from .reqnctapercluster");
    return 0;
}

static int prepare(struct emu_grid *g)
{
    struct err e;
    err_clear(&e);
    char text[640];
    if (emu_link_kernel(g->kernel, &e) < 0) {
        snprintf(text, sizeof text, "%.100s:%d: %s", e.file, e.line, e.msg);
        return launch_error(g, text);
    }
    g->prog = g->kernel->prog;
    const struct emu_launch *l = &g->launch;
    g->n_cta = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (g->n_cta == 0 || threads == 0 || threads > 1024)
        return launch_error(g, "the launch has no CTAs, or not 1 to 1024 threads in a CTA");
    if (emu_decode_kernel(g->kernel, g->fault) < 0)
        return -1;
    if (g->sink) {
        g->trace = emu_kernel_trace(g->kernel, &e);
        if (!g->trace) {
            snprintf(text, sizeof text, "%.100s:%d: %s", e.file, e.line, e.msg);
            return launch_error(g, text);
        }
    }
    g->n_thread = (uint32_t)threads;
    g->n_warp = (g->n_thread + EMU_LANES - 1) / EMU_LANES;
    g->smem_bytes = g->prog->smem_static + l->smem_dynamic_bytes;
    if (emu_cta_reserved(g->prog))
        g->smem_bytes = ((g->smem_bytes + 15) & ~15u) + emu_cta_reserved(g->prog);
    g->local_bytes = g->prog->stack_bytes;
    if (g->prog->needs_stack)
        g->local_bytes += (uint32_t)((g->emu->opts.stack_bytes + 15) & ~15ull);
    if (set_cluster(g) < 0)
        return -1;
    g->resident_max = resident(g);
    g->split_after = EMU_SPLIT_FIRST;
    g->param_bytes = emu_kernel_param_bytes(g->kernel);
    g->params = xaligned((size_t)g->param_bytes + 64);
    if (g->param_bytes && l->params)
        memcpy(g->params, l->params, g->param_bytes);
    if (l->cooperative) {
        if (!g->emu->workspace)
            emu_heap_alloc(g->emu->heap, 64, EMU_MEM_MODULE, "grid barrier", &g->emu->workspace);
        g->workspace = g->emu->workspace;
        if (g->workspace) {
            uint32_t words[16] = {64};
            memcpy((void *)(uintptr_t)g->workspace, words, sizeof words);
        }
    }
    memset(g->prog->cache, 0, g->prog->n_cache * sizeof *g->prog->cache);
    g->chunk.end = xcalloc(g->n_warp, sizeof *g->chunk.end);
    return 0;
}

static int sink_failed(struct emu_grid *g)
{
    launch_error(g, "the instruction stream could not be delivered");
    g->fault->kind = EMU_FAULT_SINK;
    return -1;
}

static int begin_stream(struct emu_grid *g)
{
    if (!g->sink)
        return 0;
    struct emu_kernel *k = g->kernel;
    const struct stream_sink *s = g->sink;
    if (!k->traced) {
        k->traced = true;
        k->trace_index = g->emu->n_traced++;
    }
    g->launch_index = g->emu->n_launch++;
    const struct emu_launch *l = &g->launch;
    struct trace_launch t = {
        .kernel = k->trace_index,
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->block[0], l->block[1], l->block[2]},
        .smem_dynamic_bytes = l->smem_dynamic_bytes,
        .stream = l->stream,
        .cooperative = l->cooperative,
        .cluster_ctas = (uint8_t)(g->n_in_cluster > 1 ? g->n_in_cluster : 0),
    };
    struct trace_event ev = {
        .kind = TRACE_EV_LAUNCH, .stream = l->stream, .index = g->launch_index, .lets_begin = g->trace->lets_begin};
    if ((s->event && s->event(s->ctx, &ev)) ||
        (s->launch_begin && s->launch_begin(s->ctx, g->trace, &t, g->launch_index)))
        return sink_failed(g);
    return 0;
}

/* One grid; what device code launches meanwhile is appended to the caller's list. */
static int launch_one(struct emu_grid *g)
{
    int rc = prepare(g);
    if (rc == 0)
        rc = begin_stream(g);
    if (rc == 0) {
        unsigned fp = emu_fp_enter();
        const struct emu_watch *watch = g->emu->opts.watch;
        g->emu->running = g;
        if (watch)
            watch->launch_begin(watch->ctx, g);
        rc = emu_grid_run(g);
        if (watch)
            watch->launch_end(watch->ctx, g);
        g->emu->running = NULL;
        emu_fp_leave(fp);
        g->emu->stats.launches++;
        if (rc == 0 && g->sink && g->sink->launch_end && g->sink->launch_end(g->sink->ctx, g->launch_index))
            rc = sink_failed(g);
    }
    for (size_t i = 0; i < g->pending.n; i++) /* asked for and never launched */
        emu_heap_release(g->emu->heap, g->pending.p[i].buffer, EMU_MEM_MODULE);
    VEC_FREE(&g->pending);
    free(g->params);
    free(g->chunk.bytes);
    free(g->chunk.end);
    return rc;
}

int emu_launch(struct emu *emu, struct emu_kernel *k, const struct emu_launch *l, const struct stream_sink *sink,
               struct emu_fault *fault)
{
    struct emu_fault unused;
    if (!fault)
        fault = &unused;
    memset(fault, 0, sizeof *fault);
    struct emu_grid g = {.emu = emu, .kernel = k, .launch = *l, .sink = sink, .fault = fault};
    int rc = launch_one(&g);
    /* Children in the order they were launched; theirs follow behind. */
    for (size_t i = 0; i < g.child.n; i++) {
        struct emu_child c = g.child.p[i];
        if (rc == 0 && !c.kernel) {
            emu_child_copy(emu, &c);
        } else if (rc == 0) {
            struct emu_grid sub = {.emu = emu, .kernel = c.kernel, .launch = c.launch, .sink = sink, .fault = fault};
            sub.launch.params = c.params;
            rc = launch_one(&sub);
            for (size_t j = 0; j < sub.child.n; j++)
                VEC_PUSH(&g.child, sub.child.p[j]);
            VEC_FREE(&sub.child);
        }
        free(c.params);
    }
    VEC_FREE(&g.child);
    return rc;
}
