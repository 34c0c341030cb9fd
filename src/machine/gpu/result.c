/* The JSON document; see docs/statistics.md. */
#include "gpu/result.h"

#include "base/jsonfile.h"
#include "base/mem.h"
#include "engine/policy_registry.h"
#include "engine/stats.h"
#include "gpu/energy.h"
#include "gpu/gpu_config.h"
#include "gpu/gpu_priv.h"
#include "gpu/loads.h"
#include "gpu/ncu_names.h"
#include "gpu/plugin.h"
#include "gpu/result_priv.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A histogram's buckets, from the first, as one member; returns how many there are. */
static unsigned put_histogram(json_t *o, const struct stat_name *n, const uint64_t *value)
{
    json_t *bounds = json_array(), *counts = json_array();
    for (unsigned b = 0; b < n->def->n_bound; b++)
        json_array_append_new(bounds, json_integer((json_int_t)n->def->bound[b]));
    for (unsigned b = 0; b <= n->def->n_bound; b++)
        json_array_append_new(counts, json_integer((json_int_t)value[b]));
    char name[sizeof n->name];
    snprintf(name, sizeof name, "%.*s", (int)n->base_len, n->name);
    json_object_set_new(o, name, json_pack("{s:o,s:o}", "bounds", bounds, "counts", counts));
    return n->def->n_bound + 1;
}

/* `flat`: histograms as a number per bucket, for readers that look numbers up by name. */
static void put_stats(json_t *o, const struct stats *s, const uint64_t *value, bool flat)
{
    for (unsigned i = 0, step; i < stats_count(s); i += step) {
        const struct stat_name *n = stats_name(s, i);
        step = 1;
        if (n->def->kind == STAT_HIST && !flat)
            step = put_histogram(o, n, &value[i]);
        else if (n->def->kind == STAT_RATIO)
            json_object_set_new(o, n->name, json_real(stats_value(s, value, i)));
        else
            json_object_set_new(o, n->name, json_integer((json_int_t)value[i]));
    }
}

/* Statistics that sweeps keep the intervals of. */
static const char *const main_stats[] = {
    "cycles", "ipc", "l1.misses", "l1.miss_rate", "l2.misses", "l2.miss_rate", "dram.reads", "dram.writes", NULL};

static json_t *half_json(double half)
{
    return isinf(half) ? json_null() : json_real(half);
}

/* What a sampled simulation ran, and half of each total's 95% interval. */
static json_t *sampled_json(const struct gpu_results *r)
{
    const struct gpu_sampled *s = r->sampled;
    json_t *interval = json_object();
    for (unsigned i = 0; i < stats_count(r->stats); i++)
        if (stats_name(r->stats, i)->def->kind != STAT_MAX)
            json_object_set_new(interval, stats_name(r->stats, i)->name, half_json(s->half[i]));
    return json_pack("{s:f,s:i,s:i,s:i,s:f,s:o}", "error", s->error, "launches", (int)s->launches, "launches_simulated",
                     (int)s->launches_simulated, "launches_whole", (int)s->launches_whole, "warp_insts_share", s->share,
                     "half_width_95", interval);
}

/* The same in a flat object, of the main statistics. */
static void put_sampled(json_t *total, const struct gpu_results *r)
{
    json_object_set_new(total, "sampled.error", json_real(r->sampled->error));
    json_object_set_new(total, "sampled.warp_insts_share", json_real(r->sampled->share));
    for (const char *const *name = main_stats; *name; name++) {
        char key[96];
        const int at = stats_find(r->stats, *name);
        snprintf(key, sizeof key, "sampled.half_width_95.%s", *name);
        if (at >= 0)
            json_object_set_new(total, key, half_json(r->sampled->half[at]));
    }
}

static json_t *dim3_json(const uint32_t d[3])
{
    return json_pack("[iii]", (int)d[0], (int)d[1], (int)d[2]);
}

/* The values of one launch, or the totals, for ncu_value. */
struct values {
    const struct stats *s;
    const uint64_t *value;
};
static double value_of(void *ctx, const char *name)
{
    const struct values *v = ctx;
    int at = stats_find(v->s, name);
    return at < 0 ? NAN : stats_value(v->s, v->value, (unsigned)at);
}

