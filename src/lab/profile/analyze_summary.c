/* Numbers and JSON of an analysis; see analyze_summary.h. */
#include "profile/analyze_summary.h"

#include <jansson.h>
#include <stdio.h>

static double share(uint64_t part, uint64_t of)
{
    return of ? (double)part / (double)of : 0;
}

static int by_accesses(const void *a, const void *b)
{
    const struct analyze_load *x = a, *y = b;
    if (x->counters->accesses != y->counters->accesses)
        return x->counters->accesses < y->counters->accesses ? 1 : -1;
    if (x->kernel_index != y->kernel_index)
        return x->kernel_index < y->kernel_index ? -1 : 1;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* CAPS counts how often a warp executes each load and shows the mean of the four highest. */
static double top_four_iterations(const struct analyze_summary *s)
{
    double top[4] = {0};
    for (size_t i = 0; i < s->load.n; i++) {
        double x = locality_iterations(s->load.p[i].counters);
        for (int k = 0; k < 4; k++)
            if (x > top[k]) {
                const double t = top[k];
                top[k] = x;
                x = t;
            }
    }
    const size_t n = s->load.n < 4 ? s->load.n : 4;
    return n ? (top[0] + top[1] + top[2] + top[3]) / (double)n : 0;
}

void analyze_summarize(const struct analysis *a, const struct trace_file *f, struct analyze_summary *s)
{
    *s = (struct analyze_summary){.sum = locality_sum(a->locality, UINT32_MAX),
                                  .aps = locality_aps(a->locality, UINT32_MAX)};
    for (uint32_t k = 0; k < trace_n_kernels(f); k++) {
        const struct trace_kernel *kernel = trace_get_kernel(f, k);
        uint32_t n;
        const struct locality_load *load = locality_loads(a->locality, k, &n);
        for (uint32_t pc = 0; pc < kernel->n_inst; pc++) {
            const struct trace_inst *i = &kernel->inst[pc];
            if (i->mem_index >= n || !load[i->mem_index].executions)
                continue;
            VEC_PUSH(&s->load, (struct analyze_load){kernel, k, pc, &load[i->mem_index]});
            s->n_repeated += load[i->mem_index].repeats > 0;
            s->n_loop += i->loop != 0;
        }
    }
    if (s->load.n)
        qsort(s->load.p, s->load.n, sizeof *s->load.p, by_accesses);
    const struct locality_load *x = &s->sum;
    const uint64_t lines = locality_lines(x);
    uint64_t uses = 0;
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        uses += x->used[t];
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++) {
        s->by_lines[t] = share(x->line[t], lines);
        s->by_accesses[t] = share(x->used[t], uses);
    }
    s->lines_per_load = share(x->accesses, x->executions);
    s->lanes_per_load = share(x->lanes, x->executions);
    s->miss_rate = share(lines, uses);
    s->finite_miss_rate = share(x->finite_misses, x->accesses);
    s->replication = share(x->replicated, lines);
    s->finite_replication = share(x->finite_replicated, x->finite_misses);
    s->iterations = top_four_iterations(s);
}

void analyze_summary_free(struct analyze_summary *s)
{
    VEC_FREE(&s->load);
}

uint64_t analyze_distance(const struct locality_load *l, enum locality_type type, double q)
{
    uint64_t all = 0, below = 0;
    for (int b = 0; b < LOCALITY_DISTANCE_BINS; b++)
        all += l->distance[type][b];
    for (int b = 0; b < LOCALITY_DISTANCE_BINS && all; b++) {
        below += l->distance[type][b];
        if ((double)below >= q * (double)all)
            return 2ull << b;
    }
    return 0;
}

void analyze_load_place(const struct analyze_load *l, char *out, size_t bytes)
{
    const struct trace_inst *i = &l->kernel->inst[l->pc];
    if (!i->src_line || i->src_file >= l->kernel->n_file) {
        snprintf(out, bytes, "ptx:%u", i->ptx_line);
        return;
    }
    const char *file = l->kernel->file[i->src_file], *slash = strrchr(file, '/');
    snprintf(out, bytes, "%s:%u", slash ? slash + 1 : file, i->src_line);
}

const char *analyze_load_opcode(const struct analyze_load *l)
{
    const uint32_t at = l->kernel->inst[l->pc].opcode_at;
    return at < l->kernel->n_str ? l->kernel->str + at : "";
}

/* ---- JSON ---- */
static json_t *counts_json(const uint64_t *v, int n)
{
    json_t *a = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(a, json_integer((json_int_t)v[i]));
    return a;
}

static json_t *types_json(const uint64_t v[LOCALITY_TYPE_COUNT])
{
    json_t *o = json_object();
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        json_object_set_new(o, locality_type_name[t], json_integer((json_int_t)v[t]));
    return o;
}

static json_t *shares_json(const double v[LOCALITY_TYPE_COUNT])
{
    json_t *o = json_object();
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        json_object_set_new(o, locality_type_name[t], json_real(v[t]));
    return o;
}

