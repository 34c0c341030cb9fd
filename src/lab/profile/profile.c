/* From a statistics document to a profile; see profile.h. */
#include "profile/profile.h"

#include "base/demangle.h"
#include "base/out_of_memory.h"
#include "base/infile.h"
#include "engine/policy_registry.h"

#include <math.h>

const char *const profile_stall_name[] = {
#define X(name, text, doc) text,
    PROFILE_STALLS(X)
#undef X
};
const char *const profile_stall_doc[] = {
#define X(name, text, doc) doc,
    PROFILE_STALLS(X)
#undef X
};
const char *const profile_served_name[] = {"L1", "merged", "other L1", "L2", "DRAM", "other"};
static const char *const served_key[] = {"l1", "l1_merge", "remote_l1", "l2", "dram", "other"};

/* ---- numbers and words of the document ---- */

double profile_number(const json_t *o, const char *name)
{
    return json_number_value(json_object_get(o, name));
}

/* One that counts something; documents of strangers may have any. */
static unsigned whole(const json_t *o, const char *name)
{
    const double v = profile_number(o, name);
    return v > 0 && v < 4e9 ? (unsigned)v : 0;
}

static const char *word(const json_t *o, const char *name)
{
    const char *s = json_string_value(json_object_get(o, name));
    return s ? s : "";
}

double profile_config(const struct profile *p, const char *key)
{
    static const struct {
        const char *unit;
        double is;
    } units[] = {{"GHz", 1e9}, {"MHz", 1e6}, {"kHz", 1e3}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};
    char *end;
    double v = strtod(word(json_object_get(p->doc, "config"), key), &end);
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit))
            return v * units[i].is;
    return v;
}

const char *profile_big(char out[24], double x)
{
    static const struct {
        double at;
        const char *unit;
    } scale[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
    for (unsigned i = 0; i < sizeof scale / sizeof *scale; i++)
        if (x >= 9.9995 * scale[i].at || (x >= scale[i].at && scale[i].at > 1e3)) {
            snprintf(out, 24, "%.3g%s", x / scale[i].at, scale[i].unit);
            if (x / scale[i].at >= 999.5)
                snprintf(out, 24, "%.0f%s", x / scale[i].at, scale[i].unit);
            return out;
        }
    snprintf(out, 24, "%.0f", x);
    return out;
}

void profile_name(const struct profile *p, char *out, size_t bytes)
{
    enum { KEY = 32 };
    const char *slash = strrchr(p->program, '/'), *name = slash ? slash + 1 : p->program, *dash = strrchr(name, '-');
    size_t n = strlen(name);
    if (dash && dash > name && strlen(dash + 1) == KEY && strspn(dash + 1, "0123456789abcdef") == KEY)
        n = (size_t)(dash - name);
    snprintf(out, bytes, "%.*s", n ? (int)(n < 200 ? n : 200) : 5, n ? name : "a run");
}

void profile_policies(const struct profile *p, char *out, size_t bytes)
{
    const char *kind;
    json_t *name;
    size_t n = 0;
    *out = 0;
    json_object_foreach(json_object_get(p->doc, "policies"), kind, name)
    {
        char title[POLICY_TITLE];
        int put = snprintf(out + n, bytes - n, "%s%s %s", n ? ", " : "", policy_title(kind, title),
                           json_string_value(name) ? json_string_value(name) : "");
        n = put < 0 || n + (size_t)put >= bytes ? bytes - 1 : n + (size_t)put;
    }
}

/* ---- floating-point work ---- */

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* Floating-point operations of one lane's execution, by the name of the PTX instruction. */
static double flops_of(const char *inst)
{
    const char *shape = has(inst, "mma") ? strstr(inst, ".m") : NULL;
    unsigned m, n, k;
    if (shape && sscanf(shape, ".m%un%uk%u", &m, &n, &k) == 3)
        return has(inst, ".f") || has(inst, ".bf") || has(inst, ".e4m3") || has(inst, ".e5m2") ? 2.0 * m * n * k / 32
                                                                                               : 0;
    if (has(inst, "cvt") || has(inst, "ld.") || has(inst, "st.") || has(inst, "mov") || has(inst, "setp"))
        return 0;
    double wide = has(inst, "f16x2") ? 2 : has(inst, ".f32") || has(inst, ".f64") || has(inst, "f16") ? 1 : 0;
    if (!strncmp(inst, "fma.", 4) || !strncmp(inst, "mad.", 4))
        return 2 * wide;
    static const char *const one[] = {"add.",   "sub.", "mul.", "div.", "min.", "max.",  "sqrt.", "rcp.",
                                      "rsqrt.", "sin.", "cos.", "lg2.", "ex2.", "tanh.", "atom.", "red."};
    for (unsigned i = 0; i < sizeof one / sizeof *one; i++)
        if (!strncmp(inst, one[i], strlen(one[i])))
            return wide;
    return 0;
}

/* ---- kernels ---- */

static unsigned kernel_index(struct profile *p, const char *mangled)
{
    for (size_t i = 0; i < p->kernel.n; i++)
        if (!strcmp(p->kernel.p[i].mangled, mangled))
            return (unsigned)i;
    struct profile_kernel k = {.mangled = mangled, .sum = json_object()};
    demangle(mangled, k.name, sizeof k.name);
    demangle_short(mangled, k.brief, sizeof k.brief);
    VEC_PUSH(&p->kernel, k);
    return (unsigned)p->kernel.n - 1;
}

static void take_stalls(const json_t *stats, double stall[PROFILE_STALL_COUNT])
{
    for (int i = 0; i < PROFILE_STALL_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "sm.stall.%s", profile_stall_name[i]);
        stall[i] += profile_number(stats, name);
    }
}