static void put_ncu(const struct gpu *g, json_t *o, const struct stats *s, const uint64_t *value)
{
    struct values v = {s, value};
    json_t *names = json_object();
    for (const struct ncu_metric *m = ncu_metrics; m->name; m++) {
        double x = ncu_value(m, (double)g->clock->core, value_of, &v);
        if (!isnan(x))
            json_object_set_new(names, m->name, m->den || m->scale == 0 ? json_real(x) : json_integer((json_int_t)x));
    }
    json_object_set_new(o, "ncu", names);
}

void result_print_ncu(struct gpu *g, FILE *out)
{
    const struct gpu_results *r = gpu_get_results(g);
    for (unsigned i = 0; i < r->n_kernel; i++) {
        struct values v = {r->stats, r->kernel[i].value};
        fprintf(out, "launch %u: %s\n", r->kernel[i].launch, r->kernel[i].kernel->name);
        for (const struct ncu_metric *m = ncu_metrics; m->name; m++) {
            double x = ncu_value(m, (double)g->clock->core, value_of, &v);
            if (!isnan(x))
                fprintf(out, "  %-62s %-6s %.*f\n", m->name, m->unit, m->den ? 2 : 0, x);
        }
    }
}

static json_t *kernel_json(const struct gpu *g, const struct gpu_results *r, const struct gpu_kernel_result *k)
{
    json_t *o = json_object();
    json_object_set_new(o, "kernel", jsonfile_text(k->kernel->name));
    json_object_set_new(o, "launch", json_integer(k->launch));
    json_object_set_new(o, "grid", dim3_json(k->shape.grid));
    json_object_set_new(o, "block", dim3_json(k->shape.block));
    json_object_set_new(o, "registers", json_integer(k->registers));
    json_object_set_new(o, "shared_bytes",
                        json_integer((json_int_t)k->kernel->smem_static_bytes + k->shape.smem_dynamic_bytes));
    json_object_set_new(o, "ctas_per_sm", json_integer(k->ctas_per_sm));
    json_object_set_new(o, "occupancy", json_real(k->occupancy));
    json_object_set_new(o, "limiter", json_string(k->limiter));
    json_object_set_new(o, "stream", json_integer(k->shape.stream));
    json_object_set_new(o, "start_cycle", json_integer((json_int_t)k->start_cycle));
    if (g->overlaps)
        json_object_set_new(o, "overlapped_cycles", json_integer((json_int_t)k->overlapped));
    if (r->sampled)
        json_object_set_new(o, "simulated", json_real(k->simulated));
    put_stats(o, r->stats, k->value, false);
    if (g->ncu_names)
        put_ncu(g, o, r->stats, k->value);
    if (r->energy)
        gpu_energy_put_json(r->energy, o);
    return o;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static void put_count(json_t *o, const char *name, uint64_t value)
{
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

static json_t *verdicts_json(const struct policy_info *p, const struct gpu_load_report *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < GPU_VERDICTS && r->verdict[i].reports; i++) {
        json_t *v = json_object();
        unsigned text = 0;
        for (const struct load_column *c = p->load_columns; c->name; c++)
            if (c->combine == LOAD_TEXT)
                json_object_set_new(v, c->name, json_string(r->verdict[i].text[text++]));
        put_count(v, "instances", r->verdict[i].reports);
        json_array_append_new(all, v);
    }
    return all;
}

/* What a policy tells about a load, over all its instances and launches. */
static json_t *report_json(const struct policy_info *p, const struct gpu_load_report *r)
{
    json_t *o = json_object();
    unsigned text = 0;
    put_count(o, "instances", r->reports);
    for (unsigned i = 0; p->load_columns[i].name; i++) {
        const struct load_column *c = &p->load_columns[i];
        if (c->combine == LOAD_TEXT) {
            if (r->decided)
                json_object_set_new(o, c->name, json_string(r->verdict[0].text[text]));
            text++;
        } else if (c->combine == LOAD_SUM) {
            put_count(o, c->name, r->n[i]);
        } else if (r->given[i]) {
            if (c->combine == LOAD_MEAN)
                json_object_set_new(o, c->name, json_real(ratio(r->n[i], r->given[i])));
            else
                put_count(o, c->name, r->n[i]);
        }
    }
    if (text) {
        put_count(o, "decided", r->decided);
        json_object_set_new(o, "verdicts", verdicts_json(p, r));
    }
    return o;
}

/* What infinite caches saw of it, and how many reports agree. */
static json_t *truth_json(const struct gpu_results *r, const struct gpu_load_result *l)
{
    const struct locality_load *t = l->truth;
    json_t *o = json_object();
    json_object_set_new(o, "type",
                        locality_lines(t) ? json_string(locality_type_name[locality_dominant(t)]) : json_null());
    for (unsigned i = 0; i < LOCALITY_TYPE_COUNT; i++)
        put_count(o, locality_type_name[i], t->line[i]);
    for (unsigned i = 0; i < r->n_reporter && locality_lines(t); i++) {
        int reuse = gpu_loads_reuse_text(r->reporter[i]);
        if (reuse >= 0 && l->report[i])
            put_count(o, "agreeing_instances", gpu_loads_agreeing(l->report[i], reuse, t));
    }
    return o;
}

static json_t *load_json(const struct gpu_results *r, const struct gpu_load_result *l)
{
    json_t *o = result_place_json(l->kernel, l->pc);
    result_put_access(o, l, r->n_inst > 0);
    for (unsigned k = 0; k < r->n_reporter; k++) {
        if (!l->report[k])
            continue;
        /* Two halves of a mechanism have one name, and one object. */
        json_t *told = report_json(r->reporter[k], l->report[k]), *half = json_object_get(o, r->reporter[k]->name);
        if (half)
            json_object_update_missing(half, told);
        else
            json_object_set(o, r->reporter[k]->name, told);
        json_decref(told);
    }
    if (l->truth)
        json_object_set_new(o, "infinite", truth_json(r, l));
    return o;
}

static json_t *loads_json(const struct gpu_results *r)
{
    json_t *loads = json_array();
    for (unsigned i = 0; i < r->n_load; i++)
        json_array_append_new(loads, load_json(r, &r->load[i]));
    return loads;
}

static void put_config(void *ctx, const struct cfg_value *v)
{
    json_object_set_new(ctx, v->key, json_string(v->text));
}

struct chosen {
    json_t *o, *plugins;
    const struct cfg_schema *schema;
};
static void put_policy(void *ctx, const struct cfg_value *v)
{
    struct chosen *c = ctx;
    for (unsigned i = 0; i < c->schema->n_kind; i++)
        if (!strcmp(c->schema->kind[i]->key, v->key)) {
            int at = policy_find(c->schema->kind[i], v->text);
            const struct policy_info *p = at < 0 ? NULL : c->schema->kind[i]->policy[at];
            json_object_set_new(c->o, c->schema->kind[i]->name, json_string(v->text));
            if (p && plugin_file(p))
                json_object_set_new(c->plugins, p->name,
                                    json_pack("{s:s,s:s}", "file", plugin_file(p), "hash", plugin_identity(p)));
        }
}

static json_t *timelines_json(struct gpu *g, const struct gpu_results *r)
{
    const struct machine_config *m = cfg_section(gpu_config(g), "machine");
    return result_timelines_json(r, gpu_cycles(g), m->sms);
}

/* When each SM's policy began which phase. */
static json_t *phases_json(const struct gpu_results *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < r->n_phase; i++) {
        const struct gpu_phase *p = &r->phase[i];
        json_array_append_new(all, json_pack("{s:s,s:i,s:I,s:s}", "policy", p->policy, "sm", (int)p->sm, "cycle",
                                             (json_int_t)p->cycle, "phase", p->phase));
    }
    return all;
}

