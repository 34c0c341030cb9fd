/* Decisions about loads, and the truth about them; see loads.h. */
#include "gpu/loads.h"

#include "base/mem.h"

struct kernel_loads {
    struct gpu_decision *decision; /* by mem_index */
    uint32_t n;
};

struct gpu_loads {
    VEC(struct kernel_loads) kernel;
    const struct trace_kernel *now; /* of the present launch */
    uint32_t now_number;
    struct locality *locality; /* NULL = not asked for */
};

struct gpu_loads *gpu_loads_new(uint32_t n_sm, bool classify, struct err *e)
{
    struct gpu_loads *l = xcalloc(1, sizeof *l);
    if (classify) {
        struct locality_config c = {.n_sm = n_sm};
        l->locality = locality_new(&c, e);
        if (!l->locality) {
            free(l);
            return NULL;
        }
    }
    return l;
}

void gpu_loads_free(struct gpu_loads *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->kernel.n; i++)
        free(l->kernel.p[i].decision);
    VEC_FREE(&l->kernel);
    locality_free(l->locality);
    free(l);
}

void gpu_loads_begin(struct gpu_loads *l, uint32_t kernel, const struct trace_kernel *k)
{
    while (l->kernel.n <= kernel)
        VEC_PUSH(&l->kernel, (struct kernel_loads){0});
    l->now = k;
    l->now_number = kernel;
    if (l->locality)
        locality_launch_begin(l->locality, kernel, k->n_mem);
}

void gpu_loads_see(void *loads, const struct sm_load_seen *s)
{
    struct gpu_loads *l = loads;
    uint64_t line[COALESCE_MAX];
    unsigned n = 0;
    for (unsigned i = 0; i < s->n_line; i++) {
        uint64_t x = s->line[i].addr / 128;
        unsigned k = 0;
        while (k < n && line[k] != x) /* the L1's own lines may be shorter */
            k++;
        line[k] = x;
        n += k == n;
    }
    locality_access(l->locality, s->sm, (uint32_t)s->warp, s->mem_index, s->lanes, line, n);
}

static void count_verdict(struct gpu_decision *sum, const struct l1_decision *d)
{
    for (unsigned i = 0; i < GPU_VERDICTS; i++) {
        if (!sum->verdict[i].type) {
            sum->verdict[i].type = d->type;
            sum->verdict[i].method = d->method;
        }
        if (strcmp(sum->verdict[i].type, d->type) || strcmp(sum->verdict[i].method, d->method))
            continue;
        sum->verdict[i].instances++;
        /* The most frequent stands first. */
        for (; i && sum->verdict[i].instances > sum->verdict[i - 1].instances; i--) {
            const char *type = sum->verdict[i - 1].type, *method = sum->verdict[i - 1].method;
            uint64_t n = sum->verdict[i - 1].instances;
            sum->verdict[i - 1] = sum->verdict[i];
            sum->verdict[i].type = type;
            sum->verdict[i].method = method;
            sum->verdict[i].instances = n;
        }
        return;
    }
}

static void add_decision(void *ctx, const struct l1_decision *d)
{
    struct gpu_loads *l = ctx;
    struct kernel_loads *k = &l->kernel.p[l->now_number];
    uint32_t m = d->pc < l->now->n_inst ? l->now->inst[d->pc].mem_index : UINT32_MAX;
    if (m >= l->now->n_mem)
        return;
    if (!k->decision) {
        k->n = l->now->n_mem;
        k->decision = xcalloc(k->n, sizeof *k->decision);
    }
    struct gpu_decision *sum = &k->decision[m];
    sum->instances++;
    sum->accesses += d->accesses;
    sum->bypassed += d->bypassed;
    sum->refused += d->refused;
    sum->pinned += d->pinned;
    sum->pinned_hits += d->pinned_hits;
    if (!d->type)
        return;
    sum->decided++;
    sum->at_sum += d->at_cycle;
    if (d->total > sum->total) {
        sum->total = d->total;
        sum->own = d->own;
        sum->last_pc = d->last_pc;
    }
    count_verdict(sum, d);
}

void gpu_loads_take(struct gpu_loads *l, const struct l1 *l1)
{
    l1_each_decision(l1, add_decision, l);
}

void gpu_loads_end(struct gpu_loads *l)
{
    if (l->locality)
        locality_launch_end(l->locality);
}

const struct gpu_decision *gpu_loads_decision(const struct gpu_loads *l, uint32_t kernel, uint32_t mem_index)
{
    if (kernel >= l->kernel.n || mem_index >= l->kernel.p[kernel].n)
        return NULL;
    const struct gpu_decision *d = &l->kernel.p[kernel].decision[mem_index];
    return d->instances ? d : NULL;
}

const struct locality_load *gpu_loads_truth(const struct gpu_loads *l, uint32_t kernel, uint32_t mem_index)
{
    uint32_t n;
    if (!l->locality || kernel >= locality_n_kernels(l->locality))
        return NULL;
    const struct locality_load *t = locality_loads(l->locality, kernel, &n);
    return mem_index < n && t[mem_index].executions ? &t[mem_index] : NULL;
}