static void take_shape(struct profile_kernel *k, const json_t *launch)
{
    for (unsigned i = 0; i < 3; i++) {
        k->grid[i] = (unsigned)json_integer_value(json_array_get(json_object_get(launch, "grid"), i));
        k->block[i] = (unsigned)json_integer_value(json_array_get(json_object_get(launch, "block"), i));
    }
    k->registers = whole(launch, "registers");
    k->shared_bytes = whole(launch, "shared_bytes");
    k->ctas_per_sm = whole(launch, "ctas_per_sm");
    k->occupancy = profile_number(launch, "occupancy");
    k->limiter = json_string_value(json_object_get(launch, "limiter"));
    k->longest = profile_number(launch, "cycles");
}

void profile_add_launch(json_t *sum, const json_t *launch)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)launch, key, v) if (json_is_integer(v)) json_object_set_new(
        sum, key, json_integer(json_integer_value(v) + json_integer_value(json_object_get(sum, key))));
}

static void take_launch(struct profile *p, const json_t *launch)
{
    const unsigned at = kernel_index(p, word(launch, "kernel"));
    struct profile_kernel *k = &p->kernel.p[at];
    double cycles = profile_number(launch, "cycles");
    if (!k->launches++ || cycles > k->longest)
        take_shape(k, launch);
    profile_add_launch(k->sum, launch);
    k->cycles += cycles;
    k->slots += profile_number(launch, "sm.scheduler_cycles");
    k->issued += profile_number(launch, "sm.issue_cycles");
    take_stalls(launch, k->stall);
    k->warp_insts += profile_number(launch, "warp_insts");
    k->thread_insts += profile_number(launch, "thread_insts");
    k->dram_bytes += profile_number(launch, "dram.read_bytes") + profile_number(launch, "dram.write_bytes");
    k->l1_hits += profile_number(launch, "l1.hits");
    k->l1_accesses += profile_number(launch, "l1.accesses");
    k->l2_hits += profile_number(launch, "l2.hits");
    k->l2_accesses += profile_number(launch, "l2.accesses");
    k->warps_resident += profile_number(launch, "sm.warps_resident") * cycles; /* a mean in the end */
}