/* The origin of the numbers. "machine" and "config" describe the machine. */
static json_t *provenance_json(const char *command)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    const time_t now = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm utc;
    char date[32] = "";
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const size_t words = strcspn(command, " ");
    char *program = xstrndup(command, words);
    json_t *o = json_object();
    json_object_set_new(o, "program", jsonfile_text(program));
    json_object_set_new(o, "arguments", jsonfile_text(command + words + (command[words] == ' ')));
    free(program);
    json_object_set_new(o, "weir", json_string(WEIR_VERSION));
    json_object_set_new(o, "date", json_string(date));
    return o;
}

int result_write_json(struct gpu *g, bool complete, const char *command, const char *path, struct err *e)
{
    const struct gpu_results *r = gpu_get_results(g);
    json_t *doc = json_object(), *config = json_object(), *total = json_object();
    json_t *kernels = json_array(), *samples = json_array();
    struct chosen policies = {json_object(), json_object(), gpu_schema()};
    cfg_each(gpu_config(g), put_config, config);
    cfg_each(gpu_config(g), put_policy, &policies);
    put_stats(total, r->stats, r->total, false);
    if (g->ncu_names)
        put_ncu(g, total, r->stats, r->total);
    if (r->energy)
        gpu_energy_put_json(r->energy, total);
    for (unsigned i = 0; i < r->n_kernel; i++)
        json_array_append_new(kernels, kernel_json(g, r, &r->kernel[i]));
    for (unsigned i = 0; i < r->n_sample; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "cycle", json_integer((json_int_t)r->sample[i].cycle));
        json_object_set_new(o, "launch", json_integer(r->sample[i].launch));
        put_stats(o, r->stats, r->sample[i].value, false);
        if (r->energy)
            gpu_energy_put_json(r->energy, o);
        json_array_append_new(samples, o);
    }
    json_object_set_new(doc, "schema", json_string(RESULT_SCHEMA));
    json_object_set_new(doc, "complete", json_boolean(complete));
    json_object_set_new(doc, "provenance", provenance_json(command));
    json_object_set_new(doc, "machine", json_string(cfg_machine(gpu_config(g))));
    json_object_set_new(doc, "policies", policies.o);
    if (json_object_size(policies.plugins))
        json_object_set(doc, "plugins", policies.plugins);
    json_decref(policies.plugins);
    json_object_set_new(doc, "config", config);
    if (r->sampled)
        json_object_set_new(doc, "sampled", sampled_json(r));
    json_object_set_new(doc, "total", total);
    json_object_set_new(doc, "kernels", kernels);
    json_object_set_new(doc, "loads", loads_json(r));
    if (r->n_inst)
        json_object_set_new(doc, "instructions", result_insts_json(r));
    if (r->n_phase) {
        json_object_set_new(doc, "phases", phases_json(r));
        json_object_set_new(doc, "timelines", timelines_json(g, r));
    }
    if (g->profile && r->n_sample)
        json_object_set_new(doc, "parts", result_parts_json(g, r));
    if (r->n_sample)
        json_object_set_new(doc, "samples", samples);
    else
        json_decref(samples);

    return jsonfile_write(doc, path, JSON_INDENT(1) | JSON_REAL_PRECISION(12), e);
}