/* The counters of one load, or of the program. */
static void put_counters(json_t *o, const struct locality_load *l)
{
    const struct {
        const char *name;
        uint64_t value;
    } plain[] = {{"executions", l->executions},
                 {"lanes", l->lanes},
                 {"accesses", l->accesses},
                 {"warps", l->warps},
                 {"repeats", l->repeats},
                 {"replicated", l->replicated},
                 {"finite_misses", l->finite_misses},
                 {"finite_replicated", l->finite_replicated},
                 {"untracked", l->untracked}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        json_object_set_new(o, plain[i].name, json_integer((json_int_t)plain[i].value));
    json_object_set_new(o, "lines", types_json(l->line));
    json_object_set_new(o, "line_accesses", types_json(l->used));
    json_object_set_new(o, "access_count", counts_json(l->count, LOCALITY_COUNT_BINS));
    json_object_set_new(o, "finite_access_count", counts_json(l->finite_count, LOCALITY_COUNT_BINS));
    json_t *distance = json_object();
    for (int t = 0; t < LOCALITY_TYPE_COUNT; t++)
        if (t != LOCALITY_STREAMING)
            json_object_set_new(distance, locality_type_name[t], counts_json(l->distance[t], LOCALITY_DISTANCE_BINS));
    json_object_set_new(o, "reuse_distance_log2", distance);
}

static json_t *load_json(const struct analyze_load *l)
{
    const struct trace_inst *i = &l->kernel->inst[l->pc];
    json_t *o = json_object();
    json_object_set_new(o, "kernel", json_string(l->kernel->name));
    json_object_set_new(o, "pc", json_integer(l->pc));
    json_object_set_new(o, "inst", json_string(analyze_load_opcode(l)));
    json_object_set_new(o, "ptx_line", json_integer(i->ptx_line));
    if (i->src_line && i->src_file < l->kernel->n_file) {
        json_object_set_new(o, "src_file", json_string(l->kernel->file[i->src_file]));
        json_object_set_new(o, "src_line", json_integer(i->src_line));
    }
    json_object_set_new(o, "loop", json_integer(i->loop));
    json_object_set_new(o, "type", json_string(locality_type_name[locality_dominant(l->counters)]));
    json_object_set_new(o, "iterations", json_real(locality_iterations(l->counters)));
    put_counters(o, l->counters);
    return o;
}

json_t *analyze_json_brief(const struct analysis *a, const struct analyze_summary *s, const char *name)
{
    json_t *o = json_object();
    json_object_set_new(o, "program", json_string(name));
    json_object_set_new(o, "launches", json_integer((json_int_t)a->launches));
    json_object_set_new(o, "ctas", json_integer((json_int_t)a->ctas));
    json_object_set_new(o, "warp_insts", json_integer((json_int_t)a->warp_insts));
    json_object_set_new(o, "thread_insts", json_integer((json_int_t)a->thread_insts));
    json_object_set_new(o, "loads_uncached", json_integer((json_int_t)a->loads_uncached));
    json_object_set_new(o, "loads_other", json_integer((json_int_t)a->loads_other));
    json_object_set_new(o, "stores", json_integer((json_int_t)a->stores));
    json_object_set_new(o, "atomics", json_integer((json_int_t)a->atomics));
    json_object_set_new(o, "similarity", json_real(s->aps));
    json_object_set_new(o, "line_share", shares_json(s->by_lines));
    json_object_set_new(o, "access_share", shares_json(s->by_accesses));
    const struct {
        const char *name;
        double value;
    } plain[] = {{"lines_per_load", s->lines_per_load}, {"lanes_per_load", s->lanes_per_load},
                 {"miss_rate", s->miss_rate},           {"finite_miss_rate", s->finite_miss_rate},
                 {"replication", s->replication},       {"finite_replication", s->finite_replication},
                 {"iterations", s->iterations}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        json_object_set_new(o, plain[i].name, json_real(plain[i].value));
    json_object_set_new(o, "static_loads", json_integer((json_int_t)s->load.n));
    json_object_set_new(o, "repeated_loads", json_integer(s->n_repeated));
    json_object_set_new(o, "loop_loads", json_integer(s->n_loop));
    json_t *total = json_object();
    put_counters(total, &s->sum);
    json_object_set_new(o, "total", total);
    return o;
}

json_t *analyze_json(const struct analysis *a, const struct analyze_summary *s, const char *name, const char *machine)
{
    json_t *o = json_object(), *brief = analyze_json_brief(a, s, name), *loads = json_array(), *kernels = json_array();
    json_object_set_new(o, "schema", json_string(ANALYZE_SCHEMA));
    json_object_set_new(o, "machine", json_string(machine));
    json_object_set_new(o, "sms", json_integer(a->n_sm));
    json_object_update(o, brief);
    json_decref(brief);
    for (size_t i = 0; i < s->load.n; i++)
        json_array_append_new(loads, load_json(&s->load.p[i]));
    for (size_t i = 0; i < s->load.n; i++) {
        const struct analyze_load *l = &s->load.p[i];
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = s->load.p[k].kernel_index == l->kernel_index;
        if (seen)
            continue;
        json_t *k = json_object();
        const struct locality_load sum = locality_sum(a->locality, l->kernel_index);
        json_object_set_new(k, "kernel", json_string(l->kernel->name));
        json_object_set_new(k, "similarity", json_real(locality_aps(a->locality, l->kernel_index)));
        put_counters(k, &sum);
        json_array_append_new(kernels, k);
    }
    json_object_set_new(o, "kernels", kernels);
    json_object_set_new(o, "loads", loads);
    return o;
}