static int by_cycles(const void *a, const void *b)
{
    const struct profile_kernel *x = a, *y = b;
    return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

/* Instances of a template keep their arguments. */
static void tell_apart(struct profile *p)
{
    for (size_t i = 0; i < p->kernel.n; i++) {
        struct profile_kernel *k = &p->kernel.p[i];
        bool alone = true;
        for (size_t j = 0; j < p->kernel.n; j++) {
            char other[sizeof k->brief];
            demangle_short(p->kernel.p[j].mangled, other, sizeof other);
            alone &= j == i || strcmp(k->brief, other) != 0;
        }
        if (!alone)
            demangle_fit(k->mangled, k->brief, PROFILE_KERNEL);
    }
}

static void take_kernels(struct profile *p)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(p->doc, "kernels"), i, launch) take_launch(p, launch);
    for (i = 0; i < p->kernel.n; i++)
        if (p->kernel.p[i].cycles > 0)
            p->kernel.p[i].warps_resident /= p->kernel.p[i].cycles;
    if (p->kernel.n)
        qsort(p->kernel.p, p->kernel.n, sizeof *p->kernel.p, by_cycles);
    tell_apart(p);
}

/* ---- sources ---- */

enum { SOURCE_MOST_BYTES = 4 << 20 };

/* By the name the compiler knew, then by its last part here and in `folder`. */
static void load_source(struct profile_source *s, const char *folder)
{
    const char *slash = strrchr(s->file, '/'), *base = slash ? slash + 1 : s->file;
    s->text = infile_text(s->file, SOURCE_MOST_BYTES, NULL);
    if (!s->text && folder) {
        char *path = xasprintf("%s/%s", folder, base);
        s->text = infile_text(path, SOURCE_MOST_BYTES, NULL);
        free(path);
    }
    if (!s->text)
        s->text = infile_text(base, SOURCE_MOST_BYTES, NULL);
    for (char *at = s->text; at && *at;) {
        VEC_PUSH(&s->line, at);
        char *end = strchr(at, '\n');
        at = end ? end + 1 : NULL;
        if (end) {
            *end = 0;
            if (end > s->line.p[s->line.n - 1] && end[-1] == '\r')
                end[-1] = 0;
        }
    }
}

static const char *source_line(struct profile *p, const char *file, unsigned number, const char *folder)
{
    size_t i = 0;
    while (i < p->source.n && strcmp(p->source.p[i].file, file))
        i++;
    if (i == p->source.n) {
        VEC_PUSH(&p->source, (struct profile_source){.file = file});
        load_source(&p->source.p[i], folder);
    }
    const struct profile_source *s = &p->source.p[i];
    return number >= 1 && number <= s->line.n ? s->line.p[number - 1] : NULL;
}

/* ---- lines and accesses ---- */

static unsigned line_index(struct profile *p, const json_t *inst, const char *folder)
{
    const char *file = json_string_value(json_object_get(inst, "src_file"));
    unsigned number = whole(inst, file ? "src_line" : "ptx_line");
    unsigned kernel = kernel_index(p, word(inst, "kernel"));
    for (size_t i = 0; i < p->line.n; i++) {
        const struct profile_line *l = &p->line.p[i];
        if (l->number == number && (file ? l->file && !strcmp(l->file, file) : !l->file && l->kernel == kernel))
            return (unsigned)i;
    }
    struct profile_line l = {.file = file, .number = number, .kernel = kernel};
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (file)
        snprintf(l.place, sizeof l.place, "%.80s:%u", slash ? slash + 1 : file, number);
    else
        snprintf(l.place, sizeof l.place, "%.60s, PTX line %u", p->kernel.p[kernel].brief, number);
    l.text = file ? source_line(p, file, number, folder) : NULL;
    VEC_PUSH(&p->line, l);
    return (unsigned)p->line.n - 1;
}

static double add_stalls(double sum[PROFILE_STALL_COUNT], const json_t *stalls)
{
    double all = 0;
    for (int i = 0; i < PROFILE_STALL_COUNT; i++) {
        double v = profile_number(stalls, profile_stall_name[i]);
        sum[i] += v;
        all += v;
    }
    return all;
}