char *result_brief_json(struct gpu *g)
{
    const struct gpu_results *r = gpu_get_results(g);
    json_t *doc = json_object(), *total = json_object();
    put_stats(total, r->stats, r->total, true);
    if (r->sampled)
        put_sampled(total, r);
    json_object_set_new(doc, "total", total);
    json_object_set_new(doc, "loads", loads_json(r));
    if (r->n_phase)
        json_object_set_new(doc, "timelines", timelines_json(g, r));
    char *text = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(doc);
    return text;
}

int result_each_stat(void (*fn)(void *ctx, const struct stat_doc *), void *ctx, struct err *e)
{
    /* A machine knows its names; one whose SMs reach each other by a network of their own, with a prefetcher, with
     * orders of requests and with all that is counted only where it is there, has them all but those of policies that
     * are not chosen. */
    static const char *const all[] = {"l2.partitions=2", "l2.dirty_ways=4", "l2.coalesce=2", "vm.enabled=yes",
                                      "l1.observe=yes"};
    struct gpu_opts o = {.machine = "bfly36",
                         .with = WEIR_HOOKS ? "nlp,mrpb,cart,dyneb" : NULL,
                         .set = all,
                         .n_set = WEIR_HOOKS ? 5 : 4};
    struct gpu *g = gpu_new(&o, e);
    if (!g)
        return -1;
    const struct stats *s = gpu_get_results(g)->stats;
    for (unsigned i = 0; i < stats_count(s); i++) {
        const struct stat_name *n = stats_name(s, i);
        char name[sizeof n->name];
        snprintf(name, sizeof name, "%.*s", (int)n->base_len, n->name);
        if (n->bucket == 0)
            fn(ctx, &(struct stat_doc){name, n->def->unit, n->def->doc, n->def->kind, n->def});
    }
    const struct cfg_schema *schema = gpu_schema();
    for (unsigned k = 0; k < schema->n_kind; k++)
        for (unsigned j = 0; j < schema->kind[k]->n; j++) {
            const struct policy_info *p = schema->kind[k]->policy[j];
            for (const struct stat_def *d = p->stats; d && d->name; d++) {
                char name[128];
                snprintf(name, sizeof name, "%s.%s", p->name, d->name);
                if (stats_find(s, name) < 0)
                    fn(ctx, &(struct stat_doc){name, d->unit, d->doc, d->kind, d});
            }
        }
    gpu_free(g);
    return 0;
}
