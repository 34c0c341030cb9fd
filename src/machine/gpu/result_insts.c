/* Static instructions in the JSON document: its place in the source, what its accesses met, and its share of the stalls. */
#include "gpu/result_priv.h"

#include "base/jsonfile.h"
#include "base/mem.h"
#include "sm/sm.h"

static const char *const class_name[TRACE_CLASS_COUNT] = {
#define X(name, text, doc) [TRACE_##name] = text,
    TRACE_CLASSES(X)
#undef X
};
static const char *const stall_name[SM_STALL_COUNT] = {
#define X(name, text, doc) [SM_STALL_##name] = text,
    SM_STALLS(X)
#undef X
};
static const char *const served_name[REQ_AT_COUNT] = {
    [REQ_AT_NONE] = "other",          [REQ_AT_L1] = "l1", [REQ_AT_L1_MERGE] = "l1_merge",
    [REQ_AT_REMOTE_L1] = "remote_l1", [REQ_AT_L2] = "l2", [REQ_AT_DRAM] = "dram"};
static const char *const space_name[] = {
    [TRACE_SP_NONE] = "none",   [TRACE_SP_GLOBAL] = "global",  [TRACE_SP_SHARED] = "shared",
    [TRACE_SP_LOCAL] = "local", [TRACE_SP_CONST] = "const",    [TRACE_SP_PARAM] = "param",
    [TRACE_SP_TEX] = "tex",     [TRACE_SP_GENERIC] = "generic"};

static void put_count(json_t *o, const char *name, uint64_t value)
{
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

uint64_t result_answered(const struct gpu_load_result *l)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < REQ_AT_COUNT; i++)
        sum += l->count->served[i];
    return sum;
}

uint64_t result_waited(const struct gpu_load_result *l)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < REQ_AT_COUNT; i++)
        sum += l->count->latency_sum[i];
    return sum;
}

json_t *result_place_json(const struct trace_kernel *k, uint32_t pc)
{
    const struct trace_inst *i = &k->inst[pc];
    json_t *o = json_object();
    json_object_set_new(o, "kernel", jsonfile_text(k->name));
    put_count(o, "pc", pc);
    json_object_set_new(o, "inst", json_string(i->opcode_at < k->n_str ? k->str + i->opcode_at : ""));
    put_count(o, "ptx_line", i->ptx_line);
    if (i->src_line && i->src_file < k->n_file) {
        json_object_set_new(o, "src_file", json_string(k->file[i->src_file]));
        put_count(o, "src_line", i->src_line);
    }
    put_count(o, "loop", i->loop);
    return o;
}

/* The kernel's parameter or the variable that the address is computed from, and the constant part. */
static void put_address(json_t *o, const struct trace_kernel *k, const struct trace_inst *i)
{
    const char *address = trace_inst_address(k, i), *sign = address ? strrchr(address, '+') : NULL;
    sign = address && !sign ? strrchr(address, '-') : sign;
    if (!sign)
        return;
    if (*address == '#')
        put_count(o, "argument", strtoull(address + 1, NULL, 10));
    else {
        char *name = xstrndup(address, (size_t)(sign - address));
        json_object_set_new(o, "variable", jsonfile_text(name));
        free(name);
    }
    json_object_set_new(o, "offset", json_integer(strtoll(sign, NULL, 10)));
}

void result_put_access(json_t *o, const struct gpu_load_result *l, bool profile)
{
    const struct trace_inst *i = &l->kernel->inst[l->pc];
    const struct sm_load_stats *c = l->count;
    json_t *served = json_object(), *latency = json_object();
    json_object_set_new(o, "class", json_string(class_name[i->cls < TRACE_CLASS_COUNT ? i->cls : TRACE_NOP]));
    json_object_set_new(o, "space", json_string(space_name[i->space <= TRACE_SP_GENERIC ? i->space : TRACE_SP_NONE]));
    put_address(o, l->kernel, i);
    put_count(o, "width", i->width);
    put_count(o, "executions", c->executions);
    put_count(o, "lanes", c->lanes);
    put_count(o, "lines", c->lines);
    json_object_set_new(o, "lines_per_execution", json_real(ratio(c->lines, c->executions)));
    if (profile)
        put_count(o, "sectors", c->sectors);
    put_count(o, "l1_hits", c->served[REQ_AT_L1]);
    put_count(o, "l1_merges", c->served[REQ_AT_L1_MERGE]);
    json_object_set_new(o, "l1_hit_rate", json_real(ratio(c->served[REQ_AT_L1], result_answered(l))));
    json_object_set_new(o, "mean_latency", json_real(ratio(result_waited(l), result_answered(l))));
    for (unsigned k = 0; k < REQ_AT_COUNT; k++)
        if (c->served[k]) {
            put_count(served, served_name[k], c->served[k]);
            json_object_set_new(latency, served_name[k], json_real(ratio(c->latency_sum[k], c->served[k])));
        }
    json_object_set_new(o, "served", served);
    json_object_set_new(o, "latency", latency);
}

static json_t *stalls_json(const uint64_t *cycles)
{
    json_t *o = json_object();
    for (unsigned i = 0; i < SM_STALL_COUNT; i++)
        if (cycles[i])
            put_count(o, stall_name[i], cycles[i]);
    return o;
}

json_t *result_insts_json(const struct gpu_results *r)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < r->n_inst; i++) {
        const struct gpu_inst_result *x = &r->inst[i];
        uint8_t cls = x->kernel->inst[x->pc].cls;
        json_t *o = result_place_json(x->kernel, x->pc);
        json_object_set_new(o, "class", json_string(class_name[cls < TRACE_CLASS_COUNT ? cls : TRACE_NOP]));
        if (x->order != UINT32_MAX)
            put_count(o, "scheduled", x->order);
        put_count(o, "issues", x->count->issues);
        put_count(o, "lanes", x->count->lanes);
        json_object_set_new(o, "waited", stalls_json(x->count->waited));
        json_object_set_new(o, "caused", stalls_json(x->count->caused));
        json_array_append_new(all, o);
    }
    return all;
}