static void take_instructions(struct profile *p, const char *folder)
{
    size_t i;
    json_t *inst;
    json_array_foreach(json_object_get(p->doc, "instructions"), i, inst)
    {
        const unsigned at = line_index(p, inst, folder), kernel = kernel_index(p, word(inst, "kernel"));
        struct profile_line *l = &p->line.p[at];
        double lanes = profile_number(inst, "lanes");
        p->counted = true;
        l->issues += profile_number(inst, "issues");
        l->lanes += lanes;
        add_stalls(l->waited, json_object_get(inst, "waited"));
        l->cost += profile_number(inst, "issues") + add_stalls(l->caused, json_object_get(inst, "caused"));
        const double flops = lanes * flops_of(word(inst, "inst"));
        p->kernel.p[kernel].flops += flops;
        p->kernel.p[kernel].tensor_flops += has(word(inst, "inst"), "mma") ? flops : 0;
    }
}

static const json_t *instruction_at(const struct profile *p, const json_t *load)
{
    size_t i;
    json_t *inst;
    json_array_foreach(json_object_get(p->doc, "instructions"), i, inst)
    {
        if (json_equal(json_object_get(inst, "pc"), json_object_get(load, "pc")) &&
            json_equal(json_object_get(inst, "kernel"), json_object_get(load, "kernel")))
            return inst;
    }
    return NULL;
}

static void take_accesses(struct profile *p, const char *folder)
{
    size_t i;
    json_t *load;
    json_array_foreach(json_object_get(p->doc, "loads"), i, load)
    {
        struct profile_access a = {.kernel = kernel_index(p, word(load, "kernel")),
                                   .line = line_index(p, load, folder),
                                   .pc = whole(load, "pc"),
                                   .ptx_line = whole(load, "ptx_line"),
                                   .variable = json_string_value(json_object_get(load, "variable")),
                                   .argument = json_object_get(load, "argument") ? (int)whole(load, "argument") : -1,
                                   .offset = profile_number(load, "offset"),
                                   .width = whole(load, "width"),
                                   .inst = word(load, "inst"),
                                   .class = word(load, "class"),
                                   .space = word(load, "space"),
                                   .executions = profile_number(load, "executions"),
                                   .lanes = profile_number(load, "lanes"),
                                   .lines = profile_number(load, "lines"),
                                   .mean_latency = profile_number(load, "mean_latency"),
                                   .sectors = json_object_get(load, "sectors") ? profile_number(load, "sectors") : NAN};
        for (int k = 0; k < SERVED_COUNT; k++) {
            a.served[k] = profile_number(json_object_get(load, "served"), served_key[k]);
            a.latency[k] = profile_number(json_object_get(load, "latency"), served_key[k]);
            a.answered += a.served[k];
        }
        const json_t *inst = instruction_at(p, load);
        a.cost = inst ? add_stalls(a.caused, json_object_get(inst, "caused")) : 0;
        p->line.p[a.line].n_access++;
        VEC_PUSH(&p->access, a);
    }
}

/* What the access cost; where that is not counted, how long its lines waited. */
static double weight(const struct profile_access *a)
{
    return a->cost + 1e-9 * a->answered * a->mean_latency;
}

static int by_weight(const void *a, const void *b)
{
    const double x = weight(a), y = weight(b);
    return (x < y) - (x > y);
}

struct ordered_line {
    struct profile_line line;
    unsigned was;
};
static int by_cost(const void *a, const void *b)
{
    const struct ordered_line *x = a, *y = b;
    if (x->line.cost != y->line.cost)
        return x->line.cost < y->line.cost ? 1 : -1;
    return (x->was > y->was) - (x->was < y->was);
}

/* Accesses name their lines by index, so these are renumbered. */
static void sort_lines(struct profile *p)
{
    struct ordered_line *o = xmalloc((p->line.n + 1) * sizeof *o);
    unsigned *now = xmalloc((p->line.n + 1) * sizeof *now);
    for (size_t i = 0; i < p->line.n; i++)
        o[i] = (struct ordered_line){p->line.p[i], (unsigned)i};
    qsort(o, p->line.n, sizeof *o, by_cost);
    for (size_t i = 0; i < p->line.n; i++) {
        p->line.p[i] = o[i].line;
        now[o[i].was] = (unsigned)i;
    }
    for (size_t i = 0; i < p->access.n; i++)
        p->access.p[i].line = now[p->access.p[i].line];
    free(o);
    free(now);
    if (p->access.n)
        qsort(p->access.p, p->access.n, sizeof *p->access.p, by_weight);
}

/* ---- the whole ---- */

static void take_total(struct profile *p)
{
    const json_t *total = json_object_get(p->doc, "total"), *from = json_object_get(p->doc, "provenance");
    const double clock = profile_config(p, "clock.core"), sms = profile_config(p, "machine.sms");
    const double interval = profile_config(p, "sm.ii.fp_mad");
    p->machine = word(p->doc, "machine");
    p->program = word(from, "program");
    p->arguments = word(from, "arguments");
    p->weir = word(from, "weir");
    p->date = word(from, "date");
    p->complete = json_is_true(json_object_get(p->doc, "complete"));
    p->cycles = profile_number(total, "cycles");
    p->seconds = clock > 0 ? p->cycles / clock : 0;
    p->slots = profile_number(total, "sm.scheduler_cycles");
    p->issued = profile_number(total, "sm.issue_cycles");
    take_stalls(total, p->stall);
    p->ipc = profile_number(total, "ipc");
    p->dram_bytes = profile_number(total, "dram.read_bytes") + profile_number(total, "dram.write_bytes");
    p->peak_ipc = sms * 32 * profile_config(p, "sm.schedulers") * profile_config(p, "sm.issue_width");
    /* A multiply-add is two operations. */
    p->peak_flops = interval > 0 ? 2 * sms * profile_config(p, "sm.sp_units") * profile_config(p, "sm.simt_width") *
                                       clock / interval
                                 : 0;
    const double pseudo_channels = profile_config(p, "dram.pseudo_channels"); /* older files do not have it */
    p->peak_bytes = profile_config(p, "memory.channels") * (pseudo_channels > 1 ? pseudo_channels : 1) *
                    profile_config(p, "dram.bus_bytes") * profile_config(p, "dram.chips") *
                    profile_config(p, "dram.data_rate") * profile_config(p, "clock.dram");
}

int profile_read(struct profile *p, json_t *doc, const char *name, const char *sources, struct err *e)
{
    *p = (struct profile){.doc = doc};
    const char *schema = word(doc, "schema");
    if (strncmp(schema, "weir-stats-", 11) || !json_is_object(json_object_get(doc, "total")) ||
        !json_is_array(json_object_get(doc, "kernels"))) {
        err_at(e, name, 0, 0, "is not the statistics document of a run");
        err_hint(e, "make one: weir run --profile --json FILE ./app");
        json_decref(doc);
        p->doc = NULL;
        return -1;
    }
    take_total(p);
    take_kernels(p);
    profile_find_rounds(p);
    take_instructions(p, sources);
    take_accesses(p, sources);
    sort_lines(p);
    profile_name_pointers(p);
    profile_find(p);
    return 0;
}

void profile_free(struct profile *p)
{
    for (size_t i = 0; i < p->source.n; i++) {
        free(p->source.p[i].text);
        VEC_FREE(&p->source.p[i].line);
    }
    VEC_FREE(&p->source);
    for (size_t i = 0; i < p->kernel.n; i++)
        json_decref(p->kernel.p[i].sum);
    VEC_FREE(&p->kernel);
    VEC_FREE(&p->line);
    VEC_FREE(&p->access);
    VEC_FREE(&p->finding);
    profile_free_rounds(p);
    json_decref(p->doc);
}
